"""How a run ends when it is told to, killed, or nobody reads what it says."""
import signal
import subprocess
import unittest

from cli import DEADLINE, PROGRAM, WAITING, CliTest, Running, until, until_delivered

# A step that nothing can hurry: the run cannot end before it is over.
HANGING = WAITING + '[consumer]\nstep = "30min"\n'


class Stopping(CliTest):
    def test_a_signal_ends_with_the_report_and_its_number(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal=number.name):
                run = self.start_run("--json", "result.json")
                run.until_printed("t=1")
                self.assertEqual(len(self.segments()), 1)
                run.send(number)
                self.assertEqual(run.wait(), 128 + number)
                self.assertIn("was interrupted", run.text())
                self.assertIn("verdict", run.text())
                result = self.result()["run"]
                self.assertEqual((result["ended"], result["exit_code"]), ("interrupted", 128 + number))
                self.assertEqual(self.segments(), [])

    def test_a_signal_at_any_moment_of_the_start_ends_it(self):
        # Before the run has begun there is nothing to report, and nothing to wait for.
        runs = [self.start_run() for _ in range(4)]
        until(self.segments, "a segment")
        for run in runs:
            run.send(signal.SIGINT)
        for run in runs:
            self.assertIn(run.wait(), (130, -signal.SIGINT))

    def test_the_second_ctrl_c_ends_a_run_that_hangs_at_once(self):
        run = self.start_run("--plain", text=HANGING)
        run.until_printed(r"t=1")
        run.send(signal.SIGINT)
        until_delivered(run.pid)
        run.send(signal.SIGINT)
        self.assertEqual(run.wait(), 130)

    def test_what_was_ignored_at_the_start_stays_ignored(self):
        command = ["sh", "-c", 'trap "" INT HUP; exec "$@"', "sh", PROGRAM, "run", str(self.scenario(WAITING))]
        run = self.start_command(command)
        run.until_printed("t=1")
        run.send(signal.SIGINT)
        run.send(signal.SIGHUP)
        run.until_printed("t=2")
        run.send(signal.SIGTERM)
        self.assertEqual(run.wait(), 143)

    def start_command(self, command):
        running = Running(command, **self.options())
        self.addCleanup(running.end)
        return running

    def test_a_reader_that_leaves_ends_it_quietly(self):
        run = subprocess.Popen([PROGRAM, "run", self.scenario(WAITING)], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, **self.options())
        self.assertTrue(run.stdout.readline())
        run.stdout.close()
        errors = run.stderr.read()
        run.stderr.close()
        self.assertEqual(run.wait(DEADLINE), 128 + signal.SIGPIPE)
        self.assertEqual(errors, "")
        self.assertEqual(self.segments(), [])


class Killed(CliTest):
    def test_leaves_a_segment_that_ls_shows_as_dead_and_removes_when_told_to(self):
        run = self.start_run()
        self.until_listed(run)
        run.send(signal.SIGKILL)
        run.wait()
        self.assertEqual(len(self.segments()), 1)
        self.assertRegex(self.sluice("ls").stdout, rf"{run.pid}\s.*\bdead\b")
        self.assertEqual(len(self.segments()), 1, "only looking removes nothing")
        self.assert_done(self.sluice("ls", "--clean"))
        self.assertEqual(self.segments(), [])
        self.assertIn("No measured process", self.sluice("ls").stdout)

    def test_clean_leaves_the_living_alone(self):
        run = self.start_run()
        self.until_listed(run)
        self.assert_done(self.sluice("ls", "--clean"))
        self.until_listed(run)


if __name__ == "__main__":
    unittest.main()
