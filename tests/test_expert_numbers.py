"""What the expert reckons with, against plain Python that counts cards with the scoring module.

Distributions of hands and cribs, and the chances of winning that come from them: each is worked out
a second time in the plainest way, card by card or point by point in the order of R12.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env import analyze_discard
from cribbage_env.actions import DISCARDS
from cribbage_env.bots import expert_policy
from cribbage_env.bots.expert.chances import (
    LEAST_CHANCE,
    MEAN_CRIB,
    NO_HAND,
    STAGE_SHAPE,
    chance_before_show,
    chance_now,
    chance_with_hands,
    chance_with_pegs,
)
from cribbage_env.bots.expert.crib import (
    MOST_POINTS,
    crib_chances,
    crib_chances_with,
    suit_bonus,
    write_pairs,
)
from cribbage_env.bots.expert.discard import (
    CRIB,
    HAND,
    PEGS,
    TOTAL,
    WIN,
    choose_discard,
    hand_chances,
    write_discard_worths,
)
from cribbage_env.bots.expert.winning import MOST_NEED, NUM_PEGS, discard_win_chance
from cribbage_env.cards import parse_cards, rank_of, suit_of
from cribbage_env.engine.expectation import Unseen, new_unseen, take_out
from cribbage_env.engine.layout import DISCARD, VIEW
from cribbage_env.engine.tables import load_book, rank_index
from cribbage_env.scoring import score_hand

BOOK = load_book()[0]
PONE, DEALER = 0, 1
OWN, OTHER = 0, 1
pytestmark = pytest.mark.kernels

SIX = ["5H 6H 7C JD QS KD", "2S 3S 4S JS 8H 8D", "AC AD 9H 9S TC TD"]
FOUR_ALIKE = "7C 7D 7H 7S QD KS"
"""Nobody else can hold a seven."""


def unseen_but(known: list[int]) -> Unseen:
    """Return the table of the cards that aren't among those known."""
    unseen = new_unseen()
    for card in known:
        take_out(unseen, card)
    return unseen


def others(known: list[int]) -> list[int]:
    return [card for card in range(52) if card not in known]


def cards_of_ranks(ranks: tuple[int, ...]) -> list[int]:
    """Return distinct cards of these ranks."""
    return [4 * rank + ranks[:place].count(rank) for place, rank in enumerate(ranks)]


@cache
def plain_points(ranks: tuple[int, ...]) -> int:
    """Return what five ranks count, suits left out."""
    *hand, starter = cards_of_ranks(ranks)
    score = score_hand(hand, starter)
    return score.fifteens + score.pairs + score.runs


def throws(known: list[int], thrower: int) -> Iterator[tuple[tuple[int, int], float]]:
    """Yield every pair that the other may have thrown, and how readily it throws such a pair."""
    for first, second in combinations(others(known), 2):
        is_suited = int(suit_of(first) == suit_of(second))
        yield (
            (first, second),
            BOOK.throw_weight[thrower, rank_of(first), rank_of(second), is_suited],
        )


def throws_by_rank(known: list[int], thrower: int) -> dict[tuple[int, int], float]:
    """Return how likely the other threw which two ranks."""
    weights: Counter[tuple[int, int]] = Counter()
    for (first, second), weight in throws(known, thrower):
        weights[rank_of(first), rank_of(second)] += weight
    total = sum(weights.values())
    return {ranks: weight / total for ranks, weight in weights.items()}


def weights_of(unseen: Unseen, thrower: int) -> tuple[NDArray[np.float64], float]:
    weights = np.empty((13, 13))
    return weights, write_pairs(unseen, thrower, BOOK, weights)


@pytest.mark.parametrize("six", SIX)
def test_a_hand_is_counted_with_every_starter(six: str) -> None:
    dealt = parse_cards(six)
    rest = others(dealt)
    found = np.empty(MOST_POINTS)
    for first in range(3):
        kept = sorted(dealt[first : first + 4])
        hand_chances(np.array(kept, np.int16), unseen_but(dealt), BOOK, found)
        points = [score_hand(kept, starter).total for starter in rest]
        expected = np.bincount(points, minlength=MOST_POINTS) / len(rest)
        assert found == pytest.approx(expected)


