"""Which PyTorch we know how to retune: the signatures that our changes rest on, as recorded from its releases.

Where one differs, the loader is only observed. tests/python/signatures.json holds the recordings.
"""
import inspect

# Of the classes and functions by name, the parameters; several where releases differ.
KNOWN = {
    "DataLoader._get_iterator": [("self",)],
    "_MultiProcessingDataLoaderIter.__init__": [("self", "loader")],
    "_MultiProcessingDataLoaderIter._reset": [("self", "loader", "first_iter")],
    "_MultiProcessingDataLoaderIter._try_put_index": [("self",)],
    "_MultiProcessingDataLoaderIter._get_data": [("self",)],
    "_MultiProcessingDataLoaderIter._next_data": [("self",)],
    "_MultiProcessingDataLoaderIter._process_data": [("self", "data"), ("self", "data", "worker_idx")],
    "_MultiProcessingDataLoaderIter._mark_worker_as_unavailable": [("self", "worker_id", "shutdown")],
    "_MultiProcessingDataLoaderIter._shutdown_workers": [("self",)],
    "_SingleProcessDataLoaderIter.__init__": [("self", "loader")],
    "_BaseDataLoaderIter.__next__": [("self",)],
    "_BaseDataLoaderIter._next_index": [("self",)],
    "_MapDatasetFetcher.fetch": [("self", "possibly_batched_index")],
    "_IterableDatasetFetcher.fetch": [("self", "possibly_batched_index")],
    "_worker_loop": [
        (
            "dataset_kind",
            "dataset",
            "index_queue",
            "data_queue",
            "done_event",
            "auto_collation",
            "collate_fn",
            "drop_last",
            "base_seed",
            "init_fn",
            "worker_id",
            "num_workers",
            "persistent_workers",
            "shared_seed",
        ),
    ],
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


def parameters(function):
    original = getattr(function, "_sluice_original", function)
    return tuple(inspect.signature(original).parameters)


def present(dataloader):
    """What this PyTorch has, in the shape of KNOWN; None where something is missing."""
    utils = dataloader._utils
    places = {
        "DataLoader": dataloader.DataLoader,
        "_MultiProcessingDataLoaderIter": dataloader._MultiProcessingDataLoaderIter,
        "_SingleProcessDataLoaderIter": dataloader._SingleProcessDataLoaderIter,
        "_BaseDataLoaderIter": dataloader._BaseDataLoaderIter,
        "_MapDatasetFetcher": utils.fetch._MapDatasetFetcher,
        "_IterableDatasetFetcher": utils.fetch._IterableDatasetFetcher,
    }
    found = {}
    for name in KNOWN:
        owner, _, method = name.partition(".")
        function = getattr(places.get(owner), method, None) if method else utils.worker._worker_loop
        found[name] = parameters(function) if function is not None else None
    return found


def strangers(found):
    """The names in `found` that are not as recorded."""
    return [name for name, known in KNOWN.items() if found.get(name) not in known]
