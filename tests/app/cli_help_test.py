"""What the program says of itself, and of a command line or scenario that is wrong."""
import re
import unittest

from cli import ROOT, WAITING, CliTest

OPTIONS = {
    (): ["--help", "--version"],
    ("run",): ["--tune", "--advise", "--no-tune", "--set", "--pin", "--bound", "--cores", "--near", "--memory", "--duration",
               "--epochs", "--rows", "--seed", "--json", "--failed-rows", "--metrics", "--web.config.file", "--metrics-targets",
               "--metrics-linger", "--metrics-textfile", "--metrics-workers", "--record", "--record-limit", "--jsonl", "--tensorboard",
               "--flight-recorder", "--flight-stall", "--plain", "--quiet"],
    ("wrap",): ["--advise", "--no-tune", "--tune-threads", "--repro", "--place", "--near", "--cores", "--memory", "--save",
                "--load", "--report", "--json", "--metrics", "--web.config.file", "--metrics-workers", "--metrics-per-process", "--record",
                "--flight-recorder", "--exec", "--dry-run", "--quiet"],
    ("doctor",): ["--data", "--json"],
    ("trace",): ["--loader", "--seconds", "--output", "--format", "--quiet"],
    ("ui",): ["--loader", "--at", "--dump-view", "--screenshot", "--size", "--scale", "--theme"],
    ("replay",): ["--loader", "--at", "--speed", "--plain"],
    ("compare",): ["--fail-below"],
    ("report",): ["--output"],
    ("import",): [],
    ("import", "mindspore-profile"): ["--output", "--rank", "--batch-size"],
    ("top",): ["--duration", "--metrics", "--metrics-textfile", "--metrics-workers", "--plain"],
    ("ls",): ["--clean"],
    ("topology",): ["--xml", "--synthetic", "--json"],
    ("place",): ["--move-pages"],
    ("data",): [],
    ("sim",): ["--controller", "--seed", "--duration", "--start", "--trace", "--json", "--columns"],
    ("bench",): [],
    ("bench", "autotune"): ["--scenarios", "--controllers", "--starts", "--seeds", "--jobs", "--json", "--markdown", "--check",
                            "--list", "--quiet"],
    ("data", "make"): ["--out", "--count", "--seed", "--classes", "--quiet"],
    ("export",): [],
    ("export", "metrics"): [],
    ("export", "beliefs"): ["--loader", "--output"],
    ("export", "settings"): ["--format", "--loader", "--output"],
    ("version",): ["--build"],
}


class Help(CliTest):
    def help_of(self, verbs):
        return self.assert_done(self.sluice(*verbs, "--help")).stdout

    def test_every_option_is_listed_with_what_it_does(self):
        for verbs, options in OPTIONS.items():
            lines = self.help_of(verbs).split("Options:")[1]
            for option in options:
                with self.subTest(verbs=verbs, option=option):
                    self.assertRegex(lines, rf"(^|[\s,]){option}\b[^\n]*\n?[^\n]*\w{{3,}}")

    def test_the_program_names_its_verbs_and_exit_statuses(self):
        text = self.help_of(())
        for word in ("run", "wrap", "doctor", "top", "ls", "data", "sim", "bench", "export", "import", "trace", "topology",
                     "place", "ui", "replay", "compare", "report", "version", "Exit status"):
            self.assertIn(word, text)

    def test_every_verb_teaches_with_an_example_of_its_own(self):
        for verbs in OPTIONS:
            with self.subTest(verbs=verbs):
                examples = self.help_of(verbs).split("Example")[1]
                self.assertIn(" ".join(["sluice", *verbs]), examples)

    def test_the_examples_use_options_and_files_that_there_are(self):
        for verbs in OPTIONS:
            for line in re.findall(r"^  (sluice .*?)(?:   .*)?$", self.help_of(verbs), re.MULTILINE):
                with self.subTest(line=line):
                    words = line.split(" -- ")[0].split()[1:]  # behind it is somebody else's
                    known = self.help_of(tuple(words[:2] if words[0] in ("data", "bench", "export", "import") else words[:1]))
                    for option in (w for w in words if w.startswith("--")):
                        self.assertIn(option, known)
                    for file in (w for w in words if w.endswith(".toml") and "/" in w):
                        self.assertTrue((ROOT / file).exists(), file)

    def test_the_version_is_a_version(self):
        self.assertRegex(self.assert_done(self.sluice("--version")).stdout, r"^sluice \d+\.\d+\.\d+\n$")


