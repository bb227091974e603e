"""The seam between the import hook and a framework, which nothing imports at run time.

`_hook.FRAMEWORKS` names for each framework a module of ours, `_NAME/adapter.py`. That module is an Adapter.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    from ._torch import adapter as torch


class Adapter(Protocol):
    """Imported by the thread that imports the framework's module, as soon as that has run. The packages around it may
    be half imported by then, and the process may be one that only works for a loader: so the adapter imports what it
    needs when it is called, and nothing that the script has not imported, but for Python's own.

    What its import or its functions raise is one line on stderr, and the script goes on unmeasured. That goes for what
    they put in place as well (_report.warn_of): there only the framework's own errors may reach the script.
    """

    WHAT: str  # the framework's loaders in that line: "DataLoaders"

    def install(self, module: ModuleType) -> None:
        """Patches what iterates in the framework's module. May be called again, and in a forked child."""

    def first_calls(self, module: ModuleType) -> Iterable[tuple[type, str]]:
        """The methods, as (class, name), one of which is called before anything is iterated. A process that
        multiprocessing has spawned calls install() when the first of them is called, if ever."""


if TYPE_CHECKING:
    ADAPTERS: tuple[Adapter, ...] = (torch,)  # those that mypy compares with it
