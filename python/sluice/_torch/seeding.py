"""The say of a worker_init_fn that seeds generators, where each task is seeded on its own.

What the first worker's generators are like after its worker_init_fn stands for the user's seed: tasks are seeded from
it, whichever worker fetches them. So draws follow the seeds that the user gives, repeat with them, and do not depend
on how many workers there are. Generators that the function left alone are seeded from the loader's base seed.
"""
from __future__ import annotations

import os
import time
from typing import Callable

from . import repro

_PLACES = 16  # generators: the three global ones and some of the data set's
_UNKNOWN, _UNTOUCHED, _TOUCHED = 0, 1, 2  # the last: a bit of a fingerprint that is not the two others
_PATIENCE_S = 60
_LOOK_S = 0.001


class UserSeeds:
    """Of one iterator: shared by its workers, however they are started."""

    def __init__(self) -> None:
        import multiprocessing.sharedctypes  # not for the workers' sake, at each one's start

        self._words = multiprocessing.sharedctypes.RawArray("Q", _PLACES)

    def tell(self, before: list[int | None], after: list[int | None]) -> None:
        """By the first worker: fingerprints of its generators around worker_init_fn."""
        changed = touched(before, after)
        for place in reversed(range(_PLACES)):  # the first word is the last to be written
            self._words[place] = changed[place] | _TOUCHED if place in changed else _UNTOUCHED

    def await_words(self) -> list[int]:
        """What the first worker told. It was started before all others; nothing where it never tells."""
        parent, end = os.getppid(), time.monotonic() + _PATIENCE_S
        while self._words[0] == _UNKNOWN and os.getppid() == parent and time.monotonic() < end:
            time.sleep(_LOOK_S)
        return list(self._words)


def touched(before: list[int | None], after: list[int | None]) -> dict[int, int]:
    """The places that worker_init_fn has changed, and the fingerprints that are there now."""
    before = before + [None] * (len(after) - len(before))
    pairs = enumerate(zip(before, after))
    return {place: new for place, (old, new) in pairs if new is not None and new != old and place < _PLACES}


class Say:
    """Of one worker: changes the seed of a task where the user has seeded a generator."""

    def __init__(self, seeds: UserSeeds) -> None:
        self._seeds = seeds
        self._words: list[int] | None = None

    def of(self, spot: int) -> Callable[[int, int], int]:
        """For repro.reseed. `spot`: a number for the task's place in its epoch."""
        if self._words is None:
            self._words = self._seeds.await_words()
        words = self._words

        def seed_of(seed: int, place: int) -> int:
            word = words[place] if place < _PLACES else _UNTOUCHED
            return seed if word in (_UNKNOWN, _UNTOUCHED) else repro.task_seed(word, 0, spot)

        return seed_of
