"""Runs the built program for the tests beside this file; SLUICE names it.

Each test has a folder of its own for its files and another for telemetry segments, so tests see no runs
but theirs. Nothing waits for a fixed time: `until` polls with a deadline.
"""
import atexit
import contextlib
import functools
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

import result_schema

PROGRAM = os.environ["SLUICE"]
ROOT = Path(__file__).resolve().parents[2]
SANITIZED = "SLUICE_SANITIZED" in os.environ  # built with a sanitizer: several times slower
DEADLINE = 300 if SANITIZED else 60  # seconds; only ever reached by a failure
# A python3 without the sanitizer cannot load a libsluice.so that has it.
needs_library = unittest.skipIf(SANITIZED, "libsluice.so would need the sanitizer in python3 as well")

# Waits rather than burns, so that it runs the same beside others; tuning finds more workers for `fetch`.
WAITING = """
name = "waiting"
epochs = 0
[source]
name = "list"
kind = "range"
count = 100000
capacity = 1
[[op]]
name = "fetch"
kind = "synthetic"
wait = "4ms"
capacity = 1
[[op]]
name = "batch"
kind = "batch"
size = 8
drop_remainder = true
capacity = 1
"""

PHOTOGRAPHS = """
name = "photographs"
[source]
name = "read"
kind = "image_folder"
path = "{folder}"
{source}
[[op]]
name = "decode"
kind = "map"
transforms = ["decode", {{name = "random_resized_crop", size = 32}}, "hwc_to_chw"]
{decode}
[[op]]
name = "batch"
kind = "batch"
size = 4
"""


# A test runner in the background ignores these and would hand that down; a user's shell does not.
for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.SIG_DFL)


def until(condition, what, deadline=DEADLINE):
    """The first true value of `condition()`; `what` is a text or gives one."""
    end = time.monotonic() + deadline
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError(f"not within {deadline} s: {what() if callable(what) else what}")


def until_delivered(pid):
    """No signal waits for the process: one that comes now is another one."""
    status = Path(f"/proc/{pid}/status")
    until(lambda: "ShdPnd:\t0000000000000000" in status.read_text(), "the signal's delivery")


@functools.cache
def small_data(kind, count):
    """A folder of data, made once per process."""
    folder = Path(tempfile.mkdtemp(prefix="sluice-data-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    subprocess.run([PROGRAM, "data", "make", kind, "--out", folder / kind, "--count", str(count), "--quiet"],
                   check=True, timeout=120)
    return folder / kind


class Running:
    """A program that runs in the background; its output is collected line by line."""

    def __init__(self, command, **options):
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True, **options)
        self.out, self.err = [], []
        self.threads = [threading.Thread(target=to.extend, args=(stream,), daemon=True) for to, stream in
                        ((self.out, self.process.stdout), (self.err, self.process.stderr))]
        for thread in self.threads:
            thread.start()

    @property
    def pid(self):
        return self.process.pid

    def send(self, number):
        self.process.send_signal(number)

    def wait(self):
        code = self.process.wait(timeout=DEADLINE)
        for thread in self.threads:
            thread.join(DEADLINE)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def text(self):
        return "".join(self.out)

    def errors(self):
        return "".join(self.err)

    def until_printed(self, pattern):
        return until(lambda: re.search(pattern, self.text()), lambda: f"{pattern} in {self.text()}{self.errors()}")

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        if not self.process.stdout.closed:
            self.wait()


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("sluice", timeout=DEADLINE)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(DEADLINE)
        self.sock.connect(self.path)


class CliTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="sluice-test-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        (self.folder / "runtime").mkdir(mode=0o700)
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": str(self.folder / "runtime"), "LC_ALL": "C.UTF-8"}

    def options(self, **more):
        return {"cwd": self.folder, "env": {**self.environment, **more.pop("env", {})}, **more}

    def sluice(self, *arguments, **more):
        return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=DEADLINE,
                              **self.options(**more))

    def start(self, *arguments, **more):
        running = Running([PROGRAM, *map(str, arguments)], **self.options(**more))
        self.addCleanup(running.end)
        return running

    def start_run(self, *arguments, text=WAITING, **more):
        """A run that goes on until somebody ends it."""
        return self.start("run", self.scenario(text), *arguments, **more)

    def scenario(self, text, name="scenario.toml"):
        path = self.folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        return path

    def photographs(self, folder, source="", decode=""):
        return self.scenario(PHOTOGRAPHS.format(folder=folder, source=source, decode=decode))

    def result(self, name="result.json"):
        """A result of run, wrap, top or sim, which its schema allows."""
        result = json.loads((self.folder / name).read_text())
        if result_schema.describes(result):
            self.assertEqual(result_schema.faults_of(result), [])
        return result

    def segments(self):
        """Without control sockets."""
        return [path for path in (self.folder / "runtime").glob("sluice/*") if path.suffix != ".control"]

    def controlled(self, run):
        """What the control socket of a run tells of its first pipeline."""
        with contextlib.closing(UnixConnection(self.folder / "runtime" / "sluice" / f"{run.pid}.control")) as connection:
            connection.request("GET", "/v1/pipelines/0")
            return json.loads(connection.getresponse().read())

    def until_applied(self, run, knob, value):
        def applied():
            return next(k["applied"] for k in self.controlled(run)["knobs"] if k["name"] == knob) == value
        until(applied, f"{knob} {value} in force")

    def until_listed(self, *running):
        """`sluice ls` shows all of them as running."""
        def listed():
            lines = self.sluice("ls").stdout.splitlines()
            return all(any(re.match(rf"\s*{r.pid}\s.*\brunning\b", line) for line in lines) for r in running)
        until(listed, "runs in the list")

    def assert_done(self, done, code=0):
        self.assertEqual(done.returncode, code, f"\n{done.stdout}\n{done.stderr}")
        return done

    def assert_refused(self, done, *patterns, code=2):
        self.assert_done(done, code)
        for pattern in patterns:
            self.assertRegex(done.stderr, pattern)
        self.assertTrue(done.stderr.startswith("sluice: "), done.stderr)
