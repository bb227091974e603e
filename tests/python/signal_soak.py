"""Sends signals at random moments while workers are started and ended, and counts those whose exception got lost.

usage: signal_soak.py [--signals N] [--seed S] [--methods fork,spawn,forkserver] [--at time|call] [--bare]

A random time mostly strikes a loop that waits; a random call (in whatever module) is as often one that is made once per
iterator.

What a handler raises must be felt by the loop that iterates, wherever it strikes: while an iterator is made, between
two batches, within os.fork. Not in a finalizer of Python's or PyTorch's multiprocessing: Python drops what is raised
there, in a bare run as well, so such signals are told apart, a few at most. The iterator goes with the loop, without the
garbage collector, and afterwards no worker may be left. Exit code 1 when a signal was lost or an iterator was kept.
"""
import argparse
import faulthandler
import gc
import inspect
import logging  # noqa: F401  (its hooks around os.fork are written in Python)
import os
import random
import signal
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
OWNER = os.getpid()
LONGEST = {"fork": 0.15, "spawn": 1.0, "forkserver": 1.0}  # seconds until a signal comes
CALLS = 6000  # some 4000 of which make the first iterator
PATIENCE = 300
DROPPED = {"time": 50, "call": 20}  # one signal in so many, at most; it was one of a bare run's 900, and 3 of 600 at calls


class Stop(Exception):
    """A script's own."""


class Lost(Exception):
    """The handler raised, and the loop went on."""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--signals", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--methods", default="fork,spawn,forkserver")
    parser.add_argument("--at", choices=("time", "call"), default="time")
    parser.add_argument("--bare", action="store_true")
    return parser.parse_args()


class Handler:
    """Raises in turn what SIGTERM's and Ctrl-C's handlers raise, and remembers that it did, and where."""

    def __init__(self):
        self.raised = 0
        self.struck = ""

    def __call__(self, number, frame):
        if os.getpid() == OWNER:
            self.raised += 1
            self.struck = "".join(traceback.format_stack(frame))
            raise (Stop, KeyboardInterrupt, SystemExit)[self.raised % 3]


def iterate(loader, handler, turn):
    """Until a signal is felt."""
    before = handler.raised
    while True:
        for _ in loader:
            if handler.raised > before:
                raise Lost
            turn()


class AtTime:
    """While it lasts a signal comes, `after` so many seconds."""

    def __init__(self, after):
        self._after = after

    def __enter__(self):
        signal.setitimer(signal.ITIMER_REAL, self._after)

    def __exit__(self, *_):
        signal.setitimer(signal.ITIMER_REAL, 0)


class AtCall:
    """The same, after so many calls of the main thread, as a function of Python begins or one of C has returned: where
    Python itself looks for signals. It does not at each line of an except clause, nor when a generator is closed, which
    looks like a call here."""

    def __init__(self, left):
        self._left = left

    def __enter__(self):
        sys.setprofile(self._note)

    def __exit__(self, *_):
        sys.setprofile(None)

    def _note(self, frame, event, value):
        if os.getpid() != OWNER:
            sys.setprofile(None)
        elif event == "c_return" or event == "call" and not frame.f_code.co_flags & inspect.CO_GENERATOR:
            self._left -= 1
            if self._left == 0:
                signal.raise_signal(signal.SIGALRM)


def is_of_handler(error):
    """Also where it struck a lock of Python's, whose end then raises above it that the lock is not held."""
    while error is not None and not isinstance(error, (Stop, KeyboardInterrupt, SystemExit)):
        error = error.__context__
    return error is not None


def is_felt(loader, handler, turn, strike):
    try:
        with strike:
            iterate(loader, handler, turn)
    except Lost:
        return False
    except BaseException as error:
        if not is_of_handler(error):
            raise
        return True


def iterators():
    """PyTorch's, that live."""
    return sum(type(found).__name__ == "_MultiProcessingDataLoaderIter" for found in gc.get_objects())


def in_a_finalizer(found):
    """Of those that nobody but Python can guard."""
    function = found.object
    return getattr(function, "__name__", "") == "__del__" and function.__module__.startswith(("multiprocessing.", "torch.multiprocessing."))


def run(method, count, draw, at, bare):
    """The numbers of signals that were lost, and of iterators that were kept."""
    import support

    import sluice

    handler, lost, by_python, kept, swallowed, dropped = Handler(), 0, 0, 0, [], []

    def note(found):
        (dropped if in_a_finalizer(found) else swallowed).append(f"{found.exc_value!r} in {found.object!r}")

    signal.signal(signal.SIGALRM, handler)
    sys.unraisablehook = note
    for _ in range(count):
        faulthandler.dump_traceback_later(PATIENCE, exit=True)
        made = support.loader(support.Plain(100_000), num_workers=draw.randint(1, 2), multiprocessing_context=method)
        made = made if bare else sluice.wrap(made)

        def turn(made=made):
            if not bare:
                support.request(made, workers=draw.randint(1, 5), capacity=draw.randint(1, 9))

        strike = AtCall(draw.randint(1, CALLS)) if at == "call" else AtTime(draw.uniform(0.0005, LONGEST[method]))
        if not is_felt(made, handler, turn, strike):
            excused = len(dropped) == 1 and not swallowed and by_python < count // DROPPED[at]
            by_python += excused
            lost += not excused
            if excused:
                print(f"dropped by Python: {dropped}", flush=True)
            else:
                print(f"lost: {swallowed + dropped}\n{handler.struck}", flush=True)
        swallowed.clear()
        dropped.clear()
        del made, turn
        kept += iterators()
        gc.collect()
    faulthandler.cancel_dump_traceback_later()
    gc.collect()
    support.until(lambda: not support.multiprocessing.active_children(), "the end of all workers")
    print(f"{method}: {lost} of {count} signals lost, {kept} iterators kept", flush=True)
    return lost + kept


def main():
    options = arguments()
    draw = random.Random(options.seed)
    print(f"seed {options.seed}", flush=True)
    gc.disable()
    methods = options.methods.split(",")
    faults = sum(run(method, options.signals // len(methods), draw, options.at, options.bare) for method in methods)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
