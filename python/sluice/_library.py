"""libsluice.so over ctypes: finding it, checking its ABI, declaring its functions (sluice.h).

Functions that are called per batch keep the GIL (PyDLL): they take less than a microsecond, and giving the GIL
away would cost more than they do. `sluice_knob_wait` sleeps and gives it away (CDLL).
"""
from __future__ import annotations

import ctypes
import os
from ctypes import POINTER, c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._signals import let_through

if TYPE_CHECKING:
    from collections.abc import Mapping

ABI_VERSION = 1000  # at least
NAME = "libsluice.so.1"

_handle = c_void_p
_out_handle = POINTER(c_void_p)
_out_u32 = POINTER(c_uint32)

# name: (result, arguments)
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "sluice_abi_version": (c_uint32, []),
    "sluice_check_abi": (c_int32, [c_uint32]),
    "sluice_version": (c_char_p, []),
    "sluice_last_error": (c_char_p, []),
    "sluice_now": (c_int64, []),
    "sluice_describe": (c_int32, [c_char_p, _out_handle]),
    "sluice_description_free": (None, [_handle]),
    "sluice_set_run_id": (c_int32, [_handle, c_char_p]),
    "sluice_set_budget": (c_int32, [_handle, c_double, c_int64]),
    "sluice_add_op": (c_int32, [_handle, c_char_p, c_char_p, c_int, c_uint32, _out_u32]),
    "sluice_add_part": (c_int32, [_handle, c_char_p, c_uint32, _out_u32]),
    "sluice_add_connector": (c_int32, [_handle, c_char_p, c_uint32, c_uint32, c_int64, _out_u32]),
    "sluice_add_knob": (
        c_int32,
        [_handle, c_char_p, c_int, c_uint32, c_int64, c_int64, c_int64, c_int, _out_u32],
    ),
    "sluice_create": (c_int32, [_handle, c_char_p, _out_handle]),
    "sluice_attach": (c_int32, [c_char_p, _out_handle]),
    "sluice_close": (None, [_handle]),
    "sluice_path": (c_char_p, [_handle]),
    "sluice_warning": (c_char_p, [_handle]),
    "sluice_set_running": (c_int32, [_handle]),
    "sluice_set_epoch": (c_int32, [_handle, c_uint64]),
    "sluice_epoch_begun": (c_int32, [_handle, c_uint64]),
    "sluice_start_took": (c_int32, [_handle, c_uint64, c_uint64]),
    "sluice_epoch_ended": (c_int32, [_handle, c_uint64, c_uint64, c_uint64, c_int64, c_int64]),
    "sluice_set_buffered": (c_int32, [_handle, c_int64]),
    "sluice_heartbeat": (c_int32, [_handle, c_int64]),
    "sluice_log_event": (c_int32, [_handle, c_int64, c_char_p]),
    "sluice_add_worker": (c_int32, [_handle, c_uint32, _out_u32]),
    "sluice_worker_begin": (c_int32, [_handle, c_uint32, c_int64]),
    "sluice_worker_enter": (c_int32, [_handle, c_uint32, c_int, c_int64]),
    "sluice_worker_done": (c_int32, [_handle, c_uint32, c_uint64, c_int64]),
    "sluice_worker_did": (c_int32, [_handle, c_uint32, c_uint64, c_uint64, c_int64, c_int64]),
    "sluice_worker_retire": (c_int32, [_handle, c_uint32, c_int64]),
    "sluice_worker_lives": (c_int32, [_handle, c_uint32, POINTER(c_int)]),
    "sluice_part_done": (c_int32, [_handle, c_uint32, c_void_p, c_size_t]),
    "sluice_op_items": (c_int32, [_handle, c_uint32, POINTER(c_uint64)]),
    "sluice_op_failed": (c_int32, [_handle, c_uint32, c_uint64]),
    "sluice_push": (c_int32, [_handle, c_uint32, c_uint64, c_uint64, c_int64]),
    "sluice_pop": (c_int32, [_handle, c_uint32, c_uint64, c_int64, c_int64]),
    "sluice_drain": (c_int32, [_handle, c_uint32, c_int64]),
    "sluice_set_capacity": (c_int32, [_handle, c_uint32, c_int64, c_int64]),
    "sluice_depth": (c_int32, [_handle, c_uint32, POINTER(c_int64), POINTER(c_int64)]),
    "sluice_consumer_enter": (c_int32, [_handle, c_int, c_int64]),
    "sluice_consumer_took": (c_int32, [_handle, c_uint64, c_uint64]),
    "sluice_consumer_did": (c_int32, [_handle, c_uint64, c_uint64, c_int64, c_int64]),
    "sluice_trace_until": (c_void_p, [_handle]),
    "sluice_items": (c_int32, [_handle, c_uint32, c_uint64, c_uint32, c_uint64, c_uint32]),
    "sluice_knob_requested": (c_int32, [_handle, c_uint32, POINTER(c_int64)]),
    "sluice_knob_apply": (c_int32, [_handle, c_uint32, c_int64]),
    "sluice_knob_hold": (c_int32, [_handle, c_uint32, c_int]),
    "sluice_knob_serial": (c_void_p, [_handle]),
    "sluice_knob_request": (c_int32, [_handle, c_uint32, c_int64]),
    "sluice_knob_wait": (c_int32, [_handle, c_uint32, c_int64, _out_u32]),
    "sluice_next_record": (c_int32, [_handle, POINTER(c_uint64), POINTER(c_int64), c_char_p, c_size_t]),
    "sluice_rank": (c_int32, [_handle]),
}
_SLEEPING = ("sluice_knob_wait",)
# To this ABI later on: an older library counts less and one by one, has no records and cannot be traced.
_ADDED = (
    "sluice_epoch_begun",
    "sluice_start_took",
    "sluice_epoch_ended",
    "sluice_worker_lives",
    "sluice_worker_did",
    "sluice_consumer_did",
    "sluice_trace_until",
    "sluice_items",
    "sluice_next_record",
    "sluice_rank",
)


