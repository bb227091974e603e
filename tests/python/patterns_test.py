"""What real trainers do to a DataLoader, in miniature. Each is run bare and wrapped, with knobs that turn, and compared."""
import inspect
import itertools
import os
import queue
import threading
import unittest
from dataclasses import dataclass
from multiprocessing.reduction import ForkingPickler

import support  # noqa: F401 - makes sluice importable
from support import DataLoader, Dataset, Plain, loader, no_children, request, torch

import sluice
from sluice._torch import patches

HAS_IN_ORDER = "in_order" in inspect.signature(DataLoader.__init__).parameters
CHANGES = {0: {"workers": 3}, 2: {"capacity": 9}, 5: {"workers": 1, "capacity": 1}, 8: {"workers": 2, "capacity": 4}}


class Turning:
    """Wraps loaders and turns their knobs as batches come."""

    def __init__(self):
        self._loaders = []
        self._seen = 0

    def wrap(self, made):
        self._loaders.append(made)
        return sluice.wrap(made)

    def turn(self):
        change = CHANGES.get(self._seen % 12)
        self._seen += 1
        for made in self._loaders:
            if change and patches._probes.get(id(made), (None, None))[1] is not None:
                request(made, **change)


class Still:
    """The bare run."""

    @staticmethod
    def wrap(made):
        return made

    @staticmethod
    def turn():
        pass


def rows_of(batch):
    """The rows of a batch of Plain, as numbers."""
    return batch[:, 0].int().tolist()


def turning(batches, knobs):
    for batch in batches:
        knobs.turn()
        yield batch


def read(batches, knobs):
    return [rows_of(batch) for batch in turning(batches, knobs)]


def plain(knobs, count=48, **options):
    return knobs.wrap(loader(Plain(count), **{"num_workers": 2, **options}))


class Patterns(unittest.TestCase):
    def compare(self, run):
        """`run` gets what wraps loaders and turns knobs, and returns what came out. Returns what the bare run gave."""
        bare = run(Still())
        no_children()
        self.assertEqual(run(Turning()), bare)
        self.assertTrue(no_children())
        return bare


# ---- batches on their way to the loop ----


class Ahead:
    """Moves batches ahead of the loop, on a thread that stands for a side stream; passes all else on."""

    def __init__(self, inner):
        self.inner = inner

    def __len__(self):
        return len(self.inner)

    def __iter__(self):
        moved = queue.Queue(2)

        def move():
            for batch in self.inner:
                moved.put(batch * 2)
            moved.put(None)

        thread = threading.Thread(target=move)
        thread.start()
        yield from iter(moved.get, None)
        thread.join()

    def __getattr__(self, name):
        return getattr(self.inner, name)


def one_behind(batches):
    """(batch, whether it was the last), which asks for each batch while the one before is worked on."""
    iterator = iter(batches)
    held = next(iterator)
    for batch in iterator:
        yield held, False
        held = batch
    yield held, True


