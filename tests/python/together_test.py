"""Batches of a loop over rows that cost next to nothing are told of together; what is told is the same."""
import contextlib
import sys
import types
import unittest
from unittest import mock

import support
from support import Plain, epoch, loader, probe_of, read

import sluice
from sluice import _segment
from sluice._torch import meter, sameness, together

APART = together.FEW  # batches, the first ones: each is told of by itself
BATCHES = 2 * APART


class Failing(Plain):
    """Row 600 cannot be read."""

    def __getitem__(self, index):
        if index == 600:
            raise ValueError("row 600")
        return super().__getitem__(index)


class DrawsOnce(Plain):
    """One row of many draws."""

    def __getitem__(self, index):
        row = super().__getitem__(index)
        return row + support.torch.rand(2) if index == 600 else row


@contextlib.contextmanager
def quick():
    """However slow the machine is, all batches after the first ones are told of together. Yields how many, each time."""
    counted, tell = [], together.Together.tell

    def count(self, meter):
        counted.append(tell(self, meter))
        return counted[-1]

    with mock.patch.multiple(together, LOOKS_APART_NS=10**18, QUICK_NS=10**18):
        with mock.patch.object(together.Together, "tell", count):
            yield counted


class Counts(unittest.TestCase):
    def check(self, measured, epochs, told_together):
        with quick() as counted:
            found = support.epochs(measured, epochs)
            self.assertEqual(sum(counted), told_together)
            self.check_counts(read(measured), epochs * BATCHES)
        return found

    def check_counts(self, seen, batches, rows=4):
        self.assertEqual(seen.ops["sampler"]["items"], batches)
        self.assertEqual(seen.ops["fetch"]["items"], batches)
        self.assertEqual(seen.ops["fetch"]["bytes"], batches * rows * 8)
        self.assertEqual(seen.ops["sample"]["items"], batches * rows)
        self.assertEqual(seen.ops["collate"]["items"], batches)
        self.assertEqual(seen.consumer["items"], batches)
        self.assertEqual(seen.consumer["rows"], batches * rows)
        for connector in ("sampler->fetch", "fetch->consumer"):
            counts = seen.connectors[connector]
            self.assertEqual((counts["pushed"], counts["popped"], counts["depth"]), (batches, batches, 0))
            self.assertEqual(counts["high_water"], 1)
            self.assertEqual(counts["bytes"], 0)

    def test_all_that_is_counted_is_what_it_would_be_one_by_one(self):
        rows = Plain(4 * BATCHES)
        found = self.check(sluice.wrap(loader(rows)), 2, BATCHES - APART + BATCHES - 1)
        self.assertEqual(found, support.epochs(loader(rows)))

    def test_an_epoch_has_all_of_its_batches(self):
        measured = sluice.wrap(loader(Plain(4 * BATCHES)))
        with quick():
            support.epochs(measured, 2)
        ended = read(measured).ended
        self.assertEqual((ended["ended"], ended["items"]), (2, BATCHES))
        self.assertLess(ended["first"], ended["took"])

    def test_an_epoch_that_is_left_early_has_those_that_the_loop_got(self):
        measured = sluice.wrap(loader(Plain(4 * BATCHES)))
        with quick() as counted:
            for _ in zip(range(APART + 9), measured):
                pass
            self.assertEqual(sum(counted), 9)
        seen = read(measured)
        self.assertEqual((seen.consumer["items"], seen.ended["items"]), (APART + 9, APART + 9))

    def test_times_are_those_of_the_loop(self):
        """Of rows that take 2 ms and steps of 10 ms."""
        clock = [support.time.monotonic_ns()]

        class Slow(Plain):
            def __getitem__(self, index):
                clock[0] += 2_000_000 if index >= 4 * APART else 0
                return super().__getitem__(index)

        measured = sluice.wrap(loader(Slow(4 * APART + 40), shuffle=False))
        with quick() as counted, self.time_is(clock):
            for number, _ in enumerate(measured):
                if number == APART - 1:
                    before = read(measured)
                if number >= APART:
                    clock[0] += 10_000_000
            self.assertEqual(sum(counted), 10)
        seen = read(measured)
        self.assertEqual(seen.ops["fetch"]["busy"] - before.ops["fetch"]["busy"], 10 * 8_000_000)
        steps, waits = (seen.consumer[key] - before.consumer[key] for key in ("busy", "starved"))
        self.assertEqual((steps, waits), (10 * 10_000_000, 10 * 8_000_000))

    @staticmethod
    @contextlib.contextmanager
    def time_is(clock):
        """For all that is measured."""
        with contextlib.ExitStack() as patches:
            for name, module in list(sys.modules.items()):
                if name.startswith("sluice._torch.") and hasattr(module, "monotonic_ns"):
                    patches.enter_context(mock.patch.object(module, "monotonic_ns", lambda: clock[0]))
            yield

    def test_batches_of_a_loop_that_is_not_quick_are_told_of_one_by_one(self):
        measured = sluice.wrap(loader(Plain(4 * BATCHES)))
        with quick() as counted, mock.patch.object(together, "QUICK_NS", 0):
            epoch(measured)
            self.assertEqual(sum(counted), 0)

    def test_rows_that_are_timed_one_by_one_still_are(self):
        measured = sluice.wrap(loader(Plain(4 * BATCHES)))
        with quick(), mock.patch.object(together, "FEW", 2), mock.patch("sluice._torch.meter.CHEAP_NS", 0):
            epoch(measured)
        self.check_counts(read(measured), BATCHES)

    def test_a_stream_is_counted_as_well(self):
        measured = sluice.wrap(loader(support.Stream(4 * BATCHES)))
        with quick() as counted:
            epoch(measured)
            self.assertGreater(sum(counted), 0)
        seen = read(measured)
        self.assertEqual(seen.ops["sample"]["items"], 4 * BATCHES)
        self.assertEqual((seen.ops["fetch"]["items"], seen.consumer["rows"]), (BATCHES, 4 * BATCHES))


