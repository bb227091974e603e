"""Runs of one user on one host share its cores by what each needs."""
import json
import os
import signal
import statistics
import unittest

from cli import CliTest, until

# 20 ms of computing per batch; the consumer takes one in each STEP.
SHARED = """
name = "{name}"
epochs = 0
[source]
kind = "range"
count = 100000
[[op]]
name = "burn"
kind = "synthetic"
burn = "5ms"
max_workers = 8
[[op]]
name = "batch"
kind = "batch"
size = 4
[consumer]
step = "{step}"
"""
STEP = 0.1  # a share that changes by less is not told anew
FIRST, SECOND = ("first", "8ms", 20 / 8), ("second", "20ms", 20 / 20)  # name, step, cores that it needs


class SharedHost(CliTest):
    """All on one CPU, so that it is scarce on any machine."""

    def start_shared(self, name, step):
        cpu = min(os.sched_getaffinity(0))
        scenario = self.scenario(SHARED.format(name=name, step=step), f"{name}.toml")
        return self.start("run", scenario, "--quiet", "--jsonl", f"{name}.jsonl", "--json", f"{name}.json",
                          preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))

    def looks(self, name):
        path = self.folder / f"{name}.jsonl"
        lines = path.read_text().splitlines(keepends=True) if path.exists() else []
        found = [json.loads(line) for line in lines if line.endswith("\n")]
        return [look for look in found if look["type"] == "snapshot"]

    def budgets(self, name):
        return [look["budget_cores"] for look in self.looks(name)]

    def test_each_gets_the_same_part_of_what_it_needs_and_the_last_one_gets_all(self):
        runs = {name: self.start_shared(name, step) for name, step, _ in (FIRST, SECOND)}
        names = list(runs)
        until(lambda: all(len(self.looks(name)) >= 12 for name in names), "twelve looks at each")
        parts = [statistics.median(self.budgets(name)[4:]) / need for name, _, need in (FIRST, SECOND)]
        told = [self.budgets(name) for name in names]
        self.assertLess(max(parts) / min(parts), (1 + STEP) / (1 - STEP), told)
        self.assertLess(sum(statistics.median(budgets[4:]) for budgets in told), 1 / (1 - STEP), told)

        seen = len(self.looks("second"))
        os.kill(runs["first"].pid, signal.SIGKILL)
        runs["first"].wait()
        until(lambda: 1 in self.budgets("second")[seen:], "the whole CPU for the one that is left")
        after = self.looks("second")[seen:]
        alone = next(look for look in after if look["budget_cores"] == 1)
        self.assertLess(alone["unix_seconds"] - self.looks("second")[seen - 1]["unix_seconds"], 3)
        runs["second"].send(signal.SIGINT)
        runs["second"].wait()

    def test_who_has_the_rest_is_named(self):
        first = self.start_shared(*FIRST[:2])
        second = self.start_shared(*SECOND[:2])
        until(lambda: self.budgets("second") and self.budgets("second")[-1] < 0.9, "a budget that is shared")
        second.send(signal.SIGINT)
        second.wait()
        origin = self.result("second.json")["budget"]["core_bounds"][0]["origin"]
        self.assertEqual(origin, f"shared on this host with first (pid {first.pid})")
        first.send(signal.SIGINT)
        first.wait()


if __name__ == "__main__":
    unittest.main()
