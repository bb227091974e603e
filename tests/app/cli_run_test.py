"""Every option of `sluice run` does what it says, seen in the result that --json writes."""
import re
import signal
import subprocess
import unittest

from cli import DEADLINE, PROGRAM, ROOT, WAITING, CliTest, small_data


def knob(result, name):
    return next(setting for setting in result["settings"] if setting["name"] == name)


def changed(result):
    return {s["name"] for s in result["settings"] if s["start"] != s["end"]}


BRANCHES = """
name = "branches"
epochs = 0
[source]
name = "photos"
kind = "range"
count = 300
capacity = 1
[[op]]
name = "fetch"
kind = "synthetic"
wait = "4ms"
allocate = "16KiB"
capacity = 1
[[op]]
name = "drawings"
kind = "range"
count = 200
[[op]]
name = "draw"
kind = "synthetic"
allocate = "16KiB"
[[op]]
name = "images"
kind = "concat"
inputs = ["fetch", "draw"]
capacity = 1
[[op]]
name = "captions"
kind = "range"
count = 600
[[op]]
name = "pairs"
kind = "zip"
inputs = ["images", "captions"]
capacity = 1
[[op]]
name = "batch"
kind = "batch"
size = 8
capacity = 1
"""


class Tuning(CliTest):
    """One run per way of tuning, all at the same time: they wait, they do not compute."""

    RUNS = {
        "default": [],
        "tune": ["--tune"],
        "advise": ["--advise"],
        "no-tune": ["--no-tune"],
        "pin": ["--pin", "fetch.workers"],
        "bound": ["--bound", "fetch.workers=2..3", "--bound", "fetch.capacity=1..2", "--set", "fetch.workers=2"],
        "set": ["--no-tune", "--set", "fetch.workers=5", "--set", "list.capacity=7"],
    }

    def setUp(self):
        super().setUp()
        started = {name: self.start_run("--duration", "8s", "--json", f"{name}.json", *options)
                   for name, options in self.RUNS.items()}
        for name, run in started.items():
            self.assertEqual(run.wait(), 0, name + run.errors())
        self.results = {name: self.result(f"{name}.json") for name in self.RUNS}
        self.texts = {name: run.text() for name, run in started.items()}

    def test_each_does_what_it_says(self):
        for check in (self.check_tune, self.check_advise, self.check_no_tune, self.check_pin, self.check_bound,
                      self.check_set, self.check_lines):
            with self.subTest(check=check.__name__):
                check()

    def check_tune(self):
        for name in ("default", "tune"):
            result = self.results[name]
            self.assertIn("fetch.workers", changed(result))
            self.assertGreater(result["throughput"]["speedup"], 1.5)
            self.assertTrue(all(d["because"] and d["author"] == "controller" for d in result["decisions"]))

    def check_advise(self):
        result = self.results["advise"]
        self.assertEqual({d["fate"] for d in result["decisions"]}, {"advised"})
        self.assertEqual(changed(result), set())
        self.assertEqual(result["ops"][1]["workers"], 1)

    def check_no_tune(self):
        result = self.results["no-tune"]
        self.assertEqual(result["decisions"], [])
        self.assertEqual(changed(result), set())
        self.assertIn("fetch", result["verdict"]["sentence"], "it still says what limits")
        self.assertEqual(result["ops"][1]["regime"], "waits")

    def check_pin(self):
        result = self.results["pin"]
        touched = {c["knob"] for d in result["decisions"] for c in d["changes"]}
        self.assertNotIn("fetch.workers", touched)
        self.assertEqual(knob(result, "fetch.workers")["holder"], "user")
        self.assertEqual(knob(result, "fetch.workers")["end"], 1)

    def check_bound(self):
        result = self.results["bound"]
        bounds = {"fetch.workers": range(2, 4), "fetch.capacity": range(1, 3)}
        self.assertEqual((knob(result, "fetch.workers")["min"], knob(result, "fetch.workers")["max"]), (2, 3))
        changes = [c for d in result["decisions"] for c in d["changes"] if c["knob"] in bounds]
        self.assertTrue(changes)
        for change in changes:
            self.assertIn(change["to"], bounds[change["knob"]], change)

    def check_set(self):
        result = self.results["set"]
        self.assertEqual(knob(result, "fetch.workers")["start"], 5)
        self.assertEqual(result["ops"][1]["workers"], 5)
        self.assertEqual(result["connectors"][0]["capacity_items"], 7)

    def check_lines(self):
        lines = self.texts["default"].splitlines()
        self.assertGreaterEqual(sum(line.startswith("t=") for line in lines), 2)
        self.assertTrue(any(re.search(r"fetch\.workers 1 .* trial .*because", line) for line in lines))
        self.assertFalse("\x1b" in self.texts["default"], "no colours in a pipe")


