"""Threads of libraries in a worker: how many, and how to have fewer.

A library that computes in parallel starts a thread per core, in every worker: with w workers on c cores w * c threads
fight for c cores. Workers are the parallelism already, so a worker needs one share of the cores.
"""
from __future__ import annotations

import ctypes
import os
import sys

# Part of a library's file name, and what sets its number of threads: C functions that take an int.
SETTERS = (
    ("libgomp", "OpenMP", "omp_set_num_threads"),
    ("libomp", "OpenMP", "omp_set_num_threads"),
    ("libiomp5", "OpenMP", "omp_set_num_threads"),
    ("openblas", "OpenBLAS", "openblas_set_num_threads"),
    ("libmkl_rt", "MKL", "MKL_Set_Num_Threads"),
    ("libblis", "BLIS", "bli_thread_set_num_threads"),
)

MODULES = (
    ("PyTorch", "torch", "set_num_threads"),
    ("OpenCV", "cv2", "setNumThreads"),
    ("numba", "numba", "set_num_threads"),
)


def loaded(maps: str = "/proc/self/maps") -> list[tuple[str, str, str]]:
    """(name, path, setter) of the libraries in this process that bring threads."""
    with open(maps, encoding="utf-8", errors="replace") as file:
        paths = {line.rstrip("\n").split(None, 5)[5] for line in file if "/" in line and ".so" in line}
    return sorted(
        (name, path, setter)
        for part, name, setter in SETTERS
        for path in paths
        if os.path.basename(path).startswith(part) or (part == "openblas" and part in os.path.basename(path))
    )


def share(workers: int) -> int:
    """Threads per worker that do not outnumber the cores."""
    return max(len(os.sched_getaffinity(0)) // max(workers, 1), 1)


def limit(threads: int) -> list[str]:
    """Sets all libraries of this process that are known to `threads`. Returns the names of those that were set."""
    done = []
    for name, path, setter in loaded():
        function = getattr(ctypes.CDLL(path), setter, None)
        if function is not None:
            function(ctypes.c_int(threads))
            done.append(name)
    for name, module, setter in MODULES:
        function = getattr(sys.modules.get(module), setter, None)
        if function is not None:
            function(threads)
            done.append(name)
    return done
