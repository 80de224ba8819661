"""Render modes of the environments: what `render` returns, of one game and of many."""

from __future__ import annotations

import copy
import sys
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import cribbage_env
from cribbage_env import CribbageEnv, CribbageVectorEnv
from cribbage_env.rendering import render_text
from tests.envs.players import chosen

SIZE = (640, 960, 3)


class Fails:
    """A player that fails at its n-th call from now on, or never if `left` is 0."""

    observation = "cards"

    def __init__(self, at: int) -> None:
        self.left = at

    def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
        self.left -= 1
        if self.left == 0:
            raise RuntimeError("no more")
        return action_masks.argmax(axis=1)


# One game


def test_every_mode_is_announced() -> None:
    assert CribbageEnv.metadata["render_modes"] == ["human", "ansi", "rgb_array"]
    assert CribbageVectorEnv.metadata["render_modes"] == ["ansi", "rgb_array"]
    for metadata in (CribbageEnv.metadata, CribbageVectorEnv.metadata):
        assert metadata["render_fps"] > 0


@pytest.mark.parametrize("mode", [None, "ansi", "rgb_array"])
def test_nothing_is_shown_before_the_first_reset(mode: str | None) -> None:
    for env in (CribbageEnv(render_mode=mode), CribbageVectorEnv(2, render_mode=mode)):
        if mode is None:
            assert env.render() is None
        else:
            with pytest.raises(cribbage_env.envs.single.NotBegunError, match="reset"):
                env.render()


@pytest.mark.parametrize("opponent", ["greedy", None])
def test_text_is_that_of_the_seat_that_looks_on(opponent: Any) -> None:
    env = CribbageEnv(opponent, render_mode="ansi", target=31)
    _, info = env.reset(seed=3)
    is_over = False
    while not is_over:
        assert env.render() == render_text(env.game, info.get("seat", 0))
        _, _, is_over, _, info = env.step(int(info["action_mask"].argmax()))
    assert env.render() == render_text(env.game, None if opponent is None else 0)


@pytest.mark.parametrize("opponent", ["greedy", None])
def test_a_picture_is_that_of_the_seat_that_looks_on(opponent: Any) -> None:
    pytest.importorskip("PIL")
    from cribbage_env.rendering.picture import render_picture

    env = CribbageEnv(opponent, render_mode="rgb_array")
    _, info = env.reset(seed=3)
    for _ in range(12):
        frame = env.render()
        assert (frame.dtype, frame.shape) == (np.uint8, SIZE)
        assert np.array_equal(frame, render_picture(env.game, info.get("seat", 0)))
        _, _, _, _, info = env.step(int(info["action_mask"].argmax()))


def test_the_opponents_hidden_cards_change_no_pixel() -> None:
    pytest.importorskip("PIL")
    env = CribbageEnv("random", render_mode="rgb_array")
    _, info = env.reset(seed=8)
    for step in range(25):
        frame = env.render()
        twin = copy.deepcopy(env)
        twin._game = env.game.redeal_hidden(0, seed=step)
        assert np.array_equal(twin.render(), frame)
        _, _, _, _, info = env.step(int(info["action_mask"].argmax()))


def test_a_scale_makes_pictures_larger() -> None:
    pytest.importorskip("PIL")
    env: Any = gymnasium.make("Cribbage-v0", render_mode="rgb_array", render_scale=2)
    env.reset(seed=1)
    assert env.render().shape == (1280, 1920, 3)
    envs: Any = gymnasium.make_vec("Cribbage-v0", 2, render_mode="rgb_array", render_scale=2)
    envs.reset(seed=1)
    assert [frame.shape for frame in envs.render()] == [(1280, 1920, 3)] * 2


def test_gymnasiums_checker_finds_nothing_in_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("PIL")
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(CribbageEnv.metadata, "render_fps", 1000)
    for mode in ("rgb_array", "ansi", "human"):
        env: Any = gymnasium.make("Cribbage-v0", render_mode=mode)
        check_env(env.unwrapped)
        env.close()


def test_without_pillow_everything_but_the_picture_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    env = CribbageEnv(render_mode="rgb_array")
    _, info = env.reset(seed=1)
    env.step(int(info["action_mask"].argmax()))
    with pytest.raises(ImportError, match=r"Pillow .*pip install 'cribbage-env\[render\]'"):
        env.render()
    env.step(env.game.legal_actions()[0])


