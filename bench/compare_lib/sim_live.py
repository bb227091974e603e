"""sim-live: the same scenario file run by real threads and simulated, with the setting of the file and with
tuning. Prints a table and returns in how many scenarios both agree."""

import json
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from . import report
from .errors import SideFailed
from .machine import ROOT
from .oversleep import ASKED_SECONDS, Oversleep
from .rates import Ratio, Taken, middle, ratios
from .sluice_runs import program, taken

FOLDER = ROOT / "scenarios" / "bridge"
AGREE = 0.05  # relative, in throughput
WARM_UP_SECONDS = 2.0  # pipelines fill
TUNED_SECONDS = 25.0  # the first look, the trials, five quiet seconds, the trim and its trial
END_SECONDS = 8.0  # what counts as the end of a tuned run
SIMULATED_SECONDS = 60.0  # of a setting left alone: virtual time costs nothing


@dataclass
class Side:
    """One side of one scenario, round by round."""
    fixed: list = field(default_factory=list)  # rows/s with the setting of the file
    tuned: list = field(default_factory=list)  # rows/s at the end
    workers: list = field(default_factory=list)  # at the end of the tuned run, op -> workers

    def usual_workers(self):
        """What most rounds ended with, the first one of equals."""
        return dict(Counter(tuple(w.items()) for w in self.workers).most_common(1)[0][0])


@dataclass
class Both:
    """A scenario on both sides."""
    name: str
    late: Oversleep = field(default_factory=Oversleep)  # beside the live runs
    live: Side = field(default_factory=Side)
    simulated: Side = field(default_factory=Side)

    def fixed_ratio(self):
        return _medians(self.live.fixed, self.simulated.fixed)

    def tuned_ratio(self):
        return _medians(self.live.tuned, self.simulated.tuned)

    def same_workers(self):
        return self.live.usual_workers() == self.simulated.usual_workers()

    def same_rates(self):
        return all(abs(ratio - 1) <= AGREE for ratio in (self.fixed_ratio().value, self.tuned_ratio().value))

    def agree(self):
        return self.same_rates() and self.same_workers()

    def rounds(self):
        """Each round as if there were no others."""
        sides = [[Side([fixed], [tuned], [workers]) for fixed, tuned, workers in zip(side.fixed, side.tuned, side.workers)]
                 for side in (self.live, self.simulated)]
        return [Both(self.name, live=live, simulated=simulated) for live, simulated in zip(*sides)]


def _medians(live, simulated):
    """Of both sides' medians; its spread is that of the rounds."""
    return Ratio.of(ratios(live, simulated), middle(live) / middle(simulated))


def agreeing(pairs):
    """How many agree; its spread is that of the rounds, each taken by itself."""
    by_round = zip(*(pair.rounds() for pair in pairs))
    return Ratio.of([sum(pair.agree() for pair in one) for one in by_round], sum(pair.agree() for pair in pairs))


class Runner:
    """Runs scenario files with one build of the program, live or simulated."""

    def __init__(self, build):
        self._program = program(build)
        self._folder = tempfile.TemporaryDirectory(prefix="sluice-compare-")

    def live(self, file, seconds, seed, tune):
        """(Taken, workers at the end)"""
        mode = "--tune" if tune else "--no-tune"
        rows, result = taken(self._result("run", file, seconds, seed, mode, "--quiet"))
        return rows, _workers(result["settings"], "name")

    def simulated(self, file, seconds, seed, tune):
        """(Taken, workers at the end)"""
        result = self._result("sim", file, seconds, seed, "--controller", "sluice" if tune else "none")
        return _ticks(result, _rows_per_item(file)), _workers(result["settings"], "knob")

    def _result(self, verb, file, seconds, seed, *options):
        path = Path(self._folder.name, "result.json")
        path.unlink(missing_ok=True)
        command = [self._program, verb, file, "--duration", f"{seconds:g}s", "--seed", str(seed), "--json", path,
                   *options]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=seconds + 120)
        if done.returncode != 0:
            raise SideFailed(f"`{' '.join(map(str, command))}` ended with {done.returncode}:\n{done.stderr.strip()}")
        return json.loads(path.read_text())


def _rows_per_item(file):
    sizes = [line.split("=")[1] for line in file.read_text().splitlines() if line.startswith("size =")]
    return int(sizes[0]) if sizes else 1


def _ticks(result, rows_per_item):
    moments, rows = [], 0
    for tick in result["ticks"]:
        rows += tick["items"] * rows_per_item
        moments.append((tick["at_seconds"], rows))
    return Taken(moments)


def _workers(settings, key):
    return {s[key].removesuffix(".workers"): s["end"] for s in settings if s[key].endswith(".workers")}


def compare(entry, options):
    runner = Runner(options.build)
    files = sorted(FOLDER.glob("*.toml"))
    report.open_report(entry)
    pairs = [Both(file.stem) for file in files]
    for seed in range(1, options.rounds + 1):
        for pair, file in zip(pairs, files, strict=True):
            _one_round(runner, pair, file, seed, options.seconds)
            report.note(f"round {seed} of {options.rounds}: {_round_text(pair)}")
    return _print(entry, pairs)


def _one_round(runner, pair, file, seed, seconds):
    with pair.late:
        _add(pair.live, runner.live(file, WARM_UP_SECONDS + seconds, seed, tune=False),
             runner.live(file, TUNED_SECONDS, seed, tune=True))
    _add(pair.simulated, runner.simulated(file, SIMULATED_SECONDS, seed, tune=False),
         runner.simulated(file, TUNED_SECONDS, seed, tune=True))


def _add(side, fixed, tuned):
    """fixed, tuned: (Taken, workers at the end) of a run each."""
    side.fixed.append(fixed[0].rate_from(WARM_UP_SECONDS))
    rows, workers = tuned
    side.tuned.append(rows.rate_from(rows.end - END_SECONDS))
    side.workers.append(workers)


def _round_text(pair):
    live, simulated = pair.live, pair.simulated
    return (f"{pair.name}: {live.fixed[-1]:.1f} and {simulated.fixed[-1]:.1f} rows/s, tuned {live.tuned[-1]:.1f} "
            f"{workers_text(live.workers[-1])} and {simulated.tuned[-1]:.1f} {workers_text(simulated.workers[-1])}")


def workers_text(workers):
    return "/".join(map(str, workers.values()))


def _print(entry, pairs):
    report.table(["rows/s, median", "live", "sim", "ratio", "tuned: live", "sim", "ratio", "workers: live", "sim",
                  "late ms", "agree"], [_row(pair) for pair in pairs])
    rates, workers = sum(p.same_rates() for p in pairs), sum(p.same_workers() for p in pairs)
    print("workers are those that most rounds ended with, per op in the order of the pipeline")
    print(f"late: by how much longer a sleep of {1000 * ASKED_SECONDS:g} ms took beside the live runs, mean")
    print(f"within {AGREE:.0%} in throughput: {rates} of {len(pairs)}; the same workers: {workers} of {len(pairs)}")
    print(f"floor {report.floor_text(entry)} scenarios that do both")
    return agreeing(pairs)


def _row(pair):
    live, simulated = pair.live, pair.simulated
    return [pair.name, f"{middle(live.fixed):.1f}", f"{middle(simulated.fixed):.1f}", report.ratio_text(pair.fixed_ratio()),
            f"{middle(live.tuned):.1f}", f"{middle(simulated.tuned):.1f}", report.ratio_text(pair.tuned_ratio()),
            workers_text(live.usual_workers()), workers_text(simulated.usual_workers()),
            f"{1000 * middle(pair.late.excess):.2f}", "yes" if pair.agree() else "no"]
