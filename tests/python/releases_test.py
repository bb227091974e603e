"""Which PyTorch may be changed: those that were run, and others where a trial shows that the mechanism holds."""
import inspect
import os
import signal
import time
import unittest
from unittest import mock

import support
from support import DataLoader, Drawing, Plain, digest, epoch, epochs, loader, read, request, until
from torch.utils.data import dataloader

import sluice
from sluice import _report, _segment
from sluice._torch import patches, releases, selfcheck

sluice.wrap(loader(Plain()))  # patches PyTorch

VERSION = support.torch.__version__
HAS_IN_ORDER = "in_order" in inspect.signature(DataLoader.__init__).parameters
CHANGES = {1: {"workers": 4}, 4: {"capacity": 9}, 7: {"workers": 1, "capacity": 1}}


def changing(measured):
    return lambda number: request(measured, **CHANGES.get(number, {}))


class Known(unittest.TestCase):
    def test_the_one_installed_was_run_and_is_as_it_was_then(self):
        self.assertEqual(releases.news(releases.present(dataloader), VERSION), [])

    def test_another_release_is_news_whatever_its_signatures(self):
        found = releases.present(dataloader)
        self.assertEqual(releases.news(found, "1.12.0"), ["release 1.12"])
        self.assertEqual(releases.news(found, "99.1.0a0+git12"), ["release 99.1"])

    def test_so_is_any_other_parameter(self):
        for release in releases.RUN:
            for name in releases.SIGNATURES:
                changed = {**releases.recorded(release), name: ("self", "something", "new")}
                self.assertEqual(releases.news(changed, release + ".3+cu99"), [name])
                self.assertEqual(releases.news({**changed, name: None}, release + ".0"), [name])

    def test_an_unknown_parameter_of_a_worker_is_not_guessed(self):
        def later(dataset_kind, weather):
            pass

        with self.assertRaises(KeyError):
            releases.worker_arguments(mock.Mock(), later, None, 0)


def unknown():
    """This PyTorch as one that nobody has run; its trial is the real one."""
    _report._said.clear()
    trust = selfcheck.Trust(releases.present(dataloader), "99.1.0")
    return mock.patch.object(patches._state, "trust", trust, create=True)


def failing():
    raise selfcheck.Failed("it does not hold")


class Unknown(unittest.TestCase):
    def test_it_is_tuned_where_the_trial_passes(self):
        bare = epochs(loader(Plain(), num_workers=2))
        with unknown():
            measured = sluice.wrap(loader(Plain(), num_workers=2))
            self.assertEqual(epochs(measured, between=changing(measured)), bare)
        self.assertEqual(read(measured).knobs["fetch.workers"]["held"], _segment.NOT_HELD)
        self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 1)

    def test_otherwise_it_is_measured_and_left_alone_and_one_line_says_so(self):
        bare = epochs(loader(Drawing(), num_workers=2))
        with unknown(), mock.patch.object(selfcheck, "trial", failing), support.said() as lines:
            measured = sluice.wrap(loader(Drawing(), num_workers=2))
            self.assertEqual(epochs(measured, between=changing(measured)), bare)
            epoch(sluice.wrap(loader(Plain(), num_workers=2)))
        seen = read(measured)
        self.assertEqual(seen.ops["fetch"]["items"], 24)
        self.assertEqual(seen.consumer["items"], 24)
        for knob in seen.knobs.values():
            self.assertEqual(knob["held"], _segment.HELD_UNKNOWN)
        self.assertEqual(len(lines), 1, lines)
        self.assertRegex(lines[0], r"PyTorch 99\.1\.0 is new to Sluice.*measured, not changed")

    def test_advice_needs_no_trial(self):
        with unknown(), mock.patch.dict(os.environ, SLUICE_ADVISE="1"), support.said() as lines:
            with mock.patch.object(selfcheck, "trial", failing):
                epoch(sluice.wrap(loader(Plain(), num_workers=2)))
        self.assertEqual(lines, [])

    def test_who_does_not_fork_is_measured_until_a_fresh_interpreter_has_passed(self):
        for persistent in (False, True):
            bare = epoch(loader(Plain(), num_workers=1, shuffle=False))
            with unknown():
                measured = sluice.wrap(loader(Plain(), num_workers=1, shuffle=False, persistent_workers=persistent,
                                              multiprocessing_context="spawn"))
                self.assertEqual(epoch(measured), bare)

                def tuned():
                    self.assertEqual(epoch(measured, lambda number: request(measured, workers=2)), bare)
                    return read(measured).knobs["fetch.workers"]["applied"] == 2

                until(tuned, "a trial that passes")


    def test_a_method_that_is_gone_is_one_line(self):
        _report._said.clear()
        with support.said() as lines:
            for _ in range(2):
                patches._patch(Plain, "_get_iterator", None)
        self.assertEqual(len(lines), 1)
        self.assertRegex(lines[0], r"has no Plain\._get_iterator: not all of a DataLoader is measured")


