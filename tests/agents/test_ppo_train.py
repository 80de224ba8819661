"""``train.py`` from the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from agents.ppo.checkpoint import read_checkpoint
from cribbage_env.bots.network import newest_first
from cribbage_env.match import play_match

CHECKOUT = Path(__file__).resolve().parents[2]
TINY = """
    --timesteps 2048 --num-envs 64 --num-steps 16 --checkpoint-every 1024 --evaluate-every 1024
    --evaluate-games 20 --evaluate-deals 10 --final-games 20 --final-opponents random greedy
    --state-layers 32 --action-layers 16 --value-layers 16
    --credit rewards --observation features --opponent greedy club
    --evaluate-opponents greedy club
"""
SELF_PLAY = "--credit win --opponent self self club pool --num-deals 2 --pool-every 1"
FEATURES = ("--observation", "features")
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
    for line in evaluations:
        assert line["discard_loss_low"] < line["discard_loss"] < line["discard_loss_high"]
        assert line["play_loss"] > 0
        assert line["decisions_per_second"] > 0
        assert 0 < line["playing_share"] < 1
    assert any((run_dir / "tensorboard").iterdir())
    assert play_match(f"ppo:{run_dir}", "random", games=20).games == 20
    page = Path("runs") / run_dir.name / "report.html"
    assert f"report {page}\n" in done.stderr
    assert lines[1] in (tmp_path / page).read_text(encoding="utf-8")
    assert (run_dir / "report.png").stat().st_size > 0

    again = train(tmp_path, "--run-dir", str(run_dir))
    assert again.returncode == 2
    assert "holds files already: --resume it" in again.stderr
    other = train(tmp_path, "--resume", str(run_dir), "--seed", "9")
    assert other.returncode == 2
    assert other.stderr == "train.py: a resumed run keeps its seed 0; given was 9\n"
    wider = train(tmp_path, "--initial", str(run_dir), *FEATURES, "--run-dir", "wider")
    assert wider.returncode == 2
    assert "has the state_layers 32, this run 256 256" in wider.stderr
    assert wider.stderr.count("\n") == 1
    assert not (tmp_path / "wider").exists()


def test_self_play_that_begins_with_another_run(tmp_path: Path) -> None:
    first = train(tmp_path, *TINY.split(), *SELF_PLAY.split(), "--run-dir", "first")
    assert first.returncode == 0, first.stderr
    assert "games against club: wins" in first.stderr
    options = [*TINY.split(), *SELF_PLAY.split(), "--seed", "1", "--timesteps", "64"]
    second = train(tmp_path, *options, "--initial", "first", "--run-dir", "second")
    assert second.returncode == 0, second.stderr
    newest, begun = newest_first(tmp_path / "first")[0], newest_first(tmp_path / "second")[-1]
    before, after = read_checkpoint(newest).arrays, read_checkpoint(begun).arrays
    names = [name for name in before if name.startswith("parameter/")]
    assert all((before[name] == after[name]).all() for name in names)
    assert not any(name.startswith("optimiser/") for name in after)
    assert read_checkpoint(begun).config.initial == "first"


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed")
def test_ray_that_is_not_installed_is_named(tmp_path: Path) -> None:
    done = train(tmp_path, "--engine", "rllib")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "train.py: --engine rllib needs Ray: pip install -c constraints-ray.txt -e '.[ray]'\n"
    )
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--timesteps 0", "timesteps must be positive"),
        ("--timesteps many", "invalid int value: 'many'"),
        ("--opponent greedi", "unknown player 'greedi'; known are random, greedy"),
        ("--time-limit soon", "a duration is a positive number of seconds"),
        ("--resume nowhere", "nowhere is no run and no checkpoint"),
        ("--initial nowhere", "no run to begin with: nowhere is no run and no checkpoint"),
        ("--observation pictures", "invalid choice: 'pictures'"),
        ("--num-env-runners 2", "--num-env-runners and --address need --engine rllib"),
        ("--colour red", "unrecognized arguments: --colour red"),
        ("--run-dir file/run", "file/run can't be the folder of a run: Not a directory"),
        ("--run-dir file", "file can't be the folder of a run: it is a file"),
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
    assert "(default: self self expert pool)" in text


@pytest.mark.slow
def test_the_default_run_beats_greedy(tmp_path: Path) -> None:
    done = train(tmp_path, "--run-dir", "run")
    assert done.returncode == 0, done.stderr
    result = play_match(f"ppo:{tmp_path / 'run'}", "greedy", games=4000, seed=99)
    assert result.interval[0] > 0.70
    assert play_match(f"ppo:{tmp_path / 'run'}", "club", games=4000, seed=99).win_rate_a > 0.53


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(CHECKOUT / "train.py"), *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_checkpoints(process: subprocess.Popen[str], run: Path, number: int) -> None:
    while len(newest_first(run)) < number:
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["", SELF_PLAY], ids=["rewards", "self-play"])
def test_a_run_that_is_killed_goes_on_to_the_same_end(tmp_path: Path, kind: str) -> None:
    options = [*TINY.split(), *kind.split(), "--timesteps", "12000"]
    assert train(tmp_path, *options, "--run-dir", "whole").returncode == 0
    process = start(tmp_path, *options, "--run-dir", "killed")
    wait_for_checkpoints(process, tmp_path / "killed", 4)
    process.kill()  # as kill -9 does
    process.communicate()
    assert process.returncode not in (0, 130)
    left = [path.name for path in newest_first(tmp_path / "killed")]
    done = train(tmp_path, "--resume", "killed")
    assert done.returncode == 0, done.stderr
    whole, killed = newest_first(tmp_path / "whole"), newest_first(tmp_path / "killed")
    # Nothing is missing, so at most one interval was lost; and nothing has changed.
    assert [path.name for path in killed] == [path.name for path in whole]
    assert len(left) < len(whole)
    for ours, theirs in zip(killed, whole, strict=True):
        arrays = [read_checkpoint(folder).arrays for folder in (ours, theirs)]
        assert arrays[0].keys() == arrays[1].keys()
        assert all(arrays[0][name].tobytes() == arrays[1][name].tobytes() for name in arrays[0])
    assert (tmp_path / "killed" / "report.html").exists()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="no process can be sent Ctrl-C alone there")
def test_an_interrupted_run_leaves_a_report_and_the_status_130(tmp_path: Path) -> None:
    options = [*TINY.split(), *SELF_PLAY.split(), "--timesteps", "10000000"]
    process = start(tmp_path, *options, "--run-dir", "run")
    wait_for_checkpoints(process, tmp_path / "run", 2)
    process.send_signal(signal.SIGINT)
    out, error = process.communicate()
    assert process.returncode == 130
    assert out == ""
    assert "stopped, since it was interrupted; --resume run goes on" in error
    assert "There is no final table." in (tmp_path / "run" / "report.html").read_text()
