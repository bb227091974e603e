"""What fetches can draw from: generators within reach of a data set, found by looking, without calling anything.

The walk follows everything that Python's garbage collector follows (attributes, slots, containers, closures, partial
objects), and the code of functions and classes: the globals and module members that it names. It stops at libraries
whose own code draws from the global generators only, which are watched while fetches run (repro.DrawWatch).

A generator that is made only while fetches run is known by the code that names its maker. An iterator counts as well:
where it stands depends on which worker fetched what.
"""
from __future__ import annotations

import dis
import functools
import gc
import io
import itertools
import random
import sys
import sysconfig
import types
from collections.abc import Iterable, Iterator
from typing import Any

import torch

from . import repro

MOST_LOOKED_AT = 20_000  # objects; beyond that the answer is "perhaps"
_FEW = 32
_LEAVES = frozenset(
    (str, bytes, bytearray, int, float, complex, bool, type(None), range, slice, torch.Tensor, torch.Size)
)
_CONTAINERS = (list, tuple, dict, set, frozenset)
_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_TRUSTED = frozenset(
    ("torch", "torchvision", "torchaudio", "numpy", "scipy", "pandas", "pyarrow", "PIL", "cv2", "h5py", "sluice")
) | getattr(sys, "stdlib_module_names", frozenset(("builtins", "random", "collections", "functools", "itertools")))
_MAKERS = frozenset(
    "Random RandomState Generator default_rng SeedSequence MT19937 PCG64 PCG64DXSM Philox SFC64 initial_seed".split()
)
_GLOBAL_DRAWS = frozenset(
    "rand rand_like randn randn_like randint randint_like randperm normal bernoulli multinomial poisson random_ "
    "normal_ uniform_ bernoulli_ exponential_ geometric_ cauchy_ log_normal_ dropout manual_seed".split()
)
_WORKER = frozenset(("get_worker_info",))
_NOTHING: frozenset[str] = frozenset()


def find(roots: Iterable[Any], global_too: bool = False, apart: Any = None) -> str | None:
    """A name for what code within reach of `roots` may draw from; None: there is nothing.

    `global_too`: the global generators of random, numpy and torch count as well. `apart` is not looked into.
    """
    return _Walk(_MAKERS | _WORKER | (_GLOBAL_DRAWS if global_too else _NOTHING), True, global_too, apart).run(roots)


def knows_worker(roots: Iterable[Any]) -> str | None:
    """A name for the code within reach of `roots` that asks which worker it runs in, or None."""
    return _Walk(_WORKER).run(roots)


def _is_trusted(value: Any) -> bool:
    module = getattr(value, "__module__", None)
    return isinstance(module, str) and module.partition(".")[0] in _TRUSTED


def _is_callable(value: Any) -> bool:
    """Whether it is a class or a function, of Python or of C."""
    kinds = (type, types.FunctionType, types.BuiltinFunctionType)
    return isinstance(value, kinds) or type(value).__name__ == "cython_function_or_method"


def _is_plain(values: list[Any], depth: int = 3) -> bool:
    """Whether many values are numbers, text and containers of such: the rows themselves."""
    kinds = set(map(type, values)) - _LEAVES
    if not kinds:
        return True
    if depth == 0 or not kinds.issubset(_CONTAINERS):
        return False
    inner = [value for value in values if type(value) in kinds]
    return _is_plain(list(itertools.chain.from_iterable(_elements(value) for value in inner)), depth - 1)


def _elements(container: Any) -> Any:
    return itertools.chain(container.keys(), container.values()) if isinstance(container, dict) else container


def names_in(code: types.CodeType) -> set[str]:
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= names_in(constant)
    return found


def is_users(made: Any) -> bool:
    """Whether a class or function is of the script or of what lies beside it."""
    module = sys.modules.get(made.__module__)
    return bool(made.__module__ == "__main__") if module is None else is_users_module(module)


def is_users_module(module: types.ModuleType) -> bool:
    file = getattr(module, "__file__", None)
    if not isinstance(file, str):
        return module.__name__ == "__main__"
    return not (file.startswith(_LIBRARIES) or "dist-packages" in file or "site-packages" in file)


