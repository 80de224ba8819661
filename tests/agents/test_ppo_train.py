"""``train.py`` from the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cribbage_env.match import play_match

CHECKOUT = Path(__file__).resolve().parents[2]
TINY = """
    --timesteps 2048 --num-envs 64 --num-steps 16 --checkpoint-every 1024 --evaluate-every 1024
    --evaluate-games 20 --final-games 20 --final-opponents random greedy
    --state-layers 32 --action-layers 16 --value-layers 16
"""
OPTIONS = "timesteps seed opponent num-envs run-dir resume time-limit"


def train(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(CHECKOUT / "train.py"), *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=False,
    )


def read_lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()


def test_a_run_from_the_command_line(tmp_path: Path) -> None:
    done = train(tmp_path, *TINY.split())
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split()[:2] == ["opponent", "games"]
    assert [line.split()[:2] for line in lines[1:]] == [["random", "20"], ["greedy", "20"]]
    (run_dir,) = (tmp_path / "runs").iterdir()
    assert f"run {Path('runs') / run_dir.name}" in done.stderr
    names = sorted(path.name for path in (run_dir / "checkpoints").iterdir())
    assert names == ["000000000", "000001024", "000002048"]
    evaluations = [json.loads(line) for line in read_lines(run_dir / "evaluations.jsonl")]
    assert [line["decisions"] for line in evaluations] == [1024, 1024, 2048, 2048]
    assert {line["opponent"] for line in evaluations} == {"greedy", "club"}
    assert any((run_dir / "tensorboard").iterdir())
    assert play_match(f"ppo:{run_dir}", "random", games=20).games == 20

    again = train(tmp_path, "--run-dir", str(run_dir))
    assert again.returncode == 2
    assert "holds files already: --resume it" in again.stderr
    other = train(tmp_path, "--resume", str(run_dir), "--seed", "9")
    assert other.returncode == 2
    assert other.stderr == "train.py: a resumed run keeps its seed 0; given was 9\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--timesteps 0", "timesteps must be positive"),
        ("--timesteps many", "invalid int value: 'many'"),
        ("--opponent greedi", "unknown player 'greedi'; known are random, greedy"),
        ("--time-limit soon", "a duration is a positive number of seconds"),
        ("--resume nowhere", "nowhere is no run and no checkpoint to resume"),
        ("--observation pictures", "invalid choice: 'pictures'"),
        ("--colour red", "unrecognized arguments: --colour red"),
        ("--run-dir file/run", "file"),
    ],
)
def test_bad_input_is_refused_in_one_line(tmp_path: Path, arguments: str, message: str) -> None:
    (tmp_path / "file").write_text("")
    done = train(tmp_path, *arguments.split())
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("train.py: ")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_help_says_the_defaults(tmp_path: Path) -> None:
    done = train(tmp_path, "--help")
    assert done.returncode == 0
    text = " ".join(done.stdout.split())
    for option in OPTIONS.split():
        assert f"--{option}" in text
    assert "(default: greedy club)" in text


@pytest.mark.slow
def test_the_default_run_beats_greedy(tmp_path: Path) -> None:
    done = train(tmp_path, "--run-dir", "run")
    assert done.returncode == 0, done.stderr
    result = play_match(f"ppo:{tmp_path / 'run'}", "greedy", games=4000, seed=99)
    assert result.interval[0] > 0.65
    assert play_match(f"ppo:{tmp_path / 'run'}", "club", games=4000, seed=99).win_rate_a > 0.45
