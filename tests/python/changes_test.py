"""Loaders without workers keep the trainer where their data set changes within an epoch, by its rows or by the loop."""
import argparse
import functools
import logging
import multiprocessing
import os
import sqlite3
import string
import tempfile
import types
import unittest
from unittest import mock

import numpy
import torch
from support import Plain, Stream, epochs, loader, read, request
from torch.utils.data import Subset

import sluice
from sluice import _segment
from sluice._torch import changes

SCALE = 1.0


class Rows(Plain):
    """Row i is made of i and of what there is else."""

    def __init__(self):
        super().__init__(96)
        self.factor, self.table, self.opened, self.cache = 1.0, [0.0] * 400, None, {}
        self.weights, self.array, self.step = torch.ones(3), numpy.ones(400), None
        self.transform = self.unseen = None

    def __getitem__(self, index):
        self.opened = self.opened or open("/dev/null")
        made = index * self.factor * SCALE + self.table[0]
        return self.weights[:1] * self.array[0] * made if self.step is None else torch.tensor([made])


class Counting(Rows):
    def __getitem__(self, index):
        self.cache["reads"] = self.cache.get("reads", 0) + 1
        return super().__getitem__(index)


class Caching(Rows):
    def __getitem__(self, index):
        self.cache[index] = super().__getitem__(index)
        return self.cache[index]


class Writing(Rows):
    def __init__(self, database):
        super().__init__()
        self.database = database

    def __getitem__(self, index):
        self.database.execute("insert into seen values (?)", (index,))
        return super().__getitem__(index)


LEVEL = 0
settings = types.ModuleType("settings")  # a file of the script's own, as it names it
settings.__file__, settings.level = __file__, 1


def scaled(rows, factor):
    return torch.stack(rows) * factor[0]


def rows_of(rows, kept=[]):  # noqa: B006 - as scripts have it
    kept.append(len(rows))
    return torch.stack(rows)


class Strong:
    """A transform of the user's."""

    strength = 1.0

    def __call__(self, row):
        return row * self.strength


def collate(rows):
    return torch.stack(rows) * SCALE


class Mapped(Plain):
    """Rows count in an array that is in a file."""

    def __init__(self, path, mode):
        super().__init__(96)
        self.numbers = numpy.load(path, mmap_mode=mode)

    def __getitem__(self, index):
        if self.numbers.flags.writeable:
            self.numbers[index] += 1
        return torch.tensor([index + self.numbers[index]])


class Previous(Plain):
    """Each row is mixed with the one before."""

    def __init__(self):
        super().__init__(96)
        self.before = 0.0

    def __getitem__(self, index):
        row, self.before = super().__getitem__(index) + self.before / 2, float(index)
        return row


class Numbers(Stream):
    """Keeps where it is."""

    def __iter__(self):
        for place in range(self.count):
            self.place = place
            yield torch.tensor([float(place)])


class Numbered:
    """Batches of a worker are counted."""

    def __init__(self):
        self.count = 0

    def __call__(self, rows):
        self.count += 1
        return torch.stack(rows) + self.count


