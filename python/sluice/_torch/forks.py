"""What a data set has that forked workers would share, or lack.

Where several ask over one connection, each may read another's answer. Threads do not live on in a fork, and memory of a
device cannot be used there.
"""
from __future__ import annotations

import os
import stat
import threading
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, Any

import torch

from .._signals import let_through
from . import files, transforms

if TYPE_CHECKING:
    from collections.abc import Iterable

HOST = frozenset(("cpu", "meta"))  # devices whose tensors a worker can make
_DEPTH = 12  # of attributes: a session keeps adapters, which keep pools, which keep connections
_MOST = 2000  # objects that are looked at
_SHARING = ("multiprocessing", "torch.multiprocessing")  # queues and managers, made for it; but for ...
_PIPE = "multiprocessing.connection"  # ... an end of a pipe by itself


def find(roots: Iterable[Any], from_trainer: bool) -> str | None:
    """What of it is within reach of `roots`, in words; None: nothing. `from_trainer`: fetches of the trainer itself
    would move to workers, so that threads and devices matter, too."""

    def is_wanted(value: Any) -> bool:
        return _is_connection(value) or (from_trainer and (_is_thread(value) or _is_elsewhere(value)))

    if not from_trainer and not _has_any_channel():
        return None
    for root in roots:
        found = transforms.walk(root, is_wanted, depth=_DEPTH, most=_MOST, closed=_is_made_to_be_shared)
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


def _is_made_to_be_shared(value: Any) -> bool:
    module = str(type(value).__module__)
    return module != _PIPE and any(module == name or module.startswith(name + ".") for name in _SHARING)


def _is_thread(value: Any) -> bool:
    """Or somebody who has some."""
    if isinstance(value, threading.Thread):
        return value.is_alive() and value is not threading.main_thread()
    executor = any(base.__name__ == "ThreadPoolExecutor" for base in type(value).__mro__)
    return executor and bool(vars(value).get("_threads"))


def _is_elsewhere(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.device.type not in HOST
