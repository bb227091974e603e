"""Turns both knobs at random while random loaders run at level `strict`, and compares every batch with the bare run's.

usage: strict_soak.py [--loaders N] [--seed S] [--methods fork,spawn,forkserver] [--seconds-each T]

A loader is put together at random: where its data set, transforms, collate_fn or worker_init_fn keep a generator of
their own (or none), which sampler, how many workers, persistent or not, which epochs are left early, who else draws in
the trainer. Each is iterated bare and measured; batches and the trainer's own draws must be the same, bit by bit.
Every loader has a process of its own. Exit code 1 when one differed; the command that repeats it is printed.
"""
import argparse
import concurrent.futures
import faulthandler
import hashlib
import os
import random
import subprocess
import sys
import time
import traceback
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--loaders", type=int, default=200)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--methods", default="fork,fork,fork,spawn,forkserver")
    parser.add_argument("--seconds-each", type=float, default=240)
    parser.add_argument("--here", metavar="METHOD", help="run the loader of this seed in this process")
    return parser.parse_args()


# ---- where a row may get its number from; each takes a row's index ----


def numpy():
    import numpy as module

    return module


def torch():
    import torch as module

    return module


class Held:
    """A value deep inside."""

    __slots__ = ("inner",)

    def __init__(self, inner):
        self.inner = inner


class Nothing:
    def __call__(self, index):
        return index * 0.5


class Attribute:
    def __init__(self, make):
        self.generator = make()

    def __call__(self, index):
        return index + draw_from(self.generator)


class Deep(Attribute):
    """Behind more attributes than a short look would follow."""

    def __init__(self, make):
        self.chain = {"of": [Held((Held({"more": Held(make())}), None))]}

    def __call__(self, index):
        return index + draw_from(self.chain["of"][0].inner[0].inner["more"].inner)


class InMany(Attribute):
    """The last of many."""

    def __init__(self, make):
        self.things = [None] * 90 + [make()]

    def __call__(self, index):
        return index + draw_from(self.things[-1])


class Lazy(Attribute):
    """Made by the first fetch of each worker."""

    def __init__(self, make):
        self.generator = None

    def __call__(self, index):
        if self.generator is None:
            self.generator = numpy().random.default_rng(5)
        return index + self.generator.random()


class OfTheWorker(Lazy):
    """Seeded with the worker's seed."""

    def __call__(self, index):
        if self.generator is None:
            self.generator = random.Random(torch().initial_seed())
        return index + self.generator.random()


class Id(Nothing):
    def __call__(self, index):
        info = torch().utils.data.get_worker_info()
        return index + (info.id if info is not None else 0)


class Cycle:
    def __init__(self, make):
        import itertools

        self.offsets = itertools.cycle([1.5, 2.5, 3.5])

    def __call__(self, index):
        return index + next(self.offsets)


class OfTheClass:
    generator = random.Random(9)

    def __call__(self, index):
        return index + type(self).generator.random()


GENERATOR = random.Random(11)


class OfTheModule:
    def __call__(self, index):
        return index + GENERATOR.random()


def _from_default(index, generator=random.Random(12)):  # noqa: B008 - that is what is tested
    return index + generator.random()


class OfADefault:
    def __call__(self, index):
        return _from_default(index)


class Global:
    def __call__(self, index):
        return index + random.random() + numpy().random.rand() + torch().rand(1).item()


class Later:
    """Draws from the second epoch of a process on."""

    def __init__(self):
        self.seen = 0

    def __call__(self, index):
        self.seen += 1
        return index + (random.random() if self.seen > 60 else 0)


class Before:
    """Mixed with the row before."""

    def __init__(self):
        self.before = 0.0

    def __call__(self, index):
        number, self.before = index + self.before / 2, float(index)
        return number


class Counting:
    """How many a process has made so far."""

    def __init__(self):
        self.made = {"rows": 0}

    def __call__(self, index):
        self.made["rows"] += 1
        return index + 0.001 * self.made["rows"]


def closure(make):
    generator = make()
    return lambda index: index + draw_from(generator)


def bound(make):
    return partial(_from_generator, make())


def _from_generator(generator, index):
    return index + draw_from(generator)


