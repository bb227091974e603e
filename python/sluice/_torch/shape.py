"""What there is to know of a loader before it runs: what its description says, and what its knobs may do."""
from __future__ import annotations

import multiprocessing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from torch.utils.data.dataset import IterableDataset

from .. import _segment
from .._signals import let_through
from . import releases, transforms
from .naming import loader_name

if TYPE_CHECKING:
    from torch.utils.data import DataLoader


@dataclass
class LoaderShape:
    """What a description needs to know of a loader."""

    name: str
    batch_rows: int = field(compare=False)  # a script that enlarges its batches from epoch to epoch has one loader
    workers: int
    prefetch: int
    pins: bool
    watched: bool  # random draws in fetches are counted
    transforms: list[list[str]]  # names, per Compose
    least_workers: int
    workers_effect: int  # LIVE, NEXT_EPOCH or NEXT_RUN
    capacity_effect: int
    alone: bool  # rows are fetched by one process, as the script has it: files that they share are looked for
    strict: bool  # rows that change what they are made of are looked for in workers
    asks_worker: bool = field(default=False, compare=False)  # code names get_worker_info: reads are counted
    open_files: dict[int, str] = field(default_factory=dict, compare=False)  # that forked workers would share


def shape_of(loader: DataLoader, level: str) -> LoaderShape:
    """`level`: of reproducibility, as in _settings."""
    live = not is_iterable(loader)
    workers_effect = _segment.LIVE if live and loader.num_workers > 0 else _segment.NEXT_EPOCH
    if loader.persistent_workers and not live:
        workers_effect = _segment.NEXT_RUN
    return LoaderShape(
        name=loader_name(loader),
        batch_rows=loader.batch_size or 1,
        workers=loader.num_workers,
        prefetch=prefetch_of(loader),
        pins=bool(loader.pin_memory) and releases.has_accelerator(),
        watched=level == "strict" or loader.num_workers == 0 or not is_iterable(loader),
        transforms=transforms.part_names(transforms.find_composes(loader.dataset)),
        least_workers=_least_workers(loader),
        workers_effect=workers_effect,
        capacity_effect=_segment.LIVE if live and loader.num_workers > 0 else _segment.NEXT_EPOCH,
        alone=live and loader.num_workers <= 1,
        strict=level == "strict" and live,
    )


def start_method(loader: DataLoader) -> str:
    """Of its workers. multiprocessing is not asked to choose: the script may still do so."""
    context = loader.multiprocessing_context or multiprocessing
    chosen: str | None = context.get_start_method(allow_none=True)
    return chosen or multiprocessing.get_all_start_methods()[0]


def _least_workers(loader: DataLoader) -> int:
    """Down to none only where the loader would do the same in the trainer."""
    plain = not loader.persistent_workers and loader.worker_init_fn is None and not is_iterable(loader)
    return 0 if plain and loader.timeout == 0 and loader.multiprocessing_context is None else 1


def prefetch_of(loader: DataLoader) -> int:
    """Batches per worker."""
    return loader.prefetch_factor or 2


def is_iterable(loader: DataLoader) -> bool:
    return isinstance(loader.dataset, IterableDataset)


def is_pipe(loader: DataLoader) -> bool:
    """DataPipes shard themselves by the number of workers."""
    return any(base.__name__ in ("IterDataPipe", "MapDataPipe") for base in type(loader.dataset).__mro__)


def goes_on(loader: DataLoader) -> bool:
    """Whether its sampler goes on where it was left instead of beginning anew."""
    samplers = (loader.sampler, loader.batch_sampler)
    return any(hasattr(type(sampler), "__next__") for sampler in samplers)


def kind_of(loader: DataLoader) -> tuple[Any, ...]:
    """What two loaders that do the same have in common, beside their shape and the amount of data."""
    parts = (loader, loader.dataset, loader.sampler, loader.batch_sampler)
    return ([type(part) for part in parts], is_iterable(loader), is_pipe(loader), goes_on(loader))


def rows_of(loader: DataLoader) -> int | None:
    try:
        return len(loader.dataset)
    except Exception:
        let_through()
        return None
