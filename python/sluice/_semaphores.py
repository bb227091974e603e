"""Names for the semaphores of multiprocessing that say which process of a wrapped run made them.

A process that is killed leaves those of spawned workers in /dev/shm, where nobody can tell whose they are. With the
name `sluice wrap` removes them, now or when it starts next; see wrap/include/sluice/wrap/leftovers.h.
"""
import os

PLAIN = "/mp"
OWN = "/mp-sluice-"


def mark() -> None:
    """Those that this process makes from now on; children take over its prefix, and mark their own when they get here.

    A prefix that somebody else has chosen stays, and so does everything where /proc does not tell.
    """
    try:
        from multiprocessing import process

        config = process.current_process()._config  # type: ignore[attr-defined]
        prefix = config["semprefix"]
        if prefix != PLAIN and not prefix.startswith(OWN):
            return
        with open("/proc/self/stat") as stat:
            ticks = int(stat.read().rpartition(")")[2].split()[19])
        namespace = os.stat("/proc/self/ns/pid").st_ino
        config["semprefix"] = f"{OWN}{namespace}-{os.getpid()}-{ticks}"
    except (ImportError, AttributeError, KeyError, TypeError, OSError, ValueError, IndexError):
        pass
