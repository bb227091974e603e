"""What is changed in torch.utils.data, and nothing else is:

    DataLoader._get_iterator                          a measured loader's iterator is made with a WorkerInit
    _BaseDataLoaderIter.__init__                      iterators that a loader's class makes by itself (foreign.py)
        .__next__, ._next_index                       the consumer's wait and step; the sampler
    _MultiProcessingDataLoaderIter._reset             an iterator begins; a persistent one begins again
        ._try_put_index, ._get_data                   tasks out, batches in
        ._shutdown_workers                            the end, past locks that a signal has left
    _MapDatasetFetcher.fetch, _IterableDatasetFetcher.fetch, Compose.__call__     clocks (worker.py)
    _utils.pin_memory.pin_memory                      the pin thread (pinning.py)

Each falls through to the original for an iterator that is not ours. Where PyTorch is not one that may be changed
(releases.py, selfcheck.py), tasks are dealt out by PyTorch alone.
"""
import contextlib
import multiprocessing
import os
import threading
import weakref
from time import monotonic_ns, thread_time_ns

import torch
import torch.multiprocessing

from .. import _segment, _settings
from .._report import warn, warn_of
from .._signals import Deferred, free_left_locks, is_raised_by_handler
from . import foreign, pinning, releases, repro, seeding, worker
from .iteration import Iteration
from .probe import Probe, loader_name
from .selfcheck import Trust

MOST_LOADERS = 16  # measured at a time in one process

_probes = {}  # id of a loader: (weak reference, Probe)
_left = []  # probes whose loader is gone, the oldest first
_making = threading.local()
_state = {"installed": False, "all": False, "trust": None}


def install(dataloader, all_loaders):
    """Patches PyTorch's module; may be called again. `all_loaders`: also those that nobody wrapped."""
    _state["all"] = _state["all"] or all_loaders
    if _state["installed"]:
        return
    _state["installed"] = True
    _state["trust"] = Trust(releases.present(dataloader), torch.__version__)
    _state["module"] = dataloader
    worker.patch_fetchers()
    pinning.patch(dataloader._utils.pin_memory)
    _patch(dataloader.DataLoader, "_get_iterator", _get_iterator)
    _patch(dataloader._BaseDataLoaderIter, "__init__", _begin_foreign)
    _patch(dataloader._BaseDataLoaderIter, "__next__", _next)
    _patch(dataloader._BaseDataLoaderIter, "_next_index", _next_index)
    for name, replacement in (
        ("_reset", _reset),
        ("_try_put_index", _try_put_index),
        ("_get_data", _get_data),
        ("_shutdown_workers", _shutdown_workers),
    ):
        _patch(dataloader._MultiProcessingDataLoaderIter, name, replacement)


def _patch(owner, name, replacement):
    """`replacement(original, self, ...)` takes the place of a method."""
    original = owner.__dict__.get(name)
    if original is None:
        warn(f"this PyTorch has no {owner.__name__}.{name}: not all of a DataLoader is measured", about="no method")
        return

    def patched(self, *arguments, **named):
        return replacement(original, self, *arguments, **named)

    patched.__name__ = name
    patched.__qualname__ = original.__qualname__
    patched.__doc__ = original.__doc__
    patched._sluice_original = original
    setattr(owner, name, patched)


def wrap(loader):
    """Marks a loader as one to be measured."""
    loader.__dict__["_sluice_wrapped"] = True
    return loader


# ---- which loaders ----


def _is_ours(loader):
    """Whether it is to be measured; what is inside of a worker has that worker's measuring."""
    return (_state["all"] or "_sluice_wrapped" in loader.__dict__) and worker.get_worker_info() is None


def _probe_of(loader):
    """None: not measured."""
    if not _is_ours(loader):
        return None
    kept = _probes.get(id(loader))
    if kept is not None and kept[0]() is loader and kept[1] is not None and kept[1].pid == os.getpid():
        return kept[1]
    if kept is not None and kept[0]() is loader and kept[1] is None:
        return None
    return remember(loader, _take_over(loader) or _make_probe(loader))


def _take_over(loader):
    """The probe of a loader that is gone and that this one was made in place of, as in each epoch anew."""
    try:
        probe = next((left for left in reversed(_left) if left.fits(loader)), None)
        if probe is not None:
            _left.remove(probe)
            probe.take_over(loader)
        return probe
    except Exception as error:
        warn_of(error, "a DataLoader is measured as a new one")
        return None


