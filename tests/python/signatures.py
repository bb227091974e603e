"""Signatures of PyTorch's releases, as recorded from their sources.

What sluice/_loader/signatures.py compares. To record another release, print `signatures.present(dataloader)` there.
"""

_WORKER_LOOP = (
    "dataset_kind dataset index_queue data_queue done_event auto_collation collate_fn drop_last base_seed "
    "init_fn worker_id num_workers persistent_workers shared_seed"
).split()

_RELEASE_1_13 = {
    "DataLoader._get_iterator": ["self"],
    "_MultiProcessingDataLoaderIter.__init__": ["self", "loader"],
    "_MultiProcessingDataLoaderIter._reset": ["self", "loader", "first_iter"],
    "_MultiProcessingDataLoaderIter._try_put_index": ["self"],
    "_MultiProcessingDataLoaderIter._get_data": ["self"],
    "_MultiProcessingDataLoaderIter._next_data": ["self"],
    "_MultiProcessingDataLoaderIter._process_data": ["self", "data"],
    "_MultiProcessingDataLoaderIter._mark_worker_as_unavailable": ["self", "worker_id", "shutdown"],
    "_MultiProcessingDataLoaderIter._shutdown_workers": ["self"],
    "_SingleProcessDataLoaderIter.__init__": ["self", "loader"],
    "_BaseDataLoaderIter.__next__": ["self"],
    "_BaseDataLoaderIter._next_index": ["self"],
    "_MapDatasetFetcher.fetch": ["self", "possibly_batched_index"],
    "_IterableDatasetFetcher.fetch": ["self", "possibly_batched_index"],
    "_worker_loop": _WORKER_LOOP,
}

RECORDED = {
    "1.13 to 2.5": _RELEASE_1_13,
    # in_order came: the worker of a batch is told.
    "2.6 and later": {
        **_RELEASE_1_13,
        "_MultiProcessingDataLoaderIter._process_data": ["self", "data", "worker_idx"],
    },
}
