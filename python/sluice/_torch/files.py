"""Files that forked processes share: one of them moves the position at which all of them read next.

A data set that keeps a file open (or an archive, or whatever else reads through one) works in the trainer and in one
worker. In workers that the script has not asked for, each such file is opened once more, under the same descriptor:
they read where they like, and nobody else notices.
"""
from __future__ import annotations

import fcntl
import os
import stat
from typing import TYPE_CHECKING, Callable

from .._report import fail_open

if TYPE_CHECKING:
    from collections.abc import Iterable

STANDARD = 2  # input, output and error: the last descriptor that is not looked at
LOOKS = 8  # fetches, whose first rows show what they are read from


def descriptors() -> list[int]:
    """What this process has open beside the standard ones, and that of the list itself, which is closed by now."""
    return [int(name) for name in os.listdir("/proc/self/fd") if int(name) > STANDARD]


def open_files() -> dict[int, str]:
    """The files that this process has open for reading alone: their names, by descriptor."""
    found = {}
    for descriptor in descriptors():
        try:
            if _is_read_only(descriptor):
                found[descriptor] = os.readlink(f"/proc/self/fd/{descriptor}")
        except OSError:
            continue
    return found


class PositionWatch:
    """Whether fetches move the positions of files. One thread."""

    def __init__(self, descriptors: Iterable[int], moved: Callable[[], None]) -> None:
        """`moved` is called once, after the first fetch that has moved one."""
        self._descriptors = list(descriptors)
        self._moved = moved
        self._before: list[int] = []
        self._left = LOOKS

    def fetch_begins(self) -> None:
        self._before = self._positions()

    def fetch_ends(self) -> PositionWatch | None:
        """The watch to go on with; None: it has seen enough."""
        self._left -= 1
        if self._positions() == self._before:
            return self if self._left > 0 else None
        self._moved()
        return None

    def _positions(self) -> list[int]:
        return [position(descriptor) for descriptor in self._descriptors]


def position(descriptor: int) -> int:
    """In bytes; -1: the file is closed."""
    try:
        return os.lseek(descriptor, 0, os.SEEK_CUR)
    except OSError:
        return -1


@fail_open("workers may disturb each other where they read through one open file")
def unshare_positions() -> None:
    """In a forked process, before it reads. Files that may be written to stay shared: their writers go on behind each
    other. So do those that may not be opened again."""
    for descriptor in open_files():
        try:
            _open_again(descriptor)
        except OSError:
            continue


def _is_read_only(descriptor: int) -> bool:
    """Raises OSError."""
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    readable = flags & os.O_ACCMODE == os.O_RDONLY and not flags & os.O_PATH
    return readable and stat.S_ISREG(os.fstat(descriptor).st_mode)


def _open_again(descriptor: int) -> None:
    """Raises OSError."""
    reached = os.lseek(descriptor, 0, os.SEEK_CUR)
    own = os.open(f"/proc/self/fd/{descriptor}", fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_CLOEXEC)
    try:
        os.lseek(own, reached, os.SEEK_SET)
        os.dup2(own, descriptor, inheritable=os.get_inheritable(descriptor))
    finally:
        os.close(own)
