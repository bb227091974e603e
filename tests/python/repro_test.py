"""The three levels of the reproducibility promise, each by the hashes of all batches."""
import functools
import os
import random
import unittest
from unittest import mock

import support
from support import Drawing, OwnGenerator, Plain, Stream, epoch, epochs, loader, read, request

import sluice
from sluice import _segment
from sluice._torch import repro


class SeededInWorker(Plain):
    """Draws from numpy and from a generator that worker_init_fn gives it."""

    generator = None

    def __getitem__(self, index):
        return support.torch.tensor([index + support.numpy.random.rand() + self.generator.random()])


class DrawingLater(Plain):
    """As one that augments its rows from some epoch on."""

    begun = False

    def __getitem__(self, index):
        return super().__getitem__(index) + (support.torch.rand(1) if self.begun else 0)


class LazySampler:
    """Draws each index when it is asked for it, from a generator that it keeps."""

    def __init__(self, generator, draw):
        self.generator, self.draw = generator, draw

    def __iter__(self):
        return (self.draw(self.generator) for _ in range(48))

    def __len__(self):
        return 48


def seed_numpy_and_own(user_seed, worker_id):
    support.numpy.random.seed(user_seed + worker_id)
    data = support.torch.utils.data.get_worker_info().dataset
    data.generator = support.numpy.random.default_rng(user_seed + worker_id)


def level(name, **more):
    return mock.patch.dict(os.environ, {"SLUICE_REPRO": name, **more})


def resizing(measured, changes):
    """Requests changes[number] after the batch of that number."""

    def between(number):
        if number in changes:
            request(measured, **changes[number])

    return between


OTHER_DRAWS = "note: random draws in workers are not the bare run's: --repro strict keeps those"
CHANGES = {0: {"workers": 3}, 3: {"capacity": 12}, 5: {"workers": 1, "capacity": 1}, 8: {"workers": 2}}


