"""Duplicate matches between any two players: same deals, seats swapped, honest intervals.

`play_match` plays one and returns a `MatchResult`; `play_pairs` plays some of its pairs of games
and returns `MatchTotals`, which add up, so that a match can be cut up or gone on with.
`measure_losses` compares a player's choices with the analysis, and `play_against_peek` shows what
it would be worth to see all cards. `record_games` gives the games of a match one by one, and
`count_points` says how often a deal of it brings how many points.
"""

from __future__ import annotations

from cribbage_env.match.distributions import PointCounts, count_points
from cribbage_env.match.losses import Losses, measure_losses
from cribbage_env.match.peek import play_against_peek
from cribbage_env.match.play import MatchSettings, play_match, play_pairs
from cribbage_env.match.records import record_games
from cribbage_env.match.result import MatchResult
from cribbage_env.match.totals import MatchTotals

__all__ = [
    "Losses",
    "MatchResult",
    "MatchSettings",
    "MatchTotals",
    "PointCounts",
    "count_points",
    "measure_losses",
    "play_against_peek",
    "play_match",
    "play_pairs",
    "record_games",
]
