"""What a discard is worth before the starter is turned: exact means over the unseen cards."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribbage_env.engine.card import card_rank, card_suit
from cribbage_env.engine.compile import inlined_kernel, kernel, lean_kernel
from cribbage_env.engine.show import JACK, hand_index, suit_points
from cribbage_env.engine.tables import Book

__all__ = [
    "BEST",
    "CRIB",
    "MEAN",
    "NUM_VALUES",
    "TOTAL",
    "WORST",
    "Unseen",
    "crib_value",
    "new_unseen",
    "reach_chance",
    "starter_summary",
    "take_out",
    "write_discard_values",
]

MEAN, BEST, WORST, CRIB, TOTAL = range(5)
"""Columns of the values of a discard, in points: mean, best and worst hand over the unseen
starters; mean crib; the mean hand with the crib added (dealer) or taken off (pone)."""
NUM_VALUES = 5

NUM_DISCARDS = 15
ALL = 4
"""The column of an unseen table that counts over the suits."""
ANY = 13
"""The row of an unseen table that counts over the ranks."""

Unseen: TypeAlias = NDArray[np.int64]
"""Array of shape (14, 5): 1 for each card not seen by rank and suit; row ANY and column ALL are the
sums."""


@kernel
def new_unseen() -> Unseen:
    """Return the table of a full pack, of which nothing is seen yet."""
    unseen = np.ones((ANY + 1, ALL + 1), np.int64)
    unseen[:ANY, ALL] = 4
    unseen[ANY, :ALL] = 13
    unseen[ANY, ALL] = 52
    return unseen


@inlined_kernel
def take_out(unseen: Unseen, card: int) -> None:
    """Mark a card as seen."""
    unseen[card_rank(card), card_suit(card)] -= 1
    unseen[card_rank(card), ALL] -= 1
    unseen[ANY, card_suit(card)] -= 1
    unseen[ANY, ALL] -= 1


@lean_kernel
def starter_summary(
    cards: NDArray[np.int16], unseen: Unseen, is_crib: bool, book: Book
) -> tuple[int, int, int]:
    """Return the sum, the most and the least of what four cards count with each unseen starter.

    `cards` are sorted by id. Ranks and suits count apart (R13–R15, R16–R17), so that a hand with no
    jack and no flush needs one look at each rank.
    """
    row = hand_index(cards, book)
    total, best, worst = 0, 0, 99
    for rank in range(13):
        if unseen[rank, ALL] > 0:
            points = book.show[row, rank]
            total += unseen[rank, ALL] * points
            best = max(best, points)
            worst = min(worst, points)
    if not _can_suits_count(cards):
        return total, best, worst
    best, worst = 0, 99
    for suit in range(4):
        bonus = suit_points(cards, suit, is_crib)  # the ace stands for every starter of its suit
        total += unseen[ANY, suit] * bonus
        for rank in range(13):
            if unseen[rank, suit] > 0:
                points = book.show[row, rank] + bonus
                best = max(best, points)
                worst = min(worst, points)
    return total, best, worst


@inlined_kernel
def _can_suits_count(cards: NDArray[np.int16]) -> bool:
    """Tell whether four cards hold a jack or are of one suit."""
    is_flush = True
    for place in range(4):
        if card_rank(cards[place]) == JACK:
            return True
        is_flush = is_flush and card_suit(cards[place]) == card_suit(cards[0])
    return is_flush


@inlined_kernel
def crib_value(first: int, second: int, is_dealer: bool, book: Book) -> float:
    """Return the mean points of the crib into which a player of this role throws two cards."""
    low, high = min(card_rank(first), card_rank(second)), max(card_rank(first), card_rank(second))
    role = 1 if is_dealer else 0
    is_suited = 1 if card_suit(first) == card_suit(second) else 0
    points: float = book.crib_value[role, low, high, is_suited]
    return points


@kernel
def write_discard_values(
    dealt: NDArray[np.int16], is_dealer: bool, book: Book, values: NDArray[np.float64]
) -> None:
    """Write what each of the 15 discards from six cards is worth, exact over the 46 starters.

    `dealt` is sorted by id; `values` is a float64 array of shape ``(15, NUM_VALUES)``, its columns
    MEAN, BEST, WORST, CRIB and TOTAL.
    """
    unseen = new_unseen()
    for place in range(6):
        take_out(unseen, dealt[place])
    kept = np.empty(4, np.int16)
    for action in range(NUM_DISCARDS):
        first, second = book.discard_slots[action, 0], book.discard_slots[action, 1]
        write_kept(dealt, first, second, kept)
        total, best, worst = starter_summary(kept, unseen, False, book)
        mean = total / 46.0
        crib = crib_value(dealt[first], dealt[second], is_dealer, book)
        values[action, MEAN] = mean
        values[action, BEST] = best
        values[action, WORST] = worst
        values[action, CRIB] = crib
        values[action, TOTAL] = mean + crib if is_dealer else mean - crib


@inlined_kernel
def write_kept(dealt: NDArray[np.int16], first: int, second: int, kept: NDArray[np.int16]) -> None:
    """Write the four of six cards that stay when those in two slots are thrown."""
    slot = 0
    for place in range(6):
        if place != first and place != second:
            kept[slot] = dealt[place]
            slot += 1


@kernel
def reach_chance(dealt: NDArray[np.int16], action: int, needed: int, book: Book) -> float:
    """Return the share of the 46 starters with which the hand kept counts `needed` or more."""
    kept = np.empty(4, np.int16)
    write_kept(dealt, book.discard_slots[action, 0], book.discard_slots[action, 1], kept)
    row = hand_index(kept, book)
    unseen = new_unseen()
    for place in range(6):
        take_out(unseen, dealt[place])
    starters = 0
    for suit in range(4):
        bonus = suit_points(kept, suit, False)
        for rank in range(13):
            if book.show[row, rank] + bonus >= needed:
                starters += unseen[rank, suit]
    return starters / 46.0
