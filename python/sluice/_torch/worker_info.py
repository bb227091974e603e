"""Notices that a data set reads which worker it runs in, or how many there are.

PyTorch's WorkerInfo of a worker gets a subclass of its own class until the first such read; it stays the same object
with the same values.
"""
from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    from types import FrameType

_TOLD = ("id", "num_workers")
_LIBRARIES = ("torch", "torchvision", "sluice")


def notice(info: Any, noticed: Callable[[], None]) -> None:
    """Calls `noticed` once, at the first read of `id` or `num_workers` by code that is not a library's."""
    original: Any = type(info)

    class WorkerInfo(original):  # type: ignore[misc]
        __slots__ = ()

        def __getattribute__(self, name: str) -> Any:
            if name in _TOLD and not _is_library(sys._getframe(1)):
                object.__setattr__(self, "__class__", original)
                noticed()
            return original.__getattribute__(self, name)

    WorkerInfo.__module__, WorkerInfo.__qualname__ = original.__module__, original.__qualname__
    object.__setattr__(info, "__class__", WorkerInfo)


def _is_library(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in _LIBRARIES
