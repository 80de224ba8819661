"""The edges of what the expert reckons with: ranks, worlds and chances, with numbers of any kind.

Each is worked out again in plain Python. Where a kernel looks numbers up in the book, they are
drawn at random here: those of the real book are too smooth to tell one place from the next.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement, product
from math import comb, prod
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env.bots.expert.chances import (
    MEAN_CRIB,
    NO_HAND,
    STAGE_SHAPE,
    chance_before_show,
    chance_now,
    chance_with_hands,
    chance_with_pegs,
)
from cribbage_env.bots.expert.habits import habit_likelihood
from cribbage_env.bots.expert.layout import BY_HABIT, BY_QUICK_RULE, NOT_READ, SURPRISE
from cribbage_env.bots.expert.ranks import GONE, num_cards, rank_points, rank_value
from cribbage_env.bots.expert.rollout import choose_quickly
from cribbage_env.bots.expert.worlds import MOST_WORLDS, write_worlds
from cribbage_env.cards import parse_cards, rank_of, value_of
from cribbage_env.engine.tables import load_book, rank_index
from cribbage_env.game import Game
from cribbage_env.scoring import score_play
from tests.games import play_at_random
from tests.positions import BOOK, view_of
from tests.test_expert_numbers import (
    DEALER,
    OTHER,
    OWN,
    PONE,
    before_crib,
    cards_of_ranks,
    walk,
)

pytestmark = pytest.mark.kernels


def test_a_rank_adds_what_its_cards_do() -> None:
    assert [rank_value(rank_of(card)) for card in range(52)] == [*map(value_of, range(52))]


@pytest.mark.parametrize(
    ("ranks", "most"), [(range(5), 4), (range(3), 6), (range(6, 11), 4), (range(7, 13), 3)]
)
def test_ranks_score_what_their_cards_do(ranks: range, most: int) -> None:
    """Every pile of these ranks, and behind it, where nothing is read, what would fit to it."""
    piles = [pile for size in range(1, most + 1) for pile in product(ranks, repeat=size)]
    compared = 0
    for pile in piles:
        count = sum(map(rank_value, pile))
        if count <= 31 and max(Counter(pile).values()) <= 4:
            expected = score_play(cards_of_ranks(pile)).total
            for behind in (pile[-1], min(pile) - 1, max(pile) + 1):
                array = np.full(14, behind)
                array[: len(pile)] = pile
                assert rank_points(array, len(pile), count) == expected, pile
            compared += 1
    assert compared > 150


def test_a_run_of_seven_is_seen_in_any_order() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        pile = rng.permutation(7)
        expected = score_play(cards_of_ranks(tuple(map(int, pile)))).total
        assert expected >= 7
        assert rank_points(pile, 7, 28) == expected


def test_cards_that_are_left_are_counted_wherever_they_stand() -> None:
    for hand in product((GONE, 0, 12), repeat=4):
        assert num_cards(np.array(hand)) == sum(rank != GONE for rank in hand)


Deed = tuple[int, int, list[int], int, bool]
"""Who lays which rank on which ranks, at which count, and whether the other has said go."""


DEALS = [
    # Pone lays all its cards while the dealer can't: then the dealer is alone from its second on.
    ("TC 5C AC AD 9C 9D", "TD KC KD KH 8C 8D", "TC TD 5C AC AD KC KD"),
    # Nobody can lay more at 22, and so a ten would have made 32.
    ("TC 2C KC KD 9C 9D", "TD QD QH JC 8C 8D", "TC TD 2C QD KC QH KD"),
]
"""Hands of pone and of the dealer, who throw the last two, and what they lay."""


def by_hand(pone: str, dealer: str, plays: str) -> Iterator[Game]:
    """Yield one of the deals before each card."""
    hands = (pone, dealer)
    game = Game.from_position(
        dealer=1, hands=hands, starter="7H", discards=[hand[-5:] for hand in hands]
    )
    for card in parse_cards(plays):
        yield game
        assert game.turn is not None
        game.step(15 + game.kept(game.turn).index(card))
    yield game


def with_deeds(games: Iterator[Game]) -> Iterator[tuple[Game, list[Deed]]]:
    """Yield a deal before each card that is laid in it, and what was laid before."""
    deeds: list[Deed] = []
    before: tuple[list[int], int, bool] = [], 0, False
    for game in games:
        if game.deals > 1 or game.turn is None:
            return
        if game.phase != "play":
            continue
        laid = [event for event in game.events if event.kind == "play"]
        if len(laid) > len(deeds):
            deeds.append((laid[-1].player, rank_of(laid[-1].cards[0]), *before))
        yield game, deeds
        pile = [rank_of(card) for card in game.pile]
        is_alone = bool(pile) and laid[-1].player == game.turn
        before = pile, game.count, is_alone


def likelihood(held: tuple[int, ...], seat: int, deeds: list[Deed], reading: int) -> float:
    """Return the product of a factor for each card that a seat laid, holding these ranks now."""
    laid = [rank for player, rank, *_ in deeds if player == seat]
    hand = np.array([*held, *laid])
    weight, own_cards, done = 1.0, 4, 0
    for player, rank, ranks, count, is_alone in deeds:
        if player != seat:
            own_cards -= 1
            continue
        pile, size = np.array([*ranks, *[0] * 8]), len(ranks)
        if reading == BY_HABIT:
            weight *= habit_likelihood(hand, own_cards, pile, size, count, is_alone, rank, BOOK)
        elif hand[choose_quickly(hand, pile, size, count, BOOK)] != rank:
            weight *= SURPRISE
        hand[len(held) + done] = GONE
        done += 1
    return weight


def plain_worlds(
    game: Game, seat: int, pool: NDArray[np.int64], reading: int, deeds: list[Deed]
) -> tuple[list[tuple[int, ...]], list[float]]:
    """Return every hand that the other may hold, as it is written, and what each weighs."""
    laid = [rank for player, rank, *_ in deeds if player != seat]
    role = int(game.dealer != seat)
    worlds, weights = [], []
    there = [int(rank) for rank in np.flatnonzero(pool)]
    for held in combinations_with_replacement(there, 4 - len(laid)):
        ways = prod(comb(int(pool[rank]), number) for rank, number in Counter(held).items())
        if ways == 0:
            continue
        weight = float(ways)
        if reading != NOT_READ:
            weight *= BOOK.keep_weight[role, rank_index((*held, *laid))]  # type: ignore[arg-type]
            weight *= likelihood(held, 1 - seat, deeds, reading)
        worlds.append((*held, *[GONE] * len(laid)))
        weights.append(weight)
    return worlds, weights


@pytest.mark.parametrize("reading", [NOT_READ, BY_QUICK_RULE, BY_HABIT])
@pytest.mark.parametrize("deal", [0, 1, 5, 8])
def test_every_hand_is_weighed_by_all_that_was_laid(deal: int, reading: int) -> None:
    """At every decision of a deal, seen by both, with pools of a few ranks."""
    games = by_hand(*DEALS[deal]) if deal < len(DEALS) else play_at_random(Game(seed=deal), deal)
    rng = np.random.default_rng(reading)
    for game, deeds in with_deeds(games):
        for seat in (0, 1):
            pool = np.where(rng.random(13) < 0.2, rng.integers(1, 5, 13), 0)
            worlds, weights = np.full((MOST_WORLDS, 4), 77), np.full(MOST_WORLDS, np.nan)
            view = view_of(game.state[0], seat)
            number = write_worlds(view, pool, reading, BOOK, worlds, weights)
            expected, expected_weights = plain_worlds(game, seat, pool, reading, deeds)
            assert [*map(tuple, worlds[:number].tolist())] == expected
            assert weights[:number] == pytest.approx(np.array(expected_weights))
            assert np.isnan(weights[number:]).all()


def test_there_is_room_for_every_hand() -> None:
    game = next(by_hand(*DEALS[0]))
    worlds, weights = np.empty((MOST_WORLDS, 4), np.int64), np.empty(MOST_WORLDS)
    view = view_of(game.state[0], 0)
    assert write_worlds(view, np.full(13, 4), NOT_READ, BOOK, worlds, weights) == MOST_WORLDS
    assert [*map(tuple, worlds.tolist())] == [*combinations_with_replacement(range(13), 4)]
    assert weights.sum() == comb(52, 4)


INDEX = 1234
"""Four ranks whose pegging is looked up."""
LEAST = 0.01
"""What is pegged is looked at up to the last points that are so likely."""


def random_book(seed: int) -> Any:
    """Return a book with any numbers in place of chances: no two alike, some of them nothing."""
    rng = np.random.default_rng(seed)
    books = load_book().copy()
    for name in ("win", "win_before_crib", "hand_chance", "peg_chance"):
        books[name] = rng.random(books[name].shape)
    books["hand_chance"][..., 1:] *= rng.random((2, 29)) < 0.3
    return books[0]


def show(
    role: int, needs: tuple[int, int], hands: tuple[int, int], crib: float, book: Any
) -> float:
    """Return the chance of winning once both hands are counted."""
    won, left = walk(role, needs, hands)
    return before_crib(role, left, crib, book) if won is None else won


def positions(number: int, most: int) -> Iterator[tuple[tuple[int, int], float]]:
    """Yield what both need, and the points of a crib."""
    rng = np.random.default_rng(most)
    for _ in range(number):
        needs = int(rng.integers(1, most + 1)), int(rng.integers(1, most + 1))
        yield needs, float(rng.choice([MEAN_CRIB, rng.uniform(0, 29), 4.0, 5.0]))


def test_the_mean_crib_is_that_of_the_book() -> None:
    assert BOOK.crib_chance @ np.arange(30) == pytest.approx(MEAN_CRIB, abs=0.1)


@pytest.mark.parametrize("role", [PONE, DEALER])
@pytest.mark.parametrize("most", [9, 30, 121])
def test_chances_before_the_show_with_any_numbers(role: int, most: int) -> None:
    book = random_book(most)
    of_other = book.hand_chance[1 - role]
    hands = [0, 1, 2, most % 30, 29]
    for number, (needs, crib) in enumerate(positions(60, most)):
        hand = min(needs[OWN] + number % 3 - 1, 29) if number % 2 else hands[number % 5]
        for count in (0, needs[OTHER] - 1, needs[OTHER], needs[OTHER] + 1):
            found = chance_with_hands(role, *needs, hand, count, crib, book)
            assert found == pytest.approx(show(role, needs, (hand, count), crib, book))
        if role == PONE and hand >= needs[OWN]:
            expected = 1.0  # whatever the other holds
        else:
            expected = sum(
                likely * show(role, needs, (hand, count), crib, book)
                for count, likely in enumerate(of_other)
            )
        assert chance_before_show(role, *needs, hand, crib, book) == pytest.approx(expected)
        assert chance_now(role, *needs, hand, crib, book) == pytest.approx(expected)
        assert chance_now(role, *needs, NO_HAND, crib, book) == book.win[role][needs]


@pytest.mark.parametrize("role", [PONE, DEALER])
def test_chances_of_who_has_all_that_it_needs(role: int) -> None:
    book = random_book(5)
    for hand in (NO_HAND, 0, 8):
        for need in (-3, -1, 0):
            assert chance_now(role, need, 1, hand, 4.5, book) == 1.0
            assert chance_now(role, 1, need, hand, 4.5, book) == 0.0
            assert chance_with_hands(role, need, 1, hand, 4, 4.5, book) == 1.0
            assert chance_with_hands(role, 1, need, hand, 0, 4.5, book) == 0.0


PEGS = {
    "all": ((), ()),
    "few": ((0.3, 0.001, 0.2, 0.009999), (0.5, 0.02, 0.0, 0.3, LEAST, 0.0, 0.009)),
    "own": ((0.3, 0.1, 0.2), (0.005, 0.009, 0.001)),
    "other's": ((0.008, 0.007), (0.1, 0.2)),
}
"""How likely which points are pegged, own and the other's; nothing where it stays at random."""


