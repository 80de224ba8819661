"""Checkpoints: whole or not at all, and a resumed run is the run that was never interrupted."""

from __future__ import annotations

import dataclasses
import errno
import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from agents.ppo import checkpoint as checkpoints
from agents.ppo.callbacks import StopRequest
from agents.ppo.checkpoint import DamagedCheckpointError, newest_sound, read_checkpoint
from agents.ppo.config import Config
from agents.ppo.runs import plan_new, plan_resumed
from agents.ppo.training import Run

TINY = Config(
    timesteps=512,
    num_envs=16,
    num_steps=16,
    batch_size=64,
    state_layers=(16,),
    action_layers=(8,),
    value_layers=(8,),
    evaluate_every=10_000,
    evaluate_games=2,
    evaluate_opponents=("random",),
    checkpoint_every=256,
    threads=1,
)

SELF_PLAY = dataclasses.replace(
    TINY,
    credit="win",
    opponent=("self", "club", "pool"),
    num_deals=1,
    num_envs=16,
    timesteps=450,
    checkpoint_every=1,
    pool_every=1,
)


@pytest.fixture(autouse=True)
def _global_random_numbers_stay() -> Iterator[None]:
    """Making a run seeds them; other tests should not notice."""
    threads, state = torch.get_num_threads(), np.random.get_state()  # noqa: NPY002
    with torch.random.fork_rng():
        yield
    torch.set_num_threads(threads)
    np.random.set_state(state)  # noqa: NPY002


def train(config: Config, run_dir: Path, resume: Path | None = None, **given: Any) -> Run:
    if resume is None:
        plan = plan_new(config, run_dir, run_dir.parent, "test")
    else:
        plan = plan_resumed(resume, given, run_dir, "test")
    run = Run(plan.config, plan.run_dir, "test", plan.resumed)
    run.learn(StopRequest())
    return run


