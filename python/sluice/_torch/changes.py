"""Whether what rows are made of changes: by the rows, which would leave that in a worker where nobody sees it, or by
the training loop, which a worker that was started before would not see, and one that is started after would.

What the code of a data set can see is looked through: its attributes, the globals, closures and class attributes that
the user's functions name, and what all these are made of, as far as code asks for it; tensors by their versions. What
rows change inside of the objects of libraries is the libraries' concern; what the loop changes there is not.
"""
from __future__ import annotations

import argparse
import ctypes
import functools
import itertools
import logging
import os
import types
from collections import deque
from multiprocessing import sharedctypes
from typing import TYPE_CHECKING, Any

import torch

from .._signals import let_through
from . import draws

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .looks import Looked, Looks

_MOST = 1000  # values that are compared
_WIDTH = 32  # of a container
_DEPTH = 6
_SHARED = (sharedctypes.SynchronizedBase, ctypes._SimpleCData, ctypes.Array)  # with other processes, by multiprocessing
VALUES = (bool, int, float, complex, str, type(None))
_CONTAINERS = (list, tuple, dict, set, frozenset, deque, bytes, bytearray)
_HOLDERS = (types.SimpleNamespace, argparse.Namespace)  # the user's, whoever wrote the class
_CALLED = ("__getitem__", "__getitems__", "__call__")  # by loaders and libraries
# With one of these, code asks for attributes by names that it makes.
_DYNAMIC = frozenset(("getattr", "vars", "eval", "exec", "__dict__", "__getattr__", "__getattribute__", "asdict"))
_SETTLES = 2  # fetches, in which a data set may open and make what it keeps


class ChangeWatch:
    """Of the fetches of one process: the trainer's of one epoch, or a worker's. One thread."""

    def __init__(self, roots: dict[str, Any], looks: Looks) -> None:
        """`roots`: by name."""
        self._view = View(roots)
        self._looks = looks
        self._fetched = 0  # here
        self._before = self._look()
        self._after: Looked | None = None  # the newest fetch

    def fetch_begins(self) -> str | None:
        """The name of something that the loop has changed since the newest fetch, where it looks; None: nothing."""
        after, self._after = self._after, None
        return None if after is None else difference(after, self._look())

    def fetched(self) -> str | None:
        """After each fetch: what of the user's has changed since it began, where it looks."""
        self._fetched += 1
        if not self._looks.afford_one():
            return None
        now = self._look()
        if self._fetched == _SETTLES:
            self._before = now
        if self._fetched >= _SETTLES:
            self._after = now
        return self._changed(now)

    def looks_away(self) -> None:
        """Fetches come that are not looked at."""
        self._after = None

    def changed(self) -> str | None:
        """At the end of the epoch: the name of something of the user's that is not as it was."""
        now = self._look()
        found = self._changed(now)
        self._before = now
        return found

    @property
    def looked(self) -> Looked:
        """What the newest of these found."""
        return self._before

    def _look(self) -> Looked:
        return self._looks.at(self._view)

    def _changed(self, now: Looked) -> str | None:
        return None if 0 < self._fetched <= _SETTLES else difference(self._before, now, of_libraries=False)


class StartState:
    """What workers saw when they were started. One that is started later must see the same."""

    def __init__(self, roots: dict[str, Any]) -> None:
        """`roots`: by name."""
        self._view = View(roots)
        self._before = self._view.look()

    def changed(self) -> str | None:
        """The name of something that is not as it was."""
        return difference(self._before, self._view.look())


def roots_of(dataset: Any, collate_fn: Any) -> dict[str, Any]:
    """What rows and batches are made of, by name."""
    return {"dataset": dataset, "collate_fn": collate_fn}


def difference(before: Looked, now: Looked, of_libraries: bool = True) -> str | None:
    """The name of the first that differs, None: there is none. `of_libraries`: what is inside of their objects counts,
    too."""
    none = (None, True)
    for name in {**before, **now}:
        (was, users), (is_now, _) = before.get(name, none), now.get(name, none)
        if was != is_now and (users or of_libraries):
            return name
    return None


