"""File descriptors of batches that are on their way.

Workers hand each tensor over as a descriptor of shared memory (PyTorch's sharing strategy "file_descriptor", the
default): the trainer keeps one open for every tensor that it has received. More batches on their way than the limit of
open files allows end a run with "received 0 items of ancdata" or "Too many open files".
"""
from __future__ import annotations

from collections import UserDict
from dataclasses import is_dataclass
from typing import Any

import torch.multiprocessing

from . import graph

LOOKS = 8  # of an iterator: batches that are counted
FEW = 64  # elements; a longer list counts as so many of its first one
PART = 2  # a half of what is free at first: there are other loaders, and batches that a script keeps


def tensors_in(data: Any, depth: int = 4) -> int:
    """Tensors of a batch that take a descriptor, about."""
    if isinstance(data, torch.Tensor):
        return 1 if data.layout == torch.strided else 3
    if depth == 0:
        return 0
    if isinstance(data, (dict, UserDict)):  # no other mapping: it may load what it is asked for
        return sum(tensors_in(value, depth - 1) for value in data.values())
    if isinstance(data, (list, tuple)):
        if len(data) > FEW:
            return tensors_in(data[0], depth - 1) * len(data)
        return sum(tensors_in(value, depth - 1) for value in data)
    return sum(tensors_in(value, depth - 1) for value in vars(data).values()) if is_dataclass(data) else 0


class Descriptors:
    """Of the batches of one loader. Called by the threads that iterate over it."""

    def __init__(self) -> None:
        self.each = 0  # of a batch, the most seen
        self._free = max(graph.free_descriptors() - graph.SPARE_DESCRIPTORS, 0) // PART

    def look(self, batch: Any) -> bool:
        """Whether it takes more than any before it."""
        takes = tensors_in(batch)
        more = takes > self.each
        self.each = max(self.each, takes)
        return more

    def most_batches(self) -> int | None:
        """So many may be on their way; None: no bound."""
        if self.each == 0 or torch.multiprocessing.get_sharing_strategy() != "file_descriptor":
            return None
        return self._free // self.each
