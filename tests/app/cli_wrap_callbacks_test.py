"""What a training script hears of by its callbacks while it is wrapped: that is what the run's own lines of JSON say."""
import json
import re
import unittest
from pathlib import Path

from cli import PROGRAM, ROOT
from wrapped import WrapTest

PYTHON = "/usr/bin/python3"
PATIENCE = 400  # seconds; of a training until all has been heard, on a busy machine too

# Trains until it has heard of each that is wanted: verdict, decision (one that is made), fate (what became of one).
# usage: FILE METHOD WANTED...
TRAIN = """
import json, os, sys, threading, time, torch
import sluice
from torch.utils.data import DataLoader, Dataset

heard = set()

@sluice.on_decision
@sluice.on_verdict
def hear(record):
    made = record.get("fate", "trial") in ("trial", "advised")
    heard.add(record["type"] if made else "fate")
    here = {"in": os.getpid(), "main": threading.current_thread() is threading.main_thread()}
    with open(sys.argv[1], "a") as file:
        file.write(json.dumps({**record, **here}) + "\\n")

@sluice.on_decision
def broken(record):
    raise ValueError("a broken callback")

class Slow(Dataset):
    def __len__(self): return 8 * 60
    def __getitem__(self, index):
        time.sleep(0.01)
        return torch.tensor([index])

def train(loader, wanted, end):
    while True:
        for _ in loader:
            time.sleep(0.002)
            if wanted <= heard or time.monotonic() > end:
                return

if __name__ == "__main__":
    loader = DataLoader(Slow(), batch_size=8, shuffle=True, num_workers=1, persistent_workers=True,
                        multiprocessing_context=sys.argv[2])
    train(loader, set(sys.argv[3:]), time.monotonic() + 200)
    print(os.getpid(), *sorted(heard & set(sys.argv[3:])))
"""

# As a launcher starts ranks: each has a file of its own. usage: SCRIPT FILE
LAUNCH = """
import os, subprocess, sys
ranks = [subprocess.Popen([sys.executable, sys.argv[1], sys.argv[2] + str(rank), "fork", "verdict"],
                          env={**os.environ, "WORLD_SIZE": "2", "RANK": str(rank)}) for rank in (0, 1)]
sys.exit(max(rank.wait() for rank in ranks))
"""


class Callbacks(WrapTest):
    def setUp(self):
        super().setUp()
        self.script = Path(self.folder) / "train.py"
        self.script.write_text(TRAIN)
        self.file = Path(self.folder) / "heard"

    def wrap(self, *words):
        done = self.run_to_end([PROGRAM, "wrap", *words], deadline=PATIENCE)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def train(self, *options, method="fork", wanted=("decision", "fate", "verdict")):
        """What was heard, and what was said on standard error."""
        done = self.wrap(*options, "--", PYTHON, self.script, self.file, method, *wanted)
        pid, *heard = done.stdout.split()
        self.assertEqual(heard, sorted(wanted), done.stderr)
        return self.heard(self.file, int(pid)), done.stderr

    def heard(self, file, pid):
        """All in the trainer, on its main thread, in the order in which it happened."""
        records = [json.loads(line) for line in file.read_text().splitlines()]
        self.assertEqual({(record["in"], record["pid"], record["main"]) for record in records}, {(pid, pid, True)})
        self.assertEqual({record["loader"] for record in records}, {"train.py: loader (Slow)"})
        verdicts = [(record["limit"], record["op"]) for record in records if record["type"] == "verdict"]
        self.assertTrue(all(before != after for before, after in zip(verdicts, verdicts[1:])), verdicts)
        return records

    def assert_as_told(self, records, lines):
        """`lines`: of the same run, from --jsonl; it may tell of more, later on."""
        heard = [record for record in records if record["type"] == "decision"]
        told = [line for line in lines if line["type"] == "decision"][:len(heard)]
        same = ("id", "author", "changes", "fate")
        self.assertEqual([[record[key] for key in same] for record in heard], [[line[key] for key in same] for line in told])
        for record, line in zip(heard, told):
            self.assertAlmostEqual(record["unix_seconds"], line["unix_seconds"], delta=0.1)
            self.assertTrue(record["because"] and line["because"].startswith(record["because"]), record)
        verdicts = [record for record in records if record["type"] == "verdict"]
        known = {record["limit"] for record in verdicts} | {"unknown"}
        for line in lines:
            if line["type"] == "snapshot" and line["unix_seconds"] < verdicts[-1]["unix_seconds"]:
                self.assertIn(line["verdict"]["limit"], known)

    def test_decisions_and_verdicts_are_those_of_the_lines_of_json(self):
        for method in ("fork", "spawn"):
            with self.subTest(method=method):
                self.file.unlink(missing_ok=True)
                lines = Path(self.folder) / "run.jsonl"
                records, said = self.train("--jsonl", lines, method=method)
                self.assert_as_told(records, [json.loads(line) for line in lines.read_text().splitlines()])
                self.assertEqual(said.count("ValueError: a broken callback"), 1, said)
                self.assertEqual(said.count("training goes on"), 1, said)

    def test_advice_is_heard_as_such(self):
        records, _ = self.train("--advise", wanted=("decision",))
        self.assertEqual({record["fate"] for record in records if record["type"] == "decision"}, {"advised"})

    def test_where_nothing_is_tuned_there_are_verdicts(self):
        records, _ = self.train("--no-tune", wanted=("verdict",))
        self.assertEqual({record["type"] for record in records}, {"verdict"})

    def test_it_is_the_same_where_the_watcher_is_no_parent(self):
        self.train("--exec", wanted=("verdict",))

    def test_each_rank_hears_of_its_own_loader(self):
        launcher = Path(self.folder) / "launch.py"
        launcher.write_text(LAUNCH)
        done = self.wrap("--", PYTHON, launcher, self.script, self.file)
        pids = [int(line.split()[0]) for line in done.stdout.splitlines()]
        for rank in (0, 1):
            file = Path(f"{self.file}{rank}")
            pid = json.loads(file.read_text().splitlines()[0])["pid"]
            self.assertIn(pid, pids)
            self.assertEqual({record["rank"] for record in self.heard(file, pid)}, {rank})

    def test_the_three_lines_of_the_documents_fill_the_users_own_log(self):
        page = (ROOT / "docs" / "wrapping.md").read_text()
        example = re.search(r"```python\n(import sluice\n\nsluice\.on_decision.*?)```", page, re.DOTALL).group(1)
        self.script.write_text(f"""
import logging, sys, time
from torch.utils.data import DataLoader
logger = logging.getLogger("mine")
logging.basicConfig(filename=sys.argv[1], level=logging.INFO, format="%(name)s: %(message)s")
{example}
class Slow:
    def __len__(self): return 480
    def __getitem__(self, index):
        time.sleep(0.01)
        return index
end = time.monotonic() + 200
if __name__ == "__main__":
    while open(sys.argv[1]).read().count("'type'") < 2 and time.monotonic() < end:
        for _ in DataLoader(Slow(), batch_size=8, num_workers=1, multiprocessing_context="fork"):
            if open(sys.argv[1]).read().count("'type'") >= 2:
                break
""")
        self.wrap("--", PYTHON, self.script, self.file)
        for line in self.file.read_text().splitlines():
            self.assertRegex(line, r"^mine: \{'type': '(decision|verdict)', 'unix_seconds': \d+\.\d+, 'loader': 'train\.py: ")


if __name__ == "__main__":
    unittest.main()
