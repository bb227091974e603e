"""Measures loops that use no DataLoader: how long the loop waits for an item and how long its step takes."""
import functools
import os
import sys
from time import monotonic_ns

from . import _segment, _settings
from ._report import warn_of

HEARTBEAT_NS = 1_000_000_000


def program_name(suffix=""):
    script = os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] else "python"
    return f"{script}: {suffix}" if suffix else script


class LoopMeter:
    """One source, read by the loop itself."""

    def __init__(self, name, settings):
        description = _segment.Description(program_name(name))
        if settings.run_id:
            description.run_id(settings.run_id)
        self._op = description.op(name, "source", serial=True)
        self._connector = description.connector(f"{name}->consumer", self._op, _segment.CONSUMER, 1)
        self._segment = description.create(settings.folder)
        self._worker = self._segment.add_worker(self._op)
        self._beat = 0
        self._segment.set_running()

    def wait(self):
        now = monotonic_ns()
        self._segment.worker_begin(self._worker, now)
        self._segment.consumer_enter(_segment.STARVED, now)
        self._segment.worker_enter(self._worker, _segment.BUSY, now)
        if now - self._beat > HEARTBEAT_NS:
            self._beat = now
            self._segment.heartbeat(now)
        return now

    def took(self, since, size, rows=1):
        now = monotonic_ns()
        self._segment.worker_enter(self._worker, _segment.BACKED_UP, now)
        self._segment.worker_done(self._worker, size, now - since)
        self._segment.push(self._connector, 1, size, now)
        self._segment.pop(self._connector, 1, size, now)
        self._segment.consumer_enter(_segment.BUSY, now)
        self._segment.consumer_took(1, rows)

    def end(self):
        now = monotonic_ns()
        self._segment.worker_retire(self._worker, now)
        self._segment.consumer_enter(_segment.PAUSED, now)

    def close(self):
        self._segment.close()


def make_meter(name):
    """None when nothing is to be measured or nothing can be."""
    settings = _settings.read()
    if settings.disabled:
        return None
    try:
        return LoopMeter(name, settings)
    except Exception as error:
        warn_of(error, f"{name} is not measured")
        return None


class Measured:
    """An iterable that behaves like the one it measures; also a context manager that ends the measuring."""

    def __init__(self, iterable, name, meter=None):
        self._iterable = iterable
        self._name = name
        self._meter = meter

    def __iter__(self):
        if self._meter is None:
            self._meter = make_meter(self._name)
        iterator = iter(self._iterable)
        return iterator if self._meter is None else MeasuredIterator(iterator, self._meter)

    def __len__(self):
        return len(self._iterable)

    def __getattr__(self, name):
        return getattr(self._iterable, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._meter is not None:
            self._meter.close()
            self._meter = None


class MeasuredIterator:
    def __init__(self, iterator, meter):
        self._iterator = iterator
        self._meter = meter

    def __iter__(self):
        return self

    def __next__(self):
        since = self._meter.wait()
        try:
            item = next(self._iterator)
        except BaseException:
            self._meter.end()
            raise
        self._meter.took(since, 0)
        return item

    def __getattr__(self, name):
        return getattr(self._iterator, name)


def measure(source=None, name=None):
    """See sluice.measure."""
    if source is None:
        return functools.partial(measure, name=name)
    if callable(source) and not hasattr(source, "__iter__"):
        return _measured_function(source, name or source.__name__)
    return Measured(source, name or type(source).__name__)


def _measured_function(function, name):
    @functools.wraps(function)
    def call(*arguments, **named):
        return Measured(function(*arguments, **named), name)

    return call
