"""One game in an array of shape ``(1,)``, for callers in Python.

To hand a single record from Python to a kernel takes numba twenty times as long as an array.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribbage_env.engine.compile import lean_kernel
from cribbage_env.engine.flow import is_legal, step
from cribbage_env.engine.layout import Log, States

__all__ = ["step_lone", "write_legal"]


@lean_kernel
def step_lone(state: States, action: int, book: NDArray[Any], log: Log) -> int:
    """Take an action in the one game, as `flow.step`."""
    return step(state[0], action, book[0], log)


@lean_kernel
def write_legal(state: States, mask: NDArray[np.int8]) -> None:
    """Write the legal actions of the seat to act into an int8 array of shape ``(19,)``."""
    for action in range(mask.shape[0]):
        mask[action] = 1 if is_legal(state[0], action) else 0
