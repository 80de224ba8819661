"""The play with ranks alone: suits don't matter in it, so hands and piles are arrays of ranks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribbage_env.engine.compile import inlined_kernel

__all__ = ["GONE", "NO_RANK", "num_cards", "rank_points", "rank_value"]

GONE = -1
"""In place of a card that is laid."""
NO_RANK = 13
"""In place of the rank before the first card of a count."""


@inlined_kernel
def rank_value(rank: int) -> int:
    """Return what a rank adds to the count."""
    return min(rank + 1, 10)


@inlined_kernel
def rank_points(pile: NDArray[np.int64], size: int, count: int) -> int:
    """Return what the last of `size` ranks scores at this count (R8)."""
    points = 2 if count == 15 or count == 31 else 0
    last = pile[size - 1]
    same = 1
    while same < size and pile[size - 1 - same] == last:
        same += 1
    if same > 1:
        return points + same * (same - 1)
    lowest, highest, seen, run = last, last, 1 << last, 1
    for length in range(2, size + 1):
        rank = pile[size - length]
        if seen & (1 << rank):
            break
        seen |= 1 << rank
        lowest = min(lowest, rank)
        highest = max(highest, rank)
        if highest - lowest == length - 1:
            run = length
    return points + run if run >= 3 else points


@inlined_kernel
def num_cards(hand: NDArray[np.int64]) -> int:
    """Return how many of a hand's four places hold a rank."""
    number = 0
    for place in range(4):
        number += 1 if hand[place] >= 0 else 0
    return number
