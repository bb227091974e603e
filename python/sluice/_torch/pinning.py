"""The pin thread: how long it takes per batch to copy it into page-locked memory."""
from __future__ import annotations

import threading
from time import monotonic_ns
from typing import TYPE_CHECKING, Any, Callable

from .. import _segment

if TYPE_CHECKING:
    from types import ModuleType

    from .counters import Counters

_MOST_EARLY = 64  # batches; of a thread that was not claimed by then nobody asks

_meters: dict[int, PinMeter] = {}  # by thread


class PinCounts:
    """Where the batches of one pin thread are counted. The caller has the meter's lock."""

    def __init__(self, counters: Counters, slot: int, pinned: int) -> None:
        self._segment = counters.segment
        self._from = counters.ids.fetch.batches
        self._slot = slot
        self._to = pinned

    def begin(self, now: int) -> None:
        self._segment.worker_begin(self._slot, now)

    def count(self, begin: int, end: int, size: int) -> None:
        self.take(begin, monotonic_ns())
        self.hand_on(begin, end, size)

    def take(self, begin: int, now: int) -> None:
        self._segment.pop(self._from, 1, -1, now)
        self._segment.worker_enter(self._slot, _segment.BUSY, begin)

    def hand_on(self, begin: int, end: int, size: int) -> None:
        self._segment.worker_enter(self._slot, _segment.STARVED, end)
        self._segment.worker_done(self._slot, size, end - begin)
        self._segment.push(self._to, 1, size, monotonic_ns())


class PinMeter:
    """The clock of a pin thread. Its first batches may come before anybody has said whose they are. Times in ns."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: PinCounts | None = None
        self._early: list[tuple[int, int, int]] = []  # (begin, end, bytes) of batches
        self._opened: PinCounts | None = None  # what has been told that a batch is taken
        self.inside = False

    def belong_to(self, counts: PinCounts) -> None:
        with self._lock:
            self._counts = counts
            counts.begin(self._early[0][0] if self._early else monotonic_ns())
            for batch in self._early:
                counts.count(*batch)
            self._early.clear()

    def pin(self, original: Callable[..., Any], data: Any, *arguments: Any) -> Any:
        begin = monotonic_ns()
        self._open(begin)
        self.inside = True
        try:
            return original(data, *arguments)
        finally:
            self.inside = False
            self._end(begin, data)

    def _open(self, begin: int) -> None:
        with self._lock:
            self._opened = self._counts
            if self._opened is not None:
                self._opened.take(begin, begin)

    def _end(self, begin: int, data: Any) -> None:
        from .meter import byte_size

        now, size = monotonic_ns(), byte_size(data)
        with self._lock:
            if self._opened is not None:
                self._opened.hand_on(begin, now, size)
            elif self._counts is not None:
                self._counts.count(begin, now, size)
            elif len(self._early) < _MOST_EARLY:
                self._early.append((begin, now, size))


def begin(thread: int, counters: Counters) -> None:
    """The thread with this ident pins for the loader of these counters."""
    if counters.pin_slot is not None and counters.ids.pinned is not None:
        counts = PinCounts(counters, counters.pin_slot, counters.ids.pinned)
        _meters.setdefault(thread, PinMeter()).belong_to(counts)


def patch(module: ModuleType) -> None:
    """`module`: torch.utils.data._utils.pin_memory, whose function calls itself by name."""
    original = module.pin_memory
    if hasattr(original, "_sluice_original"):
        return

    def pin_memory(data: Any, *arguments: Any, **named: Any) -> Any:
        meter = _meters.get(threading.get_ident())
        if meter is None or meter.inside or named:
            return original(data, *arguments, **named)
        return meter.pin(original, data, *arguments)

    pin_memory._sluice_original = original  # type: ignore[attr-defined]
    module.pin_memory = pin_memory  # type: ignore[attr-defined]
    if hasattr(module, "_pin_memory_loop"):
        module._pin_memory_loop = _with_meter(module._pin_memory_loop)  # type: ignore[attr-defined]


def _with_meter(original: Callable[..., Any]) -> Callable[..., Any]:
    def pin_memory_loop(*arguments: Any, **named: Any) -> Any:
        ident = threading.get_ident()
        _meters.setdefault(ident, PinMeter())
        try:
            return original(*arguments, **named)
        finally:
            _meters.pop(ident, None)  # the next thread may get the same ident

    return pin_memory_loop
