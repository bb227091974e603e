"""Measures loops that use no DataLoader: how long the loop waits for an item and how long its step takes."""
from __future__ import annotations

import functools
import os
import sys
from time import monotonic_ns
from typing import TYPE_CHECKING, Any, Callable

from . import _callbacks, _segment, _settings
from ._report import warn_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

HEARTBEAT_NS = 1_000_000_000


def program_name(suffix: str = "") -> str:
    script = os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] else "python"
    return f"{script}: {suffix}" if suffix else script


class LoopMeter:
    """One source, read by the loop itself. One thread: the loop's. Times are ns of the monotonic clock."""

    def __init__(self, name: str, settings: _settings.Settings) -> None:
        """Raises SegmentError or LibraryError where no segment can be had."""
        description = _segment.Description(program_name(name))
        if settings.run_id:
            description.run_id(settings.run_id)
        self._op = description.op(name, "source", serial=True)
        self._connector = description.connector(f"{name}->consumer", self._op, _segment.CONSUMER, 1)
        self._segment = description.create(settings.folder)
        self._worker = self._segment.first_slot(self._op)
        self._news = _callbacks.News(self._segment)
        self._beat = 0
        self._segment.set_running()

    def wait(self) -> int:
        """The loop wants an item from now on. Returns when, for took()."""
        if _callbacks.registered:
            self._news.tell()
        now = monotonic_ns()
        self._segment.worker_begin(self._worker, now)
        self._segment.consumer_enter(_segment.STARVED, now)
        self._segment.worker_enter(self._worker, _segment.BUSY, now)
        if now - self._beat > HEARTBEAT_NS:
            self._beat = now
            self._segment.heartbeat(now)
        return now

    def took(self, since: int, size: int, rows: int = 1) -> None:
        """It has one of `size` bytes, and its step begins."""
        now = monotonic_ns()
        self._segment.worker_enter(self._worker, _segment.BACKED_UP, now)
        self._segment.worker_done(self._worker, size, now - since)
        self._segment.push(self._connector, 1, size, now)
        self._segment.pop(self._connector, 1, size, now)
        self._segment.consumer_enter(_segment.BUSY, now)
        self._segment.consumer_took(1, rows)

    def end(self) -> None:
        """It asks for no more."""
        now = monotonic_ns()
        self._segment.worker_retire(self._worker, now)
        self._segment.consumer_enter(_segment.PAUSED, now)

    def close(self) -> None:
        self._segment.close()


def make_meter(name: str) -> LoopMeter | None:
    """None when nothing is to be measured or nothing can be."""
    settings = _settings.read()
    if settings.disabled:
        return None
    try:
        return LoopMeter(name, settings)
    except Exception:
        warn_of(f"{name} is not measured")
        return None


class Measured:
    """An iterable that behaves like the one it measures; also a context manager that ends the measuring."""

    def __init__(self, iterable: Any, name: str, meter: LoopMeter | None = None) -> None:
        self._iterable = iterable
        self._name = name
        self._meter = meter

    def __iter__(self) -> Iterator[Any]:
        if self._meter is None:
            self._meter = make_meter(self._name)
        iterator: Iterator[Any] = iter(self._iterable)
        return iterator if self._meter is None else MeasuredIterator(iterator, self._meter)

    def __len__(self) -> int:
        return len(self._iterable)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._iterable, name)

    def __enter__(self) -> Measured:
        return self

    def __exit__(self, *_: object) -> None:
        if self._meter is not None:
            self._meter.close()
            self._meter = None


class MeasuredIterator:
    """An iterator that behaves like the one it measures."""

    def __init__(self, iterator: Iterator[Any], meter: LoopMeter) -> None:
        self._iterator = iterator
        self._meter = meter

    def __iter__(self) -> MeasuredIterator:
        return self

    def __next__(self) -> Any:
        since = self._meter.wait()
        try:
            item = next(self._iterator)
        except BaseException:
            self._meter.end()
            raise
        self._meter.took(since, 0)
        return item

    def __getattr__(self, name: str) -> Any:
        return getattr(self._iterator, name)


def measure(source: Any = None, name: str | None = None) -> Any:
    """See sluice.measure."""
    if source is None:
        return functools.partial(measure, name=name)
    if callable(source) and not hasattr(source, "__iter__"):
        return _measured_function(source, name or source.__name__)
    return Measured(source, name or type(source).__name__)


def _measured_function(function: Callable[..., Iterable[Any]], name: str) -> Callable[..., Measured]:
    @functools.wraps(function)
    def call(*arguments: Any, **named: Any) -> Measured:
        return Measured(function(*arguments, **named), name)

    return call
