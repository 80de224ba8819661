"""What strong players lay: a small network of their habits, learnt from their deals.

It reads the ranks that a player holds and what both see of the table, and scores each rank that
fits: the exponentials of the scores are in proportion to how likely the ranks are laid next. So it
tells how likely a hand is, given what was laid from it, and how a deal may go on.

The inputs are numbers of rows of the first layer's weights, which is the sum of those rows; so the
one network is learnt (`agents.habits`) and played from the same numbers.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots.expert.ranks import NO_RANK, num_cards, rank_points, rank_value
from cribbage_env.engine.compile import inlined_kernel, kernel, lean_kernel
from cribbage_env.engine.tables import Book

__all__ = [
    "ACTION_ROWS",
    "NUM_ACTION_INPUTS",
    "NUM_STATE_INPUTS",
    "POINTS_SCALE",
    "STATE_ROWS",
    "choose_by_habit",
    "habit_likelihood",
    "write_action_inputs",
    "write_state_inputs",
]

# Rows of the weights that read the state: the first of each kind.
COUNT: Final = 0
BEFORE: Final = 32
BEFORE_THAT: Final = 46
OWN_CARDS: Final = 60
OTHER_CARDS: Final = 65
IS_LEAD: Final = 70
IS_ALONE: Final = 71
HOLDS: Final = 72
NOTHING: Final = 85
"""The row of a place without a card, and of what is not so: zeros."""
STATE_ROWS: Final = 86
NUM_STATE_INPUTS: Final = 11

# Rows of the weights that read a rank that may be laid.
RANK: Final = 0
COUNT_AFTER: Final = 13
SAME_HELD: Final = 45
POINTS: Final = 49
WORTH: Final = 50
ACTION_ROWS: Final = 51
NUM_ACTION_INPUTS: Final = 3
POINTS_SCALE: Final = 3.0
"""The rows of points and worth are multiplied by so many of them."""

NOT_LAID: Final = np.float32(-1e9)
"""The score of a place whose rank doesn't fit, or stands in an earlier place."""
LEAST: Final = 0.02
"""How likely any card is at least: nobody is so sure of another's habits."""


@lean_kernel
def write_state_inputs(
    hand: NDArray[np.int64],
    other_cards: int,
    pile: NDArray[np.int64],
    size: int,
    count: int,
    is_alone: bool,
    rows: NDArray[np.int64],
) -> None:
    """Write the rows (NUM_STATE_INPUTS,) of what a player sees who holds `hand`.

    `pile` is the count's `size` ranks, `is_alone` tells whether the other has said go in it.
    """
    rows[0] = COUNT + count
    rows[1] = BEFORE + (pile[size - 1] if size > 0 else NO_RANK)
    rows[2] = BEFORE_THAT + (pile[size - 2] if size > 1 else NO_RANK)
    rows[3] = OWN_CARDS + num_cards(hand)
    rows[4] = OTHER_CARDS + other_cards
    rows[5] = IS_LEAD if size == 0 else NOTHING
    rows[6] = IS_ALONE if is_alone else NOTHING
    for place in range(4):
        rows[7 + place] = HOLDS + hand[place] if hand[place] >= 0 else NOTHING


@lean_kernel
def write_action_inputs(
    hand: NDArray[np.int64],
    slot: int,
    pile: NDArray[np.int64],
    size: int,
    count: int,
    book: Book,
    rows: NDArray[np.int64],
) -> tuple[float, float]:
    """Write the rows (NUM_ACTION_INPUTS,) of laying a rank; return its points and its worth.

    The worth is that of the quick rule. `pile` has room for one more rank behind its `size`.
    """
    rank = hand[slot]
    new_count = count + rank_value(rank)
    same = 0
    for place in range(4):
        same += 1 if hand[place] == rank else 0
    rows[0] = RANK + rank
    rows[1] = COUNT_AFTER + new_count
    rows[2] = SAME_HELD + min(same, 3)
    before = pile[size - 1] if size > 0 else NO_RANK
    pile[size] = rank
    points = float(rank_points(pile, size + 1, new_count))
    return points, points - book.reply_risk[new_count, rank, before]


