"""The chance of winning the game from what both still need, in the true order of counting.

`book.win[role, own, other]` is the chance at the start of a deal of the player in that role (0
pone, 1 dealer) who needs `own` holes while the other needs `other` (1..121 each). Here it is
carried back through the show: the crib last, the dealer's hand before it, pone's hand first (R12).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots.expert.crib import MOST_POINTS
from cribbage_env.engine.compile import inlined_kernel, kernel
from cribbage_env.engine.tables import Book

__all__ = ["MOST_NEED", "NUM_PEGS", "discard_win_chance", "write_after_crib"]

MOST_NEED = 121
"""The most holes that the table knows."""
NUM_PEGS = 16
"""One more than the most points that the table of pegging keeps apart."""


@inlined_kernel
def write_after_crib(
    role: int,
    own: int,
    other: int,
    width: int,
    crib: NDArray[np.float64],
    book: Book,
    grid: NDArray[np.float64],
) -> None:
    """Write the chance of winning when only the crib is still to be counted.

    ``grid[a, b]`` is for needs a and b; it is filled for `own` and `other` and the `width` needs
    below each, and is indexed by the needs themselves.
    """
    for a in range(max(1, own - width), own + 1):
        for b in range(max(1, other - width), other + 1):
            chance = 0.0
            for points in range(MOST_POINTS):
                if crib[points] > 0.0:
                    if role == 1:
                        won = 1.0 if points >= a else book.win[0, a - points, b]
                    else:
                        won = 0.0 if points >= b else book.win[1, a, b - points]
                    chance += crib[points] * won
            grid[a, b] = chance


@inlined_kernel
def _count_own(
    own: int,
    other: int,
    widths: tuple[int, int],
    hand: NDArray[np.float64],
    later: NDArray[np.float64],
    grid: NDArray[np.float64],
) -> None:
    """Write the chance of winning when the own hand is the next to be counted."""
    for a in range(max(1, own - widths[0]), own + 1):
        for b in range(max(1, other - widths[1]), other + 1):
            chance = 0.0
            for points in range(MOST_POINTS):
                if hand[points] > 0.0:
                    chance += hand[points] * (1.0 if points >= a else later[a - points, b])
            grid[a, b] = chance


@inlined_kernel
def _count_other(
    own: int,
    other: int,
    widths: tuple[int, int],
    hand: NDArray[np.float64],
    later: NDArray[np.float64],
    grid: NDArray[np.float64],
) -> None:
    """Write the chance of winning when the other's hand is the next to be counted."""
    for a in range(max(1, own - widths[0]), own + 1):
        for b in range(max(1, other - widths[1]), other + 1):
            chance = 0.0
            for points in range(MOST_POINTS):
                if hand[points] > 0.0 and points < b:
                    chance += hand[points] * later[a, b - points]
            grid[a, b] = chance


@kernel
def discard_win_chance(
    role: int,
    own: int,
    other: int,
    hand: NDArray[np.float64],
    crib: NDArray[np.float64],
    index: int,
    book: Book,
) -> float:
    """Return the chance of winning before the starter, from the distributions of a discard.

    `hand` and `crib` are ``(30,)``; `index` is that of the four ranks kept, whose pegging the book
    knows; the other's hand is the average one of its role. The four are taken as independent.
    """
    shape = (own + 1, other + 1)
    after_crib, after_hand, grid = np.empty(shape), np.empty(shape), np.empty(shape)
    far, near = NUM_PEGS + MOST_POINTS, NUM_PEGS
    write_after_crib(role, own, other, far, crib, book, after_crib)
    if role == 1:
        _count_own(own, other, (near, far), hand, after_crib, after_hand)
        _count_other(own, other, (near, near), book.hand_chance[0], after_hand, grid)
    else:
        _count_other(own, other, (far, near), book.hand_chance[1], after_crib, after_hand)
        _count_own(own, other, (near, near), hand, after_hand, grid)
    total = 0.0
    for x in range(NUM_PEGS):
        own_chance = book.peg_chance[role, index, 0, x]
        for y in range(NUM_PEGS):
            chance = own_chance * book.peg_chance[role, index, 1, y]
            if x >= own and y >= other:
                total += 0.5 * chance  # both would peg out: either may be first
            elif x >= own:
                total += chance
            elif y < other:
                total += chance * grid[own - x, other - y]
    return total
