"""95 % intervals of a match, with the pair of games as the unit that is independent of the others.

A win rate lies in 0..1, and the plain normal interval breaks down at its ends: ten wins out of ten
would leave no doubt at all. Agresti and Coull ("Approximate is better than 'exact' for interval
estimation of binomial proportions", The American Statistician 52, 1998) add z²/2 wins and z²/2
losses before they take the normal interval; here z²/2 *pairs* are added, shared out as two equal
players with independent games would share them. For many games that changes nothing.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

__all__ = ["Interval", "games_interval", "mean_interval", "pairs_interval"]

Interval = tuple[float, float]

_Z = NormalDist().inv_cdf(0.975)


def pairs_interval(pair_wins: tuple[int, int, int]) -> Interval:
    """Return the interval of a win rate from the numbers of pairs with 0, 1 and 2 games won.

    >>> low, high = pairs_interval((0, 0, 5))  # ten games out of ten
    >>> round(low, 2), high
    (0.64, 1.0)
    """
    added = _Z**2 / 2
    shares = (added / 4, added / 2, added / 4)
    weights = [wins + share for wins, share in zip(pair_wins, shares, strict=True)]
    size = sum(weights)
    mean = (weights[1] / 2 + weights[2]) / size
    variance = sum(w * (rate - mean) ** 2 for w, rate in zip(weights, (0, 0.5, 1), strict=True))
    return _clipped(mean, _Z * sqrt(variance) / size)


def games_interval(wins: int, games: int) -> Interval:
    """Return the interval that all games, taken as independent of one another, would give.

    >>> low, high = games_interval(10, 10)
    >>> round(low, 2), high
    (0.68, 1.0)
    """
    size = games + _Z**2
    mean = (wins + _Z**2 / 2) / size
    return _clipped(mean, _Z * sqrt(mean * (1 - mean) / size))


def mean_interval(total: float, squares: float, number: int) -> Interval | None:
    """Return the interval of a mean from the sum of its terms, of their squares, and their number.

    One term tells nothing of how terms vary: None. The normal quantile is used, which for fewer
    than about thirty terms is too narrow.

    >>> mean_interval(10.0, 20.0, 5)
    (2.0, 2.0)
    """
    if number < 2:
        return None
    mean = total / number
    variance = max(0.0, squares - total * mean) / (number - 1)
    half_width = _Z * sqrt(variance / number)
    return mean - half_width, mean + half_width


def _clipped(mean: float, half_width: float) -> Interval:
    return max(0.0, mean - half_width), min(1.0, mean + half_width)
