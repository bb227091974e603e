"""Whether a PyTorch that Sluice was never run with may be changed: tried out on a loader of its own.

The trial runs where nothing of the trainer's can come to harm: in a child that is started as the script's own workers
are. A script that forks its workers gets a fork, for as long as three workers take to start, which touches nothing but
the trial's own loader and leaves by _exit. One that does not (spawn, forkserver: because its threads or its accelerator
do not bear a fork) gets a fresh interpreter, which imports PyTorch first; nobody waits for that, and loaders are
measured only until it has passed.
"""
from __future__ import annotations

import contextlib
import gc
import os
import shutil
import signal
import sys
import tempfile
import time
import warnings
from typing import TYPE_CHECKING, Any, NoReturn

from torch.utils.data.dataset import Dataset

from .._report import warn
from .._settings import Settings
from .._signals import Deferred, is_raised_by_handler, let_through
from . import releases

if TYPE_CHECKING:
    from torch.utils.data import DataLoader

    from .probe import Probe
    from .releases import Signatures

ROWS = 12
DEADLINE = 10  # seconds; a trial that takes longer has failed
START_DEADLINE = 120  # seconds that a fresh interpreter has in addition; nobody waits for it


class Trust:
    """Whether this PyTorch may be changed. One per process."""

    def __init__(self, found: Signatures, version: str) -> None:
        self.version = version
        self.news = releases.news(found, version)
        self._verdict = None if self.news else True  # None: not known yet
        self._trial: _Child | None = None
        self._owner: int | None = None  # process of the trial: a forked trainer cannot wait for it

    def may_change(self) -> bool:
        """Also looks how the trial is getting on."""
        if self._owner != os.getpid():
            self._trial = None
        if self._trial is not None:
            try:
                self._conclude(self._trial.passed())
            except OSError:
                let_through()
                self._conclude(False)
        return self._verdict is True

    def try_out(self, start_method: str) -> None:
        """A loader is there that would be changed. `start_method`: of its workers."""
        if self.may_change() or self._verdict is not None or self._trial is not None:
            return
        self._owner = os.getpid()
        try:
            if start_method == "fork":
                self._conclude(_fork().wait())
            else:
                self._trial = _spawn()
        except OSError:  # no process to be had, or somebody else has waited for it
            let_through()
            self._conclude(False)

    def _conclude(self, passed: bool | None) -> None:
        if passed is None:
            return
        self._verdict, self._trial = passed, None
        if not passed:
            warn(
                f"PyTorch {self.version} is new to Sluice, and a trial failed (sluice doctor says how): "
                "loaders are measured, not changed"
            )


# ---- the child ----


class _Child:
    """A process that ends with 0 when the trial has passed."""

    def __init__(self, pid: int, seconds: float) -> None:
        self._pid = pid
        self._until = time.monotonic() + seconds

    def passed(self) -> bool | None:
        """None while it runs."""
        pid, status = os.waitpid(self._pid, os.WNOHANG)
        if pid != 0:
            return status == 0
        if time.monotonic() < self._until:
            return None
        self.end()
        return False

    def wait(self) -> bool:
        try:
            while (passed := self.passed()) is None:
                time.sleep(0.001)
            return passed
        except BaseException:
            if is_raised_by_handler():
                self.end()
            raise

    def end(self) -> None:
        os.killpg(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)


def _fork() -> _Child:
    child = None
    try:
        with Deferred(), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # newer Pythons warn of forks beside threads
            pid = os.fork()
            if pid == 0:
                _be_the_child()
            with contextlib.suppress(OSError):
                os.setpgid(pid, pid)  # as the child does: whoever is first
            child = _Child(pid, DEADLINE)
    except BaseException:  # of a handler that has waited
        if child is not None:
            child.end()
        raise
    return child


