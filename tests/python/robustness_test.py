"""What may happen to a loader happens as without us: each case is run bare and measured, and compared."""
import gc
import os
import signal
import unittest
from unittest import mock

import support
from support import DataLoader, Plain, children, digest, epoch, epochs, loader, no_children, read, request, torch

import sluice
from sluice import _library, _report


def both(make):
    """What `make` returns for a bare loader and for a measured one."""
    bare = make(lambda made: made)
    no_children()  # else a worker that is forked next may be the one to throw away the bare iterator
    return bare, make(sluice.wrap)


class Raising(Plain):
    def __getitem__(self, index):
        if index == 17:
            raise KeyError("row 17 is broken")
        return super().__getitem__(index)


class Suicidal(Plain):
    """The second worker dies in its first task, before anything of it can be on its way."""

    def __getitem__(self, index):
        if index == 4:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__getitem__(index)


def outcome(batches):
    """The hashes of the batches, and the error that ended them."""
    found = []
    try:
        for batch in batches:
            found.append(digest(batch))
    except Exception as error:
        return found, type(error), str(error)
    return found, None, ""


class Errors(unittest.TestCase):
    def test_a_workers_exception_comes_in_its_place_with_its_text(self):
        for workers in (0, 2):
            bare, measured = both(
                lambda wrapped, n=workers: outcome(wrapped(loader(Raising(), num_workers=n, shuffle=False)))
            )
            self.assertEqual(measured[:2], bare[:2])
            self.assertEqual(len(measured[0]), 4)
            self.assertIn("row 17 is broken", measured[2])
            self.assertEqual(measured[2].splitlines()[0], bare[2].splitlines()[0])

    def test_the_loop_may_go_on_after_an_exception(self):
        def survivors(wrapped):
            iterator, found = iter(wrapped(loader(Raising(), num_workers=2, shuffle=False))), []
            while True:
                try:
                    found.append(digest(next(iterator)))
                except KeyError:
                    found.append("failed")
                except StopIteration:
                    return found

        bare, measured = both(survivors)
        self.assertEqual(measured, bare)
        self.assertEqual(len(bare), 12)

    def test_failed_batches_are_counted(self):
        measured = sluice.wrap(loader(Raising(), num_workers=2, shuffle=False))
        outcome(measured)
        self.assertGreaterEqual(read(measured).ops["fetch"]["items"], 3)

    def test_a_worker_killed_by_a_signal_is_the_same_error(self):
        bare, measured = both(lambda wrapped: outcome(wrapped(loader(Suicidal(), num_workers=2, shuffle=False))))
        self.assertEqual(measured[1], bare[1])
        self.assertRegex(measured[2], "killed by signal: Killed|exited unexpectedly")
        self.assertTrue(no_children())

    def test_what_a_handler_raises_while_a_description_is_freed_is_felt(self):
        class Told(Exception):
            pass

        def tell(number, frame):
            raise Told

        library = _library.library()
        free = library.sluice_description_free

        def free_and_signal(handle):
            free(handle)
            signal.raise_signal(signal.SIGUSR1)

        self.addCleanup(signal.signal, signal.SIGUSR1, signal.signal(signal.SIGUSR1, tell))
        with support.mock.patch.object(library, "sluice_description_free", free_and_signal), self.assertRaises(Told):
            iter(sluice.wrap(loader(Plain())))

    def test_an_added_worker_ended_by_a_signal_is_the_same_error(self):
        """Not by one that tells of too little memory (stand_in_test.py)."""
        measured = sluice.wrap(loader(Plain(4000), num_workers=1))
        iterator = iter(measured)
        request(measured, workers=2)
        support.until(lambda: next(iterator) is not None and len(iterator._workers) == 2, "two workers")  # noqa: F821
        os.kill(iterator._workers[1].pid, signal.SIGTERM)
        _, kind, text = outcome(iterator)
        self.assertIn(kind, (RuntimeError, ConnectionResetError, EOFError, FileNotFoundError), text)
        del iterator
        self.assertTrue(no_children())

    def test_a_workers_death_is_not_swallowed_when_it_is_told_in_the_middle_of_our_own_work(self):
        from sluice._torch.requests import Requests

        def handler(number, frame):
            raise RuntimeError("DataLoader worker (pid 1) is killed by signal: Killed.")

        before = signal.signal(signal.SIGUSR1, handler)
        self.addCleanup(signal.signal, signal.SIGUSR1, before)
        measured = sluice.wrap(loader(Plain(), num_workers=1))
        iterator = iter(measured)
        told = support.mock.patch.object(Requests, "arrived", side_effect=lambda: signal.raise_signal(signal.SIGUSR1))
        with told, self.assertRaisesRegex(RuntimeError, "killed by signal"):
            next(iterator)

    def test_a_samplers_exception_is_the_loops(self):
        class Broken:
            def __iter__(self):
                yield from range(30)
                raise OSError("the index is gone")

        def run(wrapped):
            made = wrapped(loader(Plain(), sampler=Broken(), shuffle=False, num_workers=2))
            found, kind, text = outcome(made)
            return found, kind, text

        bare, measured = both(run)
        self.assertEqual(measured, bare)

    def test_a_samplers_exception_is_not_swallowed_when_a_knob_asks_for_more(self):
        class Broken:
            def __iter__(self):
                yield from range(40)
                raise OSError("the index is gone")

        measured = sluice.wrap(loader(Plain(), sampler=Broken(), shuffle=False, num_workers=2))
        iterator = iter(measured)
        next(iterator)
        request(measured, capacity=30)
        with self.assertRaisesRegex(OSError, "the index is gone"):
            list(iterator)


