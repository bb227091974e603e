"""Workers of a running iterator: one more, one parked, one ended.

A worker that is not needed any more is parked first: it gets no more tasks, and comes back without being started.
After PARKED_NS without a task it is ended, by a task that makes it exit with code 0, so that its memory comes back.

A worker that imports before it works gets no task until it lives: batches are yielded in order, so the training loop
would wait for its first one through all of the start. A forked one works at once.
"""
from __future__ import annotations

import warnings
from time import monotonic_ns, thread_time_ns
from typing import TYPE_CHECKING, Any, Callable

import torch.multiprocessing

from .._report import warn_of
from . import releases
from .worker import Task

if TYPE_CHECKING:
    from collections.abc import Container
    from types import ModuleType

    from .routing import Router

PARKED_NS = 10_000_000_000
START_BUDGET_NS = 40_000_000  # of starting workers between two batches
LONGEST_START_NS = 30_000_000_000  # then it gets tasks, whether anything was seen of it or not
END_SECONDS = 5


class Pool:
    """Of one iterator, to which it holds no reference. One thread: whoever calls next() on it."""

    def __init__(
        self,
        dataloader: ModuleType,
        context: Any,
        lease: Callable[[int], Any],
        lives: Callable[[int], bool],
        start_took: Callable[[int], Any],
        workers: int,
        spared: int | None,
        may_start: Callable[[], bool],
    ) -> None:
        """`dataloader`: PyTorch's module. `context`: of multiprocessing, None: the default one. `lease`: called with a
        worker's id before it is started. `lives`: whether the worker of that index has come to life. `start_took`:
        called after a start with the CPU time that took, ns. `spared`: where there are more workers, the death of one
        need not end the run (stand_in.py); None: it always does. `may_start`: whether another one would see what the
        others saw."""
        self._dataloader = dataloader
        self._context = context or torch.multiprocessing
        self._lease = lease
        self._lives = lives
        self._start_took = start_took
        self._next_id = workers
        self._spared = spared
        self._may_start = may_start
        self._parked_since: dict[int, int] = {}  # by worker, ns
        self._starting_since: dict[int, int] = {}  # the same, of those that do not live yet
        self._ending: set[int] = set()

    def resize(self, it: Any, router: Router, wanted: int) -> bool:
        """One step towards `wanted` workers; True when there are as many, though some may not live yet."""
        while router.seats > wanted:
            self._parked_since[router.park_last()] = monotonic_ns()
        until = monotonic_ns() + START_BUDGET_NS
        while router.seats < wanted and self._unpark(router):
            pass
        if router.seats < wanted and not self._may_start():
            return True
        while router.seats < wanted:
            if not self._start(it, router):
                return True
            if monotonic_ns() > until:
                break
        return router.seats == wanted

    def look_for_life(self, router: Router) -> None:
        now = monotonic_ns()
        for worker, since in list(self._starting_since.items()):
            if self._lives(worker) or now - since > LONGEST_START_NS:
                del self._starting_since[worker]
                router.lives(worker)

    @property
    def parked(self) -> Container[int]:
        return self._parked_since.keys()

    def _unpark(self, router: Router) -> bool:
        if not self._parked_since:
            return False
        worker = min(self._parked_since)
        del self._parked_since[worker]
        router.unpark(worker, worker not in self._starting_since)
        return True

    def _start(self, it: Any, router: Router) -> bool:
        began = thread_time_ns()
        try:
            self._append(it)
        except Exception:
            warn_of("no further worker can be started")
            return False
        self._start_took(thread_time_ns() - began)
        forked = self._context.get_start_method() == "fork"
        worker = router.added(lives=forked)
        if not forked:
            self._starting_since[worker] = monotonic_ns()
        return True

    def _append(self, it: Any) -> None:
        worker_id = self._next_id
        self._lease(worker_id)
        queue = self._context.Queue()
        queue.cancel_join_thread()
        loop = self._dataloader._utils.worker._worker_loop
        process = self._context.Process(target=loop, args=releases.worker_arguments(it, loop, queue, worker_id))
        process.daemon = True
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            process.start()
        it._index_queues.append(queue)
        it._workers.append(process)
        it._workers_status.append(True)
        releases.worker_added(it, process)
        self._next_id += 1
        it._num_workers = len(it._workers)
        self.watch_over(it)

    def watch_over(self, it: Any) -> None:
        """A worker's death is noticed, whoever started it. Where it need not end the run only who waits for a batch
        notices: PyTorch's handler of SIGCHLD raises wherever the trainer is."""
        handling = self._dataloader._utils.signal_handling
        handling._remove_worker_pids(id(it))
        watched = it._workers if self._spared is None or len(it._workers) <= self._spared else ()
        handling._set_worker_pids(id(it), tuple(worker.pid for worker in watched))

    def end_idle(self, it: Any, router: Router, now: int) -> list[int]:
        """Ends workers that have been parked for long; returns their indices once they are gone."""
        for worker, since in list(self._parked_since.items()):
            if now - since > PARKED_NS and router.load[worker] == 0:
                self._end(it, worker)
        gone = [worker for worker in self._ending if it._workers[worker].exitcode is not None]
        self._ending.difference_update(gone)
        return gone

    def _end(self, it: Any, worker: int) -> None:
        del self._parked_since[worker]
        it._workers_status[worker] = False
        it._index_queues[worker].put((-1, Task(None, retire=True)))
        self._ending.add(worker)

    def compact(self, it: Any) -> list[int]:
        """Before an iterator is reset: only living workers remain, the parked ones parked. Returns the indices of the
        others."""
        gone = [worker for worker, alive in enumerate(it._workers_status) if not alive]
        for worker in gone:
            it._workers[worker].join(END_SECONDS)
            it._index_queues[worker].cancel_join_thread()
            it._index_queues[worker].close()
        keep = [worker for worker in range(len(it._workers)) if worker not in gone]
        self._parked_since = {place: self._parked_since[w] for place, w in enumerate(keep) if w in self._parked_since}
        self._starting_since.clear()  # each of them answers before the epoch begins
        it._workers = [it._workers[worker] for worker in keep]
        it._index_queues = [it._index_queues[worker] for worker in keep]
        it._num_workers = len(keep)
        self._ending.clear()
        if gone:
            self.watch_over(it)
        return gone
