"""How long one fetch takes, and what of it: the clocks around it, in a worker process or in the trainer.

Nothing here can make a fetch fail: only what the data set raises is raised. Times are ns of the monotonic clock.
"""
from __future__ import annotations

import functools
import time
from array import array
from dataclasses import dataclass, field
from time import monotonic_ns
from typing import TYPE_CHECKING, Any, Callable

import torch

from .. import _segment
from .._report import fail_open
from . import files, repro, sameness, seeding, transforms, writes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .together import Together
    from .worker import Task

    Seen = Callable[[Any, Any], None]

# A sample below this is not timed alone: two clock readings would be felt.
CHEAP_NS = 20_000
ENOUGH_SAMPLES = 64


@dataclass
class FetchIds:
    """Where a fetch is counted; ids of the segment."""

    op: int = 0
    tasks: int = 0
    batches: int = 0
    sample: int = 0
    collate: int = 0
    start_up: int = 0
    random: int | None = None
    worker_id: int | None = None
    moved: int | None = None  # files that were open before the first fetch
    one_file: int | None = None  # that rows write to again and again
    other_rows: int | None = None  # than the trainer's
    changes: int | None = None  # by rows, of what they are made of
    transforms: list[list[int]] = field(default_factory=list)


def byte_size(data: Any) -> int:
    """Bytes of the tensors and arrays of a batch."""
    with torch._C.DisableTorchFunction():  # what is asked of them is no concern of classes and modes of the script's
        return _byte_size(data, depth=4)


def _byte_size(data: Any, depth: int) -> int:
    if isinstance(data, torch.Tensor):
        return int(data.numel() * data.element_size())
    size = data.nbytes if hasattr(type(data), "nbytes") else None
    if isinstance(size, int):
        return size
    if depth == 0:
        return 0
    if isinstance(data, dict):
        return sum(_byte_size(value, depth - 1) for value in data.values())
    if isinstance(data, (list, tuple)):
        if len(data) > 64:
            return _byte_size(data[0], depth - 1) * len(data)
        return sum(_byte_size(value, depth - 1) for value in data)
    return len(data) if isinstance(data, (bytes, str)) else 0


def _takes_many(dataset: Any) -> bool:
    """Whether it is asked for all rows of a batch at once, where PyTorch does."""
    return hasattr(type(dataset), "__getitems__")


def _row_count(index: Any) -> int:
    return len(index) if hasattr(index, "__len__") else 1


class RowTimes:
    """Whether rows of a loader are cheap, so that those of a batch are timed together. Of one process."""

    def __init__(self) -> None:
        self._forget()

    def _forget(self) -> None:
        self.cheap: bool | None = None  # not known yet
        self._judged = self._judged_ns = 0

    def judge(self, took: array[int]) -> None:
        """What rows took that were timed one by one."""
        if self.cheap is not None:
            return
        self._judged += len(took)
        self._judged_ns += sum(took)
        if self._judged >= ENOUGH_SAMPLES:
            self.cheap = self._judged_ns < CHEAP_NS * self._judged

    def shared(self, each: int) -> None:
        """What each of a batch's rows took on average. They may have become dearer: who asks next times them again."""
        if each > CHEAP_NS and self.cheap:
            self._forget()


class SampleClock:
    """The data set as the fetcher sees it: indexing is timed, everything else is the data set's."""

    def __init__(self, dataset: Any, took: array[int], seen: Seen | None) -> None:
        self._sluice_dataset = dataset
        self._sluice_took = took
        self._sluice_seen = seen

    def __getitem__(self, index: Any) -> Any:
        begin = monotonic_ns()
        row = self._sluice_dataset[index]
        self._sluice_took.append(monotonic_ns() - begin)
        if self._sluice_seen is not None:
            self._sluice_seen(index, row)
        return row

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sluice_dataset, name)


class StreamClock:
    """The same for the iterator of an IterableDataset."""

    def __init__(self, iterator: Iterator[Any], took: array[int]) -> None:
        self._iterator = iterator
        self._took = took

    def __iter__(self) -> StreamClock:
        return self

    def __next__(self) -> Any:
        begin = monotonic_ns()
        row = next(self._iterator)
        self._took.append(monotonic_ns() - begin)
        return row


class StartClock:
    """Tells what a worker takes beside its fetches until it has settled: CPU time until its third fetch."""

    def __init__(self, segment: _segment.Segment) -> None:
        self._segment = segment
        self._settling = 2
        self._fetches = self._begun = 0

    def fetch_begins(self) -> StartClock | None:
        """The clock to go on with; None: it has told."""
        self._begun = time.thread_time_ns()
        if self._settling > 0:
            return self
        self._segment.start_took(0, time.process_time_ns() - self._fetches)
        return None

    def fetch_ends(self) -> None:
        self._settling -= 1
        self._fetches += time.thread_time_ns() - self._begun


