"""The seventeen rules that Grafana's dashboard-linter has by default, as checks of our own: the linter is a Go program.

Each is a function from a dashboard to its faults, under the linter's name of the rule. Expressions are text here; that they are
PromQL is asked of promtool (`expressions_of`, lint_test.py) and of a server (live_test.py).
"""
import re
from collections.abc import Callable, Iterator

from boards_at_hand import Json, panels_of, targets_of

DATASOURCES = ("$datasource", "${datasource}")
# Those of Grafana's unit list that are used, or are likely to be next. `cps` is what the linter has for any count per second.
UNITS = {"none", "string", "short", "percent", "percentunit", "bytes", "decbytes", "bits", "Bps", "binBps", "bps", "ns", "µs", "ms", "s",
         "m", "h", "d", "dtdurations", "hertz", "cps", "ops", "reqps", "rps", "wps", "iops", "cpm", "opm", "dateTimeAsIso",
         "dateTimeFromNow", "bool", "bool_yes_no", "bool_on_off"}
QUERY_FUNCTIONS = ("label_names", "label_values", "metrics", "query_result")
SELECTOR = re.compile(r"(?<![\w:$.\"])([a-zA-Z_:][\w:]*)\{([^}]*)\}(\[[^\]]*\])?")

Faults = Iterator[str]
Rule = Callable[[Json], Faults]
RULES: dict[str, Rule] = {}


def rule(name: str) -> Callable[[Rule], Rule]:
    def add(check: Rule) -> Rule:
        RULES[name] = check
        return check
    return add


def faults_of(dashboard: Json) -> list[str]:
    return [f"{name}: {fault}" for name, check in RULES.items() for fault in check(dashboard)]


def variables_of(dashboard: Json) -> list[Json]:
    variables: list[Json] = dashboard["templating"]["list"]
    return variables


@rule("template-datasource-rule")
def datasource_is_a_variable(dashboard: Json) -> Faults:
    found = [variable for variable in variables_of(dashboard) if variable["type"] == "datasource"]
    if [(one["name"], one["label"], one["query"]) for one in found] != [("datasource", "Data source", "prometheus")]:
        yield "needs one variable `datasource`, labelled `Data source`, of type prometheus"


def target_variable_faults(dashboard: Json, name: str) -> Faults:
    found = next((variable for variable in variables_of(dashboard) if variable["name"] == name), None)
    if found is None:
        yield f"there is no variable {name}"
        return
    wanted = {"type": "query", "label": name.title(), "multi": True, "allValue": ".+"}
    for key, value in wanted.items():
        if found.get(key) != value:
            yield f"{key} of {name} is {found.get(key)!r}, not {value!r}"
    if found["datasource"]["uid"] not in DATASOURCES:
        yield f"{name} does not use $datasource"


@rule("template-job-rule")
def job_is_a_variable(dashboard: Json) -> Faults:
    return target_variable_faults(dashboard, "job")


@rule("template-instance-rule")
def instance_is_a_variable(dashboard: Json) -> Faults:
    return target_variable_faults(dashboard, "instance")


@rule("template-label-promql-rule")
def variables_are_queries(dashboard: Json) -> Faults:
    for variable in variables_of(dashboard):
        match = re.fullmatch(r"(\w+)\((.+)\)", str(variable["query"]))
        if variable["type"] == "query" and (not match or match[1] not in QUERY_FUNCTIONS or not balanced(match[2])):
            yield f"{variable['name']} asks {variable['query']!r}"


@rule("template-on-time-change-reload-rule")
def variables_follow_the_time(dashboard: Json) -> Faults:
    for variable in variables_of(dashboard):
        if variable["type"] == "query" and variable.get("refresh") != 2:
            yield f"{variable['name']} is not asked again when the time changes (refresh: 2)"


@rule("panel-datasource-rule")
def panels_use_the_variable(dashboard: Json) -> Faults:
    for panel in panels_of(dashboard):
        if panel.get("datasource", {}).get("uid") not in DATASOURCES:
            yield f'"{panel["title"]}" does not use $datasource'


