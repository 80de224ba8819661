"""Ratings: solved by hand, symmetric, and with intervals that hold what they say."""

from __future__ import annotations

from itertools import combinations
from math import log10, sqrt
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agents.ratings import PairWins, Rating, expected_score, rate

Z = 1.959964


def pairs(none: int, one: int, two: int) -> NDArray[Any]:
    return np.repeat(np.array([0, 1, 2], np.int8), (none, one, two))


def by_name(ratings: list[Rating]) -> dict[str, Rating]:
    return {rating.player: rating for rating in ratings}


def elos(ratings: list[Rating]) -> dict[str, float]:
    return {rating.player: rating.elo for rating in ratings}


def round_robin(
    strengths: dict[str, float], number: int, rng: np.random.Generator, *, shared: float = 0.0
) -> list[PairWins]:
    """Draw all matches; so often as `shared` says a game has the luck of its deal sequence."""
    luck = rng.random((2, number))
    matches = []
    for a, b in combinations(strengths, 2):
        own = rng.random((2, number))
        drawn = np.where(rng.random((2, number)) < shared, luck, own)
        wins = (drawn < expected_score(strengths[a], strengths[b])).sum(axis=0)
        matches.append(PairWins(a, b, wins.astype(np.int8)))
    return matches


# ---- solved by hand ----------------------------------------------------------------------------


@pytest.mark.parametrize("wins", [(3, 10, 20), (20, 10, 3), (0, 0, 40), (1, 0, 0)])
def test_two_players(wins: tuple[int, int, int]) -> None:
    ratings = by_name(rate([PairWins("club", "random", pairs(*wins))]))
    number = sum(wins)
    won = wins[1] + 2 * wins[2]
    # One pair is added, shared out as equal players would: a win and a loss.
    rate_of = (won + 1) / (2 * number + 2)
    assert ratings["club"].elo == pytest.approx(400 * log10(rate_of / (1 - rate_of)))
    weights = np.array(wins) + np.array([0.25, 0.5, 0.25])
    variance = weights @ (np.array([0, 0.5, 1]) - rate_of) ** 2 / (number + 1) ** 2
    slope = 400 / np.log(10) / (rate_of * (1 - rate_of))
    low, high = ratings["club"].interval
    assert (high - low) / 2 == pytest.approx(Z * slope * sqrt(variance), rel=1e-5)
    assert (high + low) / 2 == pytest.approx(ratings["club"].elo)
    assert (ratings["random"].elo, ratings["random"].interval) == (0.0, (0.0, 0.0))
    assert ratings["club"].games == ratings["random"].games == 2 * number
    assert ratings["club"].win_rate == pytest.approx(won / (2 * number))
    assert ratings["random"].win_rate == pytest.approx(1 - won / (2 * number))


def test_wins_that_are_exactly_as_strengths_say() -> None:
    matches = [
        PairWins("b", "random", pairs(10, 0, 20)),  # 2 to 1
        PairWins("c", "random", pairs(6, 0, 24)),  # 4 to 1
        PairWins("c", "b", pairs(0, 20, 10)),  # 2 to 1
    ]
    found = elos(rate(matches, prior_pairs=0))
    assert found == pytest.approx({"random": 0, "b": 400 * log10(2), "c": 400 * log10(4)})
    assert rate(matches)[0].player == "c"
    # The prior is small.
    assert elos(rate(matches)) == pytest.approx(found, abs=12)


def test_every_player_is_expected_to_win_what_it_won() -> None:
    strengths = {"a": 0.0, "b": 150.0, "c": -90.0, "d": 420.0, "e": 30.0}
    matches = round_robin(strengths, 40, np.random.default_rng(1))
    del matches[3:5]  # not everybody has met everybody
    found = elos(rate(matches, prior_pairs=0))
    won, expected = dict.fromkeys(strengths, 0.0), dict.fromkeys(strengths, 0.0)
    for match in matches:
        share = 2 * len(match.wins) * expected_score(found[match.a], found[match.b])
        for name, wins, hoped in (
            (match.a, match.wins.sum(), share),
            (match.b, 2 * len(match.wins) - match.wins.sum(), 2 * len(match.wins) - share),
        ):
            won[name] += wins
            expected[name] += hoped
    assert won == pytest.approx(expected)
    assert sum(found.values()) == pytest.approx(0)


def test_known_strengths_are_recovered() -> None:
    strengths = {"random": 0.0, "greedy": 620.0, "club": 790.0, "expert": 830.0}
    ratings = rate(round_robin(strengths, 20_000, np.random.default_rng(0)))
    assert [rating.player for rating in ratings] == ["expert", "club", "greedy", "random"]
    assert elos(ratings) == pytest.approx(strengths, abs=15)


# ---- symmetries --------------------------------------------------------------------------------


def assert_same(found: list[Rating], expected: list[Rating]) -> None:
    assert [one.player for one in found] == [one.player for one in expected]
    for one, other in zip(found, expected, strict=True):
        assert one.elo == pytest.approx(other.elo, abs=1e-6)
        assert one.interval == pytest.approx(other.interval, abs=1e-6)
        assert (one.games, one.win_rate) == (other.games, pytest.approx(other.win_rate))


@pytest.mark.parametrize("names", [("random", "b", "c", "d"), ("a", "b", "c", "d")])
def test_the_order_of_players_and_matches_changes_nothing(names: tuple[str, ...]) -> None:
    strengths = dict(zip(names, (0.0, 700.0, 900.0, -50.0), strict=True))
    matches = round_robin(strengths, 60, np.random.default_rng(2), shared=0.5)
    expected = rate(matches)
    assert_same(rate(matches[::-1]), expected)
    swapped = [PairWins(one.b, one.a, (2 - one.wins).astype(np.int8)) for one in matches]
    assert_same(rate(swapped), expected)
    assert_same(rate([*swapped[:3], *matches[3:]][::-1]), expected)