def crib_by_counting(dealt: list[int], thrown: tuple[int, int], role: int) -> NDArray[np.float64]:
    """Return how likely the crib counts how much, with every throw of the other and starter."""
    left = Counter(rank_of(card) for card in others(dealt))
    chances = np.zeros(MOST_POINTS)
    for pair, share in throws_by_rank(dealt, 1 - role).items():
        for rank in range(13):
            number = left[rank] - pair.count(rank)
            if number > 0:
                five = tuple(sorted((rank_of(thrown[0]), rank_of(thrown[1]), *pair, rank)))
                chances[plain_points(five)] += share * number / 44
    return chances


@pytest.mark.parametrize("role", [PONE, DEALER])
@pytest.mark.parametrize("six", [SIX[0], FOUR_ALIKE])
def test_a_crib_is_counted_with_every_throw_and_starter(six: str, role: int) -> None:
    dealt = sorted(parse_cards(six))
    first, second = dealt[0], dealt[3]
    unseen = unseen_but(dealt)
    expected = crib_by_counting(dealt, (first, second), role)
    weights, total = weights_of(unseen, 1 - role)
    found = np.empty(MOST_POINTS)
    mean = crib_chances(first, second, unseen, weights, total, BOOK, found)
    assert found == pytest.approx(expected)
    assert found.sum() == pytest.approx(1)
    bonus = suit_bonus(first, second, unseen, weights, total)
    assert mean == pytest.approx(expected @ np.arange(MOST_POINTS) + bonus)


@pytest.mark.parametrize("thrown", ["5C TC", "5C TD", "9H JH", "JD JS"])
def test_suits_add_to_the_crib_about_what_they_do_card_by_card(thrown: str) -> None:
    """Nobs by any of four jacks and a flush of all five (R16, R17)."""
    known = sorted({*parse_cards(thrown), *parse_cards("2C 4D 8S QH")})
    first, second = sorted(parse_cards(thrown))
    worth = weight_of_all = 0.0
    for pair, weight in throws(known, PONE):
        starters = [card for card in others(known) if card not in pair]
        suits = Counter(suit_of(card) for card in starters)
        four = (first, second, *pair)
        jacks = [suit_of(card) for card in four if rank_of(card) == 10]
        points = float(sum(suits[suit] for suit in jacks))
        if len({suit_of(card) for card in four}) == 1:
            points += 5 * suits[suit_of(first)]
        worth += weight * points / len(starters)
        weight_of_all += weight
    unseen = unseen_but(known)
    found = suit_bonus(first, second, unseen, *weights_of(unseen, PONE))
    assert found == pytest.approx(worth / weight_of_all, abs=0.02)


def test_a_crib_with_a_known_starter_is_counted_with_every_throw() -> None:
    dealt, (starter,) = sorted(parse_cards(FOUR_ALIKE)), parse_cards("8S")
    first, second = dealt[1], dealt[2]
    known = [*dealt, starter]
    expected = np.zeros(MOST_POINTS)
    for pair, share in throws_by_rank(known, DEALER).items():
        ranks = (rank_of(first), rank_of(second), *pair, rank_of(starter))
        expected[plain_points(ranks)] += share
    found = np.empty(MOST_POINTS)
    weights, total = weights_of(unseen_but(known), DEALER)
    crib_chances_with(first, second, starter, weights, total, BOOK, found)
    assert found == pytest.approx(expected)


def walk(
    role: int, needs: tuple[int, int], hands: tuple[int, int]
) -> tuple[float | None, tuple[int, int]]:
    """Count both hands in their order; return 1 or 0 once somebody has won, and the needs left.

    `needs` and `hands` are (own, other).
    """
    left = list(needs)
    pone = OWN if role == PONE else OTHER
    for player in (pone, 1 - pone):
        left[player] -= hands[player]
        if left[player] <= 0:
            return float(player == OWN), (left[OWN], left[OTHER])
    return None, (left[OWN], left[OTHER])


def after_crib(role: int, needs: tuple[int, int], crib: int) -> float:
    """Return the chance of winning once the crib is counted; then the roles change."""
    owner = OWN if role == DEALER else OTHER
    left = list(needs)
    left[owner] -= crib
    if left[owner] <= 0:
        return float(owner == OWN)
    return float(BOOK.win[1 - role, left[OWN], left[OTHER]])


