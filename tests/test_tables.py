"""The tables and quick kernels of the engine against `scoring`, the specification."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, combinations_with_replacement
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock, patch

import numba
import numpy as np
import pytest

from cribbage_env import scoring
from cribbage_env.cards import rank_of, value_of
from cribbage_env.engine import tables
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


def new_book() -> Any:
    """Return the book, gathered anew."""
    return load_book.__wrapped__()


def test_the_show_table_is_what_the_plain_code_says() -> None:
    assert np.array_equal(BOOK["show"][0], build_show_points())


def test_the_table_of_four_cards_alone_is_what_the_plain_code_says() -> None:
    assert np.array_equal(BOOK["alone"][0], build_alone_points())


def test_every_four_ranks_have_a_place_of_their_own() -> None:
    # Ranks a <= b <= c <= d as the distinct numbers a < b+1 < c+2 < d+3.
    hands = [tuple(r - i for i, r in enumerate(some)) for some in combinations(range(16), 4)]
    assert sorted(map(rank_index, hands)) == list(range(NUM_HANDS))
    offsets = new_book()["rank_offset"][0]
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


@pytest.mark.kernels
def test_a_discard_throws_two_slots_and_keeps_the_other_four() -> None:
    book = new_book()
    thrown, kept = book["discard_slots"][0].tolist(), book["kept_slots"][0].tolist()
    assert thrown == [[*pair] for pair in combinations(range(6), 2)]
    assert book.tobytes() == BOOK.tobytes()
    for throw, keep in zip(thrown, kept, strict=True):
        assert len(keep) == 4
        assert sorted(throw + keep) == list(range(6))
        assert keep == sorted(keep)


@pytest.mark.kernels
def test_before_the_crib_the_dealer_may_still_get_there() -> None:
    book = new_book()
    win, before, chances = book["win"][0], book["win_before_crib"][0], book["crib_chance"][0]
    for own in range(122):
        for other in (1, 2, 30, 60, 121):
            # The dealer counts the crib and is pone in the next deal.
            expected = sum(
                chance * (1.0 if points >= own else win[0, own - points, other])
                for points, chance in enumerate(chances.tolist())
            )
            assert before[1, own, other] == pytest.approx(expected)
            assert before[0, other, own] == pytest.approx(1 - expected)


@pytest.mark.kernels
def test_each_entry_stands_for_its_ranks() -> None:
    def count(hand: list[int], starter: int | None) -> Any:
        cards = hand if starter is None else [*hand, starter]
        assert len({*cards}) == len(cards)
        assert all(0 <= card < 52 for card in cards)
        return SimpleNamespace(fifteens=number_of(map(rank_of, hand)), pairs=cards[-1], runs=2)

    def number_of(ranks: Iterable[int]) -> int:
        number = 0
        for rank in ranks:
            number = 13 * number + rank
        return number

    with patch.object(scoring, "score_hand", count):
        show, alone = build_show_points(), build_alone_points()
    assert (show.dtype, alone.dtype) == (np.int16, np.int16)
    assert (show.shape, alone.shape) == ((1820, 13), (1820,))
    offsets = BOOK["rank_offset"][0].tolist()
    for ranks in combinations_with_replacement(range(13), 4):
        row = sum(offsets[place][rank] for place, rank in enumerate(ranks))
        number = number_of(ranks) + 2
        # Of the suits of one rank the first that is free is taken.
        last = 4 * ranks[3] + ranks[:3].count(ranks[3])
        assert alone[row] == number + last
        free = [ranks.count(rank) for rank in range(13)]
        assert show[row].tolist() == [
            number + 4 * rank + free[rank] if free[rank] < 4 else 0 for rank in range(13)
        ]


@pytest.mark.kernels
def test_the_command_writes_what_is_built() -> None:
    with TemporaryDirectory() as folder:
        data = Path(folder, "data")
        built = {"build_show_points": np.ones((2, 3)), "build_alone_points": np.zeros(4)}
        for _ in range(2):  # also over what is there
            made = {name: Mock(return_value=array) for name, array in built.items()}
            with patch.multiple(tables, DATA=data, **made):
                tables.main()
            assert sorted(path.name for path in data.iterdir()) == [
                "alone_points.npy",
                "show_points.npy",
            ]
            assert np.array_equal(np.load(data / "show_points.npy"), np.ones((2, 3)))
            assert np.array_equal(np.load(data / "alone_points.npy"), np.zeros(4))
