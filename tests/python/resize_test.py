"""Knobs turned while an epoch is under way: what is in force, and that the workers really come and go."""
import itertools
import multiprocessing
import resource
import unittest
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from unittest import mock

import support
import torch
from support import Plain, children, epoch, loader, probe_of, read, request

import sluice
from sluice import _segment
from sluice._torch import pool
from sluice._torch.routing import Router


def workers_of(iterator):
    return [process.pid for process in iterator._workers]


class Live(unittest.TestCase):
    def test_workers_come_in_the_middle_of_an_epoch(self):
        measured = sluice.wrap(loader(Plain(80), num_workers=1))
        iterator = iter(measured)
        next(iterator)
        request(measured, workers=3)
        support.until(lambda: next(iterator) is not None and len(workers_of(iterator)) == 3, "three workers")
        self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 3)
        support.until(lambda: read(measured).ops["fetch"]["workers"] == 3, "the third worker's first sign")
        list(iterator)
        self.assertEqual(read(measured).consumer["items"], 20)

    def test_workers_that_the_thread_of_an_executor_forks_end_well(self):
        """As where asyncio reads batches in an executor: Python joins the threads of one at exit, also of a child."""
        measured = sluice.wrap(loader(Plain(80), num_workers=1))
        iterator = iter(measured)
        with ThreadPoolExecutor(1) as executor:
            executor.submit(next, iterator).result()
            request(measured, workers=3)
            support.until(lambda: executor.submit(next, iterator).result() is not None and len(workers_of(iterator)) == 3,
                          "three workers")
            workers = list(iterator._workers)
            executor.submit(list, iterator).result()
        for worker in workers:
            worker.join(support.DEADLINE)
        self.assertEqual([worker.exitcode for worker in workers], [0] * 3)

    def test_a_daemonic_process_keeps_its_loader_without_workers(self):
        """As the processes of a multiprocessing.Pool are: they may have no children."""
        measured = sluice.wrap(loader(Plain(), num_workers=0))
        epoch(measured)
        request(measured, workers=2)
        with mock.patch.dict(multiprocessing.current_process()._config, daemon=True):
            self.assertEqual(len(list(measured)), 12)
        workers = read(measured).knobs["fetch.workers"]
        self.assertEqual((workers["applied"], workers["held"]), (0, _segment.HELD_FAILED))
        self.assertEqual(len(list(measured)), 12)

    def test_no_more_batches_are_on_their_way_than_descriptors_allow(self):
        """The trainer keeps one open for each tensor that a worker has sent."""
        limits = resource.getrlimit(resource.RLIMIT_NOFILE)
        self.addCleanup(resource.setrlimit, resource.RLIMIT_NOFILE, limits)
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, limits[1]))
        measured = sluice.wrap(loader(Plain(1200), batch_size=15, num_workers=2, collate_fn=list))
        iterator = iter(measured)
        next(iterator)
        request(measured, workers=8, capacity=60)
        kept = [next(iterator) for _ in range(2)]
        for batch in iterator:
            kept = [kept[-1], batch]
            self.assertLess(len(iterator._task_info), 10)
        knobs = read(measured).knobs
        self.assertEqual(knobs["fetch.capacity"]["applied"], 3, "the script's own")
        self.assertLessEqual(knobs["fetch.workers"]["applied"], 8)

    def test_what_was_asked_for_before_a_batch_was_seen_is_bounded_by_it_afterwards(self):
        measured = sluice.wrap(loader(Plain(40), num_workers=1, collate_fn=list))
        iterator = iter(measured)
        self.addCleanup(iterator._shutdown_workers)
        requests = probe_of(measured).requests
        requests._descriptors._free = 20
        request(measured, workers=1, capacity=30)
        self.assertTrue(requests.arrived())
        self.assertEqual(requests.wanted.capacity, 30)
        requests.look([torch.zeros(1)] * 2)
        self.assertTrue(requests.arrived())
        self.assertEqual(requests.wanted.capacity, 10)

    def test_a_spawned_worker_gets_no_task_before_it_lives(self):
        """Batches are yielded in order: all would wait for its imports."""
        measured = sluice.wrap(loader(Plain(160), num_workers=1, multiprocessing_context="spawn"))
        iterator = iter(measured)
        next(iterator)
        with mock.patch.object(_segment.Segment, "worker_lives", lambda *_: False):
            request(measured, workers=2)
            for _ in range(30):
                next(iterator)
            self.assertEqual(len(workers_of(iterator)), 2)
            self.assertEqual(iterator._sluice.router.load[1], 0)
            self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 1)
            with mock.patch.object(pool, "LONGEST_START_NS", 0):
                next(iterator)
            self.assertGreater(iterator._sluice.router.load[1], 0, "something must have kept it from telling")
        self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 2)
        self.assertEqual(len(list(iterator)), 8)

    def test_a_spawned_worker_works_as_soon_as_it_lives(self):
        measured = sluice.wrap(loader(Plain(4000), num_workers=1, multiprocessing_context="spawn"))
        iterator = iter(measured)
        next(iterator)
        request(measured, workers=2)
        next(iterator)
        self.assertEqual(iterator._sluice.router.load[1], 0)
        slot = iterator._sluice._seats[1]
        support.until(lambda: iterator._sluice._segment.worker_lives(slot), "its first sign")
        next(iterator)
        self.assertGreater(iterator._sluice.router.load[1], 0)

    def test_tells_what_the_start_of_one_more_worker_took(self):
        """The first start of a run, which imports and makes queues besides, is not what the next one takes."""
        measured = sluice.wrap(loader(Plain(80), num_workers=1))
        iterator = iter(measured)
        next(iterator)
        with mock.patch.object(pool, "thread_time_ns", side_effect=itertools.count(0, 7)):
            request(measured, workers=2)
            support.until(lambda: next(iterator) is not None and len(workers_of(iterator)) == 2, "two workers")
        self.assertEqual(read(measured).ended["start"], 7)
        list(iterator)

    def test_a_parked_worker_gets_no_task_and_comes_back_without_a_start(self):
        measured = sluice.wrap(loader(Plain(160), num_workers=2))
        iterator = iter(measured)
        request(measured, workers=1)
        next(iterator)
        sent = list(iterator._sluice.router.load)
        for _ in range(6):
            next(iterator)
        self.assertLessEqual(iterator._sluice.router.load[1], sent[1])
        self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 1)
        before = workers_of(iterator)
        request(measured, workers=2)
        next(iterator)
        self.assertEqual(workers_of(iterator), before)
        list(iterator)

    def test_a_parked_worker_counts_no_more_until_it_works_again(self):
        measured = sluice.wrap(loader(Plain(800), num_workers=3))
        iterator = iter(measured)

        def working(wanted):
            request(measured, workers=wanted)
            support.until(
                lambda: next(iterator) is not None and read(measured).ops["fetch"]["workers"] == wanted,
                f"{wanted} workers at work",
            )

        working(1)
        working(3)
        list(iterator)

    def test_a_parked_worker_stays_parked_in_the_next_epoch(self):
        measured = sluice.wrap(loader(Plain(200), num_workers=3, persistent_workers=True))
        iterator = iter(measured)
        request(measured, workers=1)
        list(iterator)
        for _ in range(2):
            iterator = iter(measured)
            self.assertEqual([load > 0 for load in iterator._sluice.router.load], [True, False, False])
            self.assertEqual(read(measured).ops["fetch"]["workers"], 1)
            self.assertEqual(len(list(iterator)), 50)
        request(measured, workers=3)
        self.assertEqual(len(list(measured)), 50)
        self.assertEqual(read(measured).ops["fetch"]["workers"], 3)

    def test_a_worker_that_was_parked_for_long_ends_and_the_epoch_goes_on(self):
        bare = epoch(loader(Plain(400), num_workers=2))
        with mock.patch.object(pool, "PARKED_NS", 0):
            measured = sluice.wrap(loader(Plain(400), num_workers=2))
            iterator, found = iter(measured), []
            idle = workers_of(iterator)[1]
            request(measured, workers=1)
            for batch in iterator:
                found.append(support.digest(batch))
                iterator._sluice._beat = 0
                if len(found) == 60:
                    support.until(lambda: not support.alive(idle), "the idle worker's end")
                    request(measured, workers=2)
        self.assertEqual(found, bare)

    def test_capacity_bounds_what_is_on_its_way(self):
        measured = sluice.wrap(loader(Plain(400), num_workers=2))
        iterator = iter(measured)
        request(measured, capacity=9)
        next(iterator)
        self.assertEqual(len(iterator._task_info), 10)
        request(measured, capacity=1)
        for _ in range(12):
            next(iterator)
        self.assertEqual(len(iterator._task_info), 2)
        self.assertEqual(read(measured).connectors["fetch->consumer"]["capacity"], 1)

    def test_what_was_found_is_kept_in_the_next_epoch(self):
        for persistent in (False, True):
            measured = sluice.wrap(loader(Plain(80), num_workers=1, persistent_workers=persistent))
            iterator = iter(measured)
            request(measured, workers=3, capacity=8)
            support.until(lambda: next(iterator) is not None and len(workers_of(iterator)) == 3, "three")  # noqa: F821
            list(iterator)
            del iterator
            again = iter(measured)
            self.assertEqual(len(workers_of(again)), 3)
            self.assertEqual(len(list(again)), 20)
            self.assertEqual(read(measured).knobs["fetch.capacity"]["applied"], 8)
            self.assertEqual(measured.num_workers, 1)

    def test_what_was_found_is_kept_where_a_persistent_loaders_iterator_is_dropped(self):
        def run(made, turn=lambda: None):
            found = [epoch(made)]
            turn()
            found.append(epoch(made))
            made._iterator = None
            again = iter(made)
            return found + [epoch(again)], len(workers_of(again))

        bare, _ = run(loader(Plain(80), num_workers=1, persistent_workers=True))
        measured = sluice.wrap(loader(Plain(80), num_workers=1, persistent_workers=True))
        found, workers = run(measured, lambda: request(measured, workers=3))
        self.assertEqual(found, bare)
        self.assertEqual(workers, 3)
        self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 3)
        self.assertEqual(read(measured).ended["workers"], 3)  # all of the last one was theirs

    def test_a_persistent_loader_outlives_its_parked_and_ended_workers(self):
        bare = support.epochs(loader(Plain(200), num_workers=3, persistent_workers=True), 3)
        with mock.patch.object(pool, "PARKED_NS", 0):
            measured = sluice.wrap(loader(Plain(200), num_workers=3, persistent_workers=True))

            def between(number):
                measured._iterator._sluice._beat = 0
                if number in (5, 30):
                    request(measured, workers=1 if number == 5 else 2)

            self.assertEqual(support.epochs(measured, 3, between), bare)

    def test_the_users_own_change_of_num_workers_is_followed(self):
        measured = sluice.wrap(loader(Plain(40), num_workers=1))
        epoch(measured)
        measured.num_workers = 2
        iterator = iter(measured)
        self.assertEqual(len(workers_of(iterator)), 2)
        list(iterator)
        self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 2)

    def test_no_further_descriptors_no_further_workers(self):
        from sluice._torch import graph

        with mock.patch.object(graph, "free_descriptors", lambda: 0):
            measured = sluice.wrap(loader(Plain(40), num_workers=2))
            next(iter(measured))
        self.assertEqual(read(measured).knobs["fetch.workers"]["high"], 2)

    def test_a_worker_that_cannot_be_started_is_a_warning(self):
        measured = sluice.wrap(loader(Plain(80), num_workers=1))
        iterator = iter(measured)
        found = [support.digest(next(iterator))]
        with mock.patch.object(pool.Pool, "_append", side_effect=OSError("no processes left")):
            request(measured, workers=3)
            found.append(support.digest(next(iterator)))
        found += [support.digest(batch) for batch in iterator]
        self.assertEqual(found, epoch(loader(Plain(80), num_workers=1)))
        self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 1)


