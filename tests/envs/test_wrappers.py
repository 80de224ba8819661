"""Gymnasium's wrappers, and its own vector environments by the prefixed id."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv

import cribbage_env
from tests.envs.players import choose, chosen, same

ID = "cribbage_env:Cribbage-v0"


def play_out(env: Any, seed: int | None = None) -> list[tuple[Any, ...]]:
    """Play a game with legal actions; return the answers of every step."""
    _, info = env.reset(seed=seed)
    answers: list[tuple[Any, ...]] = []
    while not answers or not (answers[-1][2] or answers[-1][3]):
        answers.append(env.step(choose(info["action_mask"], len(answers))))
        info = answers[-1][4]
    return answers


# Single environments ----------------------------------------------------------------------------


@pytest.mark.parametrize("reward", ["score_diff", "win", "skunk"])
def test_the_recorded_return_is_the_sum_of_rewards(reward: str) -> None:
    env: Any = wrappers.RecordEpisodeStatistics(gymnasium.make(ID, reward=reward, target=61))
    for number in range(3):
        answers = play_out(env, seed=4 if number == 0 else None)
        info = answers[-1][4]
        assert info["episode"]["r"] == sum(answer[1] for answer in answers)
        assert info["episode"]["l"] == len(answers)
        if reward == "score_diff":
            assert info["episode"]["r"] == info["margin"]
    assert list(env.length_queue)[-1] == len(answers)


def test_a_time_limit_truncates_and_the_next_game_is_the_next_of_the_seed() -> None:
    env: Any = wrappers.TimeLimit(gymnasium.make(ID, opponent="random"), 7)
    answers = play_out(env, seed=2)
    assert len(answers) == 7
    assert answers[-1][2:4] == (False, True)
    assert "winner" not in answers[-1][4]
    env.reset()
    assert (env.unwrapped.game.seed, env.unwrapped.game.number) == (2, 1)


def test_flattened_observations_hold_mask_and_observation() -> None:
    inner = cribbage_env.MaskInObservation(gymnasium.make(ID, observation="features"))
    env: Any = wrappers.FlattenObservation(inner)
    observation, info = env.reset(seed=3)
    assert env.observation_space.shape == (19 + 1156,)
    assert observation in env.observation_space
    assert (observation[:19] == info["action_mask"]).all()  # spaces stand in the order of names
    inner.reset(seed=3)
    assert (observation[19:] == inner.env.reset(seed=3)[0]).all()


@pytest.mark.parametrize(
    "wrap",
    [
        lambda env: wrappers.FilterObservation(
            cribbage_env.MaskInObservation(env), ["observation"]
        ),
        wrappers.NormalizeObservation,
        wrappers.NormalizeReward,
        lambda env: wrappers.FrameStackObservation(env, 3),
        lambda env: wrappers.ClipReward(env, -5, 5),
        lambda env: wrappers.RescaleObservation(env, np.float32(-1), np.float32(1)),
        lambda env: wrappers.TimeAwareObservation(wrappers.TimeLimit(env, 500)),
    ],
)
def test_other_wrappers_play_a_game(wrap: Any) -> None:
    env = wrap(gymnasium.make(ID, opponent="random", target=31))
    answers = play_out(env, seed=5)
    for answer in answers:
        assert answer[0] in env.observation_space
    plain = play_out(gymnasium.make(ID, opponent="random", target=31), seed=5)
    assert same([answer[4] for answer in answers], [answer[4] for answer in plain])


def test_autoreset_goes_on_with_the_next_game() -> None:
    env: Any = wrappers.Autoreset(gymnasium.make(ID, opponent="random", target=31))
    answers = play_out(env, seed=5)
    observation, reward, terminated, _, info = env.step(0)
    assert (reward, terminated) == (0, False)
    assert env.unwrapped.game.number == 1
    assert info["phase"] == "discard"
    assert not same(observation, answers[-1][0])


def test_frames_are_collected() -> None:
    env: Any = wrappers.RenderCollection(gymnasium.make(ID, render_mode="ansi", target=11))
    answers = play_out(env, seed=1)
    frames = env.render()
    assert len(frames) == len(answers) + 1
    assert "game over" in frames[-1]


class FakeClip:
    """Stands in for moviepy, which can't be installed beside the newest Pillow."""

    written: list[tuple[str, list[Any]]] = []  # noqa: RUF012

    def __init__(self, frames: list[Any], fps: int) -> None:
        assert fps == 2
        self.frames = list(frames)

    def write_videofile(self, path: str, logger: Any = None) -> None:
        self.written.append((Path(path).name, self.frames))


