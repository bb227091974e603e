"""Random draws: who makes them, and how a task gets its own seed.

A task is one batch to be fetched. At the levels `order` and `free` every task is seeded on its own from (base seed,
epoch, batch), so that what it draws depends neither on the worker that fetches it nor on what that worker has
fetched before.
"""
import ctypes
import random
import sys

import torch

_MASK = (1 << 64) - 1


def _mixed(z):
    """The finaliser of splitmix64: neighbouring numbers give unrelated ones."""
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def task_seed(base_seed, epoch, batch):
    seed = _mixed((base_seed + 0x9E3779B97F4A7C15) & _MASK)
    seed = _mixed((seed + epoch * 0x9E3779B97F4A7C15) & _MASK)
    return _mixed((seed + batch * 0x9E3779B97F4A7C15) & _MASK)


def _numpy():
    """numpy, when somebody has loaded it: only then can anybody draw from it."""
    numpy = sys.modules.get("numpy")
    return numpy if numpy is not None and hasattr(numpy, "random") else None


def reseed(seed, generators=()):
    """Seeds the global generators of random, numpy and torch, and those given."""
    random.seed(seed)
    torch.default_generator.manual_seed(seed)
    numpy = _numpy()
    if numpy is not None:
        numpy.random.seed(seed & 0xFFFFFFFF)
    for place, generator in enumerate(generators):
        reseed_generator(generator, _mixed((seed + place + 1) & _MASK))


def reseed_generator(generator, seed):
    if isinstance(generator, torch.Generator):
        generator.manual_seed(seed)
    elif isinstance(generator, random.Random):
        generator.seed(seed)
    elif hasattr(generator, "bit_generator"):
        generator.bit_generator.state = type(generator.bit_generator)(seed).state
    else:
        generator.seed(seed & 0xFFFFFFFF)


def is_generator(value):
    """Whether it draws random numbers from a state of its own that can be seeded."""
    if isinstance(value, (torch.Generator, random.Random)):
        return not isinstance(value, random.SystemRandom)
    numpy = _numpy()
    return numpy is not None and isinstance(value, (numpy.random.Generator, numpy.random.RandomState))


def save():
    """The state of the global generators, for restore()."""
    numpy = _numpy()
    return (random.getstate(), torch.default_generator.get_state(), numpy and numpy.random.get_state())


def restore(state):
    random.setstate(state[0])
    torch.default_generator.set_state(state[1])
    if state[2] is not None:
        _numpy().random.set_state(state[2])


class DrawWatch:
    """Notices that somebody drew from a global generator of this process between two looks."""

    def __init__(self):
        self._seen = self._look()

    def drew(self):
        """Since the last call, or since the watch was made."""
        before, self._seen = self._seen, self._look()
        return before != self._seen

    def _look(self):
        return (random.getstate(), bytes(torch.default_generator.get_state().numpy()), _numpy_mark())


def _numpy_mark():
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
