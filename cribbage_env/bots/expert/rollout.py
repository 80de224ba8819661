"""Playing a deal's cards out for both seats, by a quick rule or by habit: the look-ahead.

The quick rule lays the card whose points, less what a reply to it scores on average, are highest;
the averages stand in the book, so that a whole deal is played out in under a microsecond. Habits
(`habits`) foresee better what strong players lay, and take several times as long.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots.expert.habits import choose_by_habit
from cribbage_env.bots.expert.ranks import GONE, NO_RANK, num_cards, rank_points, rank_value
from cribbage_env.engine.compile import inlined_kernel
from cribbage_env.engine.tables import Book

__all__ = ["choose_quickly", "play_out"]


@inlined_kernel
def choose_quickly(
    hand: NDArray[np.int64], pile: NDArray[np.int64], size: int, count: int, book: Book
) -> int:
    """Return the slot of the card that the quick rule lays, -1 if none fits.

    `pile` has room for one more rank behind its `size`.
    """
    best, best_worth = -1, -1000.0
    before = pile[size - 1] if size > 0 else NO_RANK
    for slot in range(4):
        rank = hand[slot]
        if rank < 0:
            continue
        new_count = count + rank_value(rank)
        if new_count > 31:
            continue
        pile[size] = rank
        worth = rank_points(pile, size + 1, new_count) - book.reply_risk[new_count, rank, before]
        if worth > best_worth:
            best, best_worth = slot, worth
    return best


# One loop is the plainest form of the play's flow, and each branch is one of its cases.
@inlined_kernel
def play_out(
    hands: NDArray[np.int64],
    pile: NDArray[np.int64],
    size: int,
    count: int,
    turn: int,
    last: int,
    most_cards: int,
    by_habit: bool,
    needs: NDArray[np.int64],
    book: Book,
    points: NDArray[np.int64],
) -> None:
    """Play the cards left by the quick rule or by habit, adding to the `points` of both seats.

    `hands` is ``(2, 4)`` ranks with GONE for those laid; `turn` is who is to act, `last` who laid
    the last card of the pile. It ends with the deal's last card, after `most_cards` cards, or when
    a seat's points reach what it needs (R19). All arrays but `needs` and the book are changed.
    """
    left = num_cards(hands[0]) + num_cards(hands[1])
    seat = turn
    has_passed = False  # one seat has nothing more that fits in this count
    while True:
        if by_habit:
            slot = choose_by_habit(
                hands[seat], num_cards(hands[1 - seat]), pile, size, count, has_passed, book
            )
        else:
            slot = choose_quickly(hands[seat], pile, size, count, book)
        if slot >= 0:
            rank = hands[seat, slot]
            hands[seat, slot] = GONE
            left -= 1
            most_cards -= 1
            count += rank_value(rank)
            pile[size] = rank
            size += 1
            points[seat] += rank_points(pile, size, count)
            last = seat
            if points[seat] >= needs[seat] or (most_cards <= 0 and left > 0):
                return
            if count < 31:
                if not has_passed:
                    seat = 1 - seat
                continue
        elif not has_passed and left > 0:
            has_passed = True
            seat = 1 - seat
            continue
        elif size > 0:
            points[last] += 1  # last card (R9)
            if points[last] >= needs[last]:
                return
        if left == 0:
            return
        size, count, has_passed = 0, 0, False
        seat = 1 - last
        if num_cards(hands[seat]) == 0:
            seat = last
