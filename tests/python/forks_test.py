"""Data sets with what forked workers would share or lack keep the workers that the script has."""
import contextlib
import io
import logging
import os
import queue
import shelve
import socket
import subprocess
import sys
import tempfile
import threading
import types
import unittest
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from logging import handlers
from multiprocessing.pool import ThreadPool
from pathlib import Path

import numpy
import support
import torch
from support import Plain, epoch, epochs, loader, read, request

import sluice
from sluice import _segment
from sluice._torch import forks


class Answers(Plain):
    """Rows are asked for over a pipe to a child and come back over another."""

    def __init__(self):
        super().__init__(96)
        echo = [sys.executable, "-c", "import sys\nfor line in sys.stdin: print(line.strip(), flush=True)"]
        self.child = subprocess.Popen(echo, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __getitem__(self, index):
        print(index, file=self.child.stdin, flush=True)
        return torch.tensor([int(self.child.stdout.readline())])


class Late(Answers):
    """From the first row on."""

    def __init__(self):
        Plain.__init__(self, 96)
        self.child = None

    def __getitem__(self, index):
        if self.child is None:
            Answers.__init__(self)
        return super().__getitem__(index)

    def __getstate__(self):
        return dict(self.__dict__, child=None)


class Piped(Plain):
    """The same by multiprocessing."""

    def __init__(self, method="fork"):
        super().__init__(96)
        context = support.multiprocessing.get_context(method)
        self.end, other = context.Pipe()
        self.child = context.Process(target=answer, args=(other,), daemon=True)
        self.child.start()

    def __getstate__(self):
        return dict(self.__dict__, child=None)

    def __getitem__(self, index):
        self.end.send(index)
        return torch.tensor([self.end.recv()])


def answer(end):
    while True:
        end.send(end.recv())


class Connections(unittest.TestCase):
    def ended(self, rows):
        def end():
            if rows.child is not None:
                rows.child.kill()
                rows.child.communicate()

        self.addCleanup(end)
        return rows

    def run_with_more(self, made, **options):
        """What comes while more workers are asked for, and the loader."""
        measured = sluice.wrap(loader(self.ended(made()), **options))
        return epochs(measured, 3, lambda number: request(measured, workers=4)), measured

    def test_they_stay_with_the_scripts_workers(self):
        for options in (dict(num_workers=1), dict(num_workers=1, persistent_workers=True)):
            with self.subTest(**options):
                bare = epochs(loader(self.ended(Answers()), **options), 3)
                found, measured = self.run_with_more(Answers, **options)
                self.assertEqual(found, bare)
                knob = read(measured).knobs["fetch.workers"]
                self.assertEqual((knob["held"], knob["applied"]), (_segment.HELD_UNFIT, 1))

    def test_so_does_one_end_of_a_pipe_of_multiprocessing(self):
        for method in ("fork", "spawn"):
            with self.subTest(method=method):
                self.check_pipe(method)

    def check_pipe(self, method):
        rows = Piped(method)
        self.addCleanup(rows.child.kill)
        measured = sluice.wrap(loader(rows, num_workers=1, multiprocessing_context=method))
        epochs(measured, 2, lambda number: request(measured, workers=4))
        self.assertEqual(read(measured).knobs["fetch.workers"]["held"], _segment.HELD_UNFIT)

    def test_what_is_not_sent_to_workers_that_are_not_forked_is_no_reason(self):
        rows = self.ended(Late())
        self.assertEqual(rows[7].item(), 7)
        measured = sluice.wrap(loader(rows, num_workers=1, multiprocessing_context="spawn"))
        epochs(measured, 1)
        self.assertEqual(read(measured).knobs["fetch.workers"]["held"], _segment.NOT_HELD)

    def test_one_that_the_trainer_has_opened_stays_with_it(self):
        bare = epochs(loader(self.ended(Late()), num_workers=0), 3)
        found, measured = self.run_with_more(Late, num_workers=0)
        self.assertEqual(found, bare)
        self.assertEqual(read(measured).knobs["fetch.workers"]["held"], _segment.HELD_UNFIT)

    def test_one_that_each_worker_opens_is_no_reason(self):
        found, measured = self.run_with_more(Late, num_workers=1)
        self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 4)
        self.assertFalse([event for event in read(measured).events() if "connection" in event])

    def test_one_that_the_trainer_opens_between_two_epochs_counts_in_the_next(self):
        for persistent in (False, True):
            with self.subTest(persistent=persistent):
                rows = self.ended(Late())
                measured = sluice.wrap(loader(rows, num_workers=1, persistent_workers=persistent))
                epochs(measured, 1)
                self.assertEqual(rows[7].item(), 7)
                epochs(measured, 2, lambda number: request(measured, workers=4))  # noqa: B023 - used at once
                self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 1)

    def test_it_is_told_where_nothing_is_to_be_changed_as_well(self):
        with support.mock.patch.dict(os.environ, SLUICE_ADVISE="1"):
            measured = sluice.wrap(loader(self.ended(Answers()), num_workers=1))
            epochs(measured, 2)
        told = [event for event in read(measured).events() if "connection" in event]
        self.assertEqual(len(told), 1, told)


