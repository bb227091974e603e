"""`sluice ui`: what there is to see of a recorded run and of one that goes on.

The golden document is made anew with SLUICE_RERECORD=1.
"""
import json
import os
import shutil
import sqlite3
import unittest

from cli import ROOT, WAITING, CliTest

RECORDED = ROOT / "tests" / "ui" / "photos.sluice"
GOLDEN = ROOT / "tests" / "ui" / "photos_view.json"


class UiTest(CliTest):
    def view_of(self, *arguments):
        return json.loads(self.assert_done(self.sluice("ui", "--dump-view", *arguments)).stdout)


class DumpView(UiTest):
    def recorded(self):
        """A copy: SQLite may have to write beside a file to read it."""
        return shutil.copy(RECORDED, self.folder)

    def test_a_recorded_run_looks_as_it_did(self):
        text = self.assert_done(self.sluice("ui", "--dump-view", self.recorded(), "--at", "3s")).stdout
        if os.environ.get("SLUICE_RERECORD"):
            GOLDEN.write_text(text)
        self.maxDiff = None
        self.assertEqual(json.loads(text), json.loads(GOLDEN.read_text()))

    def test_another_moment_is_another_view(self):
        file = self.recorded()
        early, late = self.view_of(file, "--at", "200ms"), self.view_of(file)
        self.assertEqual(early["tables"]["decisions"]["rows"], [])
        self.assertTrue(late["tables"]["decisions"]["rows"])
        self.assertLess(early["at_seconds"], 1)
        self.assertGreater(late["at_seconds"], 10)
        self.assertEqual(early["timeline"]["rows"], late["timeline"]["rows"], "the curves are of all of it")

    def test_a_run_that_goes_on_is_seen_and_left_alone(self):
        run = self.start_run("--quiet", "--duration", "1min")
        self.until_listed(run)
        view = self.view_of(run.pid)
        self.assertEqual((view["name"], view["origin"], view["watched"]), ("waiting", f"pid {run.pid}", "live"))
        self.assertEqual([node["name"] for node in view["pipeline"]["nodes"]], ["list", "fetch", "batch", "consumer"])
        self.assertNotIn(view["strip"]["state"], ("stale", "stalled", "no_consumer"))
        machine = [row[0] for row in view["tables"]["machine"]["rows"]]
        self.assertIn("core bound", machine)
        self.assertTrue([name for name in machine if name.startswith("CPU ")], "who runs where")
        self.assertEqual(self.view_of(run.pid)["watched"], "live", "looking has not ended it")

    def test_a_scenario_is_shown_as_a_form(self):
        scenario = self.scenario(WAITING)
        form = self.view_of(scenario)
        self.assertEqual((form["format"], form["name"], form["simulated"]), ("sluice-plan", "waiting", False))
        self.assertEqual(form["command"], f"sluice run {scenario}")
        fields = {field["name"]: field for field in form["fields"]}
        self.assertEqual((fields["fetch.workers"]["value"], fields["fetch.workers"]["range"]), ("1", [1, 64]))
        simulated = self.view_of(ROOT / "scenarios" / "sim" / "gil.toml")
        self.assertTrue(simulated["simulated"])
        both = self.view_of(ROOT / "scenarios" / "sim" / "io_bound.toml")
        self.assertTrue(both["simulated"], "it could be run as well")
        self.assertIn("mindspore", simulated["fields"][1]["choices"])
        done = self.sluice("ui", "--dump-view", self.scenario("duration = 3", "broken.toml"))
        self.assert_refused(done, "neither a scenario to run", "broken.toml:1", code=1)
        self.assert_refused(self.sluice("ui", "--dump-view", scenario, self.recorded()), "is a scenario", "--record")

    def test_what_cannot_be_shown_is_told_with_a_remedy(self):
        for what, words in (("missing.sluice", "missing.sluice"), ("999999999", "sluice ls")):
            with self.subTest(what=what):
                done = self.sluice("ui", "--dump-view", what)
                self.assertEqual(done.returncode, 1)
                self.assertIn(words, done.stderr)
        done = self.sluice("ui", "--dump-view", self.recorded(), "--loader", "nothing")
        self.assertEqual(done.returncode, 1)
        self.assertIn("photos", done.stderr)
        done = self.sluice("ui", "--dump-view", self.recorded(), "--at", "soon")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--at", done.stderr)


