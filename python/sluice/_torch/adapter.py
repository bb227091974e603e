"""The adapter to PyTorch: what the import hook calls when torch.utils.data.dataloader has been imported."""

WHAT = "DataLoaders"


def install(module):
    from . import patches

    patches.install(module, all_loaders=True)


def first_calls(module):
    return ((module.DataLoader, "_get_iterator"), (module._BaseDataLoaderIter, "__init__"))
