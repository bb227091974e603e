"""The dashboards and their generator, for the tests beside this file."""
import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
GRAFANA = ROOT / "exporters" / "grafana"
CATALOGUE = ROOT / "exporters" / "prometheus" / "metrics.json"
sys.path[:0] = [str(GRAFANA), str(ROOT / "tests" / "app")]  # the generator's modules, and `cli` for live_test.py

from boards import catalogue, frame, panels  # noqa: E402

__all__ = ["catalogue", "frame", "panels"]

Json = dict[str, Any]

# Grafana's own variables, which no dashboard declares.
BUILT_IN = {"__rate_interval", "__interval", "__range", "__all", "__url_time_range"}


def dashboards() -> dict[str, Json]:
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted((GRAFANA / "dashboards").glob("*.json"))}


def panels_of(dashboard: Json) -> list[Json]:
    """Those that show something: rows are headings."""
    return [panel for panel in placed_in(dashboard) if panel["type"] != "row"]


def placed_in(dashboard: Json) -> list[Json]:
    """Panels and rows, and what folded rows hold."""
    return [each for panel in dashboard["panels"] for each in (panel, *panel.get("panels", []))]


def targets_of(dashboard: Json) -> list[tuple[Json, Json]]:
    return [(panel, target) for panel in panels_of(dashboard) for target in panel.get("targets", [])]


def variables_in(text: str) -> set[str]:
    return set(re.findall(r"\$\{?(\w+)", text))


def substituted(text: str, values: dict[str, str]) -> str:
    """As Grafana does it before a query; every variable has to have a value."""
    return re.sub(r"\$\{?(\w+)\}?", lambda match: values[match[1]], text)
