"""The network of habits with other weights than its own, so that each of them is seen to count."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env.bots.expert import habits
from cribbage_env.bots.expert.habits import (
    _only_fitting,
    _write_scores,
    choose_by_habit,
    habit_likelihood,
    write_action_inputs,
    write_state_inputs,
)
from cribbage_env.engine.tables import load_book
from cribbage_env.scoring import score_play

BOOK = load_book()[0]
GONE = -1
UNSCORED = -1e9
pytestmark = pytest.mark.kernels

Position = tuple[list[int], int, list[int], bool]
"""The ranks of a hand's four places, the other's cards, the count's ranks, and who said go."""


def book_with(**weights: Any) -> Any:
    """Return a book whose network has some other weights."""
    book = load_book().copy()
    for name, values in weights.items():
        book[name][0] = values
    return book[0]


def random_book(seed: int) -> Any:
    generator = np.random.default_rng(seed)
    names = ("state", "action", "bias", "second", "second_bias", "out")
    shapes = {f"habit_{name}": BOOK[f"habit_{name}"].shape for name in names}
    weights = {name: generator.normal(0, 0.5, shape) for name, shape in shapes.items()}
    weights["habit_state"][habits.NOTHING] = 0
    return book_with(**weights)


def value(rank: int) -> int:
    return min(rank + 1, 10)


def fits(rank: int, pile: list[int]) -> bool:
    return rank >= 0 and sum(map(value, pile)) + value(rank) <= 31


def as_arrays(position: Position) -> tuple[Any, ...]:
    """Return a position as the kernels take it, with room behind the pile."""
    hand, others, pile, is_alone = position
    room = np.array([*pile, *[0] * (14 - len(pile))])
    return np.array(hand), others, room, len(pile), sum(map(value, pile)), is_alone


