"""Checkpoints: whole or not at all, and a resumed run is the run that was never interrupted.

Each test is about runs of both kinds: of single steps with rewards, and of whole deals in
self-play.
"""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import json
import signal
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agents.ppo import checkpoint as checkpoints
from agents.ppo.callbacks import StopRequest
from agents.ppo.checkpoint import DamagedCheckpointError, newest_sound, read_checkpoint
from agents.ppo.config import Config
from agents.ppo.runs import plan_new, plan_resumed
from agents.ppo.selfplay import POOL_SIZE
from agents.ppo.training import Run
from tests.checkpoints import same_arrays

pytestmark = pytest.mark.usefixtures("random_numbers_stay")

TINY = Config(
    observation="features",
    credit="rewards",
    opponent=("greedy", "club"),
    timesteps=512,
    num_envs=16,
    num_steps=16,
    batch_size=64,
    state_layers=(16,),
    action_layers=(8,),
    value_layers=(8,),
    evaluate_every=10_000,
    evaluate_games=2,
    evaluate_deals=0,
    evaluate_opponents=("random",),
    checkpoint_every=1,
    threads=1,
)
SELF_PLAY = dataclasses.replace(
    TINY,
    credit="win",
    opponent=("self", "club", "pool"),
    num_deals=2,
    num_envs=8,
    timesteps=600,
    pool_every=1,
)
MUCH_LATER = 10_000_000


class Trained(NamedTuple):
    """A run that has ended, and its checkpoints, the oldest first."""

    run_dir: Path
    config: Config

    @property
    def folders(self) -> list[Path]:
        return sorted((self.run_dir / "checkpoints").iterdir())


def train(config: Config, run_dir: Path, resume: Path | None = None, **given: Any) -> Run:
    if resume is None:
        plan = plan_new(config, run_dir, run_dir.parent, "test")
    else:
        plan = plan_resumed(resume, given, run_dir, "test")
    run = Run(plan.config, plan.run_dir, "test", plan.resumed)
    run.learn(StopRequest())
    return run


