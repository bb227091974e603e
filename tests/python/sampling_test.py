"""Samplers that go by what the training loop changes meanwhile, and such that have drawn their epoch before."""
import os
import types
import unittest
from collections import deque
from statistics import fmean
from unittest import mock

import numpy
import support  # noqa: F401 - makes sluice importable
import torch
from support import Plain, epoch, loader, read, request
from torch.utils.data import BatchSampler, RandomSampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler

import sluice
from sluice import _segment
from sluice._torch import sampling

ROWS = 48


class Kept:
    """Keeps what the loop changes."""

    def __init__(self, kept=None):
        self.kept = [0] * ROWS if kept is None else kept

    def __len__(self):
        return ROWS

    def change(self, row):
        self.kept[row] = self.kept[row] + 7


class Greatest(Kept):
    def __iter__(self):
        left = set(range(ROWS))
        while left:
            yield self.take(left)

    def take(self, left):
        row = max(left, key=lambda row: (self.kept[row], -row))
        left.remove(row)
        return row


class Aliased(Kept):
    def __iter__(self):
        kept = self.kept
        for row in range(ROWS):
            yield int(kept[row]) % ROWS


class OfGenerator(Kept):
    def __iter__(self):
        return self.rows()

    def rows(self):
        for row in range(ROWS):
            yield int(self.kept[row]) % ROWS


class ByNext(Kept):
    def __iter__(self):
        return Place(self)


class Place:
    def __init__(self, sampler):
        self.sampler, self.row = sampler, -1

    def __iter__(self):
        return self

    def __next__(self):
        self.row += 1
        if self.row == ROWS:
            raise StopIteration
        return int(self.sampler.kept[self.row]) % ROWS


class Live(Kept):
    def __iter__(self):
        return iter(self.kept)


class Mapped(Kept):
    def __iter__(self):
        return map(self.of, range(ROWS))

    def of(self, row):
        return int(self.kept[row]) % ROWS


class Expressed(Kept):
    def __iter__(self):
        return (int(self.kept[row]) % ROWS for row in range(ROWS))


class ByProperty(Kept):
    @property
    def size(self):
        return sum(self.kept)

    def __iter__(self):
        for row in range(ROWS):
            yield (row + self.size) % ROWS


class Global(Kept):
    def __iter__(self):
        for row in range(ROWS):
            yield (row + sum(COUNTS)) % ROWS

    def change(self, row):
        COUNTS[row] += 7


class OfFunction(Global):
    def __iter__(self):
        return rows_of_counts()


class OfNumber(Kept):
    def __iter__(self):
        for row in range(ROWS):
            yield (row + shift) % ROWS

    def change(self, row):
        global shift
        shift += 1


class Inside(Kept):
    """Of another object."""

    def __init__(self):
        super().__init__()
        self.greatest = Greatest()
        self.change = self.greatest.change

    def __iter__(self):
        yield from self.greatest


class OfModel(Kept):
    def __init__(self):
        super().__init__()
        self.model = torch.nn.Linear(1, 1, bias=False)
        torch.nn.init.zeros_(self.model.weight)

    def __iter__(self):
        for row in range(ROWS):
            yield (row + int(self.model(torch.ones(1)))) % ROWS

    def change(self, row):
        with torch.no_grad():
            self.model.weight += 1


class InSlots:
    __slots__ = ("kept",)

    def __init__(self):
        self.kept = 0

    def __len__(self):
        return ROWS

    def __iter__(self):
        for row in range(ROWS):
            yield (row + self.kept) % ROWS

    def change(self, row):
        self.kept += 1


class SetLater(Kept):
    """By the loop, where its class has one for all."""

    shift = 0

    def __iter__(self):
        for row in range(ROWS):
            yield (row + self.shift) % ROWS

    def change(self, row):
        self.shift = row


COUNTS = [0] * ROWS
shift = 0


def rows_of_counts():
    for row in range(ROWS):
        yield (row + sum(COUNTS)) % ROWS


