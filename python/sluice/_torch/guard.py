"""Whether a worker that is not forked may be started: it runs the script once more, as a module of another name, and is
handed the data set as bytes.
"""
from __future__ import annotations

import ast
import multiprocessing
import sys
import threading
from typing import TYPE_CHECKING

from .. import _hook
from .._signals import let_through

if TYPE_CHECKING:
    from types import FrameType
    from typing import Any

    from torch.utils.data import DataLoader

MAIN = "__main__"
MOST_SECONDS = 120.0  # until a worker has its data set


def stands_outside() -> bool:
    """Whether each worker would do once more what the script does at the moment: it is not behind
    `if __name__ == "__main__":`, or nobody can tell. A process that was itself started as workers are has run the
    script as they would."""
    if _hook.is_spawned():
        return False
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == MAIN:
            return not _is_guarded(frame)
        frame = frame.f_back
    return False


def _is_guarded(frame: FrameType) -> bool:
    try:
        with open(frame.f_code.co_filename, "rb") as source:
            statements = ast.parse(source.read()).body
    except Exception:
        let_through()
        return False
    return any(
        isinstance(statement, ast.If)
        and _asks_name(statement.test)
        and statement.lineno <= frame.f_lineno <= (statement.end_lineno or 0)
        for statement in statements
    )


def _asks_name(test: ast.expr) -> bool:
    """Whether `__name__` and "__main__" are in it."""
    names = {part.id for part in ast.walk(test) if isinstance(part, ast.Name)}
    texts = {part.value for part in ast.walk(test) if isinstance(part, ast.Constant)}
    return "__name__" in names and MAIN in texts


def can_start(loader: DataLoader) -> bool:
    """Starts a process as a worker is started, which ends as soon as it has what a worker gets; waits for it."""
    context: Any = loader.multiprocessing_context or multiprocessing
    process = context.Process(target=_arrive, args=(loader.dataset, loader.collate_fn), daemon=True)
    try:
        process.start()
    except Exception:
        let_through()
        return False
    try:
        process.join(MOST_SECONDS)
        return bool(process.exitcode == 0)
    finally:
        process.kill()


def _arrive(*_: Any) -> None:
    pass
