"""The description of one loader: its ops, connectors and knobs.

    sampler -> fetch -> (pin) -> consumer
                |-- start-up, random, sample, one per transform, collate: parts of fetch

`fetch.workers` is num_workers. `fetch.capacity` is how many finished batches may wait; with n workers,
capacity + n - 1 batches are on their way in all, so that prefetch_factor p is a capacity of p*n - n + 1.
"""
from __future__ import annotations

import os
import resource
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .. import _segment
from .._measure import program_name
from .meter import FetchIds

if TYPE_CHECKING:
    from .._settings import Settings
    from .shape import LoaderShape

MOST_WORKERS = 64
MOST_CAPACITY = 1024
DESCRIPTORS_PER_WORKER = 8  # pipes, semaphores and the sentinel of one more worker, with room to spare
SPARE_DESCRIPTORS = 64


def capacity_of(prefetch_factor: int, workers: int) -> int:
    """The capacity that a prefetch_factor amounts to."""
    return max(prefetch_factor * workers - workers + 1, 1)


def in_flight(capacity: int, workers: int) -> int:
    """Batches on their way, at most."""
    return capacity + max(workers, 1) - 1


def free_descriptors() -> int:
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0] - len(os.listdir("/proc/self/fd"))


def most_workers(present: int) -> int:
    by_files = present + max(free_descriptors() - SPARE_DESCRIPTORS, 0) // DESCRIPTORS_PER_WORKER
    return max(min(MOST_WORKERS, by_files), present, 1)


@dataclass
class LoaderIds:
    """Where a loader is counted; ids of its segment."""

    sampler: int = 0
    fetch: FetchIds = field(default_factory=FetchIds)
    pin: int | None = None
    pinned: int | None = None  # the connector behind the pin thread
    workers: int = 0
    capacity: int = 0

    @property
    def last(self) -> int:
        """The connector that the consumer takes from."""
        return self.fetch.batches if self.pinned is None else self.pinned


def describe(shape: LoaderShape, settings: Settings) -> tuple[_segment.Description, LoaderIds]:
    """Returns a description and the ids in it. Raises SegmentError or LibraryError."""
    made = _segment.Description(program_name(shape.name))
    if settings.run_id:
        made.run_id(settings.run_id)
    ids = LoaderIds()
    _add_ops(made, ids, shape)
    _add_connectors(made, ids, shape)
    _add_knobs(made, ids, shape)
    return made, ids


def _add_ops(made: _segment.Description, ids: LoaderIds, shape: LoaderShape) -> None:
    fetch = ids.fetch
    ids.sampler = made.op("sampler", "source", serial=True, rows_per_item=shape.batch_rows)
    fetch.op = made.op("fetch", "map", rows_per_item=shape.batch_rows)
    fetch.start_up = made.part("start-up", fetch.op)
    if shape.watched:
        fetch.random = made.part("random", fetch.op)
    if shape.asks_worker:
        fetch.worker_id = made.part("worker id", fetch.op)
    if shape.open_files:
        fetch.moved = made.part("open files", fetch.op)
    if shape.alone:
        fetch.one_file = made.part("one file", fetch.op)
    if shape.workers == 0:
        fetch.other_rows = made.part("other rows", fetch.op)
    if shape.strict and shape.workers > 0:
        fetch.changes = made.part("changes", fetch.op)
    fetch.sample = made.part("sample", fetch.op)
    fetch.transforms = [[made.part(name, fetch.op) for name in names] for names in shape.transforms]
    fetch.collate = made.part("collate", fetch.op)
    if shape.pins:
        ids.pin = made.op("pin", "map", serial=True, rows_per_item=shape.batch_rows)


def _add_connectors(made: _segment.Description, ids: LoaderIds, shape: LoaderShape) -> None:
    fetch = ids.fetch
    capacity = capacity_of(shape.prefetch, shape.workers)
    fetch.tasks = made.connector("sampler->fetch", ids.sampler, fetch.op, in_flight(capacity, shape.workers))
    if ids.pin is None:
        fetch.batches = made.connector("fetch->consumer", fetch.op, _segment.CONSUMER, capacity)
        return
    fetch.batches = made.connector("fetch->pin", fetch.op, ids.pin, capacity)
    ids.pinned = made.connector("pin->consumer", ids.pin, _segment.CONSUMER, capacity)


def _add_knobs(made: _segment.Description, ids: LoaderIds, shape: LoaderShape) -> None:
    capacity = capacity_of(shape.prefetch, shape.workers)
    ids.workers = made.knob(
        "fetch.workers",
        _segment.KNOB_WORKERS,
        ids.fetch.op,
        min(shape.least_workers, shape.workers),
        most_workers(shape.workers),
        shape.workers,
        shape.workers_effect,
    )
    ids.capacity = made.knob(
        "fetch.capacity",
        _segment.KNOB_CAPACITY,
        ids.fetch.batches,
        1,
        max(MOST_CAPACITY, capacity),
        capacity,
        shape.capacity_effect,
    )
