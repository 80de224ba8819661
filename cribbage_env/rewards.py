"""What the learner gets: one definition for every environment.

======================  =================================================================
``"score_diff"``        change of (own - opponent) score since the learner's last decision
``"win"``               1 for a win and -1 for a loss at the end, else 0; a single deal is won by
                        whoever is ahead after it, and a tie is 0
``"skunk"``             1, 2 or 3 by R20 at the end, negative for a loss, else 0
======================  =================================================================
"""

from __future__ import annotations

import numpy as np

from cribbage_env.engine.compile import inlined_kernel
from cribbage_env.engine.layout import DEAL_OVER, GAME_OVER, Lane

__all__ = ["REWARDS", "margin_of", "reward_code", "reward_of", "skunk_of"]

REWARDS = ("score_diff", "win", "skunk")
"""The names of the rewards; the index is the code that kernels take."""

SCORE_DIFF, WIN, SKUNK = range(3)


def reward_code(name: str) -> int:
    """Return the code of a reward.

    Raises:
        ValueError: no such reward.

    >>> reward_code("win")
    1
    """
    if name not in REWARDS:
        raise ValueError(f"reward must be one of {', '.join(map(repr, REWARDS))}, not {name!r}")
    return REWARDS.index(name)


@inlined_kernel
def margin_of(lane: Lane) -> int:
    """Return seat 0's score less seat 1's."""
    return int(lane.scores[0]) - int(lane.scores[1])


@inlined_kernel
def skunk_of(lane: Lane) -> int:
    """Return 0, or 1 for a skunk and 2 for a double skunk of a game that was won (R20)."""
    loser = min(lane.scores[0], lane.scores[1])
    if lane.target > 61 and loser <= lane.target - 61:
        return 2
    return 1 if lane.target > 31 and loser <= lane.target - 31 else 0


@inlined_kernel
def reward_of(lane: Lane, code: int, margin_before: int, is_forfeit: bool) -> float:
    """Return seat 0's reward since the score stood at `margin_before`; a forfeit is no skunk."""
    margin = margin_of(lane)
    if code == SCORE_DIFF:
        return float(margin - margin_before)
    if lane.phase != GAME_OVER and lane.phase != DEAL_OVER:
        return 0.0
    size = 1.0
    if code == SKUNK and lane.phase == GAME_OVER and not is_forfeit:
        size += skunk_of(lane)
    return float(size * np.sign(margin))
