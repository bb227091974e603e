"""The trainer in place of workers that have died or answer nothing: it fetches what they were to fetch, to the end of
the epoch.

Where a script has no workers, its run cannot end by the death of one. Where it has, those that came on top may be what
the memory does not suffice for.
"""
from __future__ import annotations

import signal
from multiprocessing import connection
from typing import TYPE_CHECKING, Any, Callable

from torch._utils import ExceptionWrapper
from torch.utils.data import _utils

from .._signals import let_through
from . import releases

if TYPE_CHECKING:
    from .meter import FetchMeter
    from .routing import Router
    from .worker import Task

# Without a batch: a worker that was forked while another thread held a lock may wait for ever. Others import first.
SILENT_SECONDS, SILENT_FROM_START_SECONDS = 10.0, 30.0
SILENT_FETCHES = 10  # times the trainer's own longest fetch: workers share its cores
END_SECONDS = 1.0  # from a connection's end to that of its process
OUT_OF_MEMORY = (-signal.SIGKILL, -signal.SIGBUS)  # how a worker ends for which there is none, /dev/shm included


class SilenceError(Exception):
    """No batch came for long."""


class Silence:
    """How long no batch has come, counted by PyTorch's own looks: a process that is stopped does not look."""

    def __init__(self, longest_fetch: float, forked: bool) -> None:
        """`longest_fetch`: of the trainer itself, s. `forked`: the workers are."""
        self._most = max(SILENT_SECONDS if forked else SILENT_FROM_START_SECONDS, SILENT_FETCHES * longest_fetch)
        self._seconds = 0.0

    def heard(self, anything: bool) -> None:
        """After a look. Raises SilenceError."""
        self._seconds = 0.0 if anything else self._seconds + _utils.MP_STATUS_CHECK_INTERVAL
        if self._seconds >= self._most:
            raise SilenceError


class AsItCame(ExceptionWrapper):  # type: ignore[misc]
    """An error of a fetch by the trainer: raised as it is, where that of a worker is told of."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def reraise(self) -> None:
        raise self._error


def loss(it: Any, router: Router, own_workers: int, error: Exception) -> str | None:
    """What has become of an iterator's workers, in words, where `error` came of it and the bare run would have gone
    on."""
    _await_end(it._workers)
    if own_workers > 0:
        ends = [worker.exitcode for worker in it._workers if worker.exitcode in OUT_OF_MEMORY]
        return _ended(ends[0]) if ends and len(it._workers) > own_workers else None
    if isinstance(error, SilenceError):
        return "workers answer nothing"
    ends = [worker.exitcode for worker, load in zip(it._workers, router.load) if worker.exitcode or load > 0]
    early = [end for end in ends if end is not None]
    return _ended(early[0]) if early else f"what workers send does not arrive ({type(error).__name__}: {error})"


def _await_end(workers: list[Any]) -> None:
    """One that dies closes its connections before anybody can see its end."""
    living = {worker.sentinel: worker for worker in workers if worker.exitcode is None}
    for sentinel in connection.wait(living, 0 if len(living) < len(workers) else END_SECONDS):
        living[sentinel].join(END_SECONDS)


def _ended(code: int) -> str:
    if code >= 0:
        return f"a worker ended with exit code {code}"
    try:
        return f"a worker was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"a worker was ended by signal {-code}"


class StandIn:
    """Of one iterator, to which it holds no reference. One thread: whoever calls next() on it."""

    def __init__(self, it: Any, meter: FetchMeter, tagged: Callable[[int, Any], Task] | None) -> None:
        """Ends the workers. `tagged`: marks a task as it would be sent to one."""
        for worker in it._workers:
            if worker.exitcode is None:
                worker.kill()
        it._workers_status = [True] * len(it._workers)  # the tasks of others would be left out
        self._tagged = tagged
        self._fetcher = releases.fetcher_of(it)
        meter.adopt(self._fetcher)

    def fetch(self, it: Any, router: Router) -> Any:
        """The answer to the task that is to be yielded next."""
        task, index = router.next_task(it)
        return task, fetch(it, self._fetcher, index if self._tagged is None else self._tagged(task, index))


def fetch(it: Any, fetcher: Any, index: Any) -> Any:
    """As an iterator without workers fetches, but for the error, which is returned."""
    try:
        return releases.pinned(it, fetcher.fetch(index))
    except Exception as error:
        let_through()
        return AsItCame(error)
