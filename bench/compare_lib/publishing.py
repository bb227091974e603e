"""What telling of a run costs it. record: `sluice run` with --record against itself without; trace: a run while
`sluice trace` writes what its workers do, against itself in between."""

import os
import struct
import subprocess
import time
from pathlib import Path

from . import data, report
from .errors import SideFailed
from .machine import ROOT
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


TEN_MICROSECONDS = """
name = "ten_microseconds"
epochs = 0
[source]
name = "list"
kind = "range"
count = 100000000
capacity = 64
[[op]]
name = "work"
kind = "synthetic"
burn = "10us"
workers = {workers}
capacity = 64
"""


def trace(entry, options):
    sluice = Sluice(options.build)
    report.open_report(entry)
    workers = options.workers or os.cpu_count()
    scenario = Path(sluice.folder, "ten_microseconds.toml")
    scenario.write_text(TEN_MICROSECONDS.format(workers=workers))
    environment = {**os.environ, "XDG_RUNTIME_DIR": sluice.folder}
    run = subprocess.Popen([sluice.program, "run", scenario, "--no-tune", "--quiet"], cwd=ROOT, env=environment,
                           stdout=subprocess.DEVNULL)
    try:
        time.sleep(WARM_UP_SECONDS)
        segment = next(Path(sluice.folder, "sluice").glob(f"{run.pid}-*"))
        traced, alone = [], []
        for turn in range(options.rounds):
            sides = [lambda: traced.append(rate_while_traced(sluice, environment, run.pid, segment, options.seconds)),
                     lambda: alone.append(rate_in(segment, options.seconds))]
            for side in sides if turn % 2 == 0 else reversed(sides):
                side()
            report.note(f"round {turn + 1} of {options.rounds}: alone {alone[-1]:.0f}, traced {traced[-1]:.0f} items/s")
    finally:
        run.terminate()
        run.wait()
    per_round = ratios(alone, traced)
    report.table([f"items/s, {workers} workers", "median", "min", "max"],
                 [report.side_row("traced", traced), report.side_row("alone", alone)])
    report.rounds_line("time per item, traced over alone", per_round)
    return Ratio.of(per_round)


def rows_taken(segment):
    """By the consumer so far, as docs/telemetry-segment.md has it."""
    data = segment.read_bytes()
    (consumer,) = struct.unpack_from("<Q", data, 240)
    return struct.unpack_from("<Q", data, consumer + 8)[0]


def rate_in(segment, seconds):
    begin, rows = time.monotonic(), rows_taken(segment)
    time.sleep(seconds)
    return (rows_taken(segment) - rows) / (time.monotonic() - begin)


def rate_while_traced(sluice, environment, pid, segment, seconds):
    file = Path(sluice.folder, "run.perfetto-trace")
    tracer = subprocess.Popen([sluice.program, "trace", str(pid), "--seconds", f"{seconds + 0.5:g}", "-o", file, "--quiet"],
                              env=environment)
    while not file.exists() or file.stat().st_size < 1000:
        if tracer.poll() is not None:
            raise SideFailed(f"`sluice trace` ended with {tracer.returncode}")
        time.sleep(0.01)
    rate = rate_in(segment, seconds)
    if tracer.wait() != 0:
        raise SideFailed(f"`sluice trace` ended with {tracer.returncode}")
    file.unlink()
    return rate


class Side:
    def __init__(self):
        self.rates, self.costs = [], []

    def add(self, taken, result):
        self.rates.append(taken.rate_from(WARM_UP_SECONDS))
        self.costs.append(1e6 * result["process"]["cpu_seconds"] / result["consumer"]["rows"])
