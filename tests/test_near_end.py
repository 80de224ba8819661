"""Near the end of the game every player of any strength takes what wins at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env import opponent_names
from cribbage_env.cards import parse_cards
from cribbage_env.engine.flow import step
from cribbage_env.engine.layout import GAME_OVER, NO_LOG, PLAY, STATE
from cribbage_env.game import Game
from cribbage_env.lanes import Lanes
from cribbage_env.policy import make_policy
from cribbage_env.scoring import score_play
from tests.positions import BOOK, legal_actions, random_states, view_of
from tests.test_cases import by_seat, keep, read_cases

PLAYERS = [name for name in opponent_names() if name not in ("random", "greedy")]
TARGET = 121


def choices(player: str, states: NDArray[Any]) -> NDArray[np.int64]:
    """Return what a player does in each state, asked for all at once."""
    policy = make_policy(player)
    lanes = Lanes(len(states))
    lanes.states[:] = states
    seats = states["turn"].astype(np.int64)
    observations, masks, keys = lanes.observe(np.arange(len(states)), seats, policy.observation)
    return policy.act(observations, masks, keys)


def points_now(lane: Any, action: int) -> int:
    """Return what a card scores as it is laid (R8)."""
    pile = [int(card) for card in lane.plays[lane.pile_start : lane.plays_made]]
    return score_play([*pile, int(lane.kept[lane.turn, action - 15])]).total


def winning_positions(number: int, scores: tuple[int, int] | None) -> NDArray[Any]:
    """Return positions from random play in which one of several cards wins at once.

    `scores` are (own, opponent); without them the own one is as far off as a card just reaches.
    """
    rng = np.random.default_rng(4)
    found = np.zeros(number, STATE)
    filled = 0
    for lane in random_states(40 * number, 6):
        if lane.phase != PLAY:
            continue
        worths = [points_now(lane, action) for action in legal_actions(view_of(lane, lane.turn))]
        needed = max(worths) if scores is None else TARGET - scores[0]
        if max(worths) == 0 or max(worths) < needed or min(worths) >= needed:
            continue
        own, other = scores or (TARGET - needed, int(rng.integers(60, TARGET)))
        lane.scores[lane.turn], lane.scores[1 - lane.turn] = own, other
        found[filled] = lane
        filled += 1
        if filled == number:
            return found
    raise AssertionError(f"only {filled} positions")


@pytest.mark.parametrize("scores", [(119, 118), None])
@pytest.mark.parametrize("player", PLAYERS)
def test_a_card_that_wins_at_once_is_laid(player: str, scores: tuple[int, int] | None) -> None:
    states = winning_positions(150, scores)
    for lane, action in zip(states, choices(player, states), strict=True):
        seat = int(lane.turn)
        assert step(lane, int(action), BOOK, NO_LOG) == 0
        assert (lane.phase, lane.winner) == (GAME_OVER, seat)


def won_cases() -> list[Any]:
    """Return the collected cases in which a card laid by choice wins the game."""
    cases = [
        case
        for case in read_cases("game")
        if case["input"].get("event", {}).get("type") == "pegging"
        and case["expected"]["winner"] == case["input"]["event"]["plays"][-1][0]
    ]
    return [pytest.param(case, id=case["id"]) for case in cases]


@pytest.mark.parametrize("dealer", [0, 1])
@pytest.mark.parametrize("case", won_cases())
@pytest.mark.parametrize("player", PLAYERS)
def test_the_collected_cases_are_won(player: str, case: dict[str, Any], dealer: int) -> None:
    given = case["input"]
    game: Game = keep(
        by_seat(given["event"]["hands"], dealer),
        dealer,
        scores=by_seat(given["scores"], dealer),
        target=TARGET,
    )
    *before, (_, last) = given["event"]["plays"]
    for _, card in before:
        game.play(card)
    winner = game.turn
    (action,) = choices(player, game.state)
    game.step(int(action))
    assert game.winner == winner
    assert game.events[-2].cards == tuple(parse_cards(last))
