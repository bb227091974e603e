"""One measured loader: its segment, its knobs and what they may do, the slots of its workers.

Scripts that make their loader anew for each epoch have one probe for all of them (take_over). Methods are called by
the threads that iterate over the loader, usually one.
"""
import inspect
import os
import sys
import weakref
from dataclasses import dataclass
from time import monotonic_ns

from torch.utils.data.dataset import IterableDataset

from .. import _segment
from .._report import warn
from . import draws, graph, releases, repro

MOST_FRAMES = 40  # that are looked through for a loader's name
ENOUGH_BATCHES = 64  # fetched without a look at the worker's id
LEAST_SHARED_MEMORY = 2  # times what is asked for must be free in /dev/shm


@dataclass
class Setting:
    workers: int
    capacity: int


def is_iterable(loader):
    return isinstance(loader.dataset, IterableDataset)


def is_pipe(loader):
    """DataPipes shard themselves by the number of workers."""
    return any(base.__name__ in ("IterDataPipe", "MapDataPipe") for base in type(loader.dataset).__mro__)


def goes_on(loader):
    """Whether its sampler goes on where it was left instead of beginning anew."""
    samplers = (loader.sampler, loader.batch_sampler)
    return any(hasattr(sampler, "__next__") for sampler in samplers)


def prefetch_of(loader):
    return loader.prefetch_factor or 2


def _kind(loader):
    """What two loaders that do the same have in common, beside their shape."""
    try:
        rows = len(loader.dataset)
    except Exception:
        rows = None
    parts = (loader, loader.dataset, loader.sampler, loader.batch_sampler)
    return ([type(part) for part in parts], rows, is_iterable(loader), is_pipe(loader), goes_on(loader))