class Compare(UiTest):
    """Two runs side by side: B has four times the workers of A, where workers only wait."""

    def setUp(self):
        super().setUp()
        self.slow = self.record("slow.sluice")
        self.fast = self.record("fast.sluice", "--set", "fetch.workers=4")

    def record(self, name, *arguments):
        self.assert_done(self.sluice("run", self.scenario(WAITING), "--record", name, "--duration", "3s", "--no-tune",
                                     "--quiet", *arguments))
        return self.folder / name

    def rows_of(self, pipeline):
        return {(row["of"], row["figure"]): row for row in pipeline["rows"]}

    def test_tells_what_the_second_run_does_otherwise(self):
        view = self.view_of(self.slow, self.fast)
        self.assertEqual((view["format"], view["version"], view["a"], view["b"]),
                         ("sluice-comparison", 1, "slow.sluice", "fast.sluice"))
        (pipeline,) = view["pipelines"]
        self.assertEqual((pipeline["name"], pipeline["word"], pipeline["b_is"]), ("waiting", "MORE", "better"))
        told = " ".join(self.assert_done(self.sluice("compare", self.slow, self.fast)).stdout.split())
        self.assertIn(pipeline["sentence"], told)
        self.assertIn("95% interval", pipeline["sentence"])
        self.assertLess(pipeline["low"], pipeline["ratio"])
        rows = self.rows_of(pipeline)
        rate = rows["consumer", "rows/s"]
        self.assertAlmostEqual(rate["b_value"] / rate["a_value"], pipeline["ratio"], delta=0.01)
        self.assertRegex(rate["change"], r"^(\d+% more|\d\.\d times)$")
        self.assertEqual(rows["knobs", "fetch.workers"]["change"], "3 more")
        self.assertEqual(rows["fetch", "workers"]["b_is"], "neutral")
        self.assertEqual([key for key in rows if key[0] == "batch"],
                         [("batch", figure) for figure in ("items/s", "busy", "p50", "p99", "workers")])
        for run in (pipeline["a"], pipeline["b"]):
            self.assertEqual(run["strip"]["state"], "input_bound")
            self.assertLess(run["from_seconds"], run["to_seconds"])
            self.assertGreater(len([column for column in run["rate"] if column]), 10)

    def test_turns_round_with_its_files(self):
        (pipeline,) = self.view_of(self.fast, self.slow)["pipelines"]
        self.assertEqual((pipeline["word"], pipeline["b_is"]), ("LESS", "worse"))
        self.assertRegex(self.rows_of(pipeline)["consumer", "rows/s"]["change"], r"^\d+% less$")
        self.assertEqual(self.rows_of(pipeline)["knobs", "fetch.workers"]["change"], "3 fewer")

    def test_a_run_beside_itself_is_the_same(self):
        (self.folder / "sub").mkdir()
        twin = shutil.copy(self.slow, self.folder / "sub")
        view = self.view_of(self.slow, twin)
        self.assertEqual((view["a"], view["b"]), (str(self.slow), str(twin)), "two files of one name")
        (pipeline,) = view["pipelines"]
        self.assertEqual(pipeline["word"], "WITHIN NOISE")
        self.assertIn("cannot be told apart", pipeline["sentence"])
        self.assertEqual({row["b_is"] for row in pipeline["rows"]}, {"same"})

    def test_what_cannot_be_compared_is_one_clear_line(self):
        text, cut, newer = (self.folder / name for name in ("text.sluice", "cut.sluice", "newer.sluice"))
        text.write_text("no session")
        cut.write_bytes(self.slow.read_bytes()[:20000])
        shutil.copy(self.slow, newer)
        with sqlite3.connect(newer) as database:
            database.execute("PRAGMA user_version = 9")
        database.close()
        other = self.two_pipelines("other.sluice", "x", "y")
        for files, code, words in (((self.slow, text), 1, "text.sluice is no session"),
                                   ((text, self.slow), 1, "text.sluice is no session"),
                                   ((self.slow, "missing"), 1, "there is no file missing"),
                                   ((self.slow, cut), 1, "cut.sluice"),
                                   ((self.slow, newer), 1, "newer.sluice has format 9, and this Sluice reads format 1 only"),
                                   ((self.slow, other), 1, "have no pipeline of one name"),
                                   ((self.slow, "4242"), 2, "4242 is a process: only recorded runs can be compared"),
                                   (("4242", self.slow), 2, "4242 is a process: .*--record FILE"),
                                   ((self.slow, self.fast, "--at", "1s"), 2, "--at: two runs are compared as a whole"),
                                   ((self.slow, self.fast, self.slow), 2, "not expected: .*slow.sluice")):
            with self.subTest(files=files):
                self.assert_refused(self.sluice("ui", "--dump-view", *files), words, code=code)

    def two_pipelines(self, name, *pipelines):
        """The slow run with its pipeline twice, by other names."""
        file = shutil.copy(self.slow, self.folder / name)
        with sqlite3.connect(file) as database:
            database.execute("UPDATE pipeline SET name = ?", pipelines[:1])
            for table in ("pipeline", "snapshot"):
                columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
                others = {"pipeline": "2", "snapshot": "snapshot + 1000000"}
                values = ", ".join(others.get(column, column) for column in columns)
                database.execute(f"INSERT INTO {table} SELECT {values} FROM {table}")
            database.execute("UPDATE pipeline SET name = ? WHERE pipeline = 2", pipelines[1:])
        database.close()
        return file


if __name__ == "__main__":
    unittest.main()
