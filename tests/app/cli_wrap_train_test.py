"""`sluice wrap` around real training with PyTorch: measured, tuned, saved, and not harmed when Sluice dies."""
import os
import random
import re
import signal
import unittest
from pathlib import Path

from cli import PROGRAM, until
from wrapped import WrapTest, is_gone

PYTHON = "/usr/bin/python3"
WRAP = [PROGRAM, "wrap"]
KILLS = int(os.environ.get("SLUICE_SOAK_RUNS", "3"))

# Prints a hash over all batches. usage: SECONDS_PER_ROW BATCHES EPOCHS [PERSISTENT]
TRAIN = """
import hashlib, sys, time, torch
from torch.utils.data import DataLoader, Dataset
class Slow(Dataset):
    def __len__(self): return 8 * int(sys.argv[2])
    def __getitem__(self, index):
        time.sleep(float(sys.argv[1]))
        return torch.tensor([index, index * index])
if __name__ == "__main__":  # workers may be started by forkserver: Python 3.14's way
    torch.manual_seed(5)
    loader = DataLoader(Slow(), batch_size=8, shuffle=True, num_workers=1, persistent_workers=len(sys.argv) > 4)
    digest = hashlib.sha256()
    for epoch in range(int(sys.argv[3])):
        for batch in loader:
            digest.update(batch.numpy().tobytes())
            time.sleep(0.002)
    print("batches", digest.hexdigest())
"""

# Two workers whose rows compute.
COMPUTE = """
import time, torch
from torch.utils.data import DataLoader, Dataset
class Computing(Dataset):
    def __len__(self): return 960
    def __getitem__(self, index):
        end = time.thread_time() + 0.003
        while time.thread_time() < end: pass
        return torch.ones(4)
if __name__ == "__main__":
    for batch in DataLoader(Computing(), batch_size=8, num_workers=2):
        pass
"""

# Two ranks that wait for each other in every step; rank 1's rows take three times as long.
RANK = """
import os, sys, time, torch, torch.distributed as dist
from torch.utils.data import DataLoader, Dataset
class Slow(Dataset):
    def __len__(self): return 8 * 60
    def __getitem__(self, index):
        time.sleep(0.03 if os.environ["RANK"] == "1" else 0.01)
        return torch.ones(4)
if __name__ == "__main__":
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
    for batch in DataLoader(Slow(), batch_size=8, num_workers=1):
        model(batch).sum().backward()
    os.write(1, b"rank %d done\\n" % rank)  # in one piece: all ranks write to one pipe
    dist.destroy_process_group()
"""

# As torchrun starts them; Debian's PyTorch 2.6 has no libuv. usage: SCRIPT
LAUNCH = """
import os, subprocess, sys
common = {**os.environ, "USE_LIBUV": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": sys.argv[2],
          "WORLD_SIZE": "2", "LOCAL_WORLD_SIZE": "2"}
ranks = [subprocess.Popen([sys.executable, sys.argv[1]], env={**common, "RANK": str(r), "LOCAL_RANK": str(r)}) for r in (0, 1)]
sys.exit(max(rank.wait() for rank in ranks))
"""


