"""What the window costs the run that it shows: rows per second of one run that takes all cores, with `sluice ui` on it in
a display without a screen and without, in turns. OpenGL is drawn by the CPU, in the window's own thread: the dearest way."""

import os
import shutil
import subprocess
import time
from pathlib import Path

from . import data, report
from .errors import SideFailed
from .machine import ROOT
from .publishing import SCENARIO, rate_in
from .rates import Ratio, ratios
from .sluice_runs import Sluice, without_step
from .sweep import WARM_UP_SECONDS

SETTLED = 3.0  # seconds after the window is there: it has been drawn, and its start is over


def ui(entry, options):
    sluice = Sluice(options.build)
    data.need("imagefolder", sluice.program)
    for tool in ("Xvfb", "xdotool"):
        if shutil.which(tool) is None:
            raise SideFailed(f"{tool} is missing: apt-get install {tool.lower()}")
    report.open_report(entry)
    environment = {**os.environ, "XDG_RUNTIME_DIR": sluice.folder, "XDG_STATE_HOME": sluice.folder,
                   "XDG_CONFIG_HOME": sluice.folder, "LP_NUM_THREADS": "0", "LIBGL_ALWAYS_SOFTWARE": "1"}
    run = subprocess.Popen([sluice.program, "run", without_step(SCENARIO, sluice.folder), "--no-tune", "--quiet",
                            "--set", f"decode.workers={options.workers or 2}", "--duration", "1h"],
                           cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    with Display() as display:
        environment["DISPLAY"] = display.name
        try:
            time.sleep(WARM_UP_SECONDS)
            segment = next(Path(sluice.folder, "sluice").glob(f"{run.pid}-*"))
            return alternate(sluice, options, environment, run.pid, segment)
        finally:
            run.terminate()
            run.wait()


def alternate(sluice, options, environment, pid, segment):
    shown, alone, drawn = [], [], []
    for turn in range(options.rounds):
        sides = [lambda: shown.append(rate_while_shown(sluice, options, environment, pid, segment, drawn)),
                 lambda: alone.append(rate_in(segment, options.seconds))]
        for side in sides if turn % 2 == 0 else reversed(sides):
            side()
        report.note(f"round {turn + 1} of {options.rounds}: alone {alone[-1]:.0f}, shown {shown[-1]:.0f} rows/s")
    per_round = ratios(shown, alone)
    report.table(["rows/s", "median", "min", "max"],
                 [report.side_row("shown", shown), report.side_row("alone", alone), report.side_row("ratio", per_round, 4)])
    report.table(["CPU time of the window, % of a core", "median", "min", "max"], [report.side_row("window", drawn, 2)])
    report.rounds_line("ratio", per_round)
    return Ratio.of(per_round)


def rate_while_shown(sluice, options, environment, pid, segment, drawn):
    window = subprocess.Popen([Path(sluice.program).with_name("sluice-ui"), str(pid)], env=environment,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        found = subprocess.run(["xdotool", "search", "--sync", "--pid", str(window.pid), "--name", "Sluice"],
                               env=environment, capture_output=True, timeout=60, check=False)
        if found.returncode != 0 or window.poll() is not None:
            raise SideFailed(f"the window did not open: {window.communicate()[1].strip()}")
        time.sleep(SETTLED)
        begin = cpu_seconds(window.pid)
        rate = rate_in(segment, options.seconds)
        drawn.append(100 * (cpu_seconds(window.pid) - begin) / options.seconds)
        return rate
    finally:
        window.terminate()
        window.wait()
        window.stderr.close()


def cpu_seconds(pid):
    """Of all of its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Display:
    """An X server of its own."""

    def __enter__(self):
        read, write = os.pipe()
        self._server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
                                        pass_fds=(write,), stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as number:
            self.name = ":" + number.readline().strip()
        if self.name == ":":
            raise SideFailed("Xvfb did not start")
        return self

    def __exit__(self, *_):
        self._server.terminate()
        self._server.wait()