class Rows(unittest.TestCase):
    """What is done for each row is not done for ever."""

    def test_of_a_row_that_is_known_no_outline_is_made(self):
        with mock.patch("sluice._torch.sameness.outline", return_value=1) as outline, self.all_dear():
            support.epochs(sluice.wrap(loader(Plain(40))), 3)
        self.assertEqual(outline.call_count, 40)

    def test_beyond_a_few_outlines_may_not_cost_much(self):
        with mock.patch("sluice._torch.looks.Looks.afford_one", lambda looks: False):
            measured = sluice.wrap(loader(Plain(1000)))
            with self.all_dear():
                epoch(measured)
        self.assertEqual(len(probe_of(measured).holds.rows.outlines), sameness.FEW)

    def test_rows_are_timed_one_by_one_until_they_are_known_to_be_cheap_and_while_they_are_dear(self):
        measured = sluice.wrap(loader(Plain(100)))
        clocked = []
        with mock.patch.object(meter.SampleClock, "__init__", self.noting(clocked)):
            with mock.patch("sluice._torch.meter.CHEAP_NS", 10**12):
                epoch(measured)
                self.assertEqual(len(clocked), 1)
                epoch(measured)
                self.assertEqual(len(clocked), 1, "cheap")
            with self.all_dear():
                epoch(measured)
                self.assertEqual(len(clocked), 1, "cheap as far as anybody knows")
                support.epochs(measured, 2)
                self.assertEqual(len(clocked), 3, "dear")
        self.assertEqual(read(measured).ops["sample"]["items"], 500)

    def test_of_another_data_set_nothing_is_known(self):
        clocked = []
        with mock.patch("sluice._torch.meter.CHEAP_NS", 10**12):
            measured = sluice.wrap(loader(Plain(100), shuffle=False))
            epoch(measured)
            probe = probe_of(measured)
            del measured
            measured = sluice.wrap(support.DataLoader(Plain(100), batch_size=4))
            with mock.patch.object(meter.SampleClock, "__init__", self.noting(clocked)):
                epoch(measured)
        self.assertIs(probe_of(measured), probe)
        self.assertEqual(len(clocked), 1)

    @staticmethod
    def all_dear():
        return mock.patch("sluice._torch.meter.CHEAP_NS", 0)

    @staticmethod
    def noting(clocked):
        begin = meter.SampleClock.__init__

        def init(self, *arguments):
            clocked.append(self)
            begin(self, *arguments)

        return init


