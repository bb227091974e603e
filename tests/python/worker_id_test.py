"""Data sets that know their worker keep as many workers as they have a place for; an error behind a change says so."""
import contextlib
import io
import unittest

import support
from support import Plain, epoch, loader, probe_of, read, request
from torch.utils.data import get_worker_info

import sluice
from sluice import _report, _segment


class Table(Plain):
    """Each worker has a place of its own in a table that the script made."""

    def __init__(self, places, count=400):
        super().__init__(count)
        self.places = [0] * places

    def __getitem__(self, index):
        self.places[get_worker_info().id] += 1
        return super().__getitem__(index)


class Asking(Plain):
    """Only looks whether there is a worker."""

    def __getitem__(self, index):
        assert get_worker_info() is not None
        return super().__getitem__(index)


class FailsInOthers(Plain):
    """Raises where there are more workers than two, without asking PyTorch."""

    def __getitem__(self, index):
        if support.multiprocessing.current_process()._identity[-1] > FIRST[0] + 1:
            raise IndexError("no place for this worker")
        return super().__getitem__(index)


FIRST = [0]


def collate(rows):
    return support.torch.stack(rows) + get_worker_info().num_workers


def init(worker_id):
    assert get_worker_info().num_workers == 2


class WorkerId(unittest.TestCase):
    def check_stays(self, **options):
        bare = epoch(loader(num_workers=2, **options))
        measured = sluice.wrap(loader(num_workers=2, **options))
        found = [epoch(measured, lambda number: request(measured, workers=4)) for _ in range(2)][:1]
        self.assertEqual(found[0], bare)
        knob = read(measured).knobs["fetch.workers"]
        self.assertEqual((knob["held"], knob["applied"]), (_segment.HELD_WORKER_ID, 2))

    def test_a_table_by_worker_gets_no_worker_beyond_it(self):
        self.check_stays(dataset=Table(2))

    def test_so_does_a_collate_function_that_counts_workers(self):
        self.check_stays(dataset=Plain(), collate_fn=collate)

    def test_so_does_a_worker_init_fn(self):
        self.check_stays(dataset=Plain(), worker_init_fn=init)

    def test_without_workers_there_is_no_place_at_all(self):
        class InTrainer(Plain):
            def __getitem__(self, index):
                info = get_worker_info()
                return super().__getitem__(index if info is None else [][info.id])

        measured = sluice.wrap(loader(InTrainer(), num_workers=0))
        support.epochs(measured, 2, lambda number: request(measured, workers=2))
        self.assertEqual(read(measured).knobs["fetch.workers"]["held"], _segment.HELD_WORKER_ID)

    def test_whoever_only_asks_whether_there_is_a_worker_is_tuned_after_an_epoch(self):
        measured = sluice.wrap(loader(Asking(), num_workers=1))
        support.epochs(measured, 2, lambda number: request(measured, workers=2))
        knob = read(measured).knobs["fetch.workers"]
        self.assertEqual((knob["held"], knob["applied"]), (_segment.NOT_HELD, 2))

    def test_a_workers_info_stays_what_it_is(self):
        found = run_in_worker(lambda: (repr(get_worker_info()), isinstance(get_worker_info(), worker_info_type())))
        self.assertRegex(found[0][0], r"^WorkerInfo\(id=0, num_workers=1, seed=\d+, dataset=")
        self.assertTrue(found[0][1])


class AfterAChange(unittest.TestCase):
    def test_an_error_says_what_to_try_and_the_setting_goes_back(self):
        FIRST[0] = next(support.multiprocessing.process._process_counter) + 1
        measured = sluice.wrap(loader(FailsInOthers(4000), num_workers=2, multiprocessing_context="fork"))
        said = io.StringIO()
        _report._said.discard("an error after a change")
        with contextlib.redirect_stderr(said), self.assertRaisesRegex(IndexError, "no place for this worker"):
            epoch(measured, lambda number: request(measured, workers=4))
        self.assertIn("an error came after settings were changed, try --advise", said.getvalue())
        knob = read(measured).knobs["fetch.workers"]
        self.assertEqual((knob["held"], knob["applied"]), (_segment.HELD_FAILED, 2))
        self.assertEqual(probe_of(measured).requests.wanted.workers, 2)

    def test_an_error_before_any_change_says_nothing(self):
        class Raising(Plain):
            def __getitem__(self, index):
                raise KeyError(index)

        said = io.StringIO()
        _report._said.discard("an error after a change")
        with contextlib.redirect_stderr(said), self.assertRaises(KeyError):
            epoch(sluice.wrap(loader(Raising(), num_workers=2)))
        self.assertEqual(said.getvalue(), "")


def worker_info_type():
    return support.torch.utils.data._utils.worker.WorkerInfo


def run_in_worker(ask):
    class Answer(Plain):
        def __getitem__(self, index):
            return ask()

    return next(iter(sluice.wrap(loader(Answer(), num_workers=1, batch_size=None, shuffle=False)))),


if __name__ == "__main__":
    unittest.main()
