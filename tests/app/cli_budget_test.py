"""Runs in a control group whose CPU quota or memory limit changes meanwhile. Needs the right to make one."""
import json
import re
import signal
import sys
import time
import unittest
import urllib.error
import urllib.request

from cli import ROOT, WAITING, CliTest, needs_library, until

sys.path.insert(0, str(ROOT / "bench"))
from compare_lib.control_group import ControlGroup, NoGroup  # noqa: E402

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


def made(test, controller="cpu"):
    """A control group for as long as the test lasts; it is skipped where none can be made."""
    try:
        group = ControlGroup(controller)
    except NoGroup as error:
        raise unittest.SkipTest(str(error)) from error
    test.addCleanup(until, group.remove, "an empty control group")
    return group


class Budget(CliTest):
    def setUp(self):
        super().setUp()
        self.group = made(self)

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

    def test_workers_of_a_run_that_is_tuned_do_not_use_up_the_quota(self):
        run = self.start_inside(0.25, "run", self.scenario(BURNING), "--quiet", "--jsonl", "lines.jsonl")

        def seconds():
            lines = (self.folder / "lines.jsonl").read_text().splitlines() if run.pid else []
            looks = [json.loads(line)["unix_seconds"] for line in lines[:-1] if '"type":"snapshot"' in line]
            return looks[-1] - looks[0] if looks else 0

        until(lambda: (self.folder / "lines.jsonl").exists() and seconds() >= 2, "the start")
        before, began = self.group.throttled_seconds(), seconds()
        until(lambda: seconds() >= 10, "eight seconds more")
        share = (self.group.throttled_seconds() - before) / (seconds() - began)
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
        group = made(self, "memory")
        group.set_memory(400 << 20)
        run = self.start("run", self.scenario(WAITING), "--quiet", "--jsonl", "lines.jsonl", preexec_fn=group.enter)
        self.addCleanup(group.empty)

        def budgets():
            path = self.folder / "lines.jsonl"
            lines = path.read_text().splitlines()[:-1] if path.exists() else []
            looks = [json.loads(line) for line in lines if '"type":"snapshot"' in line]
            return [(look["unix_seconds"], look["budget_memory_bytes"]) for look in looks]
        until(lambda: len(budgets()) >= 5, "five looks")
        _, first = budgets()[-1]
        self.assertGreater(first, 60 << 20)
        group.set_memory(72 << 20)
        began = time.time()
        fell = until(lambda: next((at for at, bytes_ in budgets() if bytes_ < 60 << 20), None), "a smaller budget")
        self.assertLess(fell - began, 2.5, "read again each second, and told each second")
        group.set_memory(400 << 20)
        until(lambda: budgets()[-1][1] == first, "the budget that it began with")
        run.send(signal.SIGINT)
        run.wait()


if __name__ == "__main__":
    unittest.main()
