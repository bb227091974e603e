"""The adapter to PyTorch: what the import hook calls when torch.utils.data.dataloader has been imported."""
from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

WHAT = "DataLoaders"


def install(module: ModuleType) -> None:
    from . import patches

    patches.install(module, all_loaders=True)


def first_calls(module: ModuleType) -> tuple[tuple[type, str], ...]:
    return ((module.DataLoader, "_get_iterator"), (module._BaseDataLoaderIter, "__init__"))
