"""Runs of short_side.py, bare or through `sluice wrap`: whole-run time and CPU time, the wrapper's included."""

import json
import os
import resource
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from .errors import SideFailed

PYTHON = "/usr/bin/python3"
BATCH_SECONDS = {0: 0.032, 1: 0.024, 4: 0.0085}  # bare, of work that waits and computes; sets the number of batches
MEMORY_BATCH_SECONDS = 0.0003  # the same of rows in memory, without workers
START_SECONDS = {"fork": 0.05, "spawn": 1.0, "forkserver": 1.0}  # per worker and epoch; sets the number of epochs


@dataclass(frozen=True)
class Cell:
    """One kind of run. `epoch`: about so many seconds, start-up of workers left out."""

    epoch: float
    workers: int
    method: str = "fork"
    persistent: bool = False
    ranks: int = 1
    work: str = "both"

    @property
    def name(self):
        kept = ", persistent" if self.persistent else ""
        started = f" {self.method}{kept}" if self.workers else ""
        ranks = f", {self.ranks} ranks" if self.ranks > 1 else ""
        return f"{self.epoch:g} s, {self.workers} workers{started}{ranks}, {self.work}"

    @property
    def batches(self):
        return round(self.epoch / (MEMORY_BATCH_SECONDS if self.work == "memory" else BATCH_SECONDS[self.workers]))

    def epochs(self, seconds):
        """So many as make about `seconds`, two at least."""
        starts = 0 if self.persistent else self.workers * START_SECONDS[self.method]
        return max(round(seconds / (self.epoch + starts)), 2)


@dataclass(frozen=True)
class ShortRun:
    seconds: float
    cpu: float
    first: float  # seconds to the first batch, imports left out
    epochs: list


def _free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return str(listening.getsockname()[1])


def _command(cell, epochs):
    side = str(Path(__file__).with_name("short_side.py"))
    run = [PYTHON, "-W", "ignore", side, cell.work, str(cell.workers), cell.method, str(int(cell.persistent)),
           str(epochs), str(cell.batches)]
    if cell.ranks == 1:
        return run
    return [PYTHON, str(Path(__file__).with_name("ranks_side.py")), str(cell.ranks), _free_port(), *run]


def run(program, cell, epochs, wrapped, options=()):
    """A ShortRun. Raises SideFailed."""
    command = _command(cell, epochs)
    if wrapped:
        command = [str(program), "wrap", "--quiet", *options, "--", *command]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SideFailed(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr.strip()}")
    if done.stderr.strip():
        print(done.stderr.strip(), file=sys.stderr)
    measured = json.loads(done.stdout)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return ShortRun(seconds, cpu, measured["first"], measured["epochs"])
