"""An exhaustive sweep of start values, and its best, kept for the comparisons that need it."""

import itertools
import json
from pathlib import Path

from . import machine
from .errors import TooShort
from .rates import percentile
from .report import note

SHORT_RUN_SECONDS = 1.0  # after the warm-up
WARM_UP_SECONDS = 0.5
MOST_WORKERS = 64  # a knob's default range
FINALISTS = 3


def grid(scenario, quick=False):
    """Every setting to try, as knob -> number. Capacities have one value for all connectors."""
    cores = machine.usable_cores()
    compute = sorted({1, cores, cores + 1, 2 * cores})
    if scenario == "mixed":
        axes = _mixed_axes(cores, compute, quick)
    else:
        axes = _jpeg_axes(compute, quick)
    points = [dict(zip(axes, values)) for values in itertools.product(*axes.values())]
    return [_with_capacities(scenario, point) for point in points]


def _mixed_axes(cores, compute, quick):
    waiting = sorted({min(MOST_WORKERS, n * cores) for n in ((4, 8) if quick else (2, 4, 6, 8, 12, 16))})
    return {"fetch.workers": waiting, "augment.workers": compute[1:2] if quick else compute[:3],
            "tokenize.workers": (1, cores), "capacity": (8,) if quick else (2, 8, 32)}


def _jpeg_axes(compute, quick):
    return {"decode.workers": compute[1:3] if quick else compute, "batch.workers": (1,) if quick else (1, 2),
            "capacity": (16,) if quick else (1, 4, 16, 64)}


CONNECTORS = {"imagenet": ("read", "decode", "batch"), "mixed": ("list", "fetch", "augment", "tokenize", "batch")}


def _with_capacities(scenario, point):
    capacity = point.pop("capacity")
    return point | {f"{name}.capacity": capacity for name in CONNECTORS[scenario]}


def describe(scenario, quick=False):
    """The grid in one line."""
    values = {}
    for point in grid(scenario, quick):
        for knob, value in point.items():
            name = "capacity of all connectors" if knob.endswith(".capacity") else knob
            values.setdefault(name, set()).add(value)
    axes = "; ".join(f"{name} {','.join(map(str, sorted(seen)))}" for name, seen in values.items())
    return f"{len(grid(scenario, quick))} settings: {axes}"


def finalists(sluice, scenario, quick=False):
    """The best few of the grid by one short run each, best first: to be measured again side by side,
    because the best of many noisy figures is partly luck."""
    points = grid(scenario, quick)
    scored = []
    for number, point in enumerate(points, start=1):
        scored.append((_short_rate(sluice, scenario, point), number, point))
        if number % 10 == 0 or number == len(points):
            note(f"{scenario}: sweep {number} of {len(points)}, best so far {max(s[0] for s in scored):.0f} rows/s")
    scored.sort(key=lambda s: s[:2], reverse=True)
    note(f"{scenario}: median of the sweep {percentile([s[0] for s in scored], 0.5):.0f} rows/s")
    return [point for _, _, point in scored[:1 if quick else FINALISTS]]


def _short_rate(sluice, scenario, point):
    """0 where the setting is so slow that nothing can be said: it is not the best."""
    try:
        taken, _ = sluice.run(scenario, WARM_UP_SECONDS + SHORT_RUN_SECONDS, point)
        return taken.rate_from(WARM_UP_SECONDS)
    except TooShort:
        return 0.0


class BestSettings:
    """The sweep's best of each scenario, in a file of the build folder. Holds for the machine and the
    program that it was found with."""

    def __init__(self, build, program):
        self._path = Path(build, "bench-sweep.json")
        self._key = {"machine": machine.shape(), "program": program.stat().st_mtime_ns}

    def load(self, scenario):
        """None where it has to be found again."""
        try:
            kept = json.loads(self._path.read_text())
        except (OSError, ValueError):
            return None
        return kept.get(scenario) if kept.get("key") == self._key else None

    def store(self, scenario, settings):
        kept = {"key": self._key}
        try:
            old = json.loads(self._path.read_text())
            kept = old if old.get("key") == self._key else kept
        except (OSError, ValueError):
            pass
        self._path.write_text(json.dumps(kept | {scenario: settings}, indent=2) + "\n")
