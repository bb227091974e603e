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
AFRESH = 5  # times the rounds, for what is beyond the floor: single runs of one kind differ by a tenth and more
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
        found.append(Cell(epoch, 0, work="memory"))
    return found


def quick_cells():
    """One of each kind of trap."""
    return [Cell(1, 0), Cell(1, 1, "fork"), Cell(1, 4, "fork"), Cell(1, 1, "spawn", True), Cell(3, 1, "spawn"),
            Cell(1, 1, ranks=2), Cell(1, 1, work="cold"), Cell(1, 0, work="memory")]


def short(entry, options):
    need_torch()
    program = Sluice(options.build).program
    report.open_report(entry)
    found = {}
    for cell in quick_cells() if options.quick else cells():
        for saved in (False, True):
            found[cell, saved] = _compare(program, cell, options.seconds, options.rounds, saved)
            report.note("  ".join(_row(cell, saved, found[cell, saved])))
    beyond = [] if options.quick else [kind for kind, measured in found.items() if _beyond(measured, entry.floor)]
    for cell, saved in beyond:  # only the new rounds count: those that chose the cell are its bad luck, too
        found[cell, saved] = _compare(program, cell, options.seconds, AFRESH * options.rounds, saved)
        report.note("afresh: " + "  ".join(_row(cell, saved, found[cell, saved])))
    report.table(["epochs", "time", "CPU"], [_row(*kind, measured) for kind, measured in found.items()])
    times, processor = ([measured[i] for measured in found.values()] for i in (0, 1))
    within = sum(ratio.value <= entry.floor for ratio in times)
    together = report.ratio_text(Ratio.of([ratio.value for ratio in times]), "cell")
    print(f"time: {within} of {len(times)} within {entry.floor:g}, in the middle {together}; {len(beyond)} measured afresh")
    print(f"CPU time: worst {report.ratio_text(_worst(processor))}, floor <= {CPU_FLOOR:g}")
    return _worst(times)


def _row(cell, saved, measured):
    return [cell.name + (", over its saved file" if saved else ""), *(report.ratio_text(ratio) for ratio in measured)]


def _beyond(measured, floor):
    return measured[0].value > floor or measured[1].value > CPU_FLOOR


def _worst(found):
    return max(found, key=lambda ratio: ratio.value)


def _compare(program, cell, seconds, rounds, saved):
    """Ratios of time and of CPU time. `saved`: the wrapped runs begin with what a run before has found."""
    epochs = cell.epochs(seconds)
    with tempfile.TemporaryDirectory(prefix="sluice-short-") as folder:
        tuned = Path(folder, "tuned.toml")
        extra = ()
        if saved:
            short_runs.run(program, cell, epochs, True, ("--save", str(tuned)))
            extra = ("--load", str(tuned)) if tuned.exists() else ()
        bare, wrapped = [], []
        for turn in range(rounds):
            for runs, wrap, more in in_turn(turn, [(bare, False, ()), (wrapped, True, extra)]):
                runs.append(short_runs.run(program, cell, epochs, wrap, more))
    return (Ratio.of(ratios([run.seconds for run in wrapped], [run.seconds for run in bare])),
            Ratio.of(ratios([run.cpu for run in wrapped], [run.cpu for run in bare])))


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
