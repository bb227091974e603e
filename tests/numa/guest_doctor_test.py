"""What `sluice doctor` finds on a machine with several nodes, and that the commands it prints mend it."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

SLUICE = os.environ["SLUICE"]
NODES = sorted(Path("/sys/devices/system/node").glob("node[0-9]*"))
THP = Path("/sys/kernel/mm/transparent_hugepage")
SCENARIO = """
name = "waiting"
epochs = 0
[source]
name = "list"
kind = "range"
count = 100000
[[op]]
name = "fetch"
kind = "synthetic"
wait = "20ms"
"""


def checks(kind):
    done = subprocess.run([SLUICE, "doctor", "--json", "--", "true"], capture_output=True, text=True, check=True)
    return [check for check in json.loads(done.stdout)["checks"] if check["kind"] == kind]


class Doctor(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "waiting.toml").write_text(SCENARIO)

    def runs(self, *prefixes):
        """A run behind each prefix; all are measured."""
        started = []
        for prefix in prefixes:
            run = subprocess.Popen([*prefix, SLUICE, "run", self.folder / "waiting.toml", "--no-tune", "--quiet"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(run.wait)
            self.addCleanup(run.kill)
            started.append(run.pid)
        end = time.monotonic() + 120
        while not all(re.search(rf"(?m)^ *{pid} ", self.listed()) for pid in started):
            self.assertLess(time.monotonic(), end, "the runs are not listed")
        return started

    def listed(self):
        return subprocess.run([SLUICE, "ls"], capture_output=True, text=True).stdout

    def only(self, kind):
        found = checks(kind)
        self.assertEqual(len(found), 1, kind)
        return found[0]

    def assert_mended(self, kind):
        """A note whose command, as root, leaves none."""
        before = self.only(kind)
        self.assertEqual(before["state"], "note", before)
        subprocess.run(["sh", "-c", before["remedy"].replace("sudo ", "")], check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(self.only(kind)["state"], "ok")

    def set(self, file, value):
        file = Path(file)
        before = re.sub(r".*\[(\S+)\].*", r"\1", file.read_text().strip())
        self.addCleanup(file.write_text, before)
        file.write_text(value)

    def test_the_remote_share_is_that_of_every_node(self):
        self.assertEqual([piece["from"] for piece in self.only("numa_remote")["evidence"]],
                         [f"{node}/numastat" for node in NODES])

    def test_runs_that_may_use_all_nodes_are_unbound(self):
        pids = self.runs([], [])
        found = self.only("unbound_ranks")
        self.assertEqual(found["state"], "note")
        self.assertIn(f"2 of 2 measured runs may use the CPUs of all {len(NODES)} nodes", found["found"])
        self.assertEqual({piece["from"] for piece in found["evidence"]},
                         {f"/proc/{pid}/status: Cpus_allowed_list" for pid in pids})
        self.assertEqual(self.only("numa_balancing")["state"], "ok")

    def test_bound_runs_are_well_and_balancing_is_in_their_way(self):
        self.runs(*(["numactl", f"--cpunodebind={node}", f"--membind={node}"] for node in (0, 1)))
        self.assertEqual(self.only("unbound_ranks")["state"], "ok")
        self.assertEqual([check["state"] for check in checks("numa_pages")], ["ok", "ok"])
        self.set("/proc/sys/kernel/numa_balancing", "1")
        self.assert_mended("numa_balancing")

    def test_where_the_pages_of_a_run_lie_is_what_the_kernel_says(self):
        pid, = self.runs(["numactl", "--cpunodebind=1", "--membind=1"])
        found = re.search(r"node 1 ([\d.]+) MiB", self.only("numa_pages")["found"])
        says = sum(int(count) * 4096 for count in re.findall(r" N1=(\d+)", Path(f"/proc/{pid}/numa_maps").read_text()))
        self.assertAlmostEqual(float(found[1]), says / 2**20, delta=4)

    def test_zone_reclaim_is_mended(self):
        self.set("/proc/sys/vm/zone_reclaim_mode", "1")
        self.assert_mended("zone_reclaim")

    def test_transparent_huge_pages_are_mended(self):
        self.set(THP / "enabled", "never")
        self.assert_mended("thp_enabled")

    def test_huge_pages_that_nobody_uses_are_given_back(self):
        pages = Path("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages")
        self.set(pages, "160")
        if int(pages.read_text()) < 160:
            self.skipTest("this machine has no room for them")
        self.assert_mended("hugetlb")

    def test_a_governor_that_holds_the_least_clock_is_mended(self):
        policies = list(Path("/sys/devices/system/cpu/cpufreq").glob("policy*"))
        self.assertEqual(len(policies), os.cpu_count())
        for policy in policies:
            self.set(policy / "scaling_governor", "powersave")
        self.assertIn("1.00 GHz", self.only("cpu_governor")["found"])
        self.assert_mended("cpu_governor")

    def test_a_clock_that_somebody_has_limited_is_mended(self):
        self.set("/sys/devices/system/cpu/cpufreq/policy1/scaling_max_freq", "1000000")
        self.assert_mended("cpu_limit")


if __name__ == "__main__":
    unittest.main()
