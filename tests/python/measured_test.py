"""What the segment says of a loader: it is compared with what the loader is known to have done."""
import contextlib
import os
import threading
import types
import unittest
from unittest import mock

import support
from support import Drawing, Plain, Stream, epoch, loader, probe_of, read

import sluice
from sluice import _segment
from sluice._torch import pinning
from sluice._torch.probe import FORKED_START_NS


class Sleepy(Plain):
    """10 ms per row."""

    def __getitem__(self, index):
        support.time.sleep(0.01)
        return super().__getitem__(index)


def transformed(workers):
    from torchvision import transforms

    class Crops(Plain):
        def __init__(self):
            super().__init__(16)
            self.transform = transforms.Compose(
                [transforms.RandomCrop(4), transforms.Lambda(lambda image: image * 2), transforms.RandomCrop(2)]
            )

        def __getitem__(self, index):
            return self.transform(support.torch.full((1, 8, 8), float(index)))

    return sluice.wrap(loader(Crops(), num_workers=workers))


class Counts(unittest.TestCase):
    def check_counts(self, workers):
        measured = sluice.wrap(loader(Plain(50), num_workers=workers))
        epoch(measured)
        seen = read(measured)
        self.assertEqual(seen.ops["sampler"]["items"], 13)
        self.assertEqual(seen.ops["fetch"]["items"], 13)
        self.assertEqual(seen.ops["fetch"]["bytes"], 50 * 8)
        self.assertEqual(seen.ops["sample"]["items"], 50)
        self.assertEqual(seen.ops["collate"]["items"], 13)
        self.assertEqual(seen.consumer["items"], 13)
        self.assertEqual(seen.consumer["rows"], 50)
        for connector in ("sampler->fetch", "fetch->consumer"):
            self.assertEqual(seen.connectors[connector]["pushed"], 13)
            self.assertEqual(seen.connectors[connector]["popped"], 13)
            self.assertEqual(seen.connectors[connector]["depth"], 0)
        self.assertEqual(seen.connectors["fetch->consumer"]["bytes"], 0)

    def test_rows_batches_and_bytes_are_exact_with_workers(self):
        self.check_counts(2)

    def test_rows_batches_and_bytes_are_exact_without(self):
        self.check_counts(0)

    def test_start_ups_of_workers_are_counted_each_epoch(self):
        measured = sluice.wrap(loader(Plain(), num_workers=2))
        support.epochs(measured)
        self.assertEqual(read(measured).ops["start-up"]["items"], 4)

    def test_an_epoch_lasts_from_its_first_request_to_its_last_batch(self):
        for workers, persistent in ((0, False), (2, False), (2, True)):
            with self.subTest(workers=workers, persistent=persistent):
                measured = sluice.wrap(loader(Plain(50), num_workers=workers, persistent_workers=persistent))
                support.epochs(measured, 3)
                ended = read(measured).ended
                self.assertEqual((ended["ended"], ended["items"], ended["workers"]), (3, 13, workers))
                self.assertEqual(ended["length"], 13)
                self.assertLess(0, ended["first"])
                self.assertLessEqual(ended["first"], ended["took"])
                self.assertEqual(ended["start"] > 0, workers > 0)
                self.assertGreater(ended["start_cpu"], 0)
                self.assertEqual(ended["start_cpu"] == FORKED_START_NS, workers == 0, "measured where one was started")

    def test_an_epoch_that_is_left_early_has_ended_too(self):
        for persistent in (False, True):
            with self.subTest(persistent=persistent):
                measured = sluice.wrap(loader(Plain(50), num_workers=1, persistent_workers=persistent))
                for _, _batch in zip(range(5), measured):
                    pass
                epoch(measured)
                ended = read(measured).ended
                self.assertEqual((ended["ended"], ended["items"]), (2, 13))

    def test_an_epoch_in_which_workers_were_changed_says_so(self):
        measured = sluice.wrap(loader(Plain(400), num_workers=1))
        for number, _batch in enumerate(measured):
            if number == 3:
                probe_of(measured).segment.knob_request(probe_of(measured).ids.workers, 3)
        self.assertEqual(read(measured).ended["workers"], -1)
        epoch(measured)
        self.assertEqual(read(measured).ended["workers"], 3)

    def test_workers_that_were_started_count_although_they_were_parked_before_the_first_batch(self):
        for persistent, told in ((False, -1), (True, 1)):
            with self.subTest(persistent=persistent):
                measured = sluice.wrap(loader(Plain(50), num_workers=3, persistent_workers=persistent))
                epoch(measured)
                batches = iter(measured)
                support.request(measured, workers=1)
                epoch(batches)
                self.assertEqual(read(measured).ended["workers"], told)

    def test_slots_of_ended_workers_are_used_again(self):
        measured = sluice.wrap(loader(Plain(8), num_workers=2))
        support.epochs(measured, 5)
        self.assertEqual(len(probe_of(measured).counters._free_slots), 2)
        self.assertEqual(read(measured).ops["fetch"]["workers"], 0)

    def test_the_rows_of_a_stream_are_counted(self):
        measured = sluice.wrap(loader(Stream(40), num_workers=2))
        epoch(measured)
        seen = read(measured)
        self.assertEqual(seen.ops["sample"]["items"], 40)
        self.assertEqual(seen.ops["fetch"]["items"], 10)
        self.assertEqual(seen.consumer["rows"], 40)

    def test_tensors_of_the_scripts_own_class_are_asked_for_little(self):
        """Their class hears of it, may take long over it, and may count it."""
        asked = []

        class Watched(support.torch.Tensor):
            @classmethod
            def __torch_function__(cls, function, types, arguments=(), named=None):
                asked.append(getattr(function, "__name__", "?"))
                return super().__torch_function__(function, types, arguments, named or {})

        class Rows(Plain):
            def __getitem__(self, index):
                return super().__getitem__(index).as_subclass(Watched)

        made = sluice.wrap(loader(Rows(400), num_workers=0, collate_fn=list))
        self.assertEqual(sum(len(batch) for _ in range(2) for batch in made), 800)
        self.assertLessEqual(set(asked), {"__get__"})


