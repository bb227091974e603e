"""What the window costs the run that it shows. OpenGL is drawn by the CPU, in the window's own thread: the dearest way.

Two runs at once, each on a core of its own, each with a window on that core, drawn on a display without a screen. In turns one
window goes on and the other one is stopped, so that what makes the machine faster or slower does so to both."""

import math
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from . import data, report
from .errors import SideFailed
from .machine import ROOT
from .publishing import SCENARIO, rows_taken
from .rates import Ratio
from .sluice_runs import Sluice, without_step
from .sweep import WARM_UP_SECONDS

SETTLED = 13.0  # seconds after the window is there: its start is over, and it draws as when nobody touches it
WAKING = 1.0  # seconds from going on to being measured


def ui(entry, options):
    sluice = Sluice(options.build)
    data.need("imagefolder", sluice.program)
    for tool in ("Xvfb", "xdotool", "taskset"):
        if shutil.which(tool) is None:
            raise SideFailed(f"{tool} is missing: apt-get install xvfb xdotool util-linux")
    cores = sorted(os.sched_getaffinity(0))[:2]
    if len(cores) < 2:
        raise SideFailed("two runs at once need two cores")
    report.open_report(entry)
    with Shown(sluice, cores[0]) as one, Shown(sluice, cores[1]) as other:
        time.sleep(SETTLED)
        return alternate(options, one, other)


def alternate(options, one, other):
    shown, alone, drawn, per_round = [], [], [], []
    for turn in range(options.rounds):
        ratios = []
        for on, off in ((one, other), (other, one)):
            off.stop()
            on.go_on()
            time.sleep(WAKING)
            cpu = on.cpu_seconds()
            rates = together(on, off, options.seconds)
            drawn.append(100 * (on.cpu_seconds() - cpu) / options.seconds)
            shown.append(rates[0])
            alone.append(rates[1])
            ratios.append(rates[0] / rates[1])
        per_round.append(math.sqrt(ratios[0] * ratios[1]))
        report.note(f"round {turn + 1} of {options.rounds}: shown over not {per_round[-1]:.4f}")
    report.table(["rows/s", "median", "min", "max"],
                 [report.side_row("shown", shown), report.side_row("alone", alone), report.side_row("ratio", per_round, 4)])
    report.table(["CPU time of window and display, % of the core", "median", "min", "max"], [report.side_row("window", drawn, 2)])
    report.rounds_line("ratio", per_round)
    return Ratio.of(per_round)


def together(on, off, seconds):
    """Rows per second of both, over the same time."""
    counts = [Count(on.segment), Count(off.segment)]
    time.sleep(seconds)
    return [count.rate() for count in counts]


class Count:
    """Rows from now on."""

    def __init__(self, segment):
        self._segment, self._begin, self._rows = segment, time.monotonic(), rows_taken(segment)

    def rate(self):
        return (rows_taken(self._segment) - self._rows) / (time.monotonic() - self._begin)


class Shown:
    """A run and its window, on one core."""

    def __init__(self, sluice, core):
        self._sluice, self._core = sluice, core
        self.folder = Path(sluice.folder, f"core{core}")
        self.folder.mkdir()
        self._processes = []

    def __enter__(self):
        try:
            self._begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for process in reversed(self._processes):
            process.send_signal(signal.SIGCONT)
            process.terminate()
            process.wait()

    def _begin(self):
        folder = str(self.folder)
        environment = {**os.environ, "XDG_RUNTIME_DIR": folder, "XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder,
                       "LP_NUM_THREADS": "0", "LIBGL_ALWAYS_SOFTWARE": "1"}
        run = self._start([self._sluice.program, "run", without_step(SCENARIO, folder), "--no-tune", "--quiet",
                           "--set", "decode.workers=1", "--duration", "1h"], environment, cwd=ROOT)
        environment["DISPLAY"] = self._display(environment)
        time.sleep(WARM_UP_SECONDS)
        self.segment = next(Path(folder, "sluice").glob(f"{run.pid}-*"))
        self._window = self._start([Path(self._sluice.program).with_name("sluice-ui"), str(run.pid)], environment)
        found = subprocess.run(["xdotool", "search", "--sync", "--name", "Sluice"], env=environment, capture_output=True,
                               timeout=60, check=False)
        if found.returncode != 0 or self._window.poll() is not None:
            raise SideFailed("the window did not open; sluice ui says why")

    def _start(self, command, environment, **more):
        process = subprocess.Popen(["taskset", "--cpu-list", str(self._core), *command], env=environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
        self._processes.append(process)
        return process

    def _display(self, environment):
        read, write = os.pipe()
        self._server = self._start(["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
                                   environment, pass_fds=(write,))
        os.close(write)
        with os.fdopen(read) as number:
            display = number.readline().strip()
        if not display:
            raise SideFailed("Xvfb did not start")
        return f":{display}"

    def stop(self):
        self._window.send_signal(signal.SIGSTOP)

    def go_on(self):
        self._window.send_signal(signal.SIGCONT)

    def cpu_seconds(self):
        """Of all threads of window and display."""
        return sum(cpu_seconds(process.pid) for process in (self._window, self._server))


def cpu_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