class Limits(CliTest):
    def run_json(self, *arguments, text=WAITING):
        done = self.sluice("run", self.scenario(text), "--quiet", "--json", "result.json", *arguments)
        self.assert_done(done)
        return self.result()

    def test_duration_ends_a_run_that_would_go_on(self):
        result = self.run_json("--duration", "600ms")
        self.assertEqual(result["run"]["ended"], "limit")
        self.assertGreaterEqual(result["run"]["duration_seconds"], 0.6)

    def test_rows_ends_it_at_the_batch_that_reaches_them(self):
        result = self.run_json("--rows", "30")
        self.assertEqual(result["run"]["ended"], "limit")
        self.assertEqual(result["consumer"]["rows"], 32)

    def test_epochs_ends_it_after_the_data(self):
        result = self.run_json("--epochs", "3", text=WAITING.replace("100000", "16"))
        self.assertEqual(result["run"]["ended"], "finished")
        self.assertEqual((result["consumer"]["rows"], result["consumer"]["items"]), (48, 6))

    def test_no_epochs_at_all_means_until_stopped(self):
        text = WAITING.replace("100000", "16").replace("epochs = 0", "epochs = 1")
        self.assertGreaterEqual(self.run_json("--epochs", "0", "--rows", "64", text=text)["consumer"]["rows"], 64)

    def test_branches_are_joined_and_end_their_epochs_together(self):
        result = self.run_json("--epochs", "2", "--no-tune", text=BRANCHES)
        self.assertEqual(result["run"]["ended"], "finished")
        # 300 photos and 200 drawings in each; for a hundred captions there is no image.
        self.assertEqual((result["consumer"]["rows"], result["consumer"]["items"]), (1000, 2 * 63))

    def test_branches_are_tuned_while_they_run(self):
        result = self.run_json("--duration", "2.5s", text=BRANCHES.replace("300", "100000"))
        self.assertIn("fetch.workers", changed(result))

    def test_an_input_that_is_not_there_is_named_with_its_line(self):
        done = self.sluice("run", self.scenario(BRANCHES.replace('["images", "captions"]', '["image", "captions"]')))
        self.assert_refused(done, r"scenario\.toml:35: \[\[op\]\] pairs: inputs: no op before this one is called 'image' "
                                  r"\(did you mean 'images'\?\)")

    def test_cores_is_the_budget(self):
        self.assertEqual(self.run_json("--cores", "0.5", "--rows", "8")["budget"]["cores"], 0.5)

    def test_memory_is_the_budget_and_is_never_exceeded(self):
        text = WAITING.replace('wait = "4ms"', 'allocate = "64KiB"')
        result = self.run_json("--memory", "4MiB", "--rows", "2000", "--set", "fetch.capacity=500", text=text)
        self.assertEqual(result["budget"]["memory_bytes"], 4 << 20)
        self.assertLessEqual(result["process"]["buffered_peak_bytes"], 4 << 20)

    def test_too_little_memory_says_how_much_is_needed_and_that_is_enough(self):
        scenario = self.photographs(small_data("imagefolder", 24))
        done = self.assert_done(self.sluice("run", scenario, "--quiet", "--memory", "10KiB"), 1)
        self.assertRegex(done.stderr, r"10\.0 KiB|memory")
        enough = re.search(r"at least ([\d.]+) ([KMG]iB) with --memory", done.stderr)
        self.assertTrue(enough, done.stderr)
        self.assert_done(self.sluice("run", scenario, "--quiet", "--memory", "".join(enough.groups())))

    def test_an_endless_run_that_yields_nothing_fails_and_says_why(self):
        scenario = self.photographs(small_data("imagefolder", 24))
        text = scenario.read_text().replace("size = 4", "size = 64\ndrop_remainder = true")
        scenario.write_text("epochs = 0\n" + text)
        self.assert_done(done := self.sluice("run", scenario, "--quiet"), 1)
        self.assertIn("drop_remainder", done.stderr)

    def test_quiet_prints_the_report_only(self):
        done = self.assert_done(self.sluice("run", self.scenario(WAITING), "-q", "--duration", "1.2s"))
        self.assertTrue(done.stdout.startswith("waiting reached its limit"), done.stdout)
        self.assertEqual(done.stderr, "")


# Ten minutes in one call: whoever waited for it would not end within this test's time.
STUCK = """
name = "stuck"
epochs = 0
[source]
name = "list"
kind = "range"
count = 1000
[[op]]
name = "hang"
kind = "synthetic"
wait = "10min"
"""
SLOW_STEP = """
name = "slow"
epochs = 0
[source]
name = "list"
kind = "range"
count = 1000
[consumer]
step = "10min"
"""


