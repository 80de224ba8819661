"""What a compiled player is to the kernels: a kind and its options."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["EXTERNAL", "KINDS", "PLAYER", "Player", "Players"]

EXTERNAL = -1
"""Kind of a player that no kernel chooses for: a `Policy` called in batches."""

KINDS = ("random", "greedy", "club", "expert")
"""The compiled players; the index is the kind."""

FIRST_DEEP = KINDS.index("expert")
"""From this kind on a kernel is large: it is compiled only where such a player sits down."""

PLAYER = np.dtype(
    (
        np.record,
        [
            ("kind", "i2"),  # index in KINDS, or EXTERNAL
            ("options", "f8", (8,)),  # numbers that the player's own file gives a meaning
        ],
    )
)

Player: TypeAlias = Any
"""One record of an array of the dtype PLAYER."""
Players: TypeAlias = NDArray[Any]
"""Array of the dtype PLAYER."""
