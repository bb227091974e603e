#!/usr/bin/python3
"""Learns from which file a few lines of text are. Reads and splits the text when a row is asked for.

    python3 scenarios/wrap/text.py
    sluice wrap -- python3 scenarios/wrap/text.py

Without a folder it reads the sources of Python's own library.
"""
import argparse
import re
import sysconfig
import time
import zlib
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

LINES = 20  # of a row
BUCKETS = 1 << 12  # words are told apart by a hash
WORD = re.compile(r"\w+|[^\w\s]")


class Passages(Dataset):
    """A row is a passage of one of the files; its label says which."""

    def __init__(self, folder, most_files=40, passages=8000):
        files = sorted(Path(folder).glob("*.py")) or sorted(Path(folder).glob("*.txt"))
        self.files = [file for file in files if file.stat().st_size > 10_000][:most_files]
        if not self.files:
            raise SystemExit(f"{folder}: no *.py or *.txt of more than 10 kB in it")
        self.passages = passages

    def __len__(self):
        return self.passages

    def __getitem__(self, index):
        label = index % len(self.files)
        lines = self.files[label].read_text(errors="replace").splitlines()
        first = (index * 7919) % max(len(lines) - LINES, 1)
        words = WORD.findall("\n".join(lines[first : first + LINES]))
        return torch.tensor([zlib.crc32(word.encode()) % BUCKETS for word in words] or [0]), label


def collate(rows):
    """Passages of unequal length, one behind the other, and where each begins."""
    words = [row[0] for row in rows]
    starts = torch.tensor([0] + [len(w) for w in words[:-1]]).cumsum(0)
    return torch.cat(words), starts, torch.tensor([row[1] for row in rows])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", nargs="?", default=sysconfig.get_path("stdlib"), help="folder of *.py or *.txt")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=64)
    parser.add_argument("--workers", type=int, default=1, help="num_workers of the loader (default: 1)")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main():
    options = arguments()
    torch.manual_seed(options.seed)
    passages = Passages(options.data)
    loader = DataLoader(
        passages, options.batch_size, shuffle=True, num_workers=options.workers, collate_fn=collate,
        persistent_workers=options.workers > 0,
    )  # fmt: skip
    embed, classify = nn.EmbeddingBag(BUCKETS, 64), nn.Linear(64, len(passages.files))
    optimizer = torch.optim.Adam([*embed.parameters(), *classify.parameters()], lr=0.003)
    for epoch in range(options.epochs):
        start, total = time.perf_counter(), 0.0
        for words, starts, labels in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(classify(embed(words, starts)), labels)
            loss.backward()
            optimizer.step()
            total += loss.item()
        print(f"epoch {epoch}: loss {total / len(loader):.3f}, {time.perf_counter() - start:.1f} s")


if __name__ == "__main__":
    main()
