"""Sluice inside a Python process: measures input pipelines and lets them be retuned while they run.

    import sluice
    loader = sluice.wrap(loader)            a torch.utils.data.DataLoader
    for batch in sluice.measure(batches):   any other loop

Nothing here raises because of Sluice itself: what goes wrong is one line on stderr, and the program goes on.
SLUICE_DISABLE=1 switches everything off. See docs/wrapping.md.
"""
TYPE_CHECKING = False  # that of typing would cost every Python process its import
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from torch.utils.data import DataLoader

    AnyLoader = TypeVar("AnyLoader", bound=DataLoader)

__all__ = ["__version__", "measure", "wrap"]
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
    except Exception as error:
        warn_of(error, "a DataLoader is not measured")
    return loader
