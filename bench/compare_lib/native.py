"""The comparisons that are programs of their own: both sides are C++ in one process."""

import os
import re
import subprocess
from pathlib import Path

from . import data, report
from .errors import SideFailed
from .machine import ROOT
from .rates import Ratio
from .sluice_runs import program

DATA = {"jpeg-limit": "imagefolder", "cifar-limit": "cifar10"}


def run(entry, options):
    """Prints what the program prints, but for its last line, `RATIO NAME ...`; returns what that says."""
    path = Path(options.build, "bin", "bench_" + entry.name.replace("-", "_")).resolve()
    if not os.access(path, os.X_OK):
        raise SideFailed(f"{path} is missing; build it: cmake --preset release -DSLUICE_BENCH=ON && cmake --build --preset release")
    if entry.name in DATA:
        data.need(DATA[entry.name], program(options.build))
    report.open_report(entry)
    print(f"floor {report.floor_text(entry)}", flush=True)
    last = ""
    with subprocess.Popen([path, "--no-look"], cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        for line in child.stdout:
            print(last, end="", flush=True)
            last = line
    if child.returncode != 0:
        print(last, end="", flush=True)
        raise SideFailed(f"{path.name} ended with {child.returncode}")
    return ratio_of(entry.name, path.name, last)


def ratio_of(name, program_name, line):
    """From `RATIO NAME VALUE (LOW to HIGH, N rounds)`."""
    found = re.fullmatch(r"RATIO (\S+) (\S+) \((\S+) to (\S+), (\d+) rounds?\)", line.strip())
    if not found or found.group(1) != name:
        raise SideFailed(f"{program_name} did not end with a line `RATIO {name} VALUE (LOW to HIGH, N rounds)` but with {line!r}")
    return Ratio(*map(float, found.group(2, 3, 4)), int(found.group(5)))
