"""What Gymnasium itself demands: its checker, its wrappers, its ways to make environments."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AsyncVectorEnv, AutoresetMode, SyncVectorEnv

import cribbage_env
from tests.envs.players import choose, chosen, same
from tests.envs.processes import run_python

IDS = ["Cribbage-v0", "CribbageDeal-v0"]


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("observation", ["cards", "features", "lookahead"])
@pytest.mark.parametrize("opponent", ["greedy", None])
def test_gymnasiums_checker_finds_nothing(name: str, observation: str, opponent: Any) -> None:
    env = gymnasium.make(name, observation=observation, opponent=opponent)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=True)
        warnings.filterwarnings("ignore", message=".*different from the unwrapped version")
        check_env(cribbage_env.MaskInObservation(env), skip_render_check=True)


@pytest.mark.parametrize("name", IDS)
def test_a_fresh_process_makes_it_by_the_prefixed_name_without_an_import(name: str) -> None:
    printed = run_python(
        f"""
import gymnasium, numpy
env = gymnasium.make("cribbage_env:{name}")
envs = gymnasium.make_vec("cribbage_env:{name}", num_envs=2)
a, b = env.reset(seed=5), envs.reset(seed=5)
assert (a[0] == b[0][0]).all()
print(env.spec.id, type(env.unwrapped).__name__, type(envs).__name__)
"""
    )
    assert printed.split() == [name, "CribbageEnv", "CribbageVectorEnv"]


def test_importing_pulls_in_nothing_heavy() -> None:
    printed = run_python(
        "import sys, cribbage_env\n"
        "heavy = 'torch', 'pygame', 'matplotlib', 'stable_baselines3', 'pettingzoo', 'pyspiel'\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    assert printed.strip() == "[]"


def test_statistics_flatten_and_time_limit_wrap_it() -> None:
    env: Any = gymnasium.make("Cribbage-v0", opponent="random", max_episode_steps=12)
    env = gymnasium.wrappers.FlattenObservation(cribbage_env.MaskInObservation(env))
    env = gymnasium.wrappers.RecordEpisodeStatistics(env)
    obs, info = env.reset(seed=2)
    steps = 0
    truncated = False
    while not truncated:
        assert obs in env.observation_space
        assert obs.shape == (384 + 19,)
        obs, _, terminated, truncated, info = env.step(choose(info["action_mask"], steps))
        assert not terminated
        steps += 1
    assert steps == 12
    assert info["episode"]["l"] == 12
    assert info["episode"]["r"] == info["scores"][0] - info["scores"][1]


def test_mask_in_observation_holds_the_mask_of_the_info() -> None:
    env = cribbage_env.MaskInObservation(gymnasium.make("Cribbage-v0", opponent="random"))
    assert env.observation_space["action_mask"] == gymnasium.spaces.Box(0, 1, (19,), np.int8)
    observation, info = env.reset(seed=2)
    is_over = False
    while not is_over:
        assert observation in env.observation_space
        assert (observation["action_mask"] == info["action_mask"]).all()
        assert not np.shares_memory(observation["action_mask"], info["action_mask"])
        observation, _, is_over, _, info = env.step(int(info["action_mask"].argmax()))
    assert not observation["action_mask"].any()


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("name", IDS)
def test_gymnasiums_own_vector_environment_plays_the_same(mode: AutoresetMode, name: str) -> None:
    make = partial(gymnasium.make, f"cribbage_env:{name}", opponent="random", target=61)
    sync: Any = SyncVectorEnv([make] * 40, autoreset_mode=mode)
    own = gymnasium.make_vec(name, num_envs=40, opponent="random", target=61, autoreset_mode=mode)
    answers = [envs.reset(seed=7) for envs in (sync, own)]
    for step in range(60):
        infos = answers[1][-1]
        over = infos["phase"] == "over"
        if mode == AutoresetMode.DISABLED and over.any():
            answers = [envs.reset(options={"reset_mask": over}) for envs in (sync, own)]
        answers = [envs.step(chosen(own.action_masks(), step)) for envs in (sync, own)]  # type: ignore[attr-defined]
        for one, other in zip(answers[0][:4], answers[1][:4], strict=True):
            assert (one == other).all()
        check_infos(answers[0][4], answers[1][4])


def check_infos(sync: dict[str, Any], own: dict[str, Any]) -> None:
    """Whatever Gymnasium's own vector environment reports, ours reports alike."""
    for name, values in sync.items():
        if name.startswith("_"):
            continue
        if name == "final_info":
            assert (own["_final_info"] == sync["_final_info"]).all()
            check_infos(values, own[name])
            continue
        for lane in np.flatnonzero(sync[f"_{name}"]):
            assert own[f"_{name}"][lane]
            assert np.array_equal(own[name][lane], values[lane])


def test_worker_processes_play_the_same_with_a_users_own_player() -> None:
    make = partial(
        gymnasium.make,
        "cribbage_env:CribbageDeal-v0",
        opponent=["random", "tests.envs.players:make_plain"],
    )
    envs: Any = AsyncVectorEnv([make] * 2, context="spawn")
    own = gymnasium.make_vec("CribbageDeal-v0", num_envs=2, opponent=["random", "greedy"])
    try:
        answers = [envs.reset(seed=3), own.reset(seed=3)]
        for step in range(20):
            assert same(answers[0][0], answers[1][0])
            actions = chosen(answers[0][-1]["action_mask"], step)
            answers = [envs.step(actions), own.step(actions)]
            assert same(list(answers[0][1:4]), list(answers[1][1:4]))
    finally:
        envs.close()