def draw_from(generator):
    import torch

    if isinstance(generator, torch.Generator):
        return torch.rand(1, generator=generator).item()
    return float(generator.random() if hasattr(generator, "random") else generator.rand())


def makers(method):
    found = [
        lambda: numpy().random.default_rng(7),
        lambda: numpy().random.RandomState(7),
        lambda: random.Random(7),
    ]
    return found + [lambda: torch().Generator().manual_seed(7)] * (method == "fork")


def sources(method, draw):
    """(name, function) of where numbers come from."""
    make = draw.choice(makers(method))
    alone = (Nothing, Id, OfTheClass, OfTheModule, OfADefault, Global, Later, Before, Counting)
    found = [(kind.__name__, kind) for kind in alone] + [("Nothing", Nothing)] * 5
    keeping = [Attribute, Deep, InMany, Lazy, OfTheWorker] + [closure, bound, Cycle] * (method == "fork")
    return found + [(kind.__name__, partial(kind, make)) for kind in keeping]


# ---- the parts of a loader ----


class Rows:
    def __init__(self, count, number):
        self.count = count
        self.number = number

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        time.sleep(0.002 * (index % 3))
        return torch().tensor([float(self.number(index))], dtype=torch().float64)


class Collate:
    def __init__(self, number):
        self.number = number

    def __call__(self, rows):
        return torch().stack(rows) + self.number(0)


def seed_numpy(worker_id):
    numpy().random.seed(42 + worker_id)
    random.seed(worker_id)


def give_generator(worker_id):
    global GENERATOR
    GENERATOR = numpy().random.default_rng(worker_id)


def sampler(name, count, generator):
    from torch.utils import data

    class Drawing(data.Sampler):
        """Draws as it goes."""

        def __init__(self, own):  # without that of Sampler, whose arguments differ between releases
            self.own = own

        def __iter__(self):
            return (self.own.randrange(count) for _ in range(count))

        def __len__(self):
            return count

    made = {
        "replacing": lambda: data.RandomSampler(range(count), True, generator=generator),
        "weighted": lambda: data.WeightedRandomSampler([1.0 + i % 3 for i in range(count)], count, generator=generator),
        "own": lambda: Drawing(random.Random(4)),
        "global": lambda: Drawing(random),
        "subset": lambda: data.SubsetRandomSampler(range(0, count, 2), generator=generator),
    }
    return made[name]()


class Case:
    """Everything that is random about one loader."""

    def __init__(self, seed, method):
        draw = random.Random(seed)
        self.draw = draw
        self.seed = seed
        self.method = method
        slow = method != "fork"
        self.rows = draw.randint(24, 120)
        self.epochs = draw.randint(2, 3 if slow else 4)
        self.early = {epoch: draw.randint(1, 9) for epoch in range(self.epochs) if draw.random() < 0.4}
        self.name, self.number = draw.choice(sources(method, draw))
        self.collate_name, self.collate = draw.choice(sources(method, draw))
        self.collates = draw.random() < 0.3
        self.init = draw.choice([None, None, None, seed_numpy, give_generator])
        self.order = draw.choice("plain shuffle shuffle own-shuffle replacing weighted own global subset".split())
        self.anew = draw.random() < 0.2  # a loader per epoch
        self.trainer_draws = draw.random() < 0.6
        self.options = {"batch_size": draw.choice([1, 3, 4]), "num_workers": draw.choice([0, 1, 2, 3])}
        if self.options["num_workers"] > 0:
            self.options["prefetch_factor"] = draw.choice([1, 2, 3])
            self.options["persistent_workers"] = draw.random() < 0.5
            self.options["multiprocessing_context"] = method

    def __str__(self):
        collate = f" collate {self.collate_name}" if self.collates else ""
        init = f" init {self.init.__name__}" if self.init else ""
        kept = " persistent" if self.options.get("persistent_workers") else ""
        return (f"{self.name}{collate}{init} {self.order} {self.options['num_workers']} workers{kept} "
                f"early {self.early}{' anew' if self.anew else ''}")

    def parts(self):
        """A function that makes a loader of the same parts at each call."""
        from torch.utils.data import DataLoader

        generator = torch().Generator().manual_seed(3)
        data = Rows(self.rows, self.number())
        options = dict(self.options, worker_init_fn=self.init)
        if self.collates:
            options["collate_fn"] = Collate(self.collate())
        if self.order in ("shuffle", "own-shuffle"):
            options["shuffle"] = True
        if self.order == "own-shuffle":
            options["generator"] = generator
        elif self.order not in ("plain", "shuffle"):
            options["sampler"] = sampler(self.order, self.rows, generator)
        self.generator = generator
        return lambda: DataLoader(data, **options)


