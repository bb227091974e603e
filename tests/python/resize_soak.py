"""Changes workers and capacity at random in the middle of epochs, on real PyTorch, and compares every batch.

usage: resize_soak.py [--schedules N] [--seed S] [--methods fork,spawn,forkserver] [--seconds-each T]

In each schedule a loader with random options is iterated once untouched and once under a random schedule of requests;
the hashes of all batches must be the same. Afterwards there must be no child, no zombie, and no file left in /dev/shm.
A watchdog ends a schedule that hangs and says where. Ten schedules share a process. Exit code 1 when one failed; the
command that repeats it is printed.
"""
import argparse
import contextlib
import faulthandler
import gc
import hashlib
import multiprocessing
import os
import random
import subprocess
import sys
import threading
import time
from multiprocessing import synchronize
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SHARED = Path("/dev/shm")
FEEDER_SECONDS = 20


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--schedules", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--methods", default="fork,spawn")
    parser.add_argument("--seconds-each", type=float, default=180)
    parser.add_argument("--here", metavar="METHOD", help="run the schedules in this process")
    return parser.parse_args()


# ---- one schedule, in a process of its own ----


class Rows:
    """Rows that depend on their index and on all three global generators."""

    def __init__(self, count, pause):
        self.count = count
        self.pause = pause

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        import numpy
        import torch

        if self.pause:
            time.sleep(self.pause * (index % 7) / 7)
        return torch.rand(5) + index, random.random() + numpy.random.rand()


class Schedule:
    """Everything that is random about one run."""

    def __init__(self, seed, method):
        draw = random.Random(seed)
        self.seed = seed
        self.method = method
        slow = method != "fork"
        self.rows = draw.randint(60, 160 if slow else 400)
        self.batch = draw.choice([1, 3, 4, 8])
        self.workers = draw.randint(1, 2 if slow else 4)
        self.most_workers = 3 if slow else 6
        self.prefetch = draw.choice([1, 2, 3])
        self.persistent = draw.random() < 0.5
        self.pause = draw.choice([0, 0.002, 0.01])
        self.epochs = draw.randint(2, 3)
        self.leave_early = draw.random() < 0.25
        self.impatient = draw.random() < 0.3  # parked workers are ended at once
        self.draw = draw

    def loader(self, method):
        import torch
        from torch.utils.data import DataLoader

        torch.manual_seed(self.seed)
        return DataLoader(
            Rows(self.rows, self.pause),
            batch_size=self.batch,
            shuffle=True,
            num_workers=self.workers,
            prefetch_factor=self.prefetch,
            persistent_workers=self.persistent,
            multiprocessing_context=method,
        )

    def request(self, segment, probe):
        if self.draw.random() < 0.5:
            segment.knob_request(probe.ids.workers, self.draw.randint(1, self.most_workers))
        if self.draw.random() < 0.5:
            segment.knob_request(probe.ids.capacity, self.draw.choice([1, 2, 5, 9, 20]))


def hashes(loader, epochs, leave_early, between=None):
    """One hash per epoch. `between` is called after each batch."""
    found = []
    for epoch in range(epochs):
        digest = hashlib.sha256()
        for number, (rows, draws) in enumerate(loader):
            digest.update(rows.numpy().tobytes() + draws.numpy().tobytes())
            if between is not None:
                between(loader)
            if leave_early and epoch == 0 and number == 4:
                break
        found.append(digest.hexdigest())
    return found


def children():
    found = []
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # a thread that has just ended
            found += (task / "children").read_text().split()
    return [child for child in found if not helper(child)]