class FetchMeter:
    """Counts the fetches of one worker. One thread."""

    def __init__(
        self,
        segment: _segment.Segment,
        slot: int | None,
        ids: FetchIds,
        dataset: Any,
        watch: repro.DrawWatch | None = None,
        isolated: bool = False,
        row_times: RowTimes | None = None,
    ) -> None:
        self._segment = segment
        self._slot = slot
        self._ids = ids
        self._dataset = dataset
        self._watch = watch
        self._isolated = isolated  # the trainer's own draws must not notice that we seed
        self._say: seeding.Say | None = None  # the user's, about the seeds of tasks
        self._looks_left: int | None = None  # for draws; None: as long as there is a watch
        self.samples = array("q")
        self.collates = array("q")
        self.transform_clocks = self._clocks()
        self.start: StartClock | None = None  # of a worker
        self.positions: files.PositionWatch | None = None
        self.writes: writes.FileWatch | None = None
        self.fetching: Callable[[], None] | None = None  # is called before each fetch ...
        self.fetched: Callable[[Any], None] | None = None  # ... and with each batch
        self.seen: Seen | None = None  # is called with each row and its index, or with each batch and its indices
        self.together: Together | None = None  # fetches that are told of together; of the trainer
        self._row_bytes = 0.0  # of the newest batch
        self._inside = False
        self._row_times = row_times or RowTimes()

    @functools.cached_property
    def _generators(self) -> list[Any]:
        """Of the data set."""
        return transforms.find_generators(self._dataset)

    def fingerprints(self) -> list[int | None]:
        return repro.fingerprints(self._generators)

    def follow_init(self, before: list[int | None], seeds: seeding.UserSeeds, first: bool) -> None:
        """After worker_init_fn, which may have made, replaced or seeded generators."""
        self._generators = transforms.find_generators(self._dataset)
        after = self.fingerprints()
        if first:
            seeds.tell(before, after)
        if seeding.touched(before, after):
            self._say = seeding.Say(seeds)

    # A meter must go with its fetcher, and the data set with both: nothing that it keeps may know it.

    def _tell(self, part: int) -> Callable[[], None]:
        """Counts an item of that part."""
        segment = self._segment
        return lambda: segment.part_done(part, array("q", (0,)))

    def watch_positions(self, descriptors: Iterable[int]) -> None:
        """Counts whether fetches move those of files that were open before."""
        if self._ids.moved is not None:
            self.positions = files.PositionWatch(descriptors, self._tell(self._ids.moved))

    def watch_files(
        self, found: Callable[[str], None] | None = None, changed: Callable[[str], None] | None = None
    ) -> None:
        """Looks for a file that fetches write to again and again, and counts it; `found`: is told its path as well;
        `changed`: is told of one that they read and that changes between them."""
        if self._ids.one_file is None:
            return
        count = self._tell(self._ids.one_file)

        def tell(path: str) -> None:
            count()
            if found is not None:
                found(path)

        self.writes = writes.FileWatch(tell, changed)

    def check_rows(self, known: sameness.KnownRows) -> None:
        """Counts whether one is not what it was when the trainer fetched it."""
        if self._ids.other_rows is not None:
            self.seen = sameness.RowCheck(known, self._tell(self._ids.other_rows)).look

    def _watch_changes(self, part: int, collate: Any) -> None:
        """In a worker: counts whether rows change what they are made of, so that others depend on them."""
        from . import changes, looks  # with what these import: few workers need them, and each would pay at its start

        watch = changes.ChangeWatch(changes.roots_of(self._dataset, collate), looks.Looks())
        count = self._tell(part)

        def look(_: Any) -> None:
            if watch.fetched() is not None:
                count()

        self.fetched = look

    def watch_draws(self, looks: int | None) -> None:
        """Counts fetches that draw; `looks`: at so many of them, None: at all."""
        self._watch = repro.DrawWatch(self._generators if looks else ())
        self._looks_left = looks

    def _clocks(self) -> dict[int, list[tuple[int, array[int]]]]:
        """Per transform of each Compose where its times go; by the Compose's id."""
        composes = transforms.find_composes(self._dataset) if self._ids.transforms else []
        return {
            id(compose): [(part, array("q")) for part in parts]
            for compose, parts in zip(composes, self._ids.transforms)
            if len(compose.transforms) == len(parts)
        }

    def serves(self, fetcher: Any) -> bool:
        return fetcher.dataset is self._dataset

    def adopt(self, fetcher: Any) -> None:
        """Puts the clocks into a fetcher."""
        fetcher._sluice_meter = self
        collate = fetcher.collate_fn
        if self._ids.changes is not None:
            self._watch_changes(self._ids.changes, collate)
        fetcher.collate_fn = self._clocked(collate)
        if hasattr(fetcher, "dataset_iter"):
            fetcher.dataset_iter = StreamClock(fetcher.dataset_iter, self.samples)
        elif fetcher.auto_collation and not self._row_times.cheap and not _takes_many(fetcher.dataset):
            fetcher.dataset = SampleClock(fetcher.dataset, self.samples, self.seen)

    def _judge_samples(self, fetcher: Any) -> None:
        """Cheap samples are timed together from now on."""
        if type(fetcher.dataset) is SampleClock:
            self._row_times.judge(self.samples)
            if self._row_times.cheap:
                fetcher.dataset = self._dataset

    def _clocked(self, collate: Callable[[Any], Any]) -> Callable[[Any], Any]:
        took = self.collates

        def clocked(rows: Any) -> Any:
            begin = monotonic_ns()
            batch = collate(rows)
            took.append(monotonic_ns() - begin)
            return batch

        return clocked

    def fetch(self, fetcher: Any, original: Callable[..., Any], index: Any, task: Task | None) -> Any:
        """Returns and raises what the original does. `task` is None where PyTorch deals out the tasks."""
        seed = task.seed if task is not None else None
        if self._inside:
            return original(fetcher, index)
        if self._watch is not None and self._isolated:
            self._watch.drew()  # what the trainer drew in between is no concern
        begin = self._begin(task)
        saved = repro.save() if seed is not None and self._isolated else None
        self._inside = True
        try:
            if task is not None and seed is not None:
                repro.reseed(seed, self._generators, None if self._say is None else self._say.of(task.spot))
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

    def fetch_one_of(self, together: Together, fetcher: Any, original: Callable[..., Any], index: Any) -> Any:
        """The same, of a batch of the trainer's that is told of with others."""
        watch = self._watch
        if watch is not None:
            watch.drew()
        begin = monotonic_ns()
        try:
            data = original(fetcher, index)
        except Exception as error:
            if not isinstance(error, StopIteration):
                self._segment.failed(self._ids.op, 1)
            raise
        together.fetched += monotonic_ns() - begin
        if watch is not None:
            self._look_for_draws(watch)
        return data

    def tell(self, together: Together) -> None:
        """Of all of its fetches. A row has as many bytes as one of the batch before."""
        batches, rows, now = together.batches, together.rows, together.last
        size = round(rows * self._row_bytes)
        for connector, held in ((self._ids.tasks, 0), (self._ids.batches, size)):
            self._segment.pop(connector, batches, held, now)  # first: they were never there at once
            self._segment.push(connector, batches, held, now)
        self._segment.worker_did(self._slot, batches, size, together.fetched, now)
        if rows > 0 and not self.samples:
            self._share_time(rows, together.fetched)
        self._flush()

    def _begin(self, task: Task | None) -> int:
        if self.fetching is not None:
            self.fetching()
        now = monotonic_ns()
        self._segment.pop(self._ids.tasks, 1, 0, now)
        self._segment.worker_enter(self._slot, _segment.BUSY, now)
        if task is not None and task.number is not None and self._slot is not None:
            self._segment.items(self._slot, now, task.number, task.number)
        if self.start is not None:
            self.start = self.start.fetch_begins()
        if self.positions is not None:
            self.positions.fetch_begins()
        if self.writes is not None:
            self.writes.fetch_begins()
        return now

    @fail_open("a fetch is not counted")
    def _end(self, fetcher: Any, index: Any, begin: int, data: Any, failed: bool = False) -> None:
        now = monotonic_ns()
        if self.start is not None:
            self.start.fetch_ends()
        size = byte_size(data) if data is not None else 0
        self._row_bytes = size / max(_row_count(index), 1)
        self._segment.worker_enter(self._slot, _segment.BACKED_UP, now)
        if failed:
            self._segment.failed(self._ids.op, 1)
        elif data is not None:
            self._segment.worker_done(self._slot, size, now - begin)
        self._segment.push(self._ids.batches, 1, size, now)
        if self._watch is not None:
            self._look_for_draws(self._watch)
        if self.positions is not None:
            self.positions = self.positions.fetch_ends()
        if self.writes is not None:
            self.writes = self.writes.fetch_ends()
        if self.fetched is not None and data is not None:
            self.fetched(data)
        if self.seen is not None and data is not None and not isinstance(fetcher.dataset, SampleClock):
            self.seen(tuple(index) if isinstance(index, list) else index, data)
        if data is not None and not self.samples:
            self._share_time(_row_count(index), now - begin)
        self._judge_samples(fetcher)
        self._flush()

    def _look_for_draws(self, watch: repro.DrawWatch) -> None:
        if watch.drew() and self._ids.random is not None:
            self._segment.part_done(self._ids.random, array("q", (0,)))
        if self._looks_left is not None:
            self._looks_left -= 1
            self._watch = watch if self._looks_left > 0 else None

    def _share_time(self, count: int, took: int) -> None:
        """Samples that were not timed one by one share what was not spent on collating."""
        if count > 0:
            each = max(took - sum(self.collates), 0) // count
            self.samples.extend(array("q", (each,)) * count)
            self._row_times.shared(each)

    def _flush(self) -> None:
        self._segment.part_done(self._ids.sample, self.samples)
        self._segment.part_done(self._ids.collate, self.collates)
        del self.samples[:], self.collates[:]
        for clocks in self.transform_clocks.values():
            for part, took in clocks:
                self._segment.part_done(part, took)
                del took[:]