@kernel
def choose_by_habit(
    hand: NDArray[np.int64],
    other_cards: int,
    pile: NDArray[np.int64],
    size: int,
    count: int,
    is_alone: bool,
    book: Book,
) -> int:
    """Return the place of the rank that is most likely laid, -1 if none fits."""
    only = _only_fitting(hand, count)
    if only >= -1:
        return only
    scores = np.empty(4, np.float32)
    _write_scores(hand, other_cards, pile, size, count, is_alone, book, scores)
    best = 0
    for slot in range(1, 4):
        if scores[slot] > scores[best]:
            best = slot
    return best


@kernel
def habit_likelihood(
    hand: NDArray[np.int64],
    other_cards: int,
    pile: NDArray[np.int64],
    size: int,
    count: int,
    is_alone: bool,
    laid: int,
    book: Book,
) -> float:
    """Return how likely a player who holds `hand` lays the rank `laid`, which is in it and fits."""
    if _only_fitting(hand, count) >= 0:
        return 1.0
    scores = np.empty(4, np.float32)
    _write_scores(hand, other_cards, pile, size, count, is_alone, book, scores)
    best = scores.max()
    total, likely = 0.0, 0.0
    for slot in range(4):
        share = np.exp(float(scores[slot] - best))
        total += share
        likely += share if hand[slot] == laid else 0.0
    return LEAST + (1.0 - LEAST) * likely / total


@inlined_kernel
def _only_fitting(hand: NDArray[np.int64], count: int) -> int:
    """Return the place of the only rank that fits, -1 if none does, -2 if there is a choice."""
    only = -1
    for slot in range(4):
        if hand[slot] >= 0 and count + rank_value(hand[slot]) <= 31:
            if only >= 0 and hand[only] != hand[slot]:
                return -2
            only = slot if only < 0 else only
    return only


@kernel
def _write_scores(
    hand: NDArray[np.int64],
    other_cards: int,
    pile: NDArray[np.int64],
    size: int,
    count: int,
    is_alone: bool,
    book: Book,
    scores: NDArray[np.float32],
) -> None:
    """Write the score of each place's rank (4,)."""
    of_state, of_action, second = book.habit_state, book.habit_action, book.habit_second
    units, hidden = of_state.shape[1], second.shape[1]
    rows = np.empty(NUM_STATE_INPUTS, np.int64)
    write_state_inputs(hand, other_cards, pile, size, count, is_alone, rows)
    seen, first, last = (
        np.empty(units, np.float32),
        np.empty(units, np.float32),
        np.empty(hidden, np.float32),
    )
    for unit in range(units):
        seen[unit] = book.habit_bias[unit]
    for place in range(NUM_STATE_INPUTS):
        row = rows[place]
        for unit in range(units):
            seen[unit] += of_state[row, unit]
    for slot in range(4):
        scores[slot] = NOT_LAID
        is_twin = False
        for before in range(slot):
            is_twin = is_twin or hand[before] == hand[slot]
        if hand[slot] < 0 or count + rank_value(hand[slot]) > 31 or is_twin:
            continue
        points, worth = write_action_inputs(hand, slot, pile, size, count, book, rows)
        by_points, by_worth = np.float32(points / POINTS_SCALE), np.float32(worth / POINTS_SCALE)
        rank, after, same = rows[0], rows[1], rows[2]
        for unit in range(units):
            total = seen[unit] + of_action[rank, unit] + of_action[after, unit]
            total += of_action[same, unit]
            total += by_points * of_action[POINTS, unit] + by_worth * of_action[WORTH, unit]
            first[unit] = max(total, np.float32(0.0))
        for unit in range(hidden):
            last[unit] = book.habit_second_bias[unit]
        for before in range(units):
            if first[before] > 0.0:  # half of them are not
                for unit in range(hidden):
                    last[unit] += first[before] * second[before, unit]
        score = np.float32(0.0)
        for unit in range(hidden):
            score += max(last[unit], np.float32(0.0)) * book.habit_out[unit]
        scores[slot] = score