class LibraryError(Exception):
    """libsluice cannot be used; the message says where it was looked for or what is wrong with it."""


def candidates(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Where the library may be: named by the user, installed, or in a build folder beside this package."""
    named = environment.get("SLUICE_LIBRARY")
    if named:
        return [named]
    package = Path(__file__).resolve().parent
    installed = [package / NAME, package / "_native" / "lib" / NAME]
    installed += [parent / NAME for parent in list(package.parents)[:3]]
    built = sorted(package.parents[1].glob("build/*/lib/" + NAME), key=lambda path: "release" not in path.parts)
    return [str(path) for path in installed + built if path.exists()] + [NAME]


def declare(library: Any, sleeping: Any) -> Any:
    """`library`, with what it lacks as `sluice_lacks`. Raises AttributeError where it lacks what it must have."""
    library.sluice_lacks = set()
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(sleeping if name in _SLEEPING else library, name, None)
        if function is None and name in _ADDED:
            setattr(library, name, lambda *_: 0)
            library.sluice_lacks.add(name)
            continue
        if function is None:
            raise AttributeError(f"{name} is missing in it")
        function.restype, function.argtypes = result, arguments
        setattr(library, name, function)
    return library


def load(environment: Mapping[str, str] = os.environ) -> Any:
    """The library with its functions declared. Raises LibraryError."""
    problem = "not found"
    for path in candidates(environment):
        try:
            library = declare(ctypes.PyDLL(path), ctypes.CDLL(path))
        except (OSError, AttributeError) as error:
            let_through()
            problem = str(error)
            continue
        if library.sluice_check_abi(ABI_VERSION) != 0:
            raise LibraryError(f"{path}: {library.sluice_last_error().decode()}")
        return library
    raise LibraryError(f"{NAME}: {problem}; set SLUICE_LIBRARY to where it is")


_loaded: Any = None  # the library, or the LibraryError


def library() -> Any:
    """The same, loaded once per process (a failure is not tried again). Raises LibraryError."""
    global _loaded
    if _loaded is None:
        try:
            _loaded = load()
        except LibraryError as error:
            _loaded = error
    if isinstance(_loaded, LibraryError):
        raise _loaded
    return _loaded