class Threads(Plain):
    """Rows are made by threads or processes of the data set."""

    def __init__(self, maker, apply):
        super().__init__(96)
        self.maker, self.apply = maker, apply
        self.apply(maker, abs, 1)  # begins to work

    def __getitem__(self, index):
        return torch.tensor([self.apply(self.maker, abs, index)])


class Queued(Plain):
    """Rows come from another process, in turn."""

    def __init__(self, method):
        super().__init__(96)
        context = support.multiprocessing.get_context(method)
        self.queue = context.Queue(8)
        self.child = context.Process(target=feed, args=(self.queue,), daemon=True)
        self.child.start()

    def __getitem__(self, index):
        return torch.tensor([self.queue.get()])

    def __getstate__(self):
        return dict(self.__dict__, child=None)


def feed(rows):
    for row in range(100_000):
        rows.put(row)


class Queues(unittest.TestCase):
    def run_with_more(self, workers, method="fork"):
        rows = Queued(method)
        self.addCleanup(rows.child.kill)
        measured = sluice.wrap(loader(rows, num_workers=workers, multiprocessing_context=method if workers > 0 else None))
        return epochs(measured, 3, lambda number: request(measured, workers=4)), read(measured).knobs["fetch.workers"]

    def test_who_takes_from_one_alone_stays_alone(self):
        for options in (dict(workers=0), dict(workers=1), dict(workers=1, method="spawn")):
            with self.subTest(**options):
                found, knob = self.run_with_more(**options)
                rows = [torch.tensor([[row] for row in range(first, first + 4)]) for first in range(0, 288, 4)]
                self.assertEqual(sum(found, []), [support.digest(batch) for batch in rows])
                self.assertEqual((knob["held"], knob["applied"]), (_segment.HELD_UNFIT, options["workers"]))

    def test_several_take_as_they_did(self):
        self.assertEqual(self.run_with_more(2)[1]["held"], _segment.NOT_HELD)


LOG = None  # a file, while it is wanted


class Logging(Plain):
    """Rows leave a line in a file."""

    def __init__(self, file=None, log=None):
        super().__init__(96)
        self.file, self.log = file, log

    def __getitem__(self, index):
        file = self.file or LOG
        print(index, file=file) if self.log is None else self.log.warning("row")
        return super().__getitem__(index)


class LoggingByModule(Plain):
    def __init__(self):
        super().__init__(96)

    def __getitem__(self, index):
        logging.warning("row")
        return super().__getitem__(index)


class Unsent(Plain):
    """Rows with something that cannot be pickled."""

    def __getitem__(self, index):
        return super().__getitem__(index), lambda: index


class Sized(list):
    """A batch as the tests look at one."""

    def numpy(self):
        return numpy.array([place() for _, place in self])


class Local(Plain):
    """Rows of the process that made the data set."""

    def __init__(self):
        super().__init__(96)
        self.process = os.getpid()

    def __getitem__(self, index):
        if os.getpid() != self.process:
            raise RuntimeError("not here")
        return super().__getitem__(index)


class Raising(Plain):
    def __getitem__(self, index):
        if index == 50:
            raise KeyError("no row 50")
        return super().__getitem__(index)