class Order(unittest.TestCase):
    def test_sample_order_and_batches_are_those_of_the_bare_run_while_knobs_turn(self):
        bare = epochs(loader(Plain(), num_workers=2))
        measured = sluice.wrap(loader(Plain(), num_workers=2))
        self.assertEqual(epochs(measured, between=resizing(measured, CHANGES)), bare)

    def test_draws_in_workers_do_not_depend_on_what_the_knobs_do(self):
        still = epochs(sluice.wrap(loader(Drawing(), num_workers=2)))
        measured = sluice.wrap(loader(Drawing(), num_workers=1))
        self.assertEqual(epochs(measured, between=resizing(measured, CHANGES)), still)

    def test_draws_repeat_with_the_seed_and_only_with_it(self):
        first, again, other = (epochs(sluice.wrap(loader(Drawing(), seed, num_workers=2))) for seed in (3, 3, 4))
        self.assertEqual(first, again)
        self.assertNotEqual(first[0], other[0])
        self.assertNotEqual(first[0], first[1])

    def test_generators_that_the_data_set_keeps_are_seeded_per_task_too(self):
        still = epochs(sluice.wrap(loader(OwnGenerator(), num_workers=1)))
        measured = sluice.wrap(loader(OwnGenerator(), num_workers=3))
        self.assertEqual(epochs(measured, between=resizing(measured, CHANGES)), still)

    def test_a_worker_init_fn_that_seeds_keeps_its_say(self):
        def run(seed, user_seed, changes=None, workers=2, **options):
            init = functools.partial(seed_numpy_and_own, user_seed)
            data = SeededInWorker()
            made = sluice.wrap(loader(data, seed, shuffle=False, num_workers=workers, worker_init_fn=init, **options))
            return epochs(made, between=resizing(made, changes or {}))

        for method in ("fork", "spawn"):
            for kept in (False, True):
                options = dict(multiprocessing_context=method, persistent_workers=kept)
                still = run(3, 42, **options)
                self.assertEqual(run(4, 42, CHANGES, workers=1, **options), still)
                self.assertNotEqual(run(3, 43, **options)[0], still[0])
                self.assertEqual(still[0] == still[1], not kept)  # as in the bare run: seeded anew in each epoch

    def test_what_it_leaves_alone_follows_the_loaders_seed(self):
        def run(seed):
            init = functools.partial(seed_numpy_and_own, 42)
            return epoch(sluice.wrap(loader(Drawing(), seed, shuffle=False, num_workers=2, worker_init_fn=init)))

        self.assertEqual(run(3), run(3))
        self.assertNotEqual(run(3), run(4))

    def test_one_line_says_that_draws_are_others(self):
        for data, count in ((Drawing(), 1), (OwnGenerator(), 1), (Plain(), 0)):
            measured = sluice.wrap(loader(data, num_workers=2))
            epochs(measured)
            self.assertEqual(read(measured).events().count(OTHER_DRAWS), count)

    def test_so_does_it_of_rows_that_begin_to_draw_later_on(self):
        measured = sluice.wrap(loader(DrawingLater(), num_workers=2))
        epochs(measured, 2)
        self.assertEqual([event for event in read(measured).events() if "draws" in event], [])
        measured.dataset.begun = True
        epoch(measured)
        self.assertIn(OTHER_DRAWS, read(measured).events())

    def test_the_trainers_own_draws_are_those_of_the_bare_run(self):
        def trainer_draws(wrapped):
            made = loader(Drawing(), num_workers=1)
            made = sluice.wrap(made) if wrapped else made
            return [support.torch.rand(1).item() for _ in made]

        self.assertEqual(trainer_draws(True), trainer_draws(False))

    def test_without_workers_every_draw_is_that_of_the_bare_run(self):
        bare = epochs(loader(Drawing(), num_workers=0))
        self.assertEqual(epochs(sluice.wrap(loader(Drawing(), num_workers=0))), bare)

    def test_a_sampler_that_draws_while_it_runs_holds_both_knobs(self):
        class Lazy:
            def __iter__(self):
                return (support.random.randrange(48) for _ in range(48))

            def __len__(self):
                return 48

        def draws(wrapped):
            made = loader(Plain(), sampler=Lazy(), shuffle=False, num_workers=2)
            made = sluice.wrap(made) if wrapped else made

            def between(number):
                support.random.random()  # the trainer draws as well
                if wrapped and number == 1:
                    request(made, workers=4, capacity=20)

            found = epochs(made, between=between)
            return found, read(made).knobs if wrapped else None

        bare, _ = draws(False)
        found, knobs = draws(True)
        self.assertEqual(found, bare)
        self.assertEqual(knobs["fetch.workers"]["held"], _segment.HELD_RANDOM_DRAWS)
        self.assertEqual(knobs["fetch.capacity"]["applied"], 3)

    def test_an_epoch_left_early_leaves_the_samplers_generator_where_the_bare_run_does(self):
        """It is drawn from at the end, by RandomSampler, or with each index."""
        python, numpy = support.random.Random, support.numpy.random

        def shuffled():
            return dict(shuffle=True, generator=support.torch.Generator().manual_seed(5))

        def lazy(generator, draw):
            return lambda: dict(shuffle=False, sampler=LazySampler(generator(5), draw))

        kinds = (
            shuffled,
            lazy(python, lambda own: own.randrange(48)),
            lazy(numpy.default_rng, lambda own: int(own.integers(48))),
            lazy(numpy.RandomState, lambda own: int(48 * abs(own.normal())) % 48),
        )

        def parts(wrapped, options, left_after, change):
            made = loader(Plain(), **options)
            made = sluice.wrap(made) if wrapped else made
            found, kept = [], []
            found.append(epoch(made))  # whether fetches draw is known then, where there are no workers
            for number in left_after:
                kept.append(iter(made))  # the iterator may live on beside the next one
                found.append([support.digest(next(kept[-1])) for _ in range(number)])
                if wrapped and change:
                    request(made, **change)
            return found

        for number, kind in enumerate(kinds):
            for workers, change in ((0, {"workers": 3}), (2, {"workers": 3, "capacity": 40}), (2, {})):
                for kept in (False, True)[: 2 if workers else 1]:
                    with self.subTest(kind=number, workers=workers, persistent=kept):
                        own = dict(num_workers=workers, persistent_workers=kept)
                        left_after = (3, 5, 4, 12, 2)
                        bare = parts(False, dict(kind(), **own), left_after, {})
                        self.assertEqual(parts(True, dict(kind(), **own), left_after, change), bare)

    def test_a_generator_that_the_loop_has_drawn_from_stays_as_it_is(self):
        generator = support.torch.Generator().manual_seed(5)
        made = sluice.wrap(loader(Plain(), num_workers=1, generator=generator))
        batches = iter(made)
        next(batches)
        request(made, capacity=40)
        next(batches)
        support.torch.rand(1, generator=generator)
        state = generator.get_state()
        del batches
        self.assertTrue(generator.get_state().equal(state))