@pytest.mark.parametrize("make", [CribbageEnv, CribbageVectorEnv])
@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"render_mode": "svg"}, ValueError, "'rgb_array', not 'svg'"),
        ({"render_mode": "rgb_array", "render_scale": 5}, ValueError, r"5 is outside 1\.\.4"),
        ({"render_scale": 0}, ValueError, r"0 is outside 1\.\.4"),
        ({"render_scale": 1.5}, TypeError, "integer, not 1.5"),
        ({"render_scale": True}, TypeError, "integer, not True"),
    ],
)
def test_other_ways_to_render_are_refused(
    make: Any, given: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make(**given)


def test_many_games_have_no_window() -> None:
    with pytest.raises(ValueError, match="'ansi', 'rgb_array', not 'human'"):
        CribbageVectorEnv(2, render_mode="human")


# Many games


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("opponent", ["random", ["random", "tests.envs.players:make_plain"], None])
def test_a_lane_shows_what_the_single_environment_shows(mode: AutoresetMode, opponent: Any) -> None:
    def make() -> gymnasium.Env[Any, Any]:
        return gymnasium.make("CribbageDeal-v0", opponent=opponent, target=61, render_mode="ansi")

    single: Any = SyncVectorEnv([make] * 5, autoreset_mode=mode)
    given = {"opponent": opponent, "target": 61, "autoreset_mode": mode}
    own: Any = gymnasium.make_vec("CribbageDeal-v0", 5, render_mode="ansi", **given)
    bare: Any = gymnasium.make_vec("CribbageDeal-v0", 5, **given)
    answers = [envs.reset(seed=7) for envs in (single, own, bare)]
    for step in range(40):
        assert own.render() == single.render()
        assert np.array_equal(answers[1][0], answers[2][0])
        over = answers[1][-1]["phase"] == "over"
        if mode == AutoresetMode.DISABLED and over.any():
            reset = {"reset_mask": over}
            answers = [envs.reset(options=dict(reset)) for envs in (single, own, bare)]
        actions = chosen(own.action_masks(), step)
        answers = [envs.step(actions) for envs in (single, own, bare)]
        for one, other in zip(answers[1][:4], answers[2][:4], strict=True):
            assert np.array_equal(one, other)


def test_pictures_of_all_lanes_are_a_tuple() -> None:
    pytest.importorskip("PIL")
    envs: Any = gymnasium.make_vec("Cribbage-v0", 3, render_mode="rgb_array")
    envs.reset(seed=5)
    frames = envs.render()
    assert isinstance(frames, tuple)
    for lane, frame in enumerate(frames):
        env = CribbageEnv(render_mode="rgb_array")
        env.reset(seed=5 + lane)
        assert np.array_equal(frame, env.render())


def test_a_strong_opponents_moves_are_shown_too() -> None:
    envs = CribbageVectorEnv(2, "expert:lookahead=1", render_mode="ansi")
    env = CribbageEnv("expert:lookahead=1", render_mode="ansi")
    _, infos = envs.reset(seed=5)
    env.reset(seed=5)
    for _ in range(6):
        assert envs.render() is not None
        assert (envs.render() or ())[0] == env.render()
        actions = infos["action_mask"].argmax(axis=1)
        _, _, _, _, infos = envs.step(actions)
        env.step(int(actions[0]))


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_failing_player_leaves_the_pictures_as_they_were(at: int) -> None:
    opponent, sound = Fails(0), Fails(0)
    envs, twin = (
        CribbageVectorEnv(3, player, render_mode="ansi", target=31) for player in (opponent, sound)
    )
    envs.reset(seed=2)
    twin.reset(seed=2)
    failures = 0
    for _ in range(30):
        before = envs.render()
        actions = envs.action_masks().argmax(axis=1)
        opponent.left = at
        try:
            envs.step(actions)
        except RuntimeError:
            failures += 1
            assert envs.render() == before
            opponent.left = 0
            envs.step(actions)
        twin.step(actions)
        assert envs.render() == twin.render() != before
    assert failures > 10


def test_a_refused_action_moves_no_lane_that_is_shown() -> None:
    envs = CribbageVectorEnv(3, "random", render_mode="ansi", illegal_action="raise")
    envs.reset(seed=2)
    before = envs.render()
    with pytest.raises(cribbage_env.IllegalActionError, match="action 17 is illegal in lane 2"):
        envs.step(np.array([0, 0, 17]))
    assert envs.render() == before
    envs.step(np.array([0, 0, 0]))
    assert envs.render() != before


@pytest.mark.parametrize("illegal_action", ["forfeit", "random"])
def test_illegal_actions_are_shown_alike(illegal_action: str) -> None:
    given: dict[str, Any] = {"illegal_action": illegal_action, "render_mode": "ansi"}
    envs, env = CribbageVectorEnv(2, "random", **given), CribbageEnv("random", **given)
    envs.reset(seed=2)
    env.reset(seed=2)
    envs.step(np.array([16, 0]))
    env.step(16)
    assert (envs.render() or ())[0] == env.render()


def test_a_copy_goes_its_own_way() -> None:
    envs = CribbageVectorEnv(2, "random", render_mode="ansi")
    envs.reset(seed=2)
    twin = copy.deepcopy(envs)
    before = envs.render()
    twin.step(np.array([0, 1]))
    assert envs.render() == before
    envs.step(np.array([0, 1]))
    assert envs.render() == twin.render() != before


# Films


def test_a_film_of_a_game(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    pytest.importorskip("moviepy")
    env: Any = gymnasium.make("CribbageDeal-v0", render_mode="rgb_array")
    env = gymnasium.wrappers.RecordVideo(env, str(tmp_path / "one"), episode_trigger=bool)
    env.reset(seed=1)
    _, info = env.reset()
    frames = 1
    is_over = False
    while not is_over:
        _, _, is_over, _, info = env.step(int(info["action_mask"].argmax()))
        frames += 1
    assert len(env.recorded_frames) == frames
    env.close()
    assert [path.suffix for path in (tmp_path / "one").iterdir()] == [".mp4"]

    envs: Any = gymnasium.make_vec("CribbageDeal-v0", 4, render_mode="rgb_array")
    envs = gymnasium.wrappers.vector.RecordVideo(envs, str(tmp_path / "many"))
    _, info = envs.reset(seed=1)
    for _ in range(12):
        _, _, _, _, info = envs.step(info["action_mask"].argmax(axis=1))
    envs.close()
    assert any((tmp_path / "many").iterdir())