def _be_the_child() -> NoReturn:
    """Never returns, and lets nothing of the trainer's come to an end: a collected iterator would end its workers."""
    try:
        os.setpgid(0, 0)
        gc.disable()
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(null, descriptor)
        _pass_or_die(DEADLINE)
        os._exit(0)
    finally:
        os._exit(1)


def _spawn() -> _Child:
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    code = "import sys; sys.path.insert(0, sys.argv[1]); from sluice._torch import selfcheck; selfcheck.main()"
    null = [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_RDWR, 0) for descriptor in range(3)]
    command = [sys.executable, "-W", "ignore", "-c", code, package]
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=null, setpgroup=0)
    return _Child(pid, START_DEADLINE + DEADLINE)


def main() -> None:
    _pass_or_die(START_DEADLINE)


def _pass_or_die(seconds: int) -> None:
    """In a process group of its own, which dies as a whole: a worker that has hardly begun does not notice by itself
    that it is left alone."""
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(0, signal.SIGKILL))  # should nobody wait any more
    signal.alarm(seconds)
    try:
        trial()
    except BaseException:
        os.killpg(0, signal.SIGKILL)


# ---- the trial ----


class Rows(Dataset):  # type: ignore[misc]
    """Row i is (i, the process that fetched it)."""

    def __len__(self) -> int:
        return ROWS

    def __getitem__(self, index: int) -> tuple[int, int]:
        return index, os.getpid()


class Failed(Exception):  # noqa: N818
    """Says what did not hold."""


def _check(holds: bool, sentence: str) -> None:
    if not holds:
        raise Failed(sentence)


# After the row of that number: workers, capacity. One worker at first. Few are started: each is a fork.
CHANGES = {1: (2, 4), 7: (1, 2)}


def trial() -> None:
    """Grows, parks, ends and begins anew, on a loader of its own. Raises what went wrong."""
    folder = tempfile.mkdtemp(prefix="sluice-trial-")
    try:
        _try_in(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _try_in(folder: str) -> None:
    from torch.utils.data import dataloader

    from . import patches, pool
    from .probe import Probe

    pool.PARKED_NS = 0  # a parked worker is ended as soon as somebody looks
    patches.install(dataloader, all_loaders=False)
    loader = dataloader.DataLoader(
        Rows(), num_workers=1, persistent_workers=True, multiprocessing_context="fork", collate_fn=list
    )
    probe = Probe(loader, Settings(folder=folder), _Trusted())
    patches.remember(patches.wrap(loader), probe)
    workers: set[Any] = set()
    _check(_epoch(loader, probe, CHANGES, workers) == 2, "a second worker was asked for, and had no part")
    _check(len(loader._iterator._sluice.router.active) == 1, "one worker was to be active in the end")
    _check(_epoch(loader, probe, {}, workers) == 1, "a worker that was ended had a part in the next epoch")
    loader._iterator = None
    _check(all(worker.exitcode == 0 for worker in workers), "not every worker has ended by itself")


def _epoch(loader: DataLoader, probe: Probe, changes: dict[int, tuple[int, int]], workers: set[Any]) -> int:
    """How many workers had a part in it; adds all that there were to `workers`."""
    rows, fetchers = [], set()
    for ((row, fetcher),) in loader:
        rows.append(row)
        fetchers.add(fetcher)
        _check(loader._iterator.__dict__.get("_sluice") is not None, "an iterator was not measured")
        _check(loader._iterator._sluice.router is not None, "an iterator's tasks are not dealt out by Sluice")
        loader._iterator._sluice._beat = 0
        workers.update(loader._iterator._workers)
        if row in changes:
            probe.segment.knob_request(probe.ids.workers, changes[row][0])
            probe.segment.knob_request(probe.ids.capacity, changes[row][1])
    _check(rows == list(range(ROWS)), f"the order was not kept: {rows}")
    return len(fetchers)


class _Trusted(Trust):
    """That of the trial itself."""

    def __init__(self) -> None:
        pass

    def may_change(self) -> bool:
        return True