class Exceptions(unittest.TestCase):
    def test_the_error_of_a_row_comes_as_it_is_and_what_was_before_it_counts(self):
        measured = sluice.wrap(loader(Failing(1000), shuffle=False))
        with quick() as counted, self.assertRaisesRegex(ValueError, "row 600"):
            epoch(measured)
        self.assertEqual(sum(counted), 150 - APART)
        self.assertEqual(read(measured).consumer["items"], 150)

    def test_who_wants_to_know_of_each_batch_does(self):
        measured = sluice.wrap(loader(Plain(4 * BATCHES)))
        with quick() as counted, mock.patch.object(together, "TOLD_APART_NS", 0):
            for number, _ in enumerate(measured):
                if number == APART + 5:
                    probe_of(measured).segment._trace_until.value = 2**62
            self.assertEqual(sum(counted), 6)
        self.assertEqual(read(measured).consumer["items"], BATCHES)

    def test_an_older_library_is_told_of_each(self):
        with mock.patch.object(_segment._library.library(), "sluice_lacks", {"sluice_worker_did"}), quick() as counted:
            measured = sluice.wrap(loader(Plain(4 * BATCHES)))
            epoch(measured)
            self.assertEqual(sum(counted), 0)
        self.assertEqual(read(measured).consumer["items"], BATCHES)

    def test_a_draw_among_them_is_seen(self):
        measured = sluice.wrap(loader(DrawsOnce(1000), shuffle=False))
        with quick() as counted:
            epoch(measured)
            self.assertGreater(sum(counted), 100)
        self.assertEqual(read(measured).knobs["fetch.workers"]["held"], _segment.HELD_RANDOM_DRAWS)

    def held_after_looking_away(self, measured):
        """Where looks are taken at all batches that are not told of together, of which one comes between them."""
        with quick() as counted, mock.patch("sluice._torch.looks.Looks.afford_one", lambda looks: True):
            for number, _ in enumerate(measured):
                if number == APART + 9:
                    (iteration,) = probe_of(measured).iterations
                    iteration.together.look_at = 0
            self.assertGreater(sum(counted), 9)
        return read(measured).knobs["fetch.workers"]["held"]

    def test_what_a_row_changes_in_a_library_meanwhile_is_not_laid_to_the_loop(self):
        library = types.ModuleType("a_library")
        exec("class Counter:\n  n = 0\n  def add(self):\n    self.n += 1", library.__dict__)
        library.Counter.__module__ = "torch.a_library"

        class Counting(Plain):
            def __init__(self, count):
                super().__init__(count)
                self.counter = library.Counter()

            def __getitem__(self, index):
                self.counter.add()
                return super().__getitem__(index)

        measured = sluice.wrap(loader(Counting(4 * BATCHES)))
        self.assertEqual(self.held_after_looking_away(measured), _segment.NOT_HELD)

    def test_what_a_sampler_changes_meanwhile_is_not_laid_to_the_loop(self):
        class Steps(support.torch.utils.data.Sampler):
            def __init__(self):
                self.place = 0

            def __iter__(self):
                self.place = 0
                while self.place < 4 * BATCHES:
                    yield self.place
                    self.place += 1

            def __len__(self):
                return 4 * BATCHES

        measured = sluice.wrap(loader(Plain(4 * BATCHES), shuffle=False, sampler=Steps()))
        self.assertEqual(self.held_after_looking_away(measured), _segment.NOT_HELD)


if __name__ == "__main__":
    unittest.main()
