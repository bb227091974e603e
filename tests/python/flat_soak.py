"""Trains wrapped for long, with loaders of several kinds that are tuned all the time, and watches what the trainer holds.

usage: flat_soak.py [--minutes N] [--program SLUICE]

Whenever no loader is being iterated the trainer reads its own memory, threads, children, descriptors, and files in
/dev/shm (segments, semaphores, tensors); the wrapper's memory and descriptors are read from outside. From the second quarter
of the time to the last one counts must stay the same and memory may grow by 2 % (an allocator's noise). A line per minute; exit
code 1 when something grew.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MEMORY_GROWTH = 0.02
COUNTS = ("threads", "children", "descriptors", "shared files", "wrapper threads", "wrapper descriptors")
MEMORY = ("memory", "wrapper memory")

TRAINER = '''
import gc, json, os, sys, time
from pathlib import Path
import torch
from torch.utils.data import DataLoader, Dataset

class Rows(Dataset):
    """Rows that cost now this, now that: tuning has something to do for ever."""
    def __init__(self, count): self.count = count
    def __len__(self): return self.count
    def __getitem__(self, index):
        time.sleep(0.002 if int(time.time() / 20) % 2 else 0.006)
        return torch.rand(64) + index

def status(pid, key):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(key + ":"): return int(line.split()[1])

def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))

def children_of(task):
    try:
        return len(Path(f"/proc/self/task/{task}/children").read_text().split())
    except (FileNotFoundError, ProcessLookupError):
        return 0  # the thread has ended since it was listed

def children():
    return sum(children_of(task) for task in os.listdir("/proc/self/task"))

def shared_files():
    """Whose name has this process in it: segments, tensors. Other programs have theirs there too."""
    return sum(str(os.getpid()) in name for _, _, names in os.walk("/dev/shm") for name in names)

def held(wrapper):
    gc.collect()
    return {"memory": status("self", "VmRSS"), "threads": status("self", "Threads"), "children": children(),
            "descriptors": descriptors("self"), "shared files": shared_files(),
            "wrapper memory": status(wrapper, "VmRSS"), "wrapper threads": status(wrapper, "Threads"),
            "wrapper descriptors": descriptors(wrapper)}

def main():
    end = time.monotonic() + float(sys.argv[1])
    torch.set_num_threads(1)
    plain, here = DataLoader(Rows(160), 8, shuffle=True, num_workers=1), DataLoader(Rows(80), 8)
    while time.monotonic() < end:
        a_round(plain, here)
        print(json.dumps(held(os.getppid())), flush=True)

def a_round(plain, here):
    """Workers of the loaders that are made here end with it: how many there are is the tuner's affair."""
    persistent = DataLoader(Rows(160), 8, shuffle=True, num_workers=1, persistent_workers=True)
    for loader in (plain, persistent, persistent, DataLoader(Rows(200), 8, num_workers=2), here):
        for number, batch in enumerate(loader):
            time.sleep(0.004)
            if loader is plain and number == 15: break

if __name__ == "__main__":
    main()
'''


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--program", default=str(ROOT / "build/release/bin/sluice"))
    return parser.parse_args()


def readings(program, seconds):
    """Yields (seconds since the start, what was held) after each round of epochs."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "train.py"
        script.write_text(TRAINER)
        begin = time.monotonic()
        command = [program, "wrap", "--quiet", "--", sys.executable, "-W", "ignore", str(script), str(seconds)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            for line in process.stdout:
                yield time.monotonic() - begin, json.loads(line)
        if process.returncode != 0:
            raise SystemExit(f"the training ended with {process.returncode}")


def grown(early, late):
    """What is more in the last quarter than in the second: (name, before, after)."""
    for name in COUNTS + MEMORY:
        before, after = (statistics.median(held[name] for held in part) for part in (early, late))
        allowed = before * (1 + MEMORY_GROWTH) if name in MEMORY else before
        if after > allowed:
            yield name, before, after


def main():
    options = arguments()
    seconds, said, seen = options.minutes * 60, 0.0, []
    for at, held in readings(options.program, seconds):
        seen.append((at, held))
        if at - said >= 60:
            said = at
            print(f"{at / 60:4.0f} min  " + ", ".join(f"{name} {value}" for name, value in held.items()), flush=True)
    early = [held for at, held in seen if 0.25 * seconds <= at < 0.5 * seconds]
    late = [held for at, held in seen if at >= 0.75 * seconds]
    if len(early) < 3 or len(late) < 3:
        raise SystemExit(f"{len(seen)} readings are too few: let it run for longer")
    found = list(grown(early, late))
    for name, before, after in found:
        print(f"{name} grew from {before:.0f} to {after:.0f} (medians of the second and of the last quarter)")
    print(f"{len(seen)} readings in {options.minutes:.0f} min, {os.cpu_count()} cores: {'NOT flat' if found else 'flat'}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