def seed_all(seed):
    torch().manual_seed(seed)
    random.seed(seed)
    numpy().random.seed(seed)


def hashes(case, wrap, between):
    """One per epoch, with what the trainer drew."""
    seed_all(case.seed)
    make = case.parts()
    loader, found = wrap(make()), []
    for epoch in range(case.epochs):
        if case.anew and epoch > 0:
            loader = None
            loader = wrap(make())
        digest = hashlib.sha256()
        for number, batch in enumerate(loader):
            digest.update(batch.numpy().tobytes())
            if case.trainer_draws:
                digest.update(torch().rand(2).numpy().tobytes() + repr(random.random()).encode())
            between(loader)
            if number == case.early.get(epoch):
                break
        if case.trainer_draws:
            digest.update(torch().rand(1, generator=case.generator).numpy().tobytes())
        found.append(digest.hexdigest())
    return found


def run_here(seed, method):
    os.environ["SLUICE_REPRO"] = "strict"
    sys.path.insert(0, str(ROOT / "python"))
    import sluice
    from sluice import _segment
    from sluice._torch import patches

    torch().set_num_threads(1)
    child = os.fork()  # the bare run leaves nothing behind that the measured one could meet
    path = f"{os.environ['XDG_RUNTIME_DIR']}/bare-{seed}"
    if child == 0:
        try:
            found = hashes(Case(seed, method), lambda loader: loader, lambda loader: None)
            Path(path).write_text("\n".join(found))
            os._exit(0)
        finally:
            traceback.print_exc()
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0, "the bare run failed"
    bare = Path(path).read_text().split("\n")
    case, moved = Case(seed, method), set()

    def between(loader):
        probe = patches._probes[id(loader)][1]
        segment = _segment.attach(probe.segment.path)
        if case.draw.random() < 0.4:
            segment.knob_request(probe.ids.workers, case.draw.randint(0, 5))
            segment.knob_request(probe.ids.capacity, case.draw.choice([1, 2, 5, 9, 20, 40]))
        if probe.requests.wanted.workers != probe.requests.start.workers:
            moved.add("workers")
        if probe.requests.wanted.capacity != probe.requests.start.capacity:
            moved.add("capacity")

    found = hashes(case, sluice.wrap, between)
    if found != bare:
        place = next(i for i, pair in enumerate(zip(found, bare)) if pair[0] != pair[1])
        raise SystemExit(f"epoch {place} differs: {method} seed {seed}: {case}")
    print(f"ok {method} seed {seed}: {case}; moved: {', '.join(sorted(moved)) or 'nothing'}", flush=True)


def run_one(seed, method, seconds):
    command = [sys.executable, "-B", "-W", "ignore", __file__, "--here", method, "--seed", str(seed)]
    command += ["--seconds-each", str(seconds)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.returncode == 0, f"{done.stdout.rstrip()}" + ("" if done.returncode == 0 else f"\nFAILED: {' '.join(command)}")


def run_all(options):
    import tempfile

    draw = random.Random(options.seed)
    print(f"seed {options.seed}", flush=True)
    work = [(draw.randrange(10**9), draw.choice(options.methods.split(","))) for _ in range(options.loaders)]
    failed = 0
    with tempfile.TemporaryDirectory(prefix="sluice-strict-") as folder:
        os.environ["XDG_RUNTIME_DIR"] = folder
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for good, text in pool.map(lambda one: run_one(*one, options.seconds_each), work):
                print(text, flush=True)
                failed += not good
    print(f"{options.loaders - failed} of {options.loaders} loaders were bit-identical")
    return 1 if failed else 0


def main():
    options = arguments()
    if options.here is None:
        return run_all(options)
    faulthandler.dump_traceback_later(options.seconds_each, exit=True)
    os.environ.setdefault("XDG_RUNTIME_DIR", "/tmp")
    run_here(options.seed, options.here)
    return 0


if __name__ == "__main__":
    sys.exit(main())