def test_a_video_has_a_picture_of_every_decision(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("PIL")
    for name in ("moviepy", "moviepy.video", "moviepy.video.io"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    clips = ModuleType("moviepy.video.io.ImageSequenceClip")
    clips.ImageSequenceClip = FakeClip  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, clips.__name__, clips)
    monkeypatch.setattr(FakeClip, "written", [])
    env: Any = wrappers.RecordVideo(
        gymnasium.make(ID, render_mode="rgb_array", target=11),
        str(tmp_path / "videos"),
        episode_trigger=lambda number: number == 0,
    )
    answers = play_out(env, seed=1)
    play_out(env)
    env.close()
    ((name, frames),) = FakeClip.written
    assert name == "rl-video-episode-0.mp4"
    assert len(frames) == len(answers) + 1
    for frame in frames:
        assert (frame.dtype, frame.shape) == (np.uint8, (640, 960, 3))
    assert len({frame.tobytes() for frame in frames}) == len(frames)


# Vector environments ----------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["sync", "vector_entry_point"])
def test_vector_statistics_are_those_of_single_environments(mode: str) -> None:
    envs: Any = gymnasium.make_vec(
        ID, num_envs=4, vectorization_mode=mode, opponent="random", target=31
    )
    envs = wrappers.vector.RecordEpisodeStatistics(envs)
    expected = [
        wrappers.RecordEpisodeStatistics(gymnasium.make(ID, opponent="random", target=31))
        for _ in range(4)
    ]
    masks = [env.reset(seed=9 + lane)[1]["action_mask"] for lane, env in enumerate(expected)]
    over = [False] * 4
    _, infos = envs.reset(seed=9)
    ended = 0
    for step in range(60):
        actions = chosen(infos["action_mask"], step)
        *_, infos = envs.step(actions)
        for lane, env in enumerate(expected):
            if over[lane]:  # the next game begins at the next step
                over[lane] = False
                masks[lane] = env.reset()[1]["action_mask"]
                continue
            *_, over[lane], _, info = env.step(int(chosen(masks[lane][None], step)[0]))
            masks[lane] = info["action_mask"]
            if over[lane]:
                ended += 1
                for name in ("r", "l"):
                    assert infos["episode"][name][lane] == info["episode"][name]
    assert ended > 10


@pytest.mark.parametrize(
    "wrap",
    [
        wrappers.vector.NormalizeObservation,
        wrappers.vector.NormalizeReward,
        lambda envs: wrappers.vector.ClipReward(envs, -5, 5),
        lambda envs: wrappers.vector.RescaleObservation(envs, np.float32(-1), np.float32(1)),
        wrappers.vector.FlattenObservation,
    ],
)
def test_other_vector_wrappers_play_on(wrap: Any) -> None:
    envs = wrap(gymnasium.make_vec(ID, num_envs=5, opponent="random", target=31))
    plain = gymnasium.make_vec(ID, num_envs=5, opponent="random", target=31)
    (_, infos), (_, expected) = envs.reset(seed=1), plain.reset(seed=1)
    for step in range(40):
        assert same(infos, expected)
        actions = chosen(infos["action_mask"], step)
        observations, *_, infos = envs.step(actions)
        assert observations.shape == envs.observation_space.shape
        *_, expected = plain.step(actions)


def test_infos_as_a_list_are_those_of_the_lanes() -> None:
    envs: Any = gymnasium.make_vec(ID, num_envs=3, opponent="random", target=31)
    envs = wrappers.vector.DictInfoToList(envs)
    _, infos = envs.reset(seed=1)
    for step in range(40):
        masks = np.array([info["action_mask"] for info in infos])
        *_, terminated, _, infos = envs.step(chosen(masks, step))
        for over, info in zip(terminated, infos, strict=True):
            assert ("winner" in info) == over
            assert info["scores"].shape == (2,)


def make_prefixed() -> gymnasium.Env[Any, Any]:
    return gymnasium.make(ID, opponent="random", target=31)


@pytest.mark.parametrize("kind", [SyncVectorEnv, AsyncVectorEnv])
def test_gymnasiums_vector_environments_know_the_prefixed_id(kind: Any) -> None:
    settings = {"context": "spawn"} if kind is AsyncVectorEnv else {}
    envs: Any = kind([make_prefixed] * 2, **settings)
    own = gymnasium.make_vec(ID, num_envs=2, opponent="random", target=31)
    try:
        (_, infos), _ = envs.reset(seed=6), own.reset(seed=6)
        for step in range(30):
            actions = chosen(infos["action_mask"], step)
            answers = envs.step(actions), own.step(actions)
            assert same(list(answers[0][:4]), list(answers[1][:4]))
            infos = answers[0][4]
        assert own.unwrapped.lanes.states["game"].min() > 0  # type: ignore[attr-defined]
    finally:
        envs.close()


@pytest.mark.parametrize("mode", ["sync", "async", "vector_entry_point"])
def test_make_vec_knows_every_way(mode: str) -> None:
    settings = {"context": "spawn"} if mode == "async" else {}
    envs: Any = gymnasium.make_vec(
        ID, num_envs=2, vectorization_mode=mode, vector_kwargs=settings, opponent="random"
    )
    try:
        observations, infos = envs.reset(seed=1)
        assert observations.shape == (2, 384)
        assert infos["action_mask"].shape == (2, 19)
    finally:
        envs.close()
