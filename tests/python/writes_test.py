"""Rows that write to one and the same file, or read one that the training loop writes, keep the one process that fetches
them."""
import itertools
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

import torch
from support import Plain, epochs, loader, read, request

import sluice
from sluice import _segment
from sluice._torch.writes import LOOKS, MOST_SHARED, FileWatch, _State


class OneFile(Plain):
    """Each row goes by way of a file that has the same name for all."""

    def __init__(self, path):
        super().__init__(96)
        self.path = path

    def __getitem__(self, index):
        with open(self.path, "w") as file:
            print(index, file=file)
        return torch.tensor([int(Path(self.path).read_text())])


class Marks(OneFile):
    """The same, but nobody reads what it says."""

    def __getitem__(self, index):
        Path(self.path).write_text("row")
        return torch.tensor([index])


class Told(OneFile):
    """What the loop has left in a file is in each row."""

    def __getitem__(self, index):
        return torch.tensor([index + int(Path(self.path).read_text())])


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "row.txt")


class Loaders(InFolder):
    def run_with_more(self, rows, workers, epochs_=3, **options):
        """What comes while more workers are asked for, why they are held, and what is said of it."""
        measured = sluice.wrap(loader(rows, num_workers=workers, **options))
        found = epochs(measured, epochs_, lambda number: number > 2 and request(measured, workers=4))
        told = [event for event in read(measured).events() if "one and the same file" in event]
        return found, read(measured).knobs["fetch.workers"], told

    def test_they_are_fetched_by_one_process(self):
        for workers in (0, 1):
            with self.subTest(workers=workers):
                found, knob, told = self.run_with_more(OneFile(self.path), workers)
                self.assertEqual(found, epochs(loader(OneFile(self.path), num_workers=workers), 3))
                self.assertEqual((knob["held"], knob["applied"]), (_segment.HELD_UNFIT, workers))
                self.assertEqual(len(told), 1)
                self.assertEqual(self.path in told[0], workers == 0, "the worker cannot tell its name")

    def test_a_script_that_has_several_workers_knows_what_it_does(self):
        _, knob, told = self.run_with_more(Marks(self.path), 2, epochs_=1)
        self.assertEqual((knob["held"], knob["applied"], told), (_segment.NOT_HELD, 4, []))

    def run_while_told(self, knobs, last=10**6):
        """Of a loop that writes a file now and then, up to a batch: what comes, and what is held and said."""
        Path(self.path).write_text("0")
        measured = loader(Told(self.path), num_workers=0)
        measured = sluice.wrap(measured) if knobs else measured

        count = itertools.count()

        def between(number):
            if number % 3 == 2 and next(count) < last:
                Path(self.path + ".new").write_text(str(10 * number))
                os.replace(self.path + ".new", self.path)
            if knobs:
                request(measured, workers=4)

        return epochs(measured, 3, between), read(measured) if knobs else None

    def test_they_read_what_the_loop_has_written(self):
        found, state = self.run_while_told(knobs=True)
        self.assertEqual(found, self.run_while_told(knobs=False)[0])
        self.assertEqual(state.knobs["fetch.workers"]["held"], _segment.HELD_CHANGES)
        self.assertEqual(len([event for event in state.events() if f"the file {self.path} changes" in event]), 1)

    def test_but_for_level_free(self):
        with mock.patch.dict(os.environ, SLUICE_REPRO="free"):
            self.assertEqual(self.run_while_told(knobs=True, last=2)[1].knobs["fetch.workers"]["held"], _segment.NOT_HELD)


