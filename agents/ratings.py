"""Ratings of players by all their matches: Bradley–Terry strengths, shown as Elo.

The model (Bradley and Terry, "Rank analysis of incomplete block designs", Biometrika 39, 1952)
gives each player a strength, and a beats b with the probability 1 / (1 + exp(b's − a's)). The
strengths are those of maximum likelihood, with a small prior: to each match one pair of games is
added, shared out as two equal players would share it (a win and a loss), so that a player that won
every game is still rated. A difference of 400 points of Elo are odds of ten to one.

How exactly a rating is known comes from the duplicate pairs. All matches have the same deals, so
that the results of pair k in different matches go together: two players that play alike do well
against a third in the same deals. The unit that is independent of the others is therefore the deal
sequence k with all games that were played on it, and the covariance is the clustered sandwich
estimate (White, "Maximum likelihood estimation of misspecified models", Econometrica 50, 1982),
which doesn't need the model to be true either.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ANCHOR", "PairWins", "Rating", "expected_score", "rate"]

ANCHOR = "random"
"""The player whose rating is 0 where it takes part."""

PRIOR_PAIRS = 1.0
PRIOR_SHARES = np.array([0.25, 0.5, 0.25])
"""How two equal players would share pairs out: a wins 0, 1 and 2 games."""

RATES = np.array([0.0, 0.5, 1.0])

_ELO = 400 / log(10)
_Z = NormalDist().inv_cdf(0.975)
_MOST_STEPS = 200

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PairWins:
    """The pairs of a match: ``wins[k]`` of the two games of pair k were won by a."""

    a: str
    b: str
    wins: NDArray[np.int8]


@dataclass(frozen=True)
class Rating:
    """A player's rating with its 95 % interval, and the games that it comes from."""

    player: str
    elo: float
    interval: tuple[float, float]
    games: int
    win_rate: float
    """Share of its games that it won."""

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON holds of a rating."""
        return {
            "player": self.player,
            "elo": self.elo,
            "interval": list(self.interval),
            "games": self.games,
            "win_rate": self.win_rate,
        }


def expected_score(elo: float, other: float) -> float:
    """Return the share of games that a player is expected to win against another.

    >>> round(expected_score(1400, 1000), 3)
    0.909
    """
    return 1 / (1 + 10 ** ((other - elo) / 400))


def rate(
    matches: Iterable[PairWins], *, anchor: str = ANCHOR, prior_pairs: float = PRIOR_PAIRS
) -> list[Rating]:
    """Rate all players that have met another, the strongest first.

    The `anchor` has the rating 0; where it didn't play, the mean of all is 0. A match of a player
    against itself, and a second one between the same two, which has the same games, count nothing.

    Raises:
        ValueError: two groups of players never met, not even by way of others.

    >>> wins = np.array([2, 1, 2, 2, 1, 0, 2, 1, 2], np.int8)
    >>> [(one.player, round(one.elo)) for one in rate([PairWins("club", "random", wins)])]
    [('club', 147), ('random', 0)]
    """
    distinct = _distinct(matches)
    players = list(dict.fromkeys(name for match in distinct for name in (match.a, match.b)))
    if not players:
        return []
    _check_connected(distinct)
    places = np.array([[players.index(one.a), players.index(one.b)] for one in distinct])
    counts = np.array([np.bincount(one.wins, minlength=3) for one in distinct], float)
    counts += prior_pairs * PRIOR_SHARES
    reference = players.index(anchor) if anchor in players else None
    strengths, information = _fit(len(players), places, counts)
    scatter = _scatter(len(players), distinct, places, counts, prior_pairs)
    # The information is singular, as strengths are known up to a constant: one is held fixed.
    kept = [place for place in range(len(players)) if place != (reference or 0)]
    covariance = np.zeros_like(information)
    bread = np.linalg.inv(information[np.ix_(kept, kept)])
    covariance[np.ix_(kept, kept)] = bread @ scatter[np.ix_(kept, kept)] @ bread
    if reference is None:
        centring = np.eye(len(players)) - 1 / len(players)
        covariance = centring @ covariance @ centring
        strengths = strengths - strengths.mean()
    else:
        strengths = strengths - strengths[reference]
    half_widths = _Z * np.sqrt(np.maximum(0.0, np.diag(covariance)))
    ratings = [
        _rating(name, elo, half_width, distinct)
        for name, elo, half_width in zip(players, _ELO * strengths, _ELO * half_widths, strict=True)
    ]
    return sorted(ratings, key=lambda one: (-one.elo, one.player))


def _rating(name: str, elo: float, half_width: float, matches: Sequence[PairWins]) -> Rating:
    games = sum(2 * len(one.wins) for one in matches if name in (one.a, one.b))
    wins = sum(
        int(one.wins.sum()) if name == one.a else 2 * len(one.wins) - int(one.wins.sum())
        for one in matches
        if name in (one.a, one.b)
    )
    interval = float(elo - half_width), float(elo + half_width)
    return Rating(name, float(elo), interval, games, wins / games)


def _distinct(matches: Iterable[PairWins]) -> list[PairWins]:
    """Return one match for every two players that met, the longest."""
    found: dict[frozenset[str], PairWins] = {}
    for match in matches:
        both = frozenset((match.a, match.b))
        if len(both) == 2 and len(match.wins) > (len(found[both].wins) if both in found else 0):
            found[both] = match
    return list(found.values())


def _check_connected(matches: Sequence[PairWins]) -> None:
    groups: list[set[str]] = []
    for match in matches:
        met = {match.a, match.b}
        for group in [group for group in groups if group & met]:
            met |= group
            groups.remove(group)
        groups.append(met)
    if len(groups) > 1:
        described = " and ".join(", ".join(sorted(group)) for group in groups)
        raise ValueError(f"players that never met can't be rated together: {described}")


def _fit(number: int, places: NDArray[np.int64], counts: Floats) -> tuple[Floats, Floats]:
    """Return the strengths of maximum likelihood, the first 0, and the information about them.

    `places` are the players of each match, `counts` its pairs of which a won 0, 1 and 2 games.
    """
    weights = counts.sum(axis=1)
    scores = counts @ RATES

    def likelihood(strengths: Floats) -> float:
        ahead = strengths[places[:, 0]] - strengths[places[:, 1]]
        return float(scores @ ahead - weights @ np.logaddexp(0.0, ahead))

    strengths = np.zeros(number)
    for _ in range(_MOST_STEPS):
        ahead = strengths[places[:, 0]] - strengths[places[:, 1]]
        expected = 1 / (1 + np.exp(-ahead))
        slope = np.zeros(number)
        np.add.at(slope, places[:, 0], scores - weights * expected)
        np.add.at(slope, places[:, 1], weights * expected - scores)
        information = _laplacian(number, places, weights * expected * (1 - expected))
        step = np.zeros(number)
        step[1:] = np.linalg.solve(information[1:, 1:], slope[1:])
        # Newton's step may overshoot where a player wins nearly always; uphill it leads anyway.
        size, before = 1.0, likelihood(strengths)
        while likelihood(strengths + size * step) < before and size > 1e-9:
            size /= 2
        strengths = strengths + size * step
        if np.abs(step).max() < 1e-10:
            break
    return strengths, information


def _laplacian(number: int, places: NDArray[np.int64], weights: Floats) -> Floats:
    """Return the sum over matches of weight × (e_a − e_b)(e_a − e_b)ᵀ."""
    matrix = np.zeros((number, number))
    for (a, b), weight in zip(places, weights, strict=True):
        matrix[[a, b], [a, b]] += weight
        matrix[[a, b], [b, a]] -= weight
    return matrix


def _scatter(
    number: int,
    matches: Sequence[PairWins],
    places: NDArray[np.int64],
    counts: Floats,
    prior_pairs: float,
) -> Floats:
    """Return the covariance of the likelihood's slope, the pairs with the same deals as one."""
    means = counts @ RATES / counts.sum(axis=1)
    slopes = np.zeros((max(len(one.wins) for one in matches), number))
    for one, (a, b), mean in zip(matches, places, means, strict=True):
        residuals = one.wins / 2 - mean
        slopes[: len(residuals), a] += residuals
        slopes[: len(residuals), b] -= residuals
    prior = prior_pairs * ((RATES - means[:, None]) ** 2) @ PRIOR_SHARES
    return slopes.T @ slopes + _laplacian(number, places, prior)
