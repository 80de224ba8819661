"""What comes out of a match, and as what it is written down."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from cribbage_env.match.intervals import Interval, games_interval, mean_interval, pairs_interval
from cribbage_env.match.totals import MatchTotals

__all__ = ["MatchResult"]

ROLES = ("pone", "dealer")
SOURCES = ("hand", "crib", "play", "heels")
SOURCES_OF = {"dealer": SOURCES, "pone": ("hand", "play")}


@dataclass(frozen=True)
class MatchResult:
    """A match of players `a` and `b`, named as they were asked for."""

    a: str
    b: str
    seed: int
    target: int
    totals: MatchTotals
    seconds: float
    """Time that the games took."""

    @property
    def games(self) -> int:
        """Games played: two for each set of deals."""
        return self.totals.games

    @property
    def win_rate_a(self) -> float:
        """Share of the games that a won, 0..1."""
        return self.totals.wins_a / self.games

    @property
    def interval(self) -> Interval:
        """The 95 % interval of a's win rate, from the pairs."""
        return pairs_interval(self.totals.pair_wins)

    @property
    def half_width(self) -> float:
        """Half the width of `interval`."""
        low, high = self.interval
        return (high - low) / 2

    @property
    def naive_interval(self) -> Interval:
        """The 95 % interval as if no two games had the same deals."""
        return games_interval(self.totals.wins_a, self.games)

    @property
    def margin_a(self) -> float:
        """Points by which a led at the end, a game."""
        return self.totals.margin / self.games

    @property
    def margin_interval(self) -> Interval | None:
        """The 95 % interval of the margin, from the pairs; None with a single pair."""
        totals = self.totals
        return mean_interval(totals.margin / 2, totals.margin_squares / 4, totals.pairs)

    @property
    def games_per_second(self) -> float:
        """Games by the time they took."""
        return self.games / self.seconds if self.seconds > 0 else 0.0

    @property
    def points_per_deal(self) -> dict[str, dict[str, dict[str, float]]]:
        """Mean points of a deal by player, role and source, over the first four of each game."""
        return {
            player: {role: self._points(index, role) for role in ("dealer", "pone")}
            for index, player in enumerate("ab")
        }

    def _points(self, player: int, role: str) -> dict[str, float]:
        deals = max(1, self.totals.tallied_deals[player][ROLES.index(role)])
        points = self.totals.points[player][ROLES.index(role)]
        means = {name: points[SOURCES.index(name)] / deals for name in SOURCES_OF[role]}
        return {**means, "total": sum(points) / deals}

    def swapped(self) -> MatchResult:
        """Return the same match as b's against a."""
        return replace(self, a=self.b, b=self.a, totals=self.totals.swapped())

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON holds of a match; counts are over all games, rates are fractions.

        ``skunks_a`` counts the games that a won with a skunk, double ones included.
        """
        totals = self.totals
        margin_interval = self.margin_interval
        return {
            "a": self.a,
            "b": self.b,
            "games": self.games,
            "wins_a": totals.wins_a,
            "win_rate_a": self.win_rate_a,
            "interval": list(self.interval),
            "naive_interval": list(self.naive_interval),
            "margin_a": self.margin_a,
            "margin_interval": None if margin_interval is None else list(margin_interval),
            "deals": totals.deals,
            "decisions": totals.decisions,
            "distinct_games": totals.distinct_games,
            "first_dealer_wins": totals.first_dealer_wins,
            "skunks_a": totals.skunks[0],
            "skunks_b": totals.skunks[1],
            "double_skunks_a": totals.double_skunks[0],
            "double_skunks_b": totals.double_skunks[1],
            "points_per_deal": self.points_per_deal,
            "seed": self.seed,
            "target": self.target,
            "seconds": self.seconds,
            "games_per_second": self.games_per_second,
        }
