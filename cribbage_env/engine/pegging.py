"""Scores, pegs and the log: the one place where points are added and a game is won (R19)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribbage_env.engine import layout
from cribbage_env.engine.compile import inlined_kernel, lean_kernel
from cribbage_env.engine.layout import GAME_OVER, NOBODY, Lane, Log

__all__ = ["forfeit", "record", "score_points"]


@inlined_kernel
def record(
    log: Log, kind: int, player: int, points: int, lane: Lane, cards: NDArray[np.int16]
) -> None:
    """Append an event to the log, if there is one."""
    if log.shape[0] == 0:
        return
    row = log[0, 0] + 1
    log[0, 0] = row
    log[row, layout.LOG_KIND] = kind
    log[row, layout.LOG_PLAYER] = player
    log[row, layout.LOG_POINTS] = points
    log[row, layout.LOG_SCORE_0] = lane.scores[0]
    log[row, layout.LOG_SCORE_1] = lane.scores[1]
    log[row, layout.LOG_STARTER] = lane.starter
    log[row, layout.LOG_ACTION] = 0
    log[row, layout.LOG_SIZE] = cards.shape[0]
    for place in range(cards.shape[0]):
        log[row, layout.LOG_CARDS + place] = cards[place]


@inlined_kernel
def score_points(
    lane: Lane, seat: int, points: int, source: int, log: Log, kind: int, cards: NDArray[np.int16]
) -> None:
    """Peg what a combination is worth and record it; reaching the target ends the game (R19)."""
    if points > 0:
        lane.points[seat, source] += points
        lane.rear[seat] = lane.scores[seat]
        lane.scores[seat] = min(lane.scores[seat] + points, lane.target)
    record(log, kind, seat, points, lane, cards)
    if lane.scores[seat] >= lane.target:
        lane.phase = GAME_OVER
        lane.turn = NOBODY
        lane.winner = seat
        record(log, layout.WIN, seat, 0, lane, cards[:0])


@lean_kernel
def forfeit(lane: Lane, seat: int, log: Log) -> None:
    """End the game against a seat that acted illegally: the other is credited with the target."""
    winner = 1 - seat
    record(log, layout.FORFEIT, seat, 0, lane, lane.plays[:0])
    lane.rear[winner] = lane.scores[winner]
    lane.scores[winner] = lane.target
    lane.phase = GAME_OVER
    lane.turn = NOBODY
    lane.winner = winner
    record(log, layout.WIN, winner, 0, lane, lane.plays[:0])
