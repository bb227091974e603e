#!/usr/bin/env python3
"""Writes Sluice's Grafana dashboards from the catalogue of its metrics.

usage: generate.py [--catalogue FILE] [--out FOLDER]

Run it after a change in boards/ or of a metric, and commit what it writes; a test compares the two.
"""
import argparse
import json
import sys
from pathlib import Path

from boards import host, ops, overview, ranks, tuner
from boards.catalogue import Refused, read_catalogue
from boards.frame import Board

HERE = Path(__file__).resolve().parent
BOARDS = (overview, ops, tuner, ranks, host)


def all_boards() -> list[Board]:
    return [module.board() for module in BOARDS]


def generate(boards: list[Board], catalogue: Path) -> dict[str, str]:
    """The name of each file and its text. Refused: a dashboard asks for what there is not, or lacks what it needs."""
    known = read_catalogue(catalogue)
    return {f"{board.uid}.json": json.dumps(board.json(known), indent=1, ensure_ascii=False) + "\n" for board in boards}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--catalogue", type=Path, default=HERE.parent / "prometheus" / "metrics.json", metavar="FILE")
    parser.add_argument("--out", type=Path, default=HERE / "dashboards", metavar="FOLDER")
    arguments = parser.parse_args()
    try:
        texts = generate(all_boards(), arguments.catalogue)
    except Refused as refused:
        print(f"generate.py: {refused}", file=sys.stderr)
        return 1
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (arguments.out / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
