"""Playing a deal's cards out by a quick rule for both seats: the look-ahead's yardstick.

Suits don't matter in the play, so hands and piles are arrays of ranks here. The quick rule lays the
card whose points, less what a reply to it scores on average, are highest; the averages stand in the
book, so that a whole deal is played out in under a microsecond.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribbage_env.engine.compile import inlined_kernel
from cribbage_env.engine.tables import Book

__all__ = ["choose_quickly", "play_out", "rank_points", "rank_value"]

GONE = -1
NO_RANK = 13


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
def play_out(  # noqa: PLR0912
    hands: NDArray[np.int64],
    pile: NDArray[np.int64],
    size: int,
    count: int,
    turn: int,
    last: int,
    most_cards: int,
    needs: NDArray[np.int64],
    book: Book,
    points: NDArray[np.int64],
) -> None:
    """Play the cards left by the quick rule, adding to the `points` of both seats.

    `hands` is ``(2, 4)`` ranks with GONE for those laid; `turn` is who is to act, `last` who laid
    the last card of the pile. It ends with the deal's last card, after `most_cards` cards, or when
    a seat's points reach what it needs (R19). All arrays but `needs` and the book are changed.
    """
    left = 0
    for seat in range(2):
        for slot in range(4):
            if hands[seat, slot] >= 0:
                left += 1
    seat = turn
    has_passed = False  # one seat has nothing more that fits in this count
    while True:
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
        if not _has_cards(hands[seat]):
            seat = last


@inlined_kernel
def _has_cards(hand: NDArray[np.int64]) -> bool:
    return hand[0] >= 0 or hand[1] >= 0 or hand[2] >= 0 or hand[3] >= 0
