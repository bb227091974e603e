"""How far a sampler's own generators have been drawn from ahead of the training loop.

A loop may leave an epoch early. How far the sampler has drawn by then depends on how many batches are on their way, so
where that is more than in the bare run the generators go back to where the bare run would have left them, and the next
epoch's order is the bare run's. RandomSampler, for one, draws once more at its end.
"""
from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from .._report import fail_open
from . import graph, repro, transforms

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch.utils.data import DataLoader

    from .requests import Setting

    States = list[Any]

UNKNOWN = "an epoch that is left early may change the next one's order"


@fail_open(UNKNOWN)
def look_at(loader: DataLoader, script: Setting) -> Ahead | None:
    """None: its sampler keeps no generator. `script`: what the bare run would have."""
    sampler = [loader.sampler, loader.batch_sampler]
    generators = transforms.walk(sampler, repro.is_generator, apart=loader.dataset)
    return Ahead(generators, script) if generators else None


class Ahead:
    """Of one epoch. One thread: whoever calls next() on the iterator."""

    def __init__(self, generators: Sequence[Any], script: Setting) -> None:
        self._generators = generators
        self._margin = graph.in_flight(script.capacity, script.workers) if script.workers > 0 else 0
        self._kept: deque[tuple[int, States]] = deque()  # by draw: the states before it, where it changed them
        self._last: States | None = None  # after the latest draw that was looked at

    @fail_open(UNKNOWN)
    def before(self, draw: int, asked: int) -> States | None:
        """The states, where the bare run would not yet make this draw. `draw`: counted from 1; `asked`: for so many
        batches."""
        return self._states() if draw > self._bare_run_drew(asked) else None

    @fail_open(UNKNOWN)
    def after(self, draw: int, before: States) -> None:
        self._last = self._states()
        if self._last != before:
            self._kept.append((draw, before))

    @fail_open(UNKNOWN)
    def put_back(self, asked: int) -> None:
        """The loop has left after that many batches. Where somebody has drawn from the generators since they stay."""
        self._bare_run_drew(asked)
        if self._kept and self._states() == self._last:
            for generator, state in zip(self._generators, self._kept[0][1]):
                repro.set_state(generator, state)

    def _bare_run_drew(self, asked: int) -> int:
        """How often; what is kept for these draws goes."""
        drew = asked + self._margin
        while self._kept and self._kept[0][0] <= drew:
            self._kept.popleft()
        return drew

    def _states(self) -> States:
        return [repro.state_of(generator) for generator in self._generators]
