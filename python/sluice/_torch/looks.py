"""How much of the time goes into looking at what the user's objects are like.

Workers need this and little else of what looks: nothing else is imported with it.
"""
from __future__ import annotations

from time import monotonic_ns
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from typing import Protocol

    Looked = dict[str, tuple[Any, bool]]  # by name: what tells one state from another, and whether it is the user's

    class Looking(Protocol):
        def look(self) -> Looked: ...


_SHARE = 0.01  # of the time, for looking


class Looks:
    """All of them together take no more than a share of the time."""

    def __init__(self, within: Looks | None = None) -> None:
        """`within`: others that these are a part of."""
        self._within = within
        self._asked = 0
        self._began, self._spent = monotonic_ns(), 0  # ns

    def afford_one(self) -> bool:
        """Whether there may be one more; now and then at any rate, ever more seldom."""
        self._asked += 1
        seldom = self._asked & (self._asked - 1) == 0
        return seldom or self._spent <= _SHARE * (monotonic_ns() - self._began)

    def at(self, view: Looking) -> Looked:
        began = monotonic_ns()
        found = view.look()
        self.took(monotonic_ns() - began)
        return found

    def took(self, time: int) -> None:
        """ns."""
        self._spent += time
        if self._within is not None:
            self._within.took(time)