def _make_probe(loader):
    settings = _settings.read()
    if settings.problem:
        warn(settings.problem)
    living = sum(1 for _, probe in _probes.values() if probe is not None and probe.pid == os.getpid())
    if settings.disabled:
        return None
    if living >= MOST_LOADERS:
        warn(f"{loader_name(loader)} is not measured: {MOST_LOADERS} DataLoaders of this process are", about="how many")
        return None
    try:
        worker.patch_fetchers()
        if not settings.advise:
            _state["trust"].try_out(_start_method(loader))
        return Probe(loader, settings, _state["trust"])
    except Exception as error:
        warn_of(error, "a DataLoader is not measured")
        return None


def _start_method(loader):
    """Of its workers."""
    context = loader.multiprocessing_context or multiprocessing
    return context.get_start_method()


def remember(loader, probe):
    """The loader is measured by this probe from now on; None: not at all."""
    key = id(loader)

    def forget(reference):
        if _probes.get(key, (None,))[0] is reference:
            del _probes[key]
            if probe is not None:
                _left.append(probe)
                del _left[:-MOST_LOADERS]

    _probes[key] = (weakref.ref(loader, forget), probe)
    return probe


# ---- an iterator is made ----


def _get_iterator(original, self):
    probe = _probe_of(self)
    if probe is None:
        return original(self)
    try:
        plan = _Plan(self, probe)
    except Exception as error:
        warn_of(error, "an iterator is not measured")
        return original(self)
    return plan.make(original)


