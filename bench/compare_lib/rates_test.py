"""Run: /usr/bin/python3 -m unittest discover -s bench -p '*_test.py'"""

import unittest

from compare_lib.errors import TooShort
from compare_lib.rates import Taken, in_turn, percentile, ratios


def steady(rate, seconds, batch=64, start=0.2):
    """Batches at an even pace."""
    count = int((seconds - start) * rate / batch)
    return [(start + i * batch / rate, (i + 1) * batch) for i in range(count + 1)]


class RatesTest(unittest.TestCase):
    def test_windows_do_not_jump_by_a_batch(self):
        windows = Taken(steady(rate=1500, seconds=10)).windows(1.0)
        self.assertEqual(len(windows), 8)
        for rate in windows:
            self.assertAlmostEqual(rate, 1500)

    def test_what_was_taken_before_the_warm_up_is_not_counted(self):
        slow_start = [(0.1, 64), (1.0, 128), (2.0, 1128), (3.0, 2128)]
        self.assertAlmostEqual(Taken(slow_start).rate_from(1.0), 1000)

    def test_a_rate_counts_as_reached_when_it_lasts(self):
        rows, moments = 0, []
        for tenth in range(100):  # a burst at 1 s that does not last, full speed from 4 s on
            moments.append((tenth / 10, rows))
            rows += 100 if 10 <= tenth < 20 or tenth >= 40 else 30
        self.assertAlmostEqual(Taken(moments).reached(990), 4.0)
        self.assertIsNone(Taken(moments).reached(1100))

    def test_each_side_comes_first_in_every_other_round(self):
        self.assertEqual([in_turn(turn, ["bare", "wrapped"])[0] for turn in range(4)], ["bare", "wrapped"] * 2)

    def test_nothing_after_the_warm_up_is_an_error(self):
        with self.assertRaises(TooShort):
            Taken([(0.1, 1), (0.2, 2)]).rate_from(5.0)
        with self.assertRaises(TooShort):
            Taken([(0.1, 1), (0.2, 2)]).windows(0.0)
        with self.assertRaises(TooShort):
            Taken([(0.1, 1)])

    def test_a_percentile_lies_between_its_neighbours(self):
        self.assertAlmostEqual(percentile([3, 1, 2], 0.5), 2)
        self.assertAlmostEqual(percentile([0, 10], 0.05), 0.5)
        self.assertEqual(percentile([7], 0.05), 7)

    def test_ratios_refuse_sides_of_different_length(self):
        self.assertEqual(ratios([4, 9], [2, 3]), [2, 3])
        with self.assertRaises(ValueError):
            ratios([1], [1, 2])


if __name__ == "__main__":
    unittest.main()
