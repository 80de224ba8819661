"""Every example runs, quickly with little to do; and what they claim with all they do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"

# For each example: arguments that make it short, and what it has to print. That of RLlib is run by
# `tests/ray`.
QUICK: dict[str, tuple[list[str], str]] = {
    "cleanrl_ppo.py": (["--timesteps", "4096"], r"4096 decisions, +\d+ games: .*% of the last 500"),
    "maskable_ppo.py": (
        ["--timesteps", "4096", "--games", "100"],
        r"before training: .*\nafter  training: [\d.]+%",
    ),
    "masked_dqn.py": (["--timesteps", "1280"], r"1280 decisions, .* points a deal against greedy"),
    "own_opponent.py": ([], r"spoiler beats greedy in 5\d\.\d% \(.*\) of games"),
    "pettingzoo_self_play.py": (["--deals", "30"], r"after +30 deals: wins .*\n\nwhat it has come"),
    "plain_ppo.py": (["--timesteps", "2048"], r"after training: +[\d.]+% of its actions"),
    "random_agent.py": ([], r"game over: .*\n(won|lost) by \d+ points"),
    "rllib_self_play.py": (["--updates", "1"], r"after +0 updates: .*\nafter +1 updates: wins .*%"),
    "record_and_replay.py": ([], r"edited: line \d+: .*[\s\S]*the recorded game ended \d+-\d+"),
}


def run(name: str, *arguments: str) -> str:
    """Return what an example prints; its warnings are errors, and so is an exit that is not 0."""
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    done = subprocess.run(
        [sys.executable, "-W", "error", str(EXAMPLES / name), *arguments],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, given)])},
        capture_output=True,
        encoding="utf-8",
        check=False,
        timeout=1800,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_example_is_run_here_and_named_in_the_docs() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(QUICK)
    page = (ROOT / "docs" / "ecosystem.md").read_text(encoding="utf-8")
    for name in QUICK:
        assert f"(../examples/{name})" in page


@pytest.mark.parametrize("name", [name for name in QUICK if "rllib" not in name])
def test_an_example_runs(name: str) -> None:
    arguments, expected = QUICK[name]
    assert re.search(expected, run(name, *arguments))


def percentages(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"([\d.]+)%", text)]


@pytest.mark.slow
def test_self_play_learns_to_beat_greedy() -> None:
    rates = percentages(run("pettingzoo_self_play.py"))
    assert rates[1] < 15  # against greedy, before
    assert rates[-1] > 60


@pytest.mark.slow
def test_ppo_in_one_file_learns_to_beat_greedy() -> None:
    assert percentages(run("cleanrl_ppo.py"))[-1] > 60


@pytest.mark.slow
def test_maskable_ppo_learns() -> None:
    before, _, _, after, _, _ = percentages(run("maskable_ppo.py"))
    assert before < 12
    assert after > 25


@pytest.mark.slow
def test_plain_ppo_learns_the_rules() -> None:
    before, after = percentages(run("plain_ppo.py"))
    assert before > 40
    assert after < 20


@pytest.mark.slow
def test_masked_dqn_learns_to_beat_greedy() -> None:
    margins = [float(text) for text in re.findall(r"([+-][\d.]+) points", run("masked_dqn.py"))]
    assert margins[0] < -2
    assert margins[-1] > 0
