"""Every dashboard passes the linter's rules, and each rule finds its fault."""
import copy
import os
import shutil
import subprocess
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

import lint
import yaml
from boards_at_hand import Json, dashboards, panels_of, substituted, targets_of

PROMTOOL = os.environ.get("SLUICE_PROMTOOL") or shutil.which("promtool")
VALUES = {"job": ".+", "instance": ".+", "rank": ".*", "loader": ".*", "op": ".+", "__rate_interval": "20s", "__range": "30m"}

# The rule and what breaks it; the dashboard has a first variable `datasource`, then `job` and `instance`.
PLANTED: dict[str, Callable[[Json], object]] = {
    "template-datasource-rule": lambda d: d["templating"]["list"][0].update(name="DS_PROMETHEUS"),
    "template-job-rule": lambda d: d["templating"]["list"][1].update(allValue=""),
    "template-instance-rule": lambda d: d["templating"]["list"].pop(2),
    "template-label-promql-rule": lambda d: d["templating"]["list"][3].update(query="label_value(up, job)"),
    "template-on-time-change-reload-rule": lambda d: d["templating"]["list"][1].update(refresh=1),
    "panel-datasource-rule": lambda d: panels_of(d)[0]["datasource"].update(uid="prometheus-1"),
    "panel-title-description-rule": lambda d: panels_of(d)[0].pop("description"),
    "panel-units-rule": lambda d: panels_of(d)[0]["fieldConfig"]["defaults"].update(unit="rows"),
    "panel-no-targets-rule": lambda d: panels_of(d)[0]["targets"].clear(),
    "target-logql-rule": lambda d: targets_of(d)[0][1]["datasource"].update(type="loki"),
    "target-logql-auto-rule": lambda d: ask(d, 'rate(x_total{job=~"$job",instance=~"$instance"}[$__auto])'),
    "target-promql-rule": lambda d: ask(d, '(up{job=~"$job",instance=~"$instance"}'),
    "target-rate-interval-rule": lambda d: ask(d, 'rate(x_total{job=~"$job",instance=~"$instance"}[5m])'),
    "target-job-rule": lambda d: ask(d, 'up{instance=~"$instance"}'),
    "target-instance-rule": lambda d: ask(d, 'up{job=~"$job"} + up{job=~"$job",instance=~"$instance"}'),
    "target-counter-agg-rule": lambda d: ask(d, 'sum(x_total{job=~"$job",instance=~"$instance"})'),
    "uneditable-dashboard": lambda d: d.update(editable=True),
}


def ask(dashboard: Json, expression: str) -> None:
    targets_of(dashboard)[0][1]["expr"] = expression


class Lint(unittest.TestCase):
    def test_finds_no_fault_in_any_dashboard(self) -> None:
        for name, dashboard in dashboards().items():
            with self.subTest(name):
                self.assertEqual(lint.faults_of(dashboard), [])

    def test_has_seventeen_rules_and_each_finds_its_planted_fault(self) -> None:
        self.assertEqual((len(lint.RULES), set(lint.RULES)), (17, set(PLANTED)))
        for name, plant in PLANTED.items():
            with self.subTest(name):
                dashboard = copy.deepcopy(dashboards()["sluice-overview"])
                plant(dashboard)
                self.assertIn(name, [fault.partition(":")[0] for fault in lint.faults_of(dashboard)])

    @unittest.skipUnless(PROMTOOL, "promtool is not installed")
    def test_every_expression_is_promql(self) -> None:
        done = parsed([substituted(target["expr"], VALUES) for d in dashboards().values() for _, target in targets_of(d)])
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotEqual(parsed(["sum by (le (up)"]).returncode, 0)


def parsed(expressions: list[str]) -> subprocess.CompletedProcess[str]:
    """promtool parses them, each as the expression of a rule."""
    rules = [{"record": f"x:expression:number{i}", "expr": expression} for i, expression in enumerate(expressions)]
    with tempfile.TemporaryDirectory(prefix="sluice-lint-") as folder:
        path = Path(folder) / "rules.yml"
        path.write_text(yaml.safe_dump({"groups": [{"name": "expressions", "rules": rules}]}))
        assert PROMTOOL
        return subprocess.run([PROMTOOL, "check", "rules", path], capture_output=True, text=True, timeout=60)


if __name__ == "__main__":
    unittest.main()
