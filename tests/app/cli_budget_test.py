"""Runs in a control group whose CPU quota or memory limit changes meanwhile. Needs the right to make one."""
import contextlib
import json
import os
import re
import signal
import time
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from cli import WAITING, CliTest, needs_library, until

PERIOD = 100_000  # microseconds

# Burns rather than waits: it takes what cores there are.
BURNING = """
name = "burning"
epochs = 0
[source]
kind = "range"
count = 100000
[[op]]
name = "burn"
kind = "synthetic"
burn = "2ms"
workers = 2
[[op]]
name = "batch"
kind = "batch"
size = 8
"""

# A loop of a wrapped script, for as long as it is let.
LOOP = """
import time
import sluice
for _ in sluice.measure(range(1_000_000)):
    time.sleep(0.01)
"""


def mounts():
    """(type, options, root, point) of each mounted hierarchy of control groups."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            root, point = before.split()[3:5]
            yield kind, options.split(","), root, Path(point)


def own_folder(controller):
    """The folder of this process's group in the hierarchy that has the controller; whether it is v2."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        number, controllers, path = line.split(":", 2)
        for kind, options, root, point in mounts():
            v2 = kind == "cgroup2"
            ours = number == "0" and not controllers if v2 else controller in controllers.split(",") and controller in options
            if not ours or (v2 and controller not in (point / "cgroup.controllers").read_text().split()):
                continue
            return point / os.path.relpath(path, root), v2
    raise unittest.SkipTest(f"no hierarchy of control groups with a {controller} controller is mounted here")


class Group:
    """A control group below this process's own one, v1 or v2, with a CPU quota or a limit of memory."""

    def __init__(self, controller="cpu"):
        parent, self.v2 = own_folder(controller)
        try:
            if self.v2:
                (parent / "cgroup.subtree_control").write_text(f"+{controller}")
            self.folder = parent / f"sluice-test-{os.getpid()}-{time.monotonic_ns()}"
            self.folder.mkdir()
        except OSError as error:
            raise unittest.SkipTest(f"no control group can be made here: {error}") from error

    def set_cores(self, cores):
        quota = int(cores * PERIOD)
        if self.v2:
            (self.folder / "cpu.max").write_text(f"{quota} {PERIOD}")
        else:
            (self.folder / "cpu.cfs_period_us").write_text(str(PERIOD))
            (self.folder / "cpu.cfs_quota_us").write_text(str(quota))

    def set_memory(self, size):
        (self.folder / ("memory.max" if self.v2 else "memory.limit_in_bytes")).write_text(str(size))

    def enter(self):
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def origin(self, cores):
        quota = int(cores * PERIOD)
        return f"cpu.max {quota} {PERIOD}" if self.v2 else f"cpu.cfs_quota_us {quota}, cpu.cfs_period_us {PERIOD}"

    def empty(self):
        """Ends what is still in it, where a test has failed."""
        for process in (self.folder / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)

    def remove(self):
        def gone():
            try:
                self.folder.rmdir()
            except OSError:
                return False
            return True
        until(gone, "an empty control group")


