"""sluice sim and sluice bench autotune, as their users meet them.

The golden decisions are made anew with SLUICE_RERECORD=1; read the difference before it is committed.
"""
import csv
import itertools
import json
import os
import re
import subprocess
import sys
import unittest

from cli import ROOT, SANITIZED, CliTest

GOLDEN = ROOT / "tests" / "app" / "golden_decisions.json"
REGIMES = ["", "computes", "waits", "contended", "storage", "serial", "sharded", "locked"]

SLOW = """
name = "slow"
summary = "One op that burns."
epochs = 0
duration = "20s"
[source]
name = "list"
kind = "range"
count = 100000
[[op]]
name = "work"
kind = "synthetic"
burn = "10ms"
[consumer]
step = "3ms"
"""


# The first batch of 512 MB takes seconds; the start setting lives for ever.
SLOW_BATCHES = """
name = "slow_batches"
epochs = 0
cores = 16
memory = "6GB"
[source]
name = "list"
kind = "range"
count = 1000000
[[op]]
name = "fetch"
kind = "synthetic"
wait = {dist = "lognormal", mean = "400ms", cv = 1}
allocate = "8MB"
[[op]]
name = "batch"
kind = "batch"
size = 64
capacity = 2
[[op]]
name = "normalize"
kind = "synthetic"
burn = "800ms"
capacity = 2
[consumer]
step = "2s"
[machine]
memory = "6.2GB"
restart = "20s"
"""


