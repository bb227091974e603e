"""Rows that come out of a worker otherwise than out of the trainer, and how that is noticed."""
import collections
import os
import string
import subprocess
import sys
import time
import unittest
from unittest import mock

import numpy
import support
import torch
from support import Plain, epochs, loader, no_children, probe_of, read, request, until
from torch.utils.data import DataLoader

import sluice
from sluice import _segment
from sluice._torch import holds, patches, sameness


class OtherRows(Plain):
    """What a worker makes of them is something else."""

    def __init__(self, by=1e-6, base=0):
        super().__init__(96)
        self.process, self.by, self.base = os.getpid(), by, base

    def __getitem__(self, index):
        return super().__getitem__(index) + self.base + (0 if os.getpid() == self.process else self.by)


class AtOnce(OtherRows):
    """Several rows are made by one call."""

    def __getitems__(self, indices):
        return [self[index] for index in indices]


class OfLibrary(OtherRows):
    """An object of a library's changes as rows are made, which is its own concern."""

    def __init__(self):
        super().__init__()
        self.part = string.Template("")

    def __getitem__(self, index):
        self.part.newest = index
        return super().__getitem__(index)


class NewRows(Plain):
    """What is made of them is never the same, unless it is `fixed`."""

    def __init__(self, fixed=False):
        super().__init__(96)
        self.fixed = fixed

    def __getitem__(self, index):
        return torch.tensor([index * self.fixed if self.fixed else time.monotonic()], dtype=torch.float64)


def more(measured):
    return lambda number: request(measured, workers=4)


def state_of(measured):
    knob = read(measured).knobs["fetch.workers"]
    return knob["held"], knob["applied"]


SUMS = """
import sys
sys.path.insert(0, sys.argv[1])
from support import *
import sluice

class Sums(Plain):
    numbers = torch.arange(300_000).float().sin()

    def __getitem__(self, index):
        return ((self.numbers + index).sin().sum() * 1.1).view(1)

torch.set_num_threads(2)
bare = epochs(loader(Sums(), num_workers=0), 3)
measured = sluice.wrap(loader(Sums(), num_workers=0))
assert epochs(measured, 3, lambda number: request(measured, workers=2)) == bare
print(read(measured).knobs["fetch.workers"])
"""
# What is made when the script is imported is made anew in a worker that is not forked.
IMPORTED = """
import sys
sys.path.insert(0, sys.argv[1])
import support
from support import *
import sluice

DRAWN = numpy.random.default_rng().random()

class Drawn(Plain):
    def __getitem__(self, index):
        return torch.tensor([DRAWN + index])

if __name__ == "__main__":
    support.multiprocessing.set_start_method(sys.argv[2], force=True)
    bare = epochs(loader(Drawn(), num_workers=0), 3)
    measured = sluice.wrap(loader(Drawn(), num_workers=0))
    assert epochs(measured, 3, lambda number: request(measured, workers=2)) == bare
    print(read(measured).knobs["fetch.workers"])
"""


