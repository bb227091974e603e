"""One epoch as the training loop feels it: from its first request, iter(loader), to its last batch."""
from __future__ import annotations

from typing import TYPE_CHECKING

from .._signals import let_through

if TYPE_CHECKING:
    from torch.utils.data import DataLoader

    from .._segment import Segment


def length_of(loader: DataLoader) -> int:
    """Batches of an epoch; 0: nobody knows."""
    try:
        return len(loader)
    except Exception:
        let_through()
        return 0


class EpochClock:
    """Of one iterator. One thread: whoever calls next() on it."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self._began: int | None = None  # ns; None: there is no epoch now
        self._last = self._first = self._taken = 0
        self._setting: tuple[int, int] | None = None  # workers, capacity
        self._kept = False

    def begin(self, now: int, loader: DataLoader, kept: bool = False) -> None:
        """`kept`: its workers are there already."""
        self._began = self._last = now
        self._kept = kept
        self._first = 0
        self._taken = 0
        self._setting = None
        self._segment.epoch_begun(length_of(loader))

    def in_force(self, workers: int, capacity: int) -> None:
        """Called when the epoch begins and with every change in it. One with other workers than were started for it
        counts for no setting; what is parked before the first batch took nothing where nothing was started."""
        before, self._setting = self._setting, (workers, capacity)
        if before is not None and before != self._setting and not self._is_at_once(before[0], workers):
            self._setting = (-1, capacity)

    def _is_at_once(self, before: int, workers: int) -> bool:
        return self._taken == 0 and (workers == before or (self._kept and workers < before))

    def took(self, now: int, batches: int = 1) -> None:
        """So many were handed out, the last of them at `now`."""
        self._taken += batches
        self._last = now
        if self._taken == 1 and self._began is not None:
            self._first = now - self._began

    def end(self) -> None:
        """The loop asks for no more, or has left early."""
        if self._began is not None and self._taken > 0 and self._setting is not None:
            self._segment.epoch_ended(self._last - self._began, self._first, self._taken, *self._setting)
        self._began = None