class Captured(Kept):
    def __iter__(self):
        kept = self.kept

        def of(row):
            return int(kept[row]) % ROWS

        for row in range(ROWS):
            yield of(row)


class Buckets(Kept):
    def __init__(self):
        super().__init__([[], [], []])

    def __iter__(self):
        for row in range(ROWS):
            yield (row + len(self.kept[row % 3])) % ROWS

    def change(self, row):
        self.kept[row % 3].append(row)


class OfClass(Kept):
    shift = 0

    def __iter__(self):
        for row in range(ROWS):
            yield self.of(row)

    @classmethod
    def of(cls, row):
        return (row + cls.shift) % ROWS

    def change(self, row):
        OfClass.shift += 1


class OfModule(Kept):
    def __iter__(self):
        for row in range(ROWS):
            yield (row + settings.shift) % ROWS

    def change(self, row):
        settings.shift += 1


settings = types.ModuleType("settings")
settings.__file__ = __file__


class AtOnce(Kept):
    """Draws its epoch before it yields."""

    def __iter__(self):
        order = numpy.argsort(-numpy.asarray(self.kept), kind="stable")
        return iter(order.tolist())


class OfLibrary(Kept):
    def __iter__(self):
        for row in range(ROWS):
            yield fmean([row])


class AtOnceYielding(Kept):
    def __iter__(self):
        order = sorted(range(ROWS), key=self.kept.__getitem__)
        for row in order:
            yield row


class Weighted(Kept):
    def __init__(self):
        super().__init__()
        self.sampler = WeightedRandomSampler(torch.ones(ROWS), ROWS, generator=torch.Generator().manual_seed(1))

    def change(self, row):
        self.sampler.weights[row] += 1


FOLLOWING = (
    Greatest,
    lambda: Greatest(numpy.zeros(40 * ROWS)),
    lambda: Greatest(torch.zeros(ROWS)),
    lambda: Greatest(dict.fromkeys(range(ROWS), 0)),
    lambda: Live(deque(range(ROWS))),
    Aliased,
    OfGenerator,
    ByNext,
    Mapped,
    Expressed,
    ByProperty,
    Global,
    OfFunction,
    OfNumber,
    Inside,
    InSlots,
    SetLater,
    OfModel,
    Captured,
    Buckets,
    OfClass,
    OfModule,
)


def run(sampler, workers, knobs, **options):
    """Three epochs' hashes, and the knob of workers where knobs turn; the loop changes something after each batch."""
    global shift
    COUNTS[:] = [0] * ROWS
    shift = 0
    OfClass.shift = settings.shift = 0
    batches = loader(Plain(ROWS), shuffle=False, num_workers=workers, sampler=getattr(sampler, "sampler", sampler), **options)
    batches = sluice.wrap(batches) if knobs else batches

    def between(number):
        sampler.change(ROWS - 1 - (5 * number) % ROWS)
        if knobs:
            request(batches, workers=3, capacity=9)

    found = [epoch(batches, between) for _ in range(3)]
    return found, read(batches).knobs["fetch.workers"] if knobs else None


