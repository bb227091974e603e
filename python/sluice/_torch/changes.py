"""Whether a data set changes while its rows are fetched: by its rows, which would leave that in a worker where nobody
sees it, or by the training loop, which a worker would not see.

Attributes are compared, those of the data set and of what the user has written within its reach, and plain globals that
its code names. What libraries keep in their own objects is their concern.
"""
from __future__ import annotations

import ctypes
import itertools
import types
from collections import deque
from multiprocessing import sharedctypes
from typing import TYPE_CHECKING, Any

import torch

from .._signals import let_through
from . import draws

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST = 1000  # values that are compared
_WIDTH = 32  # of a container
_DEPTH = 5
_SHARED = (sharedctypes.SynchronizedBase, ctypes._SimpleCData, ctypes.Array)  # with other processes, by multiprocessing
_VALUES = (bool, int, float, complex, str, type(None))
_SETTLES = 2  # fetches, in which a data set may open and make what it keeps


class ChangeWatch:
    """Of one loader without workers, for one epoch. One thread."""

    def __init__(self, roots: dict[str, Any]) -> None:
        """`roots`: by name."""
        self._roots = roots
        self._fetched = 0  # here
        self._before = look(roots)

    def fetched(self) -> str | None:
        """After each fetch of the trainer: what has changed since it began, where it looks; None: nothing."""
        self._fetched += 1
        if self._fetched == _SETTLES:
            self._before = look(self._roots)
        often = self._fetched & (self._fetched - 1) == 0  # ever more seldom
        return self.changed() if often else None

    def changed(self) -> str | None:
        """The name of something that is not as it was."""
        if 0 < self._fetched <= _SETTLES:
            return None
        now = look(self._roots)
        return next((name for name in {**self._before, **now} if self._before.get(name) != now.get(name)), None)


def look(roots: dict[str, Any]) -> dict[str, Any]:
    """By name, what tells one state from another."""
    try:
        return dict(itertools.islice(_values(roots), _MOST))
    except Exception:
        let_through()
        return {}


def _values(roots: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for root in roots.values():
        yield from _globals_of(root)
    pending = deque((name, value, True, 0) for name, value in roots.items())
    seen: set[int] = set()
    while pending:
        name, value, compared, depth = pending.popleft()
        if compared:
            yield name, _token(value)
        if depth > _DEPTH or id(value) in seen or isinstance(value, _VALUES):
            continue
        seen.add(id(value))
        own = depth == 0 or draws.is_users(type(value)) or (compared and isinstance(value, (list, tuple, dict)))
        for inner, part in _parts(value):
            pending.append((f"{name}{inner}", part, own, depth + 1))


def _parts(value: Any) -> list[tuple[str, Any]]:
    if isinstance(value, dict):
        return [(f"[{key!r:.40}]", part) for key, part in itertools.islice(value.items(), _WIDTH)]
    if isinstance(value, (list, tuple)):
        step = max(len(value) // _WIDTH, 1)
        return [(f"[{place}]", value[place]) for place in range(0, len(value), step)]
    if isinstance(value, (torch.Tensor, types.ModuleType, type, types.FunctionType)) or not type(value).__dictoffset__:
        return []
    return [(f".{key}", part) for key, part in list(vars(value).items())[:_WIDTH]]


def _token(value: Any) -> Any:
    kind = type(value)
    if kind in _VALUES:
        return repr(value) if kind in (float, complex) else value
    if isinstance(value, _SHARED):
        return (id(value), bytes(value.get_obj() if isinstance(value, _SHARED[0]) else value)[:_WIDTH])
    if kind.__module__ == "sqlite3":
        return (id(value), getattr(value, "total_changes", None))
    if isinstance(value, torch.Tensor):
        return (id(value), tuple(value.shape), None if value.is_inference() else value._version)
    if kind.__module__ == "numpy" and kind.__name__ == "ndarray":
        return (id(value), value.shape, _sample(value))
    if isinstance(value, (list, tuple, dict, set, frozenset, deque, bytes, bytearray)):
        return (kind, len(value))
    return (kind, id(value))


def _sample(array: Any) -> Any:
    """Of an array's values."""
    if array.dtype.hasobject or array.size == 0:
        return None
    return array.flat[:: max(array.size // _WIDTH, 1)].tobytes()


def _globals_of(root: Any) -> Iterator[tuple[str, Any]]:
    """The plain ones that its code names."""
    for name, value in draws.globals_of(root):
        if type(value) in _VALUES or isinstance(value, _SHARED):
            yield name, _token(value)
