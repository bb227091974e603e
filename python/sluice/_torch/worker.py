"""How clocks get around the fetches of a worker process, and of the trainer where there are no workers.

`WorkerInit` stands in for the user's worker_init_fn, which it calls; that is how it gets into a worker process,
however that was started. From then on the worker's fetches are timed (meter.py). Nothing here can make a fetch fail:
only what the data set raises is raised.
"""
from __future__ import annotations

import os
import sys
import threading
import time
from array import array
from time import monotonic_ns
from typing import TYPE_CHECKING, Any, Callable

from torch.utils.data._utils.worker import get_worker_info

from .. import _hook, _segment, _threads
from .._report import fail_open
from . import files, transforms, worker_info
from .meter import FetchIds, FetchMeter, StartClock

if TYPE_CHECKING:
    from collections.abc import Iterable

    from . import sameness, seeding

# Fetches of a worker that are looked at for draws, where these are only worth a remark: in the first epoch, and later.
FEW_LOOKS, LATER_LOOKS = 8, 1


class Task:
    """A batch to fetch, as it is sent to a worker: the indices, the seed (None: leave the generators alone), the
    spot that stands for it where the user's own seed counts, its number among the loader's batches (None: not
    known), and whether the worker is to end instead."""

    __slots__ = ("index", "number", "retire", "seed", "spot")

    def __init__(
        self, index: Any, seed: int | None = None, spot: int = 0, number: int | None = None, retire: bool = False
    ) -> None:
        self.index = index
        self.number = number
        self.retire = retire
        self.seed = seed
        self.spot = spot

    def __reduce__(self) -> tuple[Any, ...]:
        return (Task, (self.index, self.seed, self.spot, self.number, self.retire))


_meter: FetchMeter | None = None  # of this worker process
_transform_clocks: dict[int, list[tuple[int, array[int]]]] = {}  # by the id of a Compose


def meter_of(fetcher: Any) -> FetchMeter | None:
    """The meter that counts this fetcher's fetches, or None."""
    meter: FetchMeter | None = fetcher.__dict__.get("_sluice_meter")
    if meter is None and _meter is not None and _meter.serves(fetcher):
        meter = _meter
        meter.adopt(fetcher)
    return meter


def patched_fetch(original: Callable[..., Any]) -> Callable[..., Any]:
    """For the class of a fetcher; `original` is its fetch."""

    def fetch(self: Any, possibly_batched_index: Any) -> Any:
        index, task = possibly_batched_index, None
        if type(index) is Task:
            if index.retire:
                raise SystemExit(0)
            task, index = index, index.index
        meter = self.__dict__.get("_sluice_meter") or meter_of(self)
        if meter is None:
            return original(self, index)
        together = meter.together
        if together is not None and together.on:
            return meter.fetch_one_of(together, self, original, index)
        return meter.fetch(self, original, index, task)

    fetch._sluice_original = original  # type: ignore[attr-defined]
    return fetch


def patched_compose(original: Callable[..., Any]) -> Callable[..., Any]:
    """For Compose.__call__ (or forward): the same chain of calls with a clock between them."""

    def call(self: Any, *inputs: Any, **named: Any) -> Any:
        clocks = _transform_clocks.get(id(self))
        if clocks is None or named or len(inputs) != 1 or len(clocks) != len(self.transforms):
            return original(self, *inputs, **named)
        (row,) = inputs
        begin = monotonic_ns()
        for transform, (_, took) in zip(self.transforms, clocks):
            row = transform(row)
            end = monotonic_ns()
            took.append(end - begin)
            begin = end
        return row

    call._sluice_original = original  # type: ignore[attr-defined]
    return call


def patch_fetchers() -> None:
    """Idempotent; in the trainer and, for spawned ones, in each worker."""
    from torch.utils.data._utils import fetch

    for name in ("_MapDatasetFetcher", "_IterableDatasetFetcher"):
        fetcher = getattr(fetch, name)
        if not hasattr(fetcher.fetch, "_sluice_original"):
            fetcher.fetch = patched_fetch(fetcher.fetch)
    for compose in transforms.compose_types():
        name = "__call__" if "__call__" in compose.__dict__ else "forward"
        if not hasattr(getattr(compose, name), "_sluice_original"):
            setattr(compose, name, patched_compose(getattr(compose, name)))


def start_clocks(meter: FetchMeter) -> None:
    _transform_clocks.update(meter.transform_clocks)


