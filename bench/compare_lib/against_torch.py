"""jpeg-torch and cifar-torch. Each prints its table and returns the ratio."""

from dataclasses import dataclass

from . import data, report, torch_runs
from .rates import Ratio, ratios
from .sluice_runs import Sluice

WARM_UP_SECONDS = 1.0


@dataclass(frozen=True)
class OurSide:
    label: str
    scenario: str
    settings: dict


def jpeg(entry, options):
    settings = {"decode.workers": options.workers, "read.capacity": 64, "decode.capacity": 128, "batch.capacity": 4}
    sides = [OurSide("antialiased", "imagenet_antialias", settings), OurSide("not antialiased", "imagenet", settings)]
    antialiased, plain = _compare(entry, options, "imagefolder", sides)
    print(f"floor {report.floor_text(entry)}, not antialiased >= 3.4")
    report.ratio_line("jpeg-torch-bilinear", Ratio.of(plain))
    return Ratio.of(antialiased)


def cifar(entry, options):
    settings = {"augment.workers": options.workers, "read.capacity": 512, "augment.capacity": 512, "batch.capacity": 8}
    (ratio,) = _compare(entry, options, "cifar10", [OurSide("", "cifar10", settings)])
    print(f"floor {report.floor_text(entry)}")
    return Ratio.of(ratio)


def _compare(entry, options, kind, sides):
    """Rounds of torch, then each of our sides. Returns for each of ours its ratios, round by round."""
    sluice, versions = Sluice(options.build), torch_runs.versions()
    folder = data.need(kind, sluice.program)
    report.open_report(entry)
    print(versions, flush=True)
    workers, tried = torch_runs.best_workers(kind, folder, options.seconds, rounds=1 if options.quick else 2)
    theirs, ours = [], [[] for _ in sides]
    for turn in range(options.rounds):
        theirs.append(torch_runs.rows_per_second(kind, folder, workers, options.seconds))
        for side, rates in zip(sides, ours):
            taken, _ = sluice.run(side.scenario, options.seconds + WARM_UP_SECONDS, side.settings)
            rates.append(taken.rate_from(WARM_UP_SECONDS))
        shown = ", ".join(f"{rates[-1]:.0f}" for rates in ours)
        report.note(f"round {turn + 1} of {options.rounds}: torch {theirs[-1]:.0f}, sluice {shown} rows/s")
    per_round = [ratios(rates, theirs) for rates in ours]
    _print(sides, ours, theirs, per_round, workers, tried)
    return per_round


def _print(sides, ours, theirs, per_round, workers, tried):
    rows = [report.side_row(_name("sluice", side), rates) for side, rates in zip(sides, ours)]
    rows.append(report.side_row(f"torch, num_workers={workers}", theirs))
    rows += [report.side_row(f"  chosen from num_workers={n}", rates) for n, rates in tried.items()]
    rows += [report.side_row(_name("ratio", side), values, 3) for side, values in zip(sides, per_round)]
    report.table(["rows/s", "median", "min", "max"], rows)
    for side, values in zip(sides, per_round):
        report.rounds_line(_name("ratio", side), values)


def _name(what, side):
    return f"{what}, {side.label}" if side.label else what
