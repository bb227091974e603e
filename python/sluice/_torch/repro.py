"""Random draws: who makes them, and how a task gets its own seed.

A task is one batch to be fetched. At the levels `order` and `free` every task is seeded on its own from (base seed,
epoch, batch), so that what it draws depends neither on the worker that fetches it nor on what that worker has
fetched before.
"""
from __future__ import annotations

import _random
import ctypes
import hashlib
import pickle
import random
import sys
from typing import TYPE_CHECKING, Any, Callable

import torch

if TYPE_CHECKING:
    from collections.abc import Sequence

_MASK = (1 << 64) - 1


def _mixed(z: int) -> int:
    """The finaliser of splitmix64: neighbouring numbers give unrelated ones."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def task_seed(base_seed: int, epoch: int, batch: int) -> int:
    seed = _mixed((base_seed + 0x9E3779B97F4A7C15) & _MASK)
    seed = _mixed((seed + epoch * 0x9E3779B97F4A7C15) & _MASK)
    return _mixed((seed + batch * 0x9E3779B97F4A7C15) & _MASK)


def _numpy() -> Any:
    """numpy, when somebody has loaded its random part: only then can anybody draw from it.

    Asking numpy itself for that part may import it, and a worker that is forked by another thread meanwhile would
    wait for ever for the lock of that import.
    """
    part = sys.modules.get("numpy.random")
    numpy = sys.modules.get("numpy")
    return numpy if numpy is not None and "mtrand" in vars(part or random) and "random" in vars(numpy) else None


def _torch_mark(generator: torch.Generator) -> bytes:
    """The bytes of a torch generator's state; Tensor.numpy() could be the first to import numpy."""
    with torch._C.DisableTorchFunction():
        state = generator.get_state()
        return ctypes.string_at(state.data_ptr(), state.numel())


def reseed(seed: int, generators: Sequence[Any] = (), say: Callable[[int, int], int] | None = None) -> None:
    """Seeds the global generators of random, torch and numpy, and those given. `say`: what the user's seeding adds."""
    say = say or (lambda seed, place: seed)
    random.seed(say(seed, 0))
    torch.default_generator.manual_seed(say(seed, 1))
    numpy = _numpy()
    if numpy is not None:
        numpy.random.seed(say(seed, 2) & 0xFFFFFFFF)
    for place, generator in enumerate(generators):
        reseed_generator(generator, say(_mixed((seed + place + 1) & _MASK), place + 3))


def reseed_generator(generator: Any, seed: int) -> None:
    if isinstance(generator, torch.Generator):
        generator.manual_seed(seed)
    elif isinstance(generator, random.Random):
        generator.seed(seed)
    elif hasattr(generator, "bit_generator"):
        generator.bit_generator.state = type(generator.bit_generator)(seed).state
    else:
        generator.seed(seed & 0xFFFFFFFF)


def state_of(generator: Any) -> Any:
    """What can be compared, and given to set_state()."""
    if isinstance(generator, torch.Generator):
        return _torch_mark(generator)
    if isinstance(generator, random.Random):
        return generator.getstate()
    own = getattr(generator, "bit_generator", None)
    return pickle.dumps(generator.get_state(legacy=False) if own is None else own.state)


def set_state(generator: Any, state: Any) -> None:
    if isinstance(generator, torch.Generator):
        generator.set_state(torch.frombuffer(bytearray(state), dtype=torch.uint8))
    elif isinstance(generator, random.Random):
        generator.setstate(state)
    elif hasattr(generator, "bit_generator"):
        generator.bit_generator.state = pickle.loads(state)
    else:
        generator.set_state(pickle.loads(state))


def is_generator(value: Any) -> bool:
    """Whether it draws random numbers from a state of its own that can be seeded."""
    if isinstance(value, (torch.Generator, random.Random)):
        return not isinstance(value, random.SystemRandom)
    numpy = _numpy()
    return numpy is not None and isinstance(value, (numpy.random.Generator, numpy.random.RandomState))


def is_global(generator: Any) -> bool:
    """Whether it is the global generator of its library."""
    if generator is torch.default_generator or generator is random._inst:
        return True
    numpy = _numpy()
    return numpy is not None and generator is getattr(numpy.random.mtrand, "_rand", None)


def save() -> tuple[Any, ...]:
    """The state of the global generators, for restore()."""
    numpy = _numpy()
    return (random.getstate(), torch.default_generator.get_state(), numpy and numpy.random.get_state())


def restore(state: tuple[Any, ...]) -> None:
    random.setstate(state[0])
    torch.default_generator.set_state(state[1])
    if state[2] is not None:
        _numpy().random.set_state(state[2])


def fingerprints(generators: Sequence[Any] = ()) -> list[int | None]:
    """64 bits of the state of each generator that reseed() seeds, in its order; None: there is none."""
    numpy = _numpy()
    states = [random.getstate(), torch.default_generator, numpy and numpy.random.mtrand._rand, *generators]
    return [state if state is None else _fingerprint(state) for state in states]


def _fingerprint(state: Any) -> int:
    if isinstance(state, torch.Generator):
        state = _torch_mark(state)
    elif isinstance(state, random.Random):
        state = state.getstate()
    elif hasattr(state, "bit_generator"):
        state = _state_text(state.bit_generator.state)
    elif hasattr(state, "get_state"):
        state = _state_text(state.get_state(legacy=False))
    text = state if isinstance(state, bytes) else repr(state).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little")


def _state_text(state: Any) -> str:
    """All of it: the repr of a long array leaves its middle out."""
    if isinstance(state, dict):
        return repr([(key, _state_text(value)) for key, value in sorted(state.items())])
    return str(state.tobytes().hex()) if hasattr(state, "tobytes") else repr(state)


class DrawWatch:
    """Notices that somebody drew from a global generator of this process, or one of those given, between two looks."""

    def __init__(self, generators: Sequence[Any] = ()) -> None:
        self._generators = generators
        self._seen = self._look()

    def drew(self) -> bool:
        """Since the last call, or since the watch was made."""
        before, self._seen = self._seen, self._look()
        return before != self._seen

    def _look(self) -> tuple[Any, ...]:
        own = [_fingerprint(generator) for generator in self._generators]
        return (_python_mark(), _torch_mark(torch.default_generator), _numpy_mark(), own)


def _python_mark() -> Any:
    """The words of random's global generator, of which getstate() makes an object each."""
    generator = random._inst
    size = _random.Random.__basicsize__ - object.__basicsize__  # the words, and which of them is next
    if type(generator) is not random.Random or size < 625 * 4:
        return random.getstate()
    return ctypes.string_at(id(generator) + object.__basicsize__, size), getattr(generator, "gauss_next", None)


def _numpy_mark() -> bytes | str | None:
    """The words of numpy's global generator: reading them costs a microsecond, get_state() forty."""
    numpy = _numpy()
    if numpy is None:
        return None
    try:
        generator = numpy.random.mtrand._rand._bit_generator
        if type(generator).__name__ == "MT19937":
            return ctypes.string_at(generator.ctypes.state_address, 625 * 4)
    except AttributeError:
        pass
    return repr(numpy.random.get_state())
