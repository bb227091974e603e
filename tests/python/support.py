"""What the tests beside this file share: data sets, hashes, a reader of segments, knobs.

Importing it makes `sluice` importable and puts segments into a folder of their own. Loaders are measured only when
they are wrapped, so that a bare run and a wrapped one can be compared in one process.
"""
import atexit
import contextlib
import gc
import hashlib
import multiprocessing
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
INJECT = ROOT / "python" / "sluice" / "inject"
DEADLINE = 120  # seconds; only ever reached by a failure

sys.path.insert(0, str(ROOT / "python"))
RUNTIME_FOLDER = tempfile.mkdtemp(prefix="sluice-python-")
os.environ["XDG_RUNTIME_DIR"] = RUNTIME_FOLDER
atexit.register(shutil.rmtree, RUNTIME_FOLDER, True)

import numpy
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

from sluice import _report, _segment
from sluice._torch import patches

torch.set_num_threads(1)
# From Python 3.14 on it must be asked for; what the tests do with other methods they say.
multiprocessing.set_start_method("fork", force=True)


# ---- data ----


class Plain(Dataset):
    """Row i is made of i alone."""

    def __init__(self, count=48):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        return torch.tensor([float(index), index * 0.5])


class Drawing(Plain):
    """Rows that draw from all three global generators."""

    def __getitem__(self, index):
        return torch.rand(2) + index + random.random() + numpy.random.rand()


class OwnGenerator(Plain):
    """Rows that draw from a generator that the data set keeps."""

    def __init__(self, count=48):
        super().__init__(count)
        self.generator = numpy.random.default_rng(7)

    def __getitem__(self, index):
        return torch.tensor([index + self.generator.random()])


class Stream(IterableDataset):
    def __init__(self, count=40):
        self.count = count

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        first, step = (info.id, info.num_workers) if info else (0, 1)
        return (torch.tensor([float(i)]) for i in range(first, self.count, step))


def loader(dataset, seed=3, **options):
    """A loader whose draws begin at `seed`. No other test's loader was there in its place."""
    patches._left.clear()
    options = {"batch_size": 4, "shuffle": not isinstance(dataset, IterableDataset), **options}
    torch.manual_seed(seed)
    random.seed(seed)
    numpy.random.seed(seed)
    return DataLoader(dataset, **options)


# ---- what came out ----


def digest(batch):
    return hashlib.sha256(batch.numpy().tobytes()).hexdigest()[:12]


def epoch(batches, between=None):
    """The hashes of an epoch's batches; `between` is called with the number of each."""
    found = []
    for number, batch in enumerate(batches):
        found.append(digest(batch))
        if between is not None:
            between(number)
    return found


def epochs(batches, count=2, between=None):
    return [epoch(batches, between) for _ in range(count)]


# ---- the segment ----


def probe_of(measured):
    return patches._probes[id(measured)][1]


def request(measured, workers=None, capacity=None):
    """As an agent would, through the segment's file."""
    probe = probe_of(measured)
    segment = _segment.attach(probe.segment.path)
    if workers is not None:
        segment.knob_request(probe.ids.workers, workers)
    if capacity is not None:
        segment.knob_request(probe.ids.capacity, capacity)
    segment.close()  # not by its collection, which would swallow what a signal's handler raises just then


def _text(raw):
    return raw.split(b"\0")[0].decode()


