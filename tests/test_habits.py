"""Habits: the network that says what strong players lay, against plain NumPy and a plain walk."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env.bots.expert import habits
from cribbage_env.bots.expert.habits import (
    LEAST,
    choose_by_habit,
    habit_likelihood,
    write_action_inputs,
    write_state_inputs,
)
from cribbage_env.bots.expert.layout import BY_HABIT
from cribbage_env.bots.expert.ranks import GONE
from cribbage_env.bots.expert.worlds import MOST_WORLDS, write_worlds
from cribbage_env.engine.layout import VIEW
from cribbage_env.engine.reply import count_pool
from cribbage_env.engine.tables import DATA, load_book
from cribbage_env.engine.view import write_view
from cribbage_env.game import Game

BOOK = load_book()[0]
RANKS = "A23456789TJQK"
pytestmark = pytest.mark.kernels


def hand_of(text: str) -> NDArray[np.int64]:
    """Return up to four ranks, GONE behind them."""
    return np.array([RANKS.index(rank) for rank in text] + [GONE] * (4 - len(text)))


def pile_of(text: str) -> NDArray[np.int64]:
    """Return the ranks of a count, with room behind them."""
    pile = np.zeros(14, np.int64)
    pile[: len(text)] = [RANKS.index(rank) for rank in text]
    return pile


def count_of(text: str) -> int:
    return sum(min(RANKS.index(rank) + 1, 10) for rank in text)


def scores_of(hand: str, others: int, pile: str, is_alone: bool) -> dict[str, float]:
    """Return the score of each rank that fits, worked out in NumPy from the weights."""
    count = count_of(pile)
    seen = BOOK.habit_bias + BOOK.habit_state[habits.COUNT + count]
    names = ["-", "-", *pile][-2:]
    before_that, before = (13 if name == "-" else RANKS.index(name) for name in names)
    seen = seen + BOOK.habit_state[habits.BEFORE + before]
    seen = seen + BOOK.habit_state[habits.BEFORE_THAT + before_that]
    seen = seen + BOOK.habit_state[habits.OWN_CARDS + len(hand)]
    seen = seen + BOOK.habit_state[habits.OTHER_CARDS + others]
    seen = seen + BOOK.habit_state[habits.IS_LEAD] * (pile == "")
    seen = seen + BOOK.habit_state[habits.IS_ALONE] * is_alone
    for rank in hand:
        seen = seen + BOOK.habit_state[habits.HOLDS + RANKS.index(rank)]
    scores = {}
    for rank in dict.fromkeys(hand):
        after = count + count_of(rank)
        if after > 31:
            continue
        rows, places = np.zeros(3, np.int64), list(hand)
        points, worth = write_action_inputs(
            hand_of(hand), places.index(rank), pile_of(pile), len(pile), count, BOOK, rows
        )
        assert rows.tolist() == [
            habits.RANK + RANKS.index(rank),
            habits.COUNT_AFTER + after,
            habits.SAME_HELD + hand.count(rank),
        ]
        first = seen + BOOK.habit_action[rows].sum(0)
        first = first + points / 3 * BOOK.habit_action[habits.POINTS]
        first = first + worth / 3 * BOOK.habit_action[habits.WORTH]
        last = np.maximum(first, 0) @ BOOK.habit_second + BOOK.habit_second_bias
        scores[rank] = float(np.maximum(last, 0) @ BOOK.habit_out)
    return scores


CASES = [
    ("5TJK", 4, "", False),
    ("4446", 4, "7", False),
    ("A289", 3, "TQ", False),
    ("38", 2, "9T", True),
    ("TJQK", 4, "5", False),
]


@pytest.mark.parametrize(("hand", "others", "pile", "is_alone"), CASES)
def test_likelihoods_are_what_numpy_makes_of_the_weights(
    hand: str, others: int, pile: str, is_alone: bool
) -> None:
    scores = scores_of(hand, others, pile, is_alone)
    shares = np.exp(np.array(list(scores.values())) - max(scores.values()))
    shares = LEAST + (1 - LEAST) * shares / shares.sum()
    for rank, share in zip(scores, shares, strict=True):
        found = habit_likelihood(
            hand_of(hand),
            others,
            pile_of(pile),
            len(pile),
            count_of(pile),
            is_alone,
            RANKS.index(rank),
            BOOK,
        )
        assert found == pytest.approx(share, rel=1e-4)
    chosen = choose_by_habit(
        hand_of(hand), others, pile_of(pile), len(pile), count_of(pile), is_alone, BOOK
    )
    assert hand[chosen] == max(scores, key=lambda rank: scores[rank])


def test_where_there_is_no_choice_nothing_is_weighed() -> None:
    choose = choose_by_habit
    assert choose(hand_of("2K"), 1, pile_of("TTT"), 3, 30, True, BOOK) == -1
    assert choose(hand_of("KA"), 1, pile_of("TTT"), 3, 30, True, BOOK) == 1
    assert choose(hand_of("77"), 4, pile_of("8"), 1, 8, False, BOOK) == 0
    assert habit_likelihood(hand_of("KA"), 1, pile_of("TTT"), 3, 30, True, 0, BOOK) == 1.0
    assert habit_likelihood(hand_of("77"), 4, pile_of("8"), 1, 8, False, 6, BOOK) == 1.0


def test_habits_are_those_of_cribbage() -> None:
    """A five isn't led, fifteen is made, and of a pair one card is led before a ten."""

    def likely(hand: str, pile: str, rank: str) -> float:
        return float(
            habit_likelihood(
                hand_of(hand),
                4,
                pile_of(pile),
                len(pile),
                count_of(pile),
                False,
                RANKS.index(rank),
                BOOK,
            )
        )

    assert likely("5678", "", "5") < 0.1
    assert likely("58JK", "T", "5") > 0.9
    assert likely("44JQ", "", "4") > 0.6


