"""Where and when something was measured."""

import os
import platform
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def usable_cores():
    return len(os.sched_getaffinity(0))


def cpu_name():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith(("model name", "Model")):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def memory_gib():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30


def shape():
    """What has to be the same for two measurements to be comparable."""
    return f"{cpu_name()}, {usable_cores()} cores usable, {memory_gib():.1f} GiB"


def heading():
    now = time.strftime("%Y-%m-%d %H:%M")
    return f"{now}, {shape()}, Linux {platform.release()}"