class Simulating(CliTest):
    def sim(self, *arguments):
        return self.assert_done(self.sluice("sim", self.scenario(SLOW), *arguments))

    def test_ends_with_the_run_beside_the_optimum(self):
        text = self.sim().stdout
        self.assertIn("slow, controller sluice, seed 1", text)
        self.assertIn("optimum from 0 s: 333.3 items/s, limited by the consumer", text)
        self.assertRegex(text, r"work\.workers +1 +[4-6] +\d")
        self.assertRegex(text, r"final_share +(0\.9[7-9]|1\.0)")
        self.assertNotIn("because", text)

    def test_a_trace_tells_decision_by_decision(self):
        text = self.sim("--trace").stdout
        self.assertRegex(text, r"s  #1 work\.workers 1 (->|→) \d")
        for word in ("measured", "because", "predicted", "verdict: ", "#1 kept"):
            self.assertIn(word, text)
        self.assertGreater(text.index("final_share"), text.index("#1 kept"), "the summary comes last")

    def test_begins_with_the_workers_of_a_start(self):
        text = self.sim("--start", "fourfold").stdout
        self.assertIn("slow@fourfold, controller sluice, seed 1", text)
        self.assertRegex(text, r"work\.workers +16 +[4-9] +5")
        scenario = self.scenario(SLOW)
        for start, why in (("fuorfold", "fourfold"), ("one,cores", "one start")):
            self.assert_refused(self.sluice("sim", scenario, "--start", start), "--start", why)

    def test_a_simulated_run_is_a_session_like_any_other(self):
        for controller in ("sluice", "mindspore"):
            self.sim("--controller", controller, "--record", f"{controller}.sluice")
        told = self.assert_done(self.sluice("replay", "sluice.sluice")).stdout
        self.assertRegex(told, r"(?m)^\d.*work\.workers 1 → \d")
        compared = self.assert_done(self.sluice("compare", "mindspore.sluice", "sluice.sluice")).stdout
        self.assertIn("slow", compared)
        self.assert_done(self.sluice("report", "sluice.sluice", "-o", "report.html"))
        view = json.loads(self.assert_done(self.sluice("ui", "--dump-view", "mindspore.sluice", "--at", "10s")).stdout)
        self.assertEqual(view["watched"], "recorded")
        self.assertNotEqual(view["strip"]["state"], "not_enough_data", "what limits it is told for any rule")
        self.assert_refused(self.sluice("sim", self.scenario(SLOW), "--record", "missing/x.sluice"), "--record", "no folder")

    def test_columns_tell_what_was_believed_when_a_decision_was_made(self):
        self.sim("--columns", "beliefs.csv")
        with open(self.folder / "beliefs.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        first = next(row for row in rows if row["decision"] == "1")
        self.assertEqual(first["state"], "1", "a trial")
        self.assertEqual(first["work.workers"], "1")
        self.assertGreaterEqual(int(first["work.wanted"]), 4)
        last = rows[-1]
        self.assertAlmostEqual(float(last["demand"]), 333.3, delta=15)
        self.assertAlmostEqual(float(last["work.cpu"]) + float(last["work.wait"]), 0.01, delta=0.002)
        self.assertGreater(float(last["optimum"]), 300)

    def decisions_of(self, scenario):
        """What each op was taken for in turn, and what was changed, with what came of it."""
        self.assert_done(self.sluice("sim", scenario, "--json", "result.json", "--columns", "beliefs.csv"))
        with open(self.folder / "beliefs.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        ops = [column.removesuffix(".regime") for column in rows[0] if column.endswith(".regime")]
        made, fates = {}, {}
        for entry in self.result()["story"]:
            if "decision" in entry:
                changes = [f"{one['knob']} {one['from']} -> {one['to']}" for one in entry["decision"]["changes"]]
                made[entry["decision"]["id"]] = f"{entry['at_seconds']:.1f} s  {', '.join(changes)}"
            if "outcome" in entry:
                fates[entry["outcome"]["id"]] = entry["outcome"]["fate"]
        return {"regimes": {op: [REGIMES[int(number)] for number, _ in
                                 itertools.groupby(row[f"{op}.regime"] for row in rows if row[f"{op}.regime"])]
                            for op in ops},
                "decisions": [f"{told}: {fates.get(number, 'on trial')}" for number, told in made.items()]}

    def test_each_regime_decides_as_when_it_was_recorded(self):
        found = {name: self.decisions_of(name) for name in
                 ("single_bottleneck", "io_bound", "storage_roofline", "retrograde", "serial", "gil", "shards")}
        if os.environ.get("SLUICE_RERECORD"):
            GOLDEN.write_text(json.dumps(found, indent=1) + "\n")
        self.maxDiff = None
        self.assertEqual(found, json.loads(GOLDEN.read_text()))
        met = {regime for run in found.values() for turns in run["regimes"].values() for regime in turns}
        self.assertEqual(met, set(REGIMES))

    def test_the_regime_is_shown_as_it_is_believed(self):
        self.sluice("sim", "gil", "--record", "gil.sluice")
        view = json.loads(self.assert_done(self.sluice("ui", "--dump-view", "gil.sluice")).stdout)
        kinds = {row[0].split()[-1]: row[1] for row in view["tables"]["ops"]["rows"]}
        self.assertEqual(kinds["transform"], "synthetic, locked")

    def test_a_session_holds_the_same_columns(self):
        self.sim("--columns", "beliefs.csv", "--record", "run.sluice")
        self.assert_done(self.sluice("export", "beliefs", "run.sluice", "-o", "recorded.csv"))
        tables = []
        for name in ("beliefs.csv", "recorded.csv"):
            with open(self.folder / name, newline="") as file:
                tables.append([row[1:] for row in csv.reader(file)])
        self.assertEqual(*tables, "but for the seconds: a session begins with its first look")
        self.sim("--controller", "none", "--record", "none.sluice")
        self.assert_refused(self.sluice("export", "beliefs", "none.sluice"), "holds nothing that a tuner believed", code=1)
        self.assert_refused(self.sluice("export", "beliefs", "beliefs.csv"), "no session of Sluice's", code=1)

    def test_a_rule_without_beliefs_has_no_columns(self):
        done = self.sluice("sim", self.scenario(SLOW), "--controller", "none", "--columns", "beliefs.csv")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--columns: none believes nothing", done.stderr)
        self.assertFalse((self.folder / "beliefs.csv").exists())

    def test_the_same_seed_gives_the_same_run_and_the_controller_another(self):
        self.assertEqual(self.sim("--trace").stdout, self.sim("--trace").stdout)
        text = self.sim("--controller", "none", "--seed", "7").stdout
        self.assertIn("controller none, seed 7", text)
        self.assertRegex(text, r"final_share +0\.3")

    def test_a_shipped_scenario_has_a_name(self):
        self.assertIn("optimum from 0 s", self.assert_done(self.sluice("sim", "shards")).stdout)

    def random_scenarios(self, folder, *arguments):
        made = [sys.executable, "-B", ROOT / "bench" / "random_scenarios", "--out", self.folder / folder, *arguments]
        done = subprocess.run(made, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        return sorted((self.folder / folder).iterdir()), done.stderr

    def test_scenarios_made_at_random_can_all_be_simulated_and_made_again(self):
        files, _ = self.random_scenarios("once", "--count", "40")
        again, _ = self.random_scenarios("again", "--count", "40")
        self.assertEqual(len(files), 40)
        for file, other in zip(files, again):
            self.assertEqual(file.read_text(), other.read_text())
            self.assert_done(self.sluice("sim", file, "--controller", "none", "--duration", "400ms"))

    def test_batches_of_which_none_is_finished_do_not_get_the_run_killed(self):
        """They are planned for as what they are made from; counted as nothing, they take more than there is."""
        path = self.folder / "slow_batches.toml"
        path.write_text(SLOW_BATCHES)
        self.assert_done(self.sluice("sim", path, "--json", "result.json"))
        result = json.loads((self.folder / "result.json").read_text())
        self.assertEqual(result["scores"]["ooms"], 0)
        self.assertLessEqual(result["scores"]["memory_share"], 1)

    def test_scenarios_made_at_random_have_all_classes_that_the_document_names(self):
        page = (ROOT / "docs" / "evaluation.md").read_text()
        documented = re.findall(r"(?m)^\| `([a-z-]+)` \|", page.split("| class | has |")[1].split("\n\n")[0])
        files, _ = self.random_scenarios("many", "--count", "200")
        found = [re.search(r'summary = ".*: (.*)\."', file.read_text())[1].split(", ") for file in files]
        self.assertEqual(sorted(documented), sorted({name for names in found for name in names}))

    def test_a_reserved_seed_asked_for_alone_is_remarked_upon(self):
        self.assertIn("reserved", self.random_scenarios("one", "--seed", "900007", "--count", "1")[1])
        self.assertEqual(self.random_scenarios("all", "--seed", "900000", "--count", "300")[1], "")
        self.assertEqual(self.random_scenarios("other", "--seed", "899990", "--count", "10")[1], "")

    def test_json_has_the_whole_result(self):
        self.sim("--json", "result.json")
        result = self.result()
        self.assertEqual((result["format"], result["scenario"]), ("sluice-simulation", "slow"))
        self.assertEqual(len(result["ticks"]), 100)
        self.assertTrue(any("decision" in entry for entry in result["story"]))

    def test_lasts_as_long_as_is_asked_for(self):
        self.sim("--duration", "5s", "--json", "result.json")
        self.assertEqual(len(self.result()["ticks"]), 25)

    def test_mistakes_are_told_with_a_remedy(self):
        broken = self.scenario(SLOW.replace("burn", "bum"), "broken.toml")
        for arguments, patterns in {
            ("shard",): ["'shard'.*did you mean 'shards'"],
            ("nowhere.toml",): [r"nowhere\.toml.*No such file"],
            (str(broken),): [r"broken\.toml:13: .*bum.*did you mean 'burn'"],
            ("shards", "--controller", "tfdata-hill-clim"): ["--controller: .*did you mean 'tfdata-hill-climb'"],
            ("shards", "--seed", "-1"): ["--seed: '-1'"],
            ("shards", "--duration", "5"): ["--duration: .*not a duration.*30ms"],
            ("shards", "--duration", "0s"): ["--duration: .*outside"],
            ("shards", "--json", "nowhere/result.json"): ["--json: there is no folder nowhere"],
            (): ["scenario"],
        }.items():
            with self.subTest(arguments=arguments):
                self.assert_refused(self.sluice("sim", *arguments), *patterns)

    def test_a_full_disk_is_told(self):
        done = self.sluice("sim", self.scenario(SLOW), "--json", "/dev/full")
        self.assert_refused(done, "/dev/full.*No space left", code=1)


class Comparing(CliTest):
    def bench(self, *arguments, code=0):
        return self.assert_done(self.sluice("bench", "autotune", "--scenarios", self.scenario(SLOW), *arguments), code)

    def test_prints_a_line_per_controller_and_the_standings(self):
        done = self.bench("--seeds", "2", "--controllers", "oracle,static,sluice")
        lines = [line.split()[0] for line in done.stdout.splitlines() if re.match(r"  [a-z]+ .*\d/\d+$", line)]
        self.assertEqual(lines, ["sluice", "static", "oracle"])
        self.assertIn("1 scenario, medians of 2 seeds", done.stdout)
        self.assertIn("2 of 2 runs per controller", done.stderr)

    def test_all_controllers_are_the_default(self):
        text = self.bench("--seeds", "1", "--quiet").stdout
        for name in ("sluice", "mindspore", "tfdata-stage-based", "plumber", "ds2", "cedar", "cachew", "none", "oracle"):
            self.assertRegex(text, rf"(?m)^  {name} ")

    def test_the_number_of_threads_makes_no_difference(self):
        options = ("--seeds", "3", "--controllers", "sluice,random-walk", "--quiet")
        self.bench(*options, "--jobs", "1", "--json", "one.json")
        self.bench(*options, "--jobs", "4", "--json", "four.json")
        self.assertEqual(self.result("one.json"), self.result("four.json"))

    def test_a_start_is_named_and_begun_with(self):
        done = self.bench("--seeds", "1", "--controllers", "none", "--starts", "cores,file", "--json", "result.json")
        self.assertIn("slow@cores: One op that burns.", done.stdout)
        self.assertIn("2 scenarios", done.stdout)
        begun = {each["scenario"]: each["start_workers"] for each in self.result()["scenarios"]}
        self.assertEqual(begun, {"slow": [1, 1], "slow@cores": [8, 8]})

    def test_quiet_says_nothing_of_its_progress(self):
        self.assertEqual(self.bench("--seeds", "1", "--controllers", "none", "-q").stderr, "")

    def test_files_have_every_seed_and_the_tables(self):
        self.bench("--seeds", "2", "--controllers", "sluice,none", "--json", "result.json", "--markdown", "result.md")
        ours = self.result()["scenarios"][0]["controllers"][0]
        self.assertEqual((ours["controller"], len(ours["seeds"])), ("sluice", 2))
        self.assertIn("## slow", (self.folder / "result.md").read_text())

    @unittest.skipIf(SANITIZED, "there the search for the optimum of a random scenario takes minutes")
    def test_a_range_of_seeds_makes_random_scenarios_and_tells_totals(self):
        done = self.assert_done(self.sluice("bench", "autotune", "--scenarios", "7002..7003", "--controllers", "none", "--starts",
                                            "file,cores", "--seeds", "1", "--json", "result.json"))
        self.assertIn("Totals of none\n  4 runs", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^  from cores +2 ")
        self.assertNotIn("r7002", done.stdout)
        self.assertEqual([each["scenario"] for each in self.result()["scenarios"]],
                         ["r7002", "r7002@cores", "r7003", "r7003@cores"])
        self.assertEqual(self.result()["totals"][0]["groups"][0]["runs"], 4)

    def test_a_long_run_goes_on_where_it_was_ended(self):
        options = ("--controllers", "sluice,none", "--starts", "file,one,cores", "--seeds", "1", "--log", "run.jsonl")
        whole = self.bench(*options)
        log = self.folder / "run.jsonl"
        lines = log.read_text().splitlines(keepends=True)
        self.assertEqual(len(lines), 3)
        log.write_text(lines[0] + lines[1] + lines[2][:100])
        again = self.bench(*options)
        self.assertEqual(again.stdout, whole.stdout)
        self.assertEqual(again.stderr, "3 of 3 runs per controller\n")
        self.assertEqual(log.read_text(), "".join(lines))
        self.assertEqual(self.bench(*options).stderr, "", "nothing was left to do")
        other = self.sluice("bench", "autotune", "--scenarios", self.scenario(SLOW), "--controllers", "none", "--starts",
                            "file,one,cores", "--seeds", "1", "--log", "run.jsonl")
        self.assert_refused(other, r"--log: run\.jsonl:1: has 1 seeds of sluice,none.*asked for.*none; name another file")
        log.write_text("what somebody else has written\n")
        self.assert_refused(self.sluice("bench", "autotune", "-q", "--scenarios", self.scenario(SLOW), *options),
                            r"run\.jsonl:1: is no scenario of a suite")
        self.assertEqual(log.read_text(), "what somebody else has written\n")

    def test_a_missed_floor_is_an_exit_status_where_asked_for(self):
        # Rows take two seconds each: who knows from the start that they need 64 workers is in time, and nobody else.
        rows = 'wait = {dist = "lognormal", mean = "2s", cv = 0.3}\nordered = false'
        hopeless = self.scenario(SLOW.replace('"20s"', '"12s"').replace('burn = "10ms"', rows), "hopeless.toml")
        command = ("bench", "autotune", "-q", "--scenarios", hopeless, "--seeds", "1", "--controllers", "sluice,oracle")
        self.assert_done(self.sluice(*command))
        done = self.assert_done(self.sluice(*command, "--check"), 3)
        self.assertIn("misses a floor", done.stderr)
        self.assertIn("Floors missed", done.stdout)

    def test_the_list_names_controllers_and_scenarios(self):
        text = self.assert_done(self.sluice("bench", "autotune", "--list")).stdout
        for line in (r"sluice +\w+", r"plumber-10s +\w+", r"fourfold +\w+", r"step_change +\w+", r"zip_concat +\w+"):
            self.assertRegex(text, line)

    def test_mistakes_are_told_with_a_remedy(self):
        broken = self.scenario("epochs = -1\n", "broken.toml")
        for arguments, patterns in {
            ("--controllers", "slice"): ["--controllers: .*did you mean 'sluice'"],
            ("--scenarios", "cedr_*"): ["--scenarios: .*'cedr_"],
            ("--starts", "one,core"): ["--starts: .*no start 'core'; did you mean 'cores'"],
            ("--starts", "everywhere"): ["--starts: .*there are file, one, cores, fourfold, random"],
            ("--scenarios", str(broken)): [r"broken\.toml:1: .*epochs"],
            ("--seeds", "0"): ["--seeds: '0'.*from 1"],
            ("--jobs", "0"): ["--jobs: '0'.*from 1"],
            ("--scenarios", "900000..900001"): ["900000\\.\\.900299 are reserved: only totals"],
            ("--scenarios", "899999..900400"): ["are reserved"],
            ("--scenarios", "900000..900299", "--markdown", "result.md"): ["--markdown: has each scenario"],
            ("--scenarios", "7..3"): ["7\\.\\.3 goes backwards"],
            ("--scenarios", "1..20000"): ["20000 seeds; 10000 are possible"],
            ("--log", "nowhere/run.jsonl"): ["--log: there is no folder nowhere"],
            ("--markdown", "nowhere/result.md"): ["--markdown: there is no folder nowhere"],
        }.items():
            with self.subTest(arguments=arguments):
                self.assert_refused(self.sluice("bench", "autotune", *arguments), *patterns)

    def test_a_full_disk_is_told(self):
        for option in ("--json", "--markdown"):
            done = self.sluice("bench", "autotune", "-q", "--scenarios", self.scenario(SLOW), "--seeds", "1",
                               "--controllers", "none", option, "/dev/full")
            self.assert_refused(done, "/dev/full.*No space left", code=1)


if __name__ == "__main__":
    unittest.main()
