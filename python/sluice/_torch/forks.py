"""Connections that forked processes share: where one asks, another may read the answer."""
from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any

from .._signals import let_through
from . import transforms

if TYPE_CHECKING:
    from collections.abc import Iterable

STANDARD = 2  # input, output and error: the last descriptor that is not looked at
_DEPTH = 12  # of attributes: a session keeps adapters, which keep pools, which keep connections
_MOST = 2000  # objects that are looked at
_MADE_TO_BE_SHARED = frozenset(("multiprocessing", "_multiprocessing", "torch"))


def find(roots: Iterable[Any]) -> str | None:
    """The type of an open socket or pipe within reach of `roots`; None: there is none."""
    if not _has_any():
        return None
    for root in roots:
        found = transforms.walk(root, _is_connection, depth=_DEPTH, most=_MOST)
        if found:
            kind = type(found[0])
            return f"{kind.__module__}.{kind.__qualname__}"
    return None


def _has_any() -> bool:
    """Whether this process has any at all."""
    return any(_is_channel(int(name)) for name in os.listdir("/proc/self/fd"))


def _is_channel(descriptor: int) -> bool:
    try:
        mode = os.fstat(descriptor).st_mode
    except OSError:
        return False  # among them that of the folder itself, which is closed by now
    return descriptor > STANDARD and (stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode))


def _is_connection(value: Any) -> bool:
    kind = type(value)
    if not hasattr(kind, "fileno") or str(kind.__module__).partition(".")[0] in _MADE_TO_BE_SHARED:
        return False
    try:
        return _is_channel(value.fileno())
    except Exception:
        let_through()
        return False  # closed, or none that we know
