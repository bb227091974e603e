"""Fail open: whatever breaks in Sluice is one line on stderr, and the training goes on."""
from __future__ import annotations

import functools
import sys
from typing import Any, Callable, TypeVar

from . import _signals

Result = TypeVar("Result")

_said: set[Any] = set()


def warn(sentence: str, about: Any = None, trace: str = "") -> None:
    """Says it once per process; of several sentences `about` the same only the first. `trace`: lines behind it.

    Never raises: stderr may be closed.
    """
    about = about or sentence
    if about in _said:
        return
    _said.add(about)
    try:
        sys.stderr.write(f"sluice: {sentence}; training goes on\n{trace}")
        sys.stderr.flush()
    except Exception:
        pass


def warn_of(error: BaseException, doing: str) -> None:
    """Of an error of ours; one that a signal handler raised meanwhile is the script's and goes on its way."""
    if _signals.is_raised_by_handler(error):
        raise error
    kind = type(error).__name__
    warn(f"{doing}: {kind}: {error}".replace("\n", " "), about=(doing, kind))


def warn_of_script(error: BaseException, doing: str, about: Any) -> None:
    """Of an error in a function of the script's: with its trace, as the script must be put right."""
    if _signals.is_raised_by_handler(error):
        raise error
    import traceback

    trace = "".join(traceback.format_exception(type(error), error, error.__traceback__))
    warn(f"{doing}, raised {type(error).__name__}, which is told once", about=("script", about), trace=trace)


def fail_open(doing: str) -> Callable[[Callable[..., Result]], Callable[..., Result | None]]:
    """A decorator: what the function raises becomes a warning and None."""

    def wrap(function: Callable[..., Result]) -> Callable[..., Result | None]:
        @functools.wraps(function)
        def guarded(*arguments: Any, **named: Any) -> Result | None:
            try:
                return function(*arguments, **named)
            except Exception as error:
                warn_of(error, doing)
                return None

        return guarded

    return wrap