class Dealing(unittest.TestCase):
    """Who gets how many tasks, without a loader."""

    def iterator(self):
        numbers = iter(range(1000))
        queue = SimpleNamespace(put=lambda task: None)
        return SimpleNamespace(
            _task_info={}, _send_idx=0, _tasks_outstanding=0, _index_queues=[queue] * 16, _next_index=lambda: next(numbers)
        )

    def test_the_first_worker_does_not_take_what_is_for_those_to_come(self):
        it = self.iterator()
        router = Router(1, 29, in_turn=False, out_of_order=False, tagged=lambda batch, index: index, rests=None)
        router.wanted = 16
        router.fill(it, lambda index: None)
        self.assertEqual(router.load, [3], "44 tasks for 16 workers")
        for _ in range(15):
            router.added(lives=True)
            router.fill(it, lambda index: None)
        self.assertEqual(len(it._task_info), 44)
        self.assertLessEqual(max(router.load), 3)

    def test_a_worker_that_does_not_live_yet_gets_no_task(self):
        it = self.iterator()
        router = Router(1, 6, in_turn=False, out_of_order=False, tagged=lambda batch, index: index, rests=None)
        router.wanted = 3
        first, second = router.added(lives=False), router.added(lives=False)
        router.fill(it, lambda index: None)
        self.assertEqual(router.load, [3, 0, 0])
        router.lives(first)
        router.fill(it, lambda index: None)
        self.assertEqual(router.load, [3, 3, 0])
        self.assertEqual(router.seats, 3)
        self.assertEqual(router.park_last(), second, "of those that are there, the one that is of no use yet")
        router.lives(second)
        self.assertEqual((router.active, router.seats), ([0, 1], 2), "parked")
        router.unpark(second, lives=True)
        self.assertEqual(router.active, [0, 1, 2])

    def test_a_worker_alone_gets_all_that_may_be_on_its_way(self):
        it = self.iterator()
        router = Router(1, 29, in_turn=False, out_of_order=False, tagged=lambda batch, index: index, rests=None)
        router.fill(it, lambda index: None)
        self.assertEqual(router.load, [29])


