"""`greedy`: keeps the best four cards on their own, lays the card that scores most now."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribbage_env.engine.card import card_suit, card_value
from cribbage_env.engine.compile import inlined_kernel, kernel
from cribbage_env.engine.flow import FIRST_PLAY
from cribbage_env.engine.layout import DISCARD, View
from cribbage_env.engine.play import FULL_COUNT, play_points
from cribbage_env.engine.show import hand_index
from cribbage_env.engine.tables import Book

__all__ = ["choose_greedy", "count_four"]


@kernel
def choose_greedy(view: View, book: Book) -> int:
    """Return the greedy action: the crib, the starter and the opponent's reply are not thought of.

    The first of the discards that keep the best count is thrown; of the cards that score most now
    the lowest is laid.
    """
    if view.phase == DISCARD:
        return _choose_discard(view, book)
    best, best_points = -1, -1
    plays = view.plays.copy()
    for slot in range(4):
        value = card_value(view.kept[slot])
        if view.held[slot] == 1 and view.count + value <= FULL_COUNT:
            plays[view.plays_made] = view.kept[slot]
            end = view.plays_made + 1
            points = play_points(plays, view.pile_start, end, view.count + value)
            if points > best_points:  # slots lie in the order of cards: the lowest wins a tie
                best, best_points = slot, points
    return FIRST_PLAY + best


@kernel
def _choose_discard(view: View, book: Book) -> int:
    best, best_points = 0, -1
    kept = np.empty(4, np.int16)
    for action in range(FIRST_PLAY):
        first, second = book.discard_slots[action, 0], book.discard_slots[action, 1]
        slot = 0
        for place in range(6):
            if place != first and place != second:
                kept[slot] = view.dealt[place]
                slot += 1
        points = count_four(kept, book)
        if points > best_points:
            best, best_points = action, points
    return best


@inlined_kernel
def count_four(cards: NDArray[np.int16], book: Book) -> int:
    """Return what four cards sorted by id count alone, before the cut (a flush is 4)."""
    points = book.alone[hand_index(cards, book)]
    suit = card_suit(cards[0])
    if card_suit(cards[1]) == suit and card_suit(cards[2]) == suit and card_suit(cards[3]) == suit:
        points += 4
    return points
