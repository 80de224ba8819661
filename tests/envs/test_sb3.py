"""stable-baselines3: its checker, its vector environment's habits, a short training run."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium
import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

from cribbage_env import CribbageEnv
from cribbage_env.sb3 import CribbageVecEnv
from tests.envs.players import chosen, same

AT_END = {"winner", "margin", "skunk", "deals", "is_success"}


def own_and_dummy(number: int, **settings: Any) -> tuple[CribbageVecEnv, DummyVecEnv]:
    """Return the batched environment and stable-baselines3's own over single ones."""
    own = CribbageVecEnv(number, **settings)
    dummy = DummyVecEnv([lambda: CribbageEnv(**settings)] * number)
    return own, dummy


@pytest.mark.parametrize("name", ["Cribbage-v0", "CribbageDeal-v0"])
@pytest.mark.parametrize("observation", ["cards", "features", "lookahead"])
def test_the_checker_finds_nothing(name: str, observation: str) -> None:
    check_env(gymnasium.make(name, observation=observation).unwrapped, warn=True)


def test_it_does_what_a_dummy_vec_env_of_single_environments_does() -> None:
    for settings in (
        {"opponent": "random", "target": 31},
        {"opponent": None, "target": 31, "observation": "features"},
        {"opponent": ["random", "greedy"], "illegal_action": "random", "target": 31},
        {"opponent": "random", "reward": "skunk"},
    ):
        own, dummy = own_and_dummy(5, **settings)
        ended = 0
        for envs in (own, dummy):
            envs.seed(9)
        assert same(own.reset(), dummy.reset())
        check_infos(own.reset_infos, dummy.reset_infos)
        for step in range(90):
            masks = get_action_masks(own)
            assert masks.dtype == np.bool_
            assert (masks == get_action_masks(dummy)).all()
            actions = chosen(masks.astype(np.int8), step)
            if settings.get("illegal_action") == "random" and step % 3 == 0:
                actions[step % 5] = step % 19
            one, other = own.step(actions), dummy.step(actions)
            assert same(list(one[:3]), list(other[:3]))
            check_infos(one[3], other[3])
            check_infos(own.reset_infos, dummy.reset_infos)
            ended += int(one[2].sum())
        assert ended > 5 or settings.get("reward") == "skunk"


def check_infos(own: Any, dummy: Any) -> None:
    """The infos are the same, but for the masks: they are one array."""
    for one, other in zip(own, dummy, strict=True):
        other = {name: value for name, value in other.items() if name != "action_mask"}  # noqa: PLW2901
        if not other.get("TimeLimit.truncated"):  # DummyVecEnv says it in the middle, too
            other.pop("TimeLimit.truncated", None)
        one = {name: value for name, value in one.items() if name != "TimeLimit.truncated"}  # noqa: PLW2901
        assert same(one, other)


def test_the_end_of_a_game_as_stable_baselines3_has_it() -> None:
    envs = CribbageVecEnv(4, opponent="random", target=31)
    envs.seed(1)
    observations: Any = envs.reset()
    ended = 0
    for step in range(60):
        previous = observations
        actions = chosen(envs.action_masks().astype(np.int8), step)
        observations, rewards, dones, infos = envs.step(actions)
        assert rewards.dtype == np.float32
        assert dones.dtype == np.bool_
        assert not np.shares_memory(observations, previous)
        for lane, info in enumerate(infos):
            assert ("terminal_observation" in info) == bool(dones[lane])
            assert "episode" not in info
            if dones[lane]:
                ended += 1
                assert info["TimeLimit.truncated"] is False
                assert info.keys() >= AT_END
                assert info["phase"] == "over"
                assert info["scores"].max() == 31
                assert type(info["winner"]) is int
                assert type(info["is_success"]) is bool
                assert not (info["terminal_observation"] == observations[lane]).all()
                assert envs.reset_infos[lane]["scores"].tolist() == [0, 0]
        assert envs.action_masks().any(axis=1).all()
    assert ended > 5


def test_masks_are_one_fresh_array() -> None:
    envs = CribbageVecEnv(4)
    envs.seed(1)
    envs.reset()
    masks = envs.env_method("action_masks")
    assert isinstance(masks, np.ndarray)
    assert (masks.dtype, masks.shape) == (np.bool_, (4, 19))
    masks[:] = False
    assert envs.action_masks().any(axis=1).all()
    assert (envs.env_method("action_masks", indices=[2, 0]) == envs.action_masks()[[2, 0]]).all()
    assert (envs.env_method("action_masks", indices=1) == envs.action_masks()[[1]]).all()
    assert is_masking_supported(envs)
    assert get_action_masks(envs).shape == (4, 19)


