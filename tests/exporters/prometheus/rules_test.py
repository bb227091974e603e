"""The rules of exporters/prometheus: promtool's tests of them pass, ask of every alert what matters, and fail when a rule is changed."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[3]
RULES = ROOT / "exporters" / "prometheus"
PROMTOOL = os.environ.get("SLUICE_PROMTOOL") or shutil.which("promtool")

# What every alert's tests show, by the name of a test: "SluiceStalled fires".
ASKED = ("fires", "just does not fire", "resolves", "survives gaps")


def rules_in(name: str) -> list[dict[str, Any]]:
    return [rule for group in yaml.safe_load((RULES / name).read_text())["groups"] for rule in group["rules"]]


def promtool(*arguments: object) -> subprocess.CompletedProcess[str]:
    assert PROMTOOL
    return subprocess.run([PROMTOOL, *map(str, arguments)], capture_output=True, text=True, timeout=60)


def tests_in(folder: Path) -> list[Path]:
    return sorted((folder / "tests").glob("*.yml"))


def metrics_in(expression: str) -> set[str]:
    """What it asks Sluice for; a name with a colon is recorded."""
    return set(re.findall(r"(?<![\w:])sluice_\w+", expression))


def window_faults(expression: str, types: dict[str, str]) -> list[str]:
    """Counters are in rate() or increase(), and nothing else is."""
    faults = []
    for function, name, window in re.findall(r"(\w*)\(?(?<![\w:])(sluice_\w+)(?:\{[^}]*\})?(\[\w+\])?", expression):
        counts = types.get(name) in ("counter", "histogram")
        if counts != (function in ("rate", "increase") and bool(window)):
            faults.append(f"{function}({name}{window}) is a {types.get(name)}")
    return faults


class Files(unittest.TestCase):
    def test_each_alert_is_shown_to_fire_to_stay_silent_to_resolve_and_to_survive_gaps(self) -> None:
        named = {test["name"] for path in tests_in(RULES) for test in yaml.safe_load(path.read_text())["tests"]}
        wanted = {f"{rule['alert']} {what}" for rule in rules_in("alerts.yml") for what in ASKED}
        self.assertEqual(wanted - named, set())

    def test_each_alert_says_what_it_is_how_bad_and_where_to_look(self) -> None:
        runbooks = (ROOT / "docs" / "runbooks.md").read_text()
        anchors = {heading.lower() for heading in re.findall(r"^## (\w+)$", runbooks, re.MULTILINE)}
        boards = {path.stem for path in (ROOT / "exporters" / "grafana" / "dashboards").glob("*.json")}
        alerts = rules_in("alerts.yml")
        for rule in alerts:
            with self.subTest(rule["alert"]):
                told = rule["annotations"]
                self.assertIn(rule["labels"]["severity"], ("warning", "critical"))
                self.assertEqual(set(told), {"summary", "description", "runbook_url", "dashboard"})
                self.assertEqual(told["runbook_url"], f"docs/runbooks.md#{rule['alert'].lower()}")
                self.assertIn(rule["alert"].lower(), anchors)
                self.assertIn(told["dashboard"].removeprefix("/d/").partition("?")[0], boards)
        self.assertEqual(anchors, {rule["alert"].lower() for rule in alerts})

    def test_rules_ask_for_metrics_that_there_are_and_as_their_types_allow(self) -> None:
        catalogue = json.loads((RULES / "metrics.json").read_text())["metrics"]
        types = {metric["name"]: metric["type"] for metric in catalogue}
        for rule in rules_in("rules.yml") + rules_in("alerts.yml"):
            with self.subTest(rule.get("alert") or rule.get("record")):
                self.assertLessEqual(metrics_in(rule["expr"]), set(types))
                self.assertEqual(window_faults(rule["expr"], types), [])

    def test_what_alerts_ask_for_is_recorded(self) -> None:
        recorded = {rule["record"] for rule in rules_in("rules.yml")}
        asked = {name for rule in rules_in("alerts.yml") for name in re.findall(r"\w+:sluice_\w+:\w+", rule["expr"])}
        self.assertLessEqual(asked, recorded)


@unittest.skipUnless(PROMTOOL, "promtool is not installed")
class Promtool(unittest.TestCase):
    def test_finds_nothing_to_say_of_the_rules(self) -> None:
        done = promtool("check", "rules", "--lint=all", "--lint-fatal", RULES / "rules.yml", RULES / "alerts.yml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_takes_the_example_of_a_configuration(self) -> None:
        done = promtool("check", "config", RULES / "prometheus.yml")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("WARN", done.stdout + done.stderr)

    def test_all_tests_of_the_rules_pass(self) -> None:
        done = promtool("test", "rules", *tests_in(RULES))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


def changes_of(rule: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What an alert must not turn into unnoticed, by what was done to it."""
    changed = {"held for no time": {**rule, "for": "0s"}, "of another name": {**rule, "alert": rule["alert"] + "X"},
               "of another severity": {**rule, "labels": {"severity": "page"}},
               "with another summary": {**rule, "annotations": {**rule["annotations"], "summary": "x"}}}
    for at, name in enumerate(re.findall(r"(?:\w+:)?sluice_\w+(?::\w+)?", rule["expr"])):
        changed[f"asking for {name}_x ({at})"] = {**rule, "expr": rule["expr"].replace(name, name + "_x")}
    limit = re.search(r"[<>] (\d+(?:\.\d+)?)\s*$", rule["expr"])
    if limit:
        for factor in (0.9, 1.1):
            moved = rule["expr"][:limit.start(1)] + str(round(float(limit[1]) * factor, 6))
            changed[f"at {factor} of its limit"] = {**rule, "expr": moved}
    return changed


