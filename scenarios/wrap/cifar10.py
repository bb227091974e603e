#!/usr/bin/python3
"""Trains a small CNN on the binary files of CIFAR-10, with the usual augmentation.

    sluice data make cifar10 --out data/cifar10 --count 10000
    python3 scenarios/wrap/cifar10.py data/cifar10
    sluice wrap -- python3 scenarios/wrap/cifar10.py data/cifar10
"""
import argparse
import time
from pathlib import Path

import numpy
import torch
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms


class Cifar10(Dataset):
    """All images in memory; a row is augmented when it is asked for."""

    def __init__(self, folder, transform):
        files = sorted(Path(folder).glob("data_batch_*.bin"))
        if not files:
            raise SystemExit(f"{folder}: no data_batch_*.bin; make some with: sluice data make cifar10 --out {folder}")
        rows = numpy.concatenate([numpy.fromfile(file, numpy.uint8).reshape(-1, 1 + 3 * 32 * 32) for file in files])
        self.labels = rows[:, 0].astype(int).tolist()
        self.images = numpy.ascontiguousarray(rows[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1))
        self.transform = transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.transform(Image.fromarray(self.images[index])), self.labels[index]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", help="folder with data_batch_*.bin")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=128)
    parser.add_argument("--workers", type=int, default=0, help="num_workers of the loader (default: 0, PyTorch's own)")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def network():
    return nn.Sequential(
        nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(4),
        nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(64, 10),
    )  # fmt: skip


def main():
    options = arguments()
    torch.manual_seed(options.seed)
    augment = transforms.Compose(
        [
            transforms.RandomCrop(32, padding=4),
            transforms.RandomHorizontalFlip(),
            transforms.ToTensor(),
            transforms.Normalize([0.4914, 0.4822, 0.4465], [0.2470, 0.2435, 0.2616]),
        ]
    )
    loader = DataLoader(
        Cifar10(options.data, augment), options.batch_size, shuffle=True, drop_last=True, num_workers=options.workers
    )
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(options.epochs):
        start, total = time.perf_counter(), 0.0
        for images, labels in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch}: loss {total / len(loader):.3f}, {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
