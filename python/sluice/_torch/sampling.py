"""Whether the training loop changes what a sampler goes by while it yields, as one that takes the row with the greatest
loss next: how far it is drawn ahead would then decide what it yields.

What a sampler asks for before it yields, such as weights that an epoch's order is drawn from, the loop may change: that
counts from the next epoch on, here as in the bare run. So its code is looked at for what it asks for afterwards.
"""
from __future__ import annotations

import dis
import functools
import itertools
import types
from collections import deque
from time import monotonic_ns
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from .._signals import let_through
from . import changes, draws

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from torch.utils.data import DataLoader

    from .looks import Looked, Looks

    Steps = list[dis.Instruction]

_MOST = 200  # values that are compared
_DEPTH = 4
_MOST_WHOLE = 1_000_000  # elements of a container that are all compared
_LOADS = ("LOAD_ATTR", "LOAD_METHOD", "LOAD_GLOBAL", "LOAD_NAME")
_YIELDS = ("YIELD_VALUE", "YIELD_FROM")
_KEEPS = ("GET_ITER", "GET_YIELD_FROM_ITER", "STORE_FAST", "STORE_DEREF")  # a value, for later
_CALLS = ("PRECALL", "CALL", "CALL_FUNCTION")
_OF_OBJECTS = ("LOAD_ATTR", "LOAD_METHOD")
_LAZY = ("iter", "enumerate", "reversed", "map", "filter", "zip")  # keep what they are given


class LoopWatch:
    """Of one loader, for one epoch. One thread: whoever iterates."""

    def __init__(self, loader: DataLoader, looks: Looks) -> None:
        self._view = View({"sampler": loader.sampler, "batch_sampler": loader.batch_sampler}, apart=loader.dataset)
        self._looks = looks
        self._seen: Seen | None = None  # by the newest look
        self._looked = False  # at the newest batch

    def takes(self) -> None:
        """The loop gets a batch."""
        self._looked = self._looks.afford_one()
        if not self._looked:
            return
        began = monotonic_ns()
        if self._seen is None or not self._seen.stands():
            self._seen = Seen(self._view)
        self._looks.took(monotonic_ns() - began)

    def looks_away(self) -> None:
        """Batches come that are not looked at."""
        self._looked = False

    def asks(self) -> str | None:
        """For the next one: the name of something that the loop has changed since, where it was looked at."""
        seen = self._seen
        if seen is None or not self._looked:
            return None
        began = monotonic_ns()
        changed = None
        if not seen.stands():
            self._seen = None
            changed = changes.difference(seen.looked, self._view.look())
        self._looks.took(monotonic_ns() - began)
        return changed


class Seen:
    """What a look has found, and where: whether it all stands there yet costs less than a second look. What does not
    may be equal all the same."""

    def __init__(self, view: View) -> None:
        self.looked = view.look()
        self._places: list[Place] = []
        self._mutable: list[tuple[Any, Any]] = []  # values that change in place, and what they were
        try:
            self._places = list(view.places())
            self._mutable = [(value, _token(value)) for _, value in view.values() if _changes_in_place(value)]
        except Exception:
            let_through()
            self._places = [_NOWHERE]

    def stands(self) -> bool:
        return all(place.stands() for place in self._places) and all(
            _token(value) == token for value, token in self._mutable
        )


class Place(NamedTuple):
    members: Mapping[str, Any]  # of an object, a class or a module
    found: tuple[tuple[str, Any], ...]  # those that code asks for
    missing: frozenset[str]  # that it would ask for as well

    def stands(self) -> bool:
        members = self.members
        return self.missing.isdisjoint(members) and all(
            members.get(name, _NOWHERE) is value for name, value in self.found
        )


_NOWHERE = Place({}, (("", ""),), frozenset())  # stands never


class View:
    """What samplers ask for while they yield. One thread."""

    def __init__(self, roots: dict[str, Any], apart: Any = None) -> None:
        """`roots`: samplers by name. `apart` is not looked into."""
        self._roots = roots
        self._apart = apart
        self._names: set[str] = set()
        self._globals: list[tuple[str, dict[str, Any]]] = []
        known: set[type] = set()
        for _ in range(_DEPTH):  # each may lead to another one
            found = {type(value) for _, value in self.values()} - known
            for kind in found:
                self._learn(kind)
            known |= found

    def look(self) -> Looked:
        try:
            return {name: (_token(value), True) for name, value in self.values()}
        except Exception:
            let_through()
            return {}

    def _learn(self, kind: type) -> None:
        for asked in _asked_by(kind):
            self._names |= asked.attributes
            self._globals += [(name, asked.variables) for name in sorted(asked.globals & asked.variables.keys())]

    def values(self) -> Iterator[tuple[str, Any]]:
        return itertools.islice(self._walk(), _MOST)

    def places(self) -> Iterator[Place]:
        """Where the values are."""
        for name, variables in self._globals:
            if name in variables:
                yield Place(variables, ((name, variables[name]),), frozenset())
        for _, value in self.values():
            asked = {name: part for name, part in changes.attributes(value) if name in self._names}
            members = vars(value) if type(value).__dictoffset__ else {}
            if not _is_whole(value) and (asked or members):
                # One that has a slot is not among the members, so that its place never stands.
                yield Place(members, tuple(asked.items()), frozenset(self._names - asked.keys()))

    def _walk(self) -> Iterator[tuple[str, Any]]:
        pending = deque((name, value, 0) for name, value in self._roots.items())
        pending.extend((name, variables[name], 0) for name, variables in self._globals if name in variables)
        seen = {id(self._apart)}
        while pending:
            name, value, depth = pending.popleft()
            if id(value) in seen or not _is_state(value):
                continue
            seen.add(id(value))
            yield name, value
            if depth < _DEPTH and not _is_whole(value):
                parts = [(f"{name}.{key}", part) for key, part in changes.attributes(value) if key in self._names]
                classes = [(base.__name__, base) for base in type(value).__mro__ if draws.is_users(base)]
                pending.extend((*part, depth + 1) for part in (*parts, *classes))