class Times(unittest.TestCase):
    def test_a_workers_busy_time_holds_that_of_its_samples(self):
        measured = sluice.wrap(loader(Sleepy(16), num_workers=1))
        epoch(measured)
        ops = read(measured).ops
        self.assertGreaterEqual(ops["sample"]["part"], 16 * 10_000_000)
        self.assertGreaterEqual(ops["fetch"]["busy"], ops["sample"]["part"] + ops["collate"]["part"])
        self.assertEqual(ops["sample"]["busy"], 0)

    def test_the_consumers_wait_and_its_step_are_apart(self):
        measured = sluice.wrap(loader(Sleepy(16), num_workers=0))
        for _ in measured:
            support.time.sleep(0.005)
        consumer = read(measured).consumer
        self.assertGreaterEqual(consumer["starved"], 16 * 10_000_000)
        self.assertGreaterEqual(consumer["busy"], 4 * 5_000_000)

    def test_the_consumer_waits_while_workers_are_started_and_no_longer(self):
        measured = sluice.wrap(loader(Plain(8), num_workers=2))
        batches = iter(measured)
        before = read(measured).consumer
        self.assertGreater(before["starved"], 0)
        support.time.sleep(0.02)
        self.assertEqual(read(measured).consumer, before)
        for _ in batches:
            pass

    def test_time_between_epochs_is_neither_wait_nor_step(self):
        measured = sluice.wrap(loader(Plain(8), num_workers=1))
        epoch(measured)
        before = read(measured).consumer
        support.time.sleep(0.02)
        self.assertEqual(read(measured).consumer, before)


class Transforms(unittest.TestCase):
    def check(self, workers):
        measured = transformed(workers)
        rows = [value for batch in measured for value in batch[:, 0, 0, 0].tolist()]
        self.assertEqual(sorted(rows), [2.0 * i for i in range(16)])
        ops = read(measured).ops
        for name in ("RandomCrop", "Lambda", "RandomCrop#2"):
            self.assertEqual(ops[name]["items"], 16, name)
            self.assertGreater(ops[name]["part"], 0, name)
            self.assertEqual(ops[name]["kind"], "in fetch")

    def test_each_of_a_compose_is_timed_in_workers(self):
        self.check(2)

    def test_each_of_a_compose_is_timed_without_workers(self):
        self.check(0)


class Names(unittest.TestCase):
    def test_a_loader_is_called_by_its_variable_and_data_set(self):
        train_loader = sluice.wrap(loader(Plain(8), num_workers=1))
        epoch(train_loader)
        self.assertIn("(Plain)", read(train_loader).program)

        def here():
            for _ in train_loader:
                pass

        other = sluice.wrap(loader(Plain(8), num_workers=0))
        for _ in other:
            pass
        self.assertTrue(read(other).program.endswith(": other (Plain)"), read(other).program)

    def test_two_loaders_have_a_segment_each(self):
        train, valid = (sluice.wrap(loader(Plain(8), num_workers=1)) for _ in range(2))
        for _ in range(2):
            epoch(train)
            epoch(valid)
        self.assertNotEqual(probe_of(train).segment.path, probe_of(valid).segment.path)
        self.assertEqual(read(train).consumer["items"], 4)
        self.assertEqual(read(valid).consumer["items"], 4)


