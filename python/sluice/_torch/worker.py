"""What happens around one fetch: in a worker process, or in the trainer where there are no workers.

`WorkerInit` stands in for the user's worker_init_fn, which it calls; that is how it gets into a worker process,
however that was started. From then on the worker's fetches are timed. Nothing here can make a fetch fail: only
what the data set raises is raised.
"""
import os
import time
from array import array
from dataclasses import dataclass, field
from time import monotonic_ns

import torch
from torch.utils.data._utils.worker import get_worker_info

from .. import _segment, _threads
from .._report import fail_open
from . import repro, seeding, transforms, worker_info

# A sample below this is not timed alone: two clock readings would be felt.
CHEAP_NS = 20_000
ENOUGH_SAMPLES = 64
FEW_LOOKS = 8  # for draws, where they are only worth a remark


class Task:
    """A batch to fetch, as it is sent to a worker: the indices, the seed (None: leave the generators alone), the
    spot that stands for it where the user's own seed counts, and whether the worker is to end instead."""

    __slots__ = ("index", "seed", "spot", "retire")

    def __init__(self, index, seed=None, spot=0, retire=False):
        self.index = index
        self.seed = seed
        self.spot = spot
        self.retire = retire

    def __reduce__(self):
        return (Task, (self.index, self.seed, self.spot, self.retire))


@dataclass
class FetchIds:
    """Where a fetch is counted; ids of the segment."""

    op: int = 0
    tasks: int = 0
    batches: int = 0
    sample: int = 0
    collate: int = 0
    start_up: int = 0
    random: int = None
    worker_id: int = None
    transforms: list = field(default_factory=list)


def byte_size(data, depth=4):
    """Bytes of the tensors and arrays of a batch."""
    if isinstance(data, torch.Tensor):
        return data.numel() * data.element_size()
    size = getattr(data, "nbytes", None)
    if isinstance(size, int):
        return size
    if depth == 0:
        return 0
    if isinstance(data, dict):
        return sum(byte_size(value, depth - 1) for value in data.values())
    if isinstance(data, (list, tuple)):
        if len(data) > 64:
            return byte_size(data[0], depth - 1) * len(data)
        return sum(byte_size(value, depth - 1) for value in data)
    return len(data) if isinstance(data, (bytes, str)) else 0


class SampleClock:
    """The data set as the fetcher sees it: indexing is timed, everything else is the data set's."""

    def __init__(self, dataset, took):
        self._sluice_dataset = dataset
        self._sluice_took = took

    def __getitem__(self, index):
        begin = monotonic_ns()
        row = self._sluice_dataset[index]
        self._sluice_took.append(monotonic_ns() - begin)
        return row

    def __getattr__(self, name):
        return getattr(self._sluice_dataset, name)


class StreamClock:
    """The same for the iterator of an IterableDataset."""

    def __init__(self, iterator, took):
        self._iterator = iterator
        self._took = took

    def __iter__(self):
        return self

    def __next__(self):
        begin = monotonic_ns()
        row = next(self._iterator)
        self._took.append(monotonic_ns() - begin)
        return row


class StartClock:
    """Tells what a worker takes beside its fetches until it has settled: CPU time until its third fetch."""

    def __init__(self, segment):
        self._segment = segment
        self._settling = 2
        self._fetches = self._begun = 0

    def fetch_begins(self):
        """The clock to go on with; None: it has told."""
        self._begun = time.thread_time_ns()
        if self._settling > 0:
            return self
        self._segment.start_took(0, time.process_time_ns() - self._fetches)
        return None

    def fetch_ends(self):
        self._settling -= 1
        self._fetches += time.thread_time_ns() - self._begun


