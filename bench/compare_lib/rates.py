"""Rates out of what was taken when. Pure."""

from bisect import bisect_right
from dataclasses import dataclass
from statistics import median

from .errors import TooShort


class Taken:
    """Running totals of rows at the moments when an item was taken, in the order of time.

    Between two moments rows are taken as spread evenly, so a window does not jump by a whole batch.
    """

    def __init__(self, moments):
        """moments: (seconds since the start, total rows); both rising. Raises TooShort below two."""
        if len(moments) < 2:
            raise TooShort("fewer than two items were taken; let it run longer (--seconds)")
        self._seconds = [m[0] for m in moments]
        self._rows = [m[1] for m in moments]

    @property
    def begin(self):
        return self._seconds[0]

    @property
    def end(self):
        return self._seconds[-1]

    def rows_at(self, t):
        """Rows taken until t, which lies between begin and end."""
        after = min(max(bisect_right(self._seconds, t), 1), len(self._seconds) - 1)
        t0, t1 = self._seconds[after - 1], self._seconds[after]
        r0, r1 = self._rows[after - 1], self._rows[after]
        return r0 + (r1 - r0) * (t - t0) / (t1 - t0)

    def rate(self, begin, end):
        return (self.rows_at(end) - self.rows_at(begin)) / (end - begin)

    def rate_from(self, begin):
        """Rows per second from `begin` (or the first item, where that is later) to the end. Raises TooShort."""
        begin = max(begin, self.begin)
        if self.end <= begin:
            raise TooShort(f"nothing was taken after {begin:.1f} s; let it run longer (--seconds)")
        return self.rate(begin, self.end)

    def windows(self, begin, length=1.0):
        """Rates of whole windows one after the other, from `begin` or the first item. Raises TooShort."""
        begin = max(begin, self.begin)
        count = int((self.end - begin) / length + 1e-9)
        if count < 1:
            raise TooShort(f"not even {length:g} s was measured; let it run longer (--seconds)")
        return [self.rate(begin + i * length, begin + (i + 1) * length) for i in range(count)]

    def reached(self, rate, length=1.0, step=0.1):
        """When the next `length` seconds, and all the time to the end, first ran at `rate`; None: never."""
        t = self.begin
        while t + length <= self.end:
            if self.rate(t, t + length) >= rate and self.rate_from(t) >= rate:
                return t
            t += step
        return None


def percentile(values, share):
    """Interpolated between the two nearest values. share: 0..1."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def in_turn(turn, sides):
    """The order of one round's sides, the next one's the other way round: what drifts meanwhile favours no side."""
    return sides if turn % 2 == 0 else sides[::-1]


def ratios(ours, theirs):
    """Round by round."""
    return [a / b for a, b in zip(ours, theirs, strict=True)]


def middle(values):
    return median(values)


@dataclass(frozen=True)
class Ratio:
    """What a comparison found: its value, and the least and the greatest of the rounds that it comes from."""

    value: float
    low: float
    high: float
    rounds: int

    @classmethod
    def of(cls, per_round, value=None):
        """The median of the rounds, or another value that was made of them."""
        return cls(middle(per_round) if value is None else value, min(per_round), max(per_round), len(per_round))
