"""Batches that the training loop fetches by itself and that are told of together.

To tell of a batch, and to look at what it and the loop do, takes some tenths of a millisecond. A loop over rows in
memory may take no longer than that for all of its work on one. So of the batches of a quick loop, after its first ones,
ten a second are looked at and told of by themselves; the times of those between are added up, and told now and then.
"""
from __future__ import annotations

from time import monotonic_ns
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    from .epoch import EpochClock
    from .meter import FetchMeter
    from .probe import Probe

    Original = Callable[[Any], Any]

FEW = 64  # batches of a loader, its first ones, each of which is told of by itself
QUICK_NS = 10_000_000  # from one request of the loop to the next
LOOKS_APART_NS = 100_000_000  # one percent of which is what telling of one by itself takes at most
TOLD_APART_NS = 10_000_000  # one percent of which is what telling of several takes; who reads knows so much less


class Together:
    """Of one iterator. One thread: whoever calls next() on it."""

    def __init__(self, probe: Probe, clock: EpochClock) -> None:
        self.on = self.draws = False  # a batch is under way that is told of later; it is the sampler's turn
        self.look_at = self.tell_at = 0  # ns: a batch by itself again; of those until then
        self._probe = probe
        self._segment = probe.segment
        self._clock = clock
        self._asked = 0  # ns: for the batch before
        self._row_count = 0  # of the batch under way
        self._forget()

    def _forget(self) -> None:
        self.batches = self.rows = 0
        self.waited = self.drew = self.fetched = self.longest = 0  # ns: of all, and the longest wait
        self.last = 0  # ns: when the loop had the newest

    def goes_on(self, now: int) -> bool:
        """Whether the batch that the loop asks for now is one of them."""
        return now < self.look_at and now - self._asked < QUICK_NS

    def told_apart(self, asked: int) -> None:
        """The loop has a batch that was told of by itself, for which it asked at `asked`."""
        self._asked = asked
        now = monotonic_ns()
        self.look_at = now + LOOKS_APART_NS if self._probe.counters.tasks >= FEW else 0
        self.tell_at = now + TOLD_APART_NS

    def next(self, it: Any, original: Original, asked: int) -> Any:
        """In place of __next__; `asked`: when the loop did, ns."""
        if self.batches == 0:
            self._probe.holds.looks_away()
        self._asked = asked
        self.on, self.draws = True, False
        try:
            batch = original(it)
        finally:
            self.on = False
        self.last = monotonic_ns()
        waited = self.last - asked
        self.batches += 1
        self.rows += self._row_count
        self.waited += waited
        if waited > self.longest:
            self.longest = waited
        return batch

    def draw(self, it: Any, original: Original) -> Any:
        """In place of _next_index."""
        begin = monotonic_ns()
        self.draws = True
        index = original(it)
        self.draws = False
        self.drew += monotonic_ns() - begin
        self._row_count = self._probe.row_count(index)
        return index

    def tell(self, meter: FetchMeter) -> int:
        """Of all since the last call, whose number is returned. `meter`: of their fetches."""
        batches, rows, now = self.batches, self.rows, self.last
        if batches > 0:
            self._segment.worker_did(self._probe.counters.sampler_slot, batches, 0, self.drew, now)
            self._probe.counters.tasks += batches
            meter.tell(self)
            self._segment.consumer_did(batches, rows, self.waited, now)
            self._clock.took(now, batches)
            self._probe.longest_fetch = max(self._probe.longest_fetch, self.longest / 1e9)
            self._forget()
            self.tell_at = now + TOLD_APART_NS
        return batches
