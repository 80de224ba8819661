"""What the crib is worth to a player who knows six cards, or six and the starter."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribbage_env.engine.card import card_rank, card_suit
from cribbage_env.engine.compile import inlined_kernel
from cribbage_env.engine.expectation import ALL, ANY, Unseen
from cribbage_env.engine.show import JACK
from cribbage_env.engine.tables import Book

__all__ = ["MOST_POINTS", "crib_chances", "crib_chances_with", "suit_bonus", "write_pairs"]

MOST_POINTS = 30
"""One more than the most that a hand or a crib counts."""

FLUSH_THROW = 0.9
"""How likely a pair thrown is of one suit, as a share of a random pair's chance."""


@inlined_kernel
def write_pairs(unseen: Unseen, role: int, book: Book, weights: NDArray[np.float64]) -> float:
    """Write how likely the other player, in `role`, threw each pair of ranks; return their sum.

    `weights` is ``(13, 13)``, the lower rank first: how readily such a pair is thrown, times the
    ways to make it from the unseen cards.
    """
    total = 0.0
    for low in range(13):
        for high in range(low, 13):
            if low == high:
                number = unseen[low, ALL]
                weight = book.throw_weight[role, low, high, 0] * (number * (number - 1) / 2)
            else:
                suited = 0
                for suit in range(4):
                    suited += unseen[low, suit] * unseen[high, suit]
                mixed = unseen[low, ALL] * unseen[high, ALL] - suited
                weight = book.throw_weight[role, low, high, 0] * mixed
                weight += book.throw_weight[role, low, high, 1] * suited
            weights[low, high] = weight
            total += weight
    return total


@inlined_kernel
def _index_of_pairs(low: int, high: int, other_low: int, other_high: int, book: Book) -> int:
    """Return the index of four ranks, given as two pairs that are each in order."""
    if low > other_low:
        low, high, other_low, other_high = other_low, other_high, low, high
    first, second, third = high, other_low, other_high
    if first > second:
        first, second = second, first
        if second > third:
            second, third = third, second
    return (
        book.rank_offset[0, low]
        + book.rank_offset[1, first]
        + book.rank_offset[2, second]
        + book.rank_offset[3, third]
    )


@inlined_kernel
def crib_chances(
    first: int,
    second: int,
    unseen: Unseen,
    weights: NDArray[np.float64],
    total: float,
    book: Book,
    chances: NDArray[np.float64],
) -> float:
    """Write how likely the crib counts how much (30,), suits left out; return its mean with suits.

    `first` and `second` are the two cards thrown, the lower id first.
    """
    low, high = card_rank(first), card_rank(second)
    chances[:] = 0.0
    left = unseen[ANY, ALL]
    for other_low in range(13):
        for other_high in range(other_low, 13):
            weight = weights[other_low, other_high]
            if weight <= 0.0:
                continue
            weight /= total * (left - 2)
            index = _index_of_pairs(low, high, other_low, other_high, book)
            for rank in range(13):
                number = unseen[rank, ALL]
                number -= (1 if rank == other_low else 0) + (1 if rank == other_high else 0)
                if number > 0:
                    chances[book.show[index, rank]] += weight * number
    mean = 0.0
    for points in range(MOST_POINTS):
        mean += points * chances[points]
    return mean + suit_bonus(first, second, unseen, weights, total)


@inlined_kernel
def suit_bonus(
    first: int, second: int, unseen: Unseen, weights: NDArray[np.float64], total: float
) -> float:
    """Return what the crib's suits add in the mean: nobs, and a flush of all five (R16, R17)."""
    left = unseen[ANY, ALL]
    bonus = 0.0
    if card_rank(first) == JACK:
        bonus += unseen[ANY, card_suit(first)] / left
    if card_rank(second) == JACK:
        bonus += unseen[ANY, card_suit(second)] / left
    jacks = 0.0
    for rank in range(13):
        share = weights[min(rank, JACK), max(rank, JACK)]
        jacks += 2.0 * share if rank == JACK else share
    bonus += 0.25 * jacks / total
    if card_suit(first) == card_suit(second):
        number = unseen[ANY, card_suit(first)]
        chance = number * (number - 1) * (number - 2) / (left * (left - 1) * (left - 2))
        bonus += 5.0 * FLUSH_THROW * chance
    return bonus


@inlined_kernel
def crib_chances_with(
    first: int,
    second: int,
    starter: int,
    weights: NDArray[np.float64],
    total: float,
    book: Book,
    chances: NDArray[np.float64],
) -> None:
    """Write how likely the crib counts how much once the starter is known, suits left out."""
    low, high = card_rank(first), card_rank(second)
    chances[:] = 0.0
    for other_low in range(13):
        for other_high in range(other_low, 13):
            weight = weights[other_low, other_high]
            if weight > 0.0:
                index = _index_of_pairs(low, high, other_low, other_high, book)
                chances[book.show[index, card_rank(starter)]] += weight / total
