"""Shipping a run's policy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agents.ppo.checkpoint import write_checkpoint
from agents.ppo.config import Config
from agents.ppo.export import policy_files
from agents.ppo.publish import main, publish, read_results
from cribbage_env.bots.network import load_policy
from tests.networks import random_policy

MATCH = {
    "a": "club",
    "b": "champion",
    "games": 100,
    "wins_a": 40,
    "win_rate_a": 0.4,
    "interval": [0.3, 0.5],
    "margin_a": -2.0,
    "seed": 5,
}


def test_results_are_seen_from_the_champions_side(tmp_path: Path) -> None:
    file = tmp_path / "results.json"
    swapped = {**MATCH, "a": "champion", "b": "expert", "wins_a": 60}
    others = {**MATCH, "b": "random"}
    file.write_text(json.dumps({"matches": [MATCH, swapped, others]}))
    found = read_results(file)
    assert list(found) == ["club", "expert"]
    assert found["club"] == {
        "games": 100,
        "wins": 60,
        "win_rate": 0.6,
        "interval": [0.5, 0.7],
        "margin": 2.0,
        "seed": 5,
    }
    assert found["expert"]["wins"] == 60
    file.write_text(json.dumps({"matches": [others]}))
    with pytest.raises(ValueError, match="no match of a champion"):
        read_results(file)
    for text in ("", "[]", "{}", '{"matches": [{"a": "club", "b": "champion"}]}'):
        file.write_text(text)
        with pytest.raises(ValueError, match=r"results\.json holds no results of evaluate\.py"):
            read_results(file)
    with pytest.raises(ValueError, match="nowhere can't be read: "):
        read_results(tmp_path / "nowhere")


def test_a_run_becomes_a_policy_that_plays(tmp_path: Path) -> None:
    config = Config(state_layers=(8,), action_layers=(4,), value_layers=(4,))
    origin = {"decisions": 5, "command": "python train.py"}
    policy = policy_files(random_policy(config).policy_network, config, origin)
    write_checkpoint(tmp_path / "run", config, {**origin, "seconds": 2.5}, {}, policy)
    results = tmp_path / "results.json"
    results.write_text(json.dumps({"matches": [MATCH]}))
    for given, expected in ((None, []), (results, ["club"])):
        description = publish(tmp_path / "run", given, tmp_path)
        facts = json.loads(description.read_text())
        assert (facts["command"], facts["seconds"]) == ("python train.py", 2.5)
        assert list(facts["results"]) == expected
        assert load_policy(description).facts == facts


def test_what_can_t_be_published_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for arguments, message in (
        ([str(tmp_path)], "has no checkpoint"),
        (["no/such/run"], "no/such/run is no run and no checkpoint"),
        ([], "required: run"),
    ):
        with pytest.raises(SystemExit) as refusal:
            main(arguments)
        assert refusal.value.code == 2
        said = capsys.readouterr().err
        assert message in said
        assert said.startswith("python -m agents.ppo.publish: ")
        assert said.count("\n") == 1
