"""Lanes: players that move in the kernels, forced cards, deals that follow, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cribbage_env import Game
from cribbage_env.engine.flow import ALREADY_OVER, DONE, ILLEGAL
from cribbage_env.engine.layout import DEAL_OVER, DISCARD, NO_LOG
from cribbage_env.lanes import CALLER, Lanes, begin_next_deals, play_forced
from cribbage_env.policy import Policy, make_policy
from tests.games import DISCARDS, POSITION
from tests.players import Asked
from tests.positions import view_of, write_row

pytestmark = pytest.mark.kernels
QUICK = "expert:lookahead=0,removal=false,score_aware=false"
"""The expert without what takes its time: large for the kernels all the same."""


def begun(players: list[Policy], number: int = 2, *, target: int = 31, **options: Any) -> Lanes:
    lanes = Lanes(number, players, **options)
    every = np.arange(number)
    seeds, nobody = np.full(number, 4, np.uint64), np.full(number, -1)
    lanes.begin(every, seeds, every, nobody, np.zeros((number, 2), np.int64), target)
    return lanes


@pytest.mark.parametrize("other", ["greedy", QUICK])
def test_a_large_player_moves_in_the_kernel_as_if_it_were_asked(other: str) -> None:
    ends = []
    for expert in (make_policy(QUICK), Asked(QUICK)):
        lanes = begun([expert, make_policy(other)])
        lanes.seats[:] = (0, 1), (1, 0)
        lanes.play_on()
        assert (lanes.states["winner"] >= 0).all()
        ends.append((lanes.states.tobytes(), lanes.tally.tobytes()))
    assert ends[0] == ends[1]


def test_a_large_player_waits_for_the_caller() -> None:
    lanes = begun([make_policy(QUICK)])
    lanes.seats[:] = (0, CALLER), (CALLER, 0)
    lanes.play_on()
    assert lanes.states["turn"].tolist() == [1, 0]
    assert (lanes.states["phase"] == DISCARD).all()


def test_a_lane_is_told_what_the_view_is_told() -> None:
    lanes = Lanes(1)
    game = Game.from_position(**POSITION, discards=DISCARDS, plays="6S 9S TD 6D 5H")
    lanes.states[:] = game.state
    (row,), _, _ = lanes.observe(np.zeros(1, np.int64), np.ones(1, np.int64), "lookahead")
    expected = np.full_like(row, np.nan)
    write_row(view_of(game.state[0], 1), "lookahead", expected)
    assert (row == expected).all()


def test_cards_without_a_choice_are_laid_for_the_caller() -> None:
    """The dealer has two cards for a new count, pone one: nothing is forced before she leads."""
    lanes = Lanes(3)
    for lane, plays in enumerate(("4H 6D 5H 7C 6S", "4H 6D 5H 7C 6S 9S", "4H 6D 5H 7C 6S 9S TD")):
        game = Game.from_position(**POSITION, discards=DISCARDS, plays=plays)
        lanes.states[lane] = game.state[0]
    lanes.seats[:] = CALLER
    laid = play_forced(lanes.states, lanes.seats, lanes.book, NO_LOG, lanes.tally, True)
    assert laid == 0 + 2 + 1
    assert lanes.states["plays_made"].tolist() == [5, 8, 8]
    assert (lanes.states["phase"][1:] == DEAL_OVER).all()
    assert (lanes.states[1]["scores"] == lanes.states[2]["scores"]).all()
    assert lanes.tally[1].sum() == lanes.states[1]["scores"].sum()
    assert not lanes.tally[0].any()


def test_the_next_deal_begins_where_one_is_over() -> None:
    lanes = begun([make_policy("greedy")], target=121, is_one_deal=True)
    lanes.seats[0] = 0
    lanes.seats[1] = CALLER
    lanes.play_on()
    assert lanes.states["phase"].tolist() == [DEAL_OVER, DISCARD]
    before = lanes.states.copy()
    begin_next_deals(lanes.states, NO_LOG)
    assert lanes.states["phase"].tolist() == [DISCARD, DISCARD]
    assert lanes.states["deals"].tolist() == [2, 1]
    assert lanes.states["dealer"][0] == 1 - before["dealer"][0]
    assert (lanes.states[0]["scores"] == before[0]["scores"]).all()
    assert lanes.states[1] == before[1]


def test_what_the_rules_forbid_is_said_and_changes_nothing() -> None:
    lanes = Lanes(3)
    for lane, scores in enumerate(((0, 0), (0, 0), (118, 0))):
        game = Game.from_position(**POSITION, discards=DISCARDS, plays="4H 6D 5H", scores=scores)
        lanes.states[lane] = game.state[0]
    assert lanes.states["winner"].tolist() == [-1, -1, 0]  # by fifteen and a run
    before = lanes.states.copy()
    laid = 15 + 1  # the six: it is on the table
    assert lanes.step(np.array([laid, -1, laid])).tolist() == [ILLEGAL, DONE, ALREADY_OVER]
    assert (lanes.states == before).all()
    assert lanes.step(np.array([0, -1, 0])).tolist() == [ILLEGAL, DONE, ALREADY_OVER]
    assert (lanes.states == before).all()
