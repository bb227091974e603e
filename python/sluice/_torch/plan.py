"""One iterator of a measured loader in the making: with other workers or another prefetch than the script asked for
where that is wanted, with clocks in its workers, and with its tasks in our hands where that may be.
"""
from __future__ import annotations

import contextlib
import threading
import weakref
from time import monotonic_ns, thread_time_ns
from typing import TYPE_CHECKING, Any, Callable

from .._report import warn_of
from .._signals import Deferred
from . import changes, pinning, releases, repro, seeding, worker
from .iteration import Iteration
from .meter import FetchMeter
from .shape import start_method

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from torch.utils.data import DataLoader

    from .probe import Probe

_making = threading.local()


def plan_for(loader: DataLoader) -> Plan | None:
    """The plan that this thread is just making an iterator of the loader by."""
    plan: Plan | None = getattr(_making, "plan", None)
    return plan if plan is not None and plan.loader is loader else None


class Plan:
    """Of one iterator. One thread: whoever calls iter() on the loader."""

    def __init__(self, module: ModuleType, loader: DataLoader, probe: Probe) -> None:
        """`module`: torch.utils.data.dataloader."""
        began = monotonic_ns()
        for before in list(probe.iterations):
            before.left()
        self.loader = loader
        self._module = module
        self._probe = probe
        probe.holds.hear_of_trial(loader)
        probe.follow(loader)
        self.epoch = probe.begin_epoch()
        began += self._try_worker()
        self._changes = self._find_changes()
        init = None
        if self.workers > 0:
            seeded = probe.reseeds and probe.holds.may_change
            init = worker.WorkerInit(
                loader.worker_init_fn,
                probe.segment.path,
                probe.ids.fetch,
                watch=probe.shape.watched and (seeded or probe.level == "strict") and not probe.advise,
                looks=(worker.FEW_LOOKS if self.epoch == 1 else worker.LATER_LOOKS) if seeded else None,
                seeds=seeding.UserSeeds() if seeded and loader.worker_init_fn is not None else None,
                tune_threads=probe.tune_threads,
                own_workers=probe.requests.start.workers,
                open_files=probe.shape.open_files,
                rows=probe.holds.rows,
            )
            init.segment = probe.segment
            self._changes["worker_init_fn"] = init
        self.iteration = Iteration(probe, init, self.epoch)
        self.iteration.begin(began, loader)
        if self.workers > 0 and probe.holds.may_change:
            self.iteration.started_from = changes.StartState(
                {
                    **changes.roots_of(loader.dataset, loader.collate_fn),
                    "worker_init_fn": loader.worker_init_fn,
                }
            )
        for worker_id in range(self.workers):
            self.iteration.lease(worker_id)

    @property
    def workers(self) -> int:
        workers: int = self._changes.get("num_workers", self.loader.num_workers)
        return workers

    def _try_worker(self) -> int:
        """Before workers take the trainer's place for the first time. Returns what that took, ns: it is no part of the
        epoch."""
        if self.loader.num_workers > 0 or self._probe.requests.wanted.workers == 0:
            return 0
        began = monotonic_ns()
        self._probe.holds.try_worker(self.loader)
        return monotonic_ns() - began

    def _find_changes(self) -> dict[str, Any]:
        """Attributes of the loader that this iterator shall see otherwise."""
        loader, requests = self.loader, self._probe.requests
        if not self._probe.holds.may_change:
            return {}
        changes: dict[str, Any] = {}
        wanted = requests.wanted
        lasts = loader.persistent_workers and loader._dataset_kind != self._module._DatasetKind.Map
        if wanted.workers != loader.num_workers and not lasts:  # nobody could change them later
            changes["num_workers"] = wanted.workers
            changes["check_worker_number_rationality"] = lambda: None
        workers = changes.get("num_workers", loader.num_workers)
        if wanted.capacity != requests.start.capacity and workers > 0:
            changes["prefetch_factor"] = max(-(-(wanted.capacity + workers - 1) // workers), 1)
        elif workers > 0 and loader.prefetch_factor is None:  # noqa: SIM114 - one case for each release
            changes["prefetch_factor"] = 2
        elif workers == 0 and loader.prefetch_factor not in (None, 2):
            changes["prefetch_factor"] = 2
        return changes

    def make(self, original: Callable[[DataLoader], Any]) -> Any:
        """The iterator, by PyTorch's own `original`; with the script's own workers where others cannot be had."""
        if "num_workers" not in self._changes:
            return self._make(original)
        saved = repro.save()
        generator = self.loader.generator
        own = generator.get_state() if generator is not None else None
        try:
            return self._make(original)
        except Exception:
            warn_of(f"{self.workers} workers cannot be had")
        repro.restore(saved)
        if generator is not None:
            generator.set_state(own)
        self._probe.holds.start_not_to_be_had()
        return original(self.loader)

    def _make(self, original: Callable[[DataLoader], Any]) -> Any:
        previous = getattr(_making, "plan", None)
        _making.plan = self
        self.iteration.waits()
        try:
            with _changed(self.loader, self._changes), self._undisturbed():
                began = thread_time_ns()
                it = original(self.loader)
                self._note_start(thread_time_ns() - began)
        except BaseException:
            self.iteration.closed()
            raise
        finally:
            _making.plan = previous
            self.iteration.pause(ended=False)
        try:
            self._begin(it)
        except Exception:
            warn_of("an iterator is not measured")
        return it

    def _undisturbed(self) -> contextlib.AbstractContextManager[Any]:
        """Where making the iterator forks. Spawning takes longer and swallows nothing."""
        if self.workers > 0 and start_method(self.loader) == "fork":
            return Deferred()
        return contextlib.nullcontext()

    def _note_start(self, took: int) -> None:
        """CPU time, ns: what waits for a core costs nothing, and tells of other work."""
        if self.workers > 0:
            self._probe.segment.start_took(took // self.workers, 0)

    def attach(self, it: Any) -> None:
        """From within the iterator's construction, before it sends its first task."""
        it._sluice = self.iteration
        manage(it, self._module, self.loader)
        wanted = self._probe.requests.wanted
        self.iteration.in_force(len(it._workers), wanted.capacity, done=len(it._workers) == wanted.workers)

    def _begin(self, it: Any) -> None:
        if isinstance(it, self._module._SingleProcessDataLoaderIter) and "_dataset_fetcher" in it.__dict__:
            self._begin_single(it)
        thread = getattr(it, "_pin_memory_thread", None)
        if thread is not None:
            pinning.begin(thread.ident, self._probe.counters)

    def _begin_single(self, it: Any) -> None:
        """The trainer fetches by itself: its clocks are in the trainer."""
        it._sluice = self.iteration
        slot = self.iteration.lease(0)
        self.iteration.in_force(0, self._probe.requests.wanted.capacity, done=True)
        meter = FetchMeter(
            self._probe.segment,
            slot,
            self._probe.ids.fetch,
            it._dataset_fetcher.dataset,
            watch=self._probe.holds.new_watch(),
            isolated=True,
            row_times=self._probe.row_times,
        )
        self._probe.segment.worker_begin(slot, monotonic_ns())
        meter.watch_positions(self._probe.shape.open_files)
        meter.watch_files(self._probe.holds.rows_share_a_file, self._probe.holds.file_changes)
        if self._probe.holds.rows is not None:
            meter.seen = self._probe.holds.rows.keep
        meter.fetching = self._probe.holds.fetches_here
        meter.fetched = self._probe.holds.fetched_here
        meter.adopt(it._dataset_fetcher)
        worker.start_clocks(meter)
        weakref.finalize(it, worker.stop_clocks, meter)
        weakref.finalize(it, Iteration.closed, self.iteration)
        seeded = self._probe.requests.start.workers > 0 and self._probe.reseeds
        self.iteration.fetch_here(it, meter, seeded)


def manage(it: Any, module: ModuleType, loader: DataLoader) -> None:
    """Takes the tasks of an iterator into our hands, where that may be."""
    probe = it._sluice.probe
    may = (
        probe.holds.may_change
        and type(it) is module._MultiProcessingDataLoaderIter
        and it._dataset_kind == module._DatasetKind.Map
        and all(hasattr(it, name) for name in releases.ITERATOR_FIELDS)
    )
    if may:
        it._sluice.manage(it, module, loader.multiprocessing_context, probe.requests.wanted.capacity)


@contextlib.contextmanager
def _changed(loader: DataLoader, changes: dict[str, Any]) -> Iterator[None]:
    """The loader with other attributes, past its own guard against setting them."""
    kept = {name: loader.__dict__[name] for name in changes if name in loader.__dict__}
    loader.__dict__.update(changes)
    try:
        yield
    finally:
        for name in changes:
            loader.__dict__.pop(name, None)
        loader.__dict__.update(kept)
