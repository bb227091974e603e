"""Whether rows come out of a worker as they came out of the trainer: a worker computes with one thread, which splits
sums otherwise, has imported anew what it is not forked with, or lacks what nobody thought of.

The trainer keeps an outline of rows that it has fetched. A worker that makes another one tells, and a batch is compared
bit by bit. So no row is fetched twice where nothing is wrong.
"""
from __future__ import annotations

import zlib
from time import monotonic_ns
from typing import Any, Callable

import torch

from .._signals import let_through
from .looks import Looks

KEPT = 2000  # rows that an outline is kept of
FEW = 256  # of these, for which nobody asks what they cost
LOOKS = 64  # that a worker takes at them
_WIDTH = 32  # elements in an outline
_TEXT = 1000  # characters in it
_DEPTH = 8  # of what is inside of what
_VALUES = (bool, int, float, complex, str, bytes, type(None))


def differ(one: Any, other: Any, depth: int = _DEPTH) -> bool:
    """What nobody can compare does not."""
    try:
        with torch._C.DisableTorchFunction():
            return _differ(one, other, depth)
    except Exception:
        let_through()
        return False


def _differ(one: Any, other: Any, depth: int) -> bool:
    if type(one) is not type(other):
        return True
    if depth == 0:
        return False
    if isinstance(one, torch.Tensor):
        return one.dtype != other.dtype or one.shape != other.shape or not torch.equal(_bytes(one), _bytes(other))
    if type(one).__module__ == "numpy" and hasattr(one, "tobytes"):
        return bool(one.dtype != other.dtype or one.shape != other.shape or one.tobytes() != other.tobytes())
    if isinstance(one, _VALUES):
        return repr(one) != repr(other)
    if isinstance(one, dict):
        return list(one) != list(other) or any(differ(one[key], other[key], depth - 1) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) != len(other) or any(differ(*pair, depth - 1) for pair in zip(one, other))
    return _differ(vars(one), vars(other), depth - 1)


def _bytes(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.reshape(-1).view(torch.uint8)


class KnownRows:
    """Outlines of rows that the trainer has fetched, by index. Given to workers."""

    def __init__(self) -> None:
        self.outlines: dict[Any, int | None] = {}
        self._looks = Looks()

    def keep(self, index: Any, row: Any) -> None:
        try:
            if len(self.outlines) < KEPT and index not in self.outlines and self._afford_one():
                began = monotonic_ns()
                self.outlines[index] = outline(row)
                self._looks.took(monotonic_ns() - began)
        except Exception:
            let_through()  # nothing to know it by

    def _afford_one(self) -> bool:
        return len(self.outlines) < FEW or self._looks.afford_one()

    def of(self, index: Any) -> int | None:
        """None: not known."""
        try:
            return self.outlines.get(index)
        except Exception:
            let_through()
            return None


class RowCheck:
    """Of one worker."""

    def __init__(self, known: KnownRows, other: Callable[[], None]) -> None:
        """`other` is called once, where a row has another outline."""
        self._known = known
        self._other = other
        self._left = LOOKS

    def look(self, index: Any, row: Any) -> None:
        known = self._known.of(index) if self._left > 0 else None
        if known is None:
            return
        self._left -= 1
        if outline(row) != known:
            self._left = 0
            self._other()


def outline(row: Any) -> int | None:
    """The same in all processes. None: nobody can tell."""
    try:
        with torch._C.DisableTorchFunction():
            return zlib.crc32(repr(_outline(row, _DEPTH)).encode())
    except Exception:
        let_through()
        return None


def _outline(value: Any, depth: int) -> Any:
    if depth == 0:
        return None
    if isinstance(value, torch.Tensor):
        flat = value.reshape(-1)
        return str(value.dtype), tuple(value.shape), flat[:: max(len(flat) // _WIDTH, 1)].tolist()
    if type(value).__module__ == "numpy" and hasattr(value, "tobytes"):
        flat = value.reshape(-1)
        return str(value.dtype), value.shape, flat[:: max(len(flat) // _WIDTH, 1)].tolist()
    if isinstance(value, (str, bytes)):
        return len(value), value[:_TEXT]
    if isinstance(value, _VALUES):
        return value
    if isinstance(value, dict):
        return [(repr(key), _outline(value[key], depth - 1)) for key in list(value)[:_WIDTH]]
    if isinstance(value, (list, tuple)):
        return len(value), [_outline(part, depth - 1) for part in value[:: max(len(value) // _WIDTH, 1)]]
    return type(value).__qualname__, _outline(getattr(value, "__dict__", None), depth - 1)
