"""wrap-idle, wrap-io, wrap-jpeg, wrap-hold, wrap-mem: a training run through `sluice wrap` against the bare run."""

from . import data, report
from .errors import TooShort
from .rates import Ratio, in_turn, middle, percentile, ratios
from .sluice_runs import Sluice
from .wrap_runs import WrapRuns

SWEPT = (0, 1, 2, 4, 8, 16, 32)
SWEPT_QUICK = (1, 2, 16)
FINALISTS = 2
SWEEP_FROM_SECONDS, SWEEP_SECONDS = 3.0, 4.0
TUNED_FROM_SECONDS = 10.0
HOLD_WARM_UP_SECONDS = 2.0
HOLD_WINDOW_SECONDS = 5.0
IDLE_WARM_UP_SECONDS = 2.0
IDLE_WORKERS = 2
MEMORY_WORKERS = 1
MORE_MEMORY = 100 << 20  # than the bare run takes


def idle(entry, options):
    runs = WrapRuns(Sluice(options.build).program, "compute")
    report.open_report(entry)
    bare, wrapped = [], []
    for turn in range(options.rounds):
        for rates, wrap in in_turn(turn, [(bare, False), (wrapped, True)]):
            taken = runs.taken(IDLE_WORKERS, IDLE_WARM_UP_SECONDS + options.seconds, wrap)
            rates.append(1000 * 64 / taken.rate_from(IDLE_WARM_UP_SECONDS))
        report.note(f"round {turn + 1} of {options.rounds}: bare {bare[-1]:.2f}, wrapped {wrapped[-1]:.2f} ms per step")
    per_round = ratios(wrapped, bare)
    report.table(["ms per step", "median", "min", "max"],
                 [report.side_row("wrapped", wrapped, 2), report.side_row("bare", bare, 2),
                  report.side_row("ratio", per_round, 4)])
    report.rounds_line("ratio", per_round)
    return Ratio.of(per_round)


def io(entry, options):
    report.open_report(entry)
    return _tuned(WrapRuns(Sluice(options.build).program, "io"), options)


def jpeg(entry, options):
    sluice = Sluice(options.build)
    folder = data.need("imagefolder", sluice.program)
    report.open_report(entry)
    return _tuned(WrapRuns(sluice.program, "jpeg", folder), options)


def hold(entry, options):
    sluice = Sluice(options.build)
    folder = data.need("imagefolder", sluice.program)
    report.open_report(entry)
    values = []
    for work in ("io", "jpeg"):
        runs = WrapRuns(sluice.program, work, folder)
        values.append(_held(runs, _finalists(runs, options)[0], options))
    return min(values, key=lambda ratio: ratio.value)


def mem(entry, options):
    """The budget is what the bare run takes and 100 MiB; without a budget the tuned run takes more."""
    runs = WrapRuns(Sluice(options.build).program, "io")
    report.open_report(entry)
    shares, unbounded = [], []
    for turn in range(options.rounds):
        _, bare = runs.peak_memory(MEMORY_WORKERS, options.seconds / 2)
        budget = bare + MORE_MEMORY
        taken, peak = runs.peak_memory(MEMORY_WORKERS, options.seconds, True, ("--memory", f"{budget}B"))
        _, free = runs.peak_memory(MEMORY_WORKERS, options.seconds, True)
        shares.append(peak / budget)
        unbounded.append(free / budget)
        report.note(f"round {turn + 1} of {options.rounds}: bare {bare >> 20}, budget {budget >> 20}, "
                    f"peak {peak >> 20} MiB ({taken.rate_from(options.seconds / 2):.0f} rows/s), "
                    f"without a budget {free >> 20} MiB")
    report.table(["peak PSS over the budget", "median", "min", "max"],
                 [report.side_row("with --memory", shares, 3), report.side_row("without", unbounded, 3)])
    return Ratio.of(shares, max(shares))


def _finalists(runs, options):
    """The best settings of one sweep of bare runs, the best first."""
    rates = {}
    for workers in SWEPT_QUICK if options.quick else SWEPT:
        rates[workers] = _swept(runs, workers)
        report.note(f"{runs.work}: bare with num_workers={workers}: {rates[workers]:.0f} rows/s")
    return sorted(rates, key=rates.get, reverse=True)[:FINALISTS]


def _swept(runs, workers):
    """0 where so many workers have not even begun to deliver by then."""
    try:
        return runs.taken(workers, SWEEP_FROM_SECONDS + SWEEP_SECONDS).rate_from(SWEEP_FROM_SECONDS)
    except TooShort:
        return 0.0


def _tuned(runs, options):
    finalists = _finalists(runs, options)
    tuned, swept = [], {workers: [] for workers in finalists}
    for turn in range(options.rounds):
        length = TUNED_FROM_SECONDS + options.seconds
        tuned.append(runs.taken(1, length, True).rate_from(TUNED_FROM_SECONDS))
        for workers, rates in swept.items():
            taken = runs.taken(workers, SWEEP_FROM_SECONDS + options.seconds)
            rates.append(taken.rate_from(SWEEP_FROM_SECONDS))
        shown = ", ".join(f"{rates[-1]:.0f}" for rates in swept.values())
        report.note(f"{runs.work}: round {turn + 1} of {options.rounds}: tuned {tuned[-1]:.0f}, swept {shown} rows/s")
    best = max(swept, key=lambda workers: middle(swept[workers]))
    per_round = ratios(tuned, swept[best])
    report.table(["rows/s", "median", "min", "max"],
                 [report.side_row(f"wrapped, from 1 worker, second {TUNED_FROM_SECONDS:g} on", tuned),
                  report.side_row(f"bare with num_workers={best}, the sweep's best", swept[best]),
                  report.side_row("ratio", per_round, 3)])
    report.rounds_line("ratio", per_round)
    return Ratio.of(per_round)


def _held(runs, workers, options):
    bare, wrapped = [], []
    for turn in range(options.rounds):
        for rounds, wrap in in_turn(turn, [(bare, False), (wrapped, True)]):
            taken = runs.taken(workers, HOLD_WARM_UP_SECONDS + options.seconds, wrap)
            rounds.append(taken.windows(HOLD_WARM_UP_SECONDS, HOLD_WINDOW_SECONDS))
        report.note(f"{runs.work}: round {turn + 1} of {options.rounds}: bare {_mean(bare[-1]):.0f}, "
                    f"wrapped {_mean(wrapped[-1]):.0f} rows/s")
    means = ratios(map(_mean, wrapped), map(_mean, bare))
    tenths = ratios(map(_tenth, wrapped), map(_tenth, bare))
    mean, tenth = Ratio.of(means), Ratio.of(tenths, _tenth(sum(wrapped, [])) / _tenth(sum(bare, [])))
    print(f"{runs.work}, num_workers={workers}")
    report.table(["rows/s in 5 s", "median", "min", "max"],
                 [report.side_row("wrapped", sum(wrapped, [])), report.side_row("bare", sum(bare, []))])
    report.rounds_line("ratio of means", means)
    report.rounds_line("ratio of 10th percentiles", tenths)
    print(f"mean, median of the rounds: {report.ratio_text(mean)}")
    print(f"10th percentile, all windows together: {report.ratio_text(tenth)}")
    return min(mean, tenth, key=lambda ratio: ratio.value)


def _mean(values):
    return sum(values) / len(values)


def _tenth(values):
    return percentile(values, 0.1)