class Hanging(CliTest):
    """A run ends, with its report, although a call does not come back."""

    def check(self, done_or_run, code, text, *patterns):
        self.assertEqual(done_or_run, code, text)
        for pattern in patterns:
            self.assertRegex(" ".join(text.split()), pattern)
        self.assertEqual(self.segments(), [])

    def test_when_its_time_is_up(self):
        done = self.sluice("run", self.scenario(STUCK), "-q", "--duration", "1s", "--json", "r.json")
        self.check(done.returncode, 0, done.stdout, r"stuck reached its limit after",
                   r"warning the run ended although hang has been inside row 0 for ")
        self.assertEqual(self.result("r.json")["run"]["ended"], "limit")

    def test_when_it_is_interrupted(self):
        run = self.start_run("--plain", text=STUCK)
        run.until_printed(r"t=1")
        run.send(signal.SIGINT)
        self.check(run.wait(), 130, run.text(), r"stuck was interrupted", r"hang has been inside row 0")

    def test_in_the_consumer_s_step(self):
        done = self.sluice("run", self.scenario(SLOW_STEP), "-q", "--duration", "1s", "--json", "r.json")
        self.check(done.returncode, 0, done.stdout, r"slow reached its limit after",
                   r"although the consumer had not come back from its step")
        self.assertEqual(self.result("r.json")["consumer"]["rows"], 1)


class Seed(CliTest):
    """Some photographs are broken, each epoch takes a part of them: how many fail depends on the order."""

    def broken_photographs(self):
        photographs = sorted(small_data("imagefolder", 24).glob("*/*"))
        folder = self.folder / "images" / "class"
        folder.mkdir(parents=True)
        for number, photograph in enumerate(photographs):
            whole = photograph.read_bytes()
            (folder / photograph.name).write_bytes(whole[: len(whole) // 3] if number % 2 else whole)
        take = 'shuffle = true\n[[op]]\nname = "some"\nkind = "take"\ncount = 9'
        return self.photographs(folder.parent, take, 'on_error = "skip"')

    def failed(self, scenario, *arguments):
        name = "seed-" + "-".join(arguments) + ".json"
        self.assert_done(self.sluice("run", scenario, "--quiet", "--json", name, "--epochs", "5", *arguments))
        return next(op["failed_rows"] for op in self.result(name)["ops"] if op["name"] == "decode")

    def test_the_same_seed_gives_the_same_rows_at_any_number_of_workers(self):
        scenario = self.broken_photographs()
        one = [self.failed(scenario, "--seed", str(seed), "--no-tune") for seed in range(3)]
        many = [self.failed(scenario, "--seed", str(seed), "--set", "decode.workers=6") for seed in range(3)]
        self.assertEqual(one, many)
        self.assertGreater(len(set(one)), 1, "a seed changes nothing")


class Result(CliTest):
    def test_has_the_keys_that_its_document_says(self):
        self.assert_done(self.sluice("run", self.scenario(WAITING), "-q", "--duration", "1.5s", "--json", "r.json"))
        result = self.result("r.json")
        document = (ROOT / "docs" / "result-json.md").read_text()
        sections = {title: set(re.findall(r"`(\w+)`", text))
                    for title, text in re.findall(r"^## (.*)\n((?:(?!## ).*\n?)*)", document, re.MULTILINE)}
        table = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (`.*?) \|", document, re.MULTILINE))))
        self.assertEqual(set(result), table)
        self.check_section(sections["run"], result["run"])
        for part in ("machine", "budget", "process", "consumer"):
            self.assertLessEqual(set(result[part]), sections["machine, budget, process, consumer"])
        self.check_section(sections["verdict"], result["verdict"])
        for part in ("ops", "connectors", "settings", "decisions"):
            self.assertTrue(result[part], part)
            self.check_section(sections[part], result[part][0])
        windows = result["throughput"]
        self.check_section(sections["throughput"], {**windows, **windows["whole_run"]})

    def check_section(self, documented, found):
        inner = {"from_seconds", "below_seconds", "items", "knob", "from", "to", "null", "placement", "nodes",
                 "at_home_seconds", "elsewhere_seconds", "pages", "pages_at_home"}
        self.assertEqual(set(found) - documented, set(), "not in the document")
        self.assertEqual(documented - set(found) - inner, set(), "not in the result")

    def test_goes_to_standard_output_too(self):
        done = self.sluice("run", self.scenario(WAITING), "-q", "--rows", "8", "--json", "/dev/stdout")
        self.assertIn('"format": "sluice-result"', self.assert_done(done).stdout)

    def test_a_full_disk_is_told_and_the_report_still_printed(self):
        done = self.sluice("run", self.scenario(WAITING), "-q", "--rows", "8", "--json", "/dev/full")
        self.assert_refused(done, r"/dev/full: No space left", code=1)
        self.assertIn("verdict", done.stdout)

    def test_a_folder_that_is_missing_is_told_before_the_run(self):
        done = self.sluice("run", self.scenario(WAITING), "--json", "missing/r.json")
        self.assert_refused(done, "--json.*missing.*make it first", code=1)
        self.assertEqual(done.stdout, "")

    def test_a_report_that_cannot_be_written_is_a_failure(self):
        command = [PROGRAM, "run", self.scenario(WAITING), "-q", "--rows", "8"]
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=DEADLINE,
                                  **self.options())
        self.assertEqual(done.returncode, 1)
        self.assertIn("No space left", done.stderr)


if __name__ == "__main__":
    unittest.main()
