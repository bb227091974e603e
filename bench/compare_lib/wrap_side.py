"""One training run, bare or wrapped, as a program of its own: prints the moments of its batches.

usage: wrap_side.py io|jpeg|compute FOLDER NUM_WORKERS SECONDS
"""

import json
import sys
import time

import torch
from torch.utils.data import DataLoader, Dataset
from torch_side import EndlessShuffle
from torchvision import datasets, transforms

ROW_WAIT, STEP, BATCH = 0.020, 0.040, 32  # of the work `io`
COMPUTE_PRODUCTS = 4  # of matrices in a step of the work `compute`: tens of milliseconds


class Waits(Dataset):
    """Rows that come over a slow network."""

    def __len__(self):
        return 1 << 16

    def __getitem__(self, index):
        time.sleep(ROW_WAIT)
        return torch.zeros(64), index


class Cheap(Dataset):
    """Rows that are there already."""

    def __init__(self):
        self.rows = torch.randn(1024, 64)

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index], index % 10


def io(_):
    return Waits(), BATCH, lambda: time.sleep(STEP)


def jpeg(folder):
    transform = transforms.Compose([
        transforms.RandomResizedCrop(224),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
        transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    ])
    return datasets.ImageFolder(folder, transform), 64, lambda: None


def compute(_):
    """A step is always the same work: how long it takes is what is compared."""
    left, right = torch.randn(256, 256), torch.randn(256, 256)

    def step():
        for _ in range(COMPUTE_PRODUCTS):
            left @ right

    return Cheap(), 64, step


def main(work, folder, workers, seconds):
    torch.set_num_threads(1)
    dataset, batch, step = {"io": io, "jpeg": jpeg, "compute": compute}[work](folder)
    loader = DataLoader(dataset, batch, sampler=EndlessShuffle(len(dataset)), num_workers=workers, drop_last=True)
    start, moments = time.perf_counter(), []
    for _ in loader:
        step()
        moments.append(time.perf_counter() - start)
        if moments[-1] >= seconds:
            break
    print(json.dumps({"batch": batch, "moments": moments}))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
