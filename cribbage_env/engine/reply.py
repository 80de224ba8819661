"""What may follow a card laid in the play: the opponent's reply and the answer to it.

The model is the same throughout, and exact under it: the opponent's hand is a uniform draw from the
cards that it may hold, it replies with the card that scores most at once (with each of those that
tie equally often), and the answer is the own card that then scores most at once.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribbage_env.engine.card import card_rank, card_value
from cribbage_env.engine.compile import inlined_kernel, lean_kernel
from cribbage_env.engine.layout import View
from cribbage_env.engine.play import FULL_COUNT, play_points

__all__ = [
    "ANSWER",
    "GO_CHANCE",
    "NUM_REPLY_VALUES",
    "POINTS",
    "REPLY",
    "REPLY_REACHES",
    "REPLY_SCORES",
    "REPLY_WORK",
    "ReplyWork",
    "chance_of_none",
    "count_pool",
    "work_out_reply",
]

POINTS, REPLY, REPLY_SCORES, GO_CHANCE, ANSWER, REPLY_REACHES = range(6)
"""Columns of the values of a play: points of the card at once (R8); mean points of the reply;
chance that the reply scores; chance that there is none; mean points of the answer to the reply, or
of what follows where there is none; chance that the reply takes the opponent to the target."""
NUM_REPLY_VALUES = 6

MOST_POINTS = 14
"""The most that one card can score in the play: the fourth of its rank that makes 15 or 31."""

REPLY_WORK = np.dtype(
    (
        np.record,
        [
            ("pile", "i2", (10,)),  # the cards since the last reset, the reply, the answer
            ("worth", "i8", (13,)),  # points of a reply by rank; -1 where there is none
            ("tally", "i8", (MOST_POINTS + 1,)),  # cards of the pool by what they would score
            ("chance", "f8", (MOST_POINTS + 1,)),  # that the best reply scores exactly so much
        ],
    )
)
"""Memory that working out a reply needs; nothing in it has a meaning before or after."""

ReplyWork: TypeAlias = Any
"""One record of an array of the dtype REPLY_WORK."""


@lean_kernel
def count_pool(view: View, pool: NDArray[np.int64]) -> int:
    """Count the cards that the opponent may hold, by rank, into `pool` (13,); return their number.

    These are the unseen cards, less those that it would have had to lay: where the opponent said
    go, or the count went back to 0, it held none that would have fitted (R7, R9).
    """
    pool[:] = 4
    for place in range(6):
        pool[card_rank(view.dealt[place])] -= 1
    if view.starter >= 0:
        pool[card_rank(view.starter)] -= 1
    count, must_exceed = 0, 0
    for place in range(view.plays_made):
        card = view.plays[place]
        if view.play_is_own[place] == 0:
            pool[card_rank(card)] -= 1
        if count + card_value(card) > FULL_COUNT:
            must_exceed = max(must_exceed, FULL_COUNT - count)
            count = 0
        count += card_value(card)
        if view.go_after[place] == 2:
            must_exceed = max(must_exceed, FULL_COUNT - count)
    if view.plays_made > 0 and view.pile_start == view.plays_made:
        must_exceed = max(must_exceed, FULL_COUNT - count)
    size = 0
    for rank in range(13):
        if card_value(4 * rank) <= must_exceed:
            pool[rank] = 0
        size += pool[rank]
    return size


@inlined_kernel
def chance_of_none(marked: int, pool_size: int, drawn: int) -> float:
    """Return the chance that a uniform draw from a pool holds none of its marked cards."""
    if drawn > pool_size - marked:
        return 0.0
    chance = 1.0
    for place in range(drawn):
        chance *= (pool_size - marked - place) / (pool_size - place)
    return chance


@lean_kernel
def work_out_reply(
    view: View,
    slot: int,
    pool: NDArray[np.int64],
    pool_size: int,
    work: ReplyWork,
    values: NDArray[np.float64],
) -> None:
    """Write what laying the card in a slot brings and what may follow it.

    `pool` and `pool_size` come from `count_pool`; `work` is the caller's memory; `values` is a
    float64 array of shape ``(NUM_REPLY_VALUES,)``. The card has to be a legal one. The answer to a
    go is the next own card if one fits, else the point for last card (R9; none at 31).
    """
    pile, worth, tally, chance = work.pile, work.worth, work.tally, work.chance
    laid = view.plays_made - view.pile_start + 1
    for place in range(laid - 1):
        pile[place] = view.plays[view.pile_start + place]
    pile[laid - 1] = view.kept[slot]
    count = view.count + card_value(view.kept[slot])
    values[POINTS] = play_points(pile, 0, laid, count)

    for points in range(MOST_POINTS + 1):
        tally[points] = 0
        chance[points] = 0.0
    for rank in range(13):
        worth[rank] = -1
        reply_count = count + card_value(4 * rank)
        if pool[rank] > 0 and reply_count <= FULL_COUNT:
            pile[laid] = 4 * rank
            worth[rank] = play_points(pile, 0, laid + 1, reply_count)
            tally[worth[rank]] += pool[rank]

    _write_reply_chances(view, pool_size, tally, chance, values)

    answer = _best_answer(view, slot, pile, laid, count)
    if answer < 0:
        answer = 1 if count < FULL_COUNT else 0
    values[ANSWER] = values[GO_CHANCE] * answer
    for rank in range(13):
        points = worth[rank]
        if points >= 0 and chance[points] > 0.0:
            pile[laid] = 4 * rank
            answer = _best_answer(view, slot, pile, laid + 1, count + card_value(4 * rank))
            values[ANSWER] += chance[points] * pool[rank] / tally[points] * max(answer, 0)


@inlined_kernel
def _write_reply_chances(
    view: View,
    pool_size: int,
    tally: NDArray[np.int64],
    chance: NDArray[np.float64],
    values: NDArray[np.float64],
) -> None:
    """Write how likely the best reply scores how much, given the pool's cards by their points."""
    needed = view.target - view.scores[1]
    values[REPLY], values[REPLY_SCORES], values[REPLY_REACHES] = 0.0, 0.0, 0.0
    cards, at_least = 0, 0.0
    for points in range(MOST_POINTS, -1, -1):
        if tally[points] == 0:
            continue
        cards += tally[points]
        more = at_least
        at_least = 1.0 - chance_of_none(cards, pool_size, view.opponent_cards)
        chance[points] = at_least - more
        values[REPLY] += points * chance[points]
        if points > 0:
            values[REPLY_SCORES] = at_least
        if points >= needed:
            values[REPLY_REACHES] = at_least
    values[GO_CHANCE] = 1.0 - at_least


@inlined_kernel
def _best_answer(view: View, slot: int, pile: NDArray[np.int16], laid: int, count: int) -> int:
    """Return the most that one of the other cards held scores on a pile, -1 if none fits."""
    best = -1
    for other in range(4):
        card = view.kept[other]
        if other != slot and view.held[other] == 1 and count + card_value(card) <= FULL_COUNT:
            pile[laid] = card
            best = max(best, play_points(pile, 0, laid + 1, count + card_value(card)))
    return best
