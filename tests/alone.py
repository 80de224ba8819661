"""One lane alone, played plainly: each decision by its player as a policy, from what it is told."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribbage_env.engine.chance import decision_key
from cribbage_env.engine.deal import begin_deal
from cribbage_env.engine.flow import step, write_mask
from cribbage_env.engine.layout import (
    DEAL_OVER,
    DISCARD,
    GAME_OVER,
    NO_CARD,
    NO_LOG,
    PLAY,
    STATE,
)
from cribbage_env.lanes import CALLER
from cribbage_env.observation import size
from cribbage_env.policy import Policy
from tests.positions import BOOK, random_states, view_of, write_row


@cache
def states_met() -> NDArray[Any]:
    """Return states from random games of several deals, some of them over."""
    return np.array([*random_states(120, 1, 61)], STATE)


def take(lane: Any, action: int, tally: NDArray[np.int64], is_one_deal: bool) -> None:
    """Take an action; where it ends a deal, count what the deal brought and begin the next."""
    assert step(lane, action, BOOK, NO_LOG) == 0
    if lane.phase not in (DEAL_OVER, GAME_OVER):
        return
    if lane.deals in (1, 2, 3, 4):
        tally[lane.dealer, 1] += lane.points[lane.dealer]
        tally[1 - lane.dealer, 0] += lane.points[1 - lane.dealer]
    if lane.phase == DEAL_OVER and not is_one_deal:
        begin_deal(lane, NO_LOG)


def told(lane: Any, seat: int, kind: str) -> tuple[Any, Any, Any]:
    """Return what a seat is told at a decision: observation, mask and key, a row of each."""
    view = view_of(lane, seat)
    row, mask = np.zeros((1, size(kind)), np.float32), np.zeros((1, 19), np.int8)
    write_row(view, kind, row[0])
    write_mask(view, mask[0])
    laid = int((lane.play_seats == seat).sum())
    number = 0 if lane.discards[seat, 0] == NO_CARD else 1 + laid
    key = decision_key(lane.seed, lane.game, lane.deals, seat, number)
    return row, mask, np.array([key], np.uint64)


def play_alone(
    lane: Any, seats: Any, players: list[Policy], tally: NDArray[np.int64], is_one_deal: bool
) -> None:
    """Ask the players of a lane, one decision at a time, until the caller's turn or the end."""
    while lane.phase in (DISCARD, PLAY) and seats[lane.turn] != CALLER:
        player = players[seats[lane.turn]]
        (action,) = player.act(*told(lane, lane.turn, player.observation))
        take(lane, int(action), tally, is_one_deal)