class FetchMeter:
    """Counts the fetches of one worker. One thread."""

    def __init__(self, segment, slot, ids, dataset, watch=None, isolated=False):
        self._segment = segment
        self._slot = slot
        self._ids = ids
        self._dataset = dataset
        self._watch = watch
        self._isolated = isolated  # the trainer's own draws must not notice that we seed
        self._generators = transforms.find_generators(dataset)
        self._say = None  # the user's, about the seeds of tasks
        self._looks_left = None  # for draws; None: as long as there is a watch
        self.samples = array("q")
        self.collates = array("q")
        self.transform_clocks = self._clocks()
        self.start = None  # its StartClock, of a worker
        self._inside = False
        self._cheap = None  # not known yet
        self._judged = self._judged_ns = 0

    def fingerprints(self):
        return repro.fingerprints(self._generators)

    def follow_init(self, before, seeds, first):
        """After worker_init_fn, which may have made, replaced or seeded generators."""
        self._generators = transforms.find_generators(self._dataset)
        after = self.fingerprints()
        if first:
            seeds.tell(before, after)
        if seeding.touched(before, after):
            self._say = seeding.Say(seeds)

    def watch_draws(self, looks):
        """Counts fetches that draw; `looks`: at so many of them, None: at all."""
        self._watch = repro.DrawWatch(self._generators if looks else ())
        self._looks_left = looks

    def _clocks(self):
        """Per transform of each Compose where its times go; by the Compose's id."""
        composes = transforms.find_composes(self._dataset)
        return {
            id(compose): [(part, array("q")) for part in parts]
            for compose, parts in zip(composes, self._ids.transforms)
            if len(compose.transforms) == len(parts)
        }

    def serves(self, fetcher):
        return fetcher.dataset is self._dataset

    def adopt(self, fetcher):
        """Puts the clocks into a fetcher."""
        fetcher._sluice_meter = self
        collate = fetcher.collate_fn
        fetcher.collate_fn = lambda rows: self._collate(collate, rows)
        if hasattr(fetcher, "dataset_iter"):
            fetcher.dataset_iter = StreamClock(fetcher.dataset_iter, self.samples)
        elif fetcher.auto_collation and not self._cheap and not hasattr(fetcher.dataset, "__getitems__"):
            fetcher.dataset = SampleClock(fetcher.dataset, self.samples)

    def _judge_samples(self, fetcher):
        """Cheap samples are timed together from now on."""
        if self._cheap is not None:
            return
        self._judged += len(self.samples)
        self._judged_ns += sum(self.samples)
        if self._judged >= ENOUGH_SAMPLES:
            self._cheap = self._judged_ns < CHEAP_NS * self._judged
            if self._cheap and type(fetcher.dataset) is SampleClock:
                fetcher.dataset = self._dataset

    def _collate(self, collate, rows):
        begin = monotonic_ns()
        batch = collate(rows)
        self.collates.append(monotonic_ns() - begin)
        return batch

    def fetch(self, fetcher, original, index, task):
        """Returns and raises what the original does."""
        seed = task and task.seed
        if self._inside:
            return original(fetcher, index)
        if self._watch is not None and self._isolated:
            self._watch.drew()  # what the trainer drew in between is no concern
        begin = self._begin()
        saved = repro.save() if seed is not None and self._isolated else None
        self._inside = True
        try:
            if seed is not None:
                repro.reseed(seed, self._generators, self._say and self._say.of(task.spot))
                if self._watch is not None:
                    self._watch.drew()
            data = original(fetcher, index)
        except BaseException as error:
            self._end(fetcher, index, begin, None, failed=not isinstance(error, StopIteration))
            raise
        finally:
            self._inside = False
            if saved is not None:
                repro.restore(saved)
        self._end(fetcher, index, begin, data)
        return data

    def _begin(self):
        now = monotonic_ns()
        self._segment.pop(self._ids.tasks, 1, 0, now)
        self._segment.worker_enter(self._slot, _segment.BUSY, now)
        if self.start is not None:
            self.start = self.start.fetch_begins()
        return now

    @fail_open("a fetch is not counted")
    def _end(self, fetcher, index, begin, data, failed=False):
        now = monotonic_ns()
        if self.start is not None:
            self.start.fetch_ends()
        size = byte_size(data) if data is not None else 0
        self._segment.worker_enter(self._slot, _segment.BACKED_UP, now)
        if failed:
            self._segment.failed(self._ids.op, 1)
        elif data is not None:
            self._segment.worker_done(self._slot, size, now - begin)
        self._segment.push(self._ids.batches, 1, size, now)
        if self._watch is not None:
            self._look_for_draws()
        if data is not None and not self.samples:
            self._share_time(index, now - begin)
        self._flush(fetcher)

    def _look_for_draws(self):
        if self._watch.drew():
            self._segment.part_done(self._ids.random, array("q", (0,)))
        if self._looks_left is not None:
            self._looks_left -= 1
            self._watch = self._watch if self._looks_left > 0 else None

    def _share_time(self, index, took):
        """Samples that were not timed one by one share what was not spent on collating."""
        count = len(index) if hasattr(index, "__len__") else 1
        if count > 0:
            self.samples.extend([max(took - sum(self.collates), 0) // count] * count)

    def _flush(self, fetcher):
        self._judge_samples(fetcher)
        self._segment.part_done(self._ids.sample, self.samples)
        self._segment.part_done(self._ids.collate, self.collates)
        del self.samples[:], self.collates[:]
        for clocks in self.transform_clocks.values():
            for part, took in clocks:
                self._segment.part_done(part, took)
                del took[:]


_meter = None  # of this worker process


def meter_of(fetcher):
    """The meter that counts this fetcher's fetches, or None."""
    meter = fetcher.__dict__.get("_sluice_meter")
    if meter is None and _meter is not None and _meter.serves(fetcher):
        meter = _meter
        meter.adopt(fetcher)
    return meter


def clocks_of(compose):
    return _transform_clocks.get(id(compose))


_transform_clocks = {}


def patched_fetch(original):
    """For the class of a fetcher; `original` is its fetch."""

    def fetch(self, possibly_batched_index):
        index, task = possibly_batched_index, None
        if type(index) is Task:
            if index.retire:
                raise SystemExit(0)
            task, index = index, index.index
        meter = meter_of(self)
        if meter is None:
            return original(self, index)
        return meter.fetch(self, original, index, task)

    fetch._sluice_original = original
    return fetch


def patched_compose(original):
    """For Compose.__call__ (or forward): the same chain of calls with a clock between them."""

    def call(self, *inputs, **named):
        clocks = _transform_clocks.get(id(self))
        if clocks is None or named or len(inputs) != 1 or len(clocks) != len(self.transforms):
            return original(self, *inputs, **named)
        (row,) = inputs
        begin = monotonic_ns()
        for transform, (_, took) in zip(self.transforms, clocks):
            row = transform(row)
            end = monotonic_ns()
            took.append(end - begin)
            begin = end
        return row

    call._sluice_original = original
    return call


def patch_fetchers():
    """Idempotent; in the trainer and, for spawned ones, in each worker."""
    from torch.utils.data._utils import fetch

    for name in ("_MapDatasetFetcher", "_IterableDatasetFetcher"):
        fetcher = getattr(fetch, name)
        if not hasattr(fetcher.fetch, "_sluice_original"):
            fetcher.fetch = patched_fetch(fetcher.fetch)
    for compose in transforms.compose_types():
        name = "__call__" if "__call__" in compose.__dict__ else "forward"
        if not hasattr(getattr(compose, name), "_sluice_original"):
            setattr(compose, name, patched_compose(getattr(compose, name)))


def start_clocks(meter):
    _transform_clocks.update(meter.transform_clocks)


def stop_clocks(meter):
    for key in meter.transform_clocks:
        _transform_clocks.pop(key, None)


def process_age_ns():
    """Since this process was forked, to ten milliseconds."""
    with open("/proc/self/stat", "rb") as stat:
        started = int(stat.read().rpartition(b")")[2].split()[19])
    ticks = os.sysconf("SC_CLK_TCK")
    return max(time.clock_gettime_ns(time.CLOCK_BOOTTIME) - started * 1_000_000_000 // ticks, 0)


class WorkerInit:
    """Stands in for a loader's worker_init_fn. Made in the trainer, called in the worker."""

    def __init__(self, inner, path, ids, watch, looks=None, seeds=None, tune_threads=False):
        """`watch`: whether draws are looked for, in the first `looks` fetches of a worker or in all (None).
        `seeds`: UserSeeds where tasks are seeded and `inner` has a say; else None."""
        self.inner = inner
        self.looks = looks
        self.seeds = seeds
        self.path = path
        self.ids = ids
        self.watch = watch
        self.tune_threads = tune_threads
        self.slots = {}  # by worker id
        self.segment = None  # inherited by forked workers

    def __getstate__(self):
        return dict(self.__dict__, segment=None)

    def __call__(self, worker_id):
        self._begin(worker_id)
        before = self._look_at_seeds()
        result = self.inner(worker_id) if self.inner is not None else None
        self._follow_seeds(before, worker_id)
        self._limit_threads()
        self._begin_watching()
        return result

    @fail_open("a worker is not measured")
    def _begin(self, worker_id):
        global _meter
        _meter = None
        _transform_clocks.clear()
        patch_fetchers()
        slot = self.slots.get(worker_id)
        if slot is None or not (self.segment or self.path):
            return
        segment = self.segment or _segment.attach(self.path)
        segment.worker_begin(slot, monotonic_ns())
        segment.part_done(self.ids.start_up, array("q", (process_age_ns(),)))
        if self.ids.worker_id is not None:
            part = self.ids.worker_id
            worker_info.notice(get_worker_info(), lambda: segment.part_done(part, array("q", (0,))))
        _meter = FetchMeter(segment, slot, self.ids, get_worker_info().dataset)
        _meter.start = StartClock(segment)
        start_clocks(_meter)

    @fail_open("a worker_init_fn may have no say about seeds")
    def _look_at_seeds(self):
        return _meter.fingerprints() if _meter is not None and self.seeds is not None else None

    @fail_open("a worker_init_fn may have no say about seeds")
    def _follow_seeds(self, before, worker_id):
        if before is not None:
            _meter.follow_init(before, self.seeds, first=worker_id == 0)

    @fail_open("library threads are left as they are")
    def _limit_threads(self):
        if self.tune_threads:
            _threads.limit(_threads.share(get_worker_info().num_workers))

    @fail_open("random draws are not watched")
    def _begin_watching(self):
        if _meter is not None and self.watch:
            _meter.watch_draws(self.looks)