@pytest.fixture(scope="module", params=[TINY, SELF_PLAY], ids=["rewards", "self-play"])
def trained(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Trained:
    """Return a run of two updates or more, which no test changes."""
    run_dir = tmp_path_factory.mktemp("runs") / "trained"
    train(request.param, run_dir)
    return Trained(run_dir, request.param)


@pytest.fixture
def copied(trained: Trained, tmp_path: Path) -> Trained:
    """Return a copy of the trained run."""
    for file in (file for file in trained.run_dir.rglob("*") if file.is_file()):
        copy = tmp_path / "run" / file.relative_to(trained.run_dir)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
    return Trained(tmp_path / "run", trained.config)


def in_run(run_dir: Path, like: Path) -> Path:
    """Return the checkpoint of a run at the moment of another run's."""
    return run_dir / "checkpoints" / like.name


# ---- going on --------------------------------------------------------------------------------


@pytest.mark.parametrize("place", [0, 1, -2])
def test_a_resumed_run_goes_on_as_if_it_had_never_stopped(
    trained: Trained, tmp_path: Path, place: int
) -> None:
    begin, end = trained.folders[place], trained.folders[-1]
    train(trained.config, tmp_path / "half", resume=begin)
    if place:
        assert not in_run(tmp_path / "half", begin).exists()
    assert same_arrays(end, in_run(tmp_path / "half", end))
    assert not same_arrays(begin, end)


def test_the_same_seed_gives_the_same_run_and_another_one_another(
    trained: Trained, tmp_path: Path
) -> None:
    again, other = tmp_path / "again", tmp_path / "other"
    train(trained.config, again)
    assert [path.name for path in trained.folders] == [
        path.name for path in Trained(again, trained.config).folders
    ]
    assert same_arrays(trained.folders[-1], in_run(again, trained.folders[-1]))
    train(dataclasses.replace(trained.config, seed=1), other)
    newest, _ = newest_sound(other)
    assert not same_arrays(trained.folders[-1], newest.folder)


def test_a_checkpoint_of_self_play_holds_the_pool_of_its_moment(tmp_path: Path) -> None:
    train(SELF_PLAY, tmp_path / "run")
    folders = Trained(tmp_path / "run", SELF_PLAY).folders
    assert len(folders) > 3
    for number, folder in enumerate(folders):
        arrays = read_checkpoint(folder).arrays
        pool = {name.split("/")[2] for name in arrays if name.startswith("games/pool/")}
        assert len(pool) == min(number, POOL_SIZE)
        if pool:
            newest = f"games/pool/{len(pool) - 1}/state_logits.weight"
            now = arrays["parameter/policy_network.state_logits.weight"]
            assert (arrays[newest] == now).all()


def test_a_longer_run_goes_on_in_its_folder(copied: Trained) -> None:
    before = {folder: (folder / "training.npz").read_bytes() for folder in copied.folders}
    run = train(copied.config, copied.run_dir, copied.run_dir, timesteps=900)
    assert len(copied.folders) > len(before)
    assert read_checkpoint(copied.folders[-1]).decisions == run.decisions
    for folder, content in before.items():
        assert (folder / "training.npz").read_bytes() == content


def test_a_finished_run_has_nothing_left_to_learn(copied: Trained) -> None:
    decisions = int(copied.folders[-1].name)
    assert train(copied.config, copied.run_dir, copied.run_dir).decisions == decisions


def test_what_a_checkpoint_says(trained: Trained) -> None:
    checkpoint = read_checkpoint(trained.folders[-1])
    assert checkpoint.config == trained.config
    assert checkpoint.run_dir == trained.run_dir
    assert checkpoint.facts["command"] == "test"
    assert {"python", "torch", "numpy", "cribbage-env"} <= checkpoint.facts["versions"].keys()
    assert all(checkpoint.facts["clock"][name] > 0 for name in ("playing", "learning"))
    policy = json.loads((trained.folders[-1] / "policy.json").read_text())
    assert policy["decisions"] == checkpoint.decisions
    assert policy["config"] == trained.config.to_json()


# ---- damages ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["policy.npz", "policy.json", "training.npz", "training.json"])
def test_a_damaged_file_is_named_and_the_checkpoint_before_it_is_used(
    copied: Trained, name: str
) -> None:
    *_, before, newest = copied.folders
    file = newest / name
    file.write_bytes(file.read_bytes()[:-10])
    with pytest.raises(DamagedCheckpointError, match=rf"{newest.name}.{name} is damaged"):
        read_checkpoint(newest)
    plan = plan_resumed(copied.run_dir, {}, None, "test")
    assert plan.resumed is not None
    assert plan.resumed.folder == before
    assert len(plan.notes) == 1
    assert str(file) in plan.notes[0]
    assert not newest.exists()
    aside = newest.with_name(f"{newest.name}.damaged-1")
    assert (aside / name).exists()


def test_a_run_goes_on_from_before_the_damage_to_the_same_end(
    trained: Trained, copied: Trained
) -> None:
    newest = copied.folders[-1]
    (newest / "training.npz").write_bytes(b"")
    train(copied.config, copied.run_dir, copied.run_dir)
    assert same_arrays(trained.folders[-1], newest)
    assert newest.with_name(f"{newest.name}.damaged-1").exists()


def test_a_missing_file_is_named(copied: Trained) -> None:
    *_, before, newest = copied.folders
    (newest / "training.npz").unlink()
    checkpoint, damages = newest_sound(copied.run_dir)
    assert checkpoint.folder == before
    assert "training.npz can't be read: No such file" in damages[0]


def test_no_sound_checkpoint(copied: Trained, tmp_path: Path) -> None:
    for file in copied.run_dir.rglob("training.json"):
        file.write_text("[]")
    with pytest.raises(ValueError, match=rf"sound checkpoint: .*{copied.folders[-1].name}.*000000"):
        newest_sound(copied.run_dir)
    with pytest.raises(ValueError, match="no checkpoint to go on from"):
        newest_sound(tmp_path)
    with pytest.raises(ValueError, match="is no run and no checkpoint"):
        plan_resumed(tmp_path / "nothing", {}, None, "test")


def rewrite(folder: Path, of_policy: dict[str, Any], of_training: dict[str, Any]) -> None:
    """Change what a checkpoint says, its digests included."""
    policy, training = folder / "policy.json", folder / "training.json"
    policy.write_text(json.dumps(json.loads(policy.read_text()) | of_policy))
    facts = json.loads(training.read_text()) | of_training
    facts["sha256"]["policy.json"] = hashlib.sha256(policy.read_bytes()).hexdigest()
    training.write_text(json.dumps(facts))


@pytest.mark.parametrize(
    ("of_policy", "of_training", "message"),
    [
        ({"layout_version": 99}, {}, "was made for version 99 of the observation's layout"),
        ({}, {"config": {"colour": "red"}}, "can't be used: unknown settings: colour"),
        ({}, {"format": 7}, "has no sound checkpoint: .*has the format 7; this version reads 1"),
    ],
)
def test_a_wrong_checkpoint_is_refused_and_nothing_is_touched(
    copied: Trained, of_policy: dict[str, Any], of_training: dict[str, Any], message: str
) -> None:
    for folder in copied.folders:
        rewrite(folder, of_policy, of_training)
    before = sorted(copied.run_dir.rglob("*"))
    with pytest.raises(ValueError, match=message):
        plan_resumed(copied.run_dir, {}, None, "test")
    assert sorted(copied.run_dir.rglob("*")) == before


def test_a_checkpoint_of_the_other_kind_of_run_does_not_fit(tmp_path: Path) -> None:
    config = dataclasses.replace(TINY, num_envs=SELF_PLAY.num_envs)
    train(config, tmp_path / "run")
    newest, _ = newest_sound(tmp_path / "run")
    with pytest.raises(ValueError, match=rf"{newest.folder.name} doesn't fit: 'opponents'"):
        Run(SELF_PLAY, tmp_path / "run", "test", newest)


def test_games_of_another_number_are_refused(trained: Trained) -> None:
    checkpoint = read_checkpoint(trained.folders[1])
    config = dataclasses.replace(trained.config, num_envs=5)
    number = trained.config.num_envs
    with pytest.raises(ValueError, match=f"{number} of another engine or number; 5 of this one"):
        Run(config, trained.run_dir, "test", checkpoint)


# ---- nothing is lost or overwritten ----------------------------------------------------------


def test_nothing_newer_is_passed_over(copied: Trained, tmp_path: Path) -> None:
    *_, before, newest = copied.folders
    with pytest.raises(ValueError, match=rf"has newer checkpoints than .*{before.name}"):
        plan_resumed(before, {}, None, "test")
    plan = plan_resumed(before, {}, tmp_path / "branch", "test")
    assert plan.run_dir == tmp_path / "branch"
    assert newest.exists()


def test_a_full_disk_leaves_no_half_checkpoint(
    trained: Trained, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = checkpoints._write_through
    begun, first, *_, last = trained.folders

    def write_until_full(file: Path, content: bytes) -> None:
        if file.name == "training.npz" and file.parent.name.startswith(first.name):
            raise OSError(errno.ENOSPC, "No space left on device")
        write(file, content)

    run = Trained(tmp_path / "run", trained.config)
    monkeypatch.setattr(checkpoints, "_write_through", write_until_full)
    with pytest.raises(OSError, match=rf"No space left on device: .*{first.name}"):
        train(run.config, run.run_dir)
    assert [path.name for path in run.folders] == [begun.name]
    monkeypatch.undo()
    train(run.config, run.run_dir, resume=run.run_dir)
    assert same_arrays(last, run.folders[-1])


def test_a_place_that_cannot_be_written_is_named_and_left_alone(
    trained: Trained, tmp_path: Path
) -> None:
    plan = plan_new(trained.config, tmp_path / "run", tmp_path, "test")
    in_the_way = plan.run_dir / "checkpoints"
    in_the_way.write_text("mine")
    run = Run(plan.config, plan.run_dir, "test")
    with pytest.raises(OSError, match="checkpoints"):
        run.learn(StopRequest())
    assert in_the_way.read_text() == "mine"
    assert run.decisions == 0


def test_a_checkpoint_is_never_written_again(copied: Trained) -> None:
    newest = copied.folders[-1]
    before = (newest / "training.json").read_bytes()
    facts = dict(read_checkpoint(newest).facts) | {"seconds": -1.0}
    checkpoints.write_checkpoint(copied.run_dir, copied.config, facts, {}, {})
    assert (newest / "training.json").read_bytes() == before


# ---- stopping --------------------------------------------------------------------------------


def test_an_interrupt_ends_with_a_checkpoint_to_go_on_from(
    trained: Trained, tmp_path: Path
) -> None:
    config = dataclasses.replace(trained.config, checkpoint_every=MUCH_LATER)
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
    first, last = trained.folders[1], trained.folders[-1]
    assert run.decisions == int(first.name)
    assert same_arrays(first, in_run(plan.run_dir, first))
    train(config, plan.run_dir, resume=plan.run_dir)
    assert same_arrays(last, in_run(plan.run_dir, last))


def test_the_time_limit_ends_the_training(trained: Trained, tmp_path: Path) -> None:
    config = dataclasses.replace(trained.config, time_limit=1e-9)
    plan = plan_new(config, tmp_path / "run", tmp_path, "test")
    run = Run(config, plan.run_dir, "test")
    request = StopRequest()
    assert run.learn(request) == "the time limit is reached"
    assert not request.is_from_user
    assert run.decisions == int(trained.folders[1].name)
    resumed = plan_resumed(plan.run_dir, {}, None, "test")
    assert resumed.config.time_limit is None
