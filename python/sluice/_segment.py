"""The telemetry segment of this process, or of the process that this one works for.

`Description` says what is measured; `Segment` counts. Ids are the indices that the description gave out. What goes
wrong in counting is ignored: a counter is never worth an exception in somebody's training loop.
"""
from __future__ import annotations

import ctypes
import os
import weakref
from array import array
from functools import partial
from typing import Any, Callable

from . import _library

PAUSED, STARVED, BACKED_UP, BUSY, RETIRED = range(5)
CONSUMER = 0xFFFFFFFF
NOTE = "note: "  # begins an event that the report of a wrapped run prints
KNOB_WORKERS, KNOB_CAPACITY = 0, 1
LIVE, NEXT_EPOCH, NEXT_RUN = range(3)
NOT_HELD, HELD_ADVISE, HELD_RANDOM_DRAWS, HELD_ORDER, HELD_UNKNOWN, HELD_WATCHING = range(6)
HELD_WORKER_ID, HELD_FAILED, HELD_UNFIT, HELD_CHANGES = 6, 7, 8, 9
RECORD_SIZE = 432  # bytes of a record's text, its NUL included


class SegmentError(Exception):
    """A description was refused or a segment cannot be opened."""


def _check(library: Any, status: int) -> None:
    if status != 0:
        raise SegmentError(library.sluice_last_error().decode(errors="replace") or f"status {status}")


class Description:
    """Built up, then made a segment by create(), once. Every other method returns the new id, if there is one.
    All raise SegmentError for what the library refuses."""

    def __init__(self, program: str) -> None:
        """Raises LibraryError as well."""
        self._library = _library.library()
        self._program = program
        self._knobs: dict[tuple[int, int], str] = {}
        self._handle = ctypes.c_void_p()
        _check(self._library, self._library.sluice_describe(program.encode(), ctypes.byref(self._handle)))
        self._free = weakref.finalize(self, self._library.sluice_description_free, self._handle)

    def _add(self, function: Callable[..., int], *arguments: Any) -> int:
        id_ = ctypes.c_uint32()
        _check(self._library, function(self._handle, *arguments, ctypes.byref(id_)))
        return id_.value

    def run_id(self, run_id: str) -> None:
        _check(self._library, self._library.sluice_set_run_id(self._handle, run_id.encode()))

    def op(self, name: str, kind: str, serial: bool = False, rows_per_item: int = 1) -> int:
        return self._add(self._library.sluice_add_op, name.encode(), kind.encode(), int(serial), rows_per_item)

    def part(self, name: str, inside: int) -> int:
        return self._add(self._library.sluice_add_part, name.encode(), inside)

    def connector(self, name: str, start: int, end: int, capacity: int = 0) -> int:
        return self._add(self._library.sluice_add_connector, name.encode(), start, end, capacity)

    def knob(
        self, name: str, kind: int, target: int, low: int, high: int, value: int, takes_effect: int = LIVE
    ) -> int:
        self._knobs[kind, target] = name
        return self._add(self._library.sluice_add_knob, name.encode(), kind, target, low, high, value, takes_effect)

    def create(self, folder: str = "") -> Segment:
        handle = ctypes.c_void_p()
        where = folder.encode() if folder else None
        _check(self._library, self._library.sluice_create(self._handle, where, ctypes.byref(handle)))
        segment = Segment(self._library, handle)
        segment.program, segment.knobs = self._program, self._knobs
        self._free()  # not by its collection, which would swallow what a signal's handler raises just then
        return segment


def attach(path: str) -> Segment:
    """The segment of another process, for its workers. Raises SegmentError."""
    library = _library.library()
    handle = ctypes.c_void_p()
    _check(library, library.sluice_attach(path.encode(), ctypes.byref(handle)))
    return Segment(library, handle)


def _close(library: Any, handle: ctypes.c_void_p) -> None:
    """Whoever still counts afterwards does so with NULL, which is a status and nothing else."""
    closed = ctypes.c_void_p(handle.value)
    handle.value = None
    library.sluice_close(closed)


