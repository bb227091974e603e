"""What tests inside of a virtual machine share: a folder of one's own with a scenario in it, and runs of that."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SLUICE = os.environ["SLUICE"]


class Machine(unittest.TestCase):
    SCENARIO = ""  # of a subclass

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.scenario = self.folder / "scenario.toml"
        self.scenario.write_text(self.SCENARIO)

    def run_it(self, *arguments, seconds, behind=(), **options):
        """The result of a run, as JSON, and its report. `behind`: a command that starts it."""
        result = self.folder / "result.json"
        done = subprocess.run([*behind, SLUICE, "run", str(self.scenario), "--duration", f"{seconds}s", "--json", str(result), "--quiet",
                               *arguments], capture_output=True, text=True, **options)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads(result.read_text()), done.stdout
