"""The tables and quick kernels of the engine against `scoring`, the specification."""

from __future__ import annotations

from itertools import combinations

import numba
import numpy as np
import pytest

from cribbage_env.cards import value_of
from cribbage_env.engine.play import play_points
from cribbage_env.engine.show import hand_points
from cribbage_env.engine.tables import (
    NUM_HANDS,
    build_alone_points,
    build_show_points,
    load_book,
    rank_index,
)
from cribbage_env.scoring import score_hand, score_play

BOOK = load_book()
NUMBER = 200 if numba.config.DISABLE_JIT else 3_000


def test_the_show_table_is_what_the_plain_code_says() -> None:
    assert np.array_equal(BOOK["show"][0], build_show_points())


def test_the_table_of_four_cards_alone_is_what_the_plain_code_says() -> None:
    assert np.array_equal(BOOK["alone"][0], build_alone_points())


def test_every_four_ranks_have_a_place_of_their_own() -> None:
    # Ranks a <= b <= c <= d as the distinct numbers a < b+1 < c+2 < d+3.
    hands = [tuple(r - i for i, r in enumerate(some)) for some in combinations(range(16), 4)]
    assert sorted(map(rank_index, hands)) == list(range(NUM_HANDS))
    offsets = BOOK["rank_offset"][0]
    for hand in hands:
        assert sum(offsets[place, rank] for place, rank in enumerate(hand)) == rank_index(hand)


@pytest.mark.kernels
def test_hands_count_by_table_as_by_the_plain_code() -> None:
    rng = np.random.default_rng(13)
    flushes = 0
    for number in range(NUMBER):
        # Every second hand is of one suit, which chance would bring too seldom.
        deck = np.arange(number % 4, 52, 4) if number % 2 else np.arange(52)
        hand = np.sort(rng.choice(deck, 4, replace=False)).astype(np.int16)
        starter = int(rng.choice(np.setdiff1d(np.arange(52), hand)))
        for is_crib in (False, True):
            score = score_hand(hand.tolist(), starter, is_crib=is_crib)
            assert hand_points(hand, starter, is_crib, BOOK[0]) == score.total
            flushes += score.flush > 0
    assert flushes > NUMBER / 2


@pytest.mark.kernels
def test_piles_count_by_the_kernel_as_by_the_plain_code() -> None:
    rng = np.random.default_rng(8)
    scored = 0
    for _ in range(NUMBER):
        # Few ranks, so that runs and pairs abound; the pile ends before it passes 31.
        deck = rng.permutation(np.arange(4 * rng.integers(2, 14)))[:8].astype(np.int16)
        start = int(rng.integers(3)) if len(deck) > 3 else 0
        count = 0
        for end in range(start + 1, len(deck) + 1):
            count += value_of(int(deck[end - 1]))
            if count > 31:
                break
            points = play_points(deck, start, end, count)
            assert points == score_play(deck[start:end].tolist()).total
            scored += points > 0
    assert scored > NUMBER
