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
        return self.start(scenario, seconds, settings, tune, more).result()

    def start(self, scenario, seconds, settings=None, tune=False, more=(), core=None, name="run"):
        """The same, which goes on meanwhile; on one core, where it is given. Those that go on at the same time need names."""
        folder = self._folder_of(name)
        bound = [] if core is None else ["taskset", "--cpu-list", str(core)]
        return self.start_file(without_step(scenario, folder), seconds, settings, tune, more, name=name, before=bound)

    def start_file(self, file, seconds, settings=None, tune=False, more=(), name="run", before=(), inside=None):
        """The same of a scenario's file as it is, behind the command `before`, in the ControlGroup `inside`."""
        result_file = Path(self._folder_of(name), "result.json")
        result_file.unlink(missing_ok=True)
        command = [*before, self.program, "run", file, "--quiet",
                   "--tune" if tune else "--no-tune", "--duration", f"{seconds:g}s", "--json", result_file, *more]
        for knob, value in (settings or {}).items():
            command += ["--set", f"{knob}={value}"]
        return Running(command, result_file, seconds + 120, inside)

    def _folder_of(self, name):
        folder = Path(self.folder, name)
        folder.mkdir(exist_ok=True)
        return folder


class Running:
    """A run of `sluice run` that goes on."""

    def __init__(self, command, result_file, deadline, inside):
        self._command, self._result_file, self._deadline = command, result_file, deadline
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                         preexec_fn=inside.enter if inside else None)

    def kill(self):
        self._process.kill()
        self._process.wait()
        self._process.stderr.close()

    def result(self):
        """Waits for its end. (Taken, the whole result)."""
        try:
            errors = self._process.communicate(timeout=self._deadline)[1]
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        if self._process.returncode != 0:
            raise SideFailed(f"`{' '.join(map(str, self._command))}` ended with {self._process.returncode}:\n{errors.strip()}")
        return taken(json.loads(self._result_file.read_text()))


def taken(result):
    """(Taken, result) of a result as docs/result-json.md describes it."""
    if "history" not in result:
        raise SideFailed("the result of `sluice run --json` has no `history`; this build is too old")
    return Taken([(entry["at_seconds"], entry["rows"]) for entry in result["history"]]), result
