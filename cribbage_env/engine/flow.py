"""The flow of a game: is an action legal, apply it, deal on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribbage_env.engine.card import card_value
from cribbage_env.engine.compile import inlined_kernel, lean_kernel
from cribbage_env.engine.deal import discard
from cribbage_env.engine.layout import (
    ALREADY_OVER,
    DISCARD,
    DONE,
    ILLEGAL,
    LOG_ACTION,
    PLAY,
    Lane,
    Log,
    View,
)
from cribbage_env.engine.play import FULL_COUNT, lay
from cribbage_env.engine.tables import Book

__all__ = ["FIRST_PLAY", "decision_number", "is_legal", "step", "write_mask"]

FIRST_PLAY = 15
"""The first of the four play actions."""
NUM_ACTIONS = 19


@inlined_kernel
def is_legal(lane: Lane, action: int) -> bool:
    """Tell whether the seat to act may take an action 0..18."""
    if lane.phase == DISCARD:
        return 0 <= action < FIRST_PLAY
    if lane.phase != PLAY or action < FIRST_PLAY or action >= NUM_ACTIONS:
        return False
    slot = action - FIRST_PLAY
    if lane.held[lane.turn, slot] == 0:
        return False
    return lane.count + card_value(lane.kept[lane.turn, slot]) <= FULL_COUNT


@lean_kernel
def step(lane: Lane, action: int, book: Book, log: Log) -> int:
    """Take the action of the seat to act and do all that is forced after it.

    Returns DONE, ILLEGAL or ALREADY_OVER; in the last two cases nothing has changed. A deal that
    ends without a winner stays at DEAL_OVER until the caller begins the next one.
    """
    if lane.phase != DISCARD and lane.phase != PLAY:
        return ALREADY_OVER
    if not is_legal(lane, action):
        return ILLEGAL
    row = log[0, 0] + 1 if log.shape[0] > 0 else 0  # of the event that is the action itself
    if lane.phase == DISCARD:
        discard(lane, action, book, log)
    else:
        lay(lane, action - FIRST_PLAY, book, log)
    if log.shape[0] > 0:
        log[row, LOG_ACTION] = action + 1
    return DONE


@inlined_kernel
def decision_number(lane: Lane, seat: int) -> int:
    """Return how many decisions a seat has made in this deal: 0 at its discard, then 1..4."""
    if lane.discards[seat, 0] < 0:
        return 0
    held = 0
    for slot in range(4):
        held += lane.held[seat, slot]
    return 5 - held


@inlined_kernel
def write_mask(view: View, mask: NDArray[np.int8]) -> None:
    """Write the legal actions of a view into an int8 array of shape ``(19,)``."""
    is_discard = view.is_on_turn == 1 and view.phase == DISCARD
    is_play = view.is_on_turn == 1 and view.phase == PLAY
    for action in range(FIRST_PLAY):
        mask[action] = 1 if is_discard else 0
    for slot in range(4):
        fits = view.count + card_value(view.kept[slot]) <= FULL_COUNT
        mask[FIRST_PLAY + slot] = view.held[slot] if is_play and fits else 0
