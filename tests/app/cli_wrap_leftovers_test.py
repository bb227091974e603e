"""What a killed training leaves in shared memory goes, by the watcher or when Sluice starts next."""
import os
import signal
import subprocess
import sys
import unittest
from pathlib import Path

from cli import PROGRAM, until
from wrapped import WrapTest

SHARED = Path("/dev/shm")
TRAIN = """
import os, pathlib, sys, time
import torch.multiprocessing
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    def __len__(self):
        return 4000
    def __getitem__(self, index):
        time.sleep(0.01)
        return torch.rand(100, 100)

if __name__ == "__main__":
    method, strategy, begun = sys.argv[1:]
    torch.multiprocessing.set_sharing_strategy(strategy)
    for batch in DataLoader(Rows(), batch_size=4, num_workers=2, multiprocessing_context=method):
        if not os.path.exists(begun):
            pathlib.Path(begun + ".new").write_text(str(os.getpid()))
            os.rename(begun + ".new", begun)
"""


def of_group(group):
    """The processes that have a thread: where the main one of a killed process is a zombie, another may still be
    giving back memory and hold its files and locks meanwhile."""
    pids = set()
    for stat in Path("/proc").glob("[0-9]*/task/[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[0] not in "ZX" and int(fields[2]) == group:
            pids.add(int(stat.parts[2]))
    return sorted(pids)


class Leftovers(WrapTest):
    def begin(self, method, strategy):
        """A training at its first batch: the process to wait for, and all of the group's processes."""
        (self.folder / "train.py").write_text(TRAIN)
        begun = self.folder / f"{method}-{strategy}"
        run = self.spawn([PROGRAM, "wrap", "--quiet", "--", sys.executable, "train.py", method, strategy, begun],
                         start_new_session=True, stderr=subprocess.DEVNULL)
        until(lambda: begun.exists(), "the first batch")
        return run, int(begun.read_text()), of_group(run.pid)

    def kill(self, run, number):
        os.killpg(run.pid, number)
        run.wait()
        until(lambda: not of_group(run.pid), "the end of the group")

    def semaphores(self, pid):
        return [file.name for file in SHARED.glob(f"sem.mp-sluice-*-{pid}-*")]

    def tensors(self, pids):
        return [file.name for pid in pids for file in SHARED.glob(f"torch_{pid}_*")]

    def segments(self):
        return [str(file) for file in self.folder.rglob("*-*-*") if file.name.replace("-", "").isdigit()]

    def shares(self):
        """The file in which runs say how many cores they need: the last one to go takes it along."""
        return [file.name for file in (self.folder / "runtime").glob("*.cores")]

    def assert_a_run_takes_it(self, trainer, pids):
        self.assert_done(self.sluice("wrap", "--quiet", "--", "true"))
        self.assertEqual(self.semaphores(trainer) + self.tensors(pids) + self.segments() + self.shares(), [])

    def test_semaphores_of_a_killed_group_go_when_the_next_run_starts(self):
        for method in ("spawn", "forkserver"):
            with self.subTest(method=method):
                run, trainer, _ = self.begin(method, "file_descriptor")
                self.assertTrue(self.semaphores(trainer))
                self.kill(run, signal.SIGKILL)
                self.assert_a_run_takes_it(trainer, [])

    def test_nothing_is_left_of_a_terminated_group(self):
        for method in ("fork", "spawn"):
            with self.subTest(method=method):
                run, trainer, pids = self.begin(method, "file_system")
                self.kill(run, signal.SIGTERM)
                self.assert_a_run_takes_it(trainer, pids)

    def test_ls_clean_takes_tensors_of_dead_workers_along(self):
        run, trainer, pids = self.begin("fork", "file_system")
        worker = Path(f"/proc/{trainer}/task/{trainer}/children").read_text().split()[0]
        mine = SHARED / f"torch_{worker}_1_1"
        self.addCleanup(lambda: mine.unlink(missing_ok=True))
        os.killpg(run.pid, signal.SIGSTOP)
        mine.write_text("a tensor that nobody has opened yet")
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        until(lambda: not of_group(run.pid), "the end of the group")
        self.assert_done(self.sluice("ls", "--clean"))
        self.assertEqual((self.tensors(pids), self.segments()), ([], []))

    def test_what_a_living_run_uses_stays(self):
        run, trainer, _ = self.begin("spawn", "file_descriptor")
        before = self.semaphores(trainer)
        self.assert_done(self.sluice("wrap", "--quiet", "--", "true"))
        self.assertEqual(set(before) - set(self.semaphores(trainer)), set())
        self.assertTrue(self.shares())
        self.kill(run, signal.SIGTERM)


if __name__ == "__main__":
    unittest.main()
