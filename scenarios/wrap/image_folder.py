#!/usr/bin/python3
"""Trains a small CNN on a folder of photographs, one sub-folder per class, with the transforms of a ResNet.

    sluice data make imagefolder --out data/imagefolder
    python3 scenarios/wrap/image_folder.py data/imagefolder
    sluice wrap -- python3 scenarios/wrap/image_folder.py data/imagefolder
"""
import argparse
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, random_split
from torchvision import datasets, transforms


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", help="folder of photographs, one sub-folder per class")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--workers", type=int, default=1, help="num_workers of the loader (default: 1)")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def loaders(options):
    photographs = datasets.ImageFolder(
        options.data,
        transforms.Compose(
            [
                transforms.RandomResizedCrop(224),
                transforms.RandomHorizontalFlip(),
                transforms.ToTensor(),
                transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
            ]
        ),
    )
    held_out = len(photographs) // 10
    train, validation = random_split(photographs, [len(photographs) - held_out, held_out])
    train_loader = DataLoader(train, options.batch_size, shuffle=True, num_workers=options.workers)
    validation_loader = DataLoader(validation, options.batch_size, num_workers=options.workers)
    return train_loader, validation_loader, len(photographs.classes)


def network(classes):
    return nn.Sequential(
        nn.Conv2d(3, 16, 7, stride=4), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
        nn.Flatten(), nn.Linear(32, classes),
    )  # fmt: skip


def train_epoch(model, loader, optimizer):
    model.train()
    total = 0.0
    for images, labels in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / len(loader)


@torch.no_grad()
def accuracy(model, loader):
    model.eval()
    right = count = 0
    for images, labels in loader:
        right += (model(images).argmax(1) == labels).sum().item()
        count += len(labels)
    return right / max(count, 1)


def main():
    options = arguments()
    torch.manual_seed(options.seed)
    train_loader, validation_loader, classes = loaders(options)
    model = network(classes)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(options.epochs):
        start = time.perf_counter()
        loss = train_epoch(model, train_loader, optimizer)
        seconds = time.perf_counter() - start
        print(f"epoch {epoch}: loss {loss:.3f}, accuracy {accuracy(model, validation_loader):.2f}, {seconds:.1f} s")


if __name__ == "__main__":
    main()
