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

    Raises nothing of its own: stderr may be closed.
    """
    about = about or sentence
    if about in _said:
        return
    _said.add(about)
    try:
        sys.stderr.write(f"sluice: {sentence}; training goes on\n{trace}")
        sys.stderr.flush()
    except Exception:
        _signals.let_through()


# The error that is being handled comes from the interpreter, never as an argument: a frame that lets it pass and holds
# it too would be in a cycle with its traceback, and keep the script's iterator until the garbage collector comes.


def warn_of(doing: str) -> None:
    """Of the error that is being handled, one of ours; what a signal handler raised meanwhile is the script's and goes
    on its way."""
    _signals.let_through()
    kind, error, _ = sys.exc_info()
    name = kind.__name__ if kind is not None else ""
    warn(f"{doing}: {name}: {error}".replace("\n", " "), about=(doing, name))


def warn_of_script(doing: str, about: Any) -> None:
    """Of the error that is being handled, of a function of the script's: with its trace, as the script must be put
    right."""
    _signals.let_through()
    import traceback

    kind = sys.exc_info()[0]
    name = kind.__name__ if kind is not None else ""
    warn(f"{doing}, raised {name}, which is told once", about=("script", about), trace=traceback.format_exc())


def fail_open(doing: str) -> Callable[[Callable[..., Result]], Callable[..., Result | None]]:
    """A decorator: what the function raises becomes a warning and None."""

    def wrap(function: Callable[..., Result]) -> Callable[..., Result | None]:
        @functools.wraps(function)
        def guarded(*arguments: Any, **named: Any) -> Result | None:
            try:
                return function(*arguments, **named)
            except Exception:
                warn_of(doing)
                return None

        return guarded

    return wrap
