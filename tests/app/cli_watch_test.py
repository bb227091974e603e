"""Runs seen from another terminal: `sluice ls` and `sluice top`. Neither ever touches what it looks at."""
import re
import signal
import unittest

from cli import WAITING, CliTest

A_WHILE = ("--no-tune", "--rows", "600")  # of WAITING: two or three seconds


class Listing(CliTest):
    def test_two_runs_side_by_side_are_both_listed(self):
        runs = [self.start_run(), self.start_run()]
        self.until_listed(*runs)
        lines = self.sluice("ls").stdout.splitlines()
        self.assertEqual(len(lines), 1 + 2, "a header and the runs")
        for word in ("pid", "program", "state"):
            self.assertIn(word, lines[0])
        self.assertEqual(sum("waiting" in line for line in lines), 2)

    def test_no_run_comes_with_the_command_that_starts_one(self):
        self.assertIn("sluice run", self.assert_done(self.sluice("ls")).stdout)


class Watching(CliTest):
    def top(self, *arguments):
        return self.sluice("top", *arguments, "--plain")

    def test_shows_a_run_for_as_long_as_it_was_told_to(self):
        run = self.start_run()
        self.until_listed(run)
        done = self.assert_done(self.top(run.pid, "--duration", "2.2s"))
        self.assertRegex(done.stdout, r"t=\d.*batches/s.*fetch \d+w")
        self.assertIsNone(run.process.poll(), "the run goes on")

    def test_without_a_pid_takes_the_only_run(self):
        run = self.start_run()
        self.until_listed(run)
        self.assert_done(self.top("--duration", "300ms"))

    def test_without_a_pid_two_runs_are_named(self):
        runs = [self.start_run(), self.start_run()]
        self.until_listed(*runs)
        self.assert_refused(self.top(), "sluice top PID", rf"(?m)^  [12]  pid {runs[0].pid}  \S",
                            rf"(?m)^  [12]  pid {runs[1].pid}  \S", code=1)

    def test_of_several_it_takes_the_one_that_is_named(self):
        runs = [self.start_run(), self.start_run()]
        self.until_listed(*runs)
        name = re.search(rf"{runs[0].pid}  (\S+)", self.sluice("ls").stdout)[1]
        self.assert_done(self.top(runs[0].pid, "--loader", name, "--duration", "300ms"))
        self.assert_refused(self.top("--loader", "no such"), "nothing measured has 'no such'", code=1)

    def test_what_cannot_be_watched_comes_with_a_remedy(self):
        self.assert_refused(self.top(), "sluice run", code=1)
        self.assert_refused(self.top("1"), "process 1 is not measured.*sluice ls", code=1)

    def test_writes_what_it_saw_for_programs(self):
        run = self.start_run()
        run.until_printed(r"(?m)^\d.* kept ")
        done = self.assert_done(self.top(run.pid, "--quiet", "--duration", "1500ms", "--json", "result.json"))
        self.assertEqual(done.stdout, "")
        look = self.result()
        self.assertEqual((look["format"], look["watched"]["pid"], look["watched"]["over"]),
                         ("sluice-top-result", run.pid, False))
        self.assertGreater(look["window"]["items_per_second"], 0)
        self.assertEqual([op["regime"] for op in look["ops"] if op["name"] == "fetch"], ["waits"])
        self.assertIn("kept", [decision["fate"] for decision in look["decisions"]])
        self.assertTrue(look["verdict"]["sentence"])
        segment, = self.segments()
        self.assertIn(b'{"verdict":{"limit":', segment.read_bytes(), "its ring has both")
        ids = [decision["id"] for decision in look["decisions"]]
        self.assertTrue(ids and ids == sorted(set(ids)) and all(decision["changes"] for decision in look["decisions"]), look)

    def test_says_before_it_looks_that_its_result_cannot_be_written(self):
        self.assert_refused(self.top("--json", "nowhere/result.json"), "--json", "nowhere", code=2)

    def test_decisions_from_before_it_came_have_their_time_in_the_run(self):
        run = self.start_run()
        run.until_printed(r"(?m)^\d.* kept ")
        lines = self.assert_done(self.top(run.pid, "--duration", "500ms")).stdout.splitlines()
        told = [re.match(r"(-?[\d.]+)s  .*fetch\.workers 1 . \d+", line) for line in lines]
        times = [float(match[1]) for match in told if match]
        self.assertTrue(times, "the decision is shown: " + "\n".join(lines))
        made = float(re.search(r"(?m)^([\d.]+)s  .*fetch\.workers 1 ", run.text())[1])
        self.assertAlmostEqual(times[0], made, delta=0.3)

    def test_ctrl_c_ends_it_and_not_the_run(self):
        run = self.start_run()
        self.until_listed(run)
        top = self.start("top", run.pid, "--plain")
        top.until_printed("t=")
        top.send(signal.SIGINT)
        self.assertEqual(top.wait(), 0)
        self.assertIsNone(run.process.poll())

    def test_killed_it_leaves_the_run_alone(self):
        run = self.start("run", self.scenario(WAITING), *A_WHILE, "--json", "result.json")
        self.until_listed(run)
        top = self.start("top", run.pid, "--plain")
        top.until_printed("t=")
        top.send(signal.SIGKILL)
        top.wait()
        self.assertEqual(run.wait(), 0)
        self.assertEqual(self.result()["consumer"]["rows"], 600)

    def test_a_run_that_is_killed_while_watched_has_ended(self):
        for number in (signal.SIGKILL, signal.SIGTERM):
            with self.subTest(signal=number.name):
                run = self.start_run()
                self.until_listed(run)
                top = self.start("top", run.pid, "--plain")
                top.until_printed("t=")
                run.send(number)
                self.assertEqual(top.wait(), 0, top.errors())
                self.assertIn("the run has ended", top.text())
                run.wait()
                self.assert_done(self.sluice("ls", "--clean"))


if __name__ == "__main__":
    unittest.main()
