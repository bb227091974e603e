"""Loaders that Sluice does not know from within: iterators of their own, and more loaders than it measures."""
import itertools
import os
import unittest

import support
from support import DataLoader, Plain, Reading, digest, epochs, loader
from torch.utils.data import dataloader

import sluice
from sluice import _report
from sluice._torch import foreign, patches


class OwnIterator(dataloader._BaseDataLoaderIter):
    """Fetches by itself, and can say how far it is."""

    def __init__(self, loader, begin=0):
        super().__init__(loader)
        self.taken = begin
        self._sampler_iter = itertools.islice(self._sampler_iter, begin, None)

    def __next__(self):
        batch = super().__next__()
        self.taken += 1
        return batch

    def _next_data(self):
        index = self._next_index()
        return self._collate_fn([self._dataset[row] for row in index])


class OwnLoader(DataLoader):
    """With a state, in the manner of loaders that can be resumed."""

    begin = 0

    def _get_iterator(self):
        self.made = OwnIterator(self, self.begin)
        self.begin = 0
        return self.made

    def state_dict(self):
        return {"taken": self.made.taken}

    def load_state_dict(self, state):
        self.begin = state["taken"]


def made(wrapped, **options):
    support.torch.manual_seed(3)
    return wrapped(OwnLoader(Plain(), batch_size=4, shuffle=False, **options))


class Foreign(unittest.TestCase):
    def setUp(self):
        _report._said.clear()

    def test_its_batches_are_those_of_the_bare_run_and_one_line_says_what_is_not_measured(self):
        bare = epochs(made(lambda loader: loader))
        with support.said() as lines:
            measured = made(sluice.wrap)
            self.assertEqual(epochs(measured), bare)
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], "OwnLoader makes iterators of its own: .* its workers are not, and nothing is changed")

    def test_waits_and_batches_are_counted_from_the_consumers_side(self):
        measured = made(sluice.wrap)
        epochs(measured)
        seen = Reading(foreign._meters[measured][1]._segment.path)
        self.assertEqual((seen.consumer["items"], seen.consumer["rows"]), (24, 96))
        self.assertGreater(seen.consumer["starved"], 0)
        self.assertIn("measured (Plain)", seen.program)

    def test_a_state_taken_in_mid_epoch_counts_delivered_batches(self):
        whole = epochs(made(lambda loader: loader), 1)[0]
        measured = made(sluice.wrap)
        found = [digest(batch) for batch in itertools.islice(measured, 5)]
        resumed = made(sluice.wrap)
        resumed.load_state_dict(measured.state_dict())
        self.assertEqual(found + epochs(resumed, 1)[0], whole)

    def test_one_that_builds_on_pytorchs_workers_is_served_by_them_alone(self):
        class Own(dataloader._MultiProcessingDataLoaderIter):
            pass

        class Loader(DataLoader):
            def _get_iterator(self):
                return Own(self)

        for persistent in (False, True):
            def run(wrapped, persistent=persistent):
                support.torch.manual_seed(3)
                options = dict(batch_size=4, shuffle=True, num_workers=2, persistent_workers=persistent)
                return epochs(wrapped(Loader(Plain(), **options)))

            with support.said() as lines:
                self.assertEqual(run(sluice.wrap), run(lambda loader: loader))
            self.assertEqual(len(lines), 0 if persistent else 1, lines)
        self.assertTrue(support.no_children())

    def test_an_object_with_the_attributes_of_a_loader_is_one(self):
        """As fastai's loaders hand one to PyTorch's iterators."""
        class Likeness:
            _sluice_wrapped = None  # stands for a run in which all loaders are measured

            def __init__(self, workers):
                self.loader = DataLoader(Plain(), batch_size=4, num_workers=workers)

            def __getattr__(self, name):
                return getattr(self.loader, name)

        def run(workers, wrapped=lambda likeness: likeness):
            support.torch.manual_seed(3)
            kind = dataloader._MultiProcessingDataLoaderIter if workers > 0 else dataloader._SingleProcessDataLoaderIter
            return [digest(batch) for batch in kind(wrapped(Likeness(workers)))]

        def wrapped(likeness):
            self.measured = likeness
            return sluice.wrap(likeness)

        for workers in (0, 2):
            with self.subTest(workers=workers), support.said():
                self.assertEqual(run(workers, wrapped), run(workers))
                self.assertEqual(Reading(foreign._meters[self.measured][1]._segment.path).consumer["items"], 12)
        self.assertTrue(support.no_children())

    def test_one_that_nobody_wrapped_is_left_alone(self):
        bare = made(lambda loader: loader)
        sluice.wrap(loader(Plain()))
        epochs(bare)
        self.assertNotIn("_sluice", bare.made.__dict__)

    def test_a_forked_trainer_measures_for_itself(self):
        measured = made(sluice.wrap)
        epochs(measured, 1)
        path = foreign._meters[measured][1]._segment.path
        child = os.fork()
        if child == 0:
            epochs(measured, 1)
            os._exit(0 if foreign._meters[measured][1]._segment.path != path else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


class TooMany(unittest.TestCase):
    def test_loaders_beyond_the_most_are_one_line(self):
        _report._said.clear()
        with support.said() as lines:
            loaders = [sluice.wrap(loader(Plain(4))) for _ in range(patches.MOST_LOADERS + 3)]
            found = [epochs(each, 1) for each in loaders]
        self.assertEqual(len(found[-1][0]), 1)
        said = [line for line in lines if "DataLoaders of this process" in line]
        self.assertEqual(len(said), 1, lines)
        self.assertIn(f"is not measured: {patches.MOST_LOADERS} DataLoaders of this process are", said[0])


if __name__ == "__main__":
    unittest.main()
