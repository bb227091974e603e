"""Several threads on one loader, each with iterators of its own, while workers start: nobody waits for ever."""
import os
import signal
import threading
import unittest
from unittest import mock

import support
from support import Plain, epoch, loader, probe_of
from torch.utils.data import DataLoader
from torch.utils.data.dataloader import _BaseDataLoaderIter

import sluice

SCRIPT = """
import faulthandler, sys, threading
faulthandler.dump_traceback_later({watchdog}, exit=True)
import torch
from torch.utils.data import DataLoader, Dataset
import sluice

class Rows(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        import numpy
        return torch.rand(1) + numpy.random.rand() + index

def run():
    try:
        for epoch in range({epochs}):
            assert sum(1 for _ in loader) == 6
    except BaseException as error:
        failed.append(error)
        raise

if __name__ == "__main__":
    loader = sluice.wrap(DataLoader(Rows(), batch_size=4, shuffle=True, num_workers=1,
                                    multiprocessing_context=sys.argv[1]))
    failed = []
    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sys.exit(1 if failed else 0)
"""
LAZY = """
import sys
sys.path.insert(0, {package!r})
import torch.utils.data
before = "numpy.random" in sys.modules
from sluice._torch import repro
watch = repro.DrawWatch()
repro.restore(repro.save())
repro.reseed(1)
assert not watch._seen[2] or before
sys.exit(0 if ("numpy.random" in sys.modules) == before else 1)
"""
# As if a handler had raised between taking the lock of a queue and the `with` that gives it back.
LEFT_LOCKED = """
import faulthandler
faulthandler.dump_traceback_later({watchdog}, exit=True)
import torch
from torch.utils.data import DataLoader
import sluice

if __name__ == "__main__":
    it = iter(sluice.wrap(DataLoader(list(range(64)), num_workers=1)))
    next(it)
    it._index_queues[0]._notempty.acquire()
    del it
"""


LONG_S = 0.2  # for a thread that may come; one that is kept out never does


class Meeting:
    """Of two threads: the first lets the second one in, and the second one lets the first one end."""

    def __init__(self):
        self.first_is_in, self.second_is_in, self.first_has_ended = (threading.Event() for _ in range(3))
        self._comes = [self._first, self._second]

    def _first(self):
        self.first_is_in.set()
        self.second_is_in.wait(LONG_S)

    def _second(self):
        self.second_is_in.set()
        self.first_has_ended.wait(LONG_S)

    def come(self):
        if self._comes:
            self._comes.pop(0)()


class MeetInLength(Plain):
    at = None

    def __len__(self):
        if self.at is not None:
            self.at.come()
        return super().__len__()


def let_meet(meeting):
    """For the constructor of PyTorch's iterators."""
    original = _BaseDataLoaderIter.__init__

    def begin(self, *arguments):
        meeting.come()
        original(self, *arguments)

    return begin


def in_two_threads(measured, meeting):
    """An epoch in each; the iterators' probes and the hashes of their batches."""
    found = []

    def run():
        it = iter(measured)
        meeting.first_has_ended.set()
        found.append((it._sluice.probe, epoch(it)))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return zip(*found)


class Threads(unittest.TestCase):
    def test_two_iterators_that_are_made_at_once_have_what_is_theirs(self):
        """A loader's attributes are other ones while an iterator of it is made."""
        for method in ("fork", "spawn"):
            with self.subTest(method=method):
                measured = sluice.wrap(DataLoader(Plain(24), 4, num_workers=1, multiprocessing_context=method))
                expected = epoch(measured)
                meeting = Meeting()
                with mock.patch.object(_BaseDataLoaderIter, "__init__", let_meet(meeting)):
                    _, hashes = in_two_threads(measured, meeting)
                self.assertEqual(list(hashes), [expected] * 2)
                self.assertIsNone(measured.worker_init_fn)

    def test_two_threads_that_begin_at_once_measure_one_loader(self):
        rows = MeetInLength(24)
        measured = sluice.wrap(loader(rows, num_workers=0))
        rows.at = Meeting()
        probes, _ = in_two_threads(measured, rows.at)
        self.assertIs(*probes)
        self.assertIs(probes[0], probe_of(measured))

    def test_a_child_that_is_forked_while_a_thread_begins_waits_for_nobody(self):
        rows, other = MeetInLength(24), loader(Plain(8), num_workers=0)
        measured = sluice.wrap(loader(rows, num_workers=0))
        rows.at = Meeting()
        thread = threading.Thread(target=in_two_threads, args=(measured, rows.at))
        thread.start()
        rows.at.first_is_in.wait(support.DEADLINE)
        child = os.fork()
        if child == 0:
            signal.alarm(support.DEADLINE // 4)
            os._exit(0 if len(epoch(sluice.wrap(other))) == 2 else 1)
        thread.join()
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_two_threads_on_one_loader_end(self):
        for method, epochs in (("fork", 10), ("spawn", 1), ("forkserver", 1)):
            with self.subTest(method=method):
                code = SCRIPT.format(watchdog=support.DEADLINE, epochs=epochs)
                done = support.run_python(code, script_arguments=[method])
                self.assertEqual(done.returncode, 0, done.stderr[-4000:])

    def test_a_lock_that_a_signal_has_left_keeps_nobody_from_ending(self):
        done = support.run_python(LEFT_LOCKED.format(watchdog=support.DEADLINE))
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])

    def test_looking_for_draws_imports_no_part_of_numpy(self):
        """From numpy 2 on its parts are imported when they are asked for; with a lock that a fork would copy."""
        done = support.run_python(LAZY.format(package=str(support.ROOT / "python")), inject=False)
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])


if __name__ == "__main__":
    unittest.main()