class Border(unittest.TestCase):
    def test_workers_begin_at_the_next_epoch_where_there_were_none(self):
        bare = support.epochs(loader(Plain(), num_workers=0), 3)
        measured = sluice.wrap(loader(Plain(), num_workers=0))
        found = [epoch(measured, lambda number: request(measured, workers=2))]
        found += support.epochs(measured)
        self.assertEqual(found, bare)
        self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 2)
        self.assertGreaterEqual(read(measured).ops["start-up"]["items"], 2)

    def test_the_capacity_waits_with_them(self):
        from sluice import _segment

        measured = sluice.wrap(loader(Plain(), num_workers=0))
        seen = []
        epoch(measured, lambda number: seen.append(read(measured).knobs["fetch.capacity"]["held"]))
        self.assertEqual(set(seen), {_segment.HELD_WATCHING})
        self.assertEqual(read(measured).knobs["fetch.capacity"]["held"], _segment.NOT_HELD)

    def test_they_do_not_where_fetches_draw_from_the_trainers_generators(self):
        from sluice import _segment

        bare = support.epochs(loader(support.Drawing(), num_workers=0), 3)
        measured = sluice.wrap(loader(support.Drawing(), num_workers=0))
        found = support.epochs(measured, 3, lambda number: request(measured, workers=2))
        self.assertEqual(found, bare)
        self.assertEqual(read(measured).knobs["fetch.workers"]["held"], _segment.HELD_RANDOM_DRAWS)

    def test_down_to_none_draws_as_the_workers_did(self):
        still = support.epochs(sluice.wrap(loader(support.Drawing(), num_workers=2)), 3)
        measured = sluice.wrap(loader(support.Drawing(), num_workers=2))
        found = [epoch(measured, lambda number: number == 2 and request(measured, workers=0))]
        found += support.epochs(measured)
        self.assertEqual(found, still)
        self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 0)
        self.assertEqual(children(), [])

    def test_data_that_cannot_go_to_workers_stays_in_the_trainer(self):
        class Unsendable(Plain):
            def __getstate__(self):
                raise TypeError("not to be pickled")

        bare = support.epochs(loader(Unsendable(), num_workers=0))
        with mock.patch.object(support.torch.multiprocessing, "Process", side_effect=OSError("none left")):
            measured = sluice.wrap(loader(Unsendable(), num_workers=0))
            found = support.epochs(measured, between=lambda number: request(measured, workers=2))
        self.assertEqual(found, bare)
        self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 0)


if __name__ == "__main__":
    unittest.main()
