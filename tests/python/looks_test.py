"""How often what rows see is looked at, and what that may take."""
import os
import string
import unittest
from unittest import mock

from support import Plain, epoch, epochs, loader, read, request

import sluice
from sluice._torch import changes, looks


class Looks(unittest.TestCase):
    def test_a_library_that_is_changed_between_two_looks_at_it_is_looked_at_often_enough(self):
        """1 % of the time is spent on looking, however many fetches there are."""
        part = string.Template("")
        share = looks.Looks()
        share._began -= 10**12
        watch = changes.ChangeWatch({"dataset": [part]}, share)
        found = []
        for number in range(100):
            part.number = number // 33
            found.append(watch.fetch_begins())
            watch.fetched()
        self.assertEqual([number for number, name in enumerate(found) if name], [33, 66, 99])

    def test_epochs_too_short_to_be_looked_at_are_looked_at_ever_more_seldom(self):
        """But before workers take the trainer's place."""
        measured = sluice.wrap(loader(Plain(8), num_workers=0))
        made = mock.patch.object(changes, "ChangeWatch", wraps=changes.ChangeWatch)
        with mock.patch.object(looks, "_SHARE", 0), made as watches:
            epochs(measured, 64)
            self.assertEqual(watches.call_count, 7)
            request(measured, workers=2)
            epoch(measured)
            self.assertEqual(watches.call_count, 8)
            self.assertEqual(read(measured).knobs["fetch.workers"]["applied"], 2)

    def test_at_level_strict_each_epoch_is_looked_at(self):
        made = mock.patch.object(changes, "ChangeWatch", wraps=changes.ChangeWatch)
        with mock.patch.dict(os.environ, SLUICE_REPRO="strict"), mock.patch.object(looks, "_SHARE", 0), made as watches:
            epochs(sluice.wrap(loader(Plain(8), num_workers=0)), 16)
            self.assertEqual(watches.call_count, 16)

    def test_looks_of_an_epoch_are_looks_of_the_run(self):
        of_run = looks.Looks()
        looks.Looks(of_run).took(10**15)
        self.assertEqual([of_run.afford_one() for _ in range(5)], [True, True, False, True, False])


if __name__ == "__main__":
    unittest.main()
