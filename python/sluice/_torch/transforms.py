"""What lies inside a data set: torchvision's Compose objects, and random generators of its own.

The walk visits attributes in a fixed order, so that the data set of a worker, a copy of the trainer's, gives the
same list.
"""
from __future__ import annotations

import sys
from typing import Any, Callable

from . import repro

_DEPTH = 4
_WIDTH = 32
_MOST_PARTS = 24
_LEAVES = (str, bytes, int, float, bool, type(None))


def compose_types() -> tuple[type, ...]:
    """The Compose classes that have been imported so far."""
    found = []
    for module in ("torchvision.transforms.transforms", "torchvision.transforms.v2._container"):
        compose = getattr(sys.modules.get(module), "Compose", None)
        if compose is not None:
            found.append(compose)
    return tuple(found)


def _children(value: Any) -> list[Any]:
    if isinstance(value, (list, tuple)):
        return list(value[:_WIDTH])
    if isinstance(value, dict):
        return list(value.values())[:_WIDTH]
    return list(vars(value).values()) if type(value).__dictoffset__ else []


def _is_plain(value: Any) -> bool:
    """Nothing of ours is inside: numbers, text, and the rows themselves. The object itself is not asked, as its
    __getattr__ may do anything."""
    if isinstance(value, _LEAVES) or hasattr(type(value), "numpy"):
        return True
    return isinstance(value, (list, tuple)) and len(value) > _WIDTH


def walk(
    root: Any,
    wanted: Callable[[Any], bool],
    apart: Any = None,
    depth: int = _DEPTH,
    most: int = sys.maxsize,
    closed: Callable[[Any], bool] = lambda value: False,
) -> list[Any]:
    """The objects below `root` for which `wanted` is true, each once, in a fixed order; none of what `apart` holds.
    Looks at `most` objects, and not into those that are `closed`."""
    found: list[Any] = []
    seen: set[int] = {id(apart)}
    level = [root]
    for _ in range(depth + 1):
        following: list[Any] = []
        for value in level:
            if id(value) in seen or len(seen) > most:
                continue
            if wanted(value):
                seen.add(id(value))
                found.append(value)
                continue
            if _is_plain(value):
                continue
            seen.add(id(value))
            if not closed(value):
                following.extend(_children(value))
        level = following
    return found


def find_composes(dataset: Any) -> list[Any]:
    """Composes that are not inside of another one."""
    types = compose_types()
    if not types:
        return []
    composes: list[Any] = []
    parts = 0
    for compose in walk(dataset, lambda value: isinstance(value, types)):
        parts += len(compose.transforms)
        if parts > _MOST_PARTS:
            break
        composes.append(compose)
    return composes


def find_generators(dataset: Any) -> list[Any]:
    return walk(dataset, repro.is_generator)


def part_names(composes: list[Any]) -> list[list[str]]:
    """A name for each transform of each Compose, unique among all: [["Resize", "ToTensor"], ...]."""
    used: dict[str, int] = {}

    def unique(transform: Any) -> str:
        name = getattr(transform, "__name__", None) or type(transform).__name__
        name = "Lambda" if name == "<lambda>" else name
        used[name] = used.get(name, 0) + 1
        return name if used[name] == 1 else f"{name}#{used[name]}"

    return [[unique(transform) for transform in compose.transforms] for compose in composes]
