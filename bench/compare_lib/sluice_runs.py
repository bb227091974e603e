"""Our side: `sluice run` as a process of its own."""

import json
import re
import subprocess
import tempfile
from pathlib import Path

from .errors import SideFailed
from .machine import ROOT
from .rates import Taken


def program(build):
    path = Path(build, "bin", "sluice").resolve()
    if not path.exists():
        raise SideFailed(f"{path} is missing; build it: cmake --preset release && cmake --build --preset release")
    return path


def without_step(scenario, folder):
    """A copy of scenarios/SCENARIO.toml whose consumer takes batches as fast as it can."""
    text = (ROOT / "scenarios" / f"{scenario}.toml").read_text()
    head, mark, consumer = text.rpartition("[consumer]\n")
    consumer, changed = re.subn(r'(?m)^step = .*$', 'step = "none"', consumer)
    if not mark or changed != 1:
        raise SideFailed(f"scenarios/{scenario}.toml has no [consumer] with a step at its end")
    path = Path(folder, f"{scenario}.toml")
    path.write_text(head + mark + consumer)
    return path


class Sluice:
    """Runs scenarios with one build of the program."""

    def __init__(self, build):
        self.program = program(build)
        self._folder = tempfile.TemporaryDirectory(prefix="sluice-compare-")

    @property
    def folder(self):
        return self._folder.name

    def run(self, scenario, seconds, settings=None, tune=False, more=()):
        """Runs scenarios/SCENARIO.toml without a step for so long, starting from `settings`
        (knob -> number), with `more` options. Returns (Taken, the whole result)."""
        result_file = Path(self._folder.name, "result.json")
        result_file.unlink(missing_ok=True)
        command = [self.program, "run", without_step(scenario, self._folder.name), "--quiet",
                   "--tune" if tune else "--no-tune", "--duration", f"{seconds:g}s", "--json", result_file, *more]
        for knob, value in (settings or {}).items():
            command += ["--set", f"{knob}={value}"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=seconds + 120)
        if done.returncode != 0:
            raise SideFailed(f"`{' '.join(map(str, command))}` ended with {done.returncode}:\n{done.stderr.strip()}")
        return taken(json.loads(result_file.read_text()))


def taken(result):
    """(Taken, result) of a result as docs/result-json.md describes it."""
    if "history" not in result:
        raise SideFailed("the result of `sluice run --json` has no `history`; this build is too old")
    return Taken([(entry["at_seconds"], entry["rows"]) for entry in result["history"]]), result
