"""Loaders without workers keep the trainer where their data set changes within an epoch, by its rows or by the loop."""
import multiprocessing
import sqlite3
import types
import unittest

import numpy
import torch
from support import Plain, epochs, loader, read, request
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
        self.weights, self.array = torch.ones(3), numpy.ones(400)
        self.transform = types.SimpleNamespace(strength=1.0)

    def __getitem__(self, index):
        self.opened = self.opened or open("/dev/null")
        return torch.tensor([index * self.factor * SCALE + self.table[0]])


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


class Strong:
    """A transform of the user's."""

    strength = 1.0


def collate(rows):
    return torch.stack(rows) * SCALE


class Changes(unittest.TestCase):
    def held(self, dataset, between=lambda number: None, before=lambda epoch: None, **options):
        """Why the number of workers is held in the end, and what is told of changes."""
        def step(number):
            between(number)
            request(measured, workers=3)

        measured = sluice.wrap(loader(dataset, num_workers=0, **options))
        for epoch in range(3):
            before(epoch)
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
        rows, strong = Rows(), Strong()
        rows.transform = types.SimpleNamespace(transforms=[strong], calls=0)
        because, _ = self.held(rows, lambda number: setattr(rows.transform, "calls", number))
        self.assertEqual(because, _segment.NOT_HELD, "the library's own")
        self.check_held("dataset.transform.transforms[0].strength", rows, lambda number: setattr(strong, "strength", number))

    def test_globals_that_rows_and_collate_fn_name(self):
        def scale(number):
            global SCALE
            SCALE = 1 / (number + 1)

        self.addCleanup(scale, 0)
        self.check_held("SCALE", Rows(), scale)
        self.check_held("SCALE", Plain(96), scale, collate_fn=collate)

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

    def test_a_large_data_set_is_not_compared_to_its_end(self):
        rows = types.SimpleNamespace(all=[[[number] * 40 for _ in range(40)] for number in range(40)])
        self.assertLessEqual(len(changes.look({"dataset": rows})), changes._MOST)


if __name__ == "__main__":
    unittest.main()
