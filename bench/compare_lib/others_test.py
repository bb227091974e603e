"""Run: /usr/bin/python3 -m unittest discover -s bench -p '*_test.py'"""

import os
import tempfile
import unittest
from pathlib import Path

from compare_lib import others
from compare_lib.others import Look, Others, between, cpu_seconds, look, parse_process, watched_text

STAT = """cpu  900 0 100 5000 0 0 0 50 0 0
cpu0 400 10 50 2500 30 5 5 30 7 0
cpu1 500 0 40 2500 0 0 0 10 0 0
intr 1 2 3
"""


def ticks(seconds):
    return round(seconds * others.TICKS_PER_SECOND)


def stat_line(pid, name, parent, seconds=0.0, waited=0.0, start=7):
    return f"{pid} ({name}) S {parent} 1 1 0 -1 0 0 0 0 0 {ticks(seconds)} 0 {ticks(waited)} 0 20 0 1 0 {start} 0 0 0"


def two_looks(busy, own=0.0, stolen=0.0, took=(), waited=0.0):
    """Ten seconds apart, on two cores. `took`: (name, seconds); `waited`: of each one's children that have ended."""
    processes = {(100 + i, 7): (name, 3.0 + seconds, 5.0 + waited) for i, (name, seconds) in enumerate(took)}
    before = {key: (name, 3.0, 5.0) for key, (name, *_) in processes.items()}
    return (Look(50.0, 2, 80.0, 1.0, {(10, 7): ("compare", 20.0, 0.0)}, before),
            Look(60.0, 2, 80.0 + busy, 1.0 + stolen, {(10, 7): ("compare", 20.0 + own, 0.0)}, processes))


class OthersTest(unittest.TestCase):
    def test_busy_is_what_is_neither_idle_nor_waiting_for_storage_of_the_cores_asked_for(self):
        busy, stolen = cpu_seconds(STAT, {0})
        self.assertEqual((ticks(busy), ticks(stolen)), (500, 30))
        self.assertEqual(ticks(cpu_seconds(STAT, {0, 1})[0]), 1050)

    def test_a_name_may_have_blanks_and_parentheses_in_it(self):
        process = parse_process(stat_line(12, "a) b (c", 3, 1.5, 0.5))
        self.assertEqual((process.pid, process.name, process.parent), (12, "a) b (c", 3))
        self.assertEqual((process.seconds, process.waited, process.start), (1.5, 0.5, 7))

    def test_our_own_work_is_not_others(self):
        self.assertFalse(between(*two_looks(busy=19.0, own=18.8)).busy)
        self.assertTrue(between(*two_looks(busy=19.0, own=10.0)).busy)

    def test_a_child_that_we_have_waited_for_stays_ours(self):
        before, after = two_looks(busy=19.0, took=[("sh", 0.1)])
        before.own[11, 8] = ("sluice", 30.0, 4.0)
        after.own[10, 7] = ("compare", 20.0, 52.9)
        self.assertAlmostEqual(between(before, after).cores, 0.01)

    def test_where_one_of_us_ended_unseen_nothing_is_said(self):
        before, after = two_looks(busy=19.0, took=[("sh", 0.1)])
        before.own[11, 8] = ("python3", 30.0, 0.0)
        self.assertIsNone(between(before, after))

    def test_whose_most_is_is_said(self):
        seen = between(*two_looks(busy=10.0, took=[("ninja", 1.0), ("cc1plus", 4.0), ("cc1plus", 4.5)]))
        self.assertEqual(seen.text, "1.00 of 2 cores (most of it cc1plus, 0.85)")

    def test_a_process_that_has_begun_meanwhile_counts_from_its_begin(self):
        before, after = two_looks(busy=9.0, took=[("cc1plus", 6.0)])
        before.others.clear()
        self.assertEqual(between(before, after).name, "cc1plus")

    def test_what_the_host_gave_to_others_is_said(self):
        self.assertEqual(between(*two_looks(busy=10.0, stolen=9.0, took=[("sh", 0.5)])).name, others.STOLEN)

    def test_children_that_have_ended_are_their_parents(self):
        self.assertEqual(between(*two_looks(busy=10.0, took=[("ninja", 0.1)], waited=9.0)).name, "started by ninja")

    def test_what_no_process_explains_is_said(self):
        self.assertEqual(between(*two_looks(busy=10.0, took=[("sh", 0.5)])).name, others.UNSEEN)

    def test_more_of_ours_than_there_is_is_none_of_others(self):
        self.assertEqual(between(*two_looks(busy=5.0, own=6.0, took=[("sh", 0.5)])).cores, 0.0)

    def test_a_look_knows_its_own_from_others(self):
        with tempfile.TemporaryDirectory() as folder:
            proc = Path(folder)
            (proc / "stat").write_text(STAT)
            for line in (stat_line(1, "init", 0, 9.0), stat_line(10, "compare", 1, 1.0, 2.0), stat_line(11, "sluice", 10, 4.0, 8.0),
                         stat_line(12, "python3", 11, 16.0), stat_line(20, "ninja", 1, 32.0, 64.0)):
                pid = line.split()[0]
                (proc / pid).mkdir()
                (proc / pid / "stat").write_text(line)
            seen = look(proc, root=10, cpus={0})
        self.assertEqual({key[0] for key in seen.own}, {10, 11, 12})
        self.assertEqual(seen.others, {(1, 7): ("init", 9.0, 0.0), (20, 7): ("ninja", 32.0, 64.0)})
        self.assertEqual(seen.cores, 1)

    def test_this_machine_can_be_looked_at(self):
        seen = look()
        self.assertGreater(seen.busy, 0)
        self.assertNotIn(os.getpid(), {pid for pid, _ in seen.others})

    def test_a_busy_moment_is_in_the_result(self):
        quiet, loud = Others(0.04, 2, "sh", 0.04), Others(1.3, 2, "cc1plus", 0.9)
        self.assertEqual(watched_text([quiet, quiet]), "meanwhile other work took at most 0.04 of 2 cores")
        self.assertEqual(watched_text([quiet, loud, quiet]),
                         "meanwhile other work took more than 5% of the cores in 1 of 3 looks, at most 1.30 of 2 cores "
                         "(most of it cc1plus, 0.90): trust the ratio little")
        self.assertIn("too short", watched_text([]))


if __name__ == "__main__":
    unittest.main()
