"""Bad arguments, options and actions: each refusal names the value and what is allowed."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

import cribbage_env
from cribbage_env import CribbageEnv, CribbageVectorEnv

SHORT_DECK = "AC 2C 3C"
DOUBLE_DECK = "AC AC 3C 4C 5C 6C 7C 8C 9C TC JC QC KC"

ARGUMENTS: list[tuple[dict[str, Any], type[Exception], list[str]]] = [
    ({"opponent": "greedi"}, ValueError, ["'greedi'", "random, greedy"]),
    ({"opponent": "random:x=1"}, ValueError, ["random:x=1", "none"]),
    ({"opponent": "random:x"}, ValueError, ["'x'", "name=value"]),
    ({"opponent": ""}, ValueError, ["''", "random, greedy"]),
    ({"opponent": []}, ValueError, ["empty", "None"]),
    ({"opponent": ["greedy", "nobody"]}, ValueError, ["'nobody'", "random, greedy"]),
    ({"opponent": [None]}, TypeError, ["None", "Policy"]),
    ({"opponent": 3}, TypeError, ["3", "Policy"]),
    ({"opponent": "ppo:no-such-run"}, ValueError, ["no-such-run"]),
    ({"opponent": "no.such.module:player"}, ValueError, ["no.such.module", "random, greedy"]),
    ({"opponent": "tests.envs.players:nothing"}, ValueError, ["'nothing'"]),
    ({"target": 0}, ValueError, ["0", "1..1000"]),
    ({"target": -121}, ValueError, ["-121", "1..1000"]),
    ({"target": 1001}, ValueError, ["1001", "1..1000"]),
    ({"target": 121.0}, TypeError, ["121.0", "integer"]),
    ({"target": "121"}, TypeError, ["'121'", "integer"]),
    ({"target": True}, TypeError, ["True", "integer"]),
    ({"target": None}, TypeError, ["None", "integer"]),
    ({"reward": "points"}, ValueError, ["'points'", "'score_diff', 'win', 'skunk'"]),
    ({"reward": None}, ValueError, ["None", "'score_diff'"]),
    ({"reward": ["win"]}, ValueError, ["['win']", "'score_diff'"]),
    ({"observation": "pixels"}, ValueError, ["'pixels'", "'cards'", "'features'"]),
    ({"observation": 0}, ValueError, ["0", "'cards'"]),
    ({"illegal_action": "ignore"}, ValueError, ["'ignore'", "'forfeit', 'random', 'raise'"]),
    ({"illegal_action": None}, ValueError, ["None", "'forfeit'"]),
    ({"render_mode": "svg"}, ValueError, ["'svg'"]),
]

OPTIONS: list[tuple[Any, type[Exception], list[str]]] = [
    ({"dealr": 0}, ValueError, ["'dealr'", "dealer, scores, deck"]),
    ({0: 0}, ValueError, ["0", "dealer, scores, deck"]),
    ({"dealer": 2}, ValueError, ["2", "0 and 1"]),
    ({"dealer": -1}, ValueError, ["-1", "0 and 1"]),
    ({"dealer": "0"}, TypeError, ["'0'", "integer"]),
    ({"dealer": True}, TypeError, ["True", "integer"]),
    ({"scores": (121, 0)}, ValueError, ["121", "0..120"]),
    ({"scores": (0, -1)}, ValueError, ["-1", "0..120"]),
    ({"scores": (0, 0, 0)}, ValueError, ["(0, 0, 0)", "seat 0"]),
    ({"scores": 5}, (ValueError, TypeError), ["5", "pair"]),  # type: ignore[list-item]
    ({"scores": (1.5, 0)}, TypeError, ["1.5", "integer"]),
    ({"scores": None}, (ValueError, TypeError), ["None", "pair"]),  # type: ignore[list-item]
    ({"scores": "12"}, (ValueError, TypeError), ["'12'", "pair"]),  # type: ignore[list-item]
    ({"deck": SHORT_DECK}, ValueError, ["3", "13"]),
    ({"deck": DOUBLE_DECK}, ValueError, ["AC"]),
    ({"deck": "XX " + SHORT_DECK}, ValueError, ["XX"]),
    ({"deck": [52, *range(12)]}, ValueError, ["52"]),
    ({"deck": 1.5}, TypeError, ["1.5"]),
    ([("dealer", 0)], TypeError, ["[('dealer', 0)]", "dictionary"]),
    (5, TypeError, ["5", "dictionary"]),
]

ACTIONS: list[tuple[Any, type[Exception], list[str]]] = [
    (19, ValueError, ["19", "0..18"]),
    (-1, ValueError, ["-1", "0..18"]),
    (2**70, ValueError, [str(2**70), "0..18"]),
    (np.int64(40), ValueError, ["40", "0..18"]),
    (3.0, TypeError, ["3.0", "integer"]),
    (np.float32(3), TypeError, ["3.0", "integer"]),
    ("3", TypeError, ["'3'", "integer"]),
    (None, TypeError, ["None", "integer"]),
    (True, TypeError, ["True", "integer"]),
    (np.array([3]), TypeError, ["[3]", "integer"]),
    ([3], TypeError, ["[3]", "integer"]),
]


def check(error: BaseException, parts: list[str]) -> None:
    for part in parts:
        assert part in str(error), f"{part!r} is missing from: {error}"


@pytest.mark.parametrize(("arguments", "error", "parts"), ARGUMENTS, ids=range(len(ARGUMENTS)))
@pytest.mark.parametrize("make", [CribbageEnv, CribbageVectorEnv])
def test_bad_arguments(make: Any, arguments: Any, error: type[Exception], parts: Any) -> None:
    with pytest.raises(error) as caught:
        make(**arguments)
    check(caught.value, parts)


def test_bad_arguments_come_through_gymnasium_make() -> None:
    with pytest.raises(ValueError, match="'score_diff', 'win', 'skunk', not 'points'"):
        gymnasium.make("Cribbage-v0", reward="points")
    with pytest.raises(TypeError, match="colour"):
        gymnasium.make("Cribbage-v0", colour="red")


@pytest.mark.parametrize(("options", "error", "parts"), OPTIONS, ids=range(len(OPTIONS)))
def test_bad_options_leave_the_games_as_they_were(options: Any, error: Any, parts: Any) -> None:
    env, envs = CribbageEnv(opponent="random"), CribbageVectorEnv(3, opponent="random")
    # Nor does the very first reset begin anything.
    for fresh in (env, envs):
        with pytest.raises(error):
            fresh.reset(seed=1, options=options)
        with pytest.raises(gymnasium.error.ResetNeeded):
            fresh.step(0)  # type: ignore[arg-type]
    env.reset(seed=1)
    envs.reset(seed=1)
    env.step(0)
    record, states = env.game.to_record(), envs.lanes.states.copy()
    for one in (env, envs):
        with pytest.raises(error) as caught:
            one.reset(seed=2, options=options)
        check(caught.value, parts)
    assert env.game.to_record() == record
    assert (envs.lanes.states == states).all()
    env.reset()
    assert (env.game.seed, env.game.number) == (1, 1)


@pytest.mark.parametrize(("action", "error", "parts"), ACTIONS, ids=range(len(ACTIONS)))
@pytest.mark.parametrize("illegal_action", ["forfeit", "random", "raise"])
def test_actions_outside_the_space_are_refused(
    action: Any, error: type[Exception], parts: list[str], illegal_action: str
) -> None:
    env = CribbageEnv(illegal_action=illegal_action)
    env.reset(seed=1)
    record = env.game.to_record()
    with pytest.raises(error) as caught:
        env.step(action)
    check(caught.value, parts)
    assert env.game.to_record() == record
    assert env.action_masks().sum() == 15


@pytest.mark.parametrize(
    ("actions", "error", "parts"),
    [
        ([0, 19, 0], ValueError, ["19", "lane 1", "0..18"]),
        ([0, 0, -1], ValueError, ["-1", "lane 2", "0..18"]),
        ([0, 0], ValueError, ["(2,)", "(3,)"]),
        ([[0], [0], [0]], ValueError, ["(3, 1)", "(3,)"]),
        (0, ValueError, ["()", "(3,)"]),
        ([0.0, 0.0, 0.0], TypeError, ["float64", "integers"]),
        ([True, False, True], TypeError, ["bool", "integers"]),
        (["0", "0", "0"], TypeError, ["integers"]),
        (None, TypeError, ["object", "integers"]),
        (np.array([0, 2**63, 0], np.uint64), ValueError, [str(2**63), "lane 1", "0..18"]),
    ],
)
def test_bad_actions_of_many_lanes(actions: Any, error: Any, parts: list[str]) -> None:
    envs = CribbageVectorEnv(3)
    envs.reset(seed=1)
    states = envs.lanes.states.copy()
    with pytest.raises(error) as caught:
        envs.step(actions)
    check(caught.value, parts)
    assert (envs.lanes.states == states).all()


@pytest.mark.parametrize(
    ("seed", "error", "parts"),
    [
        (-1, ValueError, ["-1", "0..2**64 - 1"]),
        (2**64, ValueError, [str(2**64), "0..2**64 - 1"]),
        (1.5, TypeError, ["1.5", "integer"]),
        ("1", TypeError, ["'1'", "integer"]),
        (True, TypeError, ["True", "integer"]),
    ],
)
def test_bad_seeds(seed: Any, error: type[Exception], parts: list[str]) -> None:
    env, envs = CribbageEnv(), CribbageVectorEnv(2)
    for one in (env, envs):
        one.reset(seed=5)
        with pytest.raises(error) as caught:
            one.reset(seed=seed)
        check(caught.value, parts)
    assert (env.game.seed, env.game.number) == (5, 0)
    assert envs.lanes.states[["seed", "game"]].tolist() == [(5, 0), (6, 0)]


@pytest.mark.parametrize(
    ("call", "error", "parts"),
    [
        ({"seed": [1, 2, 3]}, ValueError, ["3", "2 lanes"]),
        ({"seed": [1, -2]}, ValueError, ["-2", "0..2**64 - 1"]),
        ({"seed": [1, 2.5]}, TypeError, ["2.5", "integer"]),
        ({"options": {"reset_mask": np.ones(3, np.bool_)}}, ValueError, ["(3,)", "(2,)"]),
        ({"options": {"reset_mask": np.ones(2, np.int64)}}, TypeError, ["int64", "bools"]),
        ({"options": {"reset_mask": 1}}, TypeError, ["bools"]),
        ({"options": {"mask": None}}, ValueError, ["'mask'", "reset_mask"]),
    ],
)
def test_bad_resets_of_many_lanes(call: Any, error: type[Exception], parts: list[str]) -> None:
    envs = CribbageVectorEnv(2)
    envs.reset(seed=1)
    states = envs.lanes.states.copy()
    with pytest.raises(error) as caught:
        envs.reset(**call)
    check(caught.value, parts)
    assert (envs.lanes.states == states).all()


@pytest.mark.parametrize(
    ("arguments", "error", "parts"),
    [
        ({"num_envs": 0}, ValueError, ["0", "1 or more"]),
        ({"num_envs": -3}, ValueError, ["-3", "1 or more"]),
        ({"num_envs": 2.0}, TypeError, ["2.0", "integer"]),
        ({"num_envs": True}, TypeError, ["True", "integer"]),
        ({"autoreset_mode": "never"}, ValueError, ["'never'", "'NextStep'", "'Disabled'"]),
        ({"autoreset_mode": None}, ValueError, ["None", "'SameStep'"]),
    ],
)
def test_bad_arguments_of_the_vector_environment(arguments: Any, error: Any, parts: Any) -> None:
    with pytest.raises(error) as caught:
        CribbageVectorEnv(**arguments)
    check(caught.value, parts)


def test_nothing_is_played_after_the_end() -> None:
    env = CribbageEnv()
    with pytest.raises(ValueError, match=r"reset\(\)"):
        env.action_masks()
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"reset\(\)"):
        env.step(0)
    env.reset(seed=1)
    env.step(18)
    record = env.game.to_record()
    with pytest.raises(gymnasium.error.ResetNeeded, match="after the end"):
        env.step(0)
    assert env.game.to_record() == record


def test_reset_mask_is_unknown_to_the_single_environment() -> None:
    with pytest.raises(ValueError, match="'reset_mask'"):
        CribbageEnv().reset(options={"reset_mask": np.ones(1, np.bool_)})


def test_mask_in_observation_passes_refusals_on() -> None:
    env = cribbage_env.MaskInObservation(CribbageEnv())
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"19 is outside 0\.\.18"):
        env.step(19)