def stop_clocks(meter: FetchMeter) -> None:
    for key in meter.transform_clocks:
        _transform_clocks.pop(key, None)


def process_age_ns() -> int:
    """Since this process was forked, to ten milliseconds."""
    with open("/proc/self/stat", "rb") as stat:
        started = int(stat.read().rpartition(b")")[2].split()[19])
    ticks = os.sysconf("SC_CLK_TCK")
    return max(time.clock_gettime_ns(time.CLOCK_BOOTTIME) - started * 1_000_000_000 // ticks, 0)


@fail_open("a worker may end with an error")
def _leave_executor() -> None:
    """Where next() is called by a thread of a ThreadPoolExecutor, workers that come meanwhile are forked from it. At
    exit Python joins the threads of executors, which a thread cannot do with itself."""
    futures = sys.modules.get("concurrent.futures.thread")
    if futures is not None:
        futures._threads_queues.pop(threading.current_thread(), None)


class WorkerInit:
    """Stands in for a loader's worker_init_fn. Made in the trainer, called in the worker."""

    def __init__(
        self,
        inner: Callable[[int], Any] | None,
        path: str,
        ids: FetchIds,
        watch: bool,
        looks: int | None = None,
        seeds: seeding.UserSeeds | None = None,
        tune_threads: bool = False,
        own_workers: int = 0,
        open_files: Iterable[int] = (),
        rows: sameness.KnownRows | None = None,
    ) -> None:
        """`own_workers`: how many the script has asked for. `open_files`: descriptors whose positions are of interest.
        `rows`: as the trainer has made them.
        `watch`: whether draws are looked for, in the first `looks` fetches of a worker or in all (None).
        `seeds`: UserSeeds where tasks are seeded and `inner` has a say; else None."""
        self.inner = inner
        self.looks = looks
        self.seeds = seeds
        self.path = path
        self.ids = ids
        self.watch = watch
        self.tune_threads = tune_threads
        self.own_workers = own_workers
        self.open_files = list(open_files)
        self.rows = rows
        self.slots: dict[int, int] = {}  # by worker id
        self.segment: _segment.Segment | None = None  # inherited by forked workers

    def __getstate__(self) -> dict[str, Any]:
        _hook.stay_on_path()  # who pickles it is about to start a worker that must find this class
        return dict(self.__dict__, segment=None)

    def __call__(self, worker_id: int) -> Any:
        _leave_executor()
        if self.segment is not None and worker_id >= self.own_workers:
            files.unshare_positions()
        self._begin(worker_id)
        before = self._look_at_seeds()
        result = self.inner(worker_id) if self.inner is not None else None
        self._follow_seeds(before, worker_id)
        self._limit_threads()
        self._begin_watching()
        return result

    @fail_open("a worker is not measured")
    def _begin(self, worker_id: int) -> None:
        global _meter
        _meter = None
        _transform_clocks.clear()
        patch_fetchers()
        slot = self.slots.get(worker_id)
        if slot is None or not (self.segment or self.path):
            return
        segment = self.segment or _segment.attach(self.path)
        segment.worker_begin(slot, monotonic_ns())
        segment.part_done(self.ids.start_up, array("q", (process_age_ns(),)))
        if self.ids.worker_id is not None:
            part = self.ids.worker_id
            worker_info.notice(get_worker_info(), lambda: segment.part_done(part, array("q", (0,))))
        _meter = FetchMeter(segment, slot, self.ids, get_worker_info().dataset)
        _meter.start = StartClock(segment)
        if self.segment is not None:
            _meter.watch_positions(self.open_files)
        _meter.watch_files()
        if self.rows is not None:
            _meter.check_rows(self.rows)
        start_clocks(_meter)

    @fail_open("a worker_init_fn may have no say about seeds")
    def _look_at_seeds(self) -> list[int | None] | None:
        return _meter.fingerprints() if _meter is not None and self.seeds is not None else None

    @fail_open("a worker_init_fn may have no say about seeds")
    def _follow_seeds(self, before: list[int | None] | None, worker_id: int) -> None:
        if before is not None and _meter is not None and self.seeds is not None:
            _meter.follow_init(before, self.seeds, first=worker_id == 0)

    @fail_open("library threads are left as they are")
    def _limit_threads(self) -> None:
        if self.tune_threads:
            _threads.limit(_threads.share(get_worker_info().num_workers))

    @fail_open("random draws are not watched")
    def _begin_watching(self) -> None:
        if _meter is not None and self.watch:
            _meter.watch_draws(self.looks)
