"""record: what keeping a run costs, `sluice run` with --record against itself without."""

from pathlib import Path

from . import data, report
from .rates import Ratio, ratios
from .sluice_runs import Sluice
from .sweep import WARM_UP_SECONDS

SCENARIO = "imagenet"  # needs all cores: whatever else runs is missing there


def record(entry, options):
    sluice = Sluice(options.build)
    data.need("imagefolder", sluice.program)
    report.open_report(entry)
    settings = {"decode.workers": options.workers or 2}
    alone, recorded = Side(), Side()
    for turn in range(options.rounds):
        for side, more in ((alone, ()), (recorded, ("--record", Path(sluice.folder, "run.sluice")))):
            side.add(*sluice.run(SCENARIO, WARM_UP_SECONDS + options.seconds, settings, more=more))
        report.note(f"round {turn + 1} of {options.rounds}: alone {alone.rates[-1]:.0f}, recorded {recorded.rates[-1]:.0f} rows/s")
    per_round = ratios(recorded.rates, alone.rates)
    report.table(["rows/s", "median", "min", "max"],
                 [report.side_row("recorded", recorded.rates), report.side_row("alone", alone.rates),
                  report.side_row("ratio", per_round, 4)])
    report.table(["CPU time per row, us", "median", "min", "max"],
                 [report.side_row("recorded", recorded.costs, 1), report.side_row("alone", alone.costs, 1),
                  report.side_row("ratio", ratios(recorded.costs, alone.costs), 4)])
    report.rounds_line("ratio", per_round)
    return Ratio.of(per_round)


class Side:
    def __init__(self):
        self.rates, self.costs = [], []

    def add(self, taken, result):
        self.rates.append(taken.rate_from(WARM_UP_SECONDS))
        self.costs.append(1e6 * result["process"]["cpu_seconds"] / result["consumer"]["rows"])
