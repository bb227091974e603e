"""What is changed in torch.utils.data, and nothing else is:

    DataLoader._get_iterator                          a measured loader's iterator is made with a WorkerInit
    _BaseDataLoaderIter.__init__                      iterators that a loader's class makes by itself (foreign.py)
        .__next__, ._next_index                       the consumer's wait and step; the sampler
    _MultiProcessingDataLoaderIter._reset             an iterator begins; a persistent one begins again
        ._try_put_index, ._get_data, ._try_get_data   tasks out, batches in
        ._shutdown_workers                            the end, past locks that a signal has left
    _MapDatasetFetcher.fetch, _IterableDatasetFetcher.fetch, Compose.__call__     clocks (worker.py)
    _utils.pin_memory.pin_memory                      the pin thread (pinning.py)

Each falls through to the original for an iterator that is not ours. Where PyTorch is not one that may be changed
(releases.py, selfcheck.py), tasks are dealt out by PyTorch alone.
"""
from __future__ import annotations

import atexit
import os
import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any, Callable

import torch
from torch.utils.data._utils.worker import get_worker_info

from .. import _settings
from .._report import warn, warn_of
from .._signals import free_left_locks
from . import changes, foreign, pinning, releases, sampling, worker
from .naming import loader_name
from .plan import Plan, manage, plan_for
from .probe import Probe
from .selfcheck import Trust
from .shape import start_method

if TYPE_CHECKING:
    from types import ModuleType

    from torch.utils.data import DataLoader

    Original = Callable[..., Any]

MOST_LOADERS = 16  # measured at a time in one process

_probes: dict[int, tuple[weakref.ref[Any], Probe | None]] = {}  # by id of a loader
_left: list[Probe] = []  # whose loader is gone, the oldest first


class _State:
    installed = False
    all_loaders = False  # also those that nobody wrapped
    ending = False  # the script
    module: ModuleType  # torch.utils.data.dataloader, when installed
    trust: Trust
    looking_up = threading.RLock()  # a loader's probe: two threads may begin with it at once


_state = _State()


def _forked() -> None:
    """The thread that held it may be one of the parent's."""
    _state.looking_up = threading.RLock()


os.register_at_fork(after_in_child=_forked)


def install(dataloader: ModuleType, all_loaders: bool) -> None:
    """Patches PyTorch's module; may be called again. `all_loaders`: also those that nobody wrapped."""
    _state.all_loaders = _state.all_loaders or all_loaders
    if _state.installed:
        return
    _state.installed = True
    atexit.register(_forget_all)
    _state.trust = Trust(releases.present(dataloader), torch.__version__)
    _state.module = dataloader
    worker.patch_fetchers()
    pinning.patch(dataloader._utils.pin_memory)
    _patch(dataloader.DataLoader, "_get_iterator", _get_iterator)
    any_iterator, with_workers = dataloader._BaseDataLoaderIter, dataloader._MultiProcessingDataLoaderIter
    _patch(any_iterator, "__init__", _begin_foreign)
    _patch(any_iterator, "__next__", _next)
    _patch(any_iterator, "_next_index", _next_index)
    _patch(with_workers, "_reset", _reset)
    _patch(with_workers, "_try_put_index", _try_put_index)
    _patch(with_workers, "_get_data", _get_data)
    _patch(with_workers, "_try_get_data", _try_get_data)
    _patch(with_workers, "_shutdown_workers", _shutdown_workers)


def _patch(owner: type, name: str, replacement: Original) -> None:
    """`replacement(original, self, ...)` takes the place of a method."""
    original: Original | None = owner.__dict__.get(name)
    if original is None:
        warn(f"this PyTorch has no {owner.__name__}.{name}: not all of a DataLoader is measured", about="no method")
        return

    def patched(self: Any, *arguments: Any, **named: Any) -> Any:
        return replacement(original, self, *arguments, **named)

    patched.__name__ = name
    patched.__qualname__ = original.__qualname__
    patched.__doc__ = original.__doc__
    patched._sluice_original = original  # type: ignore[attr-defined]
    setattr(owner, name, patched)


def _forget_all() -> None:
    """At exit: what the script leaves is to be finalized as in the bare run. What we know of a class keeps all of its
    module."""
    _state.ending = True
    _probes.clear()
    _left.clear()
    changes.forget()
    sampling.forget()


def wrap(loader: DataLoader) -> DataLoader:
    """Marks a loader as one to be measured."""
    loader.__dict__["_sluice_wrapped"] = True
    return loader


# ---- which loaders ----


def _is_ours(loader: DataLoader) -> bool:
    """Whether it is to be measured; what is inside of a worker has that worker's measuring."""
    wanted = _state.all_loaders or "_sluice_wrapped" in loader.__dict__
    return wanted and not _state.ending and get_worker_info() is None


def _probe_of(loader: DataLoader) -> Probe | None:
    """None: not measured."""
    if not _is_ours(loader):
        return None
    with _state.looking_up:
        return _find_or_make_probe(loader)


