"""The import hook: patches the loaders of a framework as soon as somebody imports them.

Installed by inject/sitecustomize.py in every Python process of a wrapped run, also in helpers of multiprocessing, so
it imports next to nothing by itself. A process that multiprocessing has spawned is a loader's worker more often than
not: there patching waits until somebody iterates a loader, as a loop waits for its workers to start.
"""
import sys

TYPE_CHECKING = False  # that of typing would cost every Python process its import
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any, Optional

    from ._adapter import Adapter

# What is measured: the module whose import shows that a script uses a framework, and our adapter to it (_adapter.py).
FRAMEWORKS = {"torch.utils.data.dataloader": "sluice._torch.adapter"}

# On the command line of what multiprocessing spawns, and of its fork server and what that forks.
SPAWNED = ("--multiprocessing-fork", "from multiprocessing.forkserver import")

_folder = ""  # ours on PYTHONPATH
_found: "set[str]" = set()  # modules of the table that have been looked for


class _Loader:
    """Runs the module's own loader, then patches the module."""

    def __init__(self, loader: "Loader") -> None:
        self._loader = loader

    def create_module(self, spec: "ModuleSpec") -> "ModuleType | None":
        return self._loader.create_module(spec)

    def exec_module(self, module: "ModuleType") -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        (patch_at_first_use if is_spawned() else patch)(module)

    def __getattr__(self, name: str) -> "Any":
        return getattr(self._loader, name)


class Finder:
    """On sys.meta_path until each module of the table has been found once."""

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        if name not in FRAMEWORKS or name in _found:
            return None
        _found.add(name)
        if _found.issuperset(FRAMEWORKS):
            remove()
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec: Optional[ModuleSpec] = find(name, path, target) if find is not None else None
            if spec is not None:
                if spec.loader is not None and hasattr(spec.loader, "exec_module"):
                    spec.loader = _Loader(spec.loader)  # type: ignore[assignment]
                return spec
        return None


def adapter_to(module: "ModuleType") -> "Adapter":
    """Raises what its import raises."""
    from importlib import import_module

    adapter: Adapter = import_module(FRAMEWORKS[module.__name__])
    return adapter


def patch(module: "ModuleType") -> None:
    from . import _semaphores
    from ._report import warn_of

    _semaphores.mark()
    what = f"loaders of {module.__name__}"
    try:
        adapter = adapter_to(module)
        what = adapter.WHAT
        adapter.install(module)
    except Exception:
        warn_of(f"{what} are not measured")


def is_spawned() -> bool:
    arguments = getattr(sys, "orig_argv", sys.argv)  # orig_argv: from Python 3.10 on
    return any(mark in argument for argument in arguments for mark in SPAWNED)


def patch_at_first_use(module: "ModuleType") -> None:
    """Patches when the script begins to iterate."""
    from . import _semaphores
    from ._report import warn_of

    _semaphores.mark()
    what = f"loaders of {module.__name__}"
    try:
        adapter = adapter_to(module)
        what = adapter.WHAT
        _FirstUse(module).await_calls(adapter.first_calls(module))
    except Exception:
        warn_of(f"{what} of a spawned process are not measured")


class _FirstUse:
    """Of one module: stand-ins for the methods that begin to iterate, which patch it when one is called."""

    def __init__(self, module: "ModuleType") -> None:
        import os
        from threading import Lock

        self._module = module
        self._waiting: list[tuple[type, str, Any, Any]] = []  # (owner, name, original, stand-in)
        self._covered: list[Any] = []  # stand-ins that somebody else has wrapped meanwhile
        self._one_thread = Lock()
        os.register_at_fork(after_in_child=self._one_thread._at_fork_reinit)  # type: ignore[attr-defined]

    def await_calls(self, methods: "Iterable[tuple[type, str]]") -> None:
        for owner, name in methods:
            original = owner.__dict__[name]
            stand_in = self._patches_first(owner, name, original)
            setattr(owner, name, stand_in)
            self._waiting.append((owner, name, original, stand_in))

    def _patches_first(self, owner: type, name: str, original: "Callable[..., Any]") -> "Callable[..., Any]":
        def stand_in(this: "Any", *arguments: "Any", **named: "Any") -> "Any":
            with self._one_thread:
                if self._take_back():
                    patch(self._module)
            now = original if stand_in in self._covered else owner.__dict__[name]
            return now(this, *arguments, **named)

        stand_in.__name__, stand_in.__qualname__, stand_in.__doc__ = name, original.__qualname__, original.__doc__
        stand_in._sluice_original = original  # type: ignore[attr-defined]
        return stand_in

    def _take_back(self) -> bool:
        """The methods that wait are the framework's own again. Returns whether there were any."""
        waited = bool(self._waiting)
        while self._waiting:
            owner, name, original, stand_in = self._waiting.pop()
            if owner.__dict__.get(name) is stand_in:
                setattr(owner, name, original)
            else:
                self._covered.append(stand_in)
        return waited


def install(folder: str) -> None:
    """Patches now what has been imported already, later what will be. `folder`: of PYTHONPATH, by which it came."""
    global _folder
    _folder = folder
    for name in FRAMEWORKS:
        if name in sys.modules and name not in _found:
            _found.add(name)
            patch(sys.modules[name])
    if not _found.issuperset(FRAMEWORKS) and not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, Finder())


def stay_on_path() -> None:
    """What this process starts from now on finds us as this one did, though the script may have set PYTHONPATH."""
    import os

    path = os.environ.get("PYTHONPATH", "")
    if _folder and _folder not in path.split(os.pathsep):
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (_folder, path)))


def remove() -> None:
    sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, Finder)]