def folder(run_dir: Path, decisions: int) -> Path:
    return run_dir / "checkpoints" / f"{decisions:09d}"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run of two updates, which no test changes."""
    run_dir = tmp_path_factory.mktemp("runs") / "trained"
    train(TINY, run_dir)
    return run_dir


@pytest.fixture
def copied(trained: Path, tmp_path: Path) -> Path:
    """Return a copy of the trained run."""
    for file in (file for file in trained.rglob("*") if file.is_file()):
        copy = tmp_path / "run" / file.relative_to(trained)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
    return tmp_path / "run"


def same_arrays(a: Path, b: Path) -> bool:
    first, second = read_checkpoint(a), read_checkpoint(b)
    return first.arrays.keys() == second.arrays.keys() and all(
        array.tobytes() == second.arrays[name].tobytes() for name, array in first.arrays.items()
    )


def test_a_resumed_run_goes_on_as_if_it_had_never_stopped(trained: Path, tmp_path: Path) -> None:
    train(TINY, tmp_path / "half", resume=folder(trained, 256))
    assert not folder(tmp_path / "half", 256).exists()
    assert same_arrays(folder(trained, 512), folder(tmp_path / "half", 512))
    assert not same_arrays(folder(trained, 256), folder(trained, 512))


def test_the_same_seed_gives_the_same_run_and_another_one_another(
    trained: Path, tmp_path: Path
) -> None:
    train(TINY, tmp_path / "again")
    assert same_arrays(folder(trained, 512), folder(tmp_path / "again", 512))
    train(dataclasses.replace(TINY, seed=1), tmp_path / "other")
    assert not same_arrays(folder(trained, 512), folder(tmp_path / "other", 512))


def test_a_resumed_run_of_self_play_goes_on_with_its_games_and_its_pool(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    train(SELF_PLAY, whole)
    begun, *between, ended = sorted((whole / "checkpoints").iterdir())
    assert begun.name == "000000000"
    assert len(between) >= 3
    assert any(name.startswith("games/pool/1/") for name in read_checkpoint(between[2]).arrays)
    train(SELF_PLAY, tmp_path / "half", resume=between[2])
    assert same_arrays(ended, tmp_path / "half" / "checkpoints" / ended.name)
    assert not same_arrays(ended, between[2])


def test_a_longer_run_goes_on_in_its_folder(copied: Path) -> None:
    before = folder(copied, 512).joinpath("training.npz").read_bytes()
    run = train(TINY, copied, resume=copied, timesteps=768)
    assert run.decisions == 768
    assert folder(copied, 512).joinpath("training.npz").read_bytes() == before
    assert read_checkpoint(folder(copied, 768)).decisions == 768


def test_a_finished_run_has_nothing_left_to_learn(copied: Path) -> None:
    assert train(TINY, copied, resume=copied).decisions == 512


def test_what_a_checkpoint_says(trained: Path) -> None:
    checkpoint = read_checkpoint(folder(trained, 512))
    assert checkpoint.config == TINY
    assert checkpoint.run_dir == trained
    assert checkpoint.facts["command"] == "test"
    assert {"python", "torch", "numpy", "cribbage-env"} <= checkpoint.facts["versions"].keys()
    policy = json.loads(folder(trained, 512).joinpath("policy.json").read_text())
    assert policy["decisions"] == 512
    assert policy["config"] == TINY.to_json()


@pytest.mark.parametrize("name", ["policy.npz", "policy.json", "training.npz", "training.json"])
def test_a_damaged_file_is_named_and_the_checkpoint_before_it_is_used(
    copied: Path, name: str
) -> None:
    file = folder(copied, 512) / name
    file.write_bytes(file.read_bytes()[:-10])
    with pytest.raises(DamagedCheckpointError, match=rf"000000512.{name} is damaged"):
        read_checkpoint(folder(copied, 512))
    plan = plan_resumed(copied, {}, None, "test")
    assert plan.resumed is not None
    assert plan.resumed.decisions == 256
    assert len(plan.notes) == 1
    assert str(file) in plan.notes[0]
    assert not folder(copied, 512).exists()
    aside = folder(copied, 512).with_name("000000512.damaged-1")
    assert (aside / name).exists()


def test_a_missing_file_is_named(copied: Path) -> None:
    (folder(copied, 512) / "training.npz").unlink()
    checkpoint, damages = newest_sound(copied)
    assert checkpoint.decisions == 256
    assert "training.npz can't be read: No such file" in damages[0]


def test_no_sound_checkpoint(copied: Path, tmp_path: Path) -> None:
    for file in copied.rglob("training.json"):
        file.write_text("[]")
    with pytest.raises(ValueError, match=r"has no sound checkpoint: .*000000512.*000000000"):
        newest_sound(copied)
    with pytest.raises(ValueError, match="no checkpoint to go on from"):
        newest_sound(tmp_path)
    with pytest.raises(ValueError, match="is no run and no checkpoint"):
        plan_resumed(tmp_path / "nothing", {}, None, "test")


def test_nothing_newer_is_passed_over(copied: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"has newer checkpoints than .*000000256"):
        plan_resumed(folder(copied, 256), {}, None, "test")
    plan = plan_resumed(folder(copied, 256), {}, tmp_path / "branch", "test")
    assert plan.run_dir == tmp_path / "branch"
    assert folder(copied, 512).exists()


def test_a_folder_with_files_is_no_place_for_a_new_run(copied: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds files already"):
        plan_new(TINY, copied, tmp_path, "test")
    first = plan_new(TINY, None, tmp_path / "runs", "test").run_dir
    second = plan_new(TINY, None, tmp_path / "runs", "test").run_dir
    assert first != second
    assert first.parent == second.parent == tmp_path / "runs"


def test_a_full_disk_leaves_no_half_checkpoint(
    trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = checkpoints._write_through

    def write_until_full(file: Path, content: bytes) -> None:
        if file.name == "training.npz" and file.parent.name.startswith("000000256"):
            raise OSError(errno.ENOSPC, "No space left on device", str(file))
        write(file, content)

    monkeypatch.setattr(checkpoints, "_write_through", write_until_full)
    with pytest.raises(OSError, match=r"No space left on device: .*training\.npz"):
        train(TINY, tmp_path / "run")
    found = sorted(path.name for path in (tmp_path / "run" / "checkpoints").iterdir())
    assert found == ["000000000"]
    monkeypatch.undo()
    train(TINY, tmp_path / "run", resume=tmp_path / "run")
    assert same_arrays(folder(trained, 512), folder(tmp_path / "run", 512))


def test_a_checkpoint_is_never_written_again(copied: Path) -> None:
    checkpoint = read_checkpoint(folder(copied, 512))
    before = folder(copied, 512).joinpath("training.json").read_bytes()
    facts = dict(checkpoint.facts) | {"seconds": -1.0}
    checkpoints.write_checkpoint(copied, TINY, facts, {}, {})
    assert folder(copied, 512).joinpath("training.json").read_bytes() == before


def test_an_interrupt_ends_with_a_checkpoint_to_go_on_from(trained: Path, tmp_path: Path) -> None:
    config = dataclasses.replace(TINY, checkpoint_every=10_000)
    plan = plan_new(config, tmp_path / "run", tmp_path, "test")
    run = Run(config, plan.run_dir, "test")
    request = StopRequest()
    before = signal.getsignal(signal.SIGINT)
    with request.from_signals():
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        reason = run.learn(request)
    assert signal.getsignal(signal.SIGINT) is before
    assert reason == "it was interrupted"
    assert run.decisions == 256
    train(config, plan.run_dir, resume=plan.run_dir)
    assert same_arrays(folder(trained, 512), folder(plan.run_dir, 512))


def test_the_time_limit_ends_the_training(tmp_path: Path) -> None:
    config = dataclasses.replace(TINY, time_limit=1e-9)
    plan = plan_new(config, tmp_path / "run", tmp_path, "test")
    run = Run(config, plan.run_dir, "test")
    request = StopRequest()
    assert run.learn(request) == "the time limit is reached"
    assert not request.is_from_user
    assert run.decisions == 256
    resumed = plan_resumed(plan.run_dir, {}, None, "test")
    assert resumed.config.time_limit is None


def test_games_of_another_number_are_refused(trained: Path) -> None:
    checkpoint = read_checkpoint(folder(trained, 256))
    config = dataclasses.replace(TINY, num_envs=8)
    with pytest.raises(ValueError, match="16 of another engine or number; 8 of this one"):
        Run(config, trained, "test", checkpoint)
