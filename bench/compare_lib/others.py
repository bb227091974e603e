"""What other work takes of the cores that this process may use, and whose it is. Parsers are pure; /proc is read by `look`.

Of the busy time of these cores (/proc/stat) our own is taken off: that of this process and of all that lives below it, with what
those have waited for. What the host gave to other machines (steal) is others'. So is what has left our family.
"""

import os
import threading
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
BUSY_SHARE = 0.05  # of the cores: more is a machine on which little can be told
LOOK_SECONDS = 1.0  # before a comparison
LOOKS = 3  # all of them busy: what just ends does not count
WATCH_SECONDS = 5.0  # beside a comparison, where a look costs some milliseconds
TRIES = 5
ROUNDING_SECONDS = 0.1  # each process's times are rounded down to ticks
INIT = 1  # waits for everybody's orphans
UNSEEN = "processes that cannot be seen"
STOLEN = "other machines of this host"


@dataclass(frozen=True)
class Process:
    pid: int
    name: str
    parent: int
    start: int
    seconds: float
    waited: float  # of children that were waited for


@dataclass(frozen=True)
class Look:
    """Totals up to a moment, in seconds."""

    at: float
    cores: int
    busy: float
    stolen: float
    own: dict  # both: (pid, start) -> (name, seconds, seconds of children that were waited for)
    others: dict


@dataclass(frozen=True)
class Others:
    """What other work took between two looks, in cores; `name`: whose most was."""

    cores: float
    of: int
    name: str
    most: float

    @property
    def busy(self):
        return self.cores > BUSY_SHARE * self.of

    @property
    def text(self):
        return f"{self.cores:.2f} of {self.of} cores (most of it {self.name}, {self.most:.2f})"


def cpu_seconds(text, cpus):
    """(busy, stolen) of these CPUs since boot, from the text of /proc/stat. Busy includes stolen."""
    busy = stolen = 0
    for line in text.splitlines():
        words = line.split()
        if words and words[0].startswith("cpu") and words[0][3:].isdigit() and int(words[0][3:]) in cpus:
            user, nice, system, _, _, interrupts, soft, steal = map(int, (words[1:] + ["0"] * 8)[:8])
            busy += user + nice + system + interrupts + soft + steal
            stolen += steal
    return busy / TICKS_PER_SECOND, stolen / TICKS_PER_SECOND


def parse_process(text):
    """From the text of /proc/PID/stat. A name may have blanks and parentheses in it."""
    begin, end = text.index("("), text.rindex(")")
    words = text[end + 2:].split()
    user, system, waited_user, waited_system = map(int, words[11:15])
    return Process(int(text[:begin]), text[begin + 1:end], int(words[1]), int(words[19]),
                   (user + system) / TICKS_PER_SECOND, (waited_user + waited_system) / TICKS_PER_SECOND)


def family(processes, root):
    """The pids of `root` and of everything that comes from it."""
    children = {}
    for process in processes.values():
        children.setdefault(process.parent, []).append(process.pid)
    found, todo = set(), [root]
    while todo:
        pid = todo.pop()
        found.add(pid)
        todo += children.get(pid, [])
    return found


def everything_below(root, proc=Path("/proc")):
    """The pids of `root` and of everything that comes from it, now."""
    return family(_read_all(proc), root)


def own_seconds(before, after):
    """What our family took; None where some of it ended with nobody of us waiting for it, so that nobody knows."""
    def total(own, which=lambda key: True):
        return sum(seconds + waited for key, (_, seconds, waited) in own.items() if which(key))

    ended = total(before.own, lambda key: key not in after.own)
    waited = sum(of_ended - before.own.get(key, ("", 0.0, 0.0))[2] for key, (_, _, of_ended) in after.own.items())
    return None if ended > waited + ROUNDING_SECONDS else total(after.own) - total(before.own)


def between(before, after):
    """Others; None where own and others' cannot be told apart."""
    length, own = after.at - before.at, own_seconds(before, after)
    if own is None:
        return None
    took, waited = Counter(), Counter()
    for key, (name, seconds, of_ended) in after.others.items():
        _, seconds_before, of_ended_before = before.others.get(key, (name, 0.0, 0.0))
        took[name] += seconds - seconds_before
        if key[0] != INIT and of_ended - of_ended_before <= length * after.cores:  # more had been used before
            waited[name] += of_ended - of_ended_before
    took[STOLEN] = after.stolen - before.stolen
    cores = min(max(0.0, after.busy - before.busy - own) / length, after.cores)
    name, most = took.most_common(1)[0]
    # Processes of CPUs that are not ours are seen as well, so none had more than all together.
    most = min(most / length, cores)
    if most > cores / 4:
        return Others(cores, after.cores, name, most)
    # Those that live shorter than an interval are seen in what their parents have waited for.
    parent, seconds = waited.most_common(1)[0] if waited else ("", 0.0)
    return Others(cores, after.cores, f"started by {parent}" if seconds > 0 else UNSEEN, cores - most)


def look(proc=Path("/proc"), root=None, cpus=None):
    """A Look; None where processes of our own came and went all the time."""
    root = os.getpid() if root is None else root
    cpus = os.sched_getaffinity(0) if cpus is None else cpus
    for _ in range(TRIES):
        processes = _read_all(proc)
        own = family(processes, root)
        at, (busy, stolen) = time.monotonic(), cpu_seconds((proc / "stat").read_text(), cpus)
        # One that was waited for meanwhile has been counted twice or not at all.
        if everything_below(root, proc) == own:
            ours, others = {}, {}
            for p in processes.values():
                (ours if p.pid in own else others)[p.pid, p.start] = (p.name, p.seconds, p.waited)
            return Look(at, len(cpus), busy, stolen, ours, others)
    return None


def _read_all(proc):
    found = {}
    for entry in os.listdir(proc):
        if entry.isdigit():
            try:
                found[int(entry)] = parse_process((proc / entry / "stat").read_text(errors="replace"))
            except (OSError, ValueError):
                pass  # it has ended
    return found


def busy_now():
    """Others, where they are busy in look after look; else None."""
    seen = None
    for _ in range(LOOKS):
        before = look()
        time.sleep(LOOK_SECONDS)
        after = look()
        seen = between(before, after) if before and after else None
        if seen is None or not seen.busy:
            return None
    return seen


class Watch:
    """Looks every few seconds inside a `with`, on a thread of its own. `seen`: an Others for each interval."""

    def __init__(self):
        self.seen = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def _watch(self):
        before, over = look(), False
        while not over:
            over = self._over.wait(WATCH_SECONDS)
            after = look()
            if before and after and after.at - before.at >= LOOK_SECONDS:
                found = between(before, after)
                self.seen += [found] if found else []
            before = after or before


def watched_text(seen):
    """What a result says of the work beside it."""
    if not seen:
        return "meanwhile: too short to say what other work took"
    most = max(seen, key=lambda others: others.cores)
    busy = sum(others.busy for others in seen)
    if not busy:
        return f"meanwhile other work took at most {most.cores:.2f} of {most.of} cores"
    return (f"meanwhile other work took more than {BUSY_SHARE:.0%} of the cores in {busy} of {len(seen)} looks, at most "
            f"{most.text}: trust the ratio little")
