"""What is asked of a loader's two knobs, and how much of it is in force."""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _segment
from . import graph
from .descriptors import Descriptors
from .shape import prefetch_of

if TYPE_CHECKING:
    from torch.utils.data import DataLoader

    from .counters import Counters

LEAST_SHARED_MEMORY = 2  # times what is asked for must be free in /dev/shm


@dataclass
class Setting:
    workers: int
    capacity: int  # finished batches that may wait


def setting_of(loader: DataLoader) -> Setting:
    """The script's own."""
    return Setting(loader.num_workers, graph.capacity_of(prefetch_of(loader), loader.num_workers))


class Requests:
    """Knob requests, read from the segment and applied, but for knobs that are held. Who holds them and why is
    decided in holds.py. Called by the threads that iterate over the loader, usually one."""

    def __init__(self, counters: Counters, start: Setting) -> None:
        self._counters = counters
        self._segment = counters.segment
        self._ids = counters.ids
        self._held: dict[int, int] = {}  # by knob: because
        self._descriptors = Descriptors()
        self._asked = False
        self._serial = 0
        self.changed: bool = False  # whether workers or capacity ever were others than the script's
        self.start_from(start)

    def start_from(self, start: Setting) -> None:
        """The script's own setting is this from now on, and is wanted."""
        self.start = start
        self.wanted = Setting(start.workers, start.capacity)

    # ---- what is asked ----

    def arrived(self) -> bool:
        """Whether something is to be changed; cheap enough for every batch."""
        serial = self._segment.knob_serial
        if serial != self._serial:
            self._serial = serial
            self._take()
            self._asked = True
        return self._asked

    def _take(self) -> None:
        if self._ids.workers not in self._held:
            self.wanted.workers = self._segment.knob_requested(self._ids.workers)
        if self._ids.capacity not in self._held:
            capacity = self._segment.knob_requested(self._ids.capacity)
            self.wanted.capacity = self._within_shared_memory(capacity)
        self._keep_within_descriptors()

    def look(self, batch: Any) -> None:
        """At one that has come. What was asked for before may be too much for batches such as this one."""
        if self._descriptors.look(batch):
            self._serial -= 1

    def _keep_within_descriptors(self) -> None:
        """What the script itself asks for stays."""
        wanted, start = self.wanted, self.start
        on_the_way = graph.in_flight(wanted.capacity, wanted.workers)
        if on_the_way <= graph.in_flight(start.capacity, start.workers):
            return
        most = self._descriptors.most_batches()
        if most is None or on_the_way <= most:
            return
        wanted.workers = min(wanted.workers, max(most, start.workers))
        wanted.capacity = min(wanted.capacity, max(most - max(wanted.workers, 1) + 1, start.capacity))
        self._counters.note(
            f"a batch takes {self._descriptors.each} file descriptors on its way: no more than {wanted.workers} "
            f"workers and {wanted.capacity} batches waiting; ulimit -n raises that"
        )

    def _within_shared_memory(self, capacity: int) -> int:
        """No more than /dev/shm can take: a full one kills a worker with SIGBUS."""
        items, held = self._segment.depth(self._ids.fetch.batches)
        more = capacity - self.wanted.capacity
        if items == 0 or more <= 0 or not os.path.isdir("/dev/shm"):
            return capacity
        space = os.statvfs("/dev/shm")
        free = space.f_bavail * space.f_frsize
        if more * (held // items) * LEAST_SHARED_MEMORY <= free:
            return capacity
        self._counters.note(f"fetch.capacity {capacity} would not fit into /dev/shm: not changed")
        return self.wanted.capacity

    # ---- what is in force ----

    @property
    def turned(self) -> bool:
        """Whether anything differs from the script's settings; until then tasks are dealt out as PyTorch does."""
        return self.wanted != self.start

    @property
    def unfinished(self) -> bool:
        """Whether what is in force is not yet what is wanted."""
        return self._asked

    def ask_again(self) -> None:
        """What is in force may not be what is wanted."""
        self._asked = True

    def in_force(self, workers: int, capacity: int, done: bool) -> None:
        """What there is now; `done`: as was wanted."""
        self._asked = not done
        self.changed = self.changed or (workers, capacity) != (self.start.workers, self.start.capacity)
        self._counters.in_force(workers, capacity)

    # ---- knobs that follow no requests ----

    def because(self, knob: int) -> int:
        """Why it is held, or NOT_HELD."""
        return self._held.get(knob, _segment.NOT_HELD)

    def hold(self, knob: int, because: int) -> bool:
        """The knob goes back to where it started, at once or in the next epoch, and stays there. Returns whether that
        is news."""
        news = self.because(knob) != because
        self._held[knob] = because
        self._asked = True
        self._segment.knob_hold(knob, because)
        if knob == self._ids.workers:
            self.wanted.workers = self.start.workers
        else:
            self.wanted.capacity = self.start.capacity
        return news

    def let_go(self, knob: int) -> None:
        self._held.pop(knob, None)
        self._segment.knob_hold(knob, _segment.NOT_HELD)
        self._serial -= 1  # what was requested in the meantime counts now

    def tell_start(self) -> None:
        """The segment says that the script's own setting is in force."""
        self._segment.knob_apply(self._ids.workers, self.start.workers)
        self._segment.knob_apply(self._ids.capacity, self.start.capacity)
