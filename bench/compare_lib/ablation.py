"""What the runs of bench/ablate say of each rule. Pure.

`runs`: (scenario, start) -> controller -> figures, with one controller that has all rules and one without each."""

import math
import statistics

OURS = "sluice"
WITHOUT = "without-"


def figures(controller):
    held = {name: met for name, met in controller["floors_met"].items() if met is not None}
    value = {name: spread["median"] if spread else None for name, spread in controller["figures"].items()}
    return {"final": value["final_share"], "lost": value["lost_seconds"], "met": sum(held.values()), "of": len(held),
            "ooms": value["ooms"] or 0}


def compare(runs, rule):
    """What it costs to be without the rule, over all runs: means of the differences with their standard errors."""
    pairs = [(run[OURS], run[WITHOUT + rule]) for run in runs.values()]
    return {"final": mean([ours["final"] - other["final"] for ours, other in pairs]),
            "lost": mean([other["lost"] - ours["lost"] for ours, other in pairs]),
            "floors": sum(ours["met"] - other["met"] for ours, other in pairs),
            "ooms": sum(other["ooms"] - ours["ooms"] for ours, other in pairs),
            "differs": sum(ours != other for ours, other in pairs)}


def mean(values):
    """(mean, standard error)"""
    error = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0
    return statistics.fmean(values), error


def pays(value, error):
    """Whether the rule is worth something beyond twice the noise: +1, worth nothing known: 0, harmful: -1."""
    if value == 0 or abs(value) <= 2 * error:
        return 0
    return 1 if value > 0 else -1


def worth(value, error):
    """In words of Markdown: bold where the rule pays, slanted where it harms."""
    mark = {1: "**", 0: "", -1: "*"}[pays(value, error)]
    return f"{mark}{value:+.2f} ± {error:.2f}{mark}"


def table(known, runs, heading):
    """`known`: rule -> what it does. Rules that cost most to be without come first."""
    head = ["without", "the rule that"]
    for name in runs:
        head += [f"{name}: lost s", "final %", "floors", "differs in"]
    lines = [" | ".join(head), "|".join(["---"] * len(head))]
    rows = []
    for rule in known:
        costs = {name: compare(part, rule) for name, part in runs.items()}
        rows.append((-costs["random"]["lost"][0], rule, costs))
    for _, rule, costs in sorted(rows):
        row = [f"`{rule}`", known[rule]]
        for name, cost in costs.items():
            ooms = f", {cost['ooms']:+g} killed" if cost["ooms"] else ""
            row += [worth(*cost["lost"]), worth(*(100 * part for part in cost["final"])), f"{cost['floors']:+d}{ooms}",
                    f"{cost['differs']} of {len(runs[name])}"]
        lines.append(" | ".join(row))
    totals = []
    for name, part in runs.items():
        met, of = (sum(run[OURS][key] for run in part.values()) for key in ("met", "of"))
        lost = statistics.fmean(run[OURS]["lost"] for run in part.values())
        totals.append(f"{name}: {len(part)} runs, {met} of {of} floors, {lost:.2f} s lost on average")
    return f"{heading}. With all rules, {'; '.join(totals)}.\n\n" + "".join(f"| {line} |\n" for line in lines)
