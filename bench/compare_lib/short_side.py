"""One training run with short epochs, bare or wrapped, as a program of its own: prints the seconds of each epoch.

usage: short_side.py WORK WORKERS METHOD PERSISTENT EPOCHS BATCHES
WORK: waits, computes or both, or cold: both, and whoever reads a row first waits for storage, or memory: rows are tensors in
memory, and a step takes 0.2 ms; METHOD: fork, spawn or forkserver; PERSISTENT: 0 or 1. With RANK and WORLD_SIZE set, a step
ends when all ranks have made it.
"""

import json
import os
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset, TensorDataset

BATCH = 8
ROW = {"waits": (0.003, 0.0), "computes": (0.0, 0.0015), "both": (0.002, 0.001), "cold": (0.002, 0.001)}  # seconds: waits, computes
STORAGE_WAITS = 0.02
STEP = {"memory": (0.0002, 0.0)}  # seconds: computes, waits
USUAL_STEP = (0.004, 0.004)


def compute(seconds):
    """CPU time, whoever else has the core."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


class Rows(Dataset):
    def __init__(self, work, count):
        self.waits, self.computes = ROW[work]
        self.count = count
        self.read = torch.zeros(count, dtype=torch.uint8).share_memory_() if work == "cold" else None

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if self.read is not None and not self.read[index]:
            self.read[index] = 1
            time.sleep(STORAGE_WAITS)
        if self.waits:
            time.sleep(self.waits)
        compute(self.computes)
        return torch.zeros(64), index


def data_set(work, count):
    if work == "memory":
        return TensorDataset(torch.zeros(count, 64), torch.arange(count))
    return Rows(work, count)


def meet():
    """What ends a step: a sum over all ranks."""
    if "WORLD_SIZE" not in os.environ:
        return lambda: None
    import torch.distributed as dist

    dist.init_process_group("gloo")
    gradient = torch.zeros(16)
    return lambda: dist.all_reduce(gradient)


def main(work, workers, method, persistent, epochs, batches):
    torch.set_num_threads(1)
    options = {"multiprocessing_context": method, "persistent_workers": persistent} if workers else {}
    loader = DataLoader(data_set(work, batches * BATCH), BATCH, num_workers=workers, **options)
    computes, waits = STEP.get(work, USUAL_STEP)
    step, begin, first, lengths = meet(), time.perf_counter(), None, []
    for _ in range(epochs):
        start = time.perf_counter()
        for _ in loader:
            first = first or time.perf_counter() - begin
            compute(computes)
            if waits:
                time.sleep(waits)
            step()
        lengths.append(time.perf_counter() - start)
    if os.environ.get("RANK", "0") == "0":
        print(json.dumps({"first": first, "epochs": lengths}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4] == "1", int(sys.argv[5]), int(sys.argv[6]))
