"""Sends signals at random times while workers are started and ended, and counts those whose exception got lost.

usage: signal_soak.py [--signals N] [--seed S] [--methods fork,spawn,forkserver] [--bare]

What a handler raises must be felt by the loop that iterates, wherever it strikes: while an iterator is made, between
two batches, within os.fork. Not in a finalizer of Python's or PyTorch's multiprocessing: Python drops what is raised
there, in a bare run as well, so such signals are told apart, one in fifty at most. The iterator goes with the loop,
without the garbage collector, and afterwards no worker may be left. Exit code 1 when a signal was lost or an iterator
was kept.
"""
import argparse
import faulthandler
import gc
import logging  # noqa: F401  (its hooks around os.fork are written in Python)
import os
import random
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
OWNER = os.getpid()
LONGEST = {"fork": 0.15, "spawn": 1.0, "forkserver": 1.0}  # seconds until a signal comes
PATIENCE = 300
DROPPED = 50  # one signal in so many, at most; of a bare run's 900 it was one


class Stop(Exception):
    """A script's own."""


class Lost(Exception):
    """The handler raised, and the loop went on."""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--signals", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--methods", default="fork,spawn,forkserver")
    parser.add_argument("--bare", action="store_true")
    return parser.parse_args()


class Handler:
    """Raises in turn what SIGTERM's and Ctrl-C's handlers raise, and remembers that it did."""

    def __init__(self):
        self.raised = 0

    def __call__(self, number, frame):
        if os.getpid() == OWNER:
            self.raised += 1
            raise (Stop, KeyboardInterrupt, SystemExit)[self.raised % 3]


def iterate(loader, handler, turn):
    """Until a signal is felt."""
    before = handler.raised
    while True:
        for _ in loader:
            if handler.raised > before:
                raise Lost
            turn()


def is_felt(loader, handler, turn, after):
    try:
        signal.setitimer(signal.ITIMER_REAL, after)
        iterate(loader, handler, turn)
    except (Stop, KeyboardInterrupt, SystemExit):
        return True
    except Lost:
        return False
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def iterators():
    """PyTorch's, that live."""
    return sum(type(found).__name__ == "_MultiProcessingDataLoaderIter" for found in gc.get_objects())


def in_a_finalizer(found):
    """Of those that nobody but Python can guard."""
    function = found.object
    return getattr(function, "__name__", "") == "__del__" and function.__module__.startswith(("multiprocessing.", "torch.multiprocessing."))


def run(method, count, draw, bare):
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

        if not is_felt(made, handler, turn, draw.uniform(0.0005, LONGEST[method])):
            excused = len(dropped) == 1 and not swallowed and by_python < count // DROPPED
            by_python += excused
            lost += not excused
            print(f"dropped by Python: {dropped}" if excused else f"lost: {swallowed + dropped}", flush=True)
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
    faults = sum(run(method, options.signals // len(methods), draw, options.bare) for method in methods)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
