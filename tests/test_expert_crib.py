"""What the expert expects of the crib, number by number, against plain Python."""

from __future__ import annotations

from collections import Counter
from functools import cache
from itertools import combinations, combinations_with_replacement, product

import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env.bots.expert.crib import (
    MOST_POINTS,
    _index_of_pairs,
    crib_chances,
    crib_chances_with,
    suit_bonus,
    write_pairs,
)
from cribbage_env.cards import parse_card, parse_cards, rank_of, suit_of
from cribbage_env.engine.tables import load_book, rank_index
from cribbage_env.scoring import score_hand
from tests.test_expert_numbers import others, unseen_but

BOOK = load_book()[0]
JACK = 10
PAIRS = [*combinations_with_replacement(range(13), 2)]
SIX = ["5H 6H 7C JD QS KD", "AC AD 9H 9S TC TD", "7C 7D 7H 7S QD KS", "JC JD 2H 3H 4H KH"]
pytestmark = pytest.mark.kernels


def some_weights(seed: int) -> NDArray[np.float64]:
    """Return a weight of each pair, one in four 0; nan below the diagonal, where none is."""
    generator = np.random.default_rng(seed)
    weights = np.full((13, 13), np.nan)
    for pair in PAIRS:
        weights[pair] = generator.random() * (generator.random() < 0.75)
    return weights


@cache
def plain_points(ranks: tuple[int, ...]) -> int:
    """Return what five sorted ranks count, suits left out."""
    cards = [4 * rank + ranks[:place].count(rank) for place, rank in enumerate(ranks)]
    score = score_hand(cards[:4], cards[4])
    return score.fifteens + score.pairs + score.runs


def test_no_hand_counts_more_than_there_are_points() -> None:
    best = score_hand(parse_cards("5C 5D 5S JH"), parse_card("5H")).total
    assert best + 1 == MOST_POINTS


@pytest.mark.parametrize("role", [0, 1])
@pytest.mark.parametrize("six", SIX)
def test_pairs_are_weighed_card_by_card(six: str, role: int) -> None:
    known = parse_cards(six)
    expected: Counter[tuple[int, int]] = Counter()
    for first, second in combinations(others(known), 2):
        low, high = rank_of(first), rank_of(second)
        is_suited = int(suit_of(first) == suit_of(second))
        expected[low, high] += float(BOOK.throw_weight[role, low, high, is_suited])
    found = np.full((13, 13), np.nan)
    total = write_pairs(unseen_but(known), role, BOOK, found)
    assert total == pytest.approx(sum(expected.values()))
    assert {pair: found[pair] for pair in PAIRS} == pytest.approx(
        {pair: expected[pair] for pair in PAIRS}
    )
    assert np.isnan(found[np.tril_indices(13, -1)]).all()


def test_two_pairs_are_found_as_four_ranks() -> None:
    for pair, other in product(PAIRS, repeat=2):
        assert _index_of_pairs(*pair, *other, BOOK) == rank_index(tuple(sorted(pair + other)))  # type: ignore[arg-type]


def bonus_of(first: int, second: int, known: list[int], weights: NDArray[np.float64]) -> float:
    """Return what suits add to a crib: a point for the jacks' suits, five for a flush.

    Each of the other's jacks is of the starter's suit one time in four, and the other throws two
    cards of a suit nine tenths as often as chance would.
    """
    rest = others(known)
    suits = Counter(suit_of(card) for card in rest)
    bonus = sum(suits[suit_of(c)] / len(rest) for c in (first, second) if rank_of(c) == JACK)
    jacks = sum(weights[pair] * pair.count(JACK) for pair in PAIRS)
    bonus += jacks / sum(weights[pair] for pair in PAIRS) / 4
    if suit_of(first) == suit_of(second):
        same = [card for card in rest if suit_of(card) == suit_of(first)]
        flushes = len([*combinations(same, 3)]) / len([*combinations(rest, 3)])
        bonus += 5 * 0.9 * flushes
    return bonus


THROWN = ["5C TC", "5D TC", "TC QD", "9H JH", "JC QD", "JD JS", "QH KH", "AC KS", "AC JD"]


@pytest.mark.parametrize("thrown", THROWN)
def test_suits_add_nobs_and_flushes(thrown: str) -> None:
    first, second = parse_cards(thrown)
    weights = some_weights(1)
    total = np.nansum(weights)
    for held in ("2C 4D 8S 8H", "2C 3C 4C 7H"):
        known = [*parse_cards(held), first, second]
        found = suit_bonus(first, second, unseen_but(known), weights, total)
        assert found == pytest.approx(bonus_of(first, second, known, weights))


@pytest.mark.parametrize(("place", "other"), [(0, 3), (0, 1), (2, 5)])
@pytest.mark.parametrize("six", SIX)
def test_a_crib_is_counted_with_every_pair_and_starter(six: str, place: int, other: int) -> None:
    dealt = sorted(parse_cards(six))
    first, second = dealt[place], dealt[other]
    left = Counter(rank_of(card) for card in others(dealt))
    weights = some_weights(10)
    for pair in PAIRS:  # what can't be thrown weighs nothing
        weights[pair] *= all(left[rank] >= pair.count(rank) for rank in pair)
    total = np.nansum(weights)
    expected = np.zeros(MOST_POINTS)
    for pair, rank in product(PAIRS, range(13)):
        share = weights[pair] / total * max(0, left[rank] - pair.count(rank)) / 44
        if share:
            five = (rank_of(first), rank_of(second), *pair, rank)
            expected[plain_points(tuple(sorted(five)))] += share
    found = np.full(MOST_POINTS, np.nan)
    mean = crib_chances(first, second, unseen_but(dealt), weights, total, BOOK, found)
    assert found == pytest.approx(expected)
    bonus = bonus_of(first, second, dealt, weights)
    assert mean == pytest.approx(expected @ np.arange(MOST_POINTS) + bonus)


@pytest.mark.parametrize("starter", ["AS", "8D", "KH"])
@pytest.mark.parametrize("thrown", ["5H 6H", "AC KD", "9H 9S"])
def test_a_crib_is_counted_with_every_pair_and_one_starter(thrown: str, starter: str) -> None:
    first, second = parse_cards(thrown)
    turned = parse_card(starter)
    weights = some_weights(3)
    total = np.nansum(weights)
    expected = np.zeros(MOST_POINTS)
    for pair in PAIRS:
        if weights[pair]:
            five = (rank_of(first), rank_of(second), *pair, rank_of(turned))
            expected[plain_points(tuple(sorted(five)))] += weights[pair] / total
    found = np.full(MOST_POINTS, np.nan)
    crib_chances_with(first, second, turned, weights, total, BOOK, found)
    assert found == pytest.approx(expected)
