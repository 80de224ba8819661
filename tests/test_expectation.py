"""What discards are worth, against a count of every starter in plain Python."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numba
import numpy as np
import pytest

from cribbage_env.cards import NUM_CARDS, parse_cards
from cribbage_env.engine.expectation import (
    ALL,
    ANY,
    BEST,
    CRIB,
    MEAN,
    NUM_VALUES,
    TOTAL,
    WORST,
    crib_value,
    new_unseen,
    reach_chance,
    starter_summary,
    take_out,
    write_discard_values,
)
from cribbage_env.scoring import score_hand
from tests.positions import BOOK

pytestmark = pytest.mark.kernels

HANDS = [
    "AC AD AH AS 2C 2D",
    "5C 5D 5H JS 5S JC",
    "4H 5H 6H JH QH KH",  # flushes, with nobs and without
    "2C 3C 7C 8C JD JH",
    "TD JD QD KD JS 5H",
    "AS 2D 9C TH QD KS",
    "9C 9D JC JD JH JS",
]


def random_hands(number: int) -> list[list[int]]:
    rng = np.random.default_rng(5)
    return [sorted(rng.choice(NUM_CARDS, 6, replace=False).tolist()) for _ in range(number)]


def all_hands() -> list[list[int]]:
    number = 4 if numba.config.DISABLE_JIT else 20
    return [sorted(parse_cards(hand)) for hand in HANDS] + random_hands(number)


def counted(dealt: list[int], thrown: tuple[int, int]) -> list[int]:
    kept = [card for card in dealt if card not in thrown]
    return [score_hand(kept, card).total for card in range(NUM_CARDS) if card not in dealt]


def discard_values(dealt: list[int], is_dealer: bool) -> Any:
    values = np.full((15, NUM_VALUES), np.nan)
    write_discard_values(np.array(dealt, np.int16), is_dealer, BOOK, values)
    return values


@pytest.mark.parametrize("is_dealer", [False, True])
def test_discard_values_are_those_of_every_starter_counted(is_dealer: bool) -> None:
    for dealt in all_hands():
        values = discard_values(dealt, is_dealer)
        for action, thrown in enumerate(combinations(dealt, 2)):
            points = counted(dealt, thrown)
            assert values[action, MEAN] == pytest.approx(sum(points) / 46, abs=1e-12)
            assert values[action, BEST] == max(points)
            assert values[action, WORST] == min(points)
            crib = crib_value(*thrown, is_dealer, BOOK)
            assert values[action, CRIB] == crib
            sign = 1 if is_dealer else -1
            assert values[action, TOTAL] == pytest.approx(sum(points) / 46 + sign * crib)


def test_the_best_hand_there_is_counts_29_with_its_one_starter() -> None:
    dealt = sorted(parse_cards("5C 5D 5H JS 2C 9D"))
    action = list(combinations(dealt, 2)).index(tuple(sorted(parse_cards("2C 9D"))))
    values = discard_values(dealt, True)
    assert values[action, BEST] == 29
    assert values[action, WORST] == 14
    assert reach_chance(np.array(dealt, np.int16), action, 29, BOOK) == pytest.approx(1 / 46)
    assert reach_chance(np.array(dealt, np.int16), action, 14, BOOK) == 1.0
    assert reach_chance(np.array(dealt, np.int16), action, 30, BOOK) == 0.0


def test_reach_chance_is_the_share_of_starters() -> None:
    for dealt in all_hands()[:8]:
        for action in (0, 6, 14):
            points = counted(dealt, list(combinations(dealt, 2))[action])
            for needed in (1, 4, 7, 12):
                expected = sum(point >= needed for point in points) / 46
                chance = reach_chance(np.array(dealt, np.int16), action, needed, BOOK)
                assert chance == pytest.approx(expected)


@pytest.mark.parametrize(
    ("crib", "seen"),
    [("2C 4C 6C 8C", ""), ("2C 4C 6C 8D", "JC"), ("JC QC KC 5C", "5D 5H"), ("JC JD 5H 5S", "AC")],
)
def test_starter_summary_of_a_crib_knows_that_its_flush_needs_five(crib: str, seen: str) -> None:
    cards = sorted(parse_cards(crib))
    out = cards + parse_cards(seen)
    unseen = new_unseen()
    for card in out:
        take_out(unseen, card)
    points = [
        score_hand(cards, card, is_crib=True).total for card in range(NUM_CARDS) if card not in out
    ]
    summary = starter_summary(np.array(cards, np.int16), unseen, True, BOOK)
    assert tuple(summary) == (sum(points), max(points), min(points))


@pytest.mark.parametrize(
    ("hand", "starter", "is_crib", "points"),
    [
        ("AC 3D 6H 7S", "TC", False, 0),
        ("AC 3D 6H JD", "TC", False, 0),
        ("AC 3D 6H JD", "KD", False, 1),
        ("2C 6C 8C QC", "TC", True, 5),
    ],
)
def test_a_hand_with_its_only_starter(hand: str, starter: str, is_crib: bool, points: int) -> None:
    unseen = new_unseen()
    for card in range(NUM_CARDS):
        if card not in parse_cards(starter):
            take_out(unseen, card)
    cards = np.array(parse_cards(hand), np.int16)
    assert tuple(starter_summary(cards, unseen, is_crib, BOOK)) == (points, points, points)


def test_the_columns_of_the_values() -> None:
    assert sorted({MEAN, BEST, WORST, CRIB, TOTAL}) == list(range(NUM_VALUES))


def test_an_unseen_table_keeps_its_sums() -> None:
    unseen = new_unseen()
    for card in parse_cards("AC KS 5H 5D"):
        take_out(unseen, card)
    assert unseen[ANY, ALL] == 48
    assert unseen[4].tolist() == [1, 0, 0, 1, 2]
    assert unseen[:ANY].sum(axis=0).tolist() == unseen[ANY].tolist()
    assert unseen[:, :ALL].sum(axis=1).tolist() == unseen[:, ALL].tolist()


def test_crib_value_looks_at_role_ranks_and_suits() -> None:
    five_heart, five_spade, jack_heart, jack_spade = parse_cards("5H 5S JH JS")
    table = BOOK.crib_value
    assert table[1, 4, 10, 0] != table[1, 4, 10, 1]
    assert crib_value(five_heart, five_spade, True, BOOK) == table[1, 4, 4, 0]
    assert crib_value(jack_heart, five_heart, True, BOOK) == table[1, 4, 10, 1]
    assert crib_value(five_spade, jack_heart, False, BOOK) == table[0, 4, 10, 0]
    assert crib_value(five_heart, jack_spade, False, BOOK) == table[0, 4, 10, 0]
