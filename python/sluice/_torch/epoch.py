"""One epoch as the training loop feels it: from its first request, iter(loader), to its last batch."""


def length_of(loader):
    """Batches of an epoch; 0: nobody knows."""
    try:
        return len(loader)
    except Exception:
        return 0


class EpochClock:
    """Of one iterator. One thread: whoever calls next() on it."""

    def __init__(self, segment):
        self._segment = segment
        self._began = None  # ns; None: there is no epoch now
        self._last = self._first = self._taken = 0
        self._setting = None
        self._kept = False

    def begin(self, now, loader, kept=False):
        """`kept`: its workers are there already."""
        self._began = self._last = now
        self._kept = kept
        self._first = 0
        self._taken = 0
        self._setting = None
        self._segment.epoch_begun(length_of(loader))

    def in_force(self, workers, capacity):
        """Called when the epoch begins and with every change in it. One with other workers than were started for it
        counts for no setting; what is parked before the first batch took nothing where nothing was started."""
        setting = (workers, capacity)
        if self._setting not in (None, setting) and not self._is_at_once(workers):
            setting = (-1, capacity)
        self._setting = setting

    def _is_at_once(self, workers):
        before = self._setting[0]
        return self._taken == 0 and (workers == before or (self._kept and workers < before))

    def took(self, now):
        """A batch was handed out."""
        self._taken += 1
        self._last = now
        if self._taken == 1 and self._began is not None:
            self._first = now - self._began

    def end(self):
        """The loop asks for no more, or has left early."""
        if self._began is not None and self._taken > 0 and self._setting is not None:
            self._segment.epoch_ended(self._last - self._began, self._first, self._taken, *self._setting)
        self._began = None
