"""The machine, drawn, and who runs where on it."""
import json
import os
import subprocess
import unittest
from pathlib import Path

from cli import CliTest

TOPOLOGIES = Path(__file__).resolve().parent.parent / "probes" / "topologies"


class Topology(CliTest):
    def topology(self, *arguments):
        return self.sluice("topology", *arguments)

    def document(self, *arguments):
        done = self.topology("--json", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_draws_this_machine(self):
        done = self.topology()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"^this machine: \d+ package")
        self.assertRegex(done.stdout, r"(?m)^ *node \d+ .* DRAM, \d+ cores?")

    def test_tells_where_the_threads_of_a_process_and_of_its_children_may_run_and_ran(self):
        cpu = max(os.sched_getaffinity(0))
        parent = subprocess.Popen(["taskset", "-c", str(cpu), "sh", "-c", "sleep 60 & echo; wait"],
                                  stdout=subprocess.PIPE, start_new_session=True)
        self.addCleanup(parent.stdout.close)
        self.addCleanup(parent.wait)
        self.addCleanup(os.killpg, parent.pid, 9)
        parent.stdout.readline()
        found = self.document(str(parent.pid))
        processes = found["families"][0]["processes"]
        self.assertEqual([process["name"] for process in processes], ["sh", "sleep"])
        for process in processes:
            self.assertEqual(process["threads"][0]["may_use"], str(cpu))
            self.assertIsNotNone(process["threads"][0]["last_node"])

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "needs a second CPU")
    def test_workers_that_are_held_on_one_cpu_are_found_with_the_remedy(self):
        cpu = min(os.sched_getaffinity(0))
        worker = "for ((i = 0; i < 200000; ++i)); do :; done; echo; exec sleep 60"
        parent = subprocess.Popen(
            ["taskset", "-c", str(cpu), "bash", "-c", f"for n in 1 2 3; do ({worker}) & done; wait"],
            stdout=subprocess.PIPE, start_new_session=True, env={**os.environ, "OMP_PROC_BIND": "true"})
        self.addCleanup(parent.stdout.close)
        self.addCleanup(parent.wait)
        self.addCleanup(os.killpg, parent.pid, 9)
        for _ in range(3):
            parent.stdout.readline()
        found = self.document(str(parent.pid))["findings"]
        self.assertEqual([finding["kind"] for finding in found], ["crowded"])
        self.assertRegex(found[0]["sentence"], rf"3 workers may only use CPU {cpu}, of \d+ that are allowed")
        self.assertRegex(found[0]["remedy"], r"without OMP_PROC_BIND=true.*taskset -cp")
        self.assertIn("3 workers may only use", self.topology(str(parent.pid)).stdout)

    def test_another_machine_is_drawn_from_a_file_or_a_description(self):
        found = self.document("--xml", str(TOPOLOGIES / "gpus_on_node_1.xml"))
        self.assertEqual([device["node"] for device in found["devices"] if device["kind"] == "GPU"], [1, 1])
        self.assertFalse(found["this_machine"])
        self.assertEqual(found["families"], [])
        self.assertEqual(len(self.document("--synthetic", "package:2 group:2 [numa] core:16 pu:2")["nodes"]), 4)

    def test_bad_input_is_said_clearly(self):
        (self.folder / "other.xml").write_text("<html/>")
        for arguments, reason in ((["--xml", "none.xml"], "none.xml: No such file"),
                                  (["--xml", "other.xml"], "other.xml: this is no topology .* lstopo"),
                                  (["--synthetic", "cores"], "'cores' describes no machine: .*package:2"),
                                  (["4194303"], "there is no process 4194303"),
                                  (["0"], "pid: '0' is not a whole number from 1"),
                                  (["1", "--xml", "box.xml"], "excludes")):
            with self.subTest(arguments=arguments):
                done = self.topology(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, reason)
                self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    unittest.main()
