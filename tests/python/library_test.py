"""The library over ctypes, and loops that use no DataLoader."""
import os
import re
import unittest
from unittest import mock

import support

import sluice
from sluice import _library, _segment


def described():
    description = _segment.Description("library_test")
    op = description.op("read", "source")
    connector = description.connector("read->consumer", op, _segment.CONSUMER, 4)
    knob = description.knob("read.workers", _segment.KNOB_WORKERS, op, 1, 8, 1)
    return description.create(), op, connector, knob


class Library(unittest.TestCase):
    def test_every_function_of_the_header_is_declared(self):
        header = (support.ROOT / "capi" / "include" / "sluice.h").read_text()
        functions = {word.split("(")[0] for word in header.split() if word.startswith("sluice_") and "(" in word}
        functions = {name for name in functions if f"{name}(" in header}
        self.assertEqual(functions - set(_library._FUNCTIONS), set())

    def test_the_abi_is_the_headers_or_one_that_it_only_adds_to(self):
        header = (support.ROOT / "capi" / "include" / "sluice.h").read_text()
        there = int(re.search(r"#define SLUICE_ABI_VERSION (\d+)u", header).group(1))
        self.assertEqual(there // 1000, _library.ABI_VERSION // 1000)
        self.assertLessEqual(_library.ABI_VERSION, there)

    def test_a_library_that_lacks_what_was_added_later_is_used_without_it(self):
        class Older:
            """As the first release of this ABI was."""

            def __getattr__(self, name):
                if name in _library._ADDED:
                    raise AttributeError(name)
                return mock.Mock()

        library = _library.declare(Older(), Older())
        self.assertEqual([getattr(library, name)(None) for name in _library._ADDED], [0] * len(_library._ADDED))

    def test_another_abi_is_refused_with_a_reason(self):
        with mock.patch.object(_library, "ABI_VERSION", 2000):
            with self.assertRaisesRegex(_library.LibraryError, "2000 is wanted"):
                _library.load()

    def test_a_closed_segment_takes_every_call(self):
        segment, op, connector, knob = described()
        worker = segment.add_worker(op)
        segment.close()
        segment.worker_enter(worker, _segment.BUSY, 1)
        segment.push(connector, 1, 1, 1)
        segment.knob_apply(knob, 2)
        self.assertEqual(segment.knob_serial, 0)
        self.assertEqual(segment.knob_requested(knob), 0)

    def test_a_request_wakes_who_waits(self):
        segment, _, _, knob = described()
        other = _segment.attach(segment.path)
        self.assertEqual(segment.knob_wait(0, 1000), 0)
        other.knob_request(knob, 5)
        self.assertEqual(segment.knob_wait(0, 60_000_000_000), 1)
        self.assertEqual(segment.knob_requested(knob), 5)

    def test_what_is_refused_says_why(self):
        description = _segment.Description("x")
        with self.assertRaisesRegex(_segment.SegmentError, "no op 3"):
            description.part("y", 3)


class Measure(unittest.TestCase):
    def read(self, measured):
        return support.Reading(measured._meter._segment.path)

    def test_an_iterable_gives_its_items_and_is_counted(self):
        measured = sluice.measure([1, 2, 3], name="numbers")
        self.assertEqual([list(measured), list(measured), len(measured)], [[1, 2, 3], [1, 2, 3], 3])
        seen = self.read(measured)
        self.assertEqual(seen.consumer["items"], 6)
        self.assertEqual(seen.ops["numbers"]["items"], 6)
        self.assertTrue(seen.program.endswith(": numbers"))

    def test_the_wait_is_the_sources_and_the_step_the_loops(self):
        def slow():
            for i in range(3):
                support.time.sleep(0.01)
                yield i

        measured = sluice.measure(slow())
        for _ in measured:
            support.time.sleep(0.005)
        consumer = self.read(measured).consumer
        self.assertGreaterEqual(consumer["starved"], 30_000_000)
        self.assertGreaterEqual(consumer["busy"], 15_000_000)

    def test_a_context_ends_the_measuring(self):
        with sluice.measure(range(3)) as measured:
            self.assertEqual(list(measured), [0, 1, 2])
            path = measured._meter._segment.path
            self.assertTrue(os.path.exists(path))
        self.assertFalse(os.path.exists(path))

    def test_a_context_left_in_the_middle_leaves_the_loop_going(self):
        with sluice.measure(range(3)) as measured:
            iterator = iter(measured)
            next(iterator)
        self.assertEqual(list(iterator), [1, 2])

    def test_a_decorator_measures_what_the_function_returns(self):
        @sluice.measure
        def batches(count):
            yield from range(count)

        @sluice.measure(name="named")
        def others():
            return [7]

        self.assertEqual(list(batches(4)), [0, 1, 2, 3])
        self.assertEqual(list(others()), [7])
        self.assertEqual(batches.__name__, "batches")

    def test_exceptions_are_the_sources(self):
        def broken():
            yield 1
            raise ValueError("no more")

        with self.assertRaisesRegex(ValueError, "no more"):
            list(sluice.measure(broken()))

    def test_disabled_measures_nothing(self):
        with mock.patch.dict(os.environ, {"SLUICE_DISABLE": "1"}):
            measured = sluice.measure([1, 2])
            self.assertEqual(list(measured), [1, 2])
            self.assertIsNone(measured._meter)


class Threads(unittest.TestCase):
    """`--tune-threads`: a worker's libraries keep to its share of the cores."""

    COUNT = """
import ctypes, torch
from torch.utils.data import DataLoader, Dataset
omp = next(line.split()[5] for line in open("/proc/self/maps") if "libgomp" in line)
class Counts(Dataset):
    def __len__(self): return 2
    def __getitem__(self, index): return ctypes.CDLL(omp).omp_get_max_threads()
def eight(worker): ctypes.CDLL(omp).omp_set_num_threads(8)
if __name__ == "__main__":
    print(max(int(n) for batch in DataLoader(Counts(), num_workers=2, worker_init_fn=eight) for n in batch))
"""

    def test_new_workers_get_their_share(self):
        done = support.run_python(self.COUNT, SLUICE_TUNE_THREADS="1")
        share = max(len(os.sched_getaffinity(0)) // 2, 1)
        self.assertEqual(done.stdout.strip(), str(share), done.stderr)

    def test_they_are_left_alone_unless_asked(self):
        for environment in ({}, {"SLUICE_TUNE_THREADS": "1", "SLUICE_ADVISE": "1"}):
            done = support.run_python(self.COUNT, **environment)
            self.assertEqual(done.stdout.strip(), "8", done.stderr)


if __name__ == "__main__":
    unittest.main()
