"""A wrapped command on a terminal: keys, window size, job control of a real shell, hang-up."""
import fcntl
import os
import re
import signal
import struct
import termios
import unittest

from cli import DEADLINE, PROGRAM, until
from cli_terminal_test import Terminal
from wrapped import LISTENER, PYTHON, QUIET, Notes, WrapTest, is_gone, state_of

PREFIXES = ([], QUIET, [PROGRAM, "wrap", "--exec", "--quiet", "--"])


class TerminalTest(WrapTest):
    def terminal(self, command):
        terminal = Terminal([str(word) for word in command], **self.options(env={"TERM": "dumb", "PS1": "> "}))
        self.addCleanup(terminal.end)
        return terminal

    def listener_on_terminal(self, prefix, *signals):
        path = self.folder / f"notes{len(list(self.folder.iterdir()))}"
        path.touch()
        terminal = self.terminal([*prefix, *PYTHON, LISTENER, path, *signals])
        notes = Notes(path)
        self.addCleanup(notes.kill)
        return terminal, notes


class Keys(TerminalTest):
    def test_ctrl_c_comes_once(self):
        for prefix in PREFIXES:
            with self.subTest(by=prefix):
                terminal, notes = self.listener_on_terminal(prefix, "SIGINT")
                for times in range(1, 21):
                    terminal.type("\x03")
                    notes.until_seen("SIGINT", times)
                notes.tell_to_end()
                self.assertEqual(terminal.process.wait(DEADLINE), 5)
                self.assertEqual(notes.signals(), ["SIGINT"] * 20)

    def test_keys_that_kill_the_bare_command_kill_it_wrapped(self):
        for prefix in PREFIXES:
            for key, number in (("\x03", signal.SIGINT), ("\x1c", signal.SIGQUIT)):
                with self.subTest(by=prefix, signal=number.name):
                    terminal, notes = self.listener_on_terminal(prefix)
                    terminal.type(key)
                    self.assertEqual(terminal.process.wait(DEADLINE), -number)
                    self.assertTrue(is_gone(notes.pid))

    def test_a_new_window_size_is_told_once_and_seen(self):
        for prefix in PREFIXES:
            with self.subTest(by=prefix):
                terminal, notes = self.listener_on_terminal(prefix, "SIGWINCH", "SIGUSR1")
                fcntl.ioctl(terminal.master, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 77, 0, 0))
                notes.until_seen("SIGWINCH")
                terminal.process.send_signal(signal.SIGUSR1)
                notes.until_seen("SIGUSR1")
                notes.tell_to_end()
                self.assertEqual(terminal.process.wait(DEADLINE), 5)
                self.assertEqual(notes.signals(), ["SIGWINCH", "SIGUSR1"])

    def test_the_command_reads_from_the_terminal(self):
        terminal = self.terminal([*QUIET, "sh", "-c", "read line; echo got $line"])
        terminal.type("some words\n")
        self.assertIn("got some words", terminal.read("got some words"))
        self.assertEqual(terminal.process.wait(DEADLINE), 0)

    def test_a_terminal_that_hangs_up_tells_the_command(self):
        for prefix in PREFIXES:
            with self.subTest(by=prefix):
                terminal, notes = self.listener_on_terminal(prefix)
                os.close(terminal.master)
                terminal.master = os.open("/dev/null", os.O_RDONLY)
                self.assertEqual(terminal.process.wait(DEADLINE), -signal.SIGHUP)
                until(lambda: is_gone(notes.pid), "the command's end")


class JobControl(TerminalTest):
    """Under an interactive shell, as a user has it."""

    def shell(self):
        shell = self.terminal(["bash", "--norc", "--noprofile", "-i"])
        shell.read("> ")
        return shell

    def start_listener(self, shell, prefix):
        path = self.folder / f"notes{len(list(self.folder.iterdir()))}"
        path.touch()
        script = self.folder / "listener.py"
        script.write_text(LISTENER)
        shell.type(" ".join([*prefix, PYTHON[0], "-S", "-u", str(script), str(path), "SIGCONT"]) + "\n")
        notes = Notes(path)
        self.addCleanup(notes.kill)
        return notes

    def read_new(self, shell, wanted):
        shell.text = ""
        return shell.read(wanted)

    def test_ctrl_z_stops_and_fg_goes_on(self):
        seen = []
        for prefix in PREFIXES:
            with self.subTest(by=prefix):
                shell = self.shell()
                notes = self.start_listener(shell, prefix)
                shell.type("\x1a")
                self.read_new(shell, "Stopped")
                until(lambda: state_of(notes.pid) == "T", "the stop")
                shell.type("fg\n")
                notes.until_seen("SIGCONT")
                shell.type("\x1a")
                self.read_new(shell, "Stopped")
                shell.type("bg\n")
                self.read_new(shell, "&")  # it names the command, as fg does
                notes.until_seen("SIGCONT", times=2)
                shell.type("fg\n")
                self.read_new(shell, "listener.py")
                notes.tell_to_end()
                until(lambda: is_gone(notes.pid), "the end")
                shell.type("echo status=$?\n")
                self.assertIn("status=5", self.read_new(shell, "status=5"))
                seen.append(notes.signals())
                self.assertEqual(seen[-1], seen[0], "as of the bare command")

    def test_reading_in_the_background_stops_it_and_fg_lets_it_read(self):
        for prefix in PREFIXES:
            with self.subTest(by=prefix):
                shell = self.shell()
                shell.type(" ".join([*prefix, "sh", "-c", "'read line; echo got $line; exit 3' &\n"]))
                until(lambda: "Stopped" in self.jobs(shell), "the stop")
                shell.type("fg\n")
                self.read_new(shell, "read line")
                shell.type("words\n")
                self.read_new(shell, "got words")
                shell.type("echo status=$?\n")
                self.assertIn("status=3", self.read_new(shell, "status=3"))

    def jobs(self, shell):
        shell.type("jobs; echo do''ne\n")
        return self.read_new(shell, "done")

    def test_ctrl_c_leaves_the_shell_and_its_status(self):
        for prefix in PREFIXES:
            with self.subTest(by=prefix):
                shell = self.shell()
                shell.type(" ".join([*prefix, "sleep", "60\n"]))
                until(lambda: self.sleeps(shell), "sleep")
                shell.type("\x03")
                self.read_new(shell, "> ")
                shell.type("echo status=$?\n")
                self.assertIn("status=130", self.read_new(shell, "status=130"))

    def sleeps(self, shell):
        group = os.tcgetpgrp(shell.master)
        return group != os.getpgid(shell.process.pid) and any(
            re.fullmatch(r"sleep", name) for name in self.names_in(group))

    @staticmethod
    def names_in(group):
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                if os.getpgid(int(pid)) == group:
                    with open(f"/proc/{pid}/comm") as comm:
                        yield comm.read().strip()
            except OSError:
                pass


if __name__ == "__main__":
    unittest.main()