def _reference(value):
    """A weak one; to nothing where there can be none."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: None


def loader_name(loader):
    """The name of a variable that holds the loader, with the data set's class.

    The outermost one: there it was made, and further in it is often called just `loader`.
    """
    frame, name = sys._getframe(1), "loader"
    for _ in range(MOST_FRAMES):
        if frame is None:
            break
        variables = {} if _is_ours(frame) else _variables(frame)
        found = next((key for key, value in variables.items() if value is loader and not key.startswith("_")), None)
        if found and found != "self":
            name = found
        frame = frame.f_back
    return f"{name} ({type(loader.dataset).__name__})"


def _variables(frame):
    values = {**frame.f_globals, **frame.f_locals}
    if sys.version_info < (3, 13) and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        frame.f_locals.clear()  # a copy that the frame keeps: a loader in it would outlive its variable
    return values


def _is_ours(frame):
    module = frame.f_globals.get("__name__", "")
    return module.startswith("sluice.") or module.startswith("torch.")


class Probe:
    def __init__(self, loader, settings, trust):
        self.pid = os.getpid()
        self.level = settings.repro
        self.advise = settings.advise
        self.tune_threads = settings.tune_threads and not settings.advise
        self._trust = trust
        self.known = trust.may_change()  # this PyTorch may be changed
        self._persistent = loader.persistent_workers
        self.batch_rows = loader.batch_size or 1
        self.start = Setting(loader.num_workers, 0)
        self.start.capacity = graph.capacity_of(prefetch_of(loader), loader.num_workers)
        self.shape = self._shape(loader)
        self._kind = _kind(loader)
        self._dataset = _reference(loader.dataset)
        self.iterations = weakref.WeakSet()  # that have not ended
        roots = (loader.dataset, loader.collate_fn, loader.worker_init_fn)
        self.shape.asks_worker = not is_iterable(loader) and draws.knows_worker(roots) is not None
        description, self.ids = graph.describe(self.shape, settings)
        self.segment = description.create(settings.folder)
        if self.segment.warning:
            warn(self.segment.warning, about="where segments are")
        self.wanted = Setting(self.start.workers, self.start.capacity)
        self.epoch = 0
        self._loader_epoch = 0  # of the loader that it has now
        self._draws = 0  # by fetches, before the loader that it has now
        self.watches_sampler = not self.advise
        self._free_slots = []
        self._held = {}
        self._asked = False
        self._remarked = False
        self._changed = False  # whether workers or capacity ever were others than the script's
        self._serial = 0
        self.sampler_slot = self.segment.add_worker(self.ids.sampler)
        self.pin_slot = self.segment.add_worker(self.ids.pin) if self.ids.pin is not None else None
        self._hold_from_the_start(loader)
        self.segment.set_running()

    def _shape(self, loader):
        live = not is_iterable(loader)
        workers_effect = _segment.LIVE if live and loader.num_workers > 0 else _segment.NEXT_EPOCH
        if loader.persistent_workers and not live:
            workers_effect = _segment.NEXT_RUN
        return graph.LoaderShape(
            name=loader_name(loader),
            batch_rows=self.batch_rows,
            workers=loader.num_workers,
            prefetch=prefetch_of(loader),
            pins=bool(loader.pin_memory) and releases.has_accelerator(),
            watched=self.level == "strict" or loader.num_workers == 0 or not is_iterable(loader),
            transforms=graph.find_transforms(loader.dataset),
            least_workers=self._least_workers(loader),
            workers_effect=workers_effect,
            capacity_effect=_segment.LIVE if live and loader.num_workers > 0 else _segment.NEXT_EPOCH,
        )

    @staticmethod
    def _least_workers(loader):
        """Down to none only where the loader would do the same in the trainer."""
        plain = not loader.persistent_workers and loader.worker_init_fn is None and not is_iterable(loader)
        return 0 if plain and loader.timeout == 0 and loader.multiprocessing_context is None else 1

    # ---- a loader that is made anew ----

    def fits(self, loader):
        """Whether `loader` stands where a loader stood that is gone."""
        idle = self.pid == os.getpid() and not self.iterations
        return idle and self._kind == _kind(loader) and self.shape == self._shape(loader)

    def take_over(self, loader):
        """What was found for the loader before holds for this one; what its fetches draw only for the same data set."""
        other = self._dataset() is not loader.dataset
        self._dataset = _reference(loader.dataset)
        self._loader_epoch = 0
        if self.advise:
            return
        self.watches_sampler = True
        if other and self.known and self._watches_draws and not self._held:
            self._draws = self._drawn()
            self._hold_workers(_segment.HELD_WATCHING)

    # ---- what keeps a knob where it is ----

    def _hold_from_the_start(self, loader):
        workers, capacity = self.ids.workers, self.ids.capacity
        if self.advise:
            self.hold(workers, _segment.HELD_ADVISE)
            self.hold(capacity, _segment.HELD_ADVISE)
        elif not self.known:
            self.hold(workers, _segment.HELD_UNKNOWN)
            self.hold(capacity, _segment.HELD_UNKNOWN)
        elif self.level != "free" and goes_on(loader):
            self.hold(workers, _segment.HELD_ORDER)
            self.hold(capacity, _segment.HELD_ORDER)
        elif is_pipe(loader) or (is_iterable(loader) and self.level != "free"):
            self._hold_workers(_segment.HELD_ORDER)
        elif self.shape.asks_worker and self.start.workers == 0:
            self._hold_workers(_segment.HELD_WORKER_ID)
        elif self._watches_draws or self.shape.asks_worker:
            self._hold_workers(_segment.HELD_WATCHING)

    @property
    def _watches_draws(self):
        """Whether it matters that fetches draw."""
        return self.level == "strict" or (self.start.workers == 0 and self.level != "free")

    def _look_within(self, loader):
        """What fetches and sampler can draw from is looked for before they run; what they do is watched."""
        strict = self.level == "strict"
        watching = self._held.get(self.ids.workers) == _segment.HELD_WATCHING
        if self._watches_draws and (watching or self.ids.workers not in self._held):
            source = draws.find((loader.dataset, loader.collate_fn, loader.worker_init_fn), global_too=strict)
            if source:
                self._hold_for_draws(source)
        if strict and self.watches_sampler:
            source = draws.find((loader.sampler, loader.batch_sampler), True, apart=loader.dataset)
            if source:
                self.sampler_draws(source)

    def hear_of_trial(self, loader):
        """Before an iterator begins: whether this PyTorch may be changed may have been found out since."""
        if self.known or self.advise or not self._trust.may_change():
            return
        self.known = True
        self.let_go(self.ids.workers)
        self.let_go(self.ids.capacity)
        self._hold_from_the_start(loader)
        self._look_within(loader)

    def _hold_workers(self, because, sentence=None):
        """And the capacity where there are none, as nothing fetches ahead, or where workers live on after an epoch
        that is left early: how far they have drawn by then depends on it."""
        self.hold(self.ids.workers, because, sentence)
        if self._capacity_matters:
            self.hold(self.ids.capacity, because)

    @property
    def _capacity_matters(self):
        return self.start.workers == 0 or (self.level == "strict" and self._persistent)

    def hold(self, knob, because, sentence=None):
        """The knob goes back to where it started, at once or in the next epoch, and stays there."""
        news = self._held.get(knob) != because
        self._held[knob] = because
        self._asked = True
        self.segment.knob_hold(knob, because)
        if knob == self.ids.workers:
            self.wanted.workers = self.start.workers
        else:
            self.wanted.capacity = self.start.capacity
        if sentence and news:
            self.segment.log(monotonic_ns(), sentence)

    def let_go(self, knob):
        self._held.pop(knob, None)
        self.segment.knob_hold(knob, _segment.NOT_HELD)
        self._serial -= 1  # what was requested in the meantime counts now

    def sampler_draws(self, source="a global random generator"):
        """Its order depends on when it is asked, so nothing may be asked earlier or later."""
        self.watches_sampler = False
        sentence = f"the sampler draws from {source} while it runs: {{}} stays"
        if self.level == "free":
            return
        self.hold(self.ids.workers, _segment.HELD_RANDOM_DRAWS, sentence.format("fetch.workers"))
        self.hold(self.ids.capacity, _segment.HELD_RANDOM_DRAWS, sentence.format("fetch.capacity"))

    def epoch_ended(self):
        """The first epoch shows whether fetches draw random numbers, where that matters."""
        self.look_at_workers()
        if self._held.get(self.ids.workers) == _segment.HELD_WATCHING:
            if self._watches_draws and self.fetches_draw():
                self._hold_for_draws()
            else:
                self.let_go(self.ids.workers)
                if self._held.get(self.ids.capacity) == _segment.HELD_WATCHING:
                    self.let_go(self.ids.capacity)
        elif self.level == "strict" and self.ids.workers not in self._held and self.fetches_draw():
            self._hold_for_draws()
        self._remark_on_draws()

    def _remark_on_draws(self):
        if self._watches_draws or self._remarked or not self.fetches_draw():
            return
        self._remarked = True
        self.segment.log(monotonic_ns(), _segment.NOTE + "random draws in workers are not the bare run's: --repro strict keeps those")

    def look_at_workers(self):
        """Rows that depend on their worker keep the workers that the script has: a table may have a place for each
        and no more. Where nobody has asked for long enough, changes may come."""
        if not self.shape.asks_worker or self.advise:
            return
        because = self._held.get(self.ids.workers)
        if self.segment.op_items(self.ids.fetch.worker_id) > 0:
            if because in (None, _segment.HELD_WATCHING):
                sentence = "rows depend on the worker (get_worker_info): fetch.workers stays at {}"
                self.hold(self.ids.workers, _segment.HELD_WORKER_ID, sentence.format(self.start.workers))
        elif because == _segment.HELD_WATCHING and not self._watches_draws:
            if self.segment.op_items(self.ids.fetch.op) >= ENOUGH_BATCHES:
                self.let_go(self.ids.workers)

    def worker_failed(self):
        """A worker raised an error. Where settings were changed they may be why: they go back, and stay there."""
        if not self._changed or self.advise:
            return
        warn("an error came after settings were changed, try --advise", about="an error after a change")
        for knob in (self.ids.workers, self.ids.capacity):
            self.hold(knob, _segment.HELD_FAILED)
        self.segment.log(monotonic_ns(), "an error came after settings were changed: they go back")
        self.segment.knob_apply(self.ids.workers, self.start.workers)
        self.segment.knob_apply(self.ids.capacity, self.start.capacity)

    def fetches_draw(self):
        return self._drawn() > self._draws

    def _drawn(self):
        return 0 if self.ids.fetch.random is None else self.segment.op_items(self.ids.fetch.random)

    def _hold_for_draws(self, source=None):
        what = f"fetches may draw random numbers ({source})" if source else "fetches draw random numbers"
        self._hold_workers(
            _segment.HELD_RANDOM_DRAWS, f"{what}: fetch.workers stays at {self.start.workers}"
        )

    # ---- requests ----

    def requested(self):
        """Whether something is to be changed; cheap enough for every batch."""
        serial = self.segment.knob_serial
        if serial != self._serial:
            self._serial = serial
            self._take_requests()
            self._asked = True
        return self._asked

    def _take_requests(self):
        if self.ids.workers not in self._held:
            self.wanted.workers = self.segment.knob_requested(self.ids.workers)
        if self.ids.capacity not in self._held:
            capacity = self.segment.knob_requested(self.ids.capacity)
            self.wanted.capacity = self._within_shared_memory(capacity)

    def _within_shared_memory(self, capacity):
        """No more than /dev/shm can take: a full one kills a worker with SIGBUS."""
        items, held = self.segment.depth(self.ids.fetch.batches)
        more = capacity - self.wanted.capacity
        if items == 0 or more <= 0 or not os.path.isdir("/dev/shm"):
            return capacity
        space = os.statvfs("/dev/shm")
        free = space.f_bavail * space.f_frsize
        if more * (held // items) * LEAST_SHARED_MEMORY <= free:
            return capacity
        self.segment.log(monotonic_ns(), f"fetch.capacity {capacity} would not fit into /dev/shm: not changed")
        return self.wanted.capacity

    @property
    def turned(self):
        """Whether anything differs from the script's settings; until then tasks are dealt out as PyTorch does."""
        return self.wanted != self.start

    @property
    def unfinished(self):
        """Whether what is in force is not yet what is wanted."""
        return self._asked

    def in_force(self, workers, capacity, done):
        self._asked = not done
        self._changed = self._changed or (workers, capacity) != (self.start.workers, self.start.capacity)
        now = monotonic_ns()
        self.segment.knob_apply(self.ids.workers, workers)
        self.segment.knob_apply(self.ids.capacity, capacity)
        self.segment.set_capacity(self.ids.fetch.batches, capacity, now)
        self.segment.set_capacity(self.ids.fetch.tasks, graph.in_flight(capacity, workers), now)
        if self.ids.pinned is not None:
            self.segment.set_capacity(self.ids.pinned, capacity, now)

    # ---- epochs and slots ----

    def follow(self, loader):
        """The user has set the loader's own attributes since: that is the start now."""
        start = Setting(loader.num_workers, graph.capacity_of(prefetch_of(loader), loader.num_workers))
        if start != self.start:
            self.start, self.wanted = start, Setting(start.workers, start.capacity)
        if self.known and not self.advise:
            self._look_within(loader)

    def begin_epoch(self):
        """The loader's own number of it, from 1."""
        self.requested()
        self.epoch += 1
        self._loader_epoch += 1
        self.segment.set_epoch(self.epoch - 1)
        self.segment.heartbeat(monotonic_ns())
        self.segment.worker_begin(self.sampler_slot, monotonic_ns())
        self.segment.worker_enter(self.sampler_slot, _segment.BACKED_UP, monotonic_ns())
        return self._loader_epoch

    def ask_again(self):
        """What is in force may not be what is wanted."""
        self._asked = True

    @property
    def connectors(self):
        found = [self.ids.fetch.tasks, self.ids.fetch.batches]
        return found if self.ids.pinned is None else found + [self.ids.pinned]

    def lease_slot(self):
        """Slots of ended workers are used again: there are 1024 for the whole run."""
        return self._free_slots.pop() if self._free_slots else self.segment.add_worker(self.ids.fetch.op)

    def return_slot(self, slot):
        if slot is None:
            return
        self.segment.worker_retire(slot, monotonic_ns())
        self._free_slots.append(slot)

    def reseeds(self):
        return not self.advise and self.level != "strict"

    def new_watch(self):
        return repro.DrawWatch() if self._held.get(self.ids.workers) == _segment.HELD_WATCHING else None
