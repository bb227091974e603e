"""Fail open: whatever breaks in Sluice is one line on stderr, and the training goes on."""
import functools
import sys

_said = set()


def warn(sentence):
    """Says it once per process. Never raises: stderr may be closed."""
    if sentence in _said:
        return
    _said.add(sentence)
    try:
        sys.stderr.write(f"sluice: {sentence}; training goes on\n")
        sys.stderr.flush()
    except Exception:
        pass


def warn_of(error, doing):
    warn(f"{doing}: {type(error).__name__}: {error}".replace("\n", " "))


def fail_open(doing, otherwise=None):
    """A decorator: what the function raises becomes a warning and `otherwise`."""

    def wrap(function):
        @functools.wraps(function)
        def guarded(*arguments, **named):
            try:
                return function(*arguments, **named)
            except Exception as error:
                warn_of(error, doing)
                return otherwise

        return guarded

    return wrap
