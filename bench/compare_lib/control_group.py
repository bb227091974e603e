"""A control group below this process's own one, version 1 or 2, whose limits can be set. Needs the right to make one."""

import contextlib
import os
import signal
import time
from pathlib import Path

PERIOD = 100_000  # microseconds


class NoGroup(Exception):
    """None can be made here; the text says why."""


def _mounts():
    """(type, options, root, point) of each mounted hierarchy of control groups."""
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            root, point = before.split()[3:5]
            yield kind, options.split(","), root, Path(point)


def _own_folder(controller):
    """The folder of this process's group in the hierarchy that has the controller; whether it is version 2."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        number, controllers, path = line.split(":", 2)
        for kind, options, root, point in _mounts():
            v2 = kind == "cgroup2"
            ours = number == "0" and not controllers if v2 else controller in controllers.split(",") and controller in options
            if not ours or (v2 and controller not in (point / "cgroup.controllers").read_text().split()):
                continue
            return point / os.path.relpath(path, root), v2
    raise NoGroup(f"no hierarchy of control groups with a {controller} controller is mounted here")


class ControlGroup:
    def __init__(self, controller="cpu"):
        """Raises NoGroup."""
        parent, self.v2 = _own_folder(controller)
        try:
            if self.v2:
                (parent / "cgroup.subtree_control").write_text(f"+{controller}")
            self.folder = parent / f"sluice-{os.getpid()}-{time.monotonic_ns()}"
            self.folder.mkdir()
        except OSError as error:
            raise NoGroup(f"no control group can be made here: {error}") from error

    def set_cores(self, cores):
        quota = int(cores * PERIOD)
        if self.v2:
            (self.folder / "cpu.max").write_text(f"{quota} {PERIOD}")
        else:
            (self.folder / "cpu.cfs_period_us").write_text(str(PERIOD))
            (self.folder / "cpu.cfs_quota_us").write_text(str(quota))

    def set_memory(self, size):
        """`size`: bytes."""
        (self.folder / ("memory.max" if self.v2 else "memory.limit_in_bytes")).write_text(str(size))

    def enter(self):
        """Puts this process there, and so all that it starts."""
        (self.folder / "cgroup.procs").write_text(str(os.getpid()))

    def throttled_seconds(self):
        stat = dict(line.split() for line in (self.folder / "cpu.stat").read_text().splitlines())
        return int(stat["throttled_usec"]) / 1e6 if self.v2 else int(stat["throttled_time"]) / 1e9

    def origin(self, cores):
        """What a budget says of such a quota."""
        quota = int(cores * PERIOD)
        return f"cpu.max {quota} {PERIOD}" if self.v2 else f"cpu.cfs_quota_us {quota}, cpu.cfs_period_us {PERIOD}"

    def empty(self):
        """Kills what is still in it."""
        for process in (self.folder / "cgroup.procs").read_text().split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)

    def remove(self):
        """Whether it is gone: nothing was left in it."""
        try:
            self.folder.rmdir()
        except OSError:
            return False
        return True