class _Plan:
    """One iterator in the making."""

    def __init__(self, loader, probe):
        began = monotonic_ns()
        self.loader = loader
        self.probe = probe
        probe.hear_of_trial(loader)
        probe.follow(loader)
        self.epoch = probe.begin_epoch()
        self.changes = self._changes()
        init = None
        if self.workers > 0:
            seeded = probe.reseeds() and probe.known
            init = worker.WorkerInit(
                loader.worker_init_fn,
                probe.segment.path,
                probe.ids.fetch,
                watch=probe.shape.watched and (seeded or probe.level == "strict") and not probe.advise,
                looks=worker.FEW_LOOKS if seeded else None,
                seeds=seeding.UserSeeds() if seeded and loader.worker_init_fn is not None else None,
                tune_threads=probe.tune_threads,
            )
            init.segment = probe.segment
            self.changes["worker_init_fn"] = init
        self.iteration = Iteration(probe, init, self.epoch)
        self.iteration.begin(began, loader)
        for worker_id in range(self.workers):
            self.iteration.lease(worker_id)

    @property
    def workers(self):
        return self.changes.get("num_workers", self.loader.num_workers)

    def _changes(self):
        """Attributes of the loader that this iterator shall see otherwise."""
        loader, probe = self.loader, self.probe
        if probe.advise or not probe.known:
            return {}
        changes, wanted = {}, probe.wanted
        if wanted.workers != loader.num_workers and not loader.persistent_workers:
            changes["num_workers"] = wanted.workers
            changes["check_worker_number_rationality"] = lambda: None
        workers = changes.get("num_workers", loader.num_workers)
        if wanted.capacity != probe.start.capacity and workers > 0:
            changes["prefetch_factor"] = max(-(-(wanted.capacity + workers - 1) // workers), 1)
        elif workers > 0 and loader.prefetch_factor is None:
            changes["prefetch_factor"] = 2
        elif workers == 0 and loader.prefetch_factor not in (None, 2):
            changes["prefetch_factor"] = 2
        return changes

    def make(self, original):
        saved = repro.save() if "num_workers" in self.changes else None
        generator = self.loader.generator
        own = generator.get_state() if saved and generator is not None else None
        try:
            return self._make(original)
        except Exception as error:
            if "num_workers" not in self.changes:
                raise
            warn_of(error, f"{self.workers} workers cannot be had")
        repro.restore(saved)
        if own is not None:
            generator.set_state(own)
        self.probe.hold(self.probe.ids.workers, _segment.HELD_UNKNOWN)
        return original(self.loader)

    def _make(self, original):
        previous = getattr(_making, "plan", None)
        _making.plan = self
        self.iteration.waits()
        try:
            with _changed(self.loader, self.changes), self._undisturbed():
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
        except Exception as error:
            warn_of(error, "an iterator is not measured")
        return it

    def _undisturbed(self):
        """Where making the iterator forks. Spawning takes longer and swallows nothing."""
        context = self.loader.multiprocessing_context
        method = (context or torch.multiprocessing).get_start_method()
        return Deferred() if self.workers > 0 and method == "fork" else contextlib.nullcontext()

    def _note_start(self, took):
        """CPU time: what waits for a core costs nothing, and tells of other work."""
        if self.workers > 0:
            self.probe.segment.start_took(took // self.workers, 0)

    def attach(self, it):
        """From within the iterator's construction, before it sends its first task."""
        it._sluice = self.iteration
        _manage(it, self.loader)
        self.iteration.in_force(len(it._workers), self.probe.wanted.capacity, done=True)

    def _begin(self, it):
        module = _state["module"]
        if isinstance(it, module._SingleProcessDataLoaderIter) and "_dataset_fetcher" in it.__dict__:
            self._begin_single(it)
        thread = getattr(it, "_pin_memory_thread", None)
        if thread is not None and self.probe.pin_slot is not None:
            pinning.begin(thread.ident, self.probe)

    def _begin_single(self, it):
        """The trainer fetches by itself: its clocks are in the trainer."""
        it._sluice = self.iteration
        slot = self.probe.lease_slot()
        self.iteration._seats.append(slot)
        self.iteration.in_force(0, self.probe.wanted.capacity, done=True)
        meter = worker.FetchMeter(
            self.probe.segment,
            slot,
            self.probe.ids.fetch,
            it._dataset_fetcher.dataset,
            watch=self.probe.new_watch(),
            isolated=True,
        )
        self.probe.segment.worker_begin(slot, worker.monotonic_ns())
        meter.adopt(it._dataset_fetcher)
        worker.start_clocks(meter)
        weakref.finalize(it, worker.stop_clocks, meter)
        weakref.finalize(it, Iteration.closed, self.iteration)
        self.iteration.fetch_here(it, seeded=self.probe.start.workers > 0 and self.probe.reseeds())


def _manage(it, loader):
    """Takes the tasks of an iterator into our hands, where that may be."""
    module, probe = _state["module"], it._sluice.probe
    may = (
        probe.known
        and not probe.advise
        and type(it) is module._MultiProcessingDataLoaderIter
        and it._dataset_kind == module._DatasetKind.Map
        and all(hasattr(it, name) for name in releases.ITERATOR_FIELDS)
    )
    if may:
        it._sluice.manage(it, module, loader.multiprocessing_context, probe.wanted.capacity)


@contextlib.contextmanager
def _changed(loader, changes):
    """The loader with other attributes, past its own guard against setting them."""
    kept = {name: loader.__dict__[name] for name in changes if name in loader.__dict__}
    loader.__dict__.update(changes)
    try:
        yield
    finally:
        for name in changes:
            loader.__dict__.pop(name, None)
        loader.__dict__.update(kept)


# ---- what takes the place of PyTorch's methods ----


def _begin_foreign(original, self, loader, *more):
    """An iterator that did not come by way of _get_iterator: only the consumer's side of it is known."""
    original(self, loader, *more)
    plan = getattr(_making, "plan", None)
    if (plan is not None and plan.loader is loader) or hasattr(type(loader)._get_iterator, "_sluice_original"):
        return
    try:
        if _is_ours(loader):
            foreign.begin(self, loader)
    except Exception as error:
        warn_of(error, f"a {type(loader).__name__} is not measured")


# A release that nobody has run may hand over more than we know: that goes to the original as it came.


def _next(original, self):
    state = self.__dict__.get("_sluice")
    return original(self) if state is None else state.next(self, original)


def _next_index(original, self, *more):
    state = self.__dict__.get("_sluice")
    return original(self, *more) if state is None or more else state.draw_index(self, original)


def _try_put_index(original, self, *more):
    state = self.__dict__.get("_sluice")
    return original(self, *more) if state is None or more else state.put(self, original)


def _get_data(original, self, *more):
    answer = original(self, *more)
    state = self.__dict__.get("_sluice")
    return answer if state is None or state.router is None else state.router.received(self, answer)


def _reset(original, self, loader, first_iter=False, *more):
    plan = getattr(_making, "plan", None)
    if first_iter and plan is not None and plan.loader is loader:
        try:
            plan.attach(self)
        except Exception as error:
            self.__dict__.pop("_sluice", None)
            warn_of(error, "an iterator is not measured")
    elif not first_iter and getattr(self.__dict__.get("_sluice"), "probe", None) is not None:
        _begin_again(self, loader)
    original(self, loader, first_iter, *more)


def _begin_again(it, loader):
    """A persistent iterator's next epoch."""
    state = it._sluice
    try:
        state.probe.hear_of_trial(loader)
        if state.pool is None:
            _manage(it, loader)
        state.begin_again(it, loader)
    except Exception as error:
        state.router = None
        warn_of(error, "an epoch is not measured")


def _shutdown_workers(original, self, *more):
    try:
        free_left_locks(releases.locks_of_trainer(self), torch.utils.data._utils.MP_STATUS_CHECK_INTERVAL)
        original(self, *more)
    finally:
        state = self.__dict__.get("_sluice")
        if state is not None:
            try:
                state.closed()
            except Exception as error:
                if is_raised_by_handler(error):
                    raise
                # else the interpreter may be half gone
