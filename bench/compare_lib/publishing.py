"""What telling of a run costs it. record, scrape: `sluice run` with --record or scraped ten times a second, beside
itself without; trace: a run while `sluice trace` writes what its workers do, against itself in between, with one
worker as `probes` has it, and again with one per core, so that the tracer finds none idle."""

import contextlib
import itertools
import json
import math
import os
import socket
import struct
import subprocess
import threading
import time
from pathlib import Path

from . import data, report
from .errors import SideFailed
from .machine import ROOT
from .rates import Ratio, in_turn, ratios
from .sluice_runs import Sluice
from .sweep import WARM_UP_SECONDS

SCENARIO = "imagenet"  # takes all of a core: whatever else runs there is missing
SCRAPE_EACH = 0.1  # seconds


def record(entry, options):
    return publish(entry, options, "recorded", lambda folder: ("--record", Path(folder, "run.sluice")))


def scrape(entry, options):
    def arguments(folder):
        return "--metrics", "127.0.0.1:0", "--metrics-targets", Path(folder, "targets.json"), "--metrics-linger", "0s"
    return publish(entry, options, "scraped", arguments, Scraper)


def publish(entry, options, name, arguments, reader=None):
    """Two runs at once, each on a core of its own, one of which publishes: what makes the machine faster or slower does so to both.
    They change cores from one half of a round to the next. `reader(folder, cores)` reads meanwhile what is published."""
    sluice = Sluice(options.build)
    data.need("imagefolder", sluice.program)
    report.open_report(entry)
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        raise SideFailed("two runs at once need two cores")
    alone, published, per_round = Side(), Side(), []
    for turn in range(options.rounds):
        halves = [twins(sluice, options, cores[::step], arguments, reader) for step in (1, -1)]
        for one, other in halves:
            published.add(*one)
            alone.add(*other)
        per_round.append(math.sqrt(math.prod(ratios(published.rates[-2:], alone.rates[-2:]))))
        report.note(f"round {turn + 1} of {options.rounds}: {name} over alone {per_round[-1]:.4f}")
    report.table(["rows/s", "median", "min", "max"],
                 [report.side_row(name, published.rates), report.side_row("alone", alone.rates),
                  report.side_row("ratio", per_round, 4)])
    report.table(["CPU time per row, us", "median", "min", "max"],
                 [report.side_row(name, published.costs, 1), report.side_row("alone", alone.costs, 1),
                  report.side_row("ratio", ratios(published.costs, alone.costs), 4)])
    report.rounds_line("ratio", per_round)
    return Ratio.of(per_round)


def twins(sluice, options, cores, arguments, reader):
    """((Taken, result) of the one that publishes, the same of the other)."""
    seconds = WARM_UP_SECONDS + options.seconds
    settings = {"decode.workers": 1}
    one, other = [sluice.start(SCENARIO, seconds, settings, more=more, core=core, name=f"core{core}")
                  for core, more in zip(cores, (arguments(sluice.folder), ()), strict=True)]
    try:
        with reader(sluice.folder, cores) if reader else contextlib.nullcontext():
            return one.result(), other.result()
    except BaseException:
        for run in (one, other):
            run.kill()
        raise


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
    one, crowded = [traced_over_alone(sluice, options, workers) for workers in (1, os.cpu_count())]
    report.ratio_line("trace-crowded", Ratio.of(crowded))
    return Ratio.of(one)


def traced_over_alone(sluice, options, workers):
    """Time per item, round by round."""
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
            for side in in_turn(turn, sides):
                side()
            report.note(f"round {turn + 1} of {options.rounds}: alone {alone[-1]:.0f}, traced {traced[-1]:.0f} items/s")
    finally:
        run.terminate()
        run.wait()
    per_round = ratios(alone, traced)
    report.table([f"items/s, {workers} workers", "median", "min", "max"],
                 [report.side_row("traced", traced), report.side_row("alone", alone)])
    report.rounds_line("time per item, traced over alone", per_round)
    return per_round


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


class Scraper:
    """Scrapes the server that a file of targets names, for as long as it names one. Over a bare socket, and on one core after the
    other: what it takes itself, both runs miss in equal parts, as if it were another machine's."""

    REQUEST = (b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n"
               b"Accept: application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5\r\n\r\n")

    def __init__(self, folder, cores):
        self._targets, self._cores = Path(folder, "targets.json"), itertools.cycle(cores)
        self._scrapes = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._main)

    def __enter__(self):
        self._thread.start()

    def __exit__(self, failed, *_):
        self._over.set()
        self._thread.join()
        if failed is None and self._scrapes == 0:
            raise SideFailed("no scrape was answered")

    def _main(self):
        target = None
        while not self._over.wait(SCRAPE_EACH):
            os.sched_setaffinity(threading.get_native_id(), {next(self._cores)})
            try:
                if target is None:
                    host, port = json.loads(self._targets.read_text())[0]["targets"][0].split(":")
                    target = host, int(port)
                self._scrape(target)
            except OSError:
                pass  # not yet there, or not any more

    def _scrape(self, target):
        with socket.create_connection(target, timeout=10) as connection:
            connection.sendall(self.REQUEST)
            answer = connection.recv(1 << 16)
            while connection.recv(1 << 16):
                pass
        self._scrapes += answer.startswith(b"HTTP/1.1 200 ")
