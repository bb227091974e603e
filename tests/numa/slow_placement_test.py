"""What the controller makes of nodes whose memory is slow for each other (tests/numa/vm --slow-remote)."""
import json
import subprocess

from machine import SLUICE, Machine

# Rows that one op writes and the next one copies, with one thread each.
COPYING = """
name = "copying"
epochs = 0
[source]
name = "list"
kind = "range"
count = 1000000
[[op]]
name = "load"
kind = "synthetic"
allocate = "256KB"
max_workers = 1
[[op]]
name = "batch"
kind = "batch"
size = 4
max_workers = 1
capacity = 2
[consumer]
step = "none"
"""
ON_ONE_NODE = [word for op in ("list", "load", "batch") for word in ("--set", f"{op}.placement=0")]
APART = ["--set", "load.placement=0", "--set", "batch.placement=1"]


class Placement(Machine):
    SCENARIO = COPYING

    def rate(self, result, window):
        return result["throughput"][window]["rows_per_second"]

    def nodes(self, result):
        return [op["place"]["nodes"] if op["place"] else None for op in result["ops"]]

    def test_is_found_by_the_controller_and_kept(self):
        best = self.rate(self.run_it("--no-tune", *ON_ONE_NODE, seconds=15)[0], "whole_run")
        roaming = self.rate(self.run_it("--no-tune", seconds=15)[0], "whole_run")
        self.assertLess(roaming, 0.9 * best, "remote memory is not slow enough to tell")
        tuned, text = self.run_it(seconds=60)
        self.assertIn(self.nodes(tuned), ([[0]] * 3, [[1]] * 3), text)
        self.assertGreater(self.rate(tuned, "last_window"), 0.93 * best, text)

    def test_a_bad_one_that_nobody_has_pinned_is_left(self):
        tuned, text = self.run_it(*APART, seconds=60)
        self.assertIn(self.nodes(tuned), ([[0]] * 3, [[1]] * 3), text)

    def test_a_bad_one_that_is_pinned_stays(self):
        pins = ["--pin", "load.placement", "--pin", "batch.placement", "--pin", "list.placement"]
        tuned, text = self.run_it(*APART, *pins, seconds=40)
        self.assertEqual(self.nodes(tuned)[1:], [[0], [1]], text)

    def test_the_device_behind_node_1_draws_the_pipeline_there(self):
        machine = json.loads(subprocess.run([SLUICE, "topology", "--json"], capture_output=True, check=True).stdout)
        card = next(device for device in machine["devices"] if device["kind"] == "network")
        tuned, text = self.run_it("--near", card["bus_id"], seconds=60)
        self.assertEqual(self.nodes(tuned), [[1]] * 3, text)
        self.assertIn("where", text)