def _is_state(value: Any) -> bool:
    """Nothing that libraries are made of, which is much."""
    if isinstance(value, types.ModuleType):
        return draws.is_users_module(value)
    if isinstance(value, type):
        return draws.is_users(value)
    return not isinstance(value, (types.FunctionType, types.BuiltinFunctionType, types.MethodType))


def _is_whole(value: Any) -> bool:
    """Whether it is not looked into. (While PyTorch is imported it has no torch.nn yet.)"""
    return isinstance(value, (torch.Tensor, torch.nn.Module))


def _changes_in_place(value: Any) -> bool:
    """Whether it can become another one where it is, as far as _token() tells."""
    return not isinstance(value, changes.VALUES) and _token(value) != (type(value), id(value))


def _token(value: Any) -> Any:
    """As changes.token, but the whole of what is not too large."""
    if isinstance(value, torch.nn.Module):
        return tuple(parameter._version for parameter in value.parameters())
    if isinstance(value, (list, tuple, set, frozenset, dict, deque)) and len(value) <= _MOST_WHOLE:
        elements = value.items() if isinstance(value, dict) else value
        try:
            return (type(value), len(value), hash(tuple(elements)))
        except TypeError:
            return (type(value), len(value), [changes.token(element) for element in itertools.islice(elements, _MOST)])
    if type(value).__module__ == "numpy" and 0 < getattr(value, "size", 0) <= _MOST_WHOLE and not value.dtype.hasobject:
        return (id(value), value.shape, hash(value.tobytes()))
    return changes.token(value)


# ---- what code asks for ----


class Asked(NamedTuple):
    """What a function asks for once its sampler has begun to yield."""

    attributes: frozenset[str]
    globals: frozenset[str]
    variables: dict[str, Any]  # these globals are among them


@functools.lru_cache(maxsize=100)
def _asked_by(kind: type) -> list[Asked]:
    """By the functions by which objects of a class yield."""
    found: list[Asked] = []
    pending = _of_iterator(kind)
    known: set[tuple[type, str, bool]] = set()
    while pending:
        kind, name, later, variables = pending.pop()
        if (kind, name, later) in known:
            continue
        known.add((kind, name, later))
        function = _function_of(kind, name) or _of_users(variables.get(name))
        if isinstance(function, type):
            pending += _of_iterator(function)
        if not isinstance(function, types.FunctionType):
            continue
        steps = list(dis.get_instructions(function.__code__))
        begins = 0 if later else _begins_to_yield(steps)
        late = [step for step in steps if step.offset >= begins] + list(_kept(steps)) + list(_inner(function.__code__))
        loads = [step for step in late if step.opname in _LOADS]
        attributes = frozenset(step.argval for step in loads if step.opname in _OF_OBJECTS)
        named = frozenset(step.argval for step in loads if step.opname not in _OF_OBJECTS)
        found.append(Asked(attributes, named, function.__globals__))
        pending += [(kind, step.argval, False, function.__globals__) for step in steps if step.opname in _LOADS]
        pending += [(kind, step.argval, True, function.__globals__) for step in loads]
    return found


def forget() -> None:
    """What is known of classes, which keeps them and all of their module."""
    _asked_by.cache_clear()


def _of_iterator(kind: type) -> list[tuple[type, str, bool, dict[str, Any]]]:
    """What is called of it, and whether it is from the first batch on."""
    return [(kind, "__iter__", False, {}), (kind, "__next__", True, {})]


def _function_of(kind: type, name: str) -> Any:
    """A method, or what a property calls."""
    method = next((base.__dict__[name] for base in kind.__mro__ if name in base.__dict__), None)
    return getattr(method, "fget", None) or getattr(method, "__func__", method)


def _of_users(named: Any) -> Any:
    """A global, if it is a class or a function of the user's."""
    return named if isinstance(named, (type, types.FunctionType)) and draws.is_users(named) else None


def _inner(code: types.CodeType) -> Iterator[dis.Instruction]:
    """Of its lambdas and generator expressions."""
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from dis.get_instructions(constant)
            yield from _inner(constant)


def _begins_to_yield(steps: Steps) -> int:
    """The offset of the first step that can come after a yield."""
    yields = [step.offset for step in steps if step.opname in _YIELDS]
    jumps = {*dis.hasjrel, *dis.hasjabs}
    loops = [(step.argval, step.offset) for step in steps if step.opcode in jumps and step.argval < step.offset]
    around = [begin for begin, end in loops if any(begin <= place <= end for place in yields)]
    return min([*yields, *around], default=steps[-1].offset + 1)


def _kept(steps: Steps) -> Iterator[dis.Instruction]:
    """Loads of values that are iterated over, or kept for later, with those that lead to them."""
    loads: Steps = []  # without anything between them
    for step in steps:
        if step.opname.startswith("LOAD_"):
            loads.append(step)
            continue
        if step.opname in _KEEPS:
            kept = loads[_last(loads, lambda load: load.opname not in _OF_OBJECTS) :]
        elif step.opname in _CALLS:
            kept = loads[_last(loads, lambda load: load.argval in _LAZY) :] if loads else []
            kept = kept if kept and kept[0].argval in _LAZY else []
        else:
            kept = []
        yield from kept
        loads = []


def _last(steps: Steps, wanted: Callable[[dis.Instruction], bool]) -> int:
    """The place of the last one that is wanted, else of the first."""
    return next((place for place in reversed(range(len(steps))) if wanted(steps[place])), 0)
