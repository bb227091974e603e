"""One iterator of a measured loader: the consumer's wait and step, the tasks on their way, the workers' seats.

Kept as `_sluice` on PyTorch's iterator, to which nothing here holds a reference. Every method is called by the thread
that iterates. What fails in counting is said once and ends the counting; routing goes on.
"""
from __future__ import annotations

import os
from collections import deque
from time import monotonic_ns
from typing import TYPE_CHECKING, Any, Callable

from torch._utils import ExceptionWrapper

from .. import _callbacks, _segment
from .._report import fail_open, warn_of
from .._signals import Deferred, let_through
from . import ahead, changes, releases, repro, stand_in
from .descriptors import LOOKS
from .epoch import EpochClock
from .meter import FetchMeter
from .pool import Pool
from .routing import Router
from .together import Together
from .worker import Task

if TYPE_CHECKING:
    from types import ModuleType

    from torch.utils.data import DataLoader

    from .ahead import Ahead
    from .probe import Probe
    from .worker import WorkerInit

    Original = Callable[[Any], Any]

HEARTBEAT_NS = 1_000_000_000
WATCHED_DRAWS = 8  # index draws per epoch that are looked at for use of the global generators


def is_ready(it: Any) -> bool:
    """Whether a batch can be yielded, or at least an answer is there."""
    return len(it._task_info.get(it._rcvd_idx, ())) == 2 or not it._data_queue.empty()


