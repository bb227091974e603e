"""Loaders whose class makes iterators of its own, as torchdata's StatefulDataLoader does.

How such an iterator deals out its tasks is not known, so nothing of it is changed and nothing inside is measured. The
waits and steps of the loop are: the iterator still is one of PyTorch's, by its base class.
"""
from __future__ import annotations

import os
import weakref
from typing import TYPE_CHECKING, Any, Callable

from .. import _settings
from .._measure import LoopMeter
from .._report import warn
from .naming import loader_name

if TYPE_CHECKING:
    from torch.utils.data import DataLoader

_meters: weakref.WeakKeyDictionary[Any, tuple[int, LoopMeter]] = weakref.WeakKeyDictionary()  # with its process


class ForeignIteration:
    """In place of an Iteration, as `_sluice` of the iterator. One thread: whoever iterates."""

    probe = None
    router = None
    silence = None
    together = None

    def __init__(self, meter: LoopMeter, rows: int) -> None:
        self._meter = meter
        self._rows = rows  # of a batch

    def next(self, it: Any, original: Callable[[Any], Any]) -> Any:
        since = self._meter.wait()
        try:
            batch = original(it)
        except BaseException:
            self._meter.end()
            raise
        self._meter.took(since, 0, self._rows)
        return batch

    @staticmethod
    def draw_index(it: Any, original: Callable[[Any], Any]) -> Any:
        return original(it)

    @staticmethod
    def put(it: Any, original: Callable[[Any], Any]) -> None:
        original(it)

    def closed(self) -> None:
        self._meter.end()


def begin(it: Any, loader: DataLoader) -> None:
    """Measures an iterator that is being made. Raises what goes wrong."""
    settings = _settings.read()
    if settings.disabled:
        return
    kind = type(loader).__name__
    owner, meter = _meters.get(loader, (None, None))
    if meter is None or owner != os.getpid():
        meter = LoopMeter(loader_name(loader), settings)
        _meters[loader] = (os.getpid(), meter)
        warn(
            f"{kind} makes iterators of its own: how long the loop waits for them is measured, its workers are not, "
            "and nothing is changed",
            about=("foreign", kind),
        )
    it._sluice = ForeignIteration(meter, getattr(loader, "batch_size", None) or 1)