def test_seeds_and_options() -> None:
    envs = CribbageVecEnv(3, opponent=None)
    envs.seed(20)
    envs.set_options({"scores": (7, 9), "dealer": 1})
    envs.reset()
    states = envs.envs.lanes.states
    assert states[["seed", "game"]].tolist() == [(20, 0), (21, 0), (22, 0)]
    assert states["scores"].tolist() == [[7, 9]] * 3
    assert [info["seat"] for info in envs.reset_infos] == [0, 0, 0]
    envs.reset()
    assert states[["seed", "game"]].tolist() == [(20, 1), (21, 1), (22, 1)]
    assert states["scores"].tolist() == [[0, 0]] * 3
    envs.set_options([{"dealer": 0}, {"dealer": 1}, {"dealer": 0}])
    with pytest.raises(ValueError, match="lane 1 has the options"):
        envs.reset()
    assert states["game"].tolist() == [1, 1, 1]


def test_lanes_are_one_object() -> None:
    envs = CribbageVecEnv(2, render_mode=None)
    assert envs.get_attr("num_envs", indices=[0]) == [2]
    assert envs.env_is_wrapped(Monitor) == [False, False]
    assert envs.get_attr("render_mode") == [None, None]
    with pytest.raises(ValueError, match="all of them"):
        envs.set_attr("num_envs", 3, indices=[0])
    with pytest.raises(ValueError, match="all of them"):
        envs.env_method("reset", indices=1)
    envs.set_attr("label", "x")
    assert envs.get_attr("label") == ["x", "x"]
    with pytest.raises(ValueError, match="autoreset_mode"):
        CribbageVecEnv(2, autoreset_mode="NextStep")
    with pytest.raises(ValueError, match="'points'"):
        CribbageVecEnv(2, reward="points")
    envs.close()


def test_a_refused_step_changes_nothing() -> None:
    envs = CribbageVecEnv(2, illegal_action="raise")
    envs.seed(1)
    envs.reset()
    masks, states = envs.action_masks(), envs.envs.lanes.states.copy()
    with pytest.raises(ValueError, match="lane 1"):
        envs.step(np.array([0, 18]))
    with pytest.raises(ValueError, match=r"0\.\.18"):
        envs.step(np.array([0, 19]))
    assert (envs.action_masks() == masks).all()
    assert (envs.envs.lanes.states == states).all()


def test_monitored_returns_are_the_margins() -> None:
    envs = VecMonitor(CribbageVecEnv(8, opponent="random", target=61))
    envs.seed(3)
    envs.reset()
    ended = 0
    for step in range(120):
        masks = np.asarray(envs.env_method("action_masks"))
        _, _, dones, infos = envs.step(chosen(masks.astype(np.int8), step))
        for lane in np.flatnonzero(dones):
            assert infos[lane]["episode"]["r"] == infos[lane]["margin"]
            ended += 1
    assert ended > 10


def test_a_short_training_run_and_an_evaluation() -> None:
    envs = VecMonitor(CribbageVecEnv(8, opponent="greedy"))
    model = MaskablePPO(
        "MlpPolicy", envs, n_steps=32, batch_size=64, n_epochs=2, seed=1, device="cpu"
    )
    before = copy.deepcopy(model.policy.state_dict())
    model.learn(2 * 32 * 8)
    assert model.num_timesteps == 2 * 32 * 8
    assert model._n_updates == 2 * 2
    after = model.policy.state_dict()
    assert any(not (after[name] == before[name]).all() for name in before)
    mean, spread = evaluate_policy(model, envs, n_eval_episodes=8, use_masking=True)
    assert -121 <= float(mean) <= 121  # type: ignore[arg-type]
    assert float(spread) >= 0  # type: ignore[arg-type]


def test_make_vec_env_with_its_default_render_mode() -> None:
    envs = make_vec_env("Cribbage-v0", n_envs=2, seed=4, env_kwargs={"opponent": "random"})
    assert envs.render_mode == "rgb_array"
    assert envs.reset().shape == (2, 384)  # type: ignore[union-attr]
    pictures = envs.get_images()
    assert [picture.shape for picture in pictures] == [(640, 960, 3)] * 2  # type: ignore[union-attr]
    assert envs.render().shape == (1280, 960, 3)  # type: ignore[union-attr]
    model = MaskablePPO("MlpPolicy", envs, n_steps=16, batch_size=16, n_epochs=1, device="cpu")
    model.learn(32)
    envs.close()


def test_pictures_of_all_lanes() -> None:
    envs = CribbageVecEnv(3, opponent="random", render_mode="rgb_array")
    envs.seed(4)
    envs.reset()
    envs.step(np.zeros(3, np.int64))
    pictures = envs.get_images()
    assert len(pictures) == 3
    for lane, picture in enumerate(pictures):
        env = CribbageEnv("random", render_mode="rgb_array")
        env.reset(seed=4 + lane)
        env.step(0)
        assert np.array_equal(picture, env.render())  # type: ignore[arg-type]
    assert envs.render().shape == (1280, 1920, 3)  # type: ignore[union-attr]
    assert CribbageVecEnv(2).get_images() == [None, None]
