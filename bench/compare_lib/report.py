"""What a comparison prints."""

import sys

from . import machine
from .rates import middle


def note(text):
    """Progress; not part of the result."""
    print(text, file=sys.stderr, flush=True)


def open_report(entry):
    print(f"{entry.name}: {entry.compares}")
    print(machine.heading(), flush=True)


def table(header, rows):
    """First column to the left, the others to the right."""
    cells = [header, *rows]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    for row in cells:
        first = row[0].ljust(widths[0])
        rest = [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print("  ".join([first, *rest]).rstrip())


def side_row(name, values, digits=0):
    """One side of all rounds: median, least and greatest."""
    return [name, *(f"{v:.{digits}f}" for v in (middle(values), min(values), max(values)))]


def rounds_line(name, values):
    print(f"{name}, round by round: {' '.join(f'{v:.3f}' for v in values)}")


def ratio_text(ratio, what="round"):
    """Every ratio that is printed: value and spread. `what`: what the spread is of."""
    many = "" if ratio.rounds == 1 else "s"
    return f"{_number(ratio.value)} ({_number(ratio.low)} to {_number(ratio.high)}, {ratio.rounds} {what}{many})"


def _number(value):
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def ratio_line(name, ratio):
    print(f"RATIO {name} {ratio_text(ratio)}", flush=True)


def floor_text(entry):
    return f"{'<=' if entry.at_most else '>='} {entry.floor:g}"
