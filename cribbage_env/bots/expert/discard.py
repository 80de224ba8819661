"""The expert's discard: hand, crib and pegging; near the end the chance of winning."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots.expert.crib import MOST_POINTS, crib_chances, write_pairs
from cribbage_env.bots.expert.layout import NEAR, PEGGING, REMOVAL, SCORE_AWARE
from cribbage_env.bots.expert.winning import MOST_NEED, discard_win_chance
from cribbage_env.bots.players import Player
from cribbage_env.engine import expectation
from cribbage_env.engine.compile import kernel, lean_kernel
from cribbage_env.engine.expectation import (
    ALL,
    ANY,
    Unseen,
    new_unseen,
    take_out,
    write_discard_values,
    write_kept,
)
from cribbage_env.engine.layout import View
from cribbage_env.engine.show import hand_index, suit_points
from cribbage_env.engine.tables import Book

__all__ = [
    "DISCARD_COLUMNS",
    "choose_discard",
    "hand_chances",
    "is_near_end",
    "write_discard_worths",
]

NUM_DISCARDS = 15
CANDIDATE_MARGIN = 1.2
"""Points behind the best at which a discard is no candidate for the chance of winning."""

HAND, CRIB, PEGS, TOTAL, WIN = range(5)
DISCARD_COLUMNS = ("hand", "crib", "pegging", "total", "win")
"""Columns of the worths of a discard: mean points of the hand, of the crib (own or theirs), net
points of the pegging, the three together; the chance of winning (nan where it isn't asked)."""


@lean_kernel
def is_near_end(view: View) -> bool:
    """Tell whether a player needs so little that the chance of winning decides."""
    own, other = view.target - view.scores[0], view.target - view.scores[1]
    return own <= MOST_NEED and other <= MOST_NEED and (own <= NEAR or other <= NEAR)


@kernel
def choose_discard(player: Player, view: View, book: Book) -> int:
    """Return the discard of the expert."""
    is_near = player.options[SCORE_AWARE] > 0.0 and is_near_end(view)
    worths = np.empty((NUM_DISCARDS, 5))
    write_discard_worths(player, view, is_near, CANDIDATE_MARGIN, book, worths)
    column = WIN if is_near else TOTAL
    best = -1
    for action in range(NUM_DISCARDS):
        if not np.isnan(worths[action, column]) and (
            best < 0 or worths[action, column] > worths[best, column]
        ):
            best = action
    return best


@kernel
def write_discard_worths(
    player: Player,
    view: View,
    with_win: bool,
    margin: float,
    book: Book,
    worths: NDArray[np.float64],
) -> None:
    """Write what each discard is worth into ``(15, 5)``, columns as in `DISCARD_COLUMNS`.

    The chance of winning is worked out for the discards within `margin` points of the best.
    """
    role = view.is_dealer
    sign = 1.0 if role == 1 else -1.0
    values = np.empty((NUM_DISCARDS, expectation.NUM_VALUES))
    write_discard_values(view.dealt, role == 1, book, values)
    unseen = new_unseen()
    for place in range(6):
        take_out(unseen, view.dealt[place])
    weights = np.empty((13, 13))
    total = write_pairs(unseen, 1 - role, book, weights)
    crib, hand = np.empty(MOST_POINTS), np.empty(MOST_POINTS)
    kept = np.empty(4, np.int16)
    best = -np.inf
    for action in range(NUM_DISCARDS):
        slots = book.discard_slots[action]
        first, second = view.dealt[slots[0]], view.dealt[slots[1]]
        worths[action, HAND] = values[action, expectation.MEAN]
        worths[action, CRIB] = values[action, expectation.CRIB]
        if player.options[REMOVAL] > 0.0:
            worths[action, CRIB] = crib_chances(first, second, unseen, weights, total, book, crib)
        write_kept(view.dealt, slots[0], slots[1], kept)
        index = hand_index(kept, book)
        net = book.peg[role, index, 0] - book.peg[role, index, 1]
        worths[action, PEGS] = player.options[PEGGING] * net
        worths[action, TOTAL] = (
            worths[action, HAND] + sign * worths[action, CRIB] + worths[action, PEGS]
        )
        worths[action, WIN] = np.nan
        best = max(best, worths[action, TOTAL])
    if not with_win:
        return
    own, other = view.target - view.scores[0], view.target - view.scores[1]
    for action in range(NUM_DISCARDS):
        if worths[action, TOTAL] < best - margin:
            continue
        slots = book.discard_slots[action]
        first, second = view.dealt[slots[0]], view.dealt[slots[1]]
        crib_chances(first, second, unseen, weights, total, book, crib)
        write_kept(view.dealt, slots[0], slots[1], kept)
        hand_chances(kept, unseen, book, hand)
        index = hand_index(kept, book)
        worths[action, WIN] = discard_win_chance(role, own, other, hand, crib, index, book)


@lean_kernel
def hand_chances(
    kept: NDArray[np.int16], unseen: Unseen, book: Book, chances: NDArray[np.float64]
) -> None:
    """Write how likely four cards count how much with the starter, exact over the unseen cards."""
    chances[:] = 0.0
    row = hand_index(kept, book)
    for suit in range(4):
        bonus = suit_points(kept, suit, False)
        for rank in range(13):
            if unseen[rank, suit] > 0:
                chances[book.show[row, rank] + bonus] += 1.0 / unseen[ANY, ALL]