class Watch(unittest.TestCase):
    def test_each_draw_is_noticed(self):
        """The second one of random.gauss() moves nothing but what the first has left over."""
        own = support.numpy.random.default_rng(1)
        numpy, torch = support.numpy.random, support.torch
        draws = (random.random, lambda: random.gauss(0, 1), lambda: random.gauss(0, 1), numpy.rand, lambda: torch.rand(1))
        watch = repro.DrawWatch([own])
        for number, draw in enumerate((*draws, own.random)):
            with self.subTest(number=number):
                self.assertFalse(watch.drew())
                draw()
                self.assertTrue(watch.drew())

    def test_so_it_is_of_a_generator_that_keeps_its_state_elsewhere(self):
        class Counting(random.Random):
            drawn = 0

            def random(self):
                self.drawn += 1
                return 0.5

            def getstate(self):
                return self.drawn

        counting = Counting()
        with mock.patch.multiple(random, _inst=counting, getstate=counting.getstate):
            watch = repro.DrawWatch()
            counting.random()
            self.assertTrue(watch.drew())


class Strict(unittest.TestCase):
    def test_draws_in_workers_are_bit_identical_to_the_bare_run_and_hold_the_knob(self):
        bare = epochs(loader(Drawing(), num_workers=2), 3)
        with level("strict"):
            measured = sluice.wrap(loader(Drawing(), num_workers=2))
            self.assertEqual(epochs(measured, 3, between=resizing(measured, CHANGES)), bare)
        knob = read(measured).knobs["fetch.workers"]
        self.assertEqual((knob["held"], knob["applied"]), (_segment.HELD_RANDOM_DRAWS, 2))
        self.assertRegex(" ".join(read(measured).events()), r"random numbers.*: fetch\.workers stays at 2")

    def test_capacity_changes_all_the_same(self):
        with level("strict"):
            measured = sluice.wrap(loader(Drawing(), num_workers=2))
            epochs(measured, 1, between=resizing(measured, {2: {"capacity": 7}}))
        self.assertEqual(read(measured).knobs["fetch.capacity"]["applied"], 7)

    def test_without_draws_the_knob_is_free_after_the_first_epoch(self):
        bare = epochs(loader(Plain(), num_workers=2), 3)
        with level("strict"):
            measured = sluice.wrap(loader(Plain(), num_workers=2))
            found = [epoch(measured, resizing(measured, {1: {"workers": 3}}))]
            first = read(measured).knobs["fetch.workers"]
            found += epochs(measured)
        self.assertEqual(found, bare)
        self.assertEqual((first["held"], first["applied"]), (_segment.NOT_HELD, 2))
        self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 3)


class Free(unittest.TestCase):
    def test_batches_may_overtake_but_none_is_lost_or_doubled(self):
        class Uneven(Plain):
            def __getitem__(self, index):
                if index == 0:
                    support.time.sleep(0.2)
                return super().__getitem__(index)

        bare = epoch(loader(Uneven(), num_workers=2, shuffle=False))
        with level("free"):
            measured = sluice.wrap(loader(Uneven(), num_workers=2, shuffle=False))
            found = epoch(measured, resizing(measured, {2: {"workers": 3, "capacity": 9}}))
        self.assertEqual(sorted(found), sorted(bare))
        self.assertNotEqual(found[0], bare[0])


class Advise(unittest.TestCase):
    def test_nothing_is_touched_and_both_knobs_say_so(self):
        bare = epochs(loader(Drawing(), num_workers=2))
        with level("order", SLUICE_ADVISE="1"):
            measured = sluice.wrap(loader(Drawing(), num_workers=2))
            self.assertEqual(epochs(measured, between=resizing(measured, CHANGES)), bare)
        reading = read(measured)
        for knob in reading.knobs.values():
            self.assertEqual(knob["held"], _segment.HELD_ADVISE)
        self.assertEqual(reading.knobs["fetch.workers"]["applied"], 2)
        self.assertEqual(reading.ops["fetch"]["items"], 24)


class Streams(unittest.TestCase):
    def test_the_order_of_an_iterable_depends_on_its_workers_so_they_stay(self):
        bare = epochs(loader(Stream(), num_workers=2))
        measured = sluice.wrap(loader(Stream(), num_workers=2))
        self.assertEqual(epochs(measured, between=resizing(measured, CHANGES)), bare)
        self.assertEqual(read(measured).knobs["fetch.workers"]["held"], _segment.HELD_ORDER)

    def test_at_level_free_they_change_at_the_epochs_border(self):
        with level("free"):
            measured = sluice.wrap(loader(Stream(), num_workers=2))
            epoch(measured, resizing(measured, {1: {"workers": 3}}))
            self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 2)
            rows = sorted(value for batch in measured for value in batch.flatten().tolist())
        self.assertEqual(rows, [float(i) for i in range(40)])
        self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 3)


if __name__ == "__main__":
    unittest.main()
