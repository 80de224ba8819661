"""What strong play looks like in numbers: the club player against itself, in published ranges.

The first four deals of each game count, which the end of the game doesn't bias. A player without
randomness plays both games of a duplicate pair alike, so a match has half as many distinct games.
"""

from __future__ import annotations

import pytest

from agents.published import MEANS
from cribbage_env.match import MatchResult, play_match

Range = tuple[float, float]

PUBLISHED: dict[str, Range] = {
    "dealer": MEANS["dealer", "total"],
    "dealer's hand": MEANS["dealer", "hand"],
    "crib": MEANS["dealer", "crib"],
    "dealer's play": MEANS["dealer", "play"],
    "pone": MEANS["pone", "total"],
    "pone's hand": MEANS["pone", "hand"],
    "pone's play": MEANS["pone", "play"],
    "heels": (1 / 13 - 0.002, 1 / 13 + 0.002),
    "first dealer wins": (0.545, 0.575),
    "deals": (8.9, 9.3),
    "skunks": (0.11, 0.145),
}


def measured(result: MatchResult) -> dict[str, float]:
    """Return the numbers of a match of a player against itself, by name."""
    points, totals = result.points_per_deal["a"], result.totals
    assert points == result.points_per_deal["b"]
    return {
        "dealer": points["dealer"]["total"],
        "dealer's hand": points["dealer"]["hand"],
        "crib": points["dealer"]["crib"],
        "dealer's play": points["dealer"]["play"],
        "pone": points["pone"]["total"],
        "pone's hand": points["pone"]["hand"],
        "pone's play": points["pone"]["play"],
        "heels": points["dealer"]["heels"] / 2,  # two points each
        "first dealer wins": totals.first_dealer_wins / result.games,
        "deals": totals.deals / result.games,
        "skunks": sum(totals.skunks) / result.games,
    }


def check(found: dict[str, float], slack: float) -> None:
    """Compare with the published ranges, made wider to both sides by `slack` of the middle."""
    for name, (low, high) in PUBLISHED.items():
        middle = (low + high) / 2
        assert low - slack * middle <= found[name] <= high + slack * middle, name


def test_a_few_games_are_roughly_like_it() -> None:
    result = play_match("club", "club", games=2000, seed=2)
    assert result.totals.distinct_games == 1000
    assert result.win_rate_a == 0.5
    check(measured(result), slack=0.1)


@pytest.mark.slow
def test_sixty_thousand_games_are_in_the_published_ranges() -> None:
    result = play_match("club", "club", games=120_000, seed=1)
    assert result.totals.distinct_games == 60_000
    check(measured(result), slack=0.0)
