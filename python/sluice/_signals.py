"""Signals whose Python handlers raise: none may be lost because it came while our code ran.

Python runs handlers between any two steps of the main thread. What they raise is swallowed within the hooks that run
around os.fork, and would be by whoever fails open. So while workers are started handlers are deferred, and an error
that came from a handler is told from one of ours.
"""
from __future__ import annotations

import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, Callable, Optional

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType, FrameType

    Handler = Callable[[int, Optional[FrameType]], Any]

_NEVER = {signal.SIGCHLD}  # PyTorch sets its handler while workers are started, and keeps the one before


def is_raised_by_handler() -> bool:
    """Whether a signal handler raised the error that is being handled, wherever we were."""
    kind, _, trace = sys.exc_info()
    if kind is not None and issubclass(kind, KeyboardInterrupt):
        return True
    codes = {id(code) for code in map(_code_of, _handlers().values()) if code is not None}
    while trace is not None:
        if id(trace.tb_frame.f_code) in codes:
            return True
        trace = trace.tb_next
    return False


def let_through() -> None:
    """Raises the error that is being handled once more where a signal handler raised it."""
    if is_raised_by_handler():
        raise


def _handlers() -> dict[int, Handler]:
    found = {number: signal.getsignal(number) for number in signal.valid_signals()}
    return {number: handler for number, handler in found.items() if callable(handler)}


def _code_of(handler: Any) -> CodeType | None:
    handler = getattr(handler, "func", handler)  # of a functools.partial
    function = getattr(handler, "__func__", handler)
    code = getattr(function, "__code__", None)
    return code or getattr(getattr(type(handler), "__call__", None), "__code__", None)  # noqa: B004 - it is its code that is wanted


class Deferred:
    """While it lasts, Python handlers of the main thread wait; at its end those run whose signals came.

    The second signal of a kind is handled at once: whoever insists shall not wait for what hangs. In a child that is
    forked meanwhile nothing waits.
    """

    def __enter__(self) -> Deferred:
        self._pid = os.getpid()
        self._before: dict[int, Handler] = {}
        self._came: list[int] = []
        if threading.current_thread() is not threading.main_thread():
            return self
        try:
            for number, handler in _handlers().items():
                if number not in _NEVER:
                    self._before[number] = handler
                    signal.signal(number, self._note)
        except BaseException:
            self._restore(list(self._before.items()))
            raise
        return self

    def _note(self, number: int, frame: FrameType | None) -> None:
        if os.getpid() != self._pid or number in self._came:
            self._before[number](number, frame)
        else:
            self._came.append(number)

    def _restore(self, left: list[tuple[int, Handler]]) -> None:
        """Gives back all that are `left`; raises what one that is back already raised meanwhile."""
        try:
            while left:
                self._give_back(*left[-1])
                left.pop()
        except BaseException:
            self._restore(left)
            raise

    def _give_back(self, number: int, handler: Handler) -> None:
        if signal.getsignal(number) == self._note:
            signal.signal(number, handler)

    def __exit__(self, *_: object) -> None:
        try:
            self._restore(list(self._before.items()))
        finally:
            for number in self._came:
                self._before[number](number, None)


def free_left_locks(locks: Iterable[Any], patience: float) -> None:
    """Releases those that stay locked for `patience` seconds: a handler raised just as the main thread had taken one.

    threading.Condition is written in Python, so what a handler raises can come between taking its lock and the `with`
    that gives it back. For locks that are held for moments only.
    """
    for lock in locks:
        lock.acquire(timeout=patience)
        lock.release()