class OnTheirWay(Patterns):
    def test_a_loader_that_wraps_another_and_moves_batches_ahead(self):
        def run(knobs):
            ahead = Ahead(plain(knobs))
            return [read(ahead, knobs) for _ in range(3)], len(ahead), ahead.batch_size

        self.assertEqual(len(self.compare(run)[0][2]), 12)

    def test_one_batch_ahead_and_whether_that_was_the_last(self):
        def run(knobs):
            made, found = plain(knobs), []
            for batch, last in itertools.chain(one_behind(made), one_behind(made)):
                knobs.turn()
                found.append((rows_of(batch), last))
            return found

        found = self.compare(run)
        self.assertEqual([number for number, (_, last) in enumerate(found) if last], [11, 23])

    def test_rank_0_reads_for_all_and_deals_out_slices(self):
        def run(knobs):
            dealt = {0: [], 1: []}
            for batch in plain(knobs):
                knobs.turn()
                for rank, part in enumerate(batch.chunk(2)):
                    dealt[rank].append(rows_of(part))
            return dealt

        self.assertEqual(len(self.compare(run)[1]), 12)

    def test_batches_read_by_several_threads(self):
        def run(knobs):
            iterator, lock, found = iter(plain(knobs, 96)), threading.Lock(), []

            def take():
                with lock:
                    batch = next(iterator, None)
                    if batch is None:
                        return False
                    knobs.turn()
                    found.append(rows_of(batch))
                    return True

            def take_all():
                while take():
                    pass

            threads = [threading.Thread(target=take_all) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            return found

        self.assertEqual(len(self.compare(run)), 24)


# ---- loaders that live long, or are made again ----


class Endless:
    """A batch sampler that begins again for ever."""

    def __init__(self, inner):
        self.inner = inner

    def __len__(self):
        return len(self.inner)

    def __iter__(self):
        while True:
            yield from self.inner


class KeepsItsIterator(DataLoader):
    """Workers that outlive epochs: one iterator for the loader's whole life."""

    kept = None

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        object.__setattr__(self, "batch_sampler", Endless(self.batch_sampler))

    def __len__(self):
        return len(self.batch_sampler)

    def __iter__(self):
        if self.kept is None:
            self.kept = super().__iter__()
        return itertools.islice(self.kept, len(self))


class Shard(torch.utils.data.Sampler):
    """The rows of one rank, in an order that depends on the epoch it is told."""

    def __init__(self, count, rank, ranks):
        self.count, self.rank, self.ranks, self.epoch = count, rank, ranks, 0

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __iter__(self):
        order = torch.randperm(self.count, generator=torch.Generator().manual_seed(self.epoch)).tolist()
        return iter(order[self.rank :: self.ranks])

    def __len__(self):
        return self.count // self.ranks


class Resumable:
    """A loader with a state: how many batches the loop has had."""

    def __init__(self, inner, delivered=0):
        self.inner = inner
        self.delivered = delivered

    def __iter__(self):
        for batch in itertools.islice(self.inner, self.delivered, None):
            self.delivered += 1
            yield batch

    def state_dict(self):
        return {"delivered": self.delivered}


class Lives(Patterns):
    def test_a_subclass_that_keeps_its_iterator_and_repeats_its_batch_sampler(self):
        def run(knobs):
            torch.manual_seed(3)
            made = knobs.wrap(KeepsItsIterator(Plain(), batch_size=4, shuffle=True, num_workers=2))
            return [read(made, knobs) for _ in range(4)]

        found = self.compare(run)
        self.assertEqual([len(epoch) for epoch in found], [12] * 4)
        self.assertNotEqual(found[0], found[1])

    def test_a_loader_made_again_with_another_sampler_for_each_run(self):
        known = ("dataset", "batch_size", "num_workers", "collate_fn", "pin_memory", "drop_last", "timeout",
                 "worker_init_fn", "persistent_workers")

        def run(knobs):
            script, found = plain(knobs, shuffle=False), []
            for rank in range(2):
                sampler = Shard(48, rank, 2)
                made = knobs.wrap(type(script)(sampler=sampler, **{name: getattr(script, name) for name in known}))
                for epoch in range(2):
                    sampler.set_epoch(epoch)
                    found.append(read(made, knobs))
            return found

        self.assertEqual([len(epoch) for epoch in self.compare(run)], [6] * 4)

    def test_a_sampler_that_is_told_the_epoch(self):
        for persistent in (False, True):
            def run(knobs):
                sampler, found = Shard(48, 0, 1), []
                made = plain(knobs, sampler=sampler, shuffle=False, persistent_workers=persistent)
                for epoch in range(3):
                    sampler.set_epoch(epoch)
                    found.append(read(made, knobs))
                return found

            found = self.compare(run)
            self.assertNotEqual(found[0], found[1])

    def test_a_state_of_mid_epoch_counts_delivered_batches_and_a_resumed_run_gets_the_rest(self):
        def run(knobs):
            first = Resumable(plain(knobs, shuffle=False))
            found = read(itertools.islice(first, 5), knobs)
            state = first.state_dict()
            rest = Resumable(plain(knobs, shuffle=False), state["delivered"])
            return state, found, read(rest, knobs)

        state, found, rest = self.compare(run)
        self.assertEqual(state, {"delivered": 5})
        self.assertEqual(sum(found + rest, []), list(range(48)))

    def test_a_run_that_is_resumed_by_its_samplers_begin(self):
        def run(knobs):
            return read(plain(knobs, sampler=range(20, 48), shuffle=False), knobs)

        self.assertEqual(sum(self.compare(run), []), list(range(20, 48)))


# ---- several loaders, several processes ----


class Inside(Dataset):
    """Each row is read through a loader of its own, in the worker."""

    def __len__(self):
        return 16

    def __getitem__(self, index):
        return torch.stack([batch.sum(0) for batch in DataLoader(Plain(index + 1), batch_size=3)]).sum(0)


def child_reads(made):
    """An epoch of the same loader in a process that the script forks: how it ended, and its rows."""
    out, into = os.pipe()
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            os.write(into, repr(sorted(row for batch in made for row in rows_of(batch))).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(into)
    with os.fdopen(out) as stream:
        rows = stream.read()
    return os.waitpid(pid, 0)[1], rows


class Several(Patterns):
    def test_nested_and_sibling_loaders(self):
        def run(knobs):
            outer, inner, beside = plain(knobs, 24), plain(knobs, 8), plain(knobs, 24, num_workers=0)
            found = []
            for batch, other in zip(outer, beside):
                knobs.turn()
                found.append((rows_of(batch), rows_of(other), [rows_of(each) for each in inner]))
            return found

        self.assertEqual(len(self.compare(run)), 6)

    def test_a_loader_inside_of_a_worker(self):
        def run(knobs):
            return read(knobs.wrap(loader(Inside(), num_workers=2)), knobs)

        self.assertEqual(len(self.compare(run)), 4)

    def test_a_script_that_forks_in_mid_epoch(self):
        def run(knobs):
            made, found = plain(knobs), []
            for number, batch in enumerate(made):
                knobs.turn()
                found.append(child_reads(made) if number == 4 else rows_of(batch))
            return found

        self.assertEqual(self.compare(run)[4], (0, repr(list(range(48)))))

    @unittest.skipUnless(HAS_IN_ORDER, "this PyTorch has no in_order")
    def test_in_order_false_loses_and_doubles_nothing(self):
        def run(knobs):
            made = plain(knobs, in_order=False)
            return sorted(sum(read(itertools.chain(made, made), knobs), []))

        self.assertEqual(len(self.compare(run)), 96)


# ---- what a batch may be ----


@dataclass
class Batch:
    rows: torch.Tensor
    names: list


def views(rows):
    whole = torch.stack(rows)
    return whole[:, 0], whole[1:], whole.t()


def as_dict(rows):
    return {"rows": torch.stack(rows), "parts": {"first": rows[0], "count": len(rows)}, "names": [str(len(rows))]}


def as_dataclass(rows):
    return Batch(torch.stack(rows), [f"{row[0].item()}" for row in rows])


def sparse(rows):
    return torch.stack(rows).to_sparse()


def nested(rows):
    return torch.nested.nested_tensor([row[: 1 + number % 2] for number, row in enumerate(rows)])


def flat(value):
    """Numbers and texts of a batch, whatever its shape."""
    if isinstance(value, Batch):
        return ["Batch", flat(value.rows), flat(value.names)]
    if isinstance(value, dict):
        return [(key, flat(part)) for key, part in value.items()]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(flat, value)]
    if not isinstance(value, torch.Tensor):
        return value
    if value.is_nested:
        return ["nested", *map(flat, value.unbind())]
    return ["sparse", value.to_dense().tolist()] if value.is_sparse else value.tolist()


def crosses(batch):
    """Whether it can be sent from one process to another."""
    try:
        ForkingPickler.dumps(batch)
    except (RuntimeError, NotImplementedError):
        return False
    return True


class Collated(Patterns):
    def count(self, collate, **options):
        """How many batches come."""
        def run(knobs):
            return [flat(batch) for batch in turning(plain(knobs, collate_fn=collate, **options), knobs)]

        return len(self.compare(run))

    def test_views_dicts_and_dataclasses(self):
        for collate in (views, as_dict, as_dataclass):
            with self.subTest(collate.__name__):
                self.assertEqual(self.count(collate), 12)

    def test_sparse_and_nested_tensors_from_workers_where_this_release_can_send_them(self):
        for collate in (sparse, nested):
            for workers in (0, 2) if crosses(collate([Plain()[0], Plain()[1]])) else (0,):
                with self.subTest(collate.__name__, workers=workers):
                    self.assertEqual(self.count(collate, num_workers=workers), 12)

    def test_pin_memory_with_or_without_an_accelerator(self):
        for collate in (as_dict, as_dataclass):
            with self.subTest(collate.__name__):
                self.assertEqual(self.count(collate, pin_memory=True), 12)


if __name__ == "__main__":
    unittest.main()
