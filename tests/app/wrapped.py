"""Runs commands bare and wrapped for the tests beside this file: whatever is asserted of the one holds for the other.

No report of a run to its end may contradict itself (report_rules.py), whatever the test is about.
"""
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from cli import DEADLINE, PROGRAM, CliTest, until
from report_rules import faults_of

QUIET = [PROGRAM, "wrap", "--quiet", "--"]
PYTHON = [sys.executable, "-S", "-u", "-c"]

# Says that it is there, writes down each signal that it is to wait for, one by one, and ends with 5 on SIGRTMAX.
LISTENER = """
import os, signal, sys
numbers = [getattr(signal, name) for name in sys.argv[2:]] + [signal.SIGRTMAX]
signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Python's own handler would be late, should it come just before the wait
seen = open(sys.argv[1], "a", buffering=1)
seen.write("ready %d\\n" % os.getpid())
while (got := signal.sigwaitinfo(numbers).si_signo) != signal.SIGRTMAX:
    seen.write(signal.Signals(got).name + "\\n")
sys.exit(5)
"""


class WrapTest(CliTest):
    def setUp(self):
        super().setUp()
        self.environment = {name: value for name, value in self.environment.items() if not name.startswith("SLUICE")}
        # Under a sanitizer: by itself it forbids cores, also to what it starts.
        self.environment["ASAN_OPTIONS"] = "disable_coredump=0:" + os.environ.get("ASAN_OPTIONS", "")

    def run_to_end(self, command, deadline=DEADLINE, **more):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=deadline,
                              **{"stdin": subprocess.DEVNULL, "restore_signals": True, **self.options(**more)})
        self.assertEqual(faults_of(done.stderr), [], done.stderr)
        return done

    def status_of(self, command, **more):
        """The status as waitpid() gives it, with the flag of a core dump."""
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self.options(**more))
        _, status = os.waitpid(process.pid, 0)
        process.returncode = 0
        return status

    def spawn(self, command, **more):
        process = subprocess.Popen([str(word) for word in command], **{"stdin": subprocess.DEVNULL, **self.options(**more)})
        self.addCleanup(self.end, process)
        return process

    def end(self, process):
        if process.returncode is None:
            process.kill()
            process.wait(DEADLINE)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()

    def listener(self, prefix, *signals, **more):
        """The process that was started, and the notes of the listener in it."""
        notes = Path(tempfile.mkstemp(dir=self.folder)[1])
        process = self.spawn([*prefix, *PYTHON, LISTENER, notes, *signals], **{"stderr": subprocess.DEVNULL, **more})
        notes = Notes(notes)
        self.addCleanup(notes.kill)
        return process, notes


class Notes:
    def __init__(self, path):
        self.path = path
        until(lambda: self.lines(), "the listener")
        self.pid = int(self.lines()[0].split()[1])

    def lines(self):
        return self.path.read_text().splitlines()

    def signals(self):
        return self.lines()[1:]

    def until_seen(self, name, times=1):
        until(lambda: self.signals().count(name) >= times, lambda: f"{name} in {self.lines()}")

    def tell_to_end(self):
        os.kill(self.pid, signal.SIGRTMAX)

    def kill(self):
        if not is_gone(self.pid):
            os.kill(self.pid, signal.SIGKILL)


def state_of(pid):
    """As in ps: R, S, T, Z ...; None once it has gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return None


def is_gone(pid):
    return state_of(pid) in (None, "Z", "X")


def ignoring(*numbers):
    """For preexec_fn: as nohup and `&` leave it."""
    def prepare():
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
    return prepare