class InTrainer(unittest.TestCase):
    def check_stays(self, dataset, **options):
        measured = sluice.wrap(loader(dataset, num_workers=0, **options))
        found = epochs(measured, 3, lambda number: request(measured, workers=4))
        self.assertEqual(found, epochs(loader(dataset, num_workers=0, **options), 3))
        self.assertEqual(read(measured).knobs["fetch.workers"]["held"], _segment.HELD_UNFIT)

    def test_rows_of_threads_stay(self):
        for executor in (ThreadPoolExecutor, ProcessPoolExecutor):
            with self.subTest(of=executor), executor(2) as maker:
                self.check_stays(Threads(maker, lambda maker, make, row: maker.submit(make, row).result()))
        for pool in (ThreadPool, support.multiprocessing.Pool):
            with self.subTest(of=pool), pool(2) as maker:
                self.check_stays(Threads(maker, lambda maker, make, row: maker.apply(make, (row,))))

    def test_threads_that_have_ended_hold_nothing(self):
        rows = Threads(ThreadPoolExecutor(2), lambda maker, make, row: row)
        rows.maker.submit(abs, 1).result()
        self.assertIsNotNone(forks.find([rows], 0))
        rows.maker.shutdown()
        self.assertIsNone(forks.find([rows], 0))

    def test_rows_of_a_device_stay(self):
        with support.mock.patch.object(forks, "HOST", frozenset(("meta",))):
            self.check_stays(Plain(96))

    def test_rows_that_no_worker_can_send_stay(self):
        self.check_stays(Unsent(96), collate_fn=Sized)

    def test_what_rows_write_is_not_lost(self):
        global LOG
        for given in (True, False):
            with self.subTest(given=given), tempfile.NamedTemporaryFile("w+") as file:
                LOG = None if given else file
                self.check_stays(Logging(file if given else None))
                file.seek(0)
                self.assertEqual(len(file.readlines()), 6 * 96)
        LOG = None

    def test_a_loggers_lines_are_no_reason(self):
        with tempfile.TemporaryDirectory() as folder:
            handler = logging.FileHandler(os.path.join(folder, "log"))
            self.addCleanup(handler.close)
            log = logging.Logger("rows")
            log.addHandler(handler)
            measured = sluice.wrap(loader(Logging(log=log), num_workers=0))
            epochs(measured, 2, lambda number: request(measured, workers=2))
            self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 2)
            self.assertEqual(len(Path(handler.baseFilename).read_text().splitlines()), 2 * 96)

    def test_lines_that_a_logger_keeps_for_later_are_not_lost(self):
        for make in (lambda to: handlers.MemoryHandler(10_000, target=to), lambda to: handlers.QueueHandler(queue.Queue())):
            for name in ("rows", "root"):
                with self.subTest(name=name), io.StringIO() as text:
                    handler = make(logging.StreamHandler(text))
                    log = logging.getLogger(None if name == "root" else name)
                    log.addHandler(handler)
                    self.addCleanup(log.removeHandler, handler)
                    self.check_stays(LoggingByModule() if name == "root" else Logging(log=log.getChild("child")))
                    log.removeHandler(handler)

    def test_a_logger_that_sends_its_lines_to_another_process_is_no_reason(self):
        log = logging.Logger("rows")
        log.addHandler(handlers.QueueHandler(support.multiprocessing.Queue()))
        self.assertIsNone(forks.find([Logging(log=log)], 0))
        log.addHandler(handlers.QueueHandler(queue.Queue()))
        self.assertIn("(rows)", forks.find([Logging(log=log)], 0))
        child = logging.Logger("child")
        child.parent, child.propagate = log, False
        self.assertIsNone(forks.find([Logging(log=child)], 0))

    def test_a_database_of_one_process_stays(self):
        with tempfile.TemporaryDirectory() as folder, shelve.open(os.path.join(folder, "rows")) as rows:
            made = Plain(96)
            made.rows = rows
            self.check_stays(made)

    def test_where_a_worker_fails_the_trainer_fetches(self):
        bare = epochs(loader(Local(), num_workers=0), 3)
        measured = sluice.wrap(loader(Local(), num_workers=0))
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(epochs(measured, 3, lambda number: request(measured, workers=2)), bare)
        self.assertEqual(read(measured).knobs["fetch.workers"]["held"], _segment.HELD_FAILED)

    def test_where_the_trainer_fails_as_well_it_is_the_bare_runs_error(self):
        measured = sluice.wrap(loader(Raising(96), num_workers=0, shuffle=False))
        with self.assertRaisesRegex(KeyError, "no row 50"):
            epoch(measured)
        request(measured, workers=2)
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(KeyError) as caught:
            epoch(measured)
        self.assertEqual(caught.exception.args, ("no row 50",))

    def test_a_script_that_has_workers_knows_what_it_does(self):
        rows = Plain(96)
        rows.kept = torch.ones(1)
        with support.mock.patch.object(forks, "HOST", frozenset(("meta",))):
            measured = sluice.wrap(loader(rows, num_workers=1))
            epochs(measured, 2, lambda number: request(measured, workers=3))
        self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 3)


class Find(unittest.TestCase):
    def setUp(self):
        self.one, other = socket.socketpair()
        self.addCleanup(self.one.close)
        self.addCleanup(other.close)

    def test_a_pool_of_a_session_is_within_reach(self):
        pool = queue.LifoQueue()
        pool.put(types.SimpleNamespace(sock=self.one))
        session = types.SimpleNamespace(adapters={"https://": types.SimpleNamespace(pools={("host", 443): pool})})
        self.assertEqual(forks.find([types.SimpleNamespace(session=session)], own_workers=2),
                         "a connection (socket.socket)")

    def test_what_is_made_to_be_shared_or_closed_is_none(self):
        shared = support.multiprocessing.Queue()
        self.addCleanup(shared.close)
        closed = socket.socket()
        closed.close()
        kept = types.SimpleNamespace(queue=shared, closed=closed, output=sys.stderr, lock=threading.Lock())
        self.assertIsNone(forks.find([kept], own_workers=2))
        kept.queue = None
        self.assertIsNone(forks.find([kept], own_workers=0))

    def test_a_large_data_set_is_not_looked_through_to_its_end(self):
        rows = [[types.SimpleNamespace(part=object()) for _ in range(30)] for _ in range(30)]
        with support.mock.patch.object(forks, "_MOST", 100):
            self.assertIsNone(forks.find([types.SimpleNamespace(rows=rows, sock=[[[[self.one]]]])], own_workers=2))


if __name__ == "__main__":
    unittest.main()