class Reading:
    """One look at a segment, by docs/telemetry-segment.md."""

    def __init__(self, path):
        self._data = Path(path).read_bytes()
        self.program = _text(self._data[80:144])
        self.state, self.heartbeat, self.epoch = self._at("<IqQ", 292)
        self.ops = {}
        for name, kind in self._names(176, 48):
            self.ops[name] = dict(kind=kind, items=0, bytes=0, busy=0, starved=0, backed_up=0, part=0, workers=0)
        self._add_workers()
        self.connectors = self._connectors()
        told = ("ended", "took", "first", "items", "workers", "capacity", "length", "start", "start_cpu")
        self.ended = dict(zip(told, self._at("<4Q2q3Q", 352)))
        self.knobs = self._knobs()
        values = struct.unpack_from("<4Q", self._data, self._section(240)[0])
        self.consumer = dict(zip(("items", "rows", "busy", "starved"), values))

    def _at(self, layout, offset):
        return struct.unpack_from(layout, self._data, offset)

    def _section(self, header):
        return self._at("<QII", header)

    def _entries(self, header):
        offset, stride, count = self._section(header)
        return [offset + i * stride for i in range(count)]

    def _names(self, header, size):
        return [(_text(self._data[at : at + size]), _text(self._data[at + size : at + size + 16]))
                for at in self._entries(header)]

    def _add_workers(self):
        used = self._at("<I", 348)[0]
        names = list(self.ops)
        for at in self._entries(208)[:used]:
            state, op, _, _, _ = self._at("<IIiiq", at)
            items, size, busy, starved, backed_up, helped = self._at("<6Q", at + 24)
            reading = self.ops[names[op]]
            for key, value in zip(
                ("items", "bytes", "busy", "starved", "backed_up", "part"),
                (items, size, busy, starved, backed_up, helped),
            ):
                reading[key] += value
            reading["workers"] += 1 if state in (1, 2, 3) else 0

    def _connectors(self):
        found = {}
        for at in self._entries(192):
            pushed, popped, pushed_bytes, popped_bytes = self._at("<4Q", at + 128)
            depth, _, _, capacity = self._at("<4q", at + 192)
            found[_text(self._data[at : at + 100])] = dict(
                pushed=pushed,
                popped=popped,
                depth=depth,
                capacity=capacity,
                bytes=pushed_bytes - popped_bytes,
                high_water=self._at("<Q", at + 184)[0],
            )
        return found

    def _knobs(self):
        found = {}
        for at in self._entries(224):
            low, high = self._at("<2q", at + 56)
            requested, applied = self._at("<2q", at + 80)
            found[_text(self._data[at : at + 48])] = dict(
                low=low,
                high=high,
                effect=self._at("<I", at + 72)[0],
                requested=requested,
                applied=applied,
                held=self._at("<I", at + 104)[0],
            )
        return found

    def events(self):
        lines = []
        for at in self._entries(272):
            sequence = self._at("<Q", at)[0]
            if sequence:
                lines.append((sequence, _text(self._data[at + 16 : at + 448])))
        return [text for _, text in sorted(lines)]


def read(measured):
    return Reading(probe_of(measured).segment.path)


@contextlib.contextmanager
def said():
    """The lines that Sluice says meanwhile."""
    lines = []
    stream = mock.Mock(write=lines.append)
    with mock.patch.object(_report.sys, "stderr", stream):
        yield lines


# ---- processes ----


def children():
    found = []
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):  # a thread that has just ended
            found += (task / "children").read_text().split()
    return found


def no_children():
    """Whether all workers end, and are no zombies; ends those that only the garbage collector knows."""
    gc.collect()
    until(lambda: not multiprocessing.active_children() and not children(), "the end of all workers")
    return True


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def until(condition, what):
    """Polls with a deadline."""
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"never came: {what}")
        time.sleep(0.01)


def run_python(code, inject=True, arguments=(), script_arguments=(), **environment):
    """Runs a script's text in a fresh Python, as a wrapped run would; returns the finished process."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "train.py"
        script.write_text(code)
        variables = dict(os.environ, PYTHONWARNINGS="ignore", PYTHONDONTWRITEBYTECODE="1")
        variables.pop("PYTHONPATH", None)
        if inject:
            variables["PYTHONPATH"] = str(INJECT)
        variables.update(environment)
        return subprocess.run(
            [sys.executable, *arguments, str(script), *script_arguments],
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            timeout=DEADLINE * 2,
            check=False,
        )
