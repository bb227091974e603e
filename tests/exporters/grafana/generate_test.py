"""The committed dashboards are what the generator writes, and it refuses what would show nothing or what nobody could read."""
import dataclasses
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from boards_at_hand import CATALOGUE, GRAFANA, catalogue, frame, panels


def generated(of: Path = CATALOGUE) -> tuple[subprocess.CompletedProcess[str], dict[str, str]]:
    with tempfile.TemporaryDirectory(prefix="sluice-boards-") as folder:
        command = [sys.executable, "-B", str(GRAFANA / "generate.py"), "--catalogue", str(of), "--out", folder]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        return done, {path.name: path.read_text() for path in Path(folder).iterdir()}


def committed() -> dict[str, str]:
    return {path.name: path.read_text() for path in (GRAFANA / "dashboards").iterdir()}


class Generator(unittest.TestCase):
    def test_changes_nothing_that_is_committed(self) -> None:
        done, texts = generated()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(sorted(texts), sorted(committed()))
        for name, text in texts.items():
            self.assertEqual(text, committed()[name], f"{name}: run exporters/grafana/generate.py and commit what it writes")

    def test_a_metric_that_is_renamed_fails_it_and_is_named(self) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(CATALOGUE.read_text().replace('"sluice_op_bytes_total"', '"sluice_op_octets_total"'))
            file.flush()
            done, texts = generated(Path(file.name))
        self.assertEqual((done.returncode, texts), (1, {}))
        self.assertRegex(done.stderr, r'^generate\.py: sluice-\w+: panel ".*": there is no metric sluice_op_bytes_total in the catalogue')

    def test_a_counter_that_becomes_a_gauge_fails_it(self) -> None:
        metrics = json.loads(CATALOGUE.read_text())
        next(metric for metric in metrics["metrics"] if metric["name"] == "sluice_consumer_rows_total")["type"] = "gauge"
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(metrics, file)
            file.flush()
            done, _ = generated(Path(file.name))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"sluice_consumer_rows_total is a gauge: rate\(\) is for counters")


class Refusals(unittest.TestCase):
    def refused(self, panel: panels.Panel, pattern: str) -> None:
        board = frame.Board("sluice-test", "Test", "Of the generator.", (frame.Row("Row", (panel,)),))
        with self.assertRaisesRegex(catalogue.Refused, f'^sluice-test: panel "{panel.title}".*{pattern}'):
            board.json(catalogue.read_catalogue(CATALOGUE))

    def asking(self, expression: str) -> panels.Panel:
        return panels.lines("P", "A panel.", "short", panels.Query(expression, ""))

    def test_an_unknown_metric_comes_with_the_one_that_is_meant(self) -> None:
        self.refused(self.asking("sluice_op_worker"), "no metric sluice_op_worker in the catalogue; is sluice_op_workers meant")

    def test_an_expression_without_a_metric(self) -> None:
        self.refused(self.asking("vector(1)"), "asks for no metric")

    def test_a_rate_of_a_gauge(self) -> None:
        self.refused(self.asking("rate(sluice_op_workers[$__rate_interval])"), r"sluice_op_workers is a gauge: rate\(\) is for counters")

    def test_a_counter_that_is_no_rate(self) -> None:
        self.refused(self.asking("sum(sluice_op_items_total)"), r"sluice_op_items_total is a counter: it belongs into rate\(\)")

    def test_a_rate_over_a_fixed_time(self) -> None:
        self.refused(self.asking("rate(sluice_op_items_total[5m])"), r"has to use \[\$__rate_interval\]")

    def test_a_panel_without_a_unit_or_a_description(self) -> None:
        whole = panels.stat("P", "A panel.", "short", panels.Query("up", ""))
        for what in ("unit", "description"):
            self.refused(dataclasses.replace(whole, **{what: ""}), f"has no {what}")


if __name__ == "__main__":
    unittest.main()