class Rows(unittest.TestCase):
    def test_rows_that_a_worker_makes_otherwise_are_the_trainers(self):
        rows = OtherRows()
        bare = epochs(loader(rows, num_workers=0), 3)
        measured = sluice.wrap(loader(rows, num_workers=0))
        ask, states = more(measured), set()
        found = epochs(measured, 3, lambda number: (ask(number), states.add(state_of(measured))))
        self.assertEqual(found, bare)
        self.assertEqual({state for state in states if state[0] == _segment.HELD_UNFIT}, {(_segment.HELD_UNFIT, 0)})
        told = [event for event in read(measured).events() if "a worker makes other rows" in event]
        self.assertEqual(len(told), 1, read(measured).events())
        self.assertTrue(no_children())

    def test_so_are_rows_that_are_made_several_at_a_time_and_such_of_libraries(self):
        for rows, options in ((AtOnce(), {}), (OtherRows(), {"batch_size": None}), (OfLibrary(), {})):
            with self.subTest(of=type(rows).__name__):
                bare = epochs(loader(rows, num_workers=0, shuffle=False, **options), 3)
                measured = sluice.wrap(loader(rows, num_workers=0, shuffle=False, **options))
                self.assertEqual(epochs(measured, 3, more(measured)), bare)
                self.assertEqual(state_of(measured), (_segment.HELD_UNFIT, 0))

    def run_script(self, text, *arguments):
        here = os.path.dirname(__file__)
        done = support.run_python(text, inject=False, script_arguments=[here, *arguments])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"'held': {_segment.HELD_UNFIT}", done.stdout)

    def test_so_are_sums_that_threads_split(self):
        self.run_script(SUMS)

    def test_so_is_what_a_worker_makes_anew_when_it_imports_the_script(self):
        for method in ("spawn", "forkserver"):
            with self.subTest(method=method):
                self.run_script(IMPORTED, method)

    def test_but_for_level_free(self):
        with mock.patch.dict(os.environ, SLUICE_REPRO="free"):
            measured = sluice.wrap(loader(OtherRows(), num_workers=0))
            epochs(measured, 3, more(measured))
        self.assertEqual(state_of(measured), (_segment.NOT_HELD, 4))

    def compared(self, measured, count=2):
        """How often batches were, in some epochs."""
        with mock.patch.object(sameness, "differ", wraps=sameness.differ) as calls:
            epochs(measured, count, more(measured))
        return sum(torch.is_tensor(call.args[0]) for call in calls.call_args_list)

    def test_rows_that_are_never_the_same_get_workers(self):
        measured = sluice.wrap(loader(NewRows(), num_workers=0))
        self.assertEqual(self.compared(measured, 3), 2 * holds.COMPARISONS)
        self.assertEqual(state_of(measured), (_segment.NOT_HELD, 4))

    def test_rows_that_depend_on_the_epoch_are_in_no_doubt(self):
        rows = NewRows(fixed=True)
        measured = sluice.wrap(loader(rows, num_workers=0))
        found = []
        for number in range(3):
            rows.fixed = number + 1
            found.append(self.compared(measured, 1))
        self.assertEqual(found, [0, 0, 0])
        self.assertEqual(state_of(measured), (_segment.NOT_HELD, 4))

    def made_anew(self, measured, rows):
        probe, left = probe_of(measured), patches._left
        del measured
        until(lambda: left, "the loader's end")
        measured = sluice.wrap(DataLoader(rows, batch_size=4))
        iter(measured)
        self.assertIs(probe_of(measured), probe)
        return measured

    def test_what_was_known_of_another_data_set_is_forgotten(self):
        known = [sluice.wrap(loader(OtherRows(by=0), num_workers=0, shuffle=False))]
        self.assertEqual(self.compared(known[0]), 0)
        for rows, times in ((OtherRows(by=0, base=1), 0), (OtherRows(base=2), 2)):
            known.append(self.made_anew(known.pop(), rows))
            self.assertEqual(self.compared(known[0]), times)
            self.assertEqual(epochs(known[0], 1), epochs(DataLoader(rows, batch_size=4), 1))

    def test_so_is_a_doubt_about_it(self):
        known = [sluice.wrap(loader(NewRows(), num_workers=0, shuffle=False))]
        self.assertGreater(self.compared(known[0]), 0)
        known.append(self.made_anew(known.pop(), NewRows(fixed=True)))
        self.assertEqual(self.compared(known[0]), 0)

    def test_workers_of_the_script_are_not_asked(self):
        measured = sluice.wrap(loader(Plain(96), num_workers=1))
        iter(measured)
        self.assertNotIn("other rows", read(measured).ops)


class Pair:
    def __init__(self, left, right=0):
        self.left, self.right = left, right


class Bare:
    __slots__ = ()


Named = collections.namedtuple("Named", "x y")
NAN = float("nan")


def outlines():
    known = sameness.KnownRows()
    rows = (torch.tensor([1.5, NAN]), numpy.array([2, NAN]), {"x": "text", "y": (b"b", None, 1.5)}, Pair(1))
    for number, row in enumerate(rows):
        known.keep(number, row)
    return known.outlines