class Leaving(unittest.TestCase):
    def test_an_early_break_ends_the_workers_at_once(self):
        measured = sluice.wrap(loader(Plain(400), num_workers=2))
        no_children()
        gc.disable()
        try:
            for _ in measured:
                request(measured, workers=3)
                break
            self.assertEqual(children(), [])
        finally:
            gc.enable()
        self.assertEqual(epoch(measured)[:0], [])
        self.assertEqual(read(measured).connectors["fetch->consumer"]["depth"], 0)

    def test_a_persistent_loader_left_early_begins_anew(self):
        def run(wrapped):
            made = wrapped(loader(Plain(), num_workers=2, persistent_workers=True))
            next(iter(made))
            return support.epochs(made)

        bare, measured = both(run)
        self.assertEqual(measured, bare)

    def test_an_iterator_that_is_kept_stays_ended(self):
        measured = sluice.wrap(loader(Plain(), num_workers=2))
        iterator = iter(measured)
        self.assertEqual(len(list(iterator)), 12)
        for _ in range(3):
            self.assertIsNone(next(iterator, None))
        self.assertEqual(len(epoch(measured)), 12)

    def test_a_loader_that_nobody_keeps_is_measured_to_its_end(self):
        self.assertEqual(len([batch for batch in sluice.wrap(loader(Plain(), num_workers=2))]), 12)
        self.assertTrue(no_children())


