"""A part of a match: some of its pairs of games, played at once in one process."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from cribbage_env.match import MatchSettings, MatchTotals
from cribbage_env.match.play import play_batch
from cribbage_env.match.totals import count_pairs
from cribbage_env.policy import Policy

__all__ = ["PlayedPart", "play_part"]


@dataclass(frozen=True)
class PlayedPart:
    """What the pairs of a part count together, and each by itself.

    The totals say how strong a is against b. How exactly ratings over several matches are known
    depends on each pair, as all matches have the same deals (see `agents.ratings`).
    """

    totals: MatchTotals = field(default_factory=MatchTotals)
    pair_wins: str = ""
    """For each pair in order a digit, the number of its two games that a won."""
    seconds: float = 0.0
    """Time that the games took in the process that played them."""

    def __add__(self, later: PlayedPart) -> PlayedPart:
        """Return the part that consists of this one and the one that follows it."""
        return PlayedPart(
            self.totals + later.totals,
            self.pair_wins + later.pair_wins,
            self.seconds + later.seconds,
        )


def play_part(a: Policy, b: Policy, first: int, stop: int, settings: MatchSettings) -> PlayedPart:
    """Play the pairs `first` to `stop`-1 of a match, all side by side.

    Raises:
        ValueError: a player chose an illegal action, or answered in a wrong shape.
        TypeError: a player's answer is not integers.

    >>> from cribbage_env import make_policy
    >>> club, random = make_policy("club"), make_policy("random")
    >>> part = play_part(club, random, 0, 10, MatchSettings(games=40, seed=1))
    >>> part.pair_wins, part.totals.pair_wins
    ('2222222222', (0, 0, 10))
    """
    begun = time.perf_counter()
    lanes = play_batch(a, b, first, stop, seed=settings.seed, target=settings.target)
    winner, pairs = lanes.states["winner"], stop - first
    wins = (winner[:pairs] == 0).astype(np.int64) + (winner[pairs:] == 1)
    return PlayedPart(count_pairs(lanes), "".join(map(str, wins)), time.perf_counter() - begun)
