"""What the opponent may hold, and how likely: the model of its hand.

Which four cards are kept is not random. A hand of four ranks weighs as much as strong players keep
it, times the ways to make it from the unseen cards; what the opponent laid and where it said go
rule hands out. Cards that the quick rule would not have laid make a hand less likely or, with more
work, each card that was laid by how likely it is by habit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots.expert.following import write_laid
from cribbage_env.bots.expert.habits import habit_likelihood
from cribbage_env.bots.expert.layout import BY_HABIT, NOT_READ, SURPRISE
from cribbage_env.bots.expert.ranks import GONE, rank_value
from cribbage_env.bots.expert.rollout import choose_quickly
from cribbage_env.engine.card import card_rank
from cribbage_env.engine.compile import inlined_kernel, kernel, lean_kernel
from cribbage_env.engine.layout import View
from cribbage_env.engine.tables import Book

__all__ = ["MOST_WORLDS", "index_with", "write_worlds"]

MOST_WORLDS = 1820


@kernel
def write_worlds(
    view: View,
    pool: NDArray[np.int64],
    reading: int,
    book: Book,
    worlds: NDArray[np.int64],
    weights: NDArray[np.float64],
) -> int:
    """Write every hand that the opponent may still hold, with its weight; return their number.

    `worlds` is ``(MOST_WORLDS, 4)`` ranks in rising order, GONE where the hand is shorter; `pool`
    is the number of cards of each rank that the opponent may hold; `reading` is NOT_READ,
    BY_QUICK_RULE or BY_HABIT.
    """
    laid = np.empty(4, np.int64)
    num_laid = write_laid(view, laid)
    left = 4 - num_laid
    role = 1 - view.is_dealer
    number = 0
    hand, held, pile = np.full(4, GONE), np.empty(4, np.int64), np.empty(9, np.int64)
    for place in range(left):
        hand[place] = 0
    while True:
        weight = _ways(hand, left, pool)
        if weight > 0.0:
            if reading != NOT_READ:
                weight *= book.keep_weight[role, index_with(hand, left, laid, num_laid, book)]
                if num_laid > 0:
                    weight *= _likelihood(view, hand, left, laid, reading, held, pile, book)
            for place in range(4):
                worlds[number, place] = hand[place]
            weights[number] = weight
            number += 1
        # the next multiset of ranks in rising order
        place = left - 1
        while place >= 0 and hand[place] == 12:
            place -= 1
        if place < 0:
            return number
        rank = hand[place] + 1
        for later in range(place, left):
            hand[later] = rank


@inlined_kernel
def _ways(hand: NDArray[np.int64], left: int, pool: NDArray[np.int64]) -> float:
    """Return in how many ways the ranks can be drawn from the pool."""
    ways = 1.0
    same = 0
    for place in range(left):
        same = same + 1 if place > 0 and hand[place] == hand[place - 1] else 1
        ways *= (pool[hand[place]] - same + 1) / same
    return max(ways, 0.0)


@inlined_kernel
def index_with(
    hand: NDArray[np.int64], left: int, laid: NDArray[np.int64], num_laid: int, book: Book
) -> int:
    """Return the index of the four ranks: those still held, in rising order, and those laid."""
    index = 0
    for card in range(left):
        place = card
        for other in range(num_laid):
            place += 1 if laid[other] < hand[card] else 0
        index += book.rank_offset[place, hand[card]]
    for card in range(num_laid):
        place = 0
        for other in range(num_laid):
            is_before = laid[other] < laid[card] or (laid[other] == laid[card] and other < card)
            place += 1 if is_before else 0
        for other in range(left):
            place += 1 if hand[other] <= laid[card] else 0
        index += book.rank_offset[place, laid[card]]
    return index


@lean_kernel
def _likelihood(
    view: View,
    hand: NDArray[np.int64],
    left: int,
    laid: NDArray[np.int64],
    reading: int,
    held: NDArray[np.int64],
    pile: NDArray[np.int64],
    book: Book,
) -> float:
    """Return how likely such a hand is, by a factor for each card that was laid from it.

    `held` (4,) and `pile` (9,) are memory to work in.
    """
    for place in range(4):
        held[place] = hand[place] if place < left else laid[place - left]
    size, count, done = 0, 0, 0
    weight = 1.0
    for place in range(view.plays_made):
        rank = int(card_rank(view.plays[place]))
        if count + rank_value(rank) > 31:
            size, count = 0, 0
        if view.play_is_own[place] == 0:
            if reading == BY_HABIT:
                is_alone = size > 0 and view.play_is_own[place - 1] == 0
                own_cards = 4 - (place - done)
                weight *= habit_likelihood(held, own_cards, pile, size, count, is_alone, rank, book)
            elif held[choose_quickly(held, pile, size, count, book)] != rank:
                weight *= SURPRISE
            held[left + done] = GONE
            done += 1
        pile[size] = rank
        size += 1
        count += rank_value(rank)
        if count == 31:
            size, count = 0, 0
    return weight
