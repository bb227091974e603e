"""The topology of a machine with several nodes, and who runs where, as the kernel says it."""
import json
import os
import subprocess
import unittest
from pathlib import Path

NODES = Path("/sys/devices/system/node")
CGROUPS = Path("/sys/fs/cgroup")


def kernel_says(node, file):
    return (NODES / f"node{node}" / file).read_text().split()


def document(*arguments, **options):
    done = subprocess.run([os.environ["SLUICE"], "topology", "--json", *arguments], capture_output=True, text=True,
                          check=True, **options)
    return json.loads(done.stdout)


class Topology(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.found = document()
        cls.numbers = sorted(int(path.name[4:]) for path in NODES.glob("node[0-9]*"))

    def sleeper(self, *prefix, **options):
        started = subprocess.Popen([*prefix, "sh", "-c", "echo; exec sleep 100"], stdout=subprocess.PIPE, **options)
        self.addCleanup(started.stdout.close)
        self.addCleanup(started.wait)
        self.addCleanup(started.kill)
        started.stdout.readline()
        return started.pid

    def process(self, pid):
        return document(str(pid))["families"][0]["processes"][0]

    def test_every_node_has_the_cpus_that_the_kernel_says(self):
        self.assertGreaterEqual(len(self.numbers), 2)
        self.assertEqual([node["number"] for node in self.found["nodes"]], self.numbers)
        for node in self.found["nodes"]:
            self.assertEqual([node["cpus"]], kernel_says(node["number"], "cpulist"))
            self.assertTrue(node["home"])

    def test_distances_are_the_firmwares(self):
        for number, row in zip(self.numbers, self.found["distances"]):
            self.assertEqual(row, [float(word) for word in kernel_says(number, "distance")])

    def test_memory_is_the_nodes(self):
        for node in self.found["nodes"]:
            words = kernel_says(node["number"], "meminfo")
            total = int(words[words.index("MemTotal:") + 1]) * 1024
            self.assertEqual(node["memory_bytes"], total)

    def test_the_card_behind_node_1_is_near_node_1(self):
        cards = [device for device in self.found["devices"] if device["kind"] == "network"]
        self.assertEqual([card["node"] for card in cards], [1])

    def test_a_thread_bound_to_a_node_is_shown_on_it(self):
        for node in self.numbers:
            cpus = kernel_says(node, "cpulist")[0]
            thread = self.process(self.sleeper("taskset", "-c", cpus))["threads"][0]
            self.assertEqual(thread["may_use"], cpus)
            self.assertEqual(thread["last_node"], node)

    def test_a_thread_that_nobody_bound_may_use_all(self):
        self.assertEqual(self.process(self.sleeper())["threads"][0]["may_use"], self.found["cpus"])

    def test_what_the_control_group_allows_is_told(self):
        cpus = kernel_says(self.numbers[-1], "cpulist")[0]
        group = CGROUPS / "box"
        group.mkdir()
        self.addCleanup(group.rmdir)
        (group / "cpuset.cpus").write_text(cpus)

        def enter():
            (group / "cgroup.procs").write_text(str(os.getpid()))

        process = self.process(self.sleeper(preexec_fn=enter))
        self.assertEqual(process["allowed"], cpus)
        self.assertEqual(process["threads"][0]["may_use"], cpus)
        self.assertEqual(document(preexec_fn=enter)["allowed"], cpus)
