"""`sluice ui`: what there is to see of a recorded run and of one that goes on.

The golden document is made anew with SLUICE_RERECORD=1.
"""
import json
import os
import shutil
import unittest

from cli import ROOT, CliTest

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
        self.assertEqual(self.view_of(run.pid)["watched"], "live", "looking has not ended it")

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


if __name__ == "__main__":
    unittest.main()
