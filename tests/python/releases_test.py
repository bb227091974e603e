"""PyTorch releases other than the one installed here: by their recorded signatures, and by what later ones do."""
import unittest
from unittest import mock

import support
from signatures import RECORDED
from support import Drawing, Plain, epoch, epochs, loader, read, request
from torch.utils.data import dataloader

import sluice
from sluice import _segment
from sluice._loader import patches, signatures


sluice.wrap(loader(Plain()))  # patches PyTorch


def tuples(recorded):
    return {name: tuple(parameters) for name, parameters in recorded.items()}


class Signatures(unittest.TestCase):
    def test_every_recorded_release_is_known(self):
        for release, recorded in RECORDED.items():
            self.assertEqual(signatures.strangers(tuples(recorded)), [], release)

    def test_the_one_installed_is_as_recorded(self):
        self.assertEqual(signatures.present(dataloader), tuples(RECORDED["1.13 to 2.5"]))

    def test_any_other_parameter_makes_a_stranger(self):
        for name in signatures.KNOWN:
            changed = dict(tuples(RECORDED["2.6 and later"]), **{name: ("self", "something", "new")})
            self.assertEqual(signatures.strangers(changed), [name])
            self.assertEqual(signatures.strangers({**changed, name: None}), [name])


class Unknown(unittest.TestCase):
    def test_a_stranger_is_measured_and_otherwise_left_alone(self):
        bare = epochs(loader(Drawing(), num_workers=2))
        with mock.patch.dict(patches._state, known=False):
            measured = sluice.wrap(loader(Drawing(), num_workers=2))
            self.assertEqual(epochs(measured, between=lambda number: request(measured, workers=3)), bare)
        seen = read(measured)
        self.assertEqual(seen.ops["fetch"]["items"], 24)
        self.assertEqual(seen.consumer["items"], 24)
        for knob in seen.knobs.values():
            self.assertEqual(knob["held"], _segment.HELD_UNKNOWN)


ITERATOR = dataloader._MultiProcessingDataLoaderIter


def reset(self, loader, first_iter=False, before=ITERATOR._reset):
    self._workers_num_tasks = [0] * self._num_workers
    before(self, loader, first_iter)


def process_data(self, data, worker_idx):
    self._workers_num_tasks[worker_idx] -= 1
    self._try_put_index()
    if hasattr(data, "reraise"):
        data.reraise()
    return data


def next_data(self):
    while True:
        while self._rcvd_idx < self._send_idx and self._rcvd_idx not in self._task_info:
            self._rcvd_idx += 1
        if self._rcvd_idx == self._send_idx:
            if not self._persistent_workers:
                self._shutdown_workers()
            raise StopIteration
        if len(self._task_info[self._rcvd_idx]) == 2:
            worker, data = self._task_info.pop(self._rcvd_idx)
            self._rcvd_idx += 1
            return self._process_data(data, worker)
        place, data = self._get_data()
        self._tasks_outstanding -= 1
        if place == self._rcvd_idx or not self._in_order:
            worker = self._task_info.pop(place)[0]
            self._rcvd_idx += place == self._rcvd_idx
            return self._process_data(data, worker)
        self._task_info[place] += (data,)


def later(in_order):
    """The iterator keeps its books as in releases from 2.6 on: tasks are counted per worker, and in_order may be
    off."""
    return mock.patch.multiple(
        ITERATOR,
        create=True,
        _in_order=in_order,
        _reset=reset,
        _process_data=process_data,
        _next_data=next_data,
    )


class BookKeeping(unittest.TestCase):
    CHANGES = {1: {"workers": 4}, 4: {"capacity": 9}, 7: {"workers": 1, "capacity": 1}}

    def run_with(self, in_order, dataset, **options):
        with later(in_order):
            measured = sluice.wrap(loader(dataset, num_workers=2, **options))

            def between(number):
                request(measured, **self.CHANGES.get(number, {}))

            found = epochs(measured, 3, between)
            self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 1)
        return found

    def test_in_order_the_batches_are_those_of_the_bare_run(self):
        for persistent in (False, True):
            bare = epochs(loader(Plain(), num_workers=2, persistent_workers=persistent), 3)
            self.assertEqual(self.run_with(True, Plain(), persistent_workers=persistent), bare)

    def test_in_order_false_stays_the_users_choice(self):
        bare = epochs(loader(Plain(), num_workers=2), 3)
        found = self.run_with(False, Plain())
        self.assertEqual([sorted(hashes) for hashes in found], [sorted(hashes) for hashes in bare])

    def test_tasks_are_counted_down_to_none(self):
        with later(True):
            measured = sluice.wrap(loader(Plain(), num_workers=2, persistent_workers=True))
            epoch(measured)
            self.assertEqual(measured._iterator._workers_num_tasks, [0, 0])


if __name__ == "__main__":
    unittest.main()
