"""`python3 -m sluice`, and the command `sluice` of the wheel: becomes the program."""
from __future__ import annotations

import os
import sys
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def program() -> Path | None:
    """The `sluice` that this package belongs to, or None: in the wheel, under the same prefix, in the build folder."""
    prefixes = [_PACKAGE / "_native", *list(_PACKAGE.parents)[3:4], _PACKAGE.parents[1] / "build" / "release"]
    for prefix in prefixes:
        if os.access(prefix / "bin" / "sluice", os.X_OK):
            return prefix / "bin" / "sluice"
    return None


def main() -> None:
    found = program()
    if found is None:
        sys.exit(f"sluice: the program is not beside the package in {_PACKAGE}; install Sluice as a whole")
    os.execv(found, ["sluice", *sys.argv[1:]])


if __name__ == "__main__":
    main()