class Budget(CliTest):
    def setUp(self):
        super().setUp()
        self.group = Group()
        self.addCleanup(self.group.remove)

    def start_inside(self, cores, *arguments):
        self.group.set_cores(cores)
        run = self.start(*arguments, preexec_fn=self.group.enter)
        self.addCleanup(self.group.empty)
        return run

    def follows(self, run, first, *others):
        """The budget on which its controller decides becomes each of these, once the quota is."""
        url = until(lambda: re.search(r"metrics at (http\S+)", run.errors()), "the address")[1]

        def cores():
            try:
                with urllib.request.urlopen(url, timeout=10) as answer:
                    found = re.search(r"(?m)^sluice_budget_cores(?:\{.*\})? (\S+)$", answer.read().decode())
            except (urllib.error.HTTPError, ConnectionError):
                return None
            return float(found[1]) if found else None
        until(lambda: cores() == first, f"a budget of {first}")
        for quota in others:
            self.group.set_cores(quota)
            until(lambda: cores() == quota, f"a budget of {quota}")

    def test_a_quota_that_changes_in_mid_run_is_followed(self):
        # A run that waits: one that burns would hardly answer while it is held back.
        run = self.start_inside(0.75, "run", self.scenario(WAITING), "--quiet", "--metrics", "127.0.0.1:0",
                                "--json", "result.json")
        self.follows(run, 0.75, 0.5, 0.9)
        run.send(signal.SIGINT)
        run.wait()
        budget = self.result()["budget"]
        self.assertEqual((budget["cores"], budget["core_bounds"][0]["cores"]), (0.9, 0.9))
        origin = budget["core_bounds"][0]["origin"]
        self.assertTrue(origin.endswith(f"/{self.group.folder.name}: {self.group.origin(0.9)}"), origin)

    @needs_library
    def test_a_wrapped_run_follows_a_quota_that_grows(self):
        script = self.folder / "loop.py"
        script.write_text(LOOP)
        run = self.start_inside(0.5, "wrap", "--metrics", "127.0.0.1:0", "--", "/usr/bin/python3", script)
        self.follows(run, 0.5, 0.9)
        run.send(signal.SIGTERM)
        run.wait()

    def throttled_seconds(self):
        stat = dict(line.split() for line in (self.group.folder / "cpu.stat").read_text().splitlines())
        return int(stat["throttled_usec"]) / 1e6 if self.group.v2 else int(stat["throttled_time"]) / 1e9

    def test_workers_of_a_run_that_is_tuned_do_not_use_up_the_quota(self):
        run = self.start_inside(0.25, "run", self.scenario(BURNING), "--quiet", "--jsonl", "lines.jsonl")

        def seconds():
            lines = (self.folder / "lines.jsonl").read_text().splitlines() if run.pid else []
            looks = [json.loads(line)["unix_seconds"] for line in lines[:-1] if '"type":"snapshot"' in line]
            return looks[-1] - looks[0] if looks else 0

        until(lambda: (self.folder / "lines.jsonl").exists() and seconds() >= 2, "the start")
        before, began = self.throttled_seconds(), seconds()
        until(lambda: seconds() >= 10, "eight seconds more")
        share = (self.throttled_seconds() - before) / (seconds() - began)
        self.assertLess(share, 0.02)
        run.send(signal.SIGINT)
        run.wait()

    def test_a_run_that_uses_up_its_quota_is_called_throttled(self):
        # So little that other work on this machine leaves it as much. A run that is tuned would not use it up.
        run = self.start_inside(0.25, "run", self.scenario(BURNING), "--no-tune", "--quiet", "--json", "result.json")
        self.until_listed(run)

        def verdict():
            self.assert_done(self.sluice("top", run.pid, "--quiet", "--duration", "3s", "--json", "top.json"))
            look = self.result("top.json")
            said = look["verdict"]["sentence"]
            return look if said.startswith("throttled by the cgroup quota: 0.25 of ") else None
        look = until(verdict, "a verdict that names the quota")
        self.assertIn(self.group.origin(0.25), look["verdict"]["sentence"])
        own = next(quota for quota in look["throttling"] if self.group.folder.name in quota["group"])
        self.assertEqual(own["cores"], 0.25)
        self.assertGreater(own["throttled_periods"], 0)
        run.send(signal.SIGINT)
        run.wait()


class Memory(CliTest):
    def test_what_buffers_may_hold_follows_a_limit_that_falls_and_rises_again(self):
        group = Group("memory")
        self.addCleanup(group.remove)
        group.set_memory(400 << 20)
        run = self.start("run", self.scenario(WAITING), "--quiet", "--jsonl", "lines.jsonl", preexec_fn=group.enter)
        self.addCleanup(group.empty)

        def budgets():
            path = self.folder / "lines.jsonl"
            lines = path.read_text().splitlines()[:-1] if path.exists() else []
            looks = [json.loads(line) for line in lines if '"type":"snapshot"' in line]
            return [(look["unix_seconds"], look["budget_memory_bytes"]) for look in looks]
        until(lambda: len(budgets()) >= 5, "five looks")
        seconds, first = budgets()[-1]
        self.assertGreater(first, 60 << 20)
        group.set_memory(72 << 20)
        fell = until(lambda: next((at for at, bytes_ in budgets() if bytes_ < 60 << 20), None), "a smaller budget")
        self.assertLess(fell - seconds, 2.5, "a second, and what this test takes itself")
        group.set_memory(400 << 20)
        until(lambda: budgets()[-1][1] == first, "the budget that it began with")
        run.send(signal.SIGINT)
        run.wait()


if __name__ == "__main__":
    unittest.main()
