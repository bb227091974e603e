"""Input data: made when missing, with the maker's own progress on standard error; read once so that it is in the page cache."""

import subprocess
import sys

from .errors import SideFailed
from .machine import ROOT
from .report import note


def need(kind, program):
    """data/KIND of this clone; kind is imagefolder or cifar10."""
    folder = ROOT / "data" / kind
    if not folder.exists():
        _make(kind, folder, program)
    files = [file for file in sorted(folder.rglob("*")) if file.is_file()]
    if not files:
        raise SideFailed(f"{folder} is empty; remove it, then it is made")
    for file in files:
        file.read_bytes()
    return folder


def _make(kind, folder, program):
    """Renamed into place: what was interrupted never looks complete."""
    note(f"making {folder}")
    partial = folder.with_name(kind + ".partial")
    folder.parent.mkdir(exist_ok=True)
    command = [program, "data", "make", kind, "--out", partial]
    # Its last line is no part of the result.
    status = subprocess.run(command, cwd=ROOT, stdout=sys.stderr).returncode
    if status < 0 or status >= 128:
        raise SideFailed(f"making {folder} was interrupted; the next start goes on with it")
    if status != 0:
        raise SideFailed(f"`{' '.join(map(str, command))}` ended with {status}")
    partial.rename(folder)