def globals_of(root: Any) -> Iterator[tuple[str, Any]]:
    """The globals that the code of a data set, or a function, names, by name: of its own, not of what that calls."""
    methods = [getattr(type(root), name, None) for name in ("__getitem__", "__getitems__", "__call__")]
    for function in (root, *methods):
        if isinstance(function, types.FunctionType) and is_users(function):
            for name in _global_names(function.__code__):
                if name in function.__globals__:
                    yield name, function.__globals__[name]


@functools.lru_cache(maxsize=1000)
def _global_names(code: types.CodeType) -> list[str]:
    """Those that are no attributes' names as well."""
    found = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found.update(_global_names(constant))
    return sorted(found)


def _named(names: Iterable[str], variables: dict[str, Any]) -> Iterator[Any]:
    """The globals that a code names, and the members of modules among them."""
    pending = [variables[name] for name in names if name in variables]
    modules: set[int] = set()
    while pending:
        value = pending.pop()
        if not isinstance(value, types.ModuleType):
            yield value
        elif id(value) not in modules:
            modules.add(id(value))
            pending.extend(vars(value)[name] for name in names if name in vars(value))


class _Walk:
    def __init__(
        self, names: frozenset[str], generators: bool = False, global_too: bool = False, apart: Any = None
    ) -> None:
        self._names = names  # that code must not name
        self._generators = generators
        self._global_too = global_too
        self._seen = {id(apart): apart}  # by id; keeps what was made on the way, so that ids stay unique
        self._pending: list[Any] = []

    def run(self, roots: Iterable[Any]) -> str | None:
        self._pending.extend(roots)
        while self._pending:
            value = self._pending.pop()
            if type(value) in _LEAVES or id(value) in self._seen:
                continue
            if len(self._seen) >= MOST_LOOKED_AT:
                return "more objects than are looked through"
            self._seen[id(value)] = value
            found = self._look_at(value)
            if found:
                return found
        return None

    def _look_at(self, value: Any) -> str | None:
        """The name of what `value` draws from, or None after noting what lies behind it."""
        if repro.is_generator(value):
            ignored = not self._generators or (repro.is_global(value) and not self._global_too)
            return None if ignored else _title(value)
        if isinstance(value, types.ModuleType):  # may import more when it is asked for something
            return None
        if _is_callable(value) and _is_trusted(value) and value.__name__ in self._names:
            return str(value.__name__)
        if isinstance(value, type):
            return self._look_at_class(value)
        if isinstance(value, types.FunctionType):
            return self._look_at_function(value)
        if self._generators and isinstance(value, Iterator) and not isinstance(value, io.IOBase):
            return f"the iterator {_title(value)}"
        if isinstance(value, _CONTAINERS) and self._is_data(value):
            return None
        if type(value).__module__ == "numpy" and hasattr(value, "dtype"):
            self._look_at_array(value)
            return None
        self._pending.append(type(value))
        self._pending.extend(gc.get_referents(value))
        return None

    @staticmethod
    def _is_data(container: Any) -> bool:
        return len(container) > _FEW and _is_plain(list(_elements(container)))

    def _look_at_array(self, array: Any) -> None:
        if getattr(array.dtype, "hasobject", False) and getattr(array, "ndim", 0):
            self._pending.append(array.ravel().tolist())

    def _look_at_class(self, kind: type) -> str | None:
        if self._generators and issubclass(kind, (random.Random, torch.Generator)):
            return _title(kind)
        if not _is_trusted(kind):
            self._pending.extend(vars(kind).values())
            self._pending.extend(kind.__bases__)
        return None

    def _look_at_function(self, function: types.FunctionType) -> str | None:
        self._pending.extend(cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell))
        self._pending.extend(function.__defaults__ or ())
        self._pending.extend((function.__kwdefaults__ or {}).values())
        self._pending.extend(vars(function).values())
        if _is_trusted(function):
            return None
        names = names_in(function.__code__)
        if names & self._names:
            return f"{min(names & self._names)} in {function.__qualname__}"
        self._pending.extend(_named(names, function.__globals__))
        return None


def _is_filled(cell: types.CellType) -> bool:
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _title(value: Any) -> str:
    kind = value if isinstance(value, type) else type(value)
    return f"{kind.__module__}.{kind.__qualname__}"