@rule("panel-title-description-rule")
def panels_say_what_they_are(dashboard: Json) -> Faults:
    for panel in panels_of(dashboard):
        if not panel.get("title") or not panel.get("description"):
            yield f'panel {panel["id"]} "{panel.get("title")}" lacks a title or a description'


@rule("panel-units-rule")
def panels_have_units(dashboard: Json) -> Faults:
    for panel in panels_of(dashboard):
        config = panel["fieldConfig"]
        overridden = [each["value"] for override in config["overrides"] for each in override["properties"] if each["id"] == "unit"]
        for unit in [config["defaults"].get("unit"), *overridden]:
            if unit not in UNITS:
                yield f'"{panel["title"]}" has the unit {unit!r}'


@rule("panel-no-targets-rule")
def panels_ask(dashboard: Json) -> Faults:
    for panel in panels_of(dashboard):
        if not panel.get("targets"):
            yield f'"{panel["title"]}" asks for nothing'


@rule("target-logql-rule")
def nothing_asks_loki(dashboard: Json) -> Faults:
    for panel, target in targets_of(dashboard):
        if target["datasource"]["type"] != "prometheus" or re.search(r"\|[=~]|!~\s*`", target["expr"]):
            yield f'"{panel["title"]}" asks another server than Prometheus'


@rule("target-logql-auto-rule")
def nothing_asks_loki_over_a_range(dashboard: Json) -> Faults:
    for panel, target in targets_of(dashboard):
        if "$__auto" in target["expr"]:
            yield f'"{panel["title"]}" uses $__auto, which is Loki\'s'


@rule("target-promql-rule")
def targets_are_promql(dashboard: Json) -> Faults:
    for panel, target in targets_of(dashboard):
        if not target["expr"].strip() or not balanced(target["expr"]):
            yield f'"{panel["title"]}": {target["expr"]!r} is no PromQL'


@rule("target-rate-interval-rule")
def rates_use_the_interval(dashboard: Json) -> Faults:
    for panel, target in targets_of(dashboard):
        for function, _, window in ranged(target["expr"]):
            if function in ("rate", "irate") and window != "[$__rate_interval]":
                yield f'"{panel["title"]}": {function}() over {window}'


def matcher_faults(dashboard: Json, name: str) -> Faults:
    for panel, target in targets_of(dashboard):
        selectors = SELECTOR.findall(target["expr"])
        if not selectors or any(f'{name}=~"${name}"' not in matchers.split(",") for _, matchers, _ in selectors):
            yield f'"{panel["title"]}": {target["expr"]} has a selector without {name}=~"${name}"'


@rule("target-job-rule")
def targets_choose_the_job(dashboard: Json) -> Faults:
    return matcher_faults(dashboard, "job")


@rule("target-instance-rule")
def targets_choose_the_instance(dashboard: Json) -> Faults:
    return matcher_faults(dashboard, "instance")


@rule("target-counter-agg-rule")
def counters_are_rates(dashboard: Json) -> Faults:
    for panel, target in targets_of(dashboard):
        counted = [name for name, _, _ in SELECTOR.findall(target["expr"]) if name.endswith("_total")]
        as_rates = [name for function, name, _ in ranged(target["expr"]) if function in ("rate", "irate", "increase")]
        if sorted(counted) != sorted(name for name in as_rates if name.endswith("_total")):
            yield f'"{panel["title"]}": {target["expr"]} has a counter outside of rate() and increase()'


@rule("uneditable-dashboard")
def nobody_edits_it_in_the_browser(dashboard: Json) -> Faults:
    if dashboard.get("editable") is not False:
        yield "is editable"


def ranged(expression: str) -> list[tuple[str, str, str]]:
    """Function, metric and window of each range."""
    return re.findall(r"(\w+)\(\s*([a-zA-Z_:][\w:]*)\{[^}]*\}(\[[^\]]*\])", expression)


def balanced(text: str) -> bool:
    outside = re.sub(r'"[^"]*"', "", text)
    depth = 0
    for letter in outside:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if depth < 0:
            return False
    return depth == 0 and outside.count("{") == outside.count("}") and outside.count("[") == outside.count("]") and '"' not in outside
