"""How often a deal brings how many points: counted from the first deals of a match's own games."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from cribbage_env.game import Game
from cribbage_env.match import count_points, play_match, record_games
from cribbage_env.match.result import SOURCES


def first_deal(game: Game) -> dict[tuple[int, str], int]:
    """Return the points of a game's first deal by seat and source, from its events."""
    source_of = {"starter": "heels", "play": "play", "last": "play", "hand": "hand", "crib": "crib"}
    points: Counter[tuple[int, str]] = Counter()
    deals = 0
    for event in game.events:
        deals += event.kind == "deal"
        if deals == 1 and event.kind in source_of:
            points[event.player, source_of[event.kind]] += event.points
    return points


@pytest.mark.parametrize("batch_size", [6, 1000])
def test_the_counts_are_those_of_the_match_s_first_deals(batch_size: int) -> None:
    counts = count_points("greedy", "random", games=20, seed=4, batch_size=batch_size)
    expected = np.zeros_like(counts.deals)
    for number, game in enumerate(record_games("greedy", "random", games=20, seed=4)):
        points = first_deal(game)
        dealer = next(event.player for event in game.events if event.kind == "deal")
        for seat in (0, 1):
            player, role = seat ^ number % 2, int(dealer == seat)
            made = [points[seat, source] for source in SOURCES]
            for source, number_of in enumerate([*made, sum(made)]):
                expected[player, role, source, number_of] += 1
    assert np.array_equal(counts.deals, expected)


def test_who_deals_changes_within_a_pair_and_every_deal_counts_once() -> None:
    counts = count_points("club", "club", games=60, seed=2)
    for player in (0, 1):
        for role in ("pone", "dealer"):
            for source in (*SOURCES, "total"):
                assert counts.of(player, role, source).sum() == 30
    assert not counts.of(0, "pone", "crib")[1:].any()
    assert set(np.flatnonzero(counts.of(0, "dealer", "heels"))) <= {0, 2}


def test_the_means_are_near_those_of_the_first_four_deals() -> None:
    counts = count_points("club", "greedy", games=2000, seed=1)
    match = play_match("club", "greedy", games=2000, seed=1)
    for player, name in enumerate("ab"):
        for role, points in match.points_per_deal[name].items():
            found = counts.of(player, role, "total")
            mean = found @ np.arange(len(found)) / found.sum()
            assert mean == pytest.approx(points["total"], abs=0.6)


def test_the_dictionary_holds_the_same_without_zeros_at_the_end() -> None:
    counts = count_points("club", "random", games=10, seed=3)
    written = counts.to_dict()
    assert set(written["a"]["dealer"]) == {"hand", "crib", "play", "heels", "total"}
    assert set(written["b"]["pone"]) == {"hand", "play", "total"}
    hand = written["b"]["dealer"]["hand"]
    assert hand == counts.of(1, "dealer", "hand")[: len(hand)].tolist()
    assert hand[-1] > 0
    assert sum(hand) == 5


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ((2, "pone", "hand"), "player 2"),
        ((0, "eldest", "hand"), "'eldest'"),
        ((0, "pone", "x"), "x"),
    ],
)
def test_what_isnt_counted_is_refused(asked: tuple[Any, Any, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        count_points("random", "random", games=2).of(*asked)


def test_bad_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="games must be even"):
        count_points("club", "random", games=3)
