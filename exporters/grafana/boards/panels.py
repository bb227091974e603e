"""A panel as a value, and as Grafana's JSON."""
from collections.abc import Mapping
from dataclasses import dataclass, field

from boards.catalogue import Catalogue, Refused
from boards.promql import complete

Json = dict[str, object]

DATASOURCE: Json = {"type": "prometheus", "uid": "$datasource"}
NO_DATA = "No data: "  # a description's last sentence, where a panel may be empty

GREEN, YELLOW, RED, BLUE = "green", "yellow", "red", "blue"
WAITING = ((0.0, GREEN), (0.05, YELLOW), (0.2, RED))  # shares of waiting: those of docs/verdicts.md and of the alert


@dataclass(frozen=True)
class Query:
    """`legend` is a template of labels. A label that a series lacks is nothing in it."""
    expr: str
    legend: str
    at_once: bool = False  # the latest value only, not a course of time


@dataclass(frozen=True)
class Panel:
    """REQUIRES: a title, a description and a unit. What they are for is checked by `json`, which names the panel."""
    kind: str  # timeseries, stat, table, heatmap, state-timeline
    title: str
    description: str
    unit: str
    queries: tuple[Query, ...]
    width: int = 12  # of 24
    height: int = 8
    steps: tuple[tuple[float, str], ...] = ((0.0, GREEN),)  # from which value which colour
    custom: Mapping[str, object] = field(default_factory=dict)  # fieldConfig.defaults.custom
    defaults: Mapping[str, object] = field(default_factory=dict)  # further fieldConfig.defaults
    options: Mapping[str, object] = field(default_factory=dict)
    transformations: tuple[Json, ...] = ()
    overrides: tuple[Json, ...] = ()
    no_data: str = ""  # why it may rightly be empty

    def json(self, catalogue: Catalogue) -> Json:
        self._check()
        return {"type": self.kind, "title": self.title, "description": self._whole_description(), "datasource": DATASOURCE,
                "fieldConfig": {"defaults": self._defaults(), "overrides": list(self.overrides)},
                "options": dict(self.options), "targets": [self._target(i, catalogue) for i in range(len(self.queries))],
                **({"transformations": list(self.transformations)} if self.transformations else {})}

    def _check(self) -> None:
        for what in ("title", "description", "unit", "queries"):
            if not getattr(self, what):
                raise Refused(f'panel "{self.title}" has no {what}')

    def _whole_description(self) -> str:
        return self.description + (f"\n\n{NO_DATA}{self.no_data}" if self.no_data else "")

    def _defaults(self) -> Json:
        steps = [{"color": colour, "value": None if i == 0 else value} for i, (value, colour) in enumerate(self.steps)]
        return {"unit": self.unit, "color": {"mode": "thresholds" if self.kind == "stat" else "palette-classic"},
                "thresholds": {"mode": "absolute", "steps": steps}, "mappings": [], "custom": dict(self.custom),
                **({"noValue": "none"} if self.no_data else {}), **self.defaults}

    def _target(self, number: int, catalogue: Catalogue) -> Json:
        query = self.queries[number]
        try:
            expr = complete(query.expr, catalogue)
        except Refused as refused:
            raise Refused(f'panel "{self.title}": {refused}') from None
        return {"refId": chr(ord("A") + number), "datasource": DATASOURCE, "expr": expr, "legendFormat": query.legend,
                "instant": query.at_once, "range": not query.at_once, "editorMode": "code",
                "format": self._format()}

    def _format(self) -> str:
        return self.kind if self.kind in ("table", "heatmap") else "time_series"


def legend(*parts: str) -> str:
    """What tells one series from another: the parts, then who it is of."""
    return " ".join([*parts, "{{loader}} {{rank}} {{instance}}"])


def lines(title: str, description: str, unit: str, *queries: Query, width: int = 12, height: int = 8, steps: bool = False,
          stacked: bool = False, limits: tuple[tuple[float, str], ...] = (), least: float | None = 0, most: float | None = None,
          links: tuple[Json, ...] = (), no_data: str = "") -> Panel:
    """A course of time. `steps`: values that stay until they change. `limits`: lines at these values."""
    custom = {"drawStyle": "line", "lineInterpolation": "stepAfter" if steps else "linear", "lineWidth": 1,
              "fillOpacity": 20 if stacked else 5, "showPoints": "never", "spanNulls": False,
              "stacking": {"mode": "normal" if stacked else "none", "group": "A"},
              "thresholdsStyle": {"mode": "dashed" if limits else "off"}}
    defaults = {name: value for name, value in (("min", least), ("max", most), ("links", list(links))) if value not in (None, [])}
    options = {"legend": {"displayMode": "table", "placement": "bottom", "showLegend": True, "calcs": ["mean", "lastNotNull"]},
               "tooltip": {"mode": "multi", "sort": "desc"}}
    return Panel("timeseries", title, description, unit, queries, width, height, limits or ((0.0, GREEN),), custom, defaults, options,
                 no_data=no_data)


