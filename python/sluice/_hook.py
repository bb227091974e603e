"""The import hook: patches torch.utils.data.dataloader as soon as somebody imports it.

Installed by inject/sitecustomize.py in every Python process of a wrapped run, also in helpers of multiprocessing, so
it imports next to nothing by itself.
"""
import sys

TARGET = "torch.utils.data.dataloader"


class _Loader:
    """Runs the module's own loader, then patches the module."""

    def __init__(self, loader):
        self._loader = loader

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        patch(module)

    def __getattr__(self, name):
        return getattr(self._loader, name)


class Finder:
    """On sys.meta_path until the module has been found once."""

    def find_spec(self, name, path=None, target=None):
        if name != TARGET:
            return None
        remove()
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if find is not None else None
            if spec is not None:
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader)
                return spec
        return None


def patch(module):
    from . import _semaphores
    from ._report import warn_of

    _semaphores.mark()
    try:
        from ._loader import patches

        patches.install(module, all_loaders=True)
    except Exception as error:
        warn_of(error, "DataLoaders are not measured")


def install():
    """Patches now what has been imported already, later what will be."""
    if TARGET in sys.modules:
        patch(sys.modules[TARGET])
    elif not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder())


def remove():
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, Finder)]
