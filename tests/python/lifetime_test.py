"""What a script is done with goes as in the bare run: no data set is kept longer than its loader, and what is left at exit is finalized."""
import itertools
import os
import unittest
import weakref
from unittest import mock

import support  # noqa: F401 - makes sluice importable
from support import Plain, loader, run_python

import sluice

AT_EXIT = """
import sys, torch
from torch.utils.data import DataLoader

class Rows:
    def __len__(self):
        return 16
    def __getitem__(self, index):
        return torch.tensor([scale * index])
    def __del__(self):
        print("closed", flush=True)

class Backwards:
    def __len__(self):
        return len(rows)
    def __iter__(self):
        for row in range(len(rows)):
            yield len(rows) - row - 1

scale, rows, workers = 2, Rows(), int(sys.argv[1])
loader = DataLoader(rows, 4, num_workers=workers, sampler=Backwards(), multiprocessing_context="fork" if workers else None)
for _ in range(2):
    for _ in loader:
        pass
"""


def used(left_early, **options):
    """A reference to a data set that was iterated over three times."""
    rows = Plain(48)
    measured = sluice.wrap(loader(rows, **options))
    for number in range(3):
        for batch, _ in enumerate(measured):
            if left_early and number == 2 and batch == 2:
                break
    return weakref.ref(rows)


class Lifetime(unittest.TestCase):
    def test_a_data_set_goes_with_its_loader(self):
        kinds = ({"num_workers": 0}, {"num_workers": 1}, {"num_workers": 2, "persistent_workers": True})
        for level, options, left_early in itertools.product(("order", "strict"), kinds, (False, True)):
            with self.subTest(level=level, left_early=left_early, **options), mock.patch.dict(os.environ, SLUICE_REPRO=level):
                self.assertIsNone(used(left_early, **options)())

    def test_what_is_left_at_exit_is_finalized(self):
        for workers in ("0", "1"):
            with self.subTest(workers=workers):
                done = run_python(AT_EXIT, script_arguments=[workers])
                self.assertEqual((done.stdout, done.stderr), ("closed\n", ""))


if __name__ == "__main__":
    unittest.main()
