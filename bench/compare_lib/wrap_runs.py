"""A training run of wrap_side.py, bare or through `sluice wrap`, each in a fresh process."""

import json
import os
import subprocess
import threading
import time
from pathlib import Path

from .errors import SideFailed
from .others import everything_below
from .rates import Taken
from .torch_runs import need_torch

PYTHON = "/usr/bin/python3"
PSS_EVERY_SECONDS = 0.1


class WrapRuns:
    """Runs one kind of work. `program`: the sluice to wrap with."""

    def __init__(self, program, work, folder="-"):
        need_torch()
        self.program = program
        self.work = work
        self.folder = folder

    def taken(self, workers, seconds, wrapped=False, options=()):
        """What was taken when; None of it is dropped."""
        return self._measure(workers, seconds, wrapped, options, None)

    def peak_memory(self, workers, seconds, wrapped=False, options=()):
        """(what was taken, greatest PSS of all processes of the run in bytes, the wrapper's left out)."""
        meter = _PeakMeter()
        taken = self._measure(workers, seconds, wrapped, options, meter)
        return taken, meter.peak

    def _measure(self, workers, seconds, wrapped, options, meter):
        side = Path(__file__).with_name("wrap_side.py")
        command = [PYTHON, "-W", "ignore", str(side), self.work, str(self.folder), str(workers), str(seconds)]
        if wrapped:
            command = [str(self.program), "wrap", "--quiet", *options, "--", *command]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if meter is not None:
            meter.start(process.pid, leave_out_root=wrapped)
        output, errors = process.communicate(timeout=10 * seconds + 300)
        if meter is not None:
            meter.stop()
        if process.returncode != 0:
            raise SideFailed(f"{' '.join(command)} ended with {process.returncode}:\n{errors.strip()}")
        measured = json.loads(output)
        moments = enumerate(measured["moments"], start=1)
        return Taken([(moment, count * measured["batch"]) for count, moment in moments])


class _PeakMeter:
    """Adds up the PSS of a process tree ten times a second.

    A sum during which a process began or ended does not count: what several share is counted for those that were read
    before, and once more for those that are left.
    """

    def __init__(self):
        self.peak = 0
        self._over = threading.Event()

    def start(self, root, leave_out_root):
        self._thread = threading.Thread(target=self._watch, args=(root, leave_out_root), daemon=True)
        self._thread.start()

    def stop(self):
        self._over.set()
        self._thread.join()

    def _watch(self, root, leave_out_root):
        while not self._over.is_set():
            begin = time.perf_counter()
            pids = everything_below(root)
            found = [_pss(pid) for pid in pids if pid != root or not leave_out_root]
            if None not in found and everything_below(root) == pids:
                self.peak = max(self.peak, sum(found))
            self._over.wait(max(PSS_EVERY_SECONDS - (time.perf_counter() - begin), 0.01))


def _pss(pid):
    """None: it has ended, whether anybody has noticed or not."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
    except (OSError, StopIteration, ValueError):
        return None
