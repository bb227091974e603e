"""A dashboard as a value, and as Grafana's JSON: variables, links, annotations and the panels in their rows."""
from collections.abc import Mapping
from dataclasses import dataclass

from boards.catalogue import Catalogue, Refused
from boards.panels import DATASOURCE, Json, Panel
from boards.promql import complete

TAG = "sluice"
WIDTH = 24
ALL: Json = {"text": "All", "value": "$__all"}

# What links hand on besides the time: every variable, so that a choice holds on the next dashboard.
KEPT = ("datasource", "job", "instance", "rank", "loader")


@dataclass(frozen=True)
class Row:
    title: str
    panels: tuple[Panel, ...]
    folded: bool = False  # until somebody opens it. REQUIRES: the last one


@dataclass(frozen=True)
class Board:
    uid: str  # fixed: links and alerts name it
    title: str
    description: str
    rows: tuple[Row, ...]

    def json(self, catalogue: Catalogue) -> Json:
        try:
            return self._json(catalogue)
        except Refused as refused:
            raise Refused(f"{self.uid}: {refused}") from None

    def _json(self, catalogue: Catalogue) -> Json:
        return {"uid": self.uid, "id": None, "title": self.title, "description": self.description, "tags": [TAG],
                "schemaVersion": 41, "version": 1, "editable": False, "graphTooltip": 1, "fiscalYearStartMonth": 0,
                "time": {"from": "now-30m", "to": "now"}, "timezone": "browser", "refresh": "10s", "timepicker": {},
                "links": [to_the_others()], "templating": {"list": variables(catalogue)},
                "annotations": {"list": annotations(catalogue)}, "panels": place(self.rows, catalogue)}


def link_to(uid: str, title: str, labels: Mapping[str, str]) -> Json:
    """From a series to a dashboard with the same variables, narrowed to the values of these labels: variable -> label."""
    kept = [f"${{{name}:queryparam}}" for name in KEPT if name not in labels]
    narrowed = [f"var-{name}=${{__field.labels.{label}}}" for name, label in labels.items()]
    return {"title": title, "url": f"/d/{uid}?" + "&".join(["${__url_time_range}", *kept, *narrowed])}


def to_the_others() -> Json:
    return {"type": "dashboards", "title": "Sluice", "tags": [TAG], "asDropdown": False, "includeVars": True, "keepTime": True,
            "targetBlank": False, "icon": "external link", "tooltip": "", "url": ""}


def variables(catalogue: Catalogue) -> list[Json]:
    """Each asks for what the ones before it leave. `.*` also takes what lacks the label."""
    run, loader, op = (catalogue.find(name).name for name in ("sluice_run_info", "sluice_run_finished", "sluice_op_workers"))
    return [{"type": "datasource", "name": "datasource", "label": "Data source", "query": "prometheus", "hide": 0, "refresh": 1,
             "regex": "", "multi": False, "includeAll": False, "options": []},
            chosen_from("job", "Job", f"label_values({run}, job)", ".+"),
            chosen_from("instance", "Instance", label_values(run, ("job",), "instance"), ".+"),
            chosen_from("rank", "Rank", label_values(loader, ("job", "instance"), "rank"), ".*"),
            chosen_from("loader", "Loader", label_values(loader, ("job", "instance", "rank"), "loader"), ".*"),
            chosen_from("op", "Op", label_values(op, ("job", "instance", "rank", "loader"), "op"), ".+")]


def label_values(metric: str, before: tuple[str, ...], label: str) -> str:
    matchers = ",".join(f'{name}=~"${name}"' for name in before)
    return f"label_values({metric}{{{matchers}}}, {label})"


def chosen_from(name: str, label: str, query: str, all_value: str) -> Json:
    return {"type": "query", "name": name, "label": label, "query": query, "datasource": DATASOURCE, "hide": 0,
            "refresh": 2, "sort": 3 if name == "rank" else 1, "regex": "", "multi": True, "includeAll": True, "allValue": all_value,
            "options": [], "current": ALL}


def annotations(catalogue: Catalogue) -> list[Json]:
    """The value of the first is the moment of the decision, so that it stands there and not at the next scrape."""
    made = complete("sluice_last_decision_timestamp_seconds", catalogue)
    came_to = complete("increase(sluice_decisions_total[$__rate_interval])", catalogue)
    return [{"builtIn": 1, "datasource": {"type": "grafana", "uid": "-- Grafana --"}, "enable": True, "hide": True,
             "iconColor": "rgba(0, 211, 255, 1)", "name": "Annotations & Alerts", "type": "dashboard"},
            marked("Decisions", f"{made} * 1000", "blue", "decision", "when it was made", value_is_time=True),
            marked("Outcomes", f"{came_to} > 0", "purple", "{{knob}}: {{outcome}}", "what became of a change", value_is_time=False)]


def marked(name: str, expr: str, colour: str, title: str, text: str, value_is_time: bool) -> Json:
    return {"name": name, "datasource": DATASOURCE, "enable": True, "hide": False, "iconColor": colour, "expr": expr, "step": "10s",
            "titleFormat": title, "textFormat": f"{text} {{{{loader}}}} {{{{rank}}}} {{{{instance}}}}", "tagKeys": "knob,outcome,rank",
            "useValueForTime": value_is_time}


def place(rows: tuple[Row, ...], catalogue: Catalogue) -> list[Json]:
    """From left to right in each row; a panel that has no room begins a new line. What is folded is inside its row."""
    placed: list[Json] = []
    top = 0
    for row in rows:
        number = len(placed) + 1
        below, bottom = lay_out(row.panels, catalogue, number + 1, top + 1)
        heading: Json = {"type": "row", "title": row.title, "collapsed": row.folded, "panels": below if row.folded else [], "id": number,
                         "gridPos": {"h": 1, "w": WIDTH, "x": 0, "y": top}}
        placed += [heading] if row.folded else [heading, *below]
        top = bottom
    return placed


def lay_out(panels: tuple[Panel, ...], catalogue: Catalogue, number: int, top: int) -> tuple[list[Json], int]:
    """Below each other from `top` on, numbered from `number` on, and where they end."""
    placed: list[Json] = []
    left = tallest = 0
    for panel in panels:
        if left + panel.width > WIDTH:
            left, top, tallest = 0, top + tallest, 0
        placed.append({**panel.json(catalogue), "id": number + len(placed),
                       "gridPos": {"h": panel.height, "w": panel.width, "x": left, "y": top}})
        left, tallest = left + panel.width, max(tallest, panel.height)
    return placed, top + tallest
