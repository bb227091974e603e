"""Sluice inside a Python process: measures input pipelines and lets them be retuned while they run.

    import sluice
    loader = sluice.wrap(loader)            a torch.utils.data.DataLoader
    for batch in sluice.measure(batches):   any other loop
    sluice.on_decision(logger.info)         what `sluice wrap` decides about them, as it happens

Nothing here raises because of Sluice itself: what goes wrong is one line on stderr, and the program goes on.
SLUICE_DISABLE=1 switches everything off. See docs/wrapping.md.
"""
TYPE_CHECKING = False  # that of typing would cost every Python process its import
if TYPE_CHECKING:
    from typing import Any, Callable, TypeVar

    from torch.utils.data import DataLoader

    AnyLoader = TypeVar("AnyLoader", bound=DataLoader)
    AnyCallback = TypeVar("AnyCallback", bound=Callable[[dict[str, Any]], Any])

__all__ = ["__version__", "measure", "on_decision", "on_verdict", "wrap"]
__version__ = "0.1.0"


def measure(source: "Any" = None, name: "str | None" = None) -> "Any":
    """Measures a loop that uses no DataLoader.

    for batch in sluice.measure(batches): ...          an iterable
    with sluice.measure(batches) as measured: ...      the same; the measuring ends with the block
    @sluice.measure                                    a function that returns an iterable
    """
    from ._measure import measure as made

    return made(source, name)


def wrap(loader: "AnyLoader") -> "AnyLoader":
    """Measures a DataLoader and lets it be retuned while it runs; returns the same loader."""
    from . import _settings
    from ._report import warn_of

    if _settings.read().disabled:
        return loader
    try:
        from torch.utils.data import dataloader

        from ._torch import patches

        patches.install(dataloader, all_loaders=False)
        patches.wrap(loader)
    except Exception:
        warn_of("a DataLoader is not measured")
    return loader


def on_decision(callback: "AnyCallback") -> "AnyCallback":
    """Has `callback` called with each decision about a loader of this process: when it is made, and when its fate is
    known. Returns it, so that this is a decorator as well.

    It gets a dict (docs/wrapping.md), between two batches, on the thread that iterates the loader; never in workers.
    Where nobody decides, as without `sluice wrap`, it is never called. What it raises is told on stderr, once.
    """
    from . import _callbacks

    _callbacks.register("decision", callback)
    return callback


def on_verdict(callback: "AnyCallback") -> "AnyCallback":
    """The same for what limits a loader: called whenever that is something else."""
    from . import _callbacks

    _callbacks.register("verdict", callback)
    return callback
