"""``train.py --engine rllib``: its run is like any other, and outlives what dies in it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray")

from agents.cluster import connected
from agents.ppo.checkpoint import read_checkpoint
from agents.ppo.config import Config
from agents.ppo.stopping import StopRequest
from agents.rllib.learning import export_state
from agents.rllib.selfplay import past_self
from agents.rllib.training import RllibRun
from cribbage_env.bots.network import load_policy, newest_first
from cribbage_env.match import play_match

# RLlib registers its own environment once for each algorithm of a process.
pytestmark = pytest.mark.filterwarnings("ignore:.*rllib-multi-agent-env-v0:UserWarning")

CHECKOUT = Path(__file__).resolve().parents[2]
TINY = """
    --engine rllib --observation features --opponent self pool club --timesteps 1500 --threads 1
    --num-envs 8 --num-steps 64 --batch-size 128 --checkpoint-every 500 --pool-every 500
    --evaluate-every 1000 --evaluate-games 20 --evaluate-deals 0 --evaluate-opponents random
    --final-games 20 --final-opponents random
    --state-layers 32 --action-layers 16 --value-layers 16
"""
SMALL: dict[str, Any] = {
    "engine": "rllib",
    "observation": "features",
    "opponent": ("self", "pool", "club"),
    "num_envs": 8,
    "num_steps": 64,
    "batch_size": 128,
    "threads": 1,
    "checkpoint_every": 500,
    "pool_every": 500,
    "evaluate_every": 1_000_000,
    "evaluate_games": 2,
    "evaluate_deals": 0,
    "evaluate_opponents": ("random",),
    "state_layers": (32,),
    "action_layers": (16,),
    "value_layers": (16,),
}


@pytest.fixture(scope="module")
def connection() -> Iterator[None]:
    """Ray on this machine, which the runs of this process find started."""
    with connected(None, 3):
        yield


def start(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(CHECKOUT / "train.py"), *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def decisions(run: Path) -> list[int]:
    return sorted(int(folder.name) for folder in newest_first(run))


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_run_that_is_killed_goes_on(tmp_path: Path) -> None:
    run = tmp_path / "run"
    process = start(tmp_path, *TINY.split(), "--timesteps", "1000000", "--run-dir", str(run))
    try:
        while process.poll() is None and len(newest_first(run)) < 3:
            time.sleep(0.05)
    finally:
        process.send_signal(signal.SIGKILL)
        _, said = process.communicate()
    assert process.returncode == -signal.SIGKILL, said
    before = {folder.name: files_of(folder) for folder in newest_first(run)}
    newest = newest_first(run)[0]
    learnt = read_checkpoint(newest)
    assert learnt.facts["pool"] >= 2
    last = learnt.decisions + 800
    done = start(tmp_path, "--resume", str(run), "--timesteps", str(last))
    out, said = done.communicate()
    assert done.returncode == 0, said
    assert out.splitlines()[1].split()[:2] == ["random", "20"]
    assert f"run {run}" in said
    assert f"report {run / 'report.html'}" in said
    assert decisions(run)[-1] >= last
    for name, files in before.items():
        assert files_of(run / "checkpoints" / name) == files
    config = json.loads((run / "config.json").read_text(encoding="utf-8"))
    assert config["config"]["engine"] == "rllib"
    assert "ray" in config["versions"]
    assert play_match(f"ppo:{run}", "random", games=20).games == 20


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_nothing_is_lost_with_a_worker(tmp_path: Path, monkeypatch: Any, connection: Any) -> None:
    config = Config(**SMALL, timesteps=4000, num_env_runners=2)
    update, killed = RllibRun._update, []

    def update_and_kill(run: RllibRun) -> None:
        if run.decisions > 1000 and not killed:
            killed.append(pids(run)[0])
            os.kill(killed[0], signal.SIGKILL)
        update(run)

    monkeypatch.setattr(RllibRun, "_update", update_and_kill)
    run = RllibRun(config, tmp_path, "a test")
    try:
        group = run.algorithm.env_runner_group
        assert run.learn(StopRequest()) == ""
        assert killed
        for _ in range(30):  # another takes its place
            if group.num_healthy_remote_workers() == 2:
                break
            run.algorithm.train()
            time.sleep(0.5)
        assert len(set(pids(run)) - set(killed)) == 2
        same = run.algorithm.learner_group.get_weights()
        for module in ("learner", past_self(0)):
            for runner in group.foreach_env_runner(lambda runner: runner.get_weights()):
                for name, array in runner[module].items():
                    assert np.array_equal(array, same[module][name]), (module, name)
    finally:
        run.close()
    assert decisions(tmp_path)[-1] >= 4000
    assert len(decisions(tmp_path)) >= 6
    for folder in newest_first(tmp_path):
        read_checkpoint(folder)


def pids(run: RllibRun) -> list[int]:
    group = run.algorithm.env_runner_group
    return list(group.foreach_env_runner(lambda _: os.getpid(), local_env_runner=False))


def test_a_checkpoint_holds_the_policy_and_all_to_go_on_from(
    tmp_path: Path, connection: Any
) -> None:
    run = RllibRun(Config(**SMALL, timesteps=700), tmp_path / "first", "a test")
    try:
        run.learn(StopRequest())
        arrays, pool = export_state(run.algorithm), run._pool
        player = run.player()
    finally:
        run.close()
    checkpoint = read_checkpoint(newest_first(tmp_path / "first")[0])
    assert checkpoint.decisions == run.decisions >= 700
    config = Config(**SMALL, timesteps=2000)
    again = RllibRun(config, tmp_path / "first", "a test", checkpoint)
    try:
        restored = export_state(again.algorithm)
        assert any(name.startswith("optimiser/") for name in arrays)
        assert restored.keys() == arrays.keys()
        assert all(np.array_equal(restored[name], arrays[name]) for name in arrays)
        assert len(again._pool) == len(pool) >= 2  # how much an update holds is up to RLlib
        assert again.decisions == run.decisions
    finally:
        again.close()
    other = RllibRun(Config(**SMALL, initial=str(tmp_path / "first")), tmp_path / "other", "a test")
    try:
        begun = export_state(other.algorithm)
        names = [name for name in arrays if name.startswith("parameter/")]
        assert all(np.array_equal(begun[name], arrays[name]) for name in names)
        assert other.decisions == 0
    finally:
        other.close()
    exported = load_policy(tmp_path / "first")
    assert play_match(exported, player, games=20).totals.distinct_games == 10


def test_the_time_limit_ends_a_run(tmp_path: Path, connection: Any) -> None:
    run = RllibRun(Config(**SMALL, time_limit=0.1), tmp_path, "a test")
    try:
        assert run.learn(StopRequest()) == "the time limit is reached"
    finally:
        run.close()
    assert decisions(tmp_path)[-1] == run.decisions > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--address here", "address must be auto, HOST:PORT or ray://HOST:PORT, not 'here'"),
        ("--address localhost:1", "no Ray cluster answers at localhost:1"),
        ("--num-env-runners -1", "num_env_runners must be 0 or more, not -1"),
        ("--credit win", "--credit win needs --engine sb3"),
        ("--opponent champion --observation cards --action-layers", "give --observation features"),
    ],
)
def test_bad_input_is_refused_in_one_line(tmp_path: Path, arguments: str, message: str) -> None:
    process = start(tmp_path, "--engine", "rllib", *arguments.split())
    out, said = process.communicate()
    assert (process.returncode, out) == (2, "")
    assert said.startswith("train.py: ")
    assert said.count("\n") == 1
    assert message in said
    assert not list(tmp_path.iterdir())
