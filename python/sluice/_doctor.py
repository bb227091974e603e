"""What `sluice doctor` asks an interpreter: run as a program with the flags and the environment of a wrapped command.

Prints one line of JSON behind MARK. Never fails: what cannot be found out is an "error" in its place. Pythons that are
too old for the package run it as well, so that the doctor can say so.
"""
import contextlib
import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

MARK = "sluice-doctor:"


def attempt(ask: "Callable[[], Any]") -> "Any":
    try:
        return ask()
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}".replace("\n", " ")}


def sitecustomize_chain() -> "list[str]":
    """The files, in the order in which they would be found."""
    folders = [folder for folder in os.environ.get("PYTHONPATH", "").split(os.pathsep) if folder]
    if sys.flags.ignore_environment:
        folders = []
    chain: list[str] = []
    for folder in folders + sys.path:
        path = os.path.join(folder, "sitecustomize.py")
        if os.path.isfile(path) and path not in chain:
            chain.append(path)
    return chain


def torch() -> "dict[str, Any] | None":
    from importlib import metadata, util

    if util.find_spec("torch") is None:
        return None
    import torch

    found = {"version": torch.__version__, "file": torch.__file__}
    with contextlib.suppress(metadata.PackageNotFoundError):
        found["distribution"] = metadata.version("torch")
    return found


def patched() -> "list[str]":
    """The methods that have been replaced by importing the module, as "Class.method"."""
    from torch.utils.data import dataloader

    owners = [value for value in vars(dataloader).values() if isinstance(value, type)]
    owners += [value for value in vars(dataloader._utils.fetch).values() if isinstance(value, type)]
    names = {
        f"{owner.__name__}.{name}"
        for owner in owners
        for name, value in vars(owner).items()
        if hasattr(value, "_sluice_original")
    }
    return sorted(names)


def strangers() -> "list[str]":
    """What this PyTorch has that Sluice was never run with."""
    import torch
    from torch.utils.data import dataloader

    from sluice._torch import releases

    return releases.news(releases.present(dataloader), torch.__version__)


def trial() -> str:
    """Whether it may be changed all the same; what did not hold is the error."""
    from sluice._torch import selfcheck

    selfcheck.trial()
    return "passed"


def library() -> "dict[str, Any]":
    from sluice import _library

    loaded = _library.library()
    return {"path": loaded._name, "version": loaded.sluice_version().decode(), "abi": loaded.sluice_abi_version()}


def start_method() -> str:
    import multiprocessing

    return multiprocessing.get_start_method(allow_none=True) or multiprocessing.get_context().get_start_method()


def look() -> "dict[str, Any]":
    found = {
        "executable": sys.executable,
        "version": ".".join(map(str, sys.version_info[:3])),
        "injected": "sluice._hook" in sys.modules,
        "sitecustomize": attempt(sitecustomize_chain),
        "start_method": attempt(start_method),
        "torch": attempt(torch),
    }
    if found["injected"]:
        found["library"] = attempt(library)
        if found["torch"] and "version" in found["torch"]:
            found["strangers"] = attempt(strangers)
            if found["strangers"]:
                found["trial"] = attempt(trial)
            found["patched"] = attempt(patched)
    return found


if __name__ == "__main__":
    if sys.path and sys.path[0] == os.path.dirname(os.path.abspath(__file__)):
        del sys.path[0]  # the package's own folder is no place to import from
    print(MARK + json.dumps(look()))
