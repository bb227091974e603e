"""What the environment says, read once per process.

SLUICE_DISABLE=1        nothing at all is done
SLUICE_REPRO            order (default), strict or free: what a change of knobs may do to batches
SLUICE_ADVISE=1         measure only, touch nothing
SLUICE_TUNE_THREADS=1   library threads of new workers are kept to their share of the cores
SLUICE_RUN_ID           the same for all processes of one run; default: a fresh one per segment
SLUICE_SEGMENT_FOLDER   where segments go; default: the one that `sluice ls` looks at
SLUICE_LIBRARY          libsluice.so, when it is not where it is looked for
"""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

REPRO_LEVELS = ("order", "strict", "free")


@dataclass(frozen=True)
class Settings:
    disabled: bool = False
    repro: str = "order"
    advise: bool = False
    tune_threads: bool = False
    run_id: str = ""
    folder: str = ""
    problem: str = ""  # what could not be understood, for one line of warning


def is_set(value: str | None) -> bool:
    return (value or "").strip().lower() not in ("", "0", "no", "off", "false")


def read(environment: Mapping[str, str] = os.environ) -> Settings:
    repro = environment.get("SLUICE_REPRO") or "order"
    problem = ""
    if repro not in REPRO_LEVELS:
        problem = f"SLUICE_REPRO={repro} is none of {', '.join(REPRO_LEVELS)}; taken as order"
        repro = "order"
    return Settings(
        disabled=is_set(environment.get("SLUICE_DISABLE")),
        repro=repro,
        advise=is_set(environment.get("SLUICE_ADVISE")),
        tune_threads=is_set(environment.get("SLUICE_TUNE_THREADS")),
        run_id=environment.get("SLUICE_RUN_ID", ""),
        folder=environment.get("SLUICE_SEGMENT_FOLDER", ""),
        problem=problem,
    )