class Segment:
    """Counts. Its methods may be called from any thread and in forked children; see sluice.h for who may
    write what. Closed when it is collected, or when the process ends."""

    def __init__(self, library: Any, handle: ctypes.c_void_p) -> None:
        self._handle = handle
        self._library = library
        self.maker = os.getpid()
        self.program = ""  # what is described, and its knobs' names by kind and target; empty where it was attached
        self.knobs: dict[tuple[int, int], str] = {}
        self.path: str = library.sluice_path(handle).decode()
        self.warning: str = library.sluice_warning(handle).decode()
        self.close = weakref.finalize(self, _close, library, handle)
        self._bind(library, handle)

    def _bind(self, library: Any, handle: ctypes.c_void_p) -> None:
        """The functions that are called per batch, with the handle filled in."""

        def bound(function: Callable[..., int]) -> Callable[..., int]:
            return partial(function, handle)

        self.worker_begin = bound(library.sluice_worker_begin)
        self.worker_enter = bound(library.sluice_worker_enter)
        self.worker_done = bound(library.sluice_worker_done)
        self.worker_did = bound(library.sluice_worker_did)
        self.worker_retire = bound(library.sluice_worker_retire)
        self.failed = bound(library.sluice_op_failed)
        self.push = bound(library.sluice_push)
        self.pop = bound(library.sluice_pop)
        self.drain = bound(library.sluice_drain)
        self.set_capacity = bound(library.sluice_set_capacity)
        self.consumer_enter = bound(library.sluice_consumer_enter)
        self.consumer_took = bound(library.sluice_consumer_took)
        self.consumer_did = bound(library.sluice_consumer_did)
        self.tells_of_many = library.sluice_lacks.isdisjoint(("sluice_worker_did", "sluice_consumer_did"))
        self.heartbeat = bound(library.sluice_heartbeat)
        self.set_epoch = bound(library.sluice_set_epoch)
        self.epoch_begun = bound(library.sluice_epoch_begun)
        self.start_took = bound(library.sluice_start_took)
        self.epoch_ended = bound(library.sluice_epoch_ended)
        self.set_buffered = bound(library.sluice_set_buffered)
        self.set_running = bound(library.sluice_set_running)
        self.knob_apply = bound(library.sluice_knob_apply)
        self.knob_hold = bound(library.sluice_knob_hold)
        self.knob_request = bound(library.sluice_knob_request)
        serial = library.sluice_knob_serial(handle)
        self._serial = ctypes.c_uint32.from_address(serial)
        self._items = bound(library.sluice_items)
        until = library.sluice_trace_until(handle)
        self._trace_until = ctypes.c_int64.from_address(until) if until else ctypes.c_int64(0)

    def add_worker(self, op: int) -> int | None:
        """A fresh slot, None when all are used."""
        slot = ctypes.c_uint32()
        status = self._library.sluice_add_worker(self._handle, op, ctypes.byref(slot))
        return slot.value if status == 0 else None

    def worker_lives(self, slot: int) -> bool:
        """Whether a worker has begun there and not retired; always where the library is too old to know."""
        lives = ctypes.c_int(1)
        self._library.sluice_worker_lives(self._handle, slot, ctypes.byref(lives))
        return lives.value != 0

    def first_slot(self, op: int) -> int:
        """Of a segment in which no other is used yet. Raises SegmentError."""
        slot = self.add_worker(op)
        if slot is None:
            raise SegmentError(self._library.sluice_last_error().decode(errors="replace"))
        return slot

    def part_done(self, part: int, took: array[int]) -> None:
        """`took`: an array('q') of nanoseconds, one per finished item."""
        if took:
            address, count = took.buffer_info()
            self._library.sluice_part_done(self._handle, part, address, count)

    def items(self, worker: int, now: int, took: int | None, made: int | None) -> None:
        """The number of the item that the worker (or CONSUMER) works on, in its connector, and of the one it makes;
        None: there is none. For whoever traces; a look where nobody does."""
        if self.is_traced(now):
            self._items(worker, took or 0, took is not None, made or 0, made is not None)

    def is_traced(self, now: int) -> bool:
        """Whether somebody wants to know of each item."""
        return bool(self._handle.value) and now < self._trace_until.value

    def op_items(self, op: int) -> int:
        items = ctypes.c_uint64()
        self._library.sluice_op_items(self._handle, op, ctypes.byref(items))
        return items.value

    def depth(self, connector: int) -> tuple[int, int]:
        """Items and bytes that wait."""
        items, held = ctypes.c_int64(), ctypes.c_int64()
        self._library.sluice_depth(self._handle, connector, ctypes.byref(items), ctypes.byref(held))
        return items.value, held.value

    def log(self, now: int, sentence: str) -> None:
        self._library.sluice_log_event(self._handle, now, sentence.encode())

    @property
    def knob_serial(self) -> int:
        """Grows with every request."""
        return self._serial.value if self._handle.value else 0

    def knob_requested(self, knob: int) -> int:
        value = ctypes.c_int64()
        self._library.sluice_knob_requested(self._handle, knob, ctypes.byref(value))
        return value.value

    @property
    def rank(self) -> int | None:
        """In a distributed run."""
        rank: int = self._library.sluice_rank(self._handle)
        return rank if rank >= 0 else None

    def records(self) -> Records:
        """Of what is decided about it, from the first one on."""
        return Records(self._library, self._handle)

    def knob_wait(self, seen: int, timeout_ns: int) -> int:
        """The serial once it differs from `seen`, or after the timeout."""
        serial = ctypes.c_uint32(seen)
        self._library.sluice_knob_wait(self._handle, seen, timeout_ns, ctypes.byref(serial))
        return serial.value


class Records:
    """What is decided about a segment, in its order, each record once. One thread at a time."""

    def __init__(self, library: Any, handle: ctypes.c_void_p) -> None:
        cursor, self._at = ctypes.c_uint64(), ctypes.c_int64()
        self._text = ctypes.create_string_buffer(RECORD_SIZE)
        places = ctypes.byref(cursor), ctypes.byref(self._at), self._text
        self._next = partial(library.sluice_next_record, handle, *places, RECORD_SIZE)

    def next(self) -> tuple[int, bytes] | None:
        """When it was written, ns, and its JSON; None: there is no new one. Cheap enough for every batch."""
        if self._next() != 0 or not self._text.value:
            return None
        return self._at.value, self._text.value
