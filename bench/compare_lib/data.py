"""Input data: made when missing, read once so that it is in the page cache."""

import subprocess

from .errors import SideFailed
from .machine import ROOT
from .report import note


def need(kind, program):
    """data/KIND of this clone; kind is imagefolder or cifar10."""
    folder = ROOT / "data" / kind
    if not folder.exists():
        _make(kind, folder, program)
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            file.read_bytes()
    return folder


def _make(kind, folder, program):
    """Renamed into place: what was interrupted never looks complete."""
    note(f"making {folder}")
    partial = folder.with_name(kind + ".partial")
    command = [program, "data", "make", kind, "--out", partial, "--quiet"]
    if subprocess.run(command, cwd=ROOT).returncode != 0:
        raise SideFailed(f"{kind}: `sluice data make` failed")
    partial.rename(folder)
