"""The pin thread: how long it takes per batch to copy it into page-locked memory."""
import threading
from time import monotonic_ns

from .. import _segment

_MOST_EARLY = 64  # batches; of a thread that was not claimed by then nobody asks

_meters = {}  # by thread


class PinMeter:
    """Counts for the pin thread. Its first batches may come before anybody has said whose they are."""

    def __init__(self):
        self._lock = threading.Lock()
        self._segment = None
        self._early = []  # (begin, end, bytes) of batches
        self._opened = False
        self.inside = False

    def belong_to(self, probe):
        with self._lock:
            self._segment, self._slot, self._ids = probe.segment, probe.pin_slot, probe.ids
            self._segment.worker_begin(self._slot, self._early[0][0] if self._early else monotonic_ns())
            for batch in self._early:
                self._count(*batch)
            self._early.clear()

    def pin(self, original, data, *arguments):
        begin = monotonic_ns()
        self._open(begin)
        self.inside = True
        try:
            return original(data, *arguments)
        finally:
            self.inside = False
            self._end(begin, data)

    def _open(self, begin):
        with self._lock:
            self._opened = self._segment is not None
            if self._opened:
                self._take(begin, begin)

    def _end(self, begin, data):
        from .worker import byte_size

        now, size = monotonic_ns(), byte_size(data)
        with self._lock:
            if self._opened:
                self._hand_on(begin, now, size)
            elif self._segment is not None:
                self._count(begin, now, size)
            elif len(self._early) < _MOST_EARLY:
                self._early.append((begin, now, size))

    def _count(self, begin, end, size):
        self._take(begin, monotonic_ns())
        self._hand_on(begin, end, size)

    def _take(self, begin, now):
        self._segment.pop(self._ids.fetch.batches, 1, -1, now)
        self._segment.worker_enter(self._slot, _segment.BUSY, begin)

    def _hand_on(self, begin, end, size):
        self._segment.worker_enter(self._slot, _segment.STARVED, end)
        self._segment.worker_done(self._slot, size, end - begin)
        self._segment.push(self._ids.pinned, 1, size, monotonic_ns())


def begin(thread, probe):
    """The thread with this ident pins for the probe's loader."""
    _meters.setdefault(thread, PinMeter()).belong_to(probe)


def patch(module):
    """`module`: torch.utils.data._utils.pin_memory, whose function calls itself by name."""
    original = module.pin_memory
    if hasattr(original, "_sluice_original"):
        return
    original_loop = getattr(module, "_pin_memory_loop", None)

    def pin_memory(data, *arguments, **named):
        meter = _meters.get(threading.get_ident())
        if meter is None or meter.inside or named:
            return original(data, *arguments, **named)
        return meter.pin(original, data, *arguments)

    def pin_memory_loop(*arguments, **named):
        ident = threading.get_ident()
        _meters.setdefault(ident, PinMeter())
        try:
            return original_loop(*arguments, **named)
        finally:
            _meters.pop(ident, None)  # the next thread may get the same ident

    pin_memory._sluice_original = original
    module.pin_memory = pin_memory
    if original_loop is not None:
        module._pin_memory_loop = pin_memory_loop