class Watch(InFolder):
    def setUp(self):
        super().setUp()
        self.found, self.changed = [], []
        self.watch = FileWatch(self.found.append, self.changed.append)

    def fetches(self, *rows):
        for row in rows:
            if self.watch is not None:
                self.watch.fetch_begins()
                row()
                self.watch = self.watch.fetch_ends()
        return self.found

    def write(self, path=None, mode="w"):
        with open(path or self.path, mode) as file:
            file.write("row")

    def by_another_program(self):
        code = "import sys; open(sys.argv[1], 'w').write('row')"
        subprocess.run([sys.executable, "-c", code, self.path], check=True)
        Path(self.path).read_text()

    def test_a_file_that_two_fetches_write_is_found_once(self):
        self.assertEqual(self.fetches(self.write, self.write, self.write), [self.path])

    def test_so_is_one_that_another_program_has_written(self):
        self.assertEqual(self.fetches(self.by_another_program, self.by_another_program), [self.path])

    def test_so_is_one_that_is_gone_at_the_end_of_a_fetch(self):
        def row():
            self.write()
            os.remove(self.path)

        self.assertEqual(self.fetches(row, row), [self.path])

    def test_a_file_of_each_row_is_none(self):
        def row(number):
            path = f"{self.path}{number}"
            return lambda: (self.write(path), self.write(path), Path(path).read_text(), tempfile.TemporaryFile().close())

        self.assertEqual(self.fetches(*map(row, range(LOOKS))), [])

    def test_nor_are_files_that_are_read_and_such_as_others_append_to(self):
        self.write()

        def row():
            Path(self.path).read_text()
            self.write(self.path + ".log", "a")
            self.write(os.devnull)

        self.assertEqual(self.fetches(*[row] * LOOKS), [])

    def test_nor_is_what_other_threads_write(self):
        def row():
            other = threading.Thread(target=self.write)
            other.start()
            other.join()

        self.assertEqual(self.fetches(*[row] * LOOKS), [])

    def told(self, between, row=None, at=(5, 12), count=16):
        """The fetches before which a change is told of; `between` is called before those of `at`."""
        Path(self.path).write_text("")
        self.watch = FileWatch(self.found.append, self.changed.append)
        row = row or (lambda number: os.path.exists(self.path) and Path(self.path).read_text())
        found = []
        for number in range(count):
            if number in at:
                between(number)
            self.fetches(lambda: row(number))  # noqa: B023 - used at once
            if self.changed:
                found.append(number)
                self.changed.clear()
        return found

    def test_a_file_that_changes_between_fetches_is_told_of(self):
        def replace(number):
            Path(self.path + ".new").write_text("")
            os.replace(self.path + ".new", self.path)

        self.assertEqual(self.told(lambda number: Path(self.path).write_text(" " * number)), [5, 12])
        def grow(number):
            Path(self.path).write_text(" " * number)
            os.utime(self.path, ns=(0, 0))

        self.assertEqual(self.told(replace), [5, 12])
        self.assertEqual(self.told(grow), [5, 12])
        self.assertEqual(self.told(lambda number: os.utime(self.path, ns=(number, number))), [5, 12])
        self.assertEqual(self.told(lambda number: os.remove(self.path), at=(12,), count=13), [12])

    def test_one_that_a_single_fetch_reads_is_not(self):
        def change(number):
            Path(self.path).write_text(" " * number)

        self.assertEqual(self.told(change, row=lambda number: number == 1 and Path(self.path).read_text()), [])

    def test_nor_is_what_is_no_file(self):
        def row():
            with open("/dev/zero", "rb") as zeros:
                zeros.read(1)

        self.fetches(*[row] * LOOKS)
        self.assertIsNone(self.watch)

    def test_some_files_are_enough(self):
        for number in range(6):
            self.write(f"{self.path}{number}")
        self.fetches(*[lambda: [Path(f"{self.path}{number}").read_text() for number in range(6)]] * LOOKS)
        self.assertEqual(len(self.watch._stamps), MOST_SHARED)

    def test_it_ends(self):
        self.fetches(*[int] * LOOKS)
        self.assertIsNone(self.watch)

    def test_it_ends_where_changes_are_no_concern(self):
        self.write()
        self.watch = FileWatch(self.found.append)
        self.fetches(*[Path(self.path).read_text] * LOOKS)
        self.assertIsNone(self.watch)

    def test_it_listens_no_more_where_they_are(self):
        self.write()
        listening = []
        self.fetches(*[lambda: listening.append(_State.watch is not None) or Path(self.path).read_text()] * (LOOKS + 2))
        self.assertEqual(listening, [True] * LOOKS + [False] * 2)


if __name__ == "__main__":
    unittest.main()
