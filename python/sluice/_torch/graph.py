"""The description of one loader: its ops, connectors and knobs.

    sampler -> fetch -> (pin) -> consumer
                |-- start-up, random, sample, one per transform, collate: parts of fetch

`fetch.workers` is num_workers. `fetch.capacity` is how many finished batches may wait; with n workers,
capacity + n - 1 batches are on their way in all, so that prefetch_factor p is a capacity of p*n - n + 1.
"""
import os
import resource
from dataclasses import dataclass, field

from .. import _segment
from .._measure import program_name
from . import transforms
from .worker import FetchIds

MOST_WORKERS = 64
MOST_CAPACITY = 1024
DESCRIPTORS_PER_WORKER = 8  # pipes, semaphores and the sentinel of one more worker, with room to spare
SPARE_DESCRIPTORS = 64


def capacity_of(prefetch_factor, workers):
    """The capacity that a prefetch_factor amounts to."""
    return max(prefetch_factor * workers - workers + 1, 1)


def in_flight(capacity, workers):
    """Batches on their way, at most."""
    return capacity + max(workers, 1) - 1


def free_descriptors():
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0] - len(os.listdir("/proc/self/fd"))


def most_workers(present):
    by_files = present + max(free_descriptors() - SPARE_DESCRIPTORS, 0) // DESCRIPTORS_PER_WORKER
    return max(min(MOST_WORKERS, by_files), present, 1)


@dataclass
class LoaderIds:
    """Where a loader is counted; ids of its segment."""

    sampler: int = 0
    fetch: FetchIds = field(default_factory=FetchIds)
    pin: int = None
    pinned: int = None  # the connector behind the pin thread
    workers: int = 0
    capacity: int = 0

    @property
    def last(self):
        """The connector that the consumer takes from."""
        return self.fetch.batches if self.pinned is None else self.pinned


@dataclass
class LoaderShape:
    """What a description needs to know of a loader."""

    name: str
    batch_rows: int
    workers: int
    prefetch: int
    pins: bool
    watched: bool  # random draws in fetches are counted
    transforms: list  # names, per Compose
    least_workers: int
    workers_effect: int  # LIVE, NEXT_EPOCH or NEXT_RUN
    capacity_effect: int
    asks_worker: bool = field(default=False, compare=False)  # code names get_worker_info: reads are counted


def describe(shape, settings):
    """Returns a description and the ids in it."""
    made = _segment.Description(program_name(shape.name))
    if settings.run_id:
        made.run_id(settings.run_id)
    ids = LoaderIds()
    _add_ops(made, ids, shape)
    _add_connectors(made, ids, shape)
    _add_knobs(made, ids, shape)
    return made, ids


def _add_ops(made, ids, shape):
    fetch = ids.fetch
    ids.sampler = made.op("sampler", "source", serial=True, rows_per_item=shape.batch_rows)
    fetch.op = made.op("fetch", "map", rows_per_item=shape.batch_rows)
    fetch.start_up = made.part("start-up", fetch.op)
    if shape.watched:
        fetch.random = made.part("random", fetch.op)
    if shape.asks_worker:
        fetch.worker_id = made.part("worker id", fetch.op)
    fetch.sample = made.part("sample", fetch.op)
    fetch.transforms = [[made.part(name, fetch.op) for name in names] for names in shape.transforms]
    fetch.collate = made.part("collate", fetch.op)
    if shape.pins:
        ids.pin = made.op("pin", "map", serial=True, rows_per_item=shape.batch_rows)


def _add_connectors(made, ids, shape):
    fetch = ids.fetch
    capacity = capacity_of(shape.prefetch, shape.workers)
    fetch.tasks = made.connector("sampler->fetch", ids.sampler, fetch.op, in_flight(capacity, shape.workers))
    if ids.pin is None:
        fetch.batches = made.connector("fetch->consumer", fetch.op, _segment.CONSUMER, capacity)
        return
    fetch.batches = made.connector("fetch->pin", fetch.op, ids.pin, capacity)
    ids.pinned = made.connector("pin->consumer", ids.pin, _segment.CONSUMER, capacity)


def _add_knobs(made, ids, shape):
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


def find_transforms(dataset):
    return transforms.part_names(transforms.find_composes(dataset))
