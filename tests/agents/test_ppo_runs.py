"""Where runs live, and what a new one may begin with."""

from __future__ import annotations

import dataclasses
import errno
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.ppo.checkpoint import write_checkpoint
from agents.ppo.config import Config
from agents.ppo.runs import plan_new
from cribbage_env.observation import VERSION

CONFIG = Config(observation="features", state_layers=(8,), action_layers=(4,), value_layers=(8,))


def write_run(run_dir: Path, *decisions: int, config: Config = CONFIG) -> Path:
    """Write a run with checkpoints that hold no network."""
    for number in decisions:
        policy = {
            "policy.npz": b"",
            "policy.json": json.dumps({"layout_version": VERSION}).encode(),
        }
        write_checkpoint(run_dir, config, {"decisions": number}, {"x": np.zeros(3)}, policy)
    return run_dir


def begin(tmp_path: Path, initial: str, config: Config = CONFIG) -> Any:
    config = dataclasses.replace(config, initial=initial)
    return plan_new(config, tmp_path / "new", tmp_path / "runs", "test")


def test_a_folder_with_files_is_no_place_for_a_new_run(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("")
    with pytest.raises(ValueError, match="holds files already"):
        plan_new(CONFIG, tmp_path, tmp_path, "test")
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    first = plan_new(CONFIG, None, tmp_path / "runs", "test").run_dir
    second = plan_new(CONFIG, None, tmp_path / "runs", "test").run_dir
    assert first != second
    assert first.parent == second.parent == tmp_path / "runs"


def test_a_full_disk_leaves_a_folder_that_a_run_may_still_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path, *_: Any, **__: Any) -> None:
        path.touch()
        raise OSError(errno.ENOSPC, "No space left on device", str(path))

    monkeypatch.setattr(Path, "write_text", fail)
    with pytest.raises(OSError, match="No space left"):
        plan_new(CONFIG, tmp_path / "run", tmp_path, "test")
    monkeypatch.undo()
    assert plan_new(CONFIG, tmp_path / "run", tmp_path, "test").run_dir == tmp_path / "run"


def test_a_run_begins_with_another_or_one_checkpoint_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = write_run(tmp_path / "old", 100, 200)
    monkeypatch.chdir(tmp_path)
    assert begin(tmp_path, str(run)).notes == ()
    for name in ("a", "b"):
        initial = {"a": "old", "b": str(Path("old", "checkpoints", "000000100"))}[name]
        config = dataclasses.replace(CONFIG, initial=initial)
        plan = plan_new(config, tmp_path / name, tmp_path, "test")
        assert plan.resumed is None
        facts = json.loads((tmp_path / name / "config.json").read_text())
        assert facts["config"]["initial"] == initial  # as it was given


def test_a_damaged_checkpoint_of_the_first_run_is_named_and_left_where_it_is(
    tmp_path: Path,
) -> None:
    run = write_run(tmp_path / "old", 100, 200)
    damaged = run / "checkpoints" / "000000200" / "training.npz"
    damaged.write_bytes(b"")
    (note,) = begin(tmp_path, str(run)).notes
    assert str(damaged) in note
    assert damaged.exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"observation": "lookahead"}, "has the observation features, this run lookahead"),
        ({"state_layers": (8, 8)}, "has the state_layers 8, this run 8 8"),
        ({"action_layers": ()}, "has the action_layers 4, this run none"),
        ({"value_layers": (9,)}, "has the value_layers 8, this run 9"),
    ],
)
def test_another_network_is_refused_before_anything_is_written(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    run = write_run(tmp_path / "old", 100)
    with pytest.raises(ValueError, match=message):
        begin(tmp_path, str(run), dataclasses.replace(CONFIG, **change))
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


def test_no_run_to_begin_with_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for place, message in (
        (tmp_path / "nowhere", "nowhere is no run and no checkpoint"),
        (empty, "empty has no checkpoint"),
        (empty / "checkpoints" / "000000100", r"000000100.training\.json can't be read"),
    ):
        with pytest.raises(ValueError, match=f"no run to begin with: .*{message}"):
            begin(tmp_path, str(place))
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]
