"""The comparisons that are programs of their own: both sides are C++ in one process."""

import os
import subprocess
from pathlib import Path

from . import data, report
from .errors import SideFailed
from .machine import ROOT
from .sluice_runs import program

DATA = {"jpeg-limit": "imagefolder", "cifar-limit": "cifar10"}


def run(entry, options):
    """Prints what the program prints, but for its last line, `RATIO NAME VALUE`; returns that value."""
    path = Path(options.build, "bin", "bench_" + entry.name.replace("-", "_")).resolve()
    if not os.access(path, os.X_OK):
        raise SideFailed(f"{path} is missing; build it: cmake --preset release && cmake --build --preset release")
    if entry.name in DATA:
        data.need(DATA[entry.name], program(options.build))
    report.open_report(entry)
    print(f"floor {report.floor_text(entry)}", flush=True)
    last = ""
    with subprocess.Popen([path], cwd=ROOT, stdout=subprocess.PIPE, text=True) as child:
        for line in child.stdout:
            print(last, end="", flush=True)
            last = line
    if child.returncode != 0:
        print(last, end="", flush=True)
        raise SideFailed(f"{path.name} ended with {child.returncode}")
    return _ratio(entry.name, path.name, last)


def _ratio(name, program_name, line):
    words = line.split()
    if words[:2] != ["RATIO", name] or len(words) != 3:
        raise SideFailed(f"{program_name} did not end with a line `RATIO {name} VALUE` but with {line!r}")
    return float(words[2])