class Trial(unittest.TestCase):
    def test_it_passes_in_a_fork_and_in_a_fresh_interpreter(self):
        selfcheck.trial()
        self.assertTrue(selfcheck._fork().wait())
        self.assertTrue(selfcheck._spawn().wait())
        self.assertTrue(support.no_children())

    def test_each_part_of_the_mechanism_that_breaks_is_noticed(self):
        from sluice._torch.pool import Pool
        from sluice._torch.routing import Router

        def backwards(self, it, answer, received=Router.received):
            return (answer[0], [(11 - row, pid) for row, pid in received(self, it, answer)[1]])

        broken = (
            mock.patch.object(Pool, "_start", lambda self, it, router: False),
            mock.patch.object(Router, "received", backwards),
            mock.patch.object(Router, "park", lambda self, worker: self.active.append(self.active.pop(0))),
            mock.patch.object(releases, "ITERATOR_FIELDS", ("_no_such_field",)),
        )
        for breaking in broken:
            with breaking, mock.patch.object(selfcheck, "DEADLINE", 30):
                trial = selfcheck._fork()
                self.assertFalse(trial.wait())
                with self.assertRaises(ProcessLookupError, msg="a worker of the trial is left"):
                    until(lambda: os.killpg(trial._pid, 0), "never")

    def test_one_that_hangs_is_ended(self):
        with mock.patch.object(selfcheck, "trial", lambda: time.sleep(600)), mock.patch.object(selfcheck, "DEADLINE", 1):
            self.assertFalse(selfcheck._fork().wait())
        self.assertTrue(support.no_children())

    def test_what_a_handler_raises_while_it_is_forked_is_felt(self):
        class Told(Exception):
            pass

        def tell(number, frame):
            raise Told

        signals = [signal.SIGUSR1]
        os.register_at_fork(after_in_parent=lambda: [signal.raise_signal(signals.pop()) for _ in list(signals)])
        before = signal.signal(signal.SIGUSR1, tell)
        self.addCleanup(signal.signal, signal.SIGUSR1, before)
        with self.assertRaises(Told):
            selfcheck._fork()
        self.assertTrue(support.no_children())

    def test_the_trainers_own_iterators_outlive_it_and_its_draws_stay(self):
        bare = epoch(loader(Plain(), num_workers=2))
        running = iter(loader(Plain(), num_workers=2))
        found = [digest(next(running))]
        before = support.torch.get_rng_state()
        self.assertTrue(selfcheck._fork().wait())
        self.assertTrue(bool((support.torch.get_rng_state() == before).all()))
        self.assertEqual(found + [digest(batch) for batch in running], bare)


class BookKeeping(unittest.TestCase):
    def test_in_order_the_batches_are_those_of_the_bare_run(self):
        for persistent in (False, True):
            bare = epochs(loader(Plain(), num_workers=2, persistent_workers=persistent), 3)
            measured = sluice.wrap(loader(Plain(), num_workers=2, persistent_workers=persistent))
            self.assertEqual(epochs(measured, 3, changing(measured)), bare)
            self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 1)

    @unittest.skipUnless(HAS_IN_ORDER, "this PyTorch has no in_order")
    def test_in_order_false_stays_the_users_choice(self):
        for persistent in (False, True):
            bare = epochs(loader(Plain(), num_workers=2, persistent_workers=persistent, in_order=False), 3)
            measured = sluice.wrap(loader(Plain(), num_workers=2, persistent_workers=persistent, in_order=False))
            found = epochs(measured, 3, changing(measured))
            self.assertEqual([sorted(hashes) for hashes in found], [sorted(hashes) for hashes in bare])

    def test_tasks_are_counted_down_to_none(self):
        measured = sluice.wrap(loader(Plain(), num_workers=2, persistent_workers=True))
        epoch(measured, changing(measured))
        counted = getattr(measured._iterator, "_workers_num_tasks", None)
        if counted is None:
            self.skipTest("this PyTorch does not count tasks per worker")
        self.assertEqual(set(counted), {0})


if __name__ == "__main__":
    unittest.main()
