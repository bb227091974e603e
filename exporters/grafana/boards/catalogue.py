"""What there is to ask for: Sluice's metrics by exporters/prometheus/metrics.json, and Prometheus' own of each target."""
import difflib
import json
from dataclasses import dataclass
from pathlib import Path

# The series that a histogram has in a query.
HISTOGRAM_SERIES = ("_bucket", "_sum", "_count")


class Refused(Exception):
    """A dashboard that must not be written; the message names the dashboard, the panel and what to do."""


@dataclass(frozen=True)
class Metric:
    name: str  # as in a query: of a histogram one of its series
    type: str  # counter, gauge, histogram, info, stateset
    labels: tuple[str, ...] = ()

    @property
    def grows(self) -> bool:
        """Whether it only ever grows, so that rate() and increase() are what to ask of it."""
        return self.type in ("counter", "histogram")


OF_THE_SERVER = (Metric("up", "gauge"), Metric("scrape_duration_seconds", "gauge"), Metric("scrape_samples_scraped", "gauge"),
                 Metric("ALERTS", "gauge"))


class Catalogue:
    def __init__(self, metrics: list[Metric]) -> None:
        self._metrics = {metric.name: metric for metric in (*metrics, *OF_THE_SERVER)}

    def find(self, name: str) -> Metric:
        if name not in self._metrics:
            near = difflib.get_close_matches(name, self._metrics, 1)
            raise Refused(f"there is no metric {name} in the catalogue" + (f"; is {near[0]} meant?" if near else ""))
        return self._metrics[name]

    @property
    def names(self) -> list[str]:
        return list(self._metrics)


def series_of(entry: dict[str, object]) -> list[Metric]:
    name, kind, labels = str(entry["name"]), str(entry["type"]), entry["labels"]
    assert isinstance(labels, list)
    suffixes = HISTOGRAM_SERIES if kind == "histogram" else ("",)
    return [Metric(name + suffix, kind, tuple(labels)) for suffix in suffixes]


def read_catalogue(path: Path) -> Catalogue:
    entries = json.loads(path.read_text(encoding="utf-8"))["metrics"]
    return Catalogue([series for entry in entries for series in series_of(entry)])