class Iteration:
    def __init__(self, probe: Probe, init: WorkerInit | None, epoch: int) -> None:
        """`init`: of its workers, None where it has none. `epoch`: the loader's own number of it, from 1."""
        self.probe = probe
        self._init = init
        self._epoch = epoch
        self._segment = probe.segment
        self._ids = probe.ids
        self._counters, self._requests, self._holds = probe.counters, probe.requests, probe.holds
        self._rows: deque[int] = deque()  # of the batches on their way
        self._seats: list[int | None] = []  # the slot of each of the iterator's workers
        self._beat = 0  # ns
        self._sampler_watch: repro.DrawWatch | None = None
        self._index_draws = 0
        self._first = probe.counters.tasks  # the number of this epoch's first batch
        self._asked = self._yielded = 0
        self._sampler_error: int | None = None  # its id
        self._ended = self._closed = False
        self._asking = False  # next() is under way
        self.router: Router | None = None  # None: PyTorch deals out the tasks
        self.pool: Pool | None = None
        self._tag_here: Callable[[int, Any], Task] | None = None  # where there are no workers: marks a fetch's indices
        self._single = False
        self._meter_here: FetchMeter | None = None  # of the trainer's fetches
        self.together: Together | None = None  # its batches that are told of together, where they may be
        self._asked_at = 0  # when the loop asked for the batch that it waits for, ns
        self.started_from: changes.StartState | None = None  # what its workers saw, where it has some
        self.silence: stand_in.Silence | None = None  # None: workers may take as long as they do
        self._stand_in: stand_in.StandIn | None = None  # None: workers fetch, if there are any
        self._ahead: Ahead | None = None  # None: the sampler keeps no generator
        self._looks = LOOKS
        self._clock = EpochClock(probe.segment)
        probe.iterations.add(self)

    # ---- the workers ----

    def lease(self, worker_id: int) -> int | None:
        """A slot for a worker that is about to start; None: there is no more."""
        slot = self._counters.lease_slot()
        self._seats.append(slot)
        if self._init is not None and slot is not None:
            self._init.slots[worker_id] = slot
        return slot

    @fail_open("what starting a worker takes is not measured")
    def start_took(self, took: int) -> None:
        """CPU time of this thread, ns: for one of several."""
        self._segment.start_took(took, 0)

    def manage(self, it: Any, dataloader: ModuleType, context: Any, capacity: int) -> None:
        """Deals out the tasks from now on, and may change the number of workers."""
        level = self.probe.level
        self.router = Router(
            len(it._workers),
            capacity,
            in_turn=level == "strict" or not self._requests.turned,
            out_of_order=level == "free" and releases.in_order(it),
            tagged=self._tagged(it, level),
            rests=self._rests,
        )
        own = self._requests.start.workers
        if own == 0:
            self.silence = stand_in.Silence(self.probe.longest_fetch, self.probe.forks)
        spares = own == 0 or not (it._persistent_workers or self._has_init)
        if spares:
            self.router.indices = {}
        started, spared = len(it._workers), own if spares else None
        self.pool = Pool(
            dataloader, context, self.lease, self._lives, self.start_took, started, spared, self._may_start
        )
        self.pool.watch_over(it)

    def _rests(self, worker: int) -> None:
        """It counts no more until it gets a task again."""
        slot = self._seats[worker]
        if slot is not None:
            self._segment.worker_retire(slot, monotonic_ns())

    def _lives(self, worker: int) -> bool:
        slot = self._seats[worker]
        return slot is None or self._segment.worker_lives(slot)

    def _may_start(self) -> bool:
        name = None if self.started_from is None else self.started_from.changed()
        if name is not None:
            self._holds.others_would_see(name)
        return name is None

    def _tagged(self, it: Any, level: str) -> Callable[[int, Any], Task]:
        if level == "strict":
            return lambda batch, index: Task(index, number=self._first + batch)
        base, kept = it._base_seed, it._persistent_workers

        def tag(batch: int, index: Any) -> Task:
            spot = repro.task_seed(0, self._epoch if kept else 0, batch)  # worker_init_fn runs once per iterator
            return Task(index, repro.task_seed(base, self._epoch, batch), spot, self._first + batch)

        return tag

    def begin(self, now: int, loader: DataLoader, kept: bool = False) -> None:
        """The loop called iter(loader) at `now`, ns. `kept`: its workers are there already."""
        self._clock.begin(now, loader, kept)
        draws_ahead = self._init is not None and self._holds.may_change
        self._ahead = ahead.look_at(loader, self._requests.start) if draws_ahead else None

    def left(self) -> None:
        """The loop may have left early: its sampler shall have drawn no further than in the bare run."""
        drawn, self._ahead = self._ahead, None
        if drawn is not None and not self._ended:
            drawn.put_back(self._asked)

    def in_force(self, workers: int, capacity: int, done: bool) -> None:
        """What there is now; `done`: as was wanted."""
        self._clock.in_force(workers, capacity)
        self._requests.in_force(workers, capacity, done)

    def fetch_here(self, it: Any, meter: FetchMeter, seeded: bool) -> None:
        """There are no workers: the trainer fetches. `seeded`: as a worker would."""
        self._single = True
        self._meter_here = meter
        if seeded:
            self._tag_here = self._tagged(it, "order")
        elif self._segment.tells_of_many:
            self.together = meter.together = Together(self.probe, self._clock)

    def begin_again(self, it: Any, loader: DataLoader) -> None:
        """Before a persistent iterator is reset."""
        self._clock.end()
        self.left()
        self.begin(monotonic_ns(), loader, kept=True)
        self._epoch = self.probe.begin_epoch()
        self._requests.ask_again()
        self._ended = False
        self._rows.clear()
        self._index_draws = self._yielded = self._asked = 0
        self._first = self._counters.tasks
        if self.pool is None or self.router is None:
            self._clock.in_force(len(it._workers), self._requests.wanted.capacity)
            return
        self._clock.in_force(len(self.router.active), self.router.capacity)
        for worker in sorted(self.pool.compact(it), reverse=True):
            self._counters.return_slot(self._seats.pop(worker))  # None: returned when it ended
        self.router.reset(len(it._workers), self.pool.parked)

    def turn_knobs(self, it: Any) -> None:
        """Live, between two batches. Keeps PyTorch's own bookkeeping true, should we have to let go."""
        if self.router is None or self.pool is None:
            return
        wanted = self._requests.wanted
        self.router.capacity = wanted.capacity
        if self._requests.turned and self.probe.level != "strict":
            self.router.in_turn = False
        self.router.wanted = max(wanted.workers, 1)  # none: from the next epoch on
        self.pool.look_for_life(self.router)
        started = self.router.seats == self.router.wanted
        if not started:
            with Deferred():
                started = self.pool.resize(it, self.router, self.router.wanted)
        it._prefetch_factor = max(-(-self.router.limit // max(it._num_workers, 1)), it._prefetch_factor)
        done = started and not self.router.starting and self.router.wanted == max(wanted.workers, 1)
        self.in_force(len(self.router.active), wanted.capacity, done)

    # ---- tasks ----

    def sent(self, index: Any) -> None:
        """A task is about to be put into a worker's queue."""
        self._segment.push(self._ids.fetch.tasks, 1, 0, monotonic_ns())

    def put(self, it: Any, original: Original) -> None:
        """In place of _try_put_index."""
        if self.router is not None:
            self.router.fill(it, self.sent)
            return
        before = it._send_idx
        original(it)
        if it._send_idx > before:
            self.sent(None)

    def draw_index(self, it: Any, original: Original) -> Any:
        """In place of _next_index: the sampler's turn."""
        slot, segment = self._counters.sampler_slot, self._segment
        begin = monotonic_ns()
        segment.worker_enter(slot, _segment.BUSY, begin)
        watched = self._holds.watches_sampler and self._index_draws < WATCHED_DRAWS
        watch = self._watch_of_sampler() if watched and self._index_draws > 0 else None
        drawn, draw = self._ahead, self._index_draws + 1
        states = drawn.before(draw, self._asked) if drawn is not None else None
        try:
            index = original(it)
        except Exception as error:
            self._sampler_error = id(error)  # the error itself knows the iterator
            raise
        finally:
            now = monotonic_ns()
            segment.items(slot, now, None, self._first + self._index_draws)
            segment.worker_enter(slot, _segment.BACKED_UP, now)
            if drawn is not None and states is not None:
                drawn.after(draw, states)
        if watch is not None and watch.drew():
            self._holds.sampler_draws()
        segment.worker_done(slot, 0, now - begin)
        self._rows.append(self.probe.row_count(index))
        self._index_draws += 1
        self._counters.tasks += 1
        return self._to_fetch_here(index) if self._single else index

    def _to_fetch_here(self, index: Any) -> Any:
        self.sent(index)
        return index if self._tag_here is None else self._tag_here(self._index_draws - 1, index)

    def _watch_of_sampler(self) -> repro.DrawWatch:
        """One that has looked just now."""
        if self._sampler_watch is None:
            self._sampler_watch = repro.DrawWatch()
        else:
            self._sampler_watch.drew()
        return self._sampler_watch

    def get(self, it: Any, router: Router, original: Original) -> Any:
        """In place of _get_data: an answer, under the number that the iterator shall see."""
        if self._stand_in is None:
            try:
                return self.received(it, router, original(it))
            except Exception as error:
                let_through()
                what = stand_in.loss(it, router, self._requests.start.workers, error)
                if what is None or router.indices is None:
                    raise
                self._holds.workers_lost(what)
                self._stand_in = self._take_over(it)
        return router.received(it, self._stand_in.fetch(it, router))

    def received(self, it: Any, router: Router, answer: Any) -> Any:
        """What came from a worker, under the number that the iterator shall see."""
        label, data = router.received(it, answer)
        if router.indices is not None:
            index = router.indices.pop(answer[0], None)
            if index is not None and self._requests.start.workers == 0:
                data = self._of_trainer(it, index, data)
        return label, data

    def _of_trainer(self, it: Any, index: Any, data: Any) -> Any:
        """What came from a worker, where the script has none: if it is an error, or not what the trainer makes of the
        same indices, that counts."""

        def fetch() -> Any:
            return stand_in.fetch(it, releases.fetcher_of(it), index)

        if isinstance(data, ExceptionWrapper):
            self._holds.worker_failed()
            return fetch()
        own = self._holds.in_doubt(data, changes.roots_of(it._dataset, it._collate_fn), fetch)
        if own is None:
            return data
        self._stand_in = self._take_over(it)
        return own

    def _take_over(self, it: Any) -> stand_in.StandIn:
        """From the workers."""
        self.pool = None
        for seat, slot in enumerate(self._seats):
            self._counters.return_slot(slot)
            self._seats[seat] = None
        slot = self._counters.lease_slot()
        self._seats.append(slot)
        self._segment.worker_begin(slot, monotonic_ns())
        meter = FetchMeter(self._segment, slot, self._ids.fetch, it._dataset, isolated=True)
        self._clock.in_force(0, self._requests.start.capacity)
        seeded = self._requests.start.workers > 0 and self.probe.reseeds
        return stand_in.StandIn(it, meter, self._tagged(it, "order") if seeded else None)

    @property
    def _has_init(self) -> bool:
        """Whether workers make something that the trainer has not."""
        return self._init is not None and self._init.inner is not None

    # ---- the consumer ----

    def waits(self) -> None:
        """The loop waits for workers to start; pause() ends it."""
        self._segment.consumer_enter(_segment.STARVED, monotonic_ns())

    def next(self, it: Any, original: Original) -> Any:
        """In place of __next__."""
        self._asked += 1
        together = self.together
        if together is not None:
            now = monotonic_ns()
            if now >= together.tell_at:
                self._tell_together()
                if self._segment.is_traced(now):
                    together.look_at = now
            if together.goes_on(now):
                try:
                    return together.next(it, original, now)
                except BaseException as error:
                    self._stopped(error)
                    raise
            self._tell_together()
        if _callbacks.registered:
            self.probe.news.tell()
        self._asking = True
        self._asked_at = now = monotonic_ns()
        try:
            router = self._before(it, now)
            while router is not None:
                router.fill(it, self.sent)
                router = self._grows_on(it, router)
            batch = original(it)
        except BaseException as error:
            self._stopped(error)
            raise
        self._asking = False
        self._after(it)
        self._look(batch)
        return batch

    @fail_open("batches are not counted")
    def _tell_together(self) -> None:
        if self.together is not None and self._meter_here is not None:
            batches = self.together.tell(self._meter_here)
            self._index_draws += batches
            self._yielded += batches

    def _stopped(self, error: BaseException) -> None:
        """There is no batch, but an error or the end."""
        self.pause(ended=isinstance(error, StopIteration))
        if isinstance(error, Exception) and not isinstance(error, StopIteration):
            self._failed(error)
        self._asking = False
        self._let_go()

    @fail_open("how many descriptors a batch takes is not known")
    def _look(self, batch: Any) -> None:
        if self._looks > 0:
            self._looks -= 1
            self._requests.look(batch)

    @fail_open("an error is not looked at")
    def _failed(self, error: Exception) -> None:
        by_sampler = id(error) == self._sampler_error or (self.together is not None and self.together.draws)
        if not by_sampler:
            self._holds.worker_failed()

    def _before(self, it: Any, now: int) -> Router | None:
        """Returns whoever may send more tasks now."""
        self._segment.consumer_enter(_segment.STARVED, now)
        self._holds.loop_asks()
        try:
            turned = self._requests.arrived()
            if turned:
                self._holds.look_at_workers()  # first: what they have seen by now may forbid it
                self.turn_knobs(it)
            if now - self._beat > HEARTBEAT_NS:
                self._housekeeping(it, now)
            return self.router if turned else None
        except Exception:
            self._give_up()
            return None

    def _grows_on(self, it: Any, router: Router) -> Router | None:
        """While there is nothing to yield, starting workers costs the trainer nothing. Returns whoever sends more tasks
        where it did."""
        try:
            if self.pool is None or not self._requests.unfinished or router.seats >= router.wanted or is_ready(it):
                return None
            self.turn_knobs(it)
            return router
        except Exception:
            self._give_up()
            return None

    def _give_up(self) -> None:
        self.router = None
        warn_of("a knob was not changed; this loader is left alone from now on")

    def _housekeeping(self, it: Any, now: int) -> None:
        self._beat = now
        self._holds.look_at_workers()
        self._segment.heartbeat(now)
        self._segment.set_buffered(self._segment.depth(self._ids.last)[1])
        if self.pool is not None and self.router is not None:
            for worker in self.pool.end_idle(it, self.router, now):
                self._counters.return_slot(self._seats[worker])
                self._seats[worker] = None

    def _after(self, it: Any) -> None:
        now = monotonic_ns()
        if self._single:
            self.probe.longest_fetch = max(self.probe.longest_fetch, (now - self._asked_at) / 1e9)
        self._segment.pop(self._ids.last, 1, -1, now)
        self._segment.consumer_enter(_segment.BUSY, now)
        if releases.in_order(it) and not (self.router is not None and self.router.out_of_order):
            self._segment.items(_segment.CONSUMER, now, self._first + self._yielded, None)
        self._yielded += 1
        self._clock.took(now)
        self._segment.consumer_took(1, self._rows.popleft() if self._rows else self.probe.batch_rows)
        self._holds.loop_takes()
        if self.together is not None:
            self.together.told_apart(self._asked_at)

    def pause(self, ended: bool) -> None:
        """The loop asks for no more: the epoch is over, or an error came."""
        self._tell_together()
        self._segment.consumer_enter(_segment.PAUSED, monotonic_ns())
        if ended and not self._ended:
            self._ended = True
            self._clock.end()
            self._holds.epoch_ended()

    def closed(self) -> None:
        """The workers have ended, or the iterator is gone."""
        if os.getpid() != self.probe.pid:  # a forked child threw its copy away
            return
        self.probe.iterations.discard(self)
        self._tell_together()
        self.together = self._meter_here = None
        self._clock.end()
        self.left()
        now = monotonic_ns()
        self.router = self.pool = None  # they know us: the probe shall go with the iterator
        self._segment.consumer_enter(_segment.PAUSED, now)
        for slot in self._seats:
            self._counters.return_slot(slot)
        self._seats = []
        self._counters.drain(now)
        self._closed = True
        self._let_go()

    def _let_go(self) -> None:
        """Nothing of ours shall keep a data set that the script has done with."""
        if self._closed and not self._asking and not self.probe.iterations:
            self._holds.let_go()