def chance_by_walking(
    role: int,
    needs: tuple[int, int],
    index: int,
    hand: dict[int, float],
    crib: dict[int, float],
) -> float:
    """Return the chance of winning over every way that a deal may go, one after another."""
    total = 0.0
    pegs = BOOK.peg_chance[role, index]
    for own_pegs, other_pegs in product(range(NUM_PEGS), repeat=2):
        likely = pegs[OWN, own_pegs] * pegs[OTHER, other_pegs]
        before = needs[OWN] - own_pegs, needs[OTHER] - other_pegs
        if min(before) <= 0:
            total += likely * (0.5 if max(before) <= 0 else float(before[OWN] <= 0))
            continue
        if likely == 0.0:
            continue
        for (own_hand, first), (points, third) in product(hand.items(), crib.items()):
            for other_hand, second in enumerate(BOOK.hand_chance[1 - role]):
                won, left = walk(role, before, (own_hand, other_hand))
                chance = after_crib(role, left, points) if won is None else won
                total += likely * first * second * third * chance
    return total


def as_array(chances: dict[int, float]) -> NDArray[np.float64]:
    array = np.zeros(MOST_POINTS)
    for points, chance in chances.items():
        array[points] = chance
    return array


@pytest.mark.parametrize("role", [PONE, DEALER])
@pytest.mark.parametrize("needs", [(3, 5), (15, 14), (20, 31), (90, 121)])
def test_a_discard_wins_as_often_as_deals_walked_one_by_one(
    role: int, needs: tuple[int, int]
) -> None:
    index = rank_index((1, 1, 4, 4))
    assert (BOOK.peg_chance[role, index, :, -1] > 0).all()  # such a deal may bring many pegs
    hand, crib = {4: 0.25, 29: 0.75}, {0: 0.5, 6: 0.25, 29: 0.25}
    found = discard_win_chance(role, *needs, as_array(hand), as_array(crib), index, BOOK)
    assert found == pytest.approx(chance_by_walking(role, needs, index, hand, crib), rel=1e-7)


def before_crib(role: int, needs: tuple[int, int], crib: float, book: Any = BOOK) -> float:
    """Return the table's chance before a crib, whose owner has holes less to go for a good one."""
    more = crib - MEAN_CRIB
    low = int(np.floor(more))
    chances = []
    for holes in (low, low + 1):
        moved = (needs[OWN] - holes, needs[OTHER])
        if role == PONE:
            moved = (needs[OWN], needs[OTHER] - holes)
        own, other = (min(max(need, 1), MOST_NEED) for need in moved)
        chances.append(float(book.win_before_crib[role, own, other]))
    return chances[0] + (more - low) * (chances[1] - chances[0])


@pytest.mark.parametrize("role", [PONE, DEALER])
@pytest.mark.parametrize("crib", [MEAN_CRIB, MEAN_CRIB + 1.25, MEAN_CRIB - 3.5])
def test_the_show_is_counted_against_an_average_hand(role: int, crib: float) -> None:
    for needs, hand in (((30, 40), 8), ((7, 6), 6), ((8, 9), 8), ((120, 121), 0)):
        expected = 0.0
        for other_hand, likely in enumerate(BOOK.hand_chance[1 - role]):
            won, left = walk(role, needs, (hand, other_hand))
            expected += likely * (before_crib(role, left, crib) if won is None else won)
            found = chance_with_hands(role, *needs, hand, other_hand, crib, BOOK)
            assert found == pytest.approx(before_crib(role, left, crib) if won is None else won)
        assert chance_before_show(role, *needs, hand, crib, BOOK) == pytest.approx(expected)
        assert chance_now(role, *needs, hand, crib, BOOK) == pytest.approx(expected)
        assert chance_now(role, *needs, NO_HAND, crib, BOOK) == BOOK.win[role][needs]
    for needs, won in (((0, 5), 1.0), ((5, -1), 0.0)):
        assert chance_with_hands(role, *needs, 4, 4, crib, BOOK) == won
        assert chance_now(role, *needs, 4, crib, BOOK) == won


