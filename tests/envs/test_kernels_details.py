"""The environments' kernels beside a plain loop that steps each lane alone."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env.engine.chance import decision_key, draw
from cribbage_env.engine.layout import (
    DEAL_OVER,
    DISCARD,
    GAME_OVER,
    NO_LOG,
    NOBODY,
    PLAY,
)
from cribbage_env.engine.pegging import forfeit
from cribbage_env.envs.settings import FORFEIT, ILLEGAL_ACTIONS, RAISE, RANDOM
from cribbage_env.envs.stepping import LEGAL, SKIP, act, draw_opponent, draw_opponents, report
from cribbage_env.lanes import CALLER, Lanes
from cribbage_env.policy import make_policy
from cribbage_env.rewards import REWARDS, reward_of
from tests.alone import play_alone, states_met, take, told
from tests.positions import legal_actions, view_of

pytestmark = pytest.mark.kernels

PLAYERS = [make_policy("random"), make_policy("greedy")]
SEATS = [(CALLER, 0), (CALLER, 1), (CALLER, CALLER), (0, CALLER)]


def lanes_met() -> Lanes:
    """Return lanes that wait for the caller, each for another player, or are over."""
    lanes = Lanes(len(states_met()), PLAYERS)
    lanes.states[:] = states_met()
    lanes.seats[:] = np.resize(SEATS, lanes.seats.shape)
    for lane, seats in zip(lanes.states, lanes.seats, strict=True):
        if lane.turn != NOBODY and seats[lane.turn] != CALLER:
            seats[:] = CALLER
    lanes.tally[:] = np.arange(lanes.tally.size).reshape(lanes.tally.shape)
    return lanes


def answers(states: NDArray[Any], is_illegal: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return an action for two lanes of three, none where a game or a deal is over."""
    actions = np.full(len(states), SKIP)
    for i, lane in enumerate(states):
        if lane.phase in (DISCARD, PLAY) and i % 3:
            legal = legal_actions(view_of(lane, lane.turn))
            others = [action for action in (*range(-3, SKIP), *range(22)) if action not in legal]
            some = others if is_illegal[i] else legal
            actions[i] = some[i % len(some)]
    return actions


@pytest.mark.parametrize(
    ("on_illegal", "is_one_deal", "every"),
    [(*both, 4) for both in product((FORFEIT, RANDOM, RAISE), (False, True))] + [(RAISE, False, 0)],
)
def test_each_lane_is_stepped_as_it_would_be_alone(
    on_illegal: int, is_one_deal: bool, every: int
) -> None:
    """One lane in `every` acts illegally."""
    lanes = lanes_met()
    expected, tally = lanes.states.copy(), lanes.tally.copy()
    is_illegal = np.arange(len(expected)) % every == 1 if every else np.zeros(len(expected), bool)
    actions = answers(expected, is_illegal)
    is_illegal &= actions != SKIP
    if on_illegal != RAISE or not is_illegal.any():
        for i, lane in enumerate(expected):
            if is_illegal[i] and on_illegal == FORFEIT:
                forfeit(lane, lane.turn, NO_LOG)
                if lane.deals <= 4:
                    for seat in (0, 1):
                        tally[i, seat, int(lane.dealer == seat)] += lane.points[seat]
            elif is_illegal[i]:
                (action,) = PLAYERS[0].act(*told(lane, lane.turn, "cards"))
                take(lane, int(action), tally[i], is_one_deal)
            elif actions[i] != SKIP:
                take(lane, int(actions[i]), tally[i], is_one_deal)
            play_alone(lane, lanes.seats[i], PLAYERS, tally[i], is_one_deal)
    illegal = np.full(len(expected), 77)
    act(
        lanes.states,
        lanes.seats,
        lanes.records,
        lanes.book,
        NO_LOG,
        lanes.tally,
        is_one_deal,
        on_illegal,
        actions,
        illegal,
    )
    assert illegal.tolist() == np.where(is_illegal, actions, LEGAL).tolist()
    assert lanes.states.tobytes() == expected.tobytes()
    assert lanes.tally.tobytes() == tally.tobytes()


@pytest.mark.parametrize("reward_code", range(len(REWARDS)))
def test_each_lane_s_report_is_what_its_learner_is_told(reward_code: int) -> None:
    lanes = lanes_met()
    states, number = lanes.states, len(lanes.states)
    lanes.seats[:, 1] = np.resize([CALLER, 0, 1], number)
    is_asked, is_forfeit = np.arange(number) % 5 > 0, np.arange(number) % 2 == 0
    margins = np.arange(number) - 50
    found = (
        np.full((number, 384), 7, np.float32),
        np.full((number, 19), 7, np.int8),
        np.full(number, 7.0),
        np.full(number, 7).astype(np.bool_),
        margins.copy(),
    )
    expected = [part.copy() for part in found]
    for i in np.flatnonzero(is_asked):
        lane = states[i]
        seat = lane.turn if lanes.seats[i, 1] == CALLER and lane.turn != NOBODY else 0
        observation, mask, _ = told(lane, seat, "cards")
        reward = reward_of(lane, reward_code, margins[i], is_forfeit[i])
        is_over = lane.phase in (DEAL_OVER, GAME_OVER)
        lead = int(lane.scores[0]) - int(lane.scores[1])
        row = (observation[0], mask[0], reward, is_over, lead)
        for array, value in zip(expected, row, strict=True):
            array[i] = value
    observations, masks, rewards, terminated, margins = found
    report(
        states,
        is_asked,
        lanes.seats,
        reward_code,
        margins,
        is_forfeit,
        observations,
        masks,
        rewards,
        terminated,
    )
    for these, those in zip(found, expected, strict=True):
        assert these.tobytes() == those.tobytes()


def test_who_sits_down_is_drawn_by_seed_and_game_alone() -> None:
    """The key is that of a third seat, which has no decisions."""
    seeds = np.array([0, 1, 2**64 - 1, 7, 7, 7], np.uint64)
    games = np.array([0, 0, 3, 0, 1, 10**6])
    for number in (1, 2, 3, 50):
        drawn = draw_opponents(seeds, games, number)
        expected = [
            draw(np.uint64(decision_key(seed, game, 0, 2, 0)), 0, number)
            for seed, game in zip(seeds, games, strict=True)
        ]
        assert drawn.dtype == np.int64
        assert drawn.tolist() == expected
        assert [draw_opponent(*both, number) for both in zip(seeds, games, strict=True)] == expected


def test_codes_of_what_may_follow() -> None:
    assert (SKIP, LEGAL) == (-1, -1)
    assert [ILLEGAL_ACTIONS[code] for code in (FORFEIT, RANDOM, RAISE)] == [
        "forfeit",
        "random",
        "raise",
    ]
