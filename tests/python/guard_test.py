"""Loaders without workers in scripts that workers which are not forked cannot run once more, and in such that they can."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import support  # noqa: F401 - makes sluice importable

from sluice import _segment

TOP = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import support
support.multiprocessing.set_start_method("METHOD", force=True)
from support import *
import sluice

def train(rows):
    print("begins", flush=True)
    measured = sluice.wrap(loader(rows, num_workers=0))
    for _ in range(2):
        epoch(measured, lambda number: request(measured, workers=2))
    print("ends", len(epoch(measured)))
    knob = read(measured).knobs["fetch.workers"]
    print("held", knob["held"], "applied", knob["applied"])
"""


class Guard(unittest.TestCase):
    def run_script(self, text, method):
        with tempfile.TemporaryDirectory(prefix="sluice-guard-") as folder:
            script = Path(folder, "train.py")
            script.write_text(TOP.replace("METHOD", method) + text)
            done = subprocess.run([sys.executable, "-W", "ignore", script], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("begins"), 1, done.stdout)
        self.assertIn("ends 12\n", done.stdout)
        return done.stdout.splitlines()[-1]

    def check(self, text, held, workers):
        for method in ("spawn", "forkserver"):
            with self.subTest(method=method):
                self.assertEqual(self.run_script(text, method), f"held {held} applied {workers}")

    def test_a_script_without_a_guard_keeps_the_trainer(self):
        self.check("train(Plain())", _segment.HELD_UNFIT, 0)

    def test_one_with_a_guard_gets_workers(self):
        self.check('if __name__ == "__main__":\n    train(Plain())', _segment.NOT_HELD, 2)

    def test_a_data_set_that_nobody_can_import_keeps_the_trainer(self):
        text = 'if __name__ == "__main__":\n    class Inner(Plain):\n        pass\n    train(Inner())'
        self.check(text, _segment.HELD_UNFIT, 0)

    def test_a_trainer_that_was_started_as_they_are_gets_workers(self):
        text = """
if __name__ == "__main__":
    child = support.multiprocessing.Process(target=train, args=(Plain(),))
    child.start()
    child.join()
    sys.exit(child.exitcode)
"""
        self.check(text, _segment.NOT_HELD, 2)

    def test_forked_workers_need_no_guard(self):
        self.assertEqual(self.run_script("train(Plain())", "fork"), f"held {_segment.NOT_HELD} applied 2")


if __name__ == "__main__":
    unittest.main()