@pytest.mark.parametrize("role", [PONE, DEALER])
@pytest.mark.parametrize("needs", [(2, 3), (11, 16), (45, 60)])
def test_pegging_is_mixed_in_point_by_point(role: int, needs: tuple[int, int]) -> None:
    """All but the tail of what is pegged: the points that are too rare to be looked at."""
    index, crib = rank_index((1, 1, 7, 12)), 5.5
    hand = {2: 0.5, 8: 0.25, 12: 0.25}
    pegs = BOOK.peg_chance[role, index]
    most = [max(np.flatnonzero(pegs[player] >= LEAST_CHANCE)) for player in (OWN, OTHER)]
    expected = 0.0
    for own_pegs, other_pegs in product(*(range(top + 1) for top in most)):
        likely = pegs[OWN, own_pegs] * pegs[OTHER, other_pegs]
        before = needs[OWN] - own_pegs, needs[OTHER] - other_pegs
        if min(before) <= 0:
            expected += likely * (0.5 if max(before) <= 0 else float(before[OWN] <= 0))
            continue
        for own_hand, share in hand.items():
            for other_hand, other_share in enumerate(BOOK.hand_chance[1 - role]):
                won, left = walk(role, before, (own_hand, other_hand))
                chance = before_crib(role, left, crib) if won is None else won
                expected += likely * share * other_share * chance
    stage = np.full(STAGE_SHAPE, np.nan)
    found = chance_with_pegs(role, *needs, index, as_array(hand), crib, BOOK, stage)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(("role", "pegging"), [(PONE, 0.0), (DEALER, 0.5)])
def test_a_discard_is_worth_its_hand_its_crib_and_its_pegging(role: int, pegging: float) -> None:
    dealt, needs, margin = sorted(parse_cards(SIX[2])), (24, 9), 1.5
    views = np.zeros(1, VIEW)
    views["is_on_turn"], views["phase"], views["is_dealer"] = 1, DISCARD, role
    views["target"], views["scores"], views["dealt"] = 121, [121 - need for need in needs], dealt
    player, found = expert_policy(pegging=pegging).player[0], np.empty((15, 5))
    write_discard_worths(player, views[0], True, margin, BOOK, found)
    unseen = unseen_but(dealt)
    weights, total = weights_of(unseen, 1 - role)
    expected = np.full((15, 5), np.nan)
    chances = []
    for action, slots in enumerate(DISCARDS):
        first, second = (dealt[slot] for slot in slots)
        kept = [card for card in dealt if card not in (first, second)]
        points = [score_hand(kept, starter).total for starter in others(dealt)]
        crib = crib_by_counting(dealt, (first, second), role)
        index = rank_index(tuple(map(rank_of, kept)))  # type: ignore[arg-type]
        own, other = BOOK.peg[role, index]
        bonus = suit_bonus(first, second, unseen, weights, total)
        expected[action, HAND] = np.mean(points)
        expected[action, CRIB] = crib @ np.arange(MOST_POINTS) + bonus
        expected[action, PEGS] = pegging * (own - other)
        sign = 1 if role == DEALER else -1
        parts = expected[action]
        expected[action, TOTAL] = parts[HAND] + sign * parts[CRIB] + parts[PEGS]
        chances.append((np.bincount(points, minlength=MOST_POINTS) / len(points), crib, index))
    near = np.flatnonzero(expected[:, TOTAL] >= expected[:, TOTAL].max() - margin)
    assert 1 < len(near) < 15
    for action in near:
        expected[action, WIN] = discard_win_chance(role, *needs, *chances[action], BOOK)
    assert found == pytest.approx(expected, nan_ok=True)
    views["scores"] = 0, 0
    assert choose_discard(player, views[0], BOOK) == expected[:, TOTAL].argmax()


def test_near_the_end_the_chance_of_winning_chooses_the_discard() -> None:
    dealt = sorted(parse_cards(SIX[0]))
    views = np.zeros(1, VIEW)
    views["is_on_turn"], views["phase"], views["target"] = 1, DISCARD, 121
    views["scores"], views["dealt"] = (117, 115), dealt
    found = analyze_discard(dealt, is_dealer=False, scores=(117, 115))
    aware, unaware = (
        choose_discard(expert_policy(score_aware=flag).player[0], views[0], BOOK)
        for flag in (True, False)
    )
    by_points = {one.action: one.total - one.pegging for one in found}
    assert by_points[unaware] == max(by_points.values())
    near = [one for one in found if by_points[one.action] >= by_points[unaware] - 1.2]
    assert aware == max(near, key=lambda one: one.win or 0.0).action
