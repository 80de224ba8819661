"""`render_mode="human"`: the window, with SDL's dummy driver, and where there is no display."""

from __future__ import annotations

import copy
import logging
import os
import pickle
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pygame
import pytest
from PIL import Image

import cribbage_env
from cribbage_env.extras import NotInstalledError
from cribbage_env.game import Game
from cribbage_env.rendering import render_text
from cribbage_env.rendering import window as window_module
from cribbage_env.rendering.display import Display
from cribbage_env.rendering.picture import render_picture
from cribbage_env.rendering.window import Window
from tests.envs.processes import run_python

FAST = 10_000.0


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Have no display, and leave none open."""
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(window_module, "sys", SimpleNamespace(platform="linux"))
    yield
    pygame.display.quit()
    Window._holder = None


@pytest.fixture
def dummy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")


def make(**given: Any) -> Any:
    env = gymnasium.make("Cribbage-v0", render_mode="human", **given)
    env.unwrapped.metadata = {**env.unwrapped.metadata, "render_fps": FAST}  # type: ignore[misc]
    return env


def window_of(env: Any) -> Window:
    return env.unwrapped._display._window


def on_screen() -> np.ndarray:
    return pygame.surfarray.array3d(pygame.display.get_surface()).transpose(1, 0, 2)


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[tuple[bytes, float]]:
    """Return what windows are given to show, in place of showing it."""
    pictures: list[tuple[bytes, float]] = []

    def keep(self: Window, image: Image.Image, seconds: float) -> None:
        pictures.append((image.tobytes(), seconds))

    monkeypatch.setattr(Window, "show", keep)
    return pictures


# The window


def test_the_window_shows_the_table_after_every_step(dummy: None) -> None:
    env = make(opponent="greedy")
    _, info = env.reset(seed=3)
    for _ in range(12):
        assert np.array_equal(on_screen(), render_picture(env.unwrapped.game, 0))
        assert env.render() is None
        _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
    env.close()
    assert not pygame.display.get_init()
    env.close()


def test_a_larger_picture_makes_a_larger_window(dummy: None) -> None:
    env = make(opponent="greedy", render_scale=2)
    env.reset(seed=3)
    assert pygame.display.get_surface().get_size() == (1920, 1280)
    env.close()


def test_a_closed_environment_may_open_its_window_again(dummy: None) -> None:
    env = make(opponent="greedy")
    env.reset(seed=3)
    env.close()
    env.reset(seed=4)
    assert window_of(env).is_open
    assert np.array_equal(on_screen(), render_picture(env.unwrapped.game, 0))
    env.close()


def test_a_user_may_close_the_window_and_the_game_goes_on(dummy: None) -> None:
    env = make(opponent="greedy")
    _, info = env.reset(seed=3)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.render()
    assert not window_of(env).is_open
    assert not pygame.display.get_init()
    for _ in range(3):
        _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
    env.reset()
    assert not pygame.display.get_init()
    env.close()


def test_a_window_answers_while_it_waits(dummy: None, monkeypatch: pytest.MonkeyPatch) -> None:
    env = make(opponent="greedy")
    env.reset(seed=3)
    now = [0.0]
    monkeypatch.setattr(window_module.time, "monotonic", lambda: now[0])

    def sleep(seconds: float) -> None:
        assert 0 < seconds <= 0.02
        now[0] += seconds
        if now[0] > 1 and pygame.display.get_init():
            pygame.event.post(pygame.event.Event(pygame.QUIT))

    monkeypatch.setattr(window_module.time, "sleep", sleep)
    window_of(env)._due = 5.0
    env.unwrapped._display.show(env.unwrapped.game, 0, FAST)
    assert window_of(env).is_closed_by_user
    assert 1 < now[0] < 1.1


def test_the_picture_fits_into_a_window_of_another_size(dummy: None) -> None:
    env = make(opponent="greedy")
    env.reset(seed=3)
    pygame.display.set_mode((480, 640), pygame.RESIZABLE)
    pygame.event.post(pygame.event.Event(pygame.VIDEORESIZE, size=(480, 640), w=480, h=640))
    env.render()
    screen = on_screen()
    assert screen.shape == (640, 480, 3)
    assert (screen[:100] == window_module.FELT_DARK).all()
    half = render_picture(env.unwrapped.game, 0).reshape(320, 2, 480, 2, 3).mean(axis=(1, 3))
    assert np.abs(screen[160:480] - half).mean() < 3
    env.close()


def test_two_environments_share_the_one_window(dummy: None) -> None:
    first, second = make(opponent="greedy"), make(opponent="random")
    first.reset(seed=1)
    second.reset(seed=2)
    first.close()
    assert window_of(second).is_open
    assert np.array_equal(on_screen(), render_picture(second.unwrapped.game, 0))
    first.reset(seed=3)
    assert np.array_equal(on_screen(), render_picture(first.unwrapped.game, 0))
    second.close()
    first.close()
    assert not pygame.display.get_init()


def test_a_copy_has_a_window_of_its_own(dummy: None) -> None:
    env = make(opponent="greedy").unwrapped
    env.reset(seed=1)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert not window_of(twin).is_open
        twin.step(0)
        assert window_of(twin).is_open
        twin.close()
    assert env.game.actions != twin.game.actions
    env.close()


# What is shown


def test_every_move_is_shown_the_opponents_too(
    dummy: None, shown: list[tuple[bytes, float]]
) -> None:
    env = make(opponent="greedy")
    _, info = env.reset(seed=3)
    is_over = False
    while not is_over:
        _, _, is_over, _, info = env.step(int(info["action_mask"].argmax()))
    game = env.unwrapped.game
    assert len(shown) == len(game.actions) + 1
    for number in (0, 1, 2, 11, len(game.actions)):
        now = Game.replay(game.beginning, game.actions[:number])
        assert shown[number][0] == render_picture(now, 0).tobytes()
    number = len(shown)
    env.reset()
    game = env.unwrapped.game
    assert len(shown) == number + len(game.actions) + 1


def test_counted_hands_and_the_end_stay_longer(
    dummy: None, shown: list[tuple[bytes, float]]
) -> None:
    display = Display("human")
    game = Game(seed=5)
    display.show(game, 0, 2.0)
    seconds = {"discard": [], "play": [], "over": []}  # type: ignore[var-annotated]
    while game.turn is not None:
        deals = game.deals
        game.step(game.legal_actions()[0])
        display.show(game, 0, 2.0)
        is_new_deal = game.deals > deals
        seconds["over" if is_new_deal or game.turn is None else "play"].append(shown[-1][1])
    assert set(seconds["play"]) == {0.5}
    assert set(seconds["over"]) == {1.5}


def test_the_same_seed_again_is_a_new_game(dummy: None, shown: list[tuple[bytes, float]]) -> None:
    env = make(opponent=None)
    env.reset(seed=3)
    env.step(0)
    env.reset(seed=3)
    assert [len(shown), shown[0] == shown[2]] == [3, True]


# Without a display, without a library


def test_without_a_display_the_table_is_printed_and_the_log_says_so_once(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    env = make(opponent="greedy")
    with caplog.at_level(logging.INFO):
        _, info = env.reset(seed=3)
        assert capsys.readouterr().out == render_text(env.unwrapped.game, 0) + "\n"
        env.step(int(info["action_mask"].argmax()))
        assert capsys.readouterr().out == render_text(env.unwrapped.game, 0) + "\n"
        assert env.render() is None
    assert [record.name for record in caplog.records] == ["cribbage_env"]
    assert "printed as text" in caplog.text
    env.close()


def test_a_display_that_fails_or_is_made_up_is_none(
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail() -> None:
        raise pygame.error("No available video device")

    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(pygame.display, "init", fail)
    make(opponent="greedy").reset(seed=3)
    monkeypatch.setattr(pygame.display, "init", lambda: None)
    monkeypatch.setattr(pygame.display, "get_driver", lambda: "offscreen")
    make(opponent="greedy").reset(seed=3)
    assert "No available video device" in caplog.messages[0]
    assert "can't be seen" in caplog.messages[1]
    assert capsys.readouterr().out.count("Cribbage to 121") == 2


def test_a_missing_library_is_named_before_anything_is_dealt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pygame", None)
    cribbage_env.CribbageEnv(render_mode="human")  # no display: no library would help
    monkeypatch.setenv("DISPLAY", ":0")
    with pytest.raises(NotInstalledError, match=r"pygame-ce .*cribbage-env\[render\]"):
        cribbage_env.CribbageEnv(render_mode="human")


def test_pictures_need_no_display_and_change_no_environment() -> None:
    printed = run_python(
        """
import os, sys
for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
    os.environ.pop(name, None)
before = dict(os.environ)
import gymnasium, cribbage_env
env = gymnasium.make("Cribbage-v0", render_mode="rgb_array")
env.reset(seed=1)
print(sorted({"PIL", "pygame"} & set(sys.modules)))
print(env.render().shape)
print(sorted({"PIL", "pygame"} & set(sys.modules)))
print({name for name in os.environ if os.environ[name] != before.get(name)}
      - {"PYGAME_HIDE_SUPPORT_PROMPT"})  # Gymnasium's own
"""
    )
    assert printed.splitlines() == ["[]", "(640, 960, 3)", "['PIL']", "set()"]


def test_a_window_leaves_signals_and_variables_alone(dummy: None) -> None:
    before = dict(os.environ)
    env = make(opponent="greedy")
    env.reset(seed=1)
    added = set(os.environ) - set(before)
    env.close()
    assert added <= {"PYGAME_HIDE_SUPPORT_PROMPT"}