def test_rows_stand_for_what_is_seen() -> None:
    rows = np.zeros(11, np.int64)
    write_state_inputs(hand_of("A9"), 3, pile_of("TQ5"), 3, 25, True, rows)
    assert rows.tolist() == [25, 32 + 4, 46 + 11, 62, 68, 85, 71, 72, 80, 85, 85]
    write_state_inputs(hand_of("5TJK"), 4, pile_of(""), 0, 0, False, rows)
    assert rows.tolist() == [0, 45, 59, 64, 69, 70, 85, 76, 81, 82, 84]


def test_a_hand_is_weighed_by_every_card_laid_from_it() -> None:
    """Pone led a four, then laid a six on the dealer's nine; the worlds are its other two."""
    game = Game.from_position(
        dealer=0,
        hands=("9S JH KH 2H 3C 7D", "4S 6H TD QC AH 2D"),
        starter="8S",
        discards=("3C 7D", "AH 2D"),
        plays="4S 9S 6H",
    )
    view, pool = np.zeros(1, VIEW), np.empty(13, np.int64)
    write_view(game.state[0], 0, view[0])
    count_pool(view[0], pool)
    worlds, weights = np.empty((MOST_WORLDS, 4), np.int64), np.empty(MOST_WORLDS)
    number = write_worlds(view[0], pool, BY_HABIT, BOOK, worlds, weights)
    unread = np.empty(MOST_WORLDS)
    compared = 0
    for other in ("TQ", "5J", "44"):
        hand = sorted(RANKS.index(rank) for rank in other)
        place = int(np.flatnonzero((worlds[:number, :2] == hand).all(axis=1))[0])
        expected = weight_by_hand(other, pool)
        unread[compared] = weights[place] / expected
        compared += 1
    assert unread[:compared] == pytest.approx(unread[0], rel=1e-6)


def weight_by_hand(other: str, pool: NDArray[np.int64]) -> float:
    """Return what two ranks beside the four and the six weigh, but for a common factor."""
    first, second = (RANKS.index(rank) for rank in other)
    ways = pool[first] * (pool[second] - (first == second)) / (1 + (first == second))
    index = sum(
        int(BOOK.rank_offset[place, rank])
        for place, rank in enumerate(sorted([3, 5, first, second]))
    )
    kept = BOOK.keep_weight[0, index]
    lead = habit_likelihood(hand_of(other + "46"), 4, pile_of(""), 0, 0, False, 3, BOOK)
    reply = habit_likelihood(hand_of(other + "6"), 3, pile_of("49"), 2, 13, False, 5, BOOK)
    return float(ways * kept * lead * reply)


def test_how_they_were_learnt_is_said() -> None:
    made: dict[str, Any] = json.loads((DATA / "habits.json").read_text("utf-8"))
    assert made["command"].startswith("python -m agents.habits --players expert expert club")
    assert made["held_out"]["log_likelihood"] > -0.48
