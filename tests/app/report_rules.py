"""Whether the text of a wrap's report can be true: what each sentence says is compared with the figures beside it.

Knows nothing of the program, which has checks of its own over values: this one reads what a user reads.
"""
import re

OFTEN = 5  # percent of waiting from which there is something to say
WORTH_SAYING = 0.95  # of the rate: a gain beyond is one
SLACK = 1.05  # sums over processes that are looked at one after another

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
SIZES = {"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
TIME = r"(\d+(?:\.\d+)?)(ns|us|ms|s)"
START = re.compile(r"(?m)^sluice: .*: (?:exit status \d+|killed by \S+|ended)(?: \(core dumped\))? after .*$")
LABELS = ("CPU", "runnable", "main thread", "memory", "files", "faults", "GPU", "loaders")


def faults_of(text):
    """What cannot be true of all reports in `text`, a sentence each."""
    starts = [found.start() for found in START.finditer(text)] + [len(text)]
    return [fault for begin, end in zip(starts, starts[1:]) for fault in Report(text[begin:end]).faults()]


def size(text):
    number, unit = text.split()
    return float(number) * SIZES[unit]


class Report:
    def __init__(self, text):
        self.lines = text.splitlines()[1:]
        while self.lines and not self.lines[-1].startswith("  "):
            self.lines.pop()
        self.found = []

    def faults(self):
        for line in self.lines:
            self.check_line(line)
        for name, lines in self.loaders():
            Loader(name, lines, self.say).check()
        return self.found

    def say(self, fault, line):
        self.found.append(f"{fault}: {line.strip()}")

    def loaders(self):
        found = []
        for line in self.lines:
            if line.startswith("    ") and found:
                found[-1][1].append(line.strip())
            elif not line.strip().startswith(LABELS):
                found.append((line.strip(), []))
        return found

    def check_line(self, line):
        for number in re.findall(r"(\d+(?:\.\d+)?) ?%(?! more CPU time)", line):
            if float(number) > 100:
                self.say("a share above 1", line)
        for used, cores in re.findall(r"(\d+(?:\.\d+)?) of (\d+(?:\.\d+)?) cores", line):
            if float(used) > SLACK * float(cores):
                self.say("more cores in use than there are", line)
        if re.search(r"\b(nan|inf)\b|(?<![\w-])-\d", line):
            self.say("no figure", line)
        self.check_parts(line)
        self.check_most(line)

    def check_parts(self, line):
        parts = re.search(r"([\d.]+)% on-CPU, ([\d.]+)% runnable, ([\d.]+)% off-CPU", line)
        if parts and not 98 <= sum(map(float, parts.groups())) <= 102:
            self.say("parts that are not the whole", line)

    def check_most(self, line):
        peaks = re.search(r"peak RSS ([\d.]+ \w+), peak PSS ([\d.]+ \w+)", line)
        if peaks and size(peaks[2]) > SLACK * size(peaks[1]):
            self.say("shares of pages are more than the pages", line)
        seen = re.search(r"(\d+) process(?:es)? seen, at most (\d+) at once", line)
        if seen and int(seen[2]) > int(seen[1]):
            self.say("more at once than ever", line)
        ranks = re.search(r"waits for data ([\d.]+)% of its time \(rank \d+ only ([\d.]+)%\)", line)
        if ranks and float(ranks[1]) <= float(ranks[2]):
            self.say("the slowest rank waits least", line)


class Loader:
    def __init__(self, name, lines, say):
        self.name = name
        self.lines = lines
        self.say = say

    def first(self, pattern):
        """The first line that has it, and what it has."""
        for line in self.lines:
            if match := re.search(pattern, line):
                return line, match
        return "", None

    def check(self):
        _, knobs = self.first(r"fetch\.workers (?:(\d+) -> )?(\d+)(?: \((held: [^)]*)\))?")
        self.changed = bool(self.first(r"fetch\.\w+ \d+ -> \d+")[1])
        self.workers = int(knobs[2]) if knobs else None
        self.held = bool(knobs and knobs[3])
        flow, rate = self.first(r"^(?:([\d.e+]+) -> )?([\d.e+]+) (?:batches|items)/s, ")
        self.rate = float(rate[2]) if rate else None
        _, waits = self.first(r"^[^;]*\bwaiting (?:([\d.]+)% -> )?([\d.]+)% of the time")
        self.waits = float(waits[2]) if waits else None
        self.check_rate(flow, rate)
        self.check_net()
        self.check_verdict()
        self.check_script(flow)

    def check_rate(self, flow, rate):
        if rate and rate[1] and float(rate[2]) <= float(rate[1]):
            self.say("a rate that fell is told as a gain", flow)
        before = re.search(r"no gain \(([\d.e+]+) batches/s before(, but epochs are no shorter)?\)", flow)
        if before and not self.changed:
            self.say("changes without gain, and nothing has changed", flow)
        if before and not before[2] and float(before[1]) < WORTH_SAYING * self.rate:
            self.say("a gain is told as none", flow)

    def check_net(self):
        line, saved = self.first(rf"saved {TIME} of {TIME}")
        if not saved:
            return
        if float(saved[1]) * UNITS[saved[2]] >= float(saved[3]) * UNITS[saved[4]]:
            self.say("saved all of it", line)
        if not self.changed:
            self.say("saved without a change", line)

    def check_verdict(self):
        line, waits = self.first(r"^([\d.]+)% waiting")
        if waits:
            self.check_waits(line, float(waits[1]))
        _, workers = self.first(r"% waiting.*?\b(\d+) workers? (?:(?:is|are) )?busy")
        if workers and self.workers is not None and int(workers[1]) != self.workers:
            self.say(f"the verdict is of another setting than {self.workers} workers", line)
        if self.held and re.search(r"more workers (help|overlap)|or more fetches them", line):
            self.say("the knob is held, and more of it advised", line)

    def check_waits(self, line, share):
        if self.waits is None:
            self.say("a verdict over waits that were not measured", line)
        elif share != self.waits:
            self.say(f"the loop waits {self.waits}% in another line", line)
        if ("the training loop is the limit" in line) != (share < OFTEN):
            self.say("the verdict does not follow from the waits", line)

    def check_script(self, flow):
        line, script = self.first(r"DataLoader\(num_workers=(\d+)(?:, prefetch_factor=(\d+))?\)")
        if not script:
            return
        if self.rate is None:
            self.say("advice without a rate", line)
        if "no gain" in flow or "do not compare" in flow:
            self.say("advice, and no gain", line)
        if line.startswith("advice:") == self.changed:
            self.say("advised and changed" if self.changed else "what was found is what the script has", line)
        epoch = re.search(r"(\d+) batches per epoch", self.name)
        if epoch and script[2] and int(script[1]) * int(script[2]) >= int(epoch[1]) + int(script[1]):
            self.say("more batches ahead than an epoch has", line)
        predicted = re.search(r"predicted ([\d.e+]+) batches/s", line)
        if predicted and self.rate is not None and float(predicted[1]) <= self.rate:
            self.say("predicted is less than is measured", line)
