"""Signals that somebody sends to a wrapped command, and what becomes of it when the wrapper is killed."""
import os
import signal
import unittest

from cli import DEADLINE, PROGRAM, until
from wrapped import PYTHON, QUIET, WrapTest, ignoring, is_gone, state_of

HANDED_ON = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGCONT", "SIGWINCH", "SIGALRM",
             "SIGTSTP", "SIGTTIN", "SIGTTOU")


class Sent(WrapTest):
    def test_each_reaches_the_command_once(self):
        process, notes = self.listener(QUIET, *HANDED_ON)
        self.assertNotEqual(process.pid, notes.pid)
        for name in HANDED_ON:
            process.send_signal(getattr(signal, name))
            notes.until_seen(name)
        notes.tell_to_end()
        self.assertEqual(process.wait(DEADLINE), 5)
        self.assertEqual(notes.signals(), list(HANDED_ON))

    def test_each_that_kills_the_bare_command_kills_it_wrapped(self):
        for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM", "SIGRTMIN"):
            with self.subTest(signal=name):
                process, notes = self.listener(QUIET)
                process.send_signal(getattr(signal, name))
                self.assertEqual(process.wait(DEADLINE), -getattr(signal, name))
                self.assertTrue(is_gone(notes.pid))

    def test_what_was_ignored_at_the_start_stays_ignored(self):
        process, notes = self.listener(QUIET, "SIGUSR1", preexec_fn=ignoring(signal.SIGHUP, signal.SIGINT))
        process.send_signal(signal.SIGHUP)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGUSR1)
        notes.until_seen("SIGUSR1")
        notes.tell_to_end()
        self.assertEqual(process.wait(DEADLINE), 5)

    def test_what_the_command_sends_to_its_whole_group_comes_once(self):
        script = """
import os, signal, sys
from pathlib import Path
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
wrapper = Path("/proc/%d/status" % os.getppid())
def has_handled():
    text = wrapper.read_text()
    return "ShdPnd:\\t0000000000000000" in text and "State:\\tS" in text
for _ in range(20):
    os.kill(0, signal.SIGUSR1)
    signal.sigwaitinfo([signal.SIGUSR1])
    while not has_handled():
        pass
    if signal.sigpending():
        sys.exit(1)
"""
        done = self.run_to_end([*QUIET, *PYTHON, script], start_new_session=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_alarm_that_was_set_before_ends_the_command(self):
        def alarm():
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, 0.3)
        self.assertEqual(self.run_to_end([*QUIET, "sleep", "60"], preexec_fn=alarm).returncode, -signal.SIGALRM)

    def test_exec_needs_nobody_to_hand_them_on(self):
        process, notes = self.listener([PROGRAM, "wrap", "--exec", "--"], "SIGUSR1")
        self.assertEqual(process.pid, notes.pid)
        process.send_signal(signal.SIGUSR1)
        notes.until_seen("SIGUSR1")
        process.terminate()
        self.assertEqual(process.wait(DEADLINE), -signal.SIGTERM)


class Stopped(WrapTest):
    def start(self):
        process, notes = self.listener(QUIET, "SIGUSR1", start_new_session=True)
        return process, notes

    def until_state(self, pid, states):
        until(lambda: state_of(pid) in states, lambda: f"{pid} is {state_of(pid)}, not {states}")

    def test_stops_and_goes_on_with_the_command_whoever_is_told(self):
        process, notes = self.start()
        for stop, told in ((signal.SIGSTOP, notes.pid), (signal.SIGSTOP, notes.pid)):
            for go_on in (process.pid, notes.pid):
                with self.subTest(stop=stop, go_on="wrapper" if go_on == process.pid else "command"):
                    os.kill(told, stop)
                    self.until_state(notes.pid, "T")
                    self.until_state(process.pid, "T")
                    os.kill(go_on, signal.SIGCONT)
                    self.until_state(notes.pid, "SR")
                    self.until_state(process.pid, "SR")
        process.send_signal(signal.SIGUSR1)
        notes.until_seen("SIGUSR1")
        notes.tell_to_end()
        self.assertEqual(process.wait(DEADLINE), 5)

    def test_the_parent_sees_the_stop_as_of_the_bare_command(self):
        process, notes = self.start()
        os.kill(notes.pid, signal.SIGSTOP)
        pid, status = os.waitpid(process.pid, os.WUNTRACED)
        self.assertTrue(os.WIFSTOPPED(status))
        self.assertEqual(os.WSTOPSIG(status), signal.SIGSTOP)
        os.killpg(process.pid, signal.SIGCONT)
        pid, status = os.waitpid(process.pid, os.WCONTINUED)
        self.assertTrue(os.WIFCONTINUED(status))
        notes.tell_to_end()
        self.assertEqual(process.wait(DEADLINE), 5)

    def test_a_command_that_is_killed_while_stopped_ends_it(self):
        process, notes = self.start()
        os.kill(notes.pid, signal.SIGSTOP)
        self.until_state(process.pid, "T")
        os.kill(notes.pid, signal.SIGKILL)
        self.assertEqual(process.wait(DEADLINE), -signal.SIGKILL)


class Killed(WrapTest):
    def test_a_wrapper_that_is_killed_leaves_the_command_alone(self):
        process, notes = self.listener(QUIET, "SIGUSR1")
        process.kill()
        process.wait(DEADLINE)
        os.kill(notes.pid, signal.SIGUSR1)
        notes.until_seen("SIGUSR1")
        self.assertFalse(is_gone(notes.pid))
        notes.tell_to_end()
        until(lambda: is_gone(notes.pid), "the command's own end")
        self.assertEqual(notes.signals(), ["SIGUSR1"])


if __name__ == "__main__":
    unittest.main()
