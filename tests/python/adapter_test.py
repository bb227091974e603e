"""The seam for frameworks: one more than there are, in miniature/, is measured with a line in the hook's table."""
import tempfile
import unittest
from pathlib import Path

import support
from support import Reading, run_python

MINIATURE = Path(__file__).resolve().parent / "miniature"

# The line in the table, and what a script does with the framework. Segments go when their process ends.
TABLE = """
from sluice import _hook
_hook.FRAMEWORKS["feeder"] = "feeder_adapter"
"""
USE = TABLE + """
import os, shutil, sys
import feeder
def kept():
    folder = os.environ["SLUICE_SEGMENT_FOLDER"]
    return [shutil.copy(os.path.join(folder, name), sys.argv[1]) for name in os.listdir(folder)]
batches = iter(feeder.Feeder(range(5)))
print(list(batches), len(kept()))
print(sorted(name for name in sys.modules if name.startswith(("sluice._torch", "torch"))))
"""

SPAWNED = TABLE + """
import multiprocessing, sys
import feeder
def state(queue):
    before = "sluice._measure" in sys.modules
    rows = iter(feeder.Feeder(range(3)))
    queue.put((before, list(rows), type(rows).__name__))
if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    child = context.Process(target=state, args=(queue,))
    child.start()
    print(*queue.get(timeout=300))
    child.join()
"""

BROKEN = TABLE + """
import sys, types
sys.modules["feeder_adapter"] = types.SimpleNamespace(WHAT="Feeders", install=lambda module: 1 / 0)
import feeder
print(list(feeder.Feeder(range(3))))
"""

MISSING = TABLE.replace("feeder_adapter", "no_such_adapter") + """
import feeder
print(list(feeder.Feeder(range(3))))
"""

RAISES = TABLE + """
import feeder
try:
    list(feeder.Feeder(range(3), broken=True))
except ValueError as error:
    print(error)
"""

BESIDE = TABLE + """
import torch, feeder, sys
from torch.utils.data import DataLoader
rows = iter(feeder.Feeder(range(3)))
iterator = iter(DataLoader(range(8), batch_size=4))
print(type(rows).__name__, "_sluice" in vars(iterator), len(list(iterator)))
print([type(f).__name__ for f in sys.meta_path if type(f).__module__.startswith("sluice")])
"""


class Seam(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.segments, self.kept = Path(folder.name, "segments"), Path(folder.name, "kept")
        self.segments.mkdir(mode=0o700)
        self.kept.mkdir()

    def run_script(self, code):
        return run_python(
            code,
            script_arguments=(str(self.kept),),
            PYTHONPATH=f"{support.INJECT}:{MINIATURE}",
            SLUICE_SEGMENT_FOLDER=str(self.segments),
        )

    def test_another_framework_is_measured_by_a_package_and_a_line(self):
        done = self.run_script(USE)
        self.assertEqual((done.stdout, done.stderr), ("[0, 2, 4, 6, 8] 1\n[]\n", ""))
        (segment,) = self.kept.iterdir()
        reading = Reading(segment)
        self.assertEqual(reading.program, "train.py: feeder")
        self.assertEqual((reading.ops["feeder"]["items"], reading.consumer["items"]), (5, 5))

    def test_a_spawned_process_patches_it_when_it_iterates(self):
        done = self.run_script(SPAWNED)
        self.assertEqual((done.stdout, done.stderr), ("False [0, 2, 4] MeasuredIterator\n", ""))

    def test_an_adapter_that_fails_is_one_line(self):
        for code, words in ((BROKEN, "Feeders are not measured: ZeroDivisionError"),
                            (MISSING, "loaders of feeder are not measured: ModuleNotFoundError")):
            done = self.run_script(code)
            self.assertEqual((done.stdout, done.returncode), ("[0, 2, 4]\n", 0), done.stderr)
            self.assertRegex(done.stderr, f"^sluice: {words}.*; training goes on\n$")

    def test_the_frameworks_own_errors_reach_the_script(self):
        done = self.run_script(RAISES)
        self.assertEqual((done.stdout, done.stderr), ("the feeder's own\n", ""))

    def test_two_frameworks_in_one_script_are_both_measured(self):
        done = self.run_script(BESIDE)
        self.assertEqual((done.stdout, done.stderr), ("MeasuredIterator True 2\n[]\n", ""))


if __name__ == "__main__":
    unittest.main()
