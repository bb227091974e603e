"""One loader's segment: the slots of its workers, and what is told of its epochs and settings."""
from __future__ import annotations

from time import monotonic_ns
from typing import TYPE_CHECKING

from .. import _segment
from .._report import warn
from . import graph

if TYPE_CHECKING:
    from .._settings import Settings
    from .shape import LoaderShape


class Counters:
    """Called by the threads that iterate over the loader, usually one. Counting never fails."""

    def __init__(self, shape: LoaderShape, settings: Settings) -> None:
        """Raises SegmentError or LibraryError where no segment can be had."""
        description, self.ids = graph.describe(shape, settings)
        self.segment = description.create(settings.folder)
        if self.segment.warning:
            warn(self.segment.warning, about="where segments are")
        self._free_slots: list[int] = []
        self.tasks = 0  # drawn in all epochs so far
        self.sampler_slot = self.segment.first_slot(self.ids.sampler)
        self.pin_slot = None if self.ids.pin is None else self.segment.first_slot(self.ids.pin)

    # ---- the slots of workers ----

    def lease_slot(self) -> int | None:
        """Slots of ended workers are used again: there are 1024 for the whole run. None: all are used."""
        return self._free_slots.pop() if self._free_slots else self.segment.add_worker(self.ids.fetch.op)

    def return_slot(self, slot: int | None) -> None:
        if slot is None:
            return
        self.segment.worker_retire(slot, monotonic_ns())
        self._free_slots.append(slot)

    # ---- what is told ----

    def epoch_begins(self, epoch: int) -> None:
        """`epoch`: counted from 1."""
        self.segment.set_epoch(epoch - 1)
        self.segment.heartbeat(monotonic_ns())
        self.segment.worker_begin(self.sampler_slot, monotonic_ns())
        self.segment.worker_enter(self.sampler_slot, _segment.BACKED_UP, monotonic_ns())

    def in_force(self, workers: int, capacity: int) -> None:
        now = monotonic_ns()
        self.segment.knob_apply(self.ids.workers, workers)
        self.segment.knob_apply(self.ids.capacity, capacity)
        self.segment.set_capacity(self.ids.fetch.batches, capacity, now)
        self.segment.set_capacity(self.ids.fetch.tasks, graph.in_flight(capacity, workers), now)
        if self.ids.pinned is not None:
            self.segment.set_capacity(self.ids.pinned, capacity, now)

    def note(self, sentence: str) -> None:
        """An event in the segment."""
        self.segment.log(monotonic_ns(), sentence)

    def drain(self, now: int) -> None:
        """Nothing is on its way any more; `now` in ns."""
        for connector in (self.ids.fetch.tasks, self.ids.fetch.batches, self.ids.pinned):
            if connector is not None:
                self.segment.drain(connector, now)

    # ---- what was counted ----

    @property
    def fetched(self) -> int:
        """Batches, by all workers."""
        return self.segment.op_items(self.ids.fetch.op)

    @property
    def drawn(self) -> int:
        """Fetches that drew random numbers; 0 where nobody looks."""
        return self._items_of(self.ids.fetch.random)

    @property
    def worker_asked(self) -> int:
        """Workers in which the data set has asked for the worker's id; 0 where nobody looks."""
        return self._items_of(self.ids.fetch.worker_id)

    @property
    def one_file(self) -> int:
        """Those whose rows write to one file again and again; 0 where nobody looks."""
        return self._items_of(self.ids.fetch.one_file)

    @property
    def other_rows(self) -> int:
        """Those that made a row that was another one in the trainer; 0 where nobody looks."""
        return self._items_of(self.ids.fetch.other_rows)

    @property
    def changing(self) -> int:
        """Those whose rows change what they are made of; 0 where nobody looks."""
        return self._items_of(self.ids.fetch.changes)

    @property
    def moved(self) -> int:
        """Those in which a fetch has moved the position of a file that was open before; 0 where nobody looks."""
        return self._items_of(self.ids.fetch.moved)

    def _items_of(self, part: int | None) -> int:
        return 0 if part is None else self.segment.op_items(part)
