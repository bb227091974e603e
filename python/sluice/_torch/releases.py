"""What differs between PyTorch's releases, all of it, and with which of them Sluice was really run.

Everything else asks here. A release that was run, with the signatures it had then, may be changed. Any other is
measured, and changed only where a trial shows that the mechanism holds (selfcheck.py).
"""
from __future__ import annotations

import atexit
import inspect
from typing import TYPE_CHECKING, Any, Callable, Optional

import torch

if TYPE_CHECKING:
    from types import ModuleType

    Signatures = dict[str, Optional[tuple[str, ...]]]

# All of tests/python, and what wraps of tests/app, was run with each of these; .ci/torch repeats it.
RUN = ("1.13", "2.6", "2.14")

_WORKER = (
    "index_queue data_queue done_event auto_collation collate_fn drop_last base_seed init_fn worker_id num_workers "
    "persistent_workers shared_seed"
).split()

# What our changes rest on: of a function the parameters, by the first release of RUN that had them.
SIGNATURES: dict[str, dict[str, tuple[str, ...]]] = {
    "DataLoader._get_iterator": {"1.13": ("self",)},
    "_MultiProcessingDataLoaderIter.__init__": {"1.13": ("self", "loader")},
    "_MultiProcessingDataLoaderIter._reset": {"1.13": ("self", "loader", "first_iter")},
    "_MultiProcessingDataLoaderIter._try_put_index": {"1.13": ("self",)},
    "_MultiProcessingDataLoaderIter._get_data": {"1.13": ("self",)},
    "_MultiProcessingDataLoaderIter._try_get_data": {"1.13": ("self", "timeout")},
    "_MultiProcessingDataLoaderIter._next_data": {"1.13": ("self",)},
    "_MultiProcessingDataLoaderIter._process_data": {"1.13": ("self", "data"), "2.14": ("self", "data", "worker_idx")},
    "_MultiProcessingDataLoaderIter._mark_worker_as_unavailable": {"1.13": ("self", "worker_id", "shutdown")},
    "_MultiProcessingDataLoaderIter._shutdown_workers": {"1.13": ("self",)},
    "_SingleProcessDataLoaderIter.__init__": {"1.13": ("self", "loader")},
    "_BaseDataLoaderIter.__init__": {"1.13": ("self", "loader")},
    "_BaseDataLoaderIter.__next__": {"1.13": ("self",)},
    "_BaseDataLoaderIter._next_index": {"1.13": ("self",)},
    "_MapDatasetFetcher.fetch": {"1.13": ("self", "possibly_batched_index")},
    "_IterableDatasetFetcher.fetch": {"1.13": ("self", "possibly_batched_index")},
    "_worker_loop": {
        "1.13": ("dataset_kind", "dataset", *_WORKER),
        "2.14": ("dataset_kind", "dataset_holder", *_WORKER),
    },
}

# What an iterator must have before it is reset for the first time.
ITERATOR_FIELDS = (
    "_index_queues",
    "_workers",
    "_workers_done_event",
    "_worker_result_queue",
    "_worker_init_fn",
    "_base_seed",
    "_num_workers",
    "_prefetch_factor",
    "_persistent_workers",
    "_collate_fn",
    "_auto_collation",
    "_drop_last",
    "_dataset",
    "_dataset_kind",
    "_shared_seed",
)

# What a worker of an iterator is started with, by the name of the parameter.
WORKER_ARGUMENTS: dict[str, Callable[[Any], Any]] = {
    "dataset_kind": lambda it: it._dataset_kind,
    "dataset": lambda it: it._dataset,
    "dataset_holder": lambda it: [it._dataset],  # the worker takes it out
    "data_queue": lambda it: it._worker_result_queue,
    "done_event": lambda it: it._workers_done_event,
    "auto_collation": lambda it: it._auto_collation,
    "collate_fn": lambda it: it._collate_fn,
    "drop_last": lambda it: it._drop_last,
    "base_seed": lambda it: it._base_seed,
    "init_fn": lambda it: it._worker_init_fn,
    "num_workers": lambda it: len(it._workers) + 1,
    "persistent_workers": lambda it: it._persistent_workers,
    "shared_seed": lambda it: it._shared_seed,
}


# ---- which release this is ----


