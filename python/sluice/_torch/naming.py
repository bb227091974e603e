"""The name of a loader: that of a variable which holds it, with its data set's class."""
from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import FrameType

    from torch.utils.data import DataLoader

MOST_FRAMES = 40  # that are looked through


def loader_name(loader: DataLoader) -> str:
    """"train_loader (Photos)".

    The variable is the outermost one: there the loader was made, and further in it is often called just `loader`.
    """
    frame: FrameType | None = sys._getframe(1)
    name = "loader"
    for _ in range(MOST_FRAMES):
        if frame is None:
            break
        variables = {} if _is_ours(frame) else _variables(frame)
        found = next((key for key, value in variables.items() if value is loader and not key.startswith("_")), None)
        if found and found != "self":
            name = found
        frame = frame.f_back
    return f"{name} ({type(loader.dataset).__name__})"


def _variables(frame: FrameType) -> dict[str, Any]:
    values = {**frame.f_globals, **frame.f_locals}
    if sys.version_info < (3, 13) and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        frame.f_locals.clear()  # a copy that the frame keeps: a loader in it would outlive its variable
    return values


def _is_ours(frame: FrameType) -> bool:
    module = frame.f_globals.get("__name__", "")
    return isinstance(module, str) and module.startswith(("sluice.", "torch."))