class Changes(unittest.TestCase):
    def held(self, dataset, between=lambda number: None, before=lambda epoch: None, **options):
        """Why the number of workers is held in the end, and what is told of changes."""
        def step(number):
            between(number)
            request(measured, workers=3)

        measured = sluice.wrap(loader(dataset, num_workers=0, **options))
        for number in range(3):
            before(number)
            epochs(measured, 1, step)
        told = [event for event in read(measured).events() if "changes within an epoch" in event]
        return read(measured).knobs["fetch.workers"]["held"], " ".join(told)

    def check_held(self, name, dataset, *arguments, **options):
        because, told = self.held(dataset, *arguments, **options)
        self.assertEqual(because, _segment.HELD_CHANGES, name)
        self.assertIn(name + " changes", told)

    def test_what_the_loop_changes(self):
        rows = Rows()
        self.check_held("dataset.factor", rows, lambda number: setattr(rows, "factor", 1 / (number + 1)))
        rows = Rows()
        self.check_held("dataset.factor", rows, lambda number: setattr(rows, "factor", 0.5 if 2 < number < 20 else 1.0))
        rows = Rows()
        self.check_held("dataset.table[0]", rows, lambda number: rows.table.__setitem__(0, number))
        rows = Rows()
        self.check_held("dataset.weights", rows, lambda number: rows.weights.mul_(0.5))
        rows = Rows()
        self.check_held("dataset.array", rows, lambda number: rows.array.__imul__(0.5))
        rows = Rows()
        self.check_held("dataset.dataset.factor", Subset(rows, range(96)), lambda number: setattr(rows, "factor", number))

    def test_what_processes_share(self):
        for made in (multiprocessing.Value("i"), multiprocessing.RawArray("i", 4)):
            rows = Rows()
            rows.step = made

            def change(number, made=made):
                if hasattr(made, "value"):
                    made.value = number
                else:
                    made[0] = number

            self.check_held("dataset.step", rows, change)

    def test_what_rows_write_to_a_database(self):
        with sqlite3.connect(":memory:") as database:
            database.execute("create table seen (row)")
            self.check_held("dataset.database", Writing(database))

    def test_a_users_object_within_a_librarys(self):
        class Transformed(Rows):
            def __getitem__(self, index):
                row = super().__getitem__(index)
                for transform in self.transform.transforms:
                    row = transform(row)
                return row

        rows, strong = Transformed(), Strong()
        rows.transform = string.Template("")
        rows.transform.transforms = [strong]
        self.check_held("dataset.transform.transforms[0].strength", rows, lambda number: setattr(strong, "strength", number))

    def test_what_rows_change_within_a_librarys_is_its_concern(self):
        class Calling(Rows):
            def __getitem__(self, index):
                self.transform.calls = index
                return super().__getitem__(index)

        rows = Calling()
        rows.transform = string.Template("")
        rows.transform.calls = 0
        self.assertEqual(self.held(rows)[0], _segment.NOT_HELD)
        self.check_held("dataset.transform.seen", rows, lambda number: setattr(rows.transform, "seen", number))

    def test_attributes_that_rows_do_not_ask_for(self):
        rows = Rows()
        self.assertEqual(self.held(rows, lambda number: setattr(rows, "unseen", number))[0], _segment.NOT_HELD)

        class Counted(Rows):
            epochs = 0

        self.assertEqual(self.held(Counted(), lambda number: setattr(Counted, "epochs", number))[0], _segment.NOT_HELD)

        class Asking(Rows):
            def __getitem__(self, index):
                getattr(self, "un" + "seen")
                return super().__getitem__(index)

        rows = Asking()
        self.check_held("dataset.unseen", rows, lambda number: setattr(rows, "unseen", number))

    def test_a_model_of_the_users_that_is_trained(self):
        class Scorer(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = torch.nn.Linear(2, 1)

            def forward(self, row):
                return self.layer(row)

        class Scored(Plain):
            def __getitem__(self, index):
                with torch.no_grad():
                    return scorer(super().__getitem__(index))

        def step(number):
            with torch.no_grad():
                scorer.layer.weight.mul_(0.5)

        scorer = Scorer()
        self.check_held("scorer._modules['layer']._parameters['weight']", Scored(96), step)

    def test_a_model_that_is_trained(self):
        class Labelled(Rows):
            def __getitem__(self, index):
                with torch.no_grad():
                    return model(torch.full((2,), float(index)))

        def step(number):
            with torch.no_grad():
                model.weight.mul_(0.5)

        model = torch.nn.Linear(2, 1)
        self.check_held("model._parameters['weight']", Labelled(), step)

    def test_what_functions_of_the_user_see(self):
        settings = argparse.Namespace(size=1)
        table = {"size": 1}
        steps = 0

        def size():
            return settings.size + table["size"] + steps

        class Sized(Rows):
            def __getitem__(self, index):
                return super().__getitem__(index) + size()

        def change_steps(number):
            nonlocal steps
            steps = number

        self.check_held("settings.size", Sized(), lambda number: setattr(settings, "size", number))
        self.check_held("table['size']", Sized(), lambda number: table.update(size=number))
        self.check_held("steps", Sized(), change_steps)

        class Marking(Rows):
            def __getitem__(self, index):
                settings.size = index
                return super().__getitem__(index)

        self.check_held("settings.size", Marking())

    def test_what_methods_and_modules_of_the_user_see(self):
        class Indirect(Rows):
            @property
            def size(self):
                return self.doubled()

            @staticmethod
            def doubled():
                return 2 * LEVEL + settings.level

            def __getitem__(self, index):
                return super().__getitem__(index) + self.size

        def change(number):
            global LEVEL
            LEVEL = number

        self.addCleanup(change, 0)
        self.check_held("LEVEL", Indirect(), change)
        self.check_held("settings.level", Indirect(), lambda number: setattr(settings, "level", number))

    def test_what_functions_are_made_of(self):
        class Stack:
            factor = 1.0

            def rows(self, rows):
                return torch.stack(rows) * self.factor

        stack = Stack()
        self.check_held("collate_fn.factor", Plain(96), lambda number: setattr(stack, "factor", number), collate_fn=stack.rows)
        factor = [1.0]
        made = functools.partial(scaled, factor=factor)
        self.check_held("collate_fn['factor'][0]", Plain(96), lambda number: factor.__setitem__(0, number), collate_fn=made)

    def test_globals_of_the_name_of_an_attribute_are_none(self):
        def scale(number):
            global factor
            factor = number

        self.addCleanup(globals().pop, "factor", None)
        self.assertEqual(self.held(Rows(), scale)[0], _segment.NOT_HELD)

    def test_attributes_of_classes_and_functions(self):
        class Base(Rows):
            reads = 0

            def read(self):
                Base.reads += 1

        class Reading(Base):
            def __getitem__(self, index):
                self.read()
                return super().__getitem__(index)

        def counting(rows):
            counting.calls = getattr(counting, "calls", 0) + 1
            return torch.stack(rows)

        self.check_held("Base.reads", Reading())
        self.check_held("counting.calls", Plain(96), collate_fn=counting)
        self.check_held("rows_of: default 0", Plain(96), collate_fn=rows_of)

    def test_what_slots_hold(self):
        class Slotted(torch.utils.data.Dataset):
            __slots__ = ("reads", "unset")

            def __init__(self):
                self.reads = 0

            def __len__(self):
                return 96

            def __getitem__(self, index):
                self.reads += 1
                return torch.tensor([index])

        self.check_held("dataset.reads", Slotted())

    def test_what_the_process_has(self):
        class Told(Rows):
            def __getitem__(self, index):
                return super().__getitem__(index) * float(os.environ.get("ROWS_SCALE", "1"))

        self.addCleanup(os.environ.pop, "ROWS_SCALE", None)
        self.check_held("os.environ['ROWS_SCALE']", Told(), lambda number: os.environ.update(ROWS_SCALE=str(number)))
        self.assertEqual(self.held(Rows(), lambda number: os.environ.update(ROWS_SCALE=str(number)))[0], _segment.NOT_HELD)
        self.addCleanup(os.chdir, os.getcwd())
        self.check_held("the working folder", Rows(), lambda number: os.chdir(("/", "/tmp")[number % 2]))
        self.addCleanup(torch.set_default_dtype, torch.get_default_dtype())
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
        rows = Rows()
        self.check_held("dataset.factor", rows, lambda number: setattr(rows, "factor", number))
        dtypes = torch.float32, torch.float64
        self.check_held("the default dtype", Plain(96), lambda number: torch.set_default_dtype(dtypes[number % 2]))

    def test_at_level_strict_rows_that_depend_on_those_before_keep_their_workers(self):
        with mock.patch.dict(os.environ, SLUICE_REPRO="strict"):
            for rows, options in ((Previous(), {}), (Plain(96), {"collate_fn": Numbered()})):
                with self.subTest(of=type(rows).__name__):
                    measured = sluice.wrap(loader(rows, num_workers=2, **options))
                    found = epochs(measured, 3, lambda number: request(measured, workers=3))  # noqa: B023 - used at once
                    self.assertEqual(found, epochs(loader(rows, num_workers=2, **options), 3))
                    knob = read(measured).knobs["fetch.workers"]
                    self.assertEqual((knob["held"], knob["applied"]), (_segment.HELD_CHANGES, 2))
            told = [event for event in read(measured).events() if "rows change what they are made of" in event]
            self.assertEqual(len(told), 1)
            plain = sluice.wrap(loader(Plain(96), num_workers=2))
            epochs(plain, 3, lambda number: request(plain, workers=3))
            self.assertEqual(read(plain).knobs["fetch.workers"]["applied"], 3)

    def test_workers_are_not_looked_at_elsewhere(self):
        for level, rows in (("order", Previous()), ("strict", Numbers())):
            with self.subTest(level=level), mock.patch.dict(os.environ, SLUICE_REPRO=level):
                measured = sluice.wrap(loader(rows, num_workers=2))
                epochs(measured, 1)
                self.assertNotIn("changes", read(measured).ops)

    def test_globals_that_rows_and_collate_fn_name(self):
        def scale(number):
            global SCALE
            SCALE = 1 / (number + 1)

        self.addCleanup(scale, 0)
        self.check_held("SCALE", Rows(), scale)
        self.check_held("SCALE", Plain(96), scale, collate_fn=collate)

    def test_an_array_in_a_file_that_rows_write_to(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "rows.npy")
            numpy.save(path, numpy.zeros(96))
            self.check_held("dataset.numbers", Mapped(path, "r+"))
            self.assertEqual(self.held(Mapped(path, "r"))[0], _segment.NOT_HELD)

    def test_one_that_is_only_read_is_not_read_by_looks(self):
        with tempfile.TemporaryFile() as file:
            file.truncate(4096)
            numbers = numpy.memmap(file, mode="r")
            file.truncate(0)  # whoever reads it now is ended by SIGBUS
            changes.token(numbers)

    def test_what_rows_leave_behind(self):
        self.check_held("dataset.cache['reads']", Counting())
        self.check_held("dataset.cache", Caching())

    def test_what_changes_between_epochs_or_before_the_third_fetch_is_no_reason(self):
        rows = Rows()
        because, told = self.held(rows, before=lambda epoch: setattr(rows, "factor", epoch))
        self.assertEqual((because, told), (_segment.NOT_HELD, ""))
        self.assertTrue(rows.opened)

    def test_a_loop_that_begins_to_change_it_later_gets_its_trainer_back(self):
        rows, seen = Rows(), []

        def change(number):
            if seen:
                rows.factor = number

        because, _ = self.held(rows, change, lambda epoch: seen.append(epoch) if epoch == 2 else None)
        self.assertEqual(because, _segment.HELD_CHANGES)

    def test_workers_that_are_added_see_what_the_others_saw(self):
        def run(measure, persistent):
            rows = Rows()
            measured = measure(loader(rows, num_workers=1, persistent_workers=persistent))

            def step(number):
                rows.factor += 1.0
                if number > 3 and measure is sluice.wrap:
                    request(measured, workers=3)

            return epochs(measured, 3, step), measured

        for persistent in (False, True):
            with self.subTest(persistent=persistent):
                found, measured = run(sluice.wrap, persistent)
                self.assertEqual(found, run(lambda made: made, persistent)[0])
                knob = read(measured).knobs["fetch.workers"]
                self.assertEqual((knob["held"], knob["applied"]), (_segment.HELD_CHANGES, 1))
                told = [event for event in read(measured).events() if "since the workers were started" in event]
                self.assertEqual(len(told), 1)
                self.assertIn("dataset.factor has changed", told[0])

    def test_workers_that_were_added_before_leave_again(self):
        rows = Rows()
        measured = sluice.wrap(loader(rows, num_workers=1, persistent_workers=True))
        epochs(measured, 1, lambda number: number > 3 and request(measured, workers=2))
        self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 2)
        rows.factor = 0.5
        epochs(measured, 1, lambda number: number == 0 and request(measured, workers=3))
        knob = read(measured).knobs["fetch.workers"]
        self.assertEqual((knob["held"], knob["applied"]), (_segment.HELD_CHANGES, 1))

    def test_what_a_logger_notes_by_itself_is_none(self):
        log = logging.getLogger("rows")
        before = changes.StartState({"dataset": [log]})
        log.isEnabledFor(logging.DEBUG)
        self.assertTrue(log._cache)
        self.assertIsNone(before.changed())

    def test_a_large_data_set_is_not_compared_to_its_end(self):
        rows = [[[number] * 40 for _ in range(40)] for number in range(40)]
        with mock.patch.object(changes.View, "_parts", autospec=True, side_effect=changes.View._parts) as parts:
            self.assertLessEqual(len(changes.View({"dataset": rows}).look()), changes._MOST + 2)
        self.assertLess(parts.call_count, 2 * changes._MOST)


if __name__ == "__main__":
    unittest.main()