def name_of(version: str) -> str:
    """"2.6" of "2.6.0+debian"."""
    return ".".join(version.split("+")[0].split(".")[:2])


def parameters(function: Callable[..., Any]) -> tuple[str, ...]:
    original = getattr(function, "_sluice_original", function)
    return tuple(inspect.signature(original).parameters)


def recorded(release: str) -> Signatures:
    """The signatures of a release of RUN."""
    until = RUN.index(release) + 1
    return {
        name: next(known[run] for run in reversed(RUN[:until]) if run in known) for name, known in SIGNATURES.items()
    }


def present(dataloader: ModuleType) -> Signatures:
    """What this PyTorch has, in the shape of recorded(); None where something is missing."""
    utils = dataloader._utils
    places = {
        "DataLoader": dataloader.DataLoader,
        "_MultiProcessingDataLoaderIter": dataloader._MultiProcessingDataLoaderIter,
        "_SingleProcessDataLoaderIter": dataloader._SingleProcessDataLoaderIter,
        "_BaseDataLoaderIter": dataloader._BaseDataLoaderIter,
        "_MapDatasetFetcher": utils.fetch._MapDatasetFetcher,
        "_IterableDatasetFetcher": utils.fetch._IterableDatasetFetcher,
    }
    found: Signatures = {}
    for name in SIGNATURES:
        owner, _, method = name.partition(".")
        function = getattr(places.get(owner), method, None) if method else utils.worker._worker_loop
        found[name] = parameters(function) if function is not None else None
    return found


def news(found: Signatures, version: str) -> list[str]:
    """What this PyTorch has that was not run, in words; none: it may be changed."""
    release = name_of(version)
    if release not in RUN:
        return [f"release {release}"]
    return [name for name, known in recorded(release).items() if found.get(name) != known]


# ---- what iterators of several releases do differently ----


def has_accelerator() -> bool:
    """Pinning happens only where there is one."""
    accelerator = getattr(torch, "accelerator", None)  # not in 1.13
    return bool(torch.cuda.is_available() if accelerator is None else accelerator.is_available())


def in_order(it: Any) -> bool:
    """Whether the script wants batches in the order of tasks (not a choice in 1.13)."""
    return bool(getattr(it, "_in_order", True))


def worker_arguments(it: Any, worker_loop: Callable[..., Any], queue: Any, worker_id: int) -> tuple[Any, ...]:
    """What one more worker is started with, in order. Raises KeyError for a parameter that nobody knows."""
    special = {"index_queue": queue, "worker_id": worker_id}
    return tuple(
        special[name] if name in special else WORKER_ARGUMENTS[name](it) for name in parameters(worker_loop)
    )


def worker_added(it: Any, process: Any) -> None:
    """An iterator's own books beside the lists of workers and queues."""
    if hasattr(it, "_workers_num_tasks"):  # after 2.6
        it._workers_num_tasks.append(0)
    clean_up = getattr(type(it), "_clean_up_worker", None)
    looks_after_all = hasattr(type(it), "_register_persistent_workers_atexit")  # in 2.14
    if it._persistent_workers and it._pin_memory and clean_up is not None and not looks_after_all:
        atexit.register(clean_up, process)


def locks_of_trainer(it: Any) -> list[Any]:
    """Those of queues that its thread takes, for moments, and that ending it waits for."""
    queues = it.__dict__.get("_index_queues", ())
    found = [getattr(queue, "_notempty", None) for queue in queues]
    found.append(getattr(it.__dict__.get("_data_queue"), "mutex", None))  # of a pin thread's
    return [lock for lock in found if lock is not None]


def task_sent(it: Any, worker: int) -> None:
    if hasattr(it, "_workers_num_tasks"):
        it._workers_num_tasks[worker] += 1


def pinned(it: Any, data: Any) -> Any:
    """As an iterator without workers hands a batch over."""
    if not it._pin_memory:
        return data
    return torch.utils.data._utils.pin_memory.pin_memory(data, getattr(it, "_pin_memory_device", None))


def fetcher_of(it: Any) -> Any:
    """Who fetches in the trainer what an iterator's workers fetch."""
    create = torch.utils.data._DatasetKind.create_fetcher
    return create(it._dataset_kind, it._dataset, it._auto_collation, it._collate_fn, it._drop_last)
