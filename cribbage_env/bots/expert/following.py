"""A card followed to the end of the deal's play, in each hand that the opponent may hold.

The own card is laid, then both go on by the quick rule or by habit. The expert chooses by this, and
the ``"lookahead"`` observation tells it. The arrays that a card takes to follow are the caller's.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots.expert.ranks import GONE, rank_points, rank_value
from cribbage_env.bots.expert.rollout import play_out
from cribbage_env.engine.card import card_rank
from cribbage_env.engine.compile import inlined_kernel, lean_kernel
from cribbage_env.engine.layout import View
from cribbage_env.engine.tables import Book

__all__ = ["follow", "share_out", "twin_before", "write_laid", "write_playable"]


@lean_kernel
def write_playable(view: View, ranks: NDArray[np.int64], is_playable: NDArray[np.bool_]) -> int:
    """Write the rank held in each slot (4,), GONE for none, and whether it can be laid (4,).

    Return the number that can.
    """
    number = 0
    for slot in range(4):
        ranks[slot] = card_rank(view.kept[slot]) if view.held[slot] == 1 else GONE
        is_playable[slot] = view.held[slot] == 1 and view.count + rank_value(ranks[slot]) <= 31
        number += 1 if is_playable[slot] else 0
    return number


@inlined_kernel
def twin_before(ranks: NDArray[np.int64], is_playable: NDArray[np.bool_], slot: int) -> int:
    """Return an earlier slot whose card can be laid and is of the same rank, -1 for none."""
    for before in range(slot):
        if is_playable[before] and ranks[before] == ranks[slot]:
            return before
    return -1


@lean_kernel
def write_laid(view: View, laid: NDArray[np.int64]) -> int:
    """Write the ranks that the opponent has laid (4,); return how many."""
    number = 0
    for place in range(view.plays_made):
        if view.play_is_own[place] == 0:
            laid[number] = card_rank(view.plays[place])
            number += 1
    return number


@lean_kernel
def share_out(weights: NDArray[np.float64], number: int, samples: int, start: float) -> None:
    """Turn the first `number` weights into shares that sum to one.

    Where there are more than `samples` it is a systematic sample: as many evenly spaced places
    along the summed weights, the first of them at `start`, 0..1, of the spacing; the rest get 0.
    """
    total = 0.0
    for world in range(number):
        total += weights[world]
    if number <= samples:
        for world in range(number):
            weights[world] /= total
        return
    spacing = total / samples
    next_place = spacing * start
    passed, taken = 0.0, 0
    for world in range(number):
        passed += weights[world]
        weights[world] = 0.0
        # Counted, since places added up may fall short of the total by rounding.
        while taken < samples and next_place < passed:
            weights[world] += 1.0 / samples
            next_place += spacing
            taken += 1


@lean_kernel
def follow(
    view: View,
    slot: int,
    ranks: NDArray[np.int64],
    world: NDArray[np.int64],
    most_cards: int,
    by_habit: bool,
    needs: NDArray[np.int64],
    book: Book,
    hands: NDArray[np.int64],
    pile: NDArray[np.int64],
    points: NDArray[np.int64],
) -> None:
    """Lay a card in one world and go on; write what both peg into `points`.

    `ranks` are the own cards, `needs` what both need to win (own, opponent); `most_cards` is how
    many cards are laid after the own, by the quick rule or by habit. `hands` (2, 4) and `pile`
    (14,) are memory to work in.
    """
    for place in range(4):
        hands[0, place] = ranks[place] if place != slot else GONE
        hands[1, place] = world[place]
    size = view.plays_made - view.pile_start
    for place in range(size):
        pile[place] = card_rank(view.plays[view.pile_start + place])
    pile[size] = ranks[slot]
    count = view.count + rank_value(ranks[slot])
    points[0] = rank_points(pile, size + 1, count)
    points[1] = 0
    if points[0] >= needs[0]:
        return
    size = 0 if count == 31 else size + 1
    count = 0 if count == 31 else count
    turn = 0 if size == 0 and view.opponent_cards == 0 else 1
    play_out(hands, pile, size, count, turn, 0, most_cards, by_habit, needs, book, points)