class View:
    """What code can see from some roots. One thread."""

    def __init__(self, roots: dict[str, Any]) -> None:
        """`roots`: by name."""
        self._roots = roots
        self._names: set[str] | None = None  # of attributes that code asks for; None: of all that there are
        self._texts: list[str] = []  # in code, names of variables of the environment among them
        try:
            near = itertools.islice(self._walk(), _MOST)
            codes = [value.__code__ for _, value, _ in near if isinstance(value, types.FunctionType)]
            names = {name for code in codes for name in draws.names_in(code)}
            self._names = names if names.isdisjoint(_DYNAMIC) else None
            self._texts = sorted({text for code in codes for text in _texts_in(code)})
        except Exception:
            let_through()

    def look(self) -> Looked:
        try:
            values = itertools.islice(self._walk(), _MOST)
            return {
                "the working folder": (_working_folder(), True),
                "the default dtype": (torch.get_default_dtype(), True),
                **{f"os.environ[{text!r}]": (os.environ[text], True) for text in self._texts if text in os.environ},
                **{name: (token(value), users) for name, value, users in values},
            }
        except Exception:
            let_through()
            return {}

    def _walk(self) -> Iterator[tuple[str, Any, bool]]:
        """Values by their names, and whether they are the user's; what is near comes first."""
        pending = deque((name, value, True, 0) for name, value in self._roots.items())
        seen: set[int] = set()
        while pending:
            name, value, users, depth = pending.popleft()
            yield name, value, users
            if depth > _DEPTH or id(value) in seen or isinstance(value, VALUES):
                continue
            seen.add(id(value))
            for inner, part, parts_of_user in self._parts(name, value, users):
                pending.append((inner, part, parts_of_user, depth + 1))

    def _parts(self, name: str, value: Any, users: bool) -> list[tuple[str, Any, bool]]:
        if isinstance(value, dict):
            return [(f"{name}[{key!r:.40}]", part, users) for key, part in itertools.islice(value.items(), _WIDTH)]
        if isinstance(value, (list, tuple)):
            step = max(len(value) // _WIDTH, 1)
            return [(f"{name}[{place}]", value[place], users) for place in range(0, len(value), step)]
        if isinstance(value, types.MethodType):
            return [(name, value.__func__, users), (name, value.__self__, users)]
        if isinstance(value, functools.partial):
            return [(name, value.func, users), (name, value.args, users), (name, value.keywords, users)]
        if isinstance(value, types.FunctionType):
            return _seen_by(value) if draws.is_users(value) else []
        if isinstance(value, (type, torch.Tensor, types.ModuleType, logging.Logger)):
            return []
        own = draws.is_users(type(value)) or isinstance(value, _HOLDERS)
        asked = (pair for pair in attributes(value) if not own or self._is_asked_for(pair[0]))
        found = [(f"{name}.{key}", part, own) for key, part in itertools.islice(asked, _WIDTH)]
        return [*found, *self._of_class(type(value))] if own else found

    def _of_class(self, kind: type) -> Iterator[tuple[str, Any, bool]]:
        for method in _methods_of(kind):
            yield method.__name__, method, True
        for base in filter(draws.is_users, kind.__mro__):
            for key, value in base.__dict__.items():
                if self._is_asked_for(key) and isinstance(value, (*VALUES, *_CONTAINERS, *_HOLDERS, torch.Tensor)):
                    yield f"{base.__name__}.{key}", value, True

    def _is_asked_for(self, name: str) -> bool:
        return self._names is None or name in self._names


def attributes(value: Any) -> Iterator[tuple[str, Any]]:
    """By name, also those in slots; nothing is called."""
    if type(value).__dictoffset__:
        yield from list(vars(value).items())
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            member = kind.__dict__.get(slot)
            if isinstance(member, types.MemberDescriptorType):
                try:
                    yield slot, member.__get__(value)
                except AttributeError:
                    continue  # not set


def _seen_by(function: types.FunctionType) -> list[tuple[str, Any, bool]]:
    """By the code of a user's function, beside its arguments."""
    found = [(f"{function.__name__}.{key}", part, True) for key, part in vars(function).items()]
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ()):
        try:
            found.append((name, cell.cell_contents, True))
        except ValueError:
            continue  # empty
    defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    found += [(f"{function.__name__}: default {place}", part, True) for place, part in enumerate(defaults)]
    names = draws.names_in(function.__code__)
    for name, value in draws.globals_of(function):
        if not isinstance(value, types.ModuleType):
            found.append((name, value, True))
        elif draws.is_users_module(value):
            found += [(f"{name}.{member}", vars(value)[member], True) for member in sorted(names & vars(value).keys())]
    return found


@functools.lru_cache(maxsize=1000)
def _methods_of(kind: type) -> list[types.FunctionType]:
    """Those by which a class makes rows, and those of its own that they call, of its bases as well."""
    found: list[types.FunctionType] = []
    pending, known = list(_CALLED), set(_CALLED)
    while pending:
        name = pending.pop()
        for base in kind.__mro__:
            method = base.__dict__.get(name)
            method = getattr(method, "fget", None) or getattr(method, "__func__", method)
            if isinstance(method, types.FunctionType):
                found.append(method)
                more = draws.names_in(method.__code__) - known
                known |= more
                pending.extend(sorted(more))
    return found


def forget() -> None:
    """What is known of classes, which keeps them and all of their module."""
    _methods_of.cache_clear()


def _texts_in(code: types.CodeType) -> Iterator[str]:
    for constant in code.co_consts:
        if isinstance(constant, str) and constant.isidentifier():
            yield constant
        elif isinstance(constant, types.CodeType):
            yield from _texts_in(constant)


def _working_folder() -> str | None:
    try:
        return os.getcwd()
    except OSError:
        return None  # it is gone


def token(value: Any) -> Any:
    """What tells a value's state from another one, of a container without what is in it."""
    kind = type(value)
    if kind in VALUES:
        return repr(value) if kind in (float, complex) else value
    if isinstance(value, _SHARED):
        return (id(value), bytes(value.get_obj() if isinstance(value, _SHARED[0]) else value)[:_WIDTH])
    if kind.__module__ == "sqlite3":
        return (id(value), getattr(value, "total_changes", None))
    if isinstance(value, torch.Tensor):
        with torch._C.DisableTorchFunction():
            return (id(value), tuple(value.shape), None if value.is_inference() else value._version)
    if kind.__module__ == "numpy" and kind.__name__ in ("ndarray", "memmap"):
        return (id(value), value.shape, _sample(value))
    if isinstance(value, _CONTAINERS):
        return (kind, len(value))
    return (kind, id(value))


def _sample(array: Any) -> Any:
    """Of an array's values. Those of a file that is only read are left there."""
    if array.dtype.hasobject or array.size == 0 or (hasattr(array, "filename") and not array.flags.writeable):
        return None
    return array.flat[:: max(array.size // _WIDTH, 1)].tobytes()
