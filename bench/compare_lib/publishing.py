"""What telling of a run costs it. record, scrape: `sluice run` with --record or scraped ten times a second, against
itself without; trace: a run while `sluice trace` writes what its workers do, against itself in between, with one
worker as `probes` has it, and again with one per core, so that the tracer finds none idle."""

import json
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
from .rates import Ratio, ratios
from .sluice_runs import Sluice
from .sweep import WARM_UP_SECONDS

SCENARIO = "imagenet"  # needs all cores: whatever else runs is missing there
SCRAPE_EACH = 0.1  # seconds


def record(entry, options):
    return publish(entry, options, "recorded",
                   lambda sluice, run: run(more=("--record", Path(sluice.folder, "run.sluice"))))


def scrape(entry, options):
    return publish(entry, options, "scraped", run_scraped)


def run_scraped(sluice, run):
    targets = Path(sluice.folder, "targets.json")
    with Scraper(targets) as scraper:
        done = run(more=("--metrics", "127.0.0.1:0", "--metrics-targets", targets, "--metrics-linger", "0s"))
    if scraper.scrapes == 0:
        raise SideFailed("no scrape was answered")
    return done


def publish(entry, options, name, run_published):
    """`run_published(sluice, run)` calls `run(more=...)` with what publishes."""
    sluice = Sluice(options.build)
    data.need("imagefolder", sluice.program)
    report.open_report(entry)
    settings = {"decode.workers": options.workers or 2}

    def run(more=()):
        return sluice.run(SCENARIO, WARM_UP_SECONDS + options.seconds, settings, more=more)
    alone, published = Side(), Side()
    for turn in range(options.rounds):
        alone.add(*run())
        published.add(*run_published(sluice, run))
        report.note(f"round {turn + 1} of {options.rounds}: alone {alone.rates[-1]:.0f}, {name} {published.rates[-1]:.0f} rows/s")
    per_round = ratios(published.rates, alone.rates)
    report.table(["rows/s", "median", "min", "max"],
                 [report.side_row(name, published.rates), report.side_row("alone", alone.rates),
                  report.side_row("ratio", per_round, 4)])
    report.table(["CPU time per row, us", "median", "min", "max"],
                 [report.side_row(name, published.costs, 1), report.side_row("alone", alone.costs, 1),
                  report.side_row("ratio", ratios(published.costs, alone.costs), 4)])
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
    """Scrapes the server that a file of targets names, for as long as it names one. Over a bare socket: what it takes itself is
    missing to the run as well."""

    REQUEST = (b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n"
               b"Accept: application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5\r\n\r\n")

    def __init__(self, targets):
        self.scrapes = 0
        self._targets = targets
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._main)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def _main(self):
        while not self._over.wait(SCRAPE_EACH):
            try:
                host, port = json.loads(self._targets.read_text())[0]["targets"][0].split(":")
                self._scrape(host, int(port))
            except OSError:
                pass  # not yet there, or not any more

    def _scrape(self, host, port):
        with socket.create_connection((host, port), timeout=10) as connection:
            connection.sendall(self.REQUEST)
            answer = connection.recv(1 << 16)
            while connection.recv(1 << 16):
                pass
        self.scrapes += answer.startswith(b"HTTP/1.1 200 ")