class Training(WrapTest):
    def setUp(self):
        super().setUp()
        self.script = Path(self.folder) / "train.py"
        self.script.write_text(TRAIN)

    def train(self, *options, rows=0.01, batches=80, epochs=1, persistent=()):
        return self.run_to_end([*WRAP, *options, "--", PYTHON, self.script, rows, batches, epochs, *persistent])

    def bare(self, rows=0.0, batches=80, epochs=1, persistent=()):
        done = self.run_to_end([PYTHON, self.script, rows, batches, epochs, *persistent])
        self.assertRegex(done.stdout, "^batches", done.stderr)
        return done.stdout

    def test_a_slow_loader_gets_workers_and_the_same_batches(self):
        # The first epoch is the only one that starts workers, and that has too few of them for a while.
        done = self.train(rows=0.006, batches=160, epochs=8, persistent=["persistent"])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, self.bare(batches=160, epochs=8, persistent=["persistent"]))
        self.assertRegex(done.stderr, r"train\.py: loader \(Slow\)")
        self.assertRegex(done.stderr, r"fetch\.workers 1 -> ([2-9]|\d\d)\b")
        self.assertRegex(done.stderr, r"to write it into the script: DataLoader\(num_workers=\d+, prefetch_factor=\d+\)")

    def test_advice_names_arguments_and_touches_nothing(self):
        done = self.train("--advise")
        self.assertRegex(done.stderr, r"advice: DataLoader\(num_workers=\d+, prefetch_factor=\d+\)")
        self.assertRegex(done.stderr, r"fetch\.workers 1, fetch\.capacity 2\n")
        self.assertEqual(done.stdout, self.bare())

    def test_without_tuning_it_only_says_what_limits_the_run(self):
        done = self.train("--no-tune", batches=60)
        cores = "(other work on this machine|at times the cores are the limit)"
        self.assertRegex(done.stderr, rf"\d% waiting(, 1 worker busy \d+%|: .* {cores})")
        self.assertRegex(done.stderr, r"fetch\.workers 1, fetch\.capacity 2\n")
        self.assertNotIn("advice", done.stderr)

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "there is one core anyway")
    def test_a_run_that_is_bound_to_one_core_is_told_of_one(self):
        self.script.write_text(COMPUTE)
        bound = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
        done = self.run_to_end([*WRAP, "--no-tune", "--", *bound, PYTHON, self.script])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"(1|0\.\d+) of 1 cores in use: the cores are the limit|other work on this machine")

    def test_what_was_found_is_saved_and_is_where_the_next_run_begins(self):
        # Long enough that what is tried is also judged, beside other tests too: an unfinished trial isn't saved.
        tuned = Path(self.folder) / "tuned.toml"
        self.train("--save", tuned, batches=400)
        found = int(re.search(r"'fetch.workers' = (\d+)", tuned.read_text()).group(1))
        self.assertGreater(found, 1)
        done = self.train("--load", tuned)
        self.assertRegex(done.stderr, rf"started from an earlier run: fetch\.workers 1 (→|->) {found}\b")
        self.assertEqual(done.stdout, self.bare())

    def test_a_file_that_is_none_costs_a_line_and_not_the_run(self):
        wrong = Path(self.folder) / "wrong.toml"
        wrong.write_text("version = 1\ncores = \"many\"\n")
        done = self.train("--load", wrong, batches=10)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"wrong\.toml:2.*cores.*; tuning starts from the script's settings")
        done = self.train("--save", "/nonexistent/tuned.toml", batches=10)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"/nonexistent/tuned\.toml")

    def test_another_machines_file_is_not_used(self):
        other = Path(self.folder) / "other.toml"
        other.write_text("version = 1\ncores = 999\n[[loader]]\nprogram = \"x\"\nknobs = {}\n")
        self.assertRegex(self.train("--load", other, batches=10).stderr, r"found with 999 cores")

    def test_loaders_beyond_the_sixteenth_are_named(self):
        self.script.write_text("""
from torch.utils.data import DataLoader
loaders = [DataLoader(range(8)) for _ in range(18)]
for loader in loaders: list(loader)
""")
        done = self.train(batches=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(re.findall(r"\S+ \(range\) is not measured: 16 DataLoaders of this process are", done.stderr),
                         ["loader (range) is not measured: 16 DataLoaders of this process are"], done.stderr)

    def test_training_goes_on_when_the_agent_is_killed(self):
        expected = self.bare(batches=60)
        seed = random.randrange(1 << 30)
        print(f"seed {seed}", flush=True)
        draw = random.Random(seed)
        for _ in range(KILLS):
            self.kill_the_agent(expected, batch=draw.randrange(60))

    def kill_the_agent(self, expected, batch):
        """When about so many batches have been fetched: the time differs from run to run."""
        output = Path(self.folder) / "output"
        with output.open("w") as file:
            process = self.spawn([*WRAP, "-q", "--", PYTHON, self.script, 0.004, 60, 1], stdout=file)
        trainer = until(lambda: self.child_of(process.pid), "the trainer")
        until(lambda: is_gone(trainer) or self.cpu_ticks(trainer) >= 60 + batch, "some training")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        until(lambda: is_gone(trainer), "the trainer's end")
        self.assertEqual(output.read_text(), expected)

    def child_of(self, pid):
        try:
            children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        except OSError:
            return None
        return int(children[0]) if children else None

    def cpu_ticks(self, pid):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 1 << 30
        return int(fields[11]) + int(fields[12])

    def test_two_ranks_are_seen_and_the_slower_is_named(self):
        self.script.write_text(RANK)
        launcher = Path(self.folder) / "launch.py"
        launcher.write_text(LAUNCH)
        port = str(20000 + os.getpid() % 20000)
        done = self.run_to_end([*WRAP, "--no-tune", "--", PYTHON, launcher, self.script, port])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("rank 1 done", done.stdout)
        self.assertRegex(done.stderr, r"rank 0: train\.py: ")
        self.assertRegex(done.stderr, r"slowest: rank 1")

    def test_a_rank_that_dies_leaves_the_others_measured(self):
        self.script.write_text(RANK.replace("os.write(", "os.abort() if rank == 1 else os.write("))
        launcher = Path(self.folder) / "launch.py"
        launcher.write_text(LAUNCH)
        port = str(20000 + (os.getpid() + 7) % 20000)
        done = self.run_to_end([*WRAP, "--", PYTHON, launcher, self.script, port])
        self.assertIn("rank 0 done", done.stdout)
        self.assertRegex(done.stderr, r"rank 0: train\.py: ")
        self.assertRegex(done.stderr, r"rank 1: train\.py: ")


if __name__ == "__main__":
    unittest.main()