@pytest.mark.parametrize("role", [PONE, DEALER])
@pytest.mark.parametrize("pegs", PEGS)
@pytest.mark.parametrize("most", [4, 20, 121])
def test_pegging_is_mixed_in_with_any_numbers(role: int, pegs: str, most: int) -> None:
    book = random_book(most)
    for player, chances in enumerate(PEGS[pegs]):
        if chances:
            book.peg_chance[role, INDEX, player] = [*chances, *[0.0] * (16 - len(chances))]
    rows = book.peg_chance[role, INDEX]
    own_most, other_most = (max(np.flatnonzero(row >= LEAST), default=0) for row in rows)
    rng = np.random.default_rng(role)
    for needs, crib in positions(1 if pegs == "all" else 4, most):
        hand = rng.random(30) * (rng.random(30) < 0.2)
        expected = 0.0
        for own, other in product(range(own_most + 1), range(other_most + 1)):
            likely = rows[OWN, own] * rows[OTHER, other]
            left = needs[OWN] - own, needs[OTHER] - other
            if min(left) <= 0:
                expected += likely * (0.5 if max(left) <= 0 else float(left[OWN] <= 0))
                continue
            for mine in np.flatnonzero(hand):
                if role == PONE and mine >= left[OWN]:
                    expected += likely * hand[mine]  # whatever the other holds
                    continue
                for count in np.flatnonzero(book.hand_chance[1 - role]):
                    each = likely * hand[mine] * book.hand_chance[1 - role, count]
                    expected += each * show(role, left, (int(mine), int(count)), crib, book)
        stage = np.full(STAGE_SHAPE, np.nan)
        found = chance_with_pegs(role, *needs, INDEX, hand, crib, book, stage)
        assert found == pytest.approx(expected)
