"""Where workers that the script has not asked for die or answer nothing, the trainer fetches the rest of the epoch."""
import contextlib
import errno
import io
import multiprocessing
import os
import signal
import threading
import unittest
from unittest import mock

from support import Drawing, Plain, alive, epoch, epochs, loader, no_children, probe_of, read, request, said, until

import sluice
from sluice import _segment
from sluice._torch import stand_in

# What PyTorch raises, by what it notices first: the end of the worker, or that of its connection.
LOST = (RuntimeError, OSError, EOFError)


class Rows(Plain):
    """In a worker, a row does what `ends` says, where that is wanted."""

    def __init__(self, ends, wanted=True):
        super().__init__(96)
        self.process, self.ends = os.getpid(), ends
        self.wanted = multiprocessing.Value("b", wanted)  # all processes see it change

    def __getitem__(self, index):
        if self.wanted.value and os.getpid() != self.process and index == 60:
            self.ends()
        return super().__getitem__(index)


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


class DrawnRows(Rows, Drawing):
    pass


def more(measured, workers=4):
    return lambda number: request(measured, workers=workers)


def state_of(measured):
    knob = read(measured).knobs["fetch.workers"]
    return knob["held"], knob["applied"]


class WithoutWorkers(unittest.TestCase):
    def check(self, ends, told):
        bare = epochs(loader(Plain(96), num_workers=0), 4)
        measured = sluice.wrap(loader(Rows(ends), num_workers=0))
        with said() as lines, contextlib.redirect_stderr(io.StringIO()):
            states, settings, found = [], [], []
            ask = more(measured)
            for _ in range(4):
                found.append(epoch(measured, lambda number: (ask(number), states.append(state_of(measured)))))
                settings.append(read(measured).ended["workers"])
        self.assertEqual(found, bare)
        self.assertEqual(settings, [0, -1, 0, 0])  # the epoch of the loss counts for none
        self.assertEqual({state for state in states if state[0] == _segment.HELD_FAILED}, {(_segment.HELD_FAILED, 0)})
        self.assertEqual(state_of(measured), (_segment.HELD_FAILED, 0))
        self.assertEqual([line for line in lines if told in line][1:], [], lines)
        events = [event for event in read(measured).events() if told in event]
        self.assertEqual(len(events), 1, read(measured).events())
        self.assertIn("fetched the rest of the epoch by itself", events[0])
        self.assertTrue(no_children())
        free = probe_of(measured).counters._free_slots
        self.assertEqual(len(free), len(set(free)), "a slot that two workers get")
        return measured

    def test_the_trainer_goes_on_where_a_worker_is_killed(self):
        measured = self.check(killed, "a worker was ended by SIGKILL")
        self.assertEqual(read(measured).consumer["items"], 4 * 24)
        self.assertEqual(read(measured).ops["fetch"]["workers"], 0)
        self.assertGreater(probe_of(measured).longest_fetch, 0)

    def test_or_leaves(self):
        self.check(lambda: os._exit(0), "a worker ended with exit code 0")

    def test_or_waits_for_a_lock_that_nobody_gives_back(self):
        lock = threading.Lock()
        lock.acquire()
        with mock.patch.multiple(stand_in, SILENT_SECONDS=1.0, SILENT_FROM_START_SECONDS=1e6):
            self.check(lock.acquire, "workers answer nothing")

    def test_and_where_all_get_the_signal_that_the_trainer_handles(self):
        """As from a scheduler that tells every process of a job."""
        bare = epochs(loader(Plain(96), num_workers=0), 3)
        measured = sluice.wrap(loader(Plain(96), num_workers=0))
        found = epochs(measured, 2, more(measured))
        pids = [worker.pid for worker in self.begin(measured)._workers]
        with contextlib.redirect_stderr(io.StringIO()):
            found.append(epoch(self.it, lambda number: number == 2 and self.end(pids)))
        self.assertEqual(found, bare)

    def test_and_where_what_they_send_does_not_arrive(self):
        """As where the trainer has too many files open."""
        def receive(*_, **__):
            raise OSError(errno.EMFILE, "Too many open files")

        bare = epochs(loader(Plain(96), num_workers=0), 3)
        measured = sluice.wrap(loader(Plain(96), num_workers=0))
        found = epochs(measured, 2, more(measured))
        with said(), mock.patch.object(self.begin(measured)._data_queue, "get", receive):
            found.append(epoch(self.it))
        self.assertEqual(found, bare)
        self.assertIn("Too many open files", "".join(read(measured).events()))

    def test_but_not_where_a_handler_of_the_script_raises_meanwhile(self):
        class Told(Exception):
            pass

        def tell(number, frame):
            raise Told

        self.addCleanup(signal.signal, signal.SIGUSR1, signal.signal(signal.SIGUSR1, tell))
        measured = sluice.wrap(loader(Plain(96), num_workers=0))
        epochs(measured, 1, more(measured))
        signalled = mock.patch.object(
            self.begin(measured)._data_queue, "get", lambda **_: signal.raise_signal(signal.SIGUSR1)
        )
        with signalled, self.assertRaises(Told):
            epoch(self.it)
        del self.it
        self.assertTrue(no_children())

    def begin(self, measured):
        self.it = iter(measured)
        return self.it

    def end(self, pids):
        for pid in pids:
            os.kill(pid, signal.SIGTERM)
        until(lambda: not any(alive(pid) for pid in pids), "the end of all workers")

    def test_rows_that_fail_afterwards_fail_as_in_the_bare_run(self):
        class Failing(Rows):
            def __getitem__(self, index):
                if index == 80:
                    raise OSError(5, "no such row", "rows.bin")
                return super().__getitem__(index)

        def run(rows, measure=lambda made: made):
            made, found = measure(loader(rows, num_workers=0, shuffle=False)), []
            for _ in range(3):
                batches = iter(made)
                while True:
                    try:
                        found.append(next(batches).tolist())
                        if measure is sluice.wrap:
                            request(made, workers=2)
                    except StopIteration:
                        break
                    except OSError as error:
                        found.append((type(error), error.args, error.filename))
            return found

        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(run(Failing(killed), sluice.wrap), run(Failing(killed)))

    def test_a_slow_trainer_is_waited_for(self):
        self.assertEqual(self.looks(longest=0.1, forked=True), 2)
        self.assertEqual(self.looks(longest=0.1, forked=False), 6)
        self.assertEqual(self.looks(longest=7.0, forked=True), 14)

    def looks(self, longest, forked):
        silence = stand_in.Silence(longest, forked)
        silence.heard(False)
        silence.heard(True)
        for looks in range(1, 100):
            try:
                silence.heard(False)
            except stand_in.SilenceError:
                return looks
        return None


