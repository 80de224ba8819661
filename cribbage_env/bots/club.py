"""`club`: exact expected values for the discard, points now less the expected reply in the play.

The discard keeps the highest mean of the hand over all unseen starters, with the mean crib of the
two cards thrown added (own crib) or taken off (theirs). In the play a card is worth its points,
less what the reply is expected to score, and with what the own answer is; what the opponent may
hold is a uniform draw from the unseen cards. A card that reaches the target is laid before any
other, and fives and tens are held back from a lead, as players are taught.
"""

from __future__ import annotations

import numpy as np

from cribbage_env.engine import expectation, reply
from cribbage_env.engine.card import card_rank, card_value
from cribbage_env.engine.compile import inlined_kernel, kernel, lean_kernel
from cribbage_env.engine.expectation import write_discard_values
from cribbage_env.engine.flow import FIRST_PLAY
from cribbage_env.engine.layout import DISCARD, View
from cribbage_env.engine.play import FULL_COUNT
from cribbage_env.engine.reply import REPLY_WORK, count_pool, work_out_reply
from cribbage_env.engine.tables import Book

__all__ = ["choose_club"]

FIVE = 4
NUM_DISCARDS = 15


@lean_kernel
def choose_club(view: View, book: Book) -> int:
    """Return the action of the club player for the seat whose view this is."""
    if view.phase == DISCARD:
        return _choose_discard(view, book)
    return _choose_play(view)


@kernel
def _choose_discard(view: View, book: Book) -> int:
    values = np.empty((NUM_DISCARDS, expectation.NUM_VALUES))
    write_discard_values(view.dealt, view.is_dealer == 1, book, values)
    best = 0
    for action in range(1, NUM_DISCARDS):
        if values[action, expectation.TOTAL] > values[best, expectation.TOTAL]:
            best = action
    return best


@kernel
def _choose_play(view: View) -> int:
    pool = np.empty(13, np.int64)
    pool_size = count_pool(view, pool)
    values = np.empty(reply.NUM_REPLY_VALUES)
    work = np.empty(1, REPLY_WORK)
    needed = view.target - view.scores[0]
    best, best_worth = -1, -1000.0
    for slot in range(4):
        card = view.kept[slot]
        if view.held[slot] == 0 or view.count + card_value(card) > FULL_COUNT:
            continue
        work_out_reply(view, slot, pool, pool_size, work[0], values)
        if values[reply.POINTS] >= needed:
            return FIRST_PLAY + slot
        worth = values[reply.POINTS] - values[reply.REPLY] + values[reply.ANSWER]
        if view.count == 0:
            worth -= _lead_penalty(card)
        if worth > best_worth:
            best, best_worth = slot, worth
    return FIRST_PLAY + best


@inlined_kernel
def _lead_penalty(card: int) -> float:
    """Return what the usual advice holds against a lead: much against a five, a little a ten."""
    if card_rank(card) == FIVE:
        return 2.0
    return 0.5 if card_value(card) == 10 else 0.0