class Kinds(unittest.TestCase):
    def test_a_subclass_keeps_its_ways(self):
        class Doubling(DataLoader):
            def __iter__(self):
                for batch in super().__iter__():
                    yield batch * 2

        def run(wrapped):
            support.torch.manual_seed(3)
            return support.epochs(wrapped(Doubling(Plain(), batch_size=4, shuffle=True, num_workers=2)))

        bare, measured = both(run)
        self.assertEqual(measured, bare)

    def test_an_iterator_class_of_somebody_elses_is_only_observed(self):
        from torch.utils.data import dataloader

        from sluice import _segment

        class Own(dataloader._MultiProcessingDataLoaderIter):
            pass

        class Loader(DataLoader):
            def _get_iterator(self):
                self.made = super()._get_iterator()
                self.made.__class__ = Own
                return self.made

        measured = sluice.wrap(Loader(Plain(), batch_size=4, num_workers=1))
        self.assertEqual(len(epoch(measured)), 12)
        self.assertEqual(_segment.NOT_HELD, 0)

    def test_objects_that_answer_oddly_are_not_asked(self):
        class Odd(Plain):
            def __getattr__(self, name):
                if name == "__getitems__":  # which later releases of PyTorch ask for
                    raise AttributeError(name)
                return {}[name]

            def __eq__(self, other):
                raise TypeError("not comparable")

            __hash__ = None

            def __repr__(self):
                raise ValueError("no text")

        class Stack(Odd):
            def __call__(self, rows):
                return torch.stack(rows)

        for workers in (0, 1):
            bare = epoch(loader(Plain(), num_workers=workers))
            with self.subTest(workers=workers), mock.patch.object(_report, "warn") as warn:
                measured = sluice.wrap(loader(Odd(), num_workers=workers, collate_fn=Stack()))
                self.assertEqual(epochs(measured, 1), [bare])
                self.assertEqual(warn.call_args_list, [])
                self.assertEqual(read(measured).ops["sample"]["items"], 48)

    def test_batches_without_automatic_collation(self):
        bare, measured = both(
            lambda wrapped: epoch(wrapped(loader(Plain(), batch_size=None, shuffle=True, num_workers=2)))
        )
        self.assertEqual(measured, bare)
        self.assertEqual(len(bare), 48)

    def test_a_batch_sampler_of_the_users(self):
        class Batches:
            def __iter__(self):
                return iter([(0, 1, 2), [5], (9, 9)])

            def __len__(self):
                return 3

        bare, measured = both(
            lambda wrapped: epoch(
                wrapped(loader(Plain(), batch_sampler=Batches(), batch_size=1, shuffle=False, num_workers=2))
            )
        )
        self.assertEqual(measured, bare)

    def test_a_worker_init_fn_is_called_and_left_where_it_was(self):
        def init(worker_id):
            support.torch.utils.data.get_worker_info().dataset.count = 48 + worker_id

        measured = sluice.wrap(loader(Plain(), num_workers=2, worker_init_fn=init))
        self.assertEqual(len(epoch(measured)), 12)
        self.assertIs(measured.worker_init_fn, init)

    def test_a_worker_init_fn_that_raises_is_the_same_error(self):
        def init(worker_id):
            raise ValueError("no licence")

        bare, measured = both(
            lambda wrapped: outcome(wrapped(loader(Plain(), num_workers=1, worker_init_fn=init)))
        )
        self.assertEqual(measured[:2], bare[:2])
        self.assertIn("no licence", measured[2])

    def test_a_timeout_is_kept(self):
        class Stuck(Plain):
            def __getitem__(self, index):
                support.time.sleep(600)

        measured = sluice.wrap(loader(Stuck(), num_workers=1, timeout=0.05))
        with self.assertRaisesRegex(RuntimeError, "timed out"):
            next(iter(measured))
        gc.collect()


class Several(unittest.TestCase):
    def test_training_and_validation_take_turns(self):
        def run(wrapped):
            train = wrapped(loader(Plain(), num_workers=2))
            valid = wrapped(loader(Plain(20), num_workers=1, shuffle=False))
            found = []
            for _ in range(2):
                found.append(epoch(train))
                found.append(epoch(valid))
            return found

        bare, measured = both(run)
        self.assertEqual(measured, bare)

    def test_nested_loops_over_two_loaders(self):
        def run(wrapped):
            outer = wrapped(loader(Plain(12), num_workers=1))
            inner = wrapped(loader(Plain(8), num_workers=1))
            return [(digest(batch), epoch(inner)) for batch in outer]

        bare, measured = both(run)
        self.assertEqual(measured, bare)

    def test_two_iterators_of_one_loader_at_once(self):
        def run(wrapped):
            made = wrapped(loader(Plain(), num_workers=1))
            return [(digest(a), digest(b)) for a, b in zip(made, made)]

        bare, measured = both(run)
        self.assertEqual(measured, bare)

    def test_a_loader_inside_of_a_workers_data_set(self):
        class Nested(Plain):
            def __getitem__(self, index):
                rows = DataLoader(Plain(4), batch_size=2)
                return sum(batch.sum() for batch in rows) + index

        bare, measured = both(lambda wrapped: epoch(wrapped(loader(Nested(), num_workers=2))))
        self.assertEqual(measured, bare)

    def test_a_loader_built_and_begun_before_the_wrap(self):
        bare = support.epochs(loader(Plain(), num_workers=2, persistent_workers=True))
        made = loader(Plain(), num_workers=2, persistent_workers=True)
        begun = iter(made)
        found = [digest(next(begun))]
        sluice.wrap(made)
        found += [digest(batch) for batch in begun]
        self.assertEqual([found, epoch(made)], bare)


if __name__ == "__main__":
    unittest.main()