class WithWorkers(unittest.TestCase):
    def run_with_more(self, rows, **options):
        """What `rows` do to a worker comes in the second epoch, which more of them begin."""
        measured = sluice.wrap(loader(rows, num_workers=1, **options))
        found = epochs(measured, 1, more(measured))
        rows.wanted.value = True
        with contextlib.redirect_stderr(io.StringIO()):
            found += epochs(measured, 1)
        rows.wanted.value = False
        return found + epochs(measured, 1), measured

    def test_the_trainer_fetches_what_the_memory_does_not_suffice_for(self):
        for kind in (Rows, DrawnRows):
            with self.subTest(rows=kind.__name__):
                whole, _ = self.run_with_more(kind(int, wanted=False))
                found, measured = self.run_with_more(kind(killed, wanted=False))
                self.assertEqual(found, whole)
                self.assertEqual(state_of(measured), (_segment.HELD_FAILED, 1))

    def test_an_error_of_the_script_stays_one(self):
        """What a worker_init_fn has made the trainer has not; workers that last cannot be started anew."""
        for options in (dict(worker_init_fn=print_nothing), dict(persistent_workers=True)):
            with self.subTest(**options), self.assertRaises(LOST):
                self.run_with_more(Rows(killed, wanted=False), **options)

    def test_so_does_one_of_its_own_workers(self):
        measured = sluice.wrap(loader(Rows(killed), num_workers=2))
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(LOST):
            epochs(measured)
        self.assertNotEqual(probe_of(measured).requests.because(probe_of(measured).ids.workers), _segment.HELD_FAILED)

    def test_so_does_an_exit(self):
        with self.assertRaises(LOST):
            self.run_with_more(Rows(lambda: os._exit(3), wanted=False))


def print_nothing(worker_id):
    pass


if __name__ == "__main__":
    unittest.main()
