"""One measured loader: its segment, what is asked of its knobs, and what holds them.

Scripts that make their loader anew for each epoch have one probe for all of them (take_over). Methods are called by
the threads that iterate over the loader, usually one.
"""
from __future__ import annotations

import os
import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable

from .. import _callbacks
from . import draws, files
from .counters import Counters
from .holds import Holds
from .meter import RowTimes
from .requests import Requests, setting_of
from .shape import is_iterable, kind_of, rows_of, shape_of, start_method

if TYPE_CHECKING:
    from torch.utils.data import DataLoader

    from .._settings import Settings
    from .iteration import Iteration
    from .selfcheck import Trust


# CPU time of a worker's start until one has been measured. What a forked one does not take is what the trainer's own
# start took, imports and all, which is what is assumed else.
FORKED_START_NS = 60_000_000


def _reference(value: Any) -> Callable[[], Any]:
    """A weak one; to nothing where there can be none."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: None


class Probe:
    def __init__(self, loader: DataLoader, settings: Settings, trust: Trust) -> None:
        """Raises SegmentError or LibraryError where no segment can be had."""
        self.pid = os.getpid()
        self.making = threading.RLock()  # an iterator: the loader has other attributes then
        self.level = settings.repro
        self.advise = settings.advise
        self.tune_threads = settings.tune_threads and not settings.advise
        self.shape = shape_of(loader, self.level)
        roots = (loader.dataset, loader.collate_fn, loader.worker_init_fn)
        self.shape.asks_worker = not is_iterable(loader) and draws.knows_worker(roots) is not None
        self.forks = start_method(loader) == "fork"
        if self.forks:
            self.shape.open_files = files.open_files()
        self.batch_rows = self.shape.batch_rows
        self._kind = kind_of(loader)
        self._dataset = _reference(loader.dataset)
        self._rows = rows_of(loader)
        self.iterations: weakref.WeakSet[Iteration] = weakref.WeakSet()  # that have not ended
        self.row_times = RowTimes()  # of the trainer's own fetches
        self.longest_fetch = 0.0  # of a batch by the trainer itself, where the script has no workers, s
        self._epoch = 0
        self._loader_epoch = 0  # of the loader that it has now
        self.counters = Counters(self.shape, settings)
        self.segment, self.ids = self.counters.segment, self.counters.ids
        self.news = _callbacks.News(self.segment)
        self.requests = Requests(self.counters, setting_of(loader))
        self.holds = Holds(self.counters, self.requests, loader, self.shape, settings, trust)
        if self.forks:
            self.segment.start_took(0, FORKED_START_NS)
        self.segment.set_running()

    @property
    def reseeds(self) -> bool:
        """Whether each task is seeded on its own."""
        return not self.advise and self.level != "strict"

    def row_count(self, index: Any) -> int:
        """Of the batch that is fetched by it."""
        if index is None:
            return self.batch_rows
        return len(index) if hasattr(type(index), "__len__") else 1

    def fits(self, loader: DataLoader) -> bool:
        """Whether `loader` stands where a loader stood that is gone. The same data set may have grown since."""
        idle = self.pid == os.getpid() and not self.iterations
        same = self._dataset() is loader.dataset or self._rows == rows_of(loader)
        return idle and same and self._kind == kind_of(loader) and self.shape == shape_of(loader, self.level)

    def take_over(self, loader: DataLoader) -> None:
        """The loader before is gone, and this one was made in its place."""
        other_data = self._dataset() is not loader.dataset
        self._dataset = _reference(loader.dataset)
        self._rows = rows_of(loader)
        self._loader_epoch = 0
        if other_data:
            self.row_times = RowTimes()
        self.holds.loader_made_anew(other_data)

    def follow(self, loader: DataLoader) -> None:
        """The user has set the loader's own attributes since: that is the start now."""
        start = setting_of(loader)
        if start != self.requests.start:
            self.requests.start_from(start)
        self.holds.look_within(loader)

    def begin_epoch(self) -> int:
        """The loader's own number of it, from 1."""
        self.requests.arrived()
        self._epoch += 1
        self._loader_epoch += 1
        self.counters.epoch_begins(self._epoch)
        return self._loader_epoch
