"""The pin thread: how long it takes per batch to copy it into page-locked memory."""
import threading
from time import monotonic_ns

from .. import _segment

_meters = {}  # by thread


class PinMeter:
    """One thread: the pin thread."""

    def __init__(self, probe):
        self._segment = probe.segment
        self._slot = probe.pin_slot
        self._ids = probe.ids
        self._begun = False
        self.inside = False

    def pin(self, original, data, *arguments):
        if not self._begun:
            self._begun = True
            self._segment.worker_begin(self._slot, monotonic_ns())
        begin = monotonic_ns()
        self._segment.pop(self._ids.fetch.batches, 1, -1, begin)
        self._segment.worker_enter(self._slot, _segment.BUSY, begin)
        self.inside = True
        try:
            return original(data, *arguments)
        finally:
            self.inside = False
            self._end(begin, data)

    def _end(self, begin, data):
        from .worker import byte_size

        now, size = monotonic_ns(), byte_size(data)
        self._segment.worker_enter(self._slot, _segment.STARVED, now)
        self._segment.worker_done(self._slot, size, now - begin)
        self._segment.push(self._ids.pinned, 1, size, now)


def begin(thread, probe):
    """The thread with this ident pins for the probe's loader from now on."""
    _meters[thread] = PinMeter(probe)


def patch(module):
    """`module`: torch.utils.data._utils.pin_memory, whose function calls itself by name."""
    original = module.pin_memory
    if hasattr(original, "_sluice_original"):
        return

    def pin_memory(data, *arguments, **named):
        meter = _meters.get(threading.get_ident())
        if meter is None or meter.inside or named:
            return original(data, *arguments, **named)
        return meter.pin(original, data, *arguments)

    pin_memory._sluice_original = original
    module.pin_memory = pin_memory