class Sameness(unittest.TestCase):
    def test_what_is_the_same(self):
        for make in (
            lambda: torch.tensor([1.0, NAN]),
            lambda: torch.tensor(3),
            lambda: torch.tensor([True]),
            lambda: torch.ones(4, 4).t()[1:],
            lambda: torch.ones(2, dtype=torch.bfloat16, requires_grad=True),
            lambda: torch.eye(3).to_sparse(),
            lambda: numpy.array([1.0, NAN]),
            lambda: numpy.float32(2),
            lambda: {"x": [torch.ones(2), "text", None, (1.5, NAN)], "y": b"bytes"},
            lambda: Pair(torch.ones(2), Pair(3)),
            lambda: Named(1, torch.ones(1)),
            Bare,
            object,
        ):
            with self.subTest(of=make()):
                self.assertFalse(sameness.differ(make(), make()))

    def test_what_differs(self):
        for one, other in (
            (torch.tensor([1.0]), torch.tensor([1.0 + 2**-23])),
            (torch.tensor([0.0]), torch.tensor([-0.0])),
            (torch.tensor([0]), torch.tensor([0.0])),
            (torch.ones(2, 3), torch.ones(3, 2)),
            (torch.tensor(3), torch.tensor(4)),
            (torch.ones(4, 4).t()[1:], torch.zeros(4, 4).t()[1:]),
            (torch.ones(2, requires_grad=True), torch.zeros(2, requires_grad=True)),
            (numpy.zeros(2), numpy.zeros(2, dtype="float32")),
            (numpy.zeros((2, 3)), numpy.zeros((3, 2))),
            (numpy.zeros(2), numpy.array([0.0, -0.0])),
            (1.0, 1),
            (1, 2),
            ("a", "b"),
            ([1], [1, 2]),
            ([1], (1,)),
            ({"x": 1}, {"y": 1}),
            ({"x": 1, "y": 2}, {"y": 2, "x": 1}),
            ({"x": 1}, {"x": 2}),
            (Pair(1), Pair(2)),
            (Pair(1, [Pair({"x": (1, 2)})]), Pair(1, [Pair({"x": (1, 3)})])),
            (Named(1, 2), Named(1, 3)),
        ):
            with self.subTest(of=(one, other)):
                self.assertTrue(sameness.differ(one, other))

    def test_what_holds_itself_is_compared_to_an_end(self):
        one, other = Pair(1), Pair(1)
        one.left = one.right = one
        other.left = other.right = other
        self.assertFalse(sameness.differ(one, other))


    def test_outlines_are_the_same_in_all_processes(self):
        code = f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r}); import sameness_test as t; print(t.outlines())"
        for seed in "12":
            environment = dict(os.environ, PYTHONHASHSEED=seed, PYTHONDONTWRITEBYTECODE="1")
            done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=environment, stdout=subprocess.PIPE)
            self.assertEqual(done.stdout.decode(), f"{outlines()}\n")

    def test_outlines_are_kept_of_some_rows(self):
        with mock.patch.object(sameness, "KEPT", 3):
            known = sameness.KnownRows()
            for index in (1, [2], 3, 4, 5):
                known.keep(index, index)
        self.assertEqual(list(known.outlines), [1, 3, 4])

    def test_rows_that_nobody_knows_cost_nothing(self):
        with mock.patch.object(sameness, "outline") as made:
            sameness.RowCheck(sameness.KnownRows(), self.fail).look(1, 1)
        self.assertEqual(made.call_count, 0)

    def test_nothing_makes_a_fetch_fail(self):
        class Odd:
            def __hash__(self):
                raise RuntimeError

        class Unprintable:
            def __repr__(self):
                raise RuntimeError

        known = sameness.KnownRows()
        check = sameness.RowCheck(known, self.fail)
        for index, row in ((Odd(), 1), ([], 1), (1, {Unprintable(): 1}), (2, torch.eye(3).to_sparse())):
            known.keep(index, row)
            check.look(index, row)

    def test_a_worker_looks_at_some_of_them_and_tells_once(self):
        known, told = sameness.KnownRows(), []
        for index in range(100):
            known.keep(index, index)
        check = sameness.RowCheck(known, lambda: told.append(1))
        for index, row in [(200, 0), ([], 0), *((index, index) for index in range(sameness.LOOKS - 2)), (98, 0), (99, 0)]:
            check.look(index, row)
        self.assertEqual(told, [1])
        check = sameness.RowCheck(known, lambda: told.append(2))
        for index in range(sameness.LOOKS):
            check.look(index, index)
        check.look(98, 0)
        self.assertEqual(told, [1])


if __name__ == "__main__":
    unittest.main()
