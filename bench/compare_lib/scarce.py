"""quota: `sluice run` tuned below a CPU quota, over the best of a sweep below the same one. share: two tuned runs at once, the
part of its need that the worse served gets over that of the better. Ops compute without memory, so that cores are all that is scarce."""

import os
from pathlib import Path

from . import report
from .control_group import ControlGroup, NoGroup
from .errors import SideFailed
from .rates import Ratio, ratios
from .sluice_runs import Sluice
from .sweep import WARM_UP_SECONDS

QUOTAS = (1.0, 0.5)  # cores
WORKERS = (1, 2, 3)  # of each op, in the sweep
TUNED_FROM_SECONDS = 5.0
MOST_THROTTLED = 0.02  # of the time

COMPUTING = """
name = "computing"
epochs = 0
[source]
kind = "range"
count = 1000000
[[op]]
name = "decode"
kind = "synthetic"
burn = "4ms"
max_workers = 16
[[op]]
name = "augment"
kind = "synthetic"
burn = "2ms"
max_workers = 16
[[op]]
name = "batch"
kind = "batch"
size = 16
[consumer]
step = "{step}"
"""
# Of the two that share: a batch takes 96 ms of CPU time, so they need 3 cores and 1.
STEPS = ("32ms", 0.032), ("96ms", 0.096)


def quota(entry, options):
    sluice = Sluice(options.build)
    report.open_report(entry)
    scenario = Path(sluice.folder, "computing.toml")
    scenario.write_text(COMPUTING.format(step="none"))
    try:
        group = ControlGroup()
    except NoGroup as error:
        raise SideFailed(str(error)) from error
    try:
        values = [_below(group, cores, sluice, scenario, options) for cores in QUOTAS]
    finally:
        group.empty()
        group.remove()
    print(f"floor {report.floor_text(entry)}, of the smaller one")
    return min(values, key=lambda ratio: ratio.value)


def _below(group, cores, sluice, scenario, options):
    group.set_cores(cores)
    tuned, throttled = [], []
    swept = {workers: [] for workers in WORKERS}
    for turn in range(options.rounds):
        before = group.throttled_seconds()
        taken, result = sluice.start_file(scenario, TUNED_FROM_SECONDS + options.seconds, tune=True, inside=group).result()
        throttled.append((group.throttled_seconds() - before) / result["run"]["duration_seconds"])
        tuned.append(taken.rate_from(TUNED_FROM_SECONDS))
        for workers, rates in swept.items():
            settings = {"decode.workers": workers, "augment.workers": workers}
            fixed = sluice.start_file(scenario, WARM_UP_SECONDS + options.seconds, settings, inside=group)
            rates.append(fixed.result()[0].rate_from(WARM_UP_SECONDS))
        shown = ", ".join(f"{rates[-1]:.0f}" for rates in swept.values())
        report.note(f"{cores} cores: round {turn + 1} of {options.rounds}: tuned {tuned[-1]:.0f}, swept {shown} rows/s, "
                    f"throttled {throttled[-1]:.1%} of the time")
    best = max(swept.values(), key=sum)
    per_round = ratios(tuned, best)
    ends = {op["name"]: op["workers"] for op in result["ops"] if op["name"] in ("decode", "augment")}
    report.table([f"rows/s, {cores} cores", "median", "min", "max"],
                 [report.side_row("tuned", tuned), report.side_row("best of the sweep", best), report.side_row("ratio", per_round, 3)])
    print(f"throttled {max(throttled):.1%} of the time at most (wanted: {MOST_THROTTLED:.0%}); workers at the end: "
          + ", ".join(f"{name} {workers}" for name, workers in ends.items()))
    return Ratio.of(per_round)


def share(entry, options):
    sluice = Sluice(options.build)
    report.open_report(entry)
    if len(os.sched_getaffinity(0)) != 2:
        raise SideFailed("the needs of its runs are made for two cores; bind it: taskset --cpu-list 0-1 bench/compare share")
    per_round = []
    for turn in range(options.rounds):
        runs = []
        for name, (step, _) in zip("ab", STEPS, strict=True):
            scenario = Path(sluice.folder, f"{name}.toml")
            scenario.write_text(COMPUTING.format(step=step))
            runs.append(sluice.start_file(scenario, TUNED_FROM_SECONDS + options.seconds, tune=True, name=name))
        parts = [_part(run.result()[0], seconds, options) for run, (_, seconds) in zip(runs, STEPS, strict=True)]
        per_round.append(min(parts) / max(parts))
        report.note(f"round {turn + 1} of {options.rounds}: {parts[0]:.3f} and {parts[1]:.3f} of what their consumers could take")
    report.rounds_line("the less served over the other", per_round)
    return Ratio.of(per_round)


def _part(taken, step, options):
    begin = max(TUNED_FROM_SECONDS, taken.begin)
    end = min(TUNED_FROM_SECONDS + options.seconds - 0.5, taken.end)  # while the other goes on
    return taken.rate(begin, end) / 16 * step
