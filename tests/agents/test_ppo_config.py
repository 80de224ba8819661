"""The configuration, which is the command line."""

from __future__ import annotations

import argparse
import dataclasses
from typing import Any

import pytest

from agents.ppo.config import (
    CHANGEABLE,
    Config,
    add_arguments,
    check_resumed,
    from_arguments,
    parse_duration,
)


def parse(*arguments: str) -> dict[str, Any]:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return from_arguments(parser.parse_args(arguments))


def test_what_is_not_given_keeps_its_default() -> None:
    assert parse() == {}
    assert parse("--seed", "3", "--opponent", "club", "random", "--action-layers") == {
        "seed": 3,
        "opponent": ("club", "random"),
        "action_layers": (),
    }
    assert parse("--time-limit", "2m") == {"time_limit": 120.0}


def test_every_field_is_an_option_with_its_default_in_the_help() -> None:
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    shown = " ".join(parser.format_help().split())
    for option in dataclasses.fields(Config):
        assert f"--{option.name.replace('_', '-')}" in shown
    assert "(default: self self expert pool)" in shown
    assert "(default: win; rewards with --engine rllib, which has no other)" in shown
    assert "(default: none)" in shown


def test_json_holds_all_of_it() -> None:
    config = Config(seed=5, opponent=("club",), action_layers=(), time_limit=60.0)
    assert Config.from_json(config.to_json()) == config
    with pytest.raises(ValueError, match="unknown settings: colour"):
        Config.from_json({"colour": 1})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"timesteps": 0}, "timesteps must be positive, not 0"),
        ({"learning_rate": float("nan")}, "learning_rate must be positive, not nan"),
        ({"gae_lambda": 1.5}, r"gae_lambda must lie in 0..1, not 1.5"),
        ({"credit": "rewards"}, "the opponents 'self' and 'pool' need --credit points or win"),
        ({"credit": "win", "observation": "cards", "action_layers": ()}, "needs more than 'cards'"),
        ({"credit": "win", "opponent": ("selfish",)}, "unknown player 'selfish'"),
        ({"entropy": -1.0}, "entropy must be 0 or more"),
        ({"seed": -1}, r"seed must lie in 0..4294967295, not -1"),
        ({"final_games": 3}, "final_games must be even"),
        ({"opponent": ("greedi",)}, "unknown player 'greedi'"),
        ({"final_opponents": ("ppo:nowhere",)}, "no policy at 'nowhere'"),
        ({"state_layers": (8, 0)}, "state_layers must be positive, not 8 0"),
        ({"value_layers": ()}, "need one layer or more"),
        (
            {"observation": "cards", "credit": "rewards", "opponent": ("club",)},
            "no numbers for each action",
        ),
        ({"num_envs": 1, "num_steps": 1}, "two decisions or more"),
    ],
)
def test_bad_values_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Config(**settings)


@pytest.mark.parametrize("text", ["", "m", "5x", "-3", "0", "nan", "inf", "1 h 5"])
def test_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match="a duration is a positive number"):
        parse_duration(text)


def test_credit_is_what_the_engine_has() -> None:
    assert Config().credit == "win"
    assert Config(engine="rllib").credit == "rewards"
    assert Config.from_json(Config(engine="rllib").to_json()).credit == "rewards"
    with pytest.raises(ValueError, match="--credit win needs --engine sb3"):
        Config(engine="rllib", credit="win")
    with pytest.raises(ValueError, match="credit must be one of rewards, points, win, not luck"):
        Config(credit="luck")


def test_a_resumed_run_keeps_what_decides_its_curve() -> None:
    config = Config()
    assert check_resumed(config, {}) == config
    assert check_resumed(config, {"seed": 0, "timesteps": 9}).timesteps == 9
    with pytest.raises(ValueError, match="keeps its state_layers 256 256; given was 8"):
        check_resumed(config, {"state_layers": (8,)})
    assert {option.name for option in dataclasses.fields(Config)} > CHANGEABLE
