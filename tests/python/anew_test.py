"""Scripts that make their loader anew for each epoch: what was found for one holds for the next."""
import os
import unittest
from unittest import mock

import support
from support import Drawing, Plain, epoch, probe_of, read, request

import sluice
from sluice import _segment
from sluice._torch import patches


class Anew(unittest.TestCase):
    def setUp(self):
        patches._left.clear()

    def make(self, data, seed=None, workers=1):
        if seed is not None:
            support.torch.manual_seed(seed)
        loader = support.DataLoader(data, batch_size=4, shuffle=True, num_workers=workers)
        return sluice.wrap(loader)

    def epochs(self, data, count=3, workers=None):
        """Each with a loader of its own; `workers` are asked for in the first. Hashes, and what is seen at the end."""
        found, seen = [], None
        support.torch.manual_seed(3)
        for number in range(count):
            loader = self.make(data)
            asks = workers and number == 0
            between = (lambda batch: request(loader, workers=workers)) if asks else None  # noqa: F821 - before it is deleted
            found.append(epoch(loader, between))
            seen = read(loader)
            del loader, between
        return found, seen

    def test_knobs_stay_and_counters_go_on(self):
        _, seen = self.epochs(Plain(), workers=3)
        self.assertEqual(seen.knobs["fetch.workers"]["applied"], 3)
        self.assertEqual(seen.consumer["items"], 3 * 12)
        self.assertEqual(seen.epoch, 2)

    def test_batches_are_those_of_a_run_without_tuning(self):
        bare = []
        support.torch.manual_seed(3)
        for _ in range(3):
            bare.append(epoch(support.DataLoader(Plain(), batch_size=4, shuffle=True, num_workers=1)))
        self.assertEqual(self.epochs(Plain(), workers=3)[0], bare)
        still = self.epochs(Drawing())[0]
        self.assertEqual(self.epochs(Drawing(), workers=3)[0], still)

    def test_draws_do_not_depend_on_whether_the_loader_before_is_gone(self):
        data, kept, found = Drawing(), [], []
        support.torch.manual_seed(3)
        for _ in range(3):
            kept.append(self.make(data))
            found.append(epoch(kept[-1]))
        patches._left.clear()
        self.assertEqual(self.epochs(data)[0], found)

    def test_another_setting_or_amount_of_data_is_another_loader(self):
        loader = self.make(Plain())
        epoch(loader)
        path = probe_of(loader).segment.path
        del loader
        for data, workers in ((Plain(), 2), (Plain(32), 1), (Drawing(), 1)):
            loader = self.make(data, workers=workers)
            epoch(loader)
            self.assertNotEqual(probe_of(loader).segment.path, path)

    def test_the_same_data_may_have_grown(self):
        """As a replay buffer does between two rounds."""
        data = Plain()
        loader = self.make(data)
        epoch(loader)
        path = probe_of(loader).segment.path
        for more in (8, 4):
            del loader
            data.count += more
            loader = self.make(data)
            epoch(loader)
            self.assertEqual(probe_of(loader).segment.path, path)
        self.assertEqual(read(loader).consumer["items"], 12 + 14 + 15)
        del loader
        loader = self.make(Plain(data.count))
        epoch(loader)
        self.assertEqual(probe_of(loader).segment.path, path, "as much data as there was in the end")

    def test_a_loader_whose_iterator_still_runs_is_not_replaced(self):
        data = Plain()
        loader = self.make(data)
        batches = iter(loader)
        next(batches)
        path = probe_of(loader).segment.path
        loader = self.make(data)
        epoch(loader)
        self.assertNotEqual(probe_of(loader).segment.path, path)

    def test_strict_looks_for_draws_again_where_the_data_set_is_another(self):
        with mock.patch.dict(os.environ, {"SLUICE_REPRO": "strict"}):
            held = []
            for data in (data for same in (Plain(), Plain()) for data in (same, same)):
                loader = self.make(data)
                batches = iter(loader)
                held.append(read(loader).knobs["fetch.workers"]["held"])
                for _ in batches:
                    pass
                del loader, batches
        watching, free = _segment.HELD_WATCHING, _segment.NOT_HELD
        self.assertEqual(held, [watching, free, watching, free])

    def test_no_more_than_a_few_are_kept_of_those_that_are_gone(self):
        paths = []
        for count in range(patches.MOST_LOADERS + 2):
            loader = self.make(Plain(4 + count), workers=0)
            epoch(loader)
            paths.append(probe_of(loader).segment.path)
            del loader
        support.until(lambda: not os.path.exists(paths[0]), "the end of the oldest segment")
        self.assertTrue(os.path.exists(paths[-1]))


if __name__ == "__main__":
    unittest.main()
