"""Duplicate matches against the cheat that sees all cards: what perfect information is worth."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots.peek import choose_peek
from cribbage_env.engine.compile import kernel
from cribbage_env.engine.layout import DISCARD, NO_LOG, PLAY, Log, States
from cribbage_env.lanes import CALLER
from cribbage_env.match.play import BATCH_SIZE, MatchSettings, begin_pairs, name_of
from cribbage_env.match.result import MatchResult
from cribbage_env.match.totals import MatchTotals, count_pairs
from cribbage_env.policy import Policy, PolicyLike, make_policy

__all__ = ["play_against_peek"]


def play_against_peek(
    player: PolicyLike,
    *,
    games: int,
    seed: int = 0,
    target: int = 121,
    batch_size: int = BATCH_SIZE,
    in_discard: bool = True,
    in_play: bool = True,
) -> MatchResult:
    """Play a duplicate match of the cheat, as player a, against a player; settings as a match's.

    The cheat is no player that could be asked for anywhere else. `in_discard` and `in_play` say
    where it looks at the hidden cards; elsewhere it plays as `club` does.

    Raises:
        ValueError: an unknown player or a bad value; or the player chose an illegal action.
        TypeError: a value of the wrong type.

    >>> result = play_against_peek("greedy", games=20)
    >>> result.a, result.win_rate_a > 0.8
    ('peek', True)
    """
    policy = make_policy(player)
    settings = MatchSettings(games, seed, target, batch_size)
    looks = bool(in_discard), bool(in_play)
    _play_batch(policy, looks, 0, 0, settings)  # loads the kernels, which are not timed
    begun = time.perf_counter()
    totals = MatchTotals()
    for first in range(0, games // 2, batch_size // 2):
        stop = min(games // 2, first + batch_size // 2)
        totals += _play_batch(policy, looks, first, stop, settings)
    return MatchResult("peek", name_of(player), seed, target, totals, time.perf_counter() - begun)


def _play_batch(
    policy: Policy, looks: tuple[bool, bool], first: int, stop: int, settings: MatchSettings
) -> MatchTotals:
    lanes = begin_pairs(
        [policy], (CALLER, 0), first, stop, seed=settings.seed, target=settings.target
    )
    actions = np.empty(len(lanes.states), np.int64)
    while True:
        lanes.play_on()
        _choose(lanes.states, *looks, lanes.book, NO_LOG, actions)
        if (actions < 0).all():
            return count_pairs(lanes)
        lanes.step(actions)


@kernel
def _choose(
    states: States,
    in_discard: bool,
    in_play: bool,
    book: NDArray[Any],
    log: Log,
    actions: NDArray[np.int64],
) -> None:
    """Write the cheat's action in each lane that isn't over, else -1."""
    for i in range(states.shape[0]):
        actions[i] = -1
        if states[i].phase == DISCARD or states[i].phase == PLAY:
            actions[i] = choose_peek(states, i, in_discard, in_play, book, log)
