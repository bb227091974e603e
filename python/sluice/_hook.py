"""The import hook: patches torch.utils.data.dataloader as soon as somebody imports it.

Installed by inject/sitecustomize.py in every Python process of a wrapped run, also in helpers of multiprocessing, so
it imports next to nothing by itself. A process that multiprocessing has spawned is a loader's worker more often than
not: there patching waits until somebody iterates a loader, as a loop waits for its workers to start.
"""
import sys

TARGET = "torch.utils.data.dataloader"
SPAWNED = "--multiprocessing-fork"  # on the command line of what multiprocessing spawns

_waiting = []  # (owner, name, original, stand-in): methods that patch when they are first called
_covered = []  # stand-ins that somebody else has wrapped meanwhile


class _Loader:
    """Runs the module's own loader, then patches the module."""

    def __init__(self, loader):
        self._loader = loader

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__spec__.loader = module.__loader__ = self._loader
        self._loader.exec_module(module)
        (patch_at_first_use if is_spawned() else patch)(module)

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
        from ._torch import patches

        patches.install(module, all_loaders=True)
    except Exception as error:
        warn_of(error, "DataLoaders are not measured")


def is_spawned():
    return SPAWNED in getattr(sys, "orig_argv", sys.argv)  # orig_argv: from Python 3.10 on


def patch_at_first_use(module):
    """Patches when an iterator is made, whoever makes it."""
    import os
    from threading import Lock

    from . import _semaphores
    from ._report import warn_of

    _semaphores.mark()
    try:
        one_thread = Lock()
        os.register_at_fork(after_in_child=one_thread._at_fork_reinit)
        for owner, name in ((module.DataLoader, "_get_iterator"), (module._BaseDataLoaderIter, "__init__")):
            original = owner.__dict__[name]
            stand_in = _patches_first(module, owner, name, original, one_thread)
            setattr(owner, name, stand_in)
            _waiting.append((owner, name, original, stand_in))
    except Exception as error:
        warn_of(error, "DataLoaders of a spawned process are not measured")


def _patches_first(module, owner, name, original, one_thread):
    def stand_in(self, *arguments, **named):
        with one_thread:
            if take_back():
                patch(module)
        now = original if stand_in in _covered else owner.__dict__[name]
        return now(self, *arguments, **named)

    stand_in.__name__, stand_in.__qualname__, stand_in.__doc__ = name, original.__qualname__, original.__doc__
    stand_in._sluice_original = original
    return stand_in


def take_back():
    """The methods that wait to patch are PyTorch's own again. Returns whether there were any."""
    waited = bool(_waiting)
    while _waiting:
        owner, name, original, stand_in = _waiting.pop()
        if owner.__dict__.get(name) is stand_in:
            setattr(owner, name, original)
        else:
            _covered.append(stand_in)
    return waited


def install():
    """Patches now what has been imported already, later what will be."""
    if TARGET in sys.modules:
        patch(sys.modules[TARGET])
    elif not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder())


def remove():
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, Finder)]
