"""wrap-short, wrap-start: runs with short epochs through `sluice wrap` against the bare run, start-up included."""

import tempfile
from pathlib import Path

from . import report, short_runs
from .rates import Ratio, in_turn, ratios
from .short_runs import Cell
from .sluice_runs import Sluice
from .torch_runs import need_torch

EPOCHS = (1, 3, 10)  # seconds
METHODS = ("fork", "spawn", "forkserver")
CPU_FLOOR = 1.2
START = Cell(1, 4, "spawn")


def cells():
    """Every kind of run that is compared."""
    found = []
    for epoch in EPOCHS:
        found.append(Cell(epoch, 0))
        found += [Cell(epoch, workers, method, persistent)
                  for workers in (1, 4) for method in METHODS for persistent in (False, True)]
        found += [Cell(epoch, workers, ranks=2) for workers in (0, 1)]
        found += [Cell(epoch, workers, work="cold") for workers in (1, 4)]
    return found


def quick_cells():
    """One of each kind of trap."""
    return [Cell(1, 0), Cell(1, 1, "fork"), Cell(1, 4, "fork"), Cell(1, 1, "spawn", True), Cell(3, 1, "spawn"),
            Cell(1, 1, ranks=2), Cell(1, 1, work="cold")]


def short(entry, options):
    need_torch()
    program = Sluice(options.build).program
    report.open_report(entry)
    rows, times, processor = [], [], []
    for cell in quick_cells() if options.quick else cells():
        for saved in (False, True):
            measured = _compare(program, cell, options, saved)
            times.append(Ratio.of(measured[0]))
            processor.append(Ratio.of(measured[1]))
            name = cell.name + (", over its saved file" if saved else "")
            rows.append([name, report.ratio_text(times[-1]), report.ratio_text(processor[-1])])
            report.note("  ".join(rows[-1]))
    report.table(["epochs", "time", "CPU"], rows)
    within = sum(ratio.value <= entry.floor for ratio in times)
    together = report.ratio_text(Ratio.of([ratio.value for ratio in times]), "cell")
    print(f"time: {within} of {len(times)} within {entry.floor:g}, in the middle {together}")
    print(f"CPU time: worst {report.ratio_text(_worst(processor))}, floor <= {CPU_FLOOR:g}")
    return _worst(times)


def _worst(found):
    return max(found, key=lambda ratio: ratio.value)


def _compare(program, cell, options, saved):
    """Ratios of time and of CPU time, round by round. `saved`: the wrapped runs begin with what a run before has found."""
    epochs = cell.epochs(options.seconds)
    with tempfile.TemporaryDirectory(prefix="sluice-short-") as folder:
        tuned = Path(folder, "tuned.toml")
        extra = ()
        if saved:
            short_runs.run(program, cell, epochs, True, ("--save", str(tuned)))
            extra = ("--load", str(tuned)) if tuned.exists() else ()
        bare, wrapped = [], []
        for turn in range(options.rounds):
            for runs, wrap, more in in_turn(turn, [(bare, False, ()), (wrapped, True, extra)]):
                runs.append(short_runs.run(program, cell, epochs, wrap, more))
    return (ratios([run.seconds for run in wrapped], [run.seconds for run in bare]),
            ratios([run.cpu for run in wrapped], [run.cpu for run in bare]))


def start(entry, options):
    need_torch()
    program = Sluice(options.build).program
    report.open_report(entry)
    bare, wrapped = [], []
    for turn in range(options.rounds):
        for firsts, wrap in in_turn(turn, [(bare, False), (wrapped, True)]):
            firsts.append(short_runs.run(program, START, 1, wrap).first)
        report.note(f"round {turn + 1} of {options.rounds}: bare {bare[-1]:.3f}, wrapped {wrapped[-1]:.3f} s")
    per_round = ratios(wrapped, bare)
    report.table(["seconds to the first batch", "median", "min", "max"],
                 [report.side_row("wrapped", wrapped, 3), report.side_row("bare", bare, 3),
                  report.side_row("ratio", per_round, 3)])
    report.rounds_line("ratio", per_round)
    return Ratio.of(per_round)
