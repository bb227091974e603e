"""Kills whatever watches a wrapped training with -9 at random times, and looks whether the training ends as it should.

usage: kill_soak.py [--kills N] [--seed S]       environment: SLUICE, the program

By turns `sluice wrap` itself and the watcher of `sluice wrap --exec`. Exit code 1 when a training did not deliver all
of its batches.
"""
import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DEADLINE = 240
TRAIN = """
import pathlib, sys, time
from torch.utils.data import DataLoader
if __name__ == "__main__":
    total = 0
    for epoch in range(3):
        for batch in DataLoader(list(range(120)), batch_size=4, num_workers=2):
            total += int(batch.sum())
            time.sleep(0.005)
            pathlib.Path(sys.argv[1] + ".begun").touch()
    pathlib.Path(sys.argv[1]).write_text(str(total))
"""
EXPECTED = str(3 * sum(range(120)))


def watchers(program, mark):
    """Processes of `program` that were given `mark`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if os.path.realpath(folder / "exe") == program and mark in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
    return found


def until(condition):
    end = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def trial(program, script, result, by_exec, delay):
    """Whether the training ended as it should, and how many watchers were killed."""
    command = [program, "wrap", *(["--exec"] if by_exec else []), "--", sys.executable, str(script), str(result)]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    began = until(lambda: Path(f"{result}.begun").exists() or run.poll() is not None)
    time.sleep(delay)
    killed = watchers(program, str(result).encode())
    for pid in killed:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    run.wait(DEADLINE)
    ended = until(lambda: result.exists() and result.read_text() == EXPECTED)
    return began and ended, len(killed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    options = parser.parse_args()
    draw, program, failed, hit = random.Random(options.seed), os.path.realpath(os.environ["SLUICE"]), 0, 0
    print(f"seed {options.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "train.py"
        script.write_text(TRAIN)
        for number in range(options.kills):
            good, killed = trial(program, script, Path(folder) / f"run{number}", number % 2 == 1, draw.uniform(0, 0.6))
            hit += killed > 0
            failed += not good
            print(f"{'ok' if good else 'FAILED'} {number}: {killed} killed", flush=True)
    print(f"{options.kills - failed} of {options.kills} trainings ended as they should; {hit} lost their watcher")
    return 1 if failed or hit == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
