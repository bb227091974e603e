"""Rows that write to one and the same file keep the one process that fetches them."""
import os
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import torch
from support import Plain, epochs, loader, read, request

import sluice
from sluice import _segment
from sluice._torch.writes import LOOKS, FileWatch


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


class Watch(InFolder):
    def setUp(self):
        super().setUp()
        self.found = []
        self.watch = FileWatch(self.found.append)

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

    def test_it_ends(self):
        self.fetches(*[int] * LOOKS)
        self.assertIsNone(self.watch)


if __name__ == "__main__":
    unittest.main()
