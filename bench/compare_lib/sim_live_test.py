"""Run: /usr/bin/python3 -m unittest discover -s bench -p '*_test.py'"""

import unittest

from compare_lib.sim_live import Both, Side


def both(live_fixed=(100,), live_tuned=(200,), live_workers=({"fetch": 3},)):
    pair = Both("fetching")
    pair.live = Side(list(live_fixed), list(live_tuned), list(live_workers))
    pair.simulated = Side([100] * len(live_fixed), [200] * len(live_tuned), [{"fetch": 3}] * len(live_workers))
    return pair


class SimLiveTest(unittest.TestCase):
    def test_a_scenario_agrees_within_five_percent_on_both_rates(self):
        self.assertTrue(both(live_fixed=[96], live_tuned=[209]).agree())
        self.assertFalse(both(live_fixed=[94]).agree())
        self.assertFalse(both(live_tuned=[211]).agree())

    def test_one_op_with_another_number_of_workers_is_no_agreement(self):
        self.assertFalse(both(live_workers=[{"fetch": 4}]).agree())

    def test_a_disturbed_round_does_not_decide(self):
        pair = both(live_fixed=[50, 99, 100], live_tuned=[200, 120, 199],
                    live_workers=[{"fetch": 5}, {"fetch": 3}, {"fetch": 3}])
        self.assertTrue(pair.agree())