class Knobs(unittest.TestCase):
    def test_the_capacity_is_the_prefetch_factor_in_other_words(self):
        measured = sluice.wrap(loader(Plain(), num_workers=3, prefetch_factor=4))
        next(iter(measured))
        seen = read(measured)
        self.assertEqual(seen.knobs["fetch.workers"]["applied"], 3)
        self.assertEqual(seen.knobs["fetch.capacity"]["applied"], 4 * 3 - 3 + 1)
        self.assertEqual(seen.connectors["sampler->fetch"]["capacity"], 12)

    def test_what_cannot_change_live_says_when(self):
        live, zero, stream, kept = (
            loader(Plain(8), num_workers=1),
            loader(Plain(8), num_workers=0),
            loader(Stream(8), num_workers=1),
            loader(Stream(8), num_workers=1, persistent_workers=True),
        )
        effects = []
        for measured in map(sluice.wrap, (live, zero, stream, kept)):
            epoch(measured)
            effects.append(read(measured).knobs["fetch.workers"]["effect"])
        self.assertEqual(effects, [_segment.LIVE, _segment.NEXT_EPOCH, _segment.NEXT_EPOCH, _segment.NEXT_RUN])


class PinThread(unittest.TestCase):
    """There is no accelerator here: pinning copies nothing, the thread is PyTorch's own."""

    def measured_epoch(self, pinned=lambda: None):
        torch = support.torch

        def pin_memory(tensor, device=None):
            pinned()
            return tensor

        cuda = dict(is_available=lambda: True, current_device=lambda: 0, set_device=lambda device: None)
        accelerator = dict(
            is_available=lambda: True,
            current_accelerator=lambda: torch.device("cuda"),
            current_device_index=lambda: 0,
            set_device_index=lambda index: None,
        )
        with contextlib.ExitStack() as stack:
            stack.enter_context(mock.patch.multiple(torch.cuda, **cuda))
            if hasattr(torch, "accelerator"):
                stack.enter_context(mock.patch.multiple(torch.accelerator, create=True, **accelerator))
            stack.enter_context(mock.patch.object(torch.Tensor, "pin_memory", pin_memory))
            measured = sluice.wrap(loader(Plain(), num_workers=2, pin_memory=True))
            found = epoch(measured)
        self.assertEqual(found, epoch(loader(Plain(), num_workers=2)))
        return read(measured)

    def test_its_time_and_both_connectors_are_counted(self):
        seen = self.measured_epoch()
        self.assertEqual(seen.ops["pin"]["items"], 12)
        self.assertGreater(seen.ops["pin"]["busy"], 0)
        self.assertEqual(seen.connectors["fetch->pin"]["popped"], 12)
        self.assertEqual(seen.connectors["pin->consumer"]["popped"], 12)

    def test_batches_that_are_pinned_before_the_iterator_is_known_count_too(self):
        pinned = threading.Event()
        begin = pinning.begin

        def late(*arguments):
            self.assertTrue(pinned.wait(30))
            begin(*arguments)

        with mock.patch.object(pinning, "begin", late):
            seen = self.measured_epoch(pinned.set)
        self.assertEqual(seen.ops["pin"]["items"], 12)
        self.assertEqual(seen.connectors["fetch->pin"]["popped"], 12)
        self.assertEqual(pinning._meters, {}, "a thread that has ended is forgotten")

    def test_a_pytorch_that_pins_in_another_way_still_pins(self):
        module = types.SimpleNamespace(pin_memory=lambda data: [data])
        pinning.patch(module)
        self.assertEqual(module.pin_memory(1), [1])


class Forks(unittest.TestCase):
    def test_a_forked_trainer_measures_for_itself(self):
        measured = sluice.wrap(loader(Drawing(8), num_workers=0))
        epoch(measured)
        path = probe_of(measured).segment.path
        child = os.fork()
        if child == 0:
            epoch(measured)
            os._exit(0 if probe_of(measured).segment.path != path else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(read(measured).consumer["items"], 2)


if __name__ == "__main__":
    unittest.main()
