"""Whether rows write to one and the same file again and again, as to a fixed temporary one, or read one that the
training loop changes meanwhile.

One process after the other may write so. Several at a time read what another has just written. Workers read before the
loop has its say. What Python itself opens in a fetch is seen, by its audit events; what libraries of C open, or other
programs, is not.
"""
from __future__ import annotations

import os
import stat
import sys
import threading
import time
from typing import Any, Callable

from .._signals import let_through

LOOKS = 8  # fetches that are looked at
MOST_SHARED = 4  # files that several fetches have read
_WRITES = os.O_WRONLY | os.O_RDWR
_SPECIAL = ("/dev/", "/proc/", "/sys/")
_SHARED_MEMORY = "/dev/shm/"


class _State:
    watch: FileWatch | None = None  # of the fetch that is under way
    hooked = False


class FileWatch:
    """Of the fetches of one worker. One thread."""

    def __init__(self, found: Callable[[str], None], changed: Callable[[str], None] | None = None) -> None:
        """`found` is called once, with the path of a file that is written again and again; `changed` with that of one
        that several fetches have read, where it has changed between two."""
        self._found = found
        self._changed = changed
        self._read: set[str] = set()  # by earlier fetches
        self._reads: set[str] = set()  # by this one
        self._stamps: dict[str, Any] = {}  # of files that several have read, after the newest fetch
        self._files: set[str] = set()  # that earlier fetches have made or written
        self._now: set[str] = set()  # that this one does
        self._began = 0  # ns since 1970
        self._thread = 0
        self._left = LOOKS

    def fetch_begins(self) -> None:
        for path, stamp in self._stamps.items():
            if self._changed is not None and _stamp(path) != stamp:
                self._changed(path)
        if self._left == 0:
            return
        _listen()
        self._now, self._reads = set(), set()
        self._began = time.time_ns()
        self._thread = threading.get_ident()
        _State.watch = self

    def fetch_ends(self) -> FileWatch | None:
        """The watch to go on with; None: it has seen enough."""
        _State.watch = None
        if self._left > 0:
            self._left -= 1
            again = self._written_again()
            if again is not None:
                self._found(again)
                return None
        self._stamps = {path: _stamp(path) for path in self._stamps}
        return self if self._left > 0 or self._stamps else None

    def _written_again(self) -> str | None:
        again = next((path for path in self._now & self._files if _is_file(path)), None)
        self._files |= self._now
        if self._changed is not None:
            shared = sorted(filter(_is_file, self._reads & self._read))
            self._stamps.update(dict.fromkeys(shared[: MOST_SHARED - len(self._stamps)]))
            self._read |= self._reads
        return again

    def opened(self, path: Any, flags: int) -> None:
        if not isinstance(path, (str, bytes, os.PathLike)) or threading.get_ident() != self._thread:
            return
        name = os.path.abspath(os.fsdecode(path))
        if flags & _WRITES:
            appends = flags & os.O_APPEND  # processes that append do not overwrite each other
            self._now.update(() if appends else (name,))
        elif name not in self._now and os.stat(name).st_mtime_ns >= self._began:
            self._now.add(name)
        else:
            self._reads.add(name)


def _listen() -> None:
    """Once in a process: a hook cannot be taken away."""
    if not _State.hooked:
        _State.hooked = True
        try:
            sys.addaudithook(_heard)
        except Exception:
            let_through()  # another hook forbids it


def _heard(event: str, arguments: tuple[Any, ...]) -> None:
    watch = _State.watch
    if watch is None or event != "open":
        return
    _State.watch = None  # what we open ourselves is no concern
    try:
        watch.opened(arguments[0], arguments[2])
    except Exception:
        let_through()  # it is not there, or nothing that has a name
    finally:
        _State.watch = watch


def _is_file(path: str) -> bool:
    """Also one that is gone by now."""
    if path.startswith(_SPECIAL) and not path.startswith(_SHARED_MEMORY):
        return False
    try:
        return stat.S_ISREG(os.stat(path).st_mode)
    except OSError:
        return True


def _stamp(path: str) -> Any:
    """What tells one state of a file from another."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
