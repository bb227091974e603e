"""Data sets that keep a file open: added workers read from where they like, and the script hears of it."""
import fcntl
import os
import tempfile
import time
import unittest
import zipfile

import torch
from support import Plain, epoch, epochs, loader, read, request

import sluice
from sluice._torch import files

RECORD = 512  # bytes


def record(index):
    return index.to_bytes(4, "little") * (RECORD // 4)


class Kept(Plain):
    """Rows are read through a file that is open from the start."""

    def __init__(self, path, count=160):
        super().__init__(count)
        self.path = path
        self.file = self.open()

    def open(self):
        return open(self.path, "rb", buffering=0)

    def __getitem__(self, index):
        self.file.seek(index * RECORD)
        time.sleep(0.0005)  # in which another process moves the position, if it can
        return torch.frombuffer(bytearray(self.file.read(RECORD)), dtype=torch.int32)


class Late(Kept):
    """From the first row on."""

    def __init__(self, path):
        super().__init__(path)
        self.file.close()
        self.file = None

    def __getitem__(self, index):
        self.file = self.file or self.open()
        return super().__getitem__(index)


class Archive(Plain):
    def __init__(self, path, count=160):
        super().__init__(count)
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
            for index in range(count):
                made.writestr(str(index), record(index))
        self.archive = zipfile.ZipFile(path)

    def __getitem__(self, index):
        return torch.frombuffer(bytearray(self.archive.read(str(index))), dtype=torch.int32)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="sluice-files-")
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "rows")
        with open(self.path, "wb") as file:
            for index in range(160):
                file.write(record(index))

    def test_added_workers_read_the_rows_that_they_want(self):
        for made in (lambda: Kept(self.path), lambda: Archive(self.path + ".zip")):
            bare = epochs(loader(made(), num_workers=1), 3)
            measured = sluice.wrap(loader(made(), num_workers=1))
            found = epochs(measured, 3, lambda number: request(measured, workers=4))  # noqa: B023 - used at once
            self.assertEqual(found, bare)
            self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 4)

    def test_so_do_those_that_take_the_trainers_place(self):
        bare = epochs(loader(Late(self.path), num_workers=0), 3)
        measured = sluice.wrap(loader(Late(self.path), num_workers=0))
        found = epochs(measured, 3, lambda number: request(measured, workers=4))
        self.assertEqual(found, bare)
        self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 4)

    def test_the_scripts_own_worker_reads_as_in_the_bare_run(self):
        rows = Kept(self.path)
        measured = sluice.wrap(loader(rows, num_workers=1, shuffle=False))
        epoch(measured)
        self.assertEqual(rows.file.tell(), 160 * RECORD)

    def test_the_script_hears_of_files_that_were_open_before_its_workers(self):
        for made, workers, told in ((Kept, 1, 1), (Kept, 0, 1), (Late, 1, 0), (Late, 0, 0)):
            with self.subTest(made=made.__name__, workers=workers):
                measured = sluice.wrap(loader(made(self.path), num_workers=workers))
                epochs(measured, 2)
                about = [event for event in read(measured).events() if self.path in event]
                self.assertEqual(len(about), told, about)

    def test_what_nothing_is_read_from_is_not_told(self):
        with open(self.path, "rb"):
            measured = sluice.wrap(loader(Plain(), num_workers=1))
            epochs(measured, 2)
        self.assertNotIn("rows are read through", " ".join(read(measured).events()))

    def test_a_file_that_is_opened_again_is_as_it_was(self):
        with open(self.path, "rb") as kept, open(self.path, "r+b") as written:
            kept.seek(3)
            written.seek(5)
            os.set_inheritable(kept.fileno(), True)
            again = os.dup(kept.fileno()), os.dup(written.fileno())
            self.addCleanup(os.close, again[0])
            self.addCleanup(os.close, again[1])
            before = fcntl.fcntl(kept, fcntl.F_GETFL)
            files.unshare_positions()
            self.assertEqual(fcntl.fcntl(kept, fcntl.F_GETFL), before)
            self.assertTrue(os.get_inheritable(kept.fileno()))
            self.assertEqual(os.read(kept.fileno(), 2), record(0)[3:5])
            self.assertEqual(os.lseek(again[0], 0, os.SEEK_CUR), 3, "its position is its own")
            os.read(written.fileno(), 2)
            self.assertEqual(os.lseek(again[1], 0, os.SEEK_CUR), 7, "one that may be written to stays shared")


if __name__ == "__main__":
    unittest.main()