def test_exchanged_results_exchange_the_players() -> None:
    wins = pairs(5, 10, 30)
    one = by_name(rate([PairWins("a", "b", wins)]))
    other = by_name(rate([PairWins("b", "a", wins)]))
    assert one["a"].elo == pytest.approx(other["b"].elo)
    assert one["a"].elo == pytest.approx(-one["b"].elo)  # the mean is 0 without random
    assert one["a"].interval == pytest.approx([-bound for bound in one["b"].interval[::-1]])


def test_without_random_the_mean_is_zero() -> None:
    strengths = {"a": 0.0, "b": 100.0, "c": 300.0}
    matches = round_robin(strengths, 500, np.random.default_rng(3))
    ratings = rate(matches)
    assert sum(rating.elo for rating in ratings) == pytest.approx(0)
    assert all(rating.interval[0] < rating.elo < rating.interval[1] for rating in ratings)
    anchored = by_name(rate(matches, anchor="b"))
    assert anchored["b"].interval == (0.0, 0.0)
    for rating in ratings:
        difference = rating.elo - by_name(ratings)["b"].elo
        assert anchored[rating.player].elo == pytest.approx(difference)


def test_what_says_nothing_counts_nothing() -> None:
    matches = [PairWins("a", "b", pairs(3, 4, 9)), PairWins("b", "c", pairs(3, 9, 4))]
    expected = rate(matches)
    more = [
        PairWins("a", "a", pairs(0, 16, 0)),
        PairWins("b", "a", pairs(9, 4, 3)),  # the same games once more
        PairWins("c", "a", pairs(0, 0, 0)),
    ]
    assert_same(rate([*matches, *more]), expected)
    assert rate([]) == []
    assert rate([PairWins("a", "a", pairs(0, 3, 0))]) == []


def test_groups_that_never_met() -> None:
    matches = [PairWins("a", "b", pairs(1, 1, 1)), PairWins("c", "d", pairs(1, 1, 1))]
    with pytest.raises(ValueError, match=r"never met .*a, b and c, d"):
        rate(matches)
    assert len(rate([*matches, PairWins("d", "a", pairs(1, 0, 0))])) == 4


# ---- intervals ---------------------------------------------------------------------------------


def test_a_perfect_score_has_a_finite_rating() -> None:
    found = []
    for number in (5, 50, 5000):
        wins = pairs(0, 0, number)
        ratings = rate(
            [PairWins(a, b, wins) for a, b in (("c", "b"), ("c", "random"), ("b", "random"))]
        )
        assert [one.player for one in ratings] == ["c", "b", "random"]
        assert all(np.isfinite([one.elo, *one.interval]).all() for one in ratings)
        low, high = ratings[0].interval
        assert high - low > 300
        found.append(ratings[0].elo)
    assert found == sorted(found)


@pytest.mark.parametrize("shared", [0.0, 0.9])
@pytest.mark.parametrize("names", [("random", "x", "y", "z"), ("w", "x", "y", "z")])
def test_an_interval_holds_the_truth_as_often_as_it_says(
    names: tuple[str, ...], shared: float
) -> None:
    strengths = dict(zip(names, (0.0, 300.0, 330.0, 420.0), strict=True))
    shift = 0.0 if names[0] == "random" else sum(strengths.values()) / 4
    rng = np.random.default_rng(4)
    runs, held = 300, dict.fromkeys(names, 0)
    for _ in range(runs):
        for rating in rate(round_robin(strengths, 150, rng, shared=shared)):
            low, high = rating.interval
            held[rating.player] += low <= strengths[rating.player] - shift <= high
    if names[0] == "random":
        assert held.pop("random") == runs
    for count in held.values():
        assert 0.91 < count / runs < 0.985


def test_pairs_with_the_same_deals_go_together() -> None:
    wins = np.random.default_rng(5).permutation(pairs(40, 60, 200))
    other = np.random.default_rng(6).permutation(wins)
    even = PairWins("x", "y", np.random.default_rng(7).permutation(pairs(75, 150, 75)))

    def half_width(second: NDArray[Any]) -> float:
        matches = [PairWins("x", "random", wins), PairWins("y", "random", second), even]
        low, high = by_name(rate(matches))["x"].interval
        return (high - low) / 2

    # Two players that do well in the same deals: their common rating is known less exactly.
    assert half_width(wins) > 1.2 * half_width(other)
    assert half_width(wins[::-1]) == pytest.approx(half_width(other), rel=0.1)


def test_matches_of_different_length() -> None:
    strengths = {"random": 0.0, "b": 100.0, "c": 150.0}
    matches = round_robin(strengths, 4000, np.random.default_rng(8))
    short = [
        PairWins(one.a, one.b, one.wins[: 400 * place]) for place, one in enumerate(matches, 1)
    ]
    ratings, of_all = by_name(rate(short)), by_name(rate(matches))
    assert ratings["c"].games == 2 * (800 + 1200)
    for name in ("b", "c"):
        low, high = ratings[name].interval
        assert low - 10 < strengths[name] < high + 10
        assert high - low > of_all[name].interval[1] - of_all[name].interval[0]


def test_what_json_holds() -> None:
    (first, _) = rate([PairWins("club", "random", pairs(0, 2, 8))])
    written = first.to_dict()
    assert list(written) == ["player", "elo", "interval", "games", "win_rate"]
    assert written["interval"] == [first.interval[0], first.interval[1]]
    assert (written["games"], written["win_rate"]) == (20, 0.9)
