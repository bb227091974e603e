"""What a data set has that forked workers would share, or lack.

Where several ask over one connection, or take from one queue, each may get what was another's. Threads do not live on
in a fork, memory of a device cannot be used there, and what a worker has written to a file but not flushed is lost.
"""
from __future__ import annotations

import io
import logging
import os
import stat
import threading
import types
from multiprocessing import queues
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, Any

import torch

from .._signals import let_through
from . import draws, files, transforms

if TYPE_CHECKING:
    from collections.abc import Iterable

HOST = frozenset(("cpu", "meta"))  # devices whose tensors a worker can make
_QUEUES = (queues.Queue, queues.SimpleQueue)
_DEPTH = 12  # of attributes: a session keeps adapters, which keep pools, which keep connections
_MOST = 2000  # objects that are looked at
_SHARING = ("multiprocessing", "torch.multiprocessing")  # queues and managers, made for it; but for ...
_PIPE = "multiprocessing.connection"  # ... an end of a pipe by itself
# Who has threads, by the name of a base, and the attribute that keeps them, or one of them.
_THREADS = {"ThreadPoolExecutor": "_threads", "Pool": "_task_handler"}
_DATABASES = ("_gdbm", "_dbm", "dbm.dumb", "dbm.sqlite3")  # files of one process at a time; shelve is made of them


def find(roots: Iterable[Any], own_workers: int, forked: bool = True) -> str | None:
    """What of it is within reach of `roots`, in words; None: nothing. `own_workers`: that the script has. Where there
    are none, fetches of the trainer itself would move to workers, so that threads, devices and files matter, too.
    Workers that are not `forked` get nothing of all this but queues and pipes of multiprocessing."""
    from_trainer = own_workers == 0 and forked

    def is_wanted(value: Any) -> bool:
        return (
            ((forked or type(value).__module__ == _PIPE) and _is_connection(value))
            or (own_workers <= 1 and isinstance(value, _QUEUES))
            or (from_trainer and (_is_thread(value) or _is_elsewhere(value) or _is_written(value) or _collects(value)))
        )

    if not from_trainer and not _has_any_channel():
        return None
    named = [value for root in roots for _, value in draws.globals_of(root)] if from_trainer else []
    named = [logging.root if value is logging else value for value in named if value is logging or _is_kept(value)]
    for root in [*roots, *named]:
        found = transforms.walk(root, is_wanted, depth=_DEPTH, most=_MOST, closed=_is_closed)
        if found:
            return _title(found[0])
    return None


def device_of(data: Any) -> str | None:
    """Of the first tensor of a batch that is not in the host's memory; None: there is none."""
    found = transforms.walk(data, _is_elsewhere)
    return str(found[0].device) if found else None


class _Nowhere:
    """A file that keeps nothing."""

    def write(self, data: bytes) -> int:
        return len(data)


class _Sender(ForkingPickler):
    """As a worker sends a batch, but for tensors and arrays, which are left where they are."""

    def persistent_id(self, value: Any) -> str | None:
        return "tensor" if isinstance(value, torch.Tensor) or hasattr(type(value), "__array_interface__") else None


def why_not_sent(batch: Any) -> str | None:
    """Why a worker could not send a batch; None: it could."""
    try:
        _Sender(_Nowhere()).dump(batch)
    except Exception as error:
        let_through()
        return str(error) or type(error).__name__
    return None


def _title(found: Any) -> str:
    if isinstance(found, torch.Tensor):
        return f"a tensor on {found.device}"
    kind = f"{type(found).__module__}.{type(found).__qualname__}"
    if _is_written(found):
        return f"a file that is open for writing ({getattr(found, 'name', kind)})"
    if _collects(found):
        return f"a logger whose lines are written later ({found.name})"
    if isinstance(found, _QUEUES):
        return f"a queue ({kind})"
    return f"a connection ({kind})" if _is_connection(found) else f"threads ({kind})"


def _has_any_channel() -> bool:
    """Whether this process has any at all."""
    return any(map(_is_channel, files.descriptors()))


def _is_channel(descriptor: int) -> bool:
    try:
        mode = os.fstat(descriptor).st_mode
    except OSError:
        return False
    return descriptor > files.STANDARD and (stat.S_ISSOCK(mode) or stat.S_ISFIFO(mode))


def _is_connection(value: Any) -> bool:
    if not hasattr(type(value), "fileno") or _is_made_to_be_shared(value):
        return False
    try:
        return _is_channel(value.fileno())
    except Exception:
        let_through()
        return False  # closed, or none that we know


def _is_written(value: Any) -> bool:
    """A file, or a database that is one."""
    if type(value).__module__ in _DATABASES:
        return True
    try:
        return (
            isinstance(value, io.IOBase)
            and value.writable()
            and value.fileno() > files.STANDARD
            and stat.S_ISREG(os.fstat(value.fileno()).st_mode)
        )
    except Exception:
        let_through()
        return False  # closed, or none that we know


def _collects(value: Any) -> bool:
    """A logger whose lines wait for a thread, or to be written together."""
    logger = value if isinstance(value, logging.Logger) else None
    while logger is not None:
        for handler in logger.handlers:
            kinds = {base.__name__ for base in type(handler).__mro__}
            in_queue = "QueueHandler" in kinds and not isinstance(getattr(handler, "queue", None), _QUEUES)
            if in_queue or "MemoryHandler" in kinds:
                return True
        logger = logger.parent if logger.propagate else None
    return False


def _is_kept(value: Any) -> bool:
    """Whether a global is something that holds what rows may use, no code."""
    return not isinstance(value, (types.ModuleType, type, types.FunctionType, types.BuiltinFunctionType))


def _is_closed(value: Any) -> bool:
    """Not to be looked into. The files of loggers are written line by line."""
    return isinstance(value, logging.Logger) or _is_made_to_be_shared(value)


def _is_made_to_be_shared(value: Any) -> bool:
    module = str(type(value).__module__)
    return module != _PIPE and any(module == name or module.startswith(name + ".") for name in _SHARING)


def _is_thread(value: Any) -> bool:
    """One that runs, or somebody who has some."""
    if isinstance(value, threading.Thread):
        return value.is_alive() and value is not threading.main_thread()
    kept = [getattr(value, _THREADS[base.__name__], None) for base in type(value).__mro__ if base.__name__ in _THREADS]
    return any(map(_is_thread, [one for some in kept for one in (some if isinstance(some, set) else [some])]))


def _is_elsewhere(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.device.type not in HOST
