"""The chance of winning at a glance: against an average hand, with a crib known by its mean alone.

`winning` works it out from whole distributions, which takes a hundred times longer. Here the crib
is the average one of the table `book.win_before_crib`, moved by as many holes as the crib at hand
is worth more. The order of counting is the true one (R12) all the same.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots.expert.crib import MOST_POINTS
from cribbage_env.bots.expert.winning import MOST_NEED, NUM_PEGS
from cribbage_env.engine.compile import inlined_kernel, lean_kernel
from cribbage_env.engine.tables import Book

__all__ = [
    "MEAN_CRIB",
    "NO_HAND",
    "STAGE_SHAPE",
    "chance_before_show",
    "chance_now",
    "chance_with_hands",
    "chance_with_pegs",
]

MEAN_CRIB: Final = 4.7
"""Points of an average crib."""
NO_HAND: Final = -1
"""In place of the own hand's points: the deal is to come."""
LEAST_CHANCE: Final = 0.01
"""The tail of a distribution of pegging whose single chances are below this is left out."""
STAGE: Final = NUM_PEGS + MOST_POINTS
STAGE_SHAPE: Final = (STAGE, NUM_PEGS)
"""Shape of the memory that `chance_with_pegs` works in."""


@lean_kernel
def chance_now(role: int, own: int, other: int, hand: int, crib: float, book: Book) -> float:
    """Return the chance of winning before a deal, or before the show with a hand's points."""
    if own <= 0:
        return 1.0
    if other <= 0:
        return 0.0
    if hand == NO_HAND:
        return book.win[role, own, other]
    return chance_before_show(role, own, other, hand, crib, book)


@lean_kernel
def chance_before_show(
    role: int, own: int, other: int, hand: int, crib: float, book: Book
) -> float:
    """Return the chance of winning when the show is to come, against an average hand (R12)."""
    if role == 0 and hand >= own:
        return 1.0
    total = 0.0
    for points in range(MOST_POINTS):
        likely = book.hand_chance[1 - role, points]
        if likely > 0.0 and points < other:
            if hand >= own:
                total += likely
            else:
                total += likely * _before_crib(role, own - hand, other - points, crib, book)
    return total


@inlined_kernel
def _before_crib(role: int, own: int, other: int, crib: float, book: Book) -> float:
    """Return the chance of winning when a crib that counts so much on average is to come.

    A crib above the average is taken for that many holes less to go for its owner.
    """
    more = crib - MEAN_CRIB
    whole = int(np.floor(more))
    part = more - whole
    if role == 1:
        return (1.0 - part) * _table(1, own - whole, other, book) + part * _table(
            1, own - whole - 1, other, book
        )
    return (1.0 - part) * _table(0, own, other - whole, book) + part * _table(
        0, own, other - whole - 1, book
    )


@inlined_kernel
def _table(role: int, own: int, other: int, book: Book) -> float:
    """Return an entry of the table before the crib; needs outside it become the nearest."""
    a, b = min(max(own, 1), MOST_NEED), min(max(other, 1), MOST_NEED)
    chance: float = book.win_before_crib[role, a, b]
    return chance


@inlined_kernel
def chance_with_hands(
    role: int, own: int, other: int, hand: int, count: int, crib: float, book: Book
) -> float:
    """Return the chance of winning before the show, both hands known (R12)."""
    if own <= 0:
        return 1.0
    if other <= 0:
        return 0.0
    if hand >= own and (role == 0 or count < other):
        return 1.0
    if count >= other:
        return 0.0
    return _before_crib(role, own - hand, other - count, crib, book)


@lean_kernel
def chance_with_pegs(
    role: int,
    own: int,
    other: int,
    index: int,
    hand: NDArray[np.float64],
    crib: float,
    book: Book,
    stage: NDArray[np.float64],
) -> float:
    """Return the chance of winning over the distributions of pegging and of both hands.

    `stage` (STAGE, NUM_PEGS) is memory to work in: the chance after the hand that is counted first,
    by what its owner then still needs, up from the least, and by what the other has pegged. Where
    both would peg out either may be first.
    """
    first_need, last_pegs = (own, 1) if role == 0 else (other, 0)
    least = first_need - STAGE + 1
    most_later = _most_pegs(role, index, last_pegs, book)
    most_first = _most_pegs(role, index, 1 - last_pegs, book)
    for place in range(max(0, 1 - least), STAGE):
        for pegs in range(most_later + 1):
            if role == 0:
                chance = _other_counts(least + place, other - pegs, crib, book)
            else:
                chance = _own_counts(own - pegs, least + place, hand, crib, book)
            stage[place, pegs] = chance
    total = 0.0
    for first in range(most_first + 1):
        for later in range(most_later + 1):
            own_pegs, other_pegs = (first, later) if role == 0 else (later, first)
            chance = book.peg_chance[role, index, 0, own_pegs]
            chance *= book.peg_chance[role, index, 1, other_pegs]
            a, b = own - own_pegs, other - other_pegs
            if a <= 0:
                total += 0.5 * chance if b <= 0 else chance
            elif b > 0:
                need = a if role == 0 else b
                win = 0.0
                for points in range(MOST_POINTS):
                    likely = hand[points] if role == 0 else book.hand_chance[0, points]
                    if likely > 0.0 and points < need:
                        win += likely * stage[need - points - least, later]
                    elif role == 0:
                        win += likely
                total += chance * win
    return total


@lean_kernel
def _most_pegs(role: int, index: int, player: int, book: Book) -> int:
    """Return how many points a player pegs at most, but for a chance of LEAST_CHANCE each."""
    most = NUM_PEGS - 1
    while most > 0 and book.peg_chance[role, index, player, most] < LEAST_CHANCE:
        most -= 1
    return most


@lean_kernel
def _other_counts(own: int, other: int, crib: float, book: Book) -> float:
    """Return pone's chance when the dealer's hand and crib are to come."""
    if other <= 0:
        return 0.0
    total = 0.0
    for points in range(min(MOST_POINTS, other)):
        likely = book.hand_chance[1, points]
        if likely > 0.0:
            total += likely * _before_crib(0, own, other - points, crib, book)
    return total


@lean_kernel
def _own_counts(own: int, other: int, hand: NDArray[np.float64], crib: float, book: Book) -> float:
    """Return the dealer's chance when its own hand and crib are to come."""
    if own <= 0:
        return 1.0
    total = 0.0
    for points in range(MOST_POINTS):
        if hand[points] > 0.0:
            if points >= own:
                total += hand[points]
            else:
                total += hand[points] * _before_crib(1, own - points, other, crib, book)
    return total
