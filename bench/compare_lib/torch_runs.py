"""Their side: torchvision + DataLoader, each measurement in a fresh process."""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from .errors import SideFailed
from .rates import middle
from .report import note

NUM_WORKERS = (0, 1, 2, 4)


def need_torch():
    """Raises SideFailed where it is missing."""
    for name in ("torch", "torchvision"):
        if find_spec(name) is None:
            raise SideFailed(f"{name} is missing; install it: apt-get install python3-{name}")


def versions():
    need_torch()
    import torch
    import torchvision
    return f"torch {torch.__version__}, torchvision {torchvision.__version__}"


def rows_per_second(kind, folder, workers, seconds):
    command = [sys.executable, Path(__file__).with_name("torch_side.py"), kind, folder, str(workers), str(seconds)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=10 * seconds + 300)
    if done.returncode != 0:
        raise SideFailed(f"torch with num_workers={workers} ended with {done.returncode}:\n{done.stderr.strip()}")
    measured = json.loads(done.stdout)
    return measured["rows"] / measured["seconds"]


def best_workers(kind, folder, seconds, rounds):
    """(num_workers with the best median, {num_workers: rates}); the candidates take turns."""
    rates = {workers: [] for workers in NUM_WORKERS}
    for turn in range(rounds):
        for workers in NUM_WORKERS:
            rates[workers].append(rows_per_second(kind, folder, workers, seconds))
            note(f"choosing torch's num_workers, {turn + 1} of {rounds}: {workers} -> {rates[workers][-1]:.0f} rows/s")
    return max(rates, key=lambda workers: middle(rates[workers])), rates