def bars(title: str, description: str, unit: str, *queries: Query, width: int = 12, no_data: str = "") -> Panel:
    """Events of each interval, one upon the other."""
    custom = {"drawStyle": "bars", "lineWidth": 1, "fillOpacity": 60, "showPoints": "never",
              "stacking": {"mode": "normal", "group": "A"}}
    options = {"legend": {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []},
               "tooltip": {"mode": "multi", "sort": "desc"}}
    return Panel("timeseries", title, description, unit, queries, width, custom=custom, defaults={"min": 0}, options=options,
                 no_data=no_data)


def stat(title: str, description: str, unit: str, query: Query, width: int = 4, height: int = 5,
         steps: tuple[tuple[float, str], ...] = ((0.0, BLUE),), named: bool = False, no_data: str = "") -> Panel:
    """One number, the latest; one for each series. `named`: what the series is called instead."""
    options = {"reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}, "colorMode": "value",
               "graphMode": "none" if named else "area", "justifyMode": "auto", "orientation": "auto",
               "textMode": "name" if named else "auto", "wideLayout": True, "showPercentChange": False,
               "percentChangeColorMode": "standard"}
    return Panel("stat", title, description, unit, (query,), width, height, steps, options=options, no_data=no_data)


def states(title: str, description: str, unit: str, query: Query, width: int = 12, no_data: str = "") -> Panel:
    """What is so, and when it was: 0 is no, 1 is yes."""
    mappings = [{"type": "value", "options": {"0": {"text": "no", "color": "transparent", "index": 0},
                                              "1": {"text": "yes", "color": BLUE, "index": 1}}}]
    options = {"mergeValues": True, "showValue": "never", "alignValue": "center", "rowHeight": 0.8,
               "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []},
               "tooltip": {"mode": "single", "sort": "none"}}
    return Panel("state-timeline", title, description, unit, (query,), width, custom={"fillOpacity": 70, "lineWidth": 0},
                 defaults={"mappings": mappings}, options=options, no_data=no_data)


TABLE: Json = {"align": "auto", "cellOptions": {"type": "auto"}, "inspect": False, "filterable": True}
TABLE_OPTIONS: Json = {"showHeader": True, "cellHeight": "sm", "frameIndex": 0}


def organised(renamed: Mapping[str, str], left_out: tuple[str, ...] = ()) -> tuple[Json, ...]:
    """Rows with the same labels become one, and only what is worth a column is one."""
    excluded = {name: True for name in ("Time", "__name__", *left_out)}
    options: Json = {"excludeByName": excluded, "includeByName": {}, "indexByName": {}, "renameByName": dict(renamed)}
    return {"id": "merge", "options": {}}, {"id": "organize", "options": options}


def table(title: str, description: str, unit: str, columns: Mapping[str, tuple[Query, str]], width: int = 24,
          no_data: str = "") -> Panel:
    """The latest values side by side: name of a column -> its query and its unit. REQUIRES: two columns or more."""
    names = {f"Value #{chr(ord('A') + i)}": name for i, name in enumerate(columns)}
    overrides: tuple[Json, ...] = tuple({"matcher": {"id": "byName", "options": name}, "properties": [{"id": "unit", "value": unit_of}]}
                      for name, (_, unit_of) in columns.items())
    return Panel("table", title, description, unit, tuple(query for query, _ in columns.values()), width, custom=TABLE,
                 options=TABLE_OPTIONS, overrides=overrides, transformations=organised(names),
                 no_data=no_data)


def labels(title: str, description: str, query: Query, width: int = 24) -> Panel:
    """What is said of each series by its labels alone."""
    return Panel("table", title, description, "none", (query,), width, 5, custom=TABLE,
                 options=TABLE_OPTIONS, transformations=organised({}, left_out=("Value",)))


def heatmap(title: str, description: str, unit: str, query: Query, width: int = 12, no_data: str = "") -> Panel:
    """How many fell into which bucket, over time. `unit` is that of the buckets' bounds."""
    options = {"calculate": False, "cellGap": 1, "color": {"mode": "scheme", "scheme": "Blues", "exponent": 0.5, "steps": 64,
                                                            "reverse": False, "fill": "blue"},
               "yAxis": {"unit": unit, "axisPlacement": "left", "reverse": False}, "rowsFrame": {"layout": "auto"},
               "showValue": "never", "tooltip": {"mode": "single", "yHistogram": False, "showColorScale": False},
               "legend": {"show": True}, "exemplars": {"color": "rgba(255,0,255,0.7)"}, "filterValues": {"le": 1e-9}}
    return Panel("heatmap", title, description, unit, (query,), width, options=options, no_data=no_data)
