"""Which worker gets which task, and how many tasks are on their way.

PyTorch deals tasks out in turn and keeps prefetch_factor * num_workers of them on their way. The router does the
same for any number of workers and any number of tasks, both changing in the middle of an epoch: a parked worker
gets no more tasks, and at most `limit` tasks are sent and not yet yielded. Batches are yielded in the order of
tasks in any case, so neither changes which batches there are or their order.

It works on the fields of PyTorch's iterator and holds no reference to it: an iterator must die at once when the
training loop drops it.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable

from . import releases

if TYPE_CHECKING:
    from collections.abc import Container

    from .worker import Task


class Router:
    """Of one iterator. One thread: whoever calls next() on it."""

    def __init__(
        self,
        workers: int,
        capacity: int,
        in_turn: bool,
        out_of_order: bool,
        tagged: Callable[[int, Any], Task],
        rests: Callable[[int], None],
    ) -> None:
        self.capacity = capacity
        self.wanted = workers  # so many are to share the tasks soon
        self.in_turn = in_turn  # as PyTorch does; else whoever has least to do is next
        self.out_of_order = out_of_order  # whoever is first is yielded first
        self._tag = tagged  # batch number, indices -> what is sent
        self._rests = rests  # told of a parked worker once it has answered everything
        self.indices: dict[int, Any] | None = None  # by task on its way, where they are kept
        self.reset(workers)

    def reset(self, workers: int, parked: Container[int] = ()) -> None:
        """A new epoch: nothing is on its way."""
        self.active = [worker for worker in range(workers) if worker not in parked]
        self.starting: list[int] = []  # get no tasks yet
        self.wanted = len(self.active)
        self.load = [0] * workers  # tasks that a worker has not answered
        self._answered = [False] * workers  # any
        self._turn = 0
        self._label_of: dict[int, int] = {}  # of a task whose place was given to another: the place it has now
        self._task_at: dict[int, int] = {}  # the reverse
        if self.indices is not None:
            self.indices = {}

    @property
    def seats(self) -> int:
        """Workers that have tasks, or will have them as soon as they live."""
        return len(self.active) + len(self.starting)

    @property
    def limit(self) -> int:
        """Tasks on their way, at most."""
        return self.capacity + max(len(self.active), 1) - 1

    @property
    def most_load(self) -> int:
        """Of one worker. While others are still being started it must not take their share: batches are yielded in
        order, so all would wait for it."""
        workers = max(self.wanted, len(self.active), 1)
        return -(-(self.capacity + workers - 1) // workers)

    def choose(self) -> int:
        """The index of the worker for the next task."""
        count = len(self.active)
        order = [self.active[(self._turn + i) % count] for i in range(count)]
        worker = order[0] if self.in_turn else min(order, key=self.load.__getitem__)
        self._turn = (self.active.index(worker) + 1) % count
        return worker

    def has_room(self) -> bool:
        return min(self.load[worker] for worker in self.active) < self.most_load

    def fill(self, it: Any, sent: Callable[[Any], None]) -> None:
        """Sends tasks until enough are on their way; calls `sent` before each."""
        while len(it._task_info) < self.limit and self.has_room():
            try:
                index = it._next_index()
            except StopIteration:
                return
            self.send(it, index, sent)

    def send(self, it: Any, index: Any, sent: Callable[[Any], None]) -> None:
        worker, batch = self.choose(), it._send_idx
        sent(index)
        if self.indices is not None:
            self.indices[batch] = index
        it._index_queues[worker].put((batch, self._tag(batch, index)))
        it._task_info[batch] = (worker,)
        it._tasks_outstanding += 1
        it._send_idx += 1
        self.load[worker] += 1
        releases.task_sent(it, worker)

    def next_task(self, it: Any) -> tuple[int, Any]:
        """The one that is to be yielded next, with its indices, which are kept no longer. Raises KeyError."""
        assert self.indices is not None
        task = self._task_at.get(it._rcvd_idx, it._rcvd_idx)
        return task, self.indices.pop(task)

    def received(self, it: Any, answer: Any) -> Any:
        """What came from a worker, under the number that the iterator shall see."""
        task, data = answer
        if not isinstance(task, int):
            return answer
        label = self._label_of.pop(task, task)
        self._task_at.pop(label, None)
        info = it._task_info.get(label)
        if info is None:  # of an epoch that was left early
            return answer
        self.load[info[0]] -= 1
        self._answered[info[0]] = True
        self._may_rest(info[0])
        if self.out_of_order:
            label = self._to_the_front(it, label)
        return (label, data)

    def _to_the_front(self, it: Any, label: int) -> int:
        """Trades places with the task that is to be yielded next and has not been answered yet."""
        front: int = it._rcvd_idx
        waiting = it._task_info.get(front)
        if label == front or waiting is None or len(waiting) != 1:
            return label
        it._task_info[front], it._task_info[label] = it._task_info[label], waiting
        displaced = self._task_at.pop(front, front)
        self._label_of[displaced] = label
        self._task_at[label] = displaced
        return front

    def park_last(self) -> int:
        """Returns who that is."""
        if self.starting:
            return self.starting.pop()
        worker = self.active[-1]
        self.park(worker)
        return worker

    def park(self, worker: int) -> None:
        self.active.remove(worker)
        self._turn = self._turn % max(len(self.active), 1)
        self._may_rest(worker)

    def _may_rest(self, worker: int) -> None:
        """One that has answered nothing may still be starting."""
        if self.load[worker] == 0 and self._answered[worker] and worker not in self.active:
            self._rests(worker)

    def unpark(self, worker: int, lives: bool) -> None:
        if lives:
            self.active = sorted([*self.active, worker])
        else:
            self.starting.append(worker)

    def added(self, lives: bool) -> int:
        """A worker was appended to the iterator's. Returns its index."""
        worker = len(self.load)
        self.load.append(0)
        self._answered.append(False)
        self.unpark(worker, lives)
        return worker

    def lives(self, worker: int) -> None:
        if worker in self.starting:
            self.starting.remove(worker)
            self.unpark(worker, lives=True)
