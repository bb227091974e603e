"""tune and harm: `sluice run` with tuning against itself without. Each prints its tables and returns the ratio."""

from dataclasses import dataclass

from . import data, report
from .rates import Ratio, middle, percentile, ratios
from .sluice_runs import Sluice
from .sweep import WARM_UP_SECONDS, BestSettings, describe, finalists

SCENARIOS = ("imagenet", "mixed")
TUNED_FROM_SECONDS = 5.0
HARM_WARM_UP_SECONDS = 1.0  # the pipeline fills, on both sides
TAIL_SECONDS = 0.5  # the last batch comes before a run's end: without it the last window would not be whole


def tune(entry, options):
    sluice = Sluice(options.build)
    data.need("imagefolder", sluice.program)
    best = BestSettings(options.build, sluice.program)
    report.open_report(entry)
    values = [_tune_one(sluice, best, scenario, options) for scenario in SCENARIOS]
    print(f"floor {report.floor_text(entry)}, of the smaller one")
    return min(values, key=lambda ratio: ratio.value)


def harm(entry, options):
    sluice = Sluice(options.build)
    data.need("imagefolder", sluice.program)
    best = BestSettings(options.build, sluice.program)
    report.open_report(entry)
    values = [_harm_one(sluice, best, scenario, options) for scenario in SCENARIOS]
    print(f"floor {report.floor_text(entry)}, of the smallest one")
    return min(values, key=lambda ratio: ratio.value)


@dataclass(frozen=True)
class Candidate:
    settings: dict
    rates: list


def _settings_text(settings):
    workers = [f"{knob}={value}" for knob, value in settings.items() if knob.endswith(".workers")]
    capacity = next(value for knob, value in settings.items() if knob.endswith(".capacity"))
    return f"{' '.join(workers)} capacity={capacity}"


def _tune_one(sluice, best, scenario, options):
    """Rounds of one tuned run and one run of each finalist of the sweep. Returns the ratio."""
    candidates = [Candidate(s, []) for s in finalists(sluice, scenario, options.quick)]
    tuned = []
    for turn in range(options.rounds):
        taken, result = sluice.run(scenario, TUNED_FROM_SECONDS + options.seconds, tune=True)
        tuned.append((taken, result))
        for candidate in candidates:
            swept, _ = sluice.run(scenario, WARM_UP_SECONDS + options.seconds, candidate.settings)
            candidate.rates.append(swept.rate_from(WARM_UP_SECONDS))
        shown = ", ".join(f"{c.rates[-1]:.0f}" for c in candidates)
        rate = taken.rate_from(TUNED_FROM_SECONDS)
        report.note(f"{scenario}: round {turn + 1} of {options.rounds}: tuned {rate:.0f}, swept {shown} rows/s")
    winner = max(candidates, key=lambda c: middle(c.rates))
    if not options.quick:
        best.store(scenario, winner.settings)
    return _print_tune(scenario, tuned, winner, options)


def _print_tune(scenario, tuned, winner, options):
    rates = [taken.rate_from(TUNED_FROM_SECONDS) for taken, _ in tuned]
    per_round = ratios(rates, winner.rates)
    print(f"\n{scenario}, swept {describe(scenario, options.quick)}")
    print(f"best of the sweep: {_settings_text(winner.settings)}")
    report.table(["rows/s", "median", "min", "max"],
                 [report.side_row(f"tuned from 1 worker, second {TUNED_FROM_SECONDS:g} on", rates),
                  report.side_row("best of the sweep", winner.rates),
                  report.side_row("ratio", per_round, 3)])
    report.rounds_line("ratio", per_round)
    for share in (0.95, 0.97):
        print(f"{share:.0%} of the best reached after: {_reached_text(tuned, share * middle(winner.rates))}")
    print(f"settings at the end: {_end_text(tuned[-1][1])}")
    return Ratio.of(per_round)


def _reached_text(tuned, rate):
    moments = [taken.reached(rate) for taken, _ in tuned]
    return " ".join("never" if m is None else f"{m:.1f} s" for m in moments)


def _end_text(result):
    return " ".join(f"{knob['name']}={knob['end']}" for knob in result["settings"])


def _harm_one(sluice, best, scenario, options):
    """Rounds of a run left alone and a run with tuning, both from the sweep's best. Returns the smaller
    of the ratios of mean and 5th percentile."""
    start = best.load(scenario) or finalists(sluice, scenario, options.quick)[0]
    alone, tuned = [], []
    for turn in range(options.rounds):
        for rounds, tune_it in ((alone, False), (tuned, True)):
            length = HARM_WARM_UP_SECONDS + options.seconds + TAIL_SECONDS
            taken, _ = sluice.run(scenario, length, start, tune=tune_it)
            rounds.append(taken.windows(HARM_WARM_UP_SECONDS)[:max(1, int(options.seconds))])
        means = f"alone {_mean(alone[-1]):.0f}, tuned {_mean(tuned[-1]):.0f} rows/s"
        report.note(f"{scenario}: round {turn + 1} of {options.rounds}: {means}")
    return _print_harm(scenario, start, alone, tuned)


def _print_harm(scenario, start, alone, tuned):
    means = ratios(map(_mean, tuned), map(_mean, alone))
    fifths = ratios(map(_fifth, tuned), map(_fifth, alone))
    mean, fifth = Ratio.of(means), Ratio.of(fifths, _fifth(sum(tuned, [])) / _fifth(sum(alone, [])))
    print(f"\n{scenario}, from {_settings_text(start)}; {len(sum(alone, []))} windows of 1 s on each side")
    report.table(["rows/s", "median", "min", "max", "5th percentile"],
                 [[*report.side_row(name, sum(windows, [])), f"{_fifth(sum(windows, [])):.0f}"]
                  for name, windows in (("tuned", tuned), ("left alone", alone))])
    report.rounds_line("ratio of means", means)
    report.rounds_line("ratio of 5th percentiles", fifths)
    print(f"mean, median of the rounds: {report.ratio_text(mean)}")
    print(f"5th percentile, all windows together: {report.ratio_text(fifth)}")
    return min(mean, fifth, key=lambda ratio: ratio.value)


def _mean(values):
    return sum(values) / len(values)


def _fifth(values):
    return percentile(values, 0.05)
