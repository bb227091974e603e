"""Callbacks of the script: what is decided about its loaders, and what limits them (sluice.on_decision, on_verdict).

Whoever decides, in another process, writes records into a loader's segment. They are read here between two batches, on
the thread that iterates, once somebody has registered. In workers nothing is read.
"""
from __future__ import annotations

import json
import os
import sys
from time import monotonic_ns, time_ns
from typing import TYPE_CHECKING, Any, Callable

from ._report import warn_of, warn_of_script

if TYPE_CHECKING:
    from ._segment import Segment

    Record = dict[str, Any]
    Callback = Callable[[Record], Any]

# As the documents call them, by their numbers in a record (docs/telemetry-segment.md).
AUTHORS = ("controller", "user")
FATES = ("trial", "kept", "rolled_back", "advised", "rejected")

registered: dict[str, list[Callback]] = {}  # by the type of record; empty: nobody listens


def register(kind: str, callback: Callback) -> None:
    if not callable(callback):
        raise TypeError(f"sluice.on_{kind} takes a function of one argument, not {type(callback).__name__}")
    registered.setdefault(kind, []).append(callback)


class News:
    """Of one segment that this process has made."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self._at_rest = [segment.records()]  # none: somebody reads, who may be a callback's caller or another thread
        self._works = _is_worker()

    def tell(self) -> None:
        """Calls whoever has registered with each record that has come since. What a callback raises is told and goes no
        further, but for what ends a program."""
        if self._works or self._segment.maker != os.getpid():
            return
        try:
            records = self._at_rest.pop()
        except IndexError:
            return
        try:
            while (read := records.next()) is not None:
                record = self._record(*read)
                for callback in tuple(registered.get(record.get("type", ""), ())):
                    _call(callback, dict(record))
        finally:
            self._at_rest.append(records)

    def _record(self, at: int, text: bytes) -> Record:
        """What a callback gets; empty for what is not known."""
        try:
            said = json.loads(text)
            if "verdict" in said:
                return {**self._head("verdict", at), **said["verdict"]}
            return {**self._head("decision", said["at_ns"]), **self._decision(said)} if "id" in said else {}
        except Exception:
            warn_of("what was decided cannot be read")
            return {}

    def _head(self, kind: str, at: int) -> Record:
        return {
            "type": kind,
            "unix_seconds": (time_ns() - monotonic_ns() + at) / 1e9,
            "loader": self._segment.program,
            "rank": self._segment.rank,
            "pid": self._segment.maker,
        }

    def _decision(self, said: Record) -> Record:
        changes = [
            {"knob": self._segment.knobs[kind, target], "from": before, "to": after}
            for kind, target, before, after in said["changes"]
        ]
        return {
            "id": said["id"],
            "author": AUTHORS[said["author"]],
            "changes": changes,
            "because": said.get("because", ""),
            "fate": FATES[said["fate"]],
            "before_items_per_second": said["before"],
            "predicted_items_per_second": said["predicted"],
            "measured_items_per_second": said.get("measured"),
        }


def _is_worker() -> bool:
    """Whether this process works for a DataLoader."""
    torch_worker = sys.modules.get("torch.utils.data._utils.worker")
    return torch_worker is not None and torch_worker.get_worker_info() is not None


def _call(callback: Callback, record: Record) -> None:
    try:
        callback(record)
    except Exception:
        name = getattr(callback, "__qualname__", type(callback).__name__)
        warn_of_script(f"{name}, called with a {record['type']}", about=id(callback))