@unittest.skipUnless(PROMTOOL, "promtool is not installed")
class Mutations(unittest.TestCase):
    """Each alert, changed in each of these ways, fails its tests."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="sluice-rules-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        shutil.copytree(RULES / "tests", self.folder / "tests")
        shutil.copy(RULES / "rules.yml", self.folder)

    def files_of(self, alert: str) -> list[Path]:
        return [path for path in tests_in(self.folder) if f"name: {alert} " in path.read_text()]

    def passes(self, alert: str, rule: dict[str, Any]) -> bool:
        text = yaml.safe_dump({"groups": [{"name": "sluice-alerts", "rules": [rule]}]})
        (self.folder / "alerts.yml").write_text(text)
        done = promtool("test", "rules", *self.files_of(alert))
        self.assertNotIn("error parsing", done.stdout + done.stderr)
        return done.returncode == 0

    def test_no_change_of_an_alert_goes_unnoticed(self) -> None:
        for rule in rules_in("alerts.yml"):
            self.assertTrue(self.passes(rule["alert"], rule), rule["alert"])
            for what, changed in changes_of(rule).items():
                with self.subTest(f"{rule['alert']} {what}"):
                    self.assertFalse(self.passes(rule["alert"], changed))

    def test_no_change_of_a_rate_that_alerts_ask_for_goes_unnoticed(self) -> None:
        shutil.copy(RULES / "alerts.yml", self.folder)
        whole = (RULES / "rules.yml").read_text()
        for rule in rules_in("alerts.yml"):
            for name in set(re.findall(r"\w+:sluice_\w+:\w+", rule["expr"])):
                with self.subTest(f"{rule['alert']}: {name}"):
                    (self.folder / "rules.yml").write_text(whole.replace(f"record: {name}\n", f"record: {name}_x\n"))
                    self.assertNotEqual(promtool("test", "rules", *self.files_of(rule["alert"])).returncode, 0)

    def test_no_change_of_a_recording_rule_goes_unnoticed(self) -> None:
        whole = (RULES / "rules.yml").read_text()
        for rule in rules_in("rules.yml"):
            asked = re.search(r"(?<!:)\bsluice_\w+|\w+:sluice_\w+:\w+", rule["expr"])
            assert asked
            changes = {"record": rule["record"] + "_x", "expr": rule["expr"].replace(asked[0], asked[0] + "_x")}
            for key, value in changes.items():
                with self.subTest(f"{rule['record']}: {value}"):
                    groups = yaml.safe_load(whole)
                    next(each for each in groups["groups"][0]["rules"] if each["record"] == rule["record"])[key] = value
                    (self.folder / "rules.yml").write_text(yaml.safe_dump(groups, sort_keys=False))
                    self.assertNotEqual(promtool("test", "rules", self.folder / "tests" / "rates.yml").returncode, 0)


if __name__ == "__main__":
    unittest.main()