def _find_or_make_probe(loader: DataLoader) -> Probe | None:
    kept = _probes.get(id(loader))
    if kept is not None and kept[0]() is loader and kept[1] is not None and kept[1].pid == os.getpid():
        return kept[1]
    if kept is not None and kept[0]() is loader and kept[1] is None:
        return None
    return remember(loader, _take_over(loader) or _make_probe(loader))


def _take_over(loader: DataLoader) -> Probe | None:
    """The probe of a loader that is gone and that this one was made in place of, as in each epoch anew."""
    try:
        probe = next((left for left in reversed(_left) if left.fits(loader)), None)
        if probe is not None:
            _left.remove(probe)
            probe.take_over(loader)
        return probe
    except Exception:
        warn_of("a DataLoader is measured as a new one")
        return None


def _make_probe(loader: DataLoader) -> Probe | None:
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
            _state.trust.try_out(start_method(loader))
        return Probe(loader, settings, _state.trust)
    except Exception:
        warn_of("a DataLoader is not measured")
        return None


def remember(loader: DataLoader, probe: Probe | None) -> Probe | None:
    """The loader is measured by this probe from now on; None: not at all."""
    key = id(loader)

    def forget(reference: weakref.ref[Any]) -> None:
        if key in _probes and _probes[key][0] is reference:
            del _probes[key]
            if probe is not None:
                _left.append(probe)
                del _left[:-MOST_LOADERS]

    _probes[key] = (weakref.ref(loader, forget), probe)
    return probe


# ---- what takes the place of PyTorch's methods ----


def _get_iterator(original: Original, self: Any) -> Any:
    probe = _probe_of(self)
    if probe is None:
        return original(self)
    with probe.making:
        try:
            plan = Plan(_state.module, self, probe)
        except Exception:
            warn_of("an iterator is not measured")
            return original(self)
        return plan.make(original)


def _begin_foreign(original: Original, self: Any, loader: DataLoader, *more: Any) -> None:
    """An iterator that did not come by way of _get_iterator: only the consumer's side of it is known."""
    original(self, loader, *more)
    if plan_for(loader) is not None:
        return
    try:
        makes_its_own = not hasattr(getattr(type(loader), "_get_iterator", None), "_sluice_original")
        if makes_its_own and _is_ours(loader):
            foreign.begin(self, loader)
    except Exception:
        warn_of(f"a {type(loader).__name__} is not measured")


# A release that nobody has run may hand over more than we know: that goes to the original as it came.


def _next(original: Original, self: Any) -> Any:
    state = self.__dict__.get("_sluice")
    return original(self) if state is None else state.next(self, original)


def _next_index(original: Original, self: Any, *more: Any) -> Any:
    state = self.__dict__.get("_sluice")
    if state is None or more:
        return original(self, *more)
    together = state.together
    return state.draw_index(self, original) if together is None or not together.on else together.draw(self, original)


def _try_put_index(original: Original, self: Any, *more: Any) -> Any:
    state = self.__dict__.get("_sluice")
    return original(self, *more) if state is None or more else state.put(self, original)


def _get_data(original: Original, self: Any, *more: Any) -> Any:
    state = self.__dict__.get("_sluice")
    if state is None or state.router is None or more:
        return original(self, *more)
    return state.get(self, state.router, original)


def _try_get_data(original: Original, self: Any, *more: Any, **named: Any) -> Any:
    answer = original(self, *more, **named)
    state = self.__dict__.get("_sluice")
    if state is not None and state.silence is not None:
        state.silence.heard(answer[0])
    return answer


def _reset(original: Original, self: Any, loader: DataLoader, first_iter: bool = False, *more: Any) -> None:
    plan = plan_for(loader) if first_iter else None
    if plan is not None:
        try:
            plan.attach(self)
        except Exception:
            self.__dict__.pop("_sluice", None)
            warn_of("an iterator is not measured")
    elif not first_iter and getattr(self.__dict__.get("_sluice"), "probe", None) is not None:
        _begin_again(self, loader)
    original(self, loader, first_iter, *more)


def _begin_again(it: Any, loader: DataLoader) -> None:
    """A persistent iterator's next epoch."""
    state = it._sluice
    try:
        state.probe.holds.hear_of_trial(loader)
        state.probe.holds.look_at_start(loader)
        if state.pool is None:
            manage(it, _state.module, loader)
        state.begin_again(it, loader)
    except Exception:
        state.router = None
        warn_of("an epoch is not measured")


def _shutdown_workers(
    original: Original, self: Any, *more: Any, at_exit: Callable[[], bool] = sys.is_finalizing
) -> None:
    if at_exit():  # the names of modules, also of this one, may be gone already
        original(self, *more)
        return
    try:
        free_left_locks(releases.locks_of_trainer(self), torch.utils.data._utils.MP_STATUS_CHECK_INTERVAL)
        original(self, *more)
    finally:
        state = self.__dict__.get("_sluice")
        if state is not None:
            try:
                state.closed()
            except Exception:
                warn_of("the end of an iterator is not measured")