class Samplers(unittest.TestCase):
    def test_one_that_goes_by_the_loop_is_drawn_as_in_the_bare_run(self):
        for make in FOLLOWING:
            for workers in (0, 1):
                with self.subTest(of=type(make()).__name__, kept=type(getattr(make(), "kept", None)).__name__, workers=workers):
                    found, knob = run(make(), workers, knobs=True)
                    self.assertEqual(found, run(make(), workers, knobs=False)[0])
                    self.assertEqual((knob["held"], knob["applied"]), (_segment.HELD_ORDER, workers))

    def test_one_that_draws_its_epoch_before_gets_workers(self):
        for make in (AtOnce, AtOnceYielding, Weighted):
            with self.subTest(of=make.__name__):
                found, knob = run(make(), 1, knobs=True)
                self.assertEqual(found, run(make(), 1, knobs=False)[0])
                self.assertEqual((knob["held"], knob["applied"]), (_segment.NOT_HELD, 3))

    def test_a_batch_sampler_whose_size_changes_is_drawn_as_in_the_bare_run(self):
        def sizes(knobs):
            batches = loader(Plain(96), shuffle=False, num_workers=1)
            batches = sluice.wrap(batches) if knobs else batches

            def between(number):
                batches.batch_sampler.batch_size = 2 + number % 5
                if knobs:
                    request(batches, workers=3, capacity=9)

            return [epoch(batches, between) for _ in range(2)]

        self.assertEqual(sizes(True), sizes(False))

    def test_code_of_libraries_is_not_looked_through(self):
        asked = sampling._asked_by(OfLibrary)
        self.assertEqual([sorted(one.globals) for one in asked], [["fmean"]])

    def test_little_is_compared_of_samplers_of_pytorch(self):
        """There are two looks per batch, and modules have thousands of members."""
        batches = loader(Plain(ROWS), num_workers=1)
        view = sampling.View({"sampler": batches.sampler, "batch_sampler": batches.batch_sampler}, apart=batches.dataset)
        known = "sampler batch_sampler sampler._num_samples sampler.generator batch_sampler.batch_size".split()
        self.assertLessEqual(view.look().keys(), set(known))

    def test_what_stays_as_it_is_is_looked_through_once(self):
        """Also what changes that no sampler goes by."""
        for sampler in (None, Weighted().sampler, AtOnceYielding(), Greatest()):
            with self.subTest(of=type(sampler).__name__):
                batches = sluice.wrap(loader(Plain(ROWS), shuffle=False, num_workers=1, sampler=sampler))
                looked = mock.patch.object(sampling.View, "look", autospec=True, side_effect=sampling.View.look)
                with looked as looks:
                    epoch(batches, lambda number, of=sampler: setattr(of, "others", number) if of is not None else None)
                self.assertEqual(looks.call_count, 1)

    def test_samplers_of_pytorch_get_workers(self):
        rows = Plain(ROWS)
        options = (
            {"sampler": SequentialSampler(rows)},
            {"sampler": RandomSampler(rows)},
            {"sampler": SubsetRandomSampler(range(ROWS))},
            {"batch_sampler": BatchSampler(SequentialSampler(rows), 4, drop_last=False), "batch_size": 1},
        )
        for given in options:
            with self.subTest(given=list(given.values())[0]):
                batches = sluice.wrap(loader(rows, shuffle=False, num_workers=1, **given))
                epoch(batches, lambda number: request(batches, workers=3))  # noqa: B023 - used at once
                self.assertEqual(read(batches).knobs["fetch.workers"]["applied"], 3)

    def test_rows_that_the_loop_changes_are_no_part_of_their_sampler(self):
        rows = [torch.tensor([float(row)]) for row in range(ROWS)]
        batches = sluice.wrap(loader(rows, shuffle=False, num_workers=1))

        def between(number):
            rows[number] = torch.tensor([100.0])
            request(batches, workers=3)

        epoch(batches, between)
        self.assertEqual(read(batches).knobs["fetch.workers"]["held"], _segment.HELD_CHANGES)

    def test_at_level_free_other_batches_are_accepted(self):
        with mock.patch.dict(os.environ, SLUICE_REPRO="free"):
            self.assertEqual(run(Greatest(), 1, knobs=True)[1]["applied"], 3)

    def test_the_report_says_what_the_loop_changes(self):
        sampler = Greatest()
        batches = sluice.wrap(loader(Plain(ROWS), shuffle=False, num_workers=1, sampler=sampler))
        for _ in range(2):
            epoch(batches, sampler.change)
        told = [event for event in read(batches).events() if "the training loop changes sampler.kept" in event]
        self.assertEqual(len(told), 1, read(batches).events())


if __name__ == "__main__":
    unittest.main()