def positions(number: int, seed: int) -> list[Position]:
    """Return hands with up to three places gone, beside piles of up to six cards."""
    generator = np.random.default_rng(seed)
    found: list[Position] = []
    while len(found) < number:
        most = 52 if generator.random() < 0.5 else 20  # low cards, of which many fit
        ranks = (generator.permutation(most) // 4).tolist()
        hand, pile = ranks[:4], ranks[4 : 4 + generator.integers(0, 7)]
        for place in generator.permutation(4)[: generator.integers(0, 4)]:
            hand[place] = GONE
        if sum(map(value, pile)) < 31:
            others, is_alone = int(generator.integers(0, 5)), bool(generator.random() < 0.5)
            found.append((hand, others, pile, is_alone))
    return found


POSITIONS = [
    ([3, 3, 3, 3], 4, [], False),
    ([2, 3, 3, 12], 4, [9, 9], False),
    ([0, 0, GONE, 1], 0, [9, 9, 9], True),
    *positions(30, seed=7),
]


def state_of(position: Position) -> list[int]:
    """Return the rows that stand for what is seen, each kind's first one by number."""
    hand, others, pile, is_alone = position
    before_that, before = [13, 13, *pile][-2:]
    return [
        sum(map(value, pile)),
        32 + before,
        46 + before_that,
        60 + sum(rank >= 0 for rank in hand),
        65 + others,
        70 if not pile else 85,
        71 if is_alone else 85,
        *(72 + rank if rank >= 0 else 85 for rank in hand),
    ]


def action_of(rank: int, position: Position, book: Any) -> tuple[list[int], int, float]:
    """Return the rows that stand for a rank, its points and its worth."""
    hand, _, pile, _ = position
    laid = [*pile, rank]
    points = score_play([4 * one + laid[:place].count(one) for place, one in enumerate(laid)]).total
    after = sum(map(value, laid))
    rows = [rank, 13 + after, 45 + min(hand.count(rank), 3)]
    return rows, points, points - book.reply_risk[after, rank, [13, *pile][-1]]


def scores_of(position: Position, book: Any) -> list[float]:
    """Return the score of each place's rank, in NumPy; none where it's an earlier place's."""
    hand, _, pile, _ = position
    seen = book.habit_bias.astype(float) + book.habit_state[state_of(position)].sum(0)
    scores = []
    for slot, rank in enumerate(hand):
        if not fits(rank, pile) or rank in hand[:slot]:
            scores.append(UNSCORED)
            continue
        rows, points, worth = action_of(rank, position, book)
        first = seen + book.habit_action[rows].sum(0)
        first = first + points / 3 * book.habit_action[49] + worth / 3 * book.habit_action[50]
        last = np.maximum(first, 0) @ book.habit_second + book.habit_second_bias
        scores.append(float(np.maximum(last, 0) @ book.habit_out))
    return scores


def found_scores(position: Position, book: Any) -> NDArray[np.float32]:
    scores = np.full(4, np.nan, np.float32)
    _write_scores(*as_arrays(position), book, scores)
    return scores


def test_the_network_has_the_rows_that_are_named() -> None:
    assert len(BOOK.habit_state) == habits.STATE_ROWS
    assert len(BOOK.habit_action) == habits.ACTION_ROWS
    assert len(state_of(POSITIONS[0])) == habits.NUM_STATE_INPUTS
    assert len(action_of(3, POSITIONS[0], BOOK)[0]) == habits.NUM_ACTION_INPUTS


def test_rows_stand_for_every_position() -> None:
    for position in POSITIONS:
        hand, *_, pile, size, count, _ = arrays = as_arrays(position)
        rows = np.full(habits.NUM_STATE_INPUTS, -1)
        write_state_inputs(*arrays, rows)
        assert rows.tolist() == state_of(position)
        for slot in range(4):
            if fits(hand[slot], position[2]):
                rows = np.full(habits.NUM_ACTION_INPUTS, -1)
                found = write_action_inputs(hand, slot, pile, size, count, BOOK, rows)
                expected, *numbers = action_of(int(hand[slot]), position, BOOK)
                assert rows.tolist() == expected
                assert found == pytest.approx(numbers)


@pytest.mark.parametrize("book", [BOOK, random_book(1)])
def test_scores_are_the_networks(book: Any) -> None:
    for position in POSITIONS:
        expected = scores_of(position, book)
        assert found_scores(position, book) == pytest.approx(expected, rel=1e-4, abs=1e-4)


def test_a_choice_is_told_from_an_only_rank() -> None:
    for hand, _, pile, _ in [*POSITIONS, *positions(600, seed=8)]:
        places = [slot for slot in range(4) if fits(hand[slot], pile)]
        only = places[0] if places else -1
        expected = -2 if len({hand[slot] for slot in places}) > 1 else only
        assert _only_fitting(np.array(hand), sum(map(value, pile))) == expected


@pytest.mark.parametrize("book", [BOOK, random_book(2)])
def test_the_likeliest_rank_is_laid_and_each_as_likely_as_its_score(book: Any) -> None:
    for position in POSITIONS:
        hand, _, pile, _ = position
        arrays, scores = as_arrays(position), scores_of(position, book)
        fitting = [slot for slot in range(4) if fits(hand[slot], pile)]
        best = int(np.argmax(scores)) if fitting else -1
        assert choose_by_habit(*arrays, book) == best
        shares = np.exp(np.array(scores) - max(scores))
        for slot in fitting:
            share = shares[[one == hand[slot] for one in hand]].sum() / shares.sum()
            found = habit_likelihood(*arrays, hand[slot], book)
            assert found == pytest.approx(0.02 + 0.98 * share, rel=1e-4)


def test_high_scores_are_as_good_as_low_ones() -> None:
    """Two ranks between which scores of thousands make no doubt, and two that are as likely."""
    sure = book_with(habit_out=1e4 * BOOK.habit_out)
    position = ([4, 5, GONE, GONE], 2, [9], False)
    arrays, scores = as_arrays(position), scores_of(position, sure)
    assert max(map(abs, scores[:2])) > 1000
    likely = [habit_likelihood(*arrays, rank, sure) for rank in (4, 5)]
    assert sorted(likely) == pytest.approx([0.02, 1.0])
    alike = book_with(habit_out=0)
    assert habit_likelihood(*arrays, 4, alike) == pytest.approx(0.51)
    assert choose_by_habit(*arrays, alike) == 0


@pytest.mark.skipif(not numba.config.DISABLE_JIT, reason="compiled, memory isn't NumPy's to fill")
def test_no_memory_is_read_that_was_not_written() -> None:
    arrays = as_arrays(POSITIONS[1])
    expected = choose_by_habit(*arrays, BOOK), habit_likelihood(*arrays, 3, BOOK)
    with patch.object(np, "empty", lambda shape, dtype: np.full(shape, 99, dtype)):
        found = choose_by_habit(*arrays, BOOK), habit_likelihood(*arrays, 3, BOOK)
    assert found == expected
