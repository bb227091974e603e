"""Completes an expression: each metric in it gets the matchers of the dashboard's variables, and is used as its type allows.

`rate(sluice_op_items_total[$__rate_interval])` becomes
`rate(sluice_op_items_total{job=~"$job",instance=~"$instance",rank=~"$rank",loader=~"$loader",op=~"$op"}[$__rate_interval])`.
A matcher of a variable that is set to "All" also takes series without the label: those of `sluice run` have no rank and no loader.
"""
import re

from boards.catalogue import Catalogue, Metric, Refused

SELECTOR = re.compile(r"(?<![\w:$.])((?:sluice_|scrape_)\w+|up|ALERTS)\b(?:\{([^}]*)\})?(\[[^\]]*\])?")
OF_COUNTERS = ("rate", "irate", "increase")
# Metrics of a process or of the whole run, which no loader has.
OF_A_PROCESS = ("sluice_process_",)
OF_THE_RUN = ("sluice_run_info", "sluice_build_info", "sluice_tuner_mode", "sluice_agent_cpu_seconds_total",
              "sluice_shared_memory_size_bytes", "sluice_shared_memory_free_bytes")


def variables_of(metric: Metric) -> list[str]:
    """The dashboard's variables that choose among its series, in their order."""
    if metric.name in OF_THE_RUN or not metric.name.startswith("sluice_"):
        return ["job", "instance"]
    if metric.name.startswith(OF_A_PROCESS):
        return ["job", "instance", "rank"]
    return ["job", "instance", "rank", "loader", *(["op"] if "op" in metric.labels else [])]


def complete(expression: str, catalogue: Catalogue) -> str:
    found = SELECTOR.search(expression)
    if not found:
        raise Refused(f"{expression} asks for no metric")

    def completed(match: re.Match[str]) -> str:
        metric = catalogue.find(match[1])
        check_use(metric, match[3], function_before(expression, match.start()))
        matchers = [f'{name}=~"${name}"' for name in variables_of(metric)] + ([match[2]] if match[2] else [])
        return f"{metric.name}{{{','.join(matchers)}}}{match[3] or ''}"
    return SELECTOR.sub(completed, expression)


def function_before(expression: str, at: int) -> str:
    found = re.search(r"(\w+)\(\s*$", expression[:at])
    return found[1] if found else ""


def check_use(metric: Metric, window: str | None, function: str) -> None:
    if metric.grows and (window is None or function not in OF_COUNTERS):
        raise Refused(f"{metric.name} is a {metric.type}: it belongs into rate() or increase() with a window")
    if not metric.grows and function in OF_COUNTERS:
        raise Refused(f"{metric.name} is a {metric.type}: {function}() is for counters; use delta() or changes()")
    if function in ("rate", "irate") and window != "[$__rate_interval]":
        raise Refused(f"{function}({metric.name}{window}) has to use [$__rate_interval]")
