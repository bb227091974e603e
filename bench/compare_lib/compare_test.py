"""The command, with comparisons that are made up. Run: /usr/bin/python3 -m unittest discover -s bench -p '*_test.py'"""

import io
import subprocess
import unittest
from contextlib import redirect_stderr, redirect_stdout
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from unittest import mock

from compare_lib import native, report
from compare_lib.errors import SideFailed
from compare_lib.others import Others
from compare_lib.rates import Ratio


def _command():
    path = str(Path(__file__).parents[1] / "compare")
    module = module_from_spec(spec_from_loader("compare", SourceFileLoader("compare", path)))
    module.__spec__.loader.exec_module(module)
    return module


compare = _command()
RATIO = Ratio.of([0.98, 1.012, 1.05])
BUSY = Others(1.3, 2, "cc1plus", 0.9)


class RatioTest(unittest.TestCase):
    def test_every_ratio_carries_its_spread(self):
        self.assertEqual(report.ratio_text(RATIO), "1.012 (0.980 to 1.050, 3 rounds)")
        self.assertEqual(report.ratio_text(Ratio.of([2.0])), "2.000 (2.000 to 2.000, 1 round)")
        self.assertEqual(report.ratio_text(Ratio.of([9, 11, 10], 11), "cell"), "11 (9 to 11, 3 cells)")

    def test_a_programs_last_line_is_read_as_it_is_written(self):
        line = f"RATIO noop {report.ratio_text(RATIO)}\n"
        self.assertEqual(native.ratio_of("noop", "bench_noop", line), RATIO)
        for wrong in ("RATIO noop 1.012\n", line.replace("noop", "probes"), ""):
            with self.assertRaises(SideFailed):
                native.ratio_of("noop", "bench_noop", wrong)


class CommandTest(unittest.TestCase):
    def run_it(self, *arguments, runs, busy=None):
        """(exit status, standard output, standard error); `runs`: what the comparisons do, in their order."""
        made_up = [compare.Comparison(f"c{number}", "this over that", 1, run) for number, run in enumerate(runs)]
        output, errors = io.StringIO(), io.StringIO()
        with mock.patch.object(compare, "COMPARISONS", made_up), mock.patch.object(compare.others, "busy_now", return_value=busy), \
                redirect_stdout(output), redirect_stderr(errors):
            return compare.main(list(arguments)), output.getvalue(), errors.getvalue()

    def test_the_last_line_is_the_ratio(self):
        status, output, _ = self.run_it("c0", runs=[lambda *_: RATIO])
        self.assertEqual((status, output.splitlines()[-1]), (0, "RATIO c0 1.012 (0.980 to 1.050, 3 rounds)"))

    def test_a_value_beyond_its_floor_is_a_failure_with_check_only(self):
        below = Ratio.of([0.9])
        self.assertEqual(self.run_it("c0", runs=[lambda *_: below])[0], 0)
        status, _, errors = self.run_it("all", "--check", runs=[lambda *_: RATIO, lambda *_: below])
        self.assertEqual((status, errors), (1, "bench/compare c1: 0.900 (0.900 to 0.900, 1 round) misses its floor, >= 1\n"))
        self.assertEqual(self.run_it("c0", "--check", runs=[lambda *_: RATIO])[0], 0)

    def test_a_busy_machine_is_refused_and_named(self):
        status, output, errors = self.run_it("c0", runs=[lambda *_: self.fail("it was measured")], busy=BUSY)
        self.assertEqual((status, output), (3, ""))
        self.assertIn("other work takes 1.30 of 2 cores (most of it cc1plus, 0.90)", errors)
        self.assertIn("--force", errors)

    def test_force_measures_all_the_same_and_says_so(self):
        status, output, _ = self.run_it("c0", "--force", runs=[lambda *_: RATIO], busy=BUSY)
        self.assertEqual(status, 0)
        self.assertRegex(output, r"^note: other work takes 1.30 of 2 cores")

    def test_a_side_that_failed_is_one_line_and_the_others_are_measured(self):
        def fails(*_):
            raise SideFailed("no data; make it: sluice data make")
        status, output, errors = self.run_it("all", runs=[fails, lambda *_: RATIO])
        self.assertEqual((status, errors), (1, "bench/compare c0: no data; make it: sluice data make\n"))
        self.assertIn("RATIO c1", output)

    def test_a_side_that_hangs_or_cannot_be_started_is_no_stack_trace(self):
        def hangs(*_):
            raise subprocess.TimeoutExpired(["sluice"], 120)

        def is_not_there(*_):
            raise FileNotFoundError("no such file: sluice")
        for run in (hangs, is_not_there):
            status, _, errors = self.run_it("c0", runs=[run])
            self.assertEqual((status, errors.count("\n")), (1, 1))


if __name__ == "__main__":
    unittest.main()
