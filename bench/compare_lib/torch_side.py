"""One measurement of torchvision + DataLoader, as a program of its own: prints {"rows": ..., "seconds": ...}.

usage: torch_side.py imagefolder|cifar10 FOLDER NUM_WORKERS SECONDS
"""

import json
import sys
import time
from pathlib import Path

import numpy
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset, Sampler
from torchvision import datasets, transforms

WARM_UP_BATCHES = 8  # at least; more with more workers, whose first batches were all made at once


class CifarBinary(Dataset):
    """torchvision.datasets.CIFAR10 for the binary files: all rows in memory, a PIL image for each."""

    def __init__(self, folder, transform):
        files = sorted(Path(folder).glob("data_batch_*.bin"))
        rows = numpy.concatenate([numpy.fromfile(f, numpy.uint8).reshape(-1, 1 + 3 * 32 * 32) for f in files])
        self.targets = rows[:, 0].astype(int).tolist()
        self.data = numpy.ascontiguousarray(rows[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))
        self.transform = transform

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        return self.transform(Image.fromarray(self.data[index])), self.targets[index]


class EndlessShuffle(Sampler):
    """A new order of all rows, epoch after epoch, so that no epoch's end is measured."""

    def __init__(self, count):
        super().__init__(None)
        self.count = count

    def __iter__(self):
        while True:
            yield from torch.randperm(self.count).tolist()


def imagefolder(folder):
    transform = transforms.Compose([
        transforms.RandomResizedCrop(224),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
        transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    ])
    return datasets.ImageFolder(folder, transform), 64


def cifar10(folder):
    transform = transforms.Compose([
        transforms.RandomCrop(32, padding=4),
        transforms.RandomHorizontalFlip(),
        transforms.ToTensor(),
        transforms.Normalize([0.4914, 0.4822, 0.4465], [0.2470, 0.2435, 0.2616]),
    ])
    return CifarBinary(folder, transform), 128


def measure(loader, batch, workers, seconds):
    """From the end of the warm-up, a whole number of turns of the workers: each delivers in its turn."""
    warm_up = max(WARM_UP_BATCHES, 4 * workers)
    turn = max(1, workers)
    start = None
    for n, _ in enumerate(loader, start=1):
        now = time.perf_counter()
        if n == warm_up:
            start = now
        if n > warm_up and (n - warm_up) % turn == 0 and now - start >= seconds:
            return {"rows": (n - warm_up) * batch, "seconds": now - start}


def main(kind, folder, workers, seconds):
    torch.set_num_threads(1)
    dataset, batch = {"imagefolder": imagefolder, "cifar10": cifar10}[kind](folder)
    loader = DataLoader(dataset, batch, sampler=EndlessShuffle(len(dataset)), num_workers=workers, drop_last=True)
    print(json.dumps(measure(loader, batch, workers, seconds)))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