class WrongCommandLine(CliTest):
    def refused(self, *arguments, patterns):
        done = self.sluice(*arguments)
        self.assert_refused(done, *patterns)
        self.assertEqual(done.stdout, "")

    def test_is_refused_with_what_there_is(self):
        verbs = "run, wrap, doctor, top, ls, topology, place, ui, replay, compare, report, trace, export, import, data, sim, bench, version"
        for arguments, pattern in {
            (): verbs,
            ("bogus",): f"'bogus'.*{verbs}",
            ("data",): "make",
            ("bench",): "autotune",
            ("export",): "metrics",
            ("run",): "scenario",
            ("run", "s.toml", "--bogus"): "--bogus",
            ("run", "s.toml", "other.toml"): "other.toml",
            ("run", "s.toml", "--rows", "0"): "--rows: '0' .*from 1",
            ("run", "s.toml", "--rows", "many"): "--rows: 'many'",
            ("run", "s.toml", "--epochs", "-1"): "--epochs: '-1'",
            ("run", "s.toml", "--seed", "1.5"): "--seed: '1.5'",
            ("run", "s.toml", "--cores", "0"): "--cores: '0'",
            ("top", "abc"): "pid: 'abc'",
            ("top", "--duration", "5"): "--duration: '5'.*1.5s",
            ("ls", "--bogus"): "--bogus",
            ("data", "make"): "kind",
            ("data", "make", "mnist", "--out", "x"): "mnist.*cifar10",
            ("data", "make", "cifar10"): "--out",
            ("data", "make", "cifar10", "--out", "x", "--count", "0"): "--count: '0'",
        }.items():
            with self.subTest(arguments=arguments):
                self.refused(*arguments, patterns=[pattern, "sluice --help"] if "5" not in arguments else [pattern])

    def test_only_one_way_of_tuning_can_be_chosen(self):
        for pair in (("--tune", "--advise"), ("--tune", "--no-tune"), ("--advise", "--no-tune")):
            with self.subTest(pair=pair):
                self.refused("run", "s.toml", *pair, patterns=[rf"{pair[0]}.*{pair[1]}|{pair[1]}.*{pair[0]}"])

    def test_a_value_that_the_scenario_cannot_take_is_refused_before_anything_runs(self):
        scenario = self.scenario(WAITING)
        for arguments, pattern in {
            ("--set", "fetch.worker=4"): "did you mean 'workers'",
            ("--set", "fetsh.workers=4"): "fetch",
            ("--set", "fetch.workers=400"): r"1\.\.64",
            ("--set", "fetch.workers"): "=",
            ("--pin", "fetch"): "fetch",
            ("--bound", "fetch.workers=8..1"): "8 is more than 1",
            ("--memory", "10"): "512MiB",
            ("--duration", "5"): "1.5s",
        }.items():
            with self.subTest(arguments=arguments):
                self.refused("run", scenario, *arguments, patterns=[arguments[0], pattern])


class WrongScenario(CliTest):
    def test_is_refused_with_file_line_and_the_nearest_key(self):
        scenario = self.scenario('name = "x"\nsede = 3\n[source]\nkind = "range"\ncount = 10\n')
        self.assert_refused(self.sluice("run", scenario), r"scenario\.toml:2: .*sede.*did you mean 'seed'")

    def test_a_file_that_is_not_there_is_named(self):
        self.assert_refused(self.sluice("run", "nowhere.toml"), r"nowhere\.toml.*No such file")


if __name__ == "__main__":
    unittest.main()
