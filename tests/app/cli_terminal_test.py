"""What a terminal shows: the program runs on a pseudo terminal, as under a user's hands."""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import unittest

from cli import DEADLINE, PROGRAM, WAITING, CliTest, until, until_delivered

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"
COLOUR = re.compile(r"\x1b\[[0-9;]*[1-9][0-9;]*m")


class Terminal:
    def __init__(self, command, rows=40, columns=120, **options):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

        def own_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, preexec_fn=own_terminal,
                                        **options)
        os.close(slave)
        self.text = ""

    def read(self, wanted=None):
        """Reads until `wanted` has been shown, else until the program has ended."""
        end = time.monotonic() + DEADLINE
        while time.monotonic() < end and not (wanted and wanted in self.text):
            if not select.select([self.master], [], [], 0.1)[0]:
                continue
            try:
                data = os.read(self.master, 65536)
            except OSError:  # the other side is closed
                break
            if not data:
                break
            self.text += data.decode(errors="replace")
        return self.text

    def type(self, text):
        os.write(self.master, text.encode())

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(DEADLINE)
        os.close(self.master)


class TerminalTest(CliTest):
    def on_terminal(self, *arguments, rows=40, columns=120, env=None, text=WAITING):
        environment = {"TERM": "xterm-256color", **(env or {})}
        command = [PROGRAM, "run", self.scenario(text), *arguments]
        terminal = Terminal(command, rows, columns, **self.options(env=environment))
        self.addCleanup(terminal.end)
        return terminal

    def ended(self, terminal):
        text = terminal.read()
        return terminal.process.wait(DEADLINE), text

    def test_shows_a_live_table_then_the_report_and_gives_the_cursor_back(self):
        code, text = self.ended(self.on_terminal("--duration", "1.5s"))
        self.assertEqual(code, 0)
        table, report = text.rsplit(SHOW, 1)
        self.assertTrue(table.startswith(HIDE))
        for word in ("waiting", "tuning", "consumer", "fetch", "batch", "verdict"):
            self.assertIn(word, table)
        self.assertGreater(table.count("\x1b[J"), 3, "it is redrawn in place")
        self.assertNotIn("\x1b[?", report)
        self.assertIn("waiting reached its limit", re.sub(r"\x1b\[[0-9;]*m", "", report))

    def test_colours_only_where_they_are_wanted(self):
        for environment, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True)):
            with self.subTest(environment=environment):
                _, text = self.ended(self.on_terminal("--duration", "600ms", env=environment))
                self.assertEqual(bool(COLOUR.search(text)), coloured)

    def test_plain_lines_where_asked_for_and_where_nothing_can_be_redrawn(self):
        for arguments, environment in ((["--plain"], {}), ([], {"TERM": "dumb"})):
            with self.subTest(arguments=arguments, environment=environment):
                _, text = self.ended(self.on_terminal("--duration", "1.3s", *arguments, env=environment))
                self.assertIn("t=1", text)
                self.assertNotIn("\x1b[?25", text)

    def test_no_line_is_wider_than_the_window(self):
        _, text = self.ended(self.on_terminal("--duration", "1.2s", rows=12, columns=60, env={"NO_COLOR": "1"}))
        for line in re.split(r"[\r\n]+", re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", text)):
            self.assertLessEqual(len(line), 60, line)

    def test_ctrl_c_gives_the_report_and_the_cursor(self):
        terminal = self.on_terminal()
        terminal.read("fetch")
        terminal.type("\x03")
        code, text = self.ended(terminal)
        self.assertEqual(code, 128 + signal.SIGINT)
        self.assertIn("was interrupted", re.sub(r"\x1b\[[0-9;]*m", "", text.rsplit(SHOW, 1)[1]))

    def test_ctrl_c_twice_gives_the_cursor_back_even_when_the_run_hangs(self):
        terminal = self.on_terminal(text=WAITING + '[consumer]\nstep = "30min"\n')
        terminal.read("fetch")
        terminal.type("\x03")
        terminal.read("^C")
        until_delivered(terminal.process.pid)
        terminal.type("\x03")
        code, text = self.ended(terminal)
        self.assertEqual(code, 128 + signal.SIGINT)
        self.assertGreater(text.rfind(SHOW), text.rfind(HIDE))

    def test_top_offers_a_choice_of_several(self):
        runs = [self.start_run(), self.start_run()]
        self.until_listed(*runs)
        terminal = Terminal([PROGRAM, "top", "--plain", "--duration", "5s"], **self.options())
        self.addCleanup(terminal.end)
        offered = terminal.read("which one? [1-2] ")
        for run in runs:
            self.assertRegex(offered, rf"[12]  pid {run.pid}  ")
        terminal.type("2\n")
        code, text = self.ended(terminal)
        self.assertEqual(code, 0, text)
        self.assertIn("t=", text)

    def top_of(self, run):
        terminal = Terminal([PROGRAM, "top", str(run.pid)], **self.options(env={"TERM": "xterm-256color", "NO_COLOR": "1"}))
        self.addCleanup(terminal.end)
        terminal.read("The tuner is")
        return terminal

    def test_top_sets_holds_and_undoes(self):
        run = self.start_run("--no-tune", "--quiet")
        self.until_listed(run)
        terminal = self.top_of(run)
        terminal.type("kfet\tw\t3")
        terminal.read("set: fetch.workers 3_")
        terminal.type("\r")
        terminal.read("fetch.workers is to be 3")
        self.until_applied(run, "fetch.workers", 3)
        self.assertRegex(self.controlled(run)["lease"]["holder"], r"'s top \d+$")
        terminal.type("u")
        self.until_applied(run, "fetch.workers", 1)
        terminal.type("rh")
        self.until_applied(run, "fetch.workers", 3)
        terminal.read("the tuner holds")
        terminal.type("kpin fetch.workers\r")
        terminal.read("is pinned")
        terminal.type("q")
        code, text = self.ended(terminal)
        self.assertEqual(code, 0)
        self.assertGreater(text.rfind(SHOW), text.rfind(HIDE))
        after = self.controlled(run)
        self.assertIsNone(after["lease"], "it is given back")
        self.assertRegex(after["held_by"], r"'s top \d+$")
        self.assertEqual(next(k["holder"] for k in after["knobs"] if k["name"] == "fetch.workers"), "user")

    def test_top_killed_by_a_second_signal_gives_the_terminal_back(self):
        run = self.start_run("--no-tune", "--quiet")
        self.until_listed(run)
        terminal = self.top_of(run)
        taken = termios.ICANON | termios.ECHO
        until(lambda: not termios.tcgetattr(terminal.master)[3] & taken, "keys are told at once")
        for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
            terminal.process.send_signal(number)
        code, text = self.ended(terminal)
        self.assertEqual(code, 128 + signal.SIGTERM)
        self.assertGreater(text.rfind(SHOW), text.rfind(HIDE))
        self.assertEqual(termios.tcgetattr(terminal.master)[3] & taken, taken)

    def test_top_says_why_a_run_cannot_be_changed(self):
        run = self.start_run("--no-control", "--quiet")
        self.until_listed(run)
        terminal = Terminal([PROGRAM, "top", str(run.pid)], columns=160, **self.options(env={"TERM": "xterm-256color"}))
        self.addCleanup(terminal.end)
        terminal.read("--no-control")
        terminal.type("kfetch.workers 2\r")
        terminal.read("q leave")
        terminal.type("\x03")
        code, text = self.ended(terminal)
        self.assertIn("--no-control", text)
        self.assertIn(code, (0, 128 + signal.SIGINT))


if __name__ == "__main__":
    unittest.main()