def helper(pid):
    """multiprocessing's own helpers live as long as the process."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False
    return "resource_tracker" in command or "forkserver" in command


class Semaphores:
    """Remembers the names of the semaphores that this process makes; they do not tell whose they are."""

    def __init__(self):
        self.made = set()
        self._make = synchronize.SemLock._make_name
        synchronize.SemLock._make_name = staticmethod(self._remember)

    def _remember(self):
        name = self._make()
        self.made.add(f"sem.{name.lstrip('/')}")
        return name


SEMAPHORES = Semaphores()


def await_feeders():
    """A closed queue's thread holds two of its semaphores until it has seen that the queue is closed."""
    for thread in threading.enumerate():
        if thread.name == "QueueFeederThread":
            thread.join(FEEDER_SECONDS)
            assert not thread.is_alive(), "the thread of a queue still runs"
    gc.collect()


def await_workers():
    """A fork server tells of a worker's end when it gets to it."""
    end = time.monotonic() + FEEDER_SECONDS
    while multiprocessing.active_children():
        assert time.monotonic() < end, "a worker is left"
        time.sleep(0.01)


def shared_files():
    """Those of ours that are there."""
    mine = f"_{os.getpid()}_"
    return sorted(path.name for path in SHARED.iterdir() if mine in path.name or path.name in SEMAPHORES.made)


def run_one(seed, method):
    import torch.utils.data.dataloader  # noqa: F401  (the hook patches it)

    from sluice import _segment
    from sluice._torch import patches, pool

    schedule = Schedule(seed, method)
    if schedule.impatient:
        pool.PARKED_NS = 0
    before = shared_files()
    expected = hashes(schedule.loader("fork"), schedule.epochs, schedule.leave_early)
    gc.collect()
    reached = set()

    def between(loader):
        probe = patches._probes[id(loader)][1]
        reached.add(probe.segment.op_items(probe.ids.fetch.start_up))
        if schedule.draw.random() < 0.2:
            schedule.request(_segment.attach(probe.segment.path), probe)
        if schedule.impatient and loader._iterator is not None:
            loader._iterator._sluice._beat = 0  # look after idle workers at every batch

    found = hashes(schedule.loader(method), schedule.epochs, schedule.leave_early, between)
    gc.collect()
    await_feeders()
    assert found == expected, f"other batches: {found} instead of {expected}"
    await_workers()
    assert not children(), f"a child is left: {children()}"
    assert shared_files() == before, f"left in /dev/shm: {shared_files()}"
    print(f"ok {method} seed {seed}: {schedule.epochs} epochs, {max(reached)} workers started", flush=True)


def run_here(options):
    for seed in range(options.seed, options.seed + options.schedules):
        faulthandler.dump_traceback_later(options.seconds_each, exit=True)
        print(f"begin {options.here} seed {seed}", flush=True)
        run_one(seed, options.here)
        faulthandler.cancel_dump_traceback_later()


# ---- all of them ----

PER_PROCESS = 10


def environment():
    inject = str(ROOT / "python" / "sluice" / "inject")
    return dict(os.environ, PYTHONPATH=inject, PYTHONWARNINGS="ignore", PYTHONFAULTHANDLER="1")


def run_some(options, method, seed, count):
    """How many of `count` schedules went well; after one that did not, the rest has to be run again."""
    command = [sys.executable, __file__, "--here", method, "--seed", str(seed), "--schedules", str(count)]
    command += ["--seconds-each", str(options.seconds_each)]
    done = subprocess.run(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    well = done.stdout.count("ok " + method)
    if done.returncode != 0 or "sluice:" in done.stdout:
        print(f"failed: {' '.join(command)}\n{done.stdout}", flush=True)
        return min(well, count - 1)
    return well


def run_all(options):
    well, methods = 0, options.methods.split(",")
    for start in range(0, options.schedules, PER_PROCESS):
        count = min(PER_PROCESS, options.schedules - start)
        method = methods[start // PER_PROCESS % len(methods)]
        well += run_some(options, method, options.seed + start, count)
    print(f"{well} of {options.schedules} schedules gave the same batches (seed {options.seed})")
    return 0 if well == options.schedules else 1


def main():
    options = arguments()
    if options.here:
        run_here(options)
        return 0
    return run_all(options)


if __name__ == "__main__":
    sys.exit(main())
