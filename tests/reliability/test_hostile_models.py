"""Model files and checkpoints from strangers: refused by ValueError, or played; never executed."""

from __future__ import annotations

import hashlib
import io
import json
import pickle
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies

from cribbage_env.bots.network import NetworkPolicy, load_policy, parameter_shapes
from cribbage_env.files import parse_arrays, parse_json
from cribbage_env.match import play_match
from cribbage_env.observation import VERSION
from cribbage_env.policy import make_policy
from tests.reliability.damage import (
    Trap,
    arrays_of,
    damaged_bytes,
    damaged_json,
    fuzz_settings,
    hostile_archives,
)

SHAPES = parameter_shapes("cards", [4], [])
ARCHIVES = hostile_archives()
FACTS = {
    "format": 1,
    "layout_version": VERSION,
    "observation": "cards",
    "architecture": {"state_layers": [4], "action_layers": []},
    "sha256": "",
    "decisions": 5,
}
DEEP = b"[" * 100_000 + b"]" * 100_000


def packed(arrays: dict[str, Any]) -> bytes:
    content = io.BytesIO()
    np.savez(content, **arrays)
    return content.getvalue()


CONTENT = packed(arrays_of(**SHAPES))


def write(folder: Path, content: bytes = CONTENT, facts: Any = None) -> Path:
    """Write the two files of a policy, its digest on record."""
    folder.mkdir(exist_ok=True)
    described = FACTS if facts is None else facts
    if isinstance(described, dict):
        described = described | {"sha256": hashlib.sha256(content).hexdigest()}
    (folder / "policy.npz").write_bytes(content)
    (folder / "policy.json").write_bytes(json.dumps(described).encode("utf-8", "surrogatepass"))
    return folder


def load_or_refuse(folder: Path) -> NetworkPolicy | None:
    """Load a policy; nothing but a ValueError with a reason may come of it."""
    before = sorted(path.name for path in folder.parent.rglob("*"))
    try:
        player = load_policy(folder)
    except ValueError:
        player = None
    assert not Trap.has_fallen
    assert sorted(path.name for path in folder.parent.rglob("*")) == before
    return player


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("policies") / "policy"


def test_the_sound_policy_is_played(folder: Path) -> None:
    assert load_or_refuse(write(folder)) is not None
    assert play_match(f"ppo:{folder}", "random", games=2).games == 2


@pytest.mark.parametrize("name", ARCHIVES)
def test_hostile_archives_are_refused(folder: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_arrays(ARCHIVES[name])
    with pytest.raises(ValueError, match=r"policy\.npz is damaged: ."):
        load_policy(write(folder, ARCHIVES[name]))
    assert not Trap.has_fallen


def test_the_trap_would_have_been_sprung() -> None:
    program = (
        "import pickle, sys; from tests.reliability.damage import Trap; "
        "pickle.loads(pickle.dumps(Trap())); sys.exit(7 if Trap.has_fallen else 0)"
    )
    checkout = Path(__file__).resolve().parents[2]
    assert (
        subprocess.run([sys.executable, "-c", program], cwd=checkout, check=False).returncode == 7
    )
    assert not Trap.has_fallen


def test_archives_as_numpy_writes_them_are_read() -> None:
    arrays = arrays_of(a=(300, 300), b=(0,), c=())
    for save in (np.savez, np.savez_compressed):
        content = io.BytesIO()
        save(content, **arrays)  # type: ignore[arg-type]
        found = parse_arrays(content.getvalue())
        assert found.keys() == arrays.keys()
        assert all((found[name] == array).all() for name, array in arrays.items())


@fuzz_settings(300)
@given(content=damaged_bytes(CONTENT))
def test_damaged_archives_are_refused_or_played(folder: Path, content: bytes) -> None:
    load_or_refuse(write(folder, content))


@fuzz_settings(300)
@given(facts=damaged_json(FACTS))
def test_damaged_descriptions_are_refused_or_played(folder: Path, facts: Any) -> None:
    load_or_refuse(write(folder, facts=facts))


@fuzz_settings(100)
@given(content=strategies.binary(max_size=60) | damaged_bytes(json.dumps(FACTS).encode()))
def test_descriptions_that_are_no_json(folder: Path, content: bytes) -> None:
    write(folder)
    (folder / "policy.json").write_bytes(content)
    load_or_refuse(folder)


def test_deep_nesting_is_refused(folder: Path) -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        parse_json(DEEP)
    write(folder)
    (folder / "policy.json").write_bytes(DEEP)
    with pytest.raises(ValueError, match=r"policy\.json is damaged"):
        load_policy(folder)


@pytest.mark.parametrize(
    "array",
    [
        np.full(4, 1e300),
        np.full(4, 1 + 1j),
        np.full(4, "1"),
        np.full(4, "2020-01-01", "M8[D]"),
        np.zeros(4, "V4"),
        np.zeros(4, bool),
    ],
    ids=lambda array: str(array.dtype),
)
def test_arrays_of_no_real_numbers_are_refused(array: Any) -> None:
    arrays = arrays_of(**SHAPES) | {"state_0_bias": array}
    with pytest.raises(ValueError, match="'state_0_bias' holds"):
        NetworkPolicy(arrays, observation="cards", state_layers=[4])


@pytest.mark.parametrize("path", ["a" * 5000, "\x00", "", "/dev/null", "~nobody", "policy.npz\n"])
def test_places_without_a_policy(path: str) -> None:
    with pytest.raises(ValueError, match=r"no policy at|unknown player"):
        make_policy(f"ppo:{path}")


# ---- checkpoints -----------------------------------------------------------------------------

torch = pytest.importorskip("torch")

from agents.ppo.callbacks import StopRequest  # noqa: E402
from agents.ppo.checkpoint import find_checkpoint, read_checkpoint  # noqa: E402
from agents.ppo.config import Config  # noqa: E402
from agents.ppo.runs import plan_new, plan_resumed  # noqa: E402
from agents.ppo.training import Run  # noqa: E402

TINY = Config(
    credit="rewards",
    opponent=("greedy", "club"),
    timesteps=8,
    num_envs=2,
    num_steps=2,
    batch_size=4,
    state_layers=(4,),
    action_layers=(),
    value_layers=(4,),
    observation="cards",
    evaluate_games=2,
    evaluate_deals=0,
    evaluate_opponents=("random",),
    threads=1,
)


@pytest.fixture(autouse=True)
def _random_numbers_stay(random_numbers_stay: None) -> None:
    """Making a run seeds them."""


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the one checkpoint of a run; tests put each file back that they change."""
    runs = tmp_path_factory.mktemp("runs")
    plan = plan_new(TINY, runs / "run", runs, "test")
    Run(plan.config, plan.run_dir, "test").learn(StopRequest())
    first, last = sorted((plan.run_dir / "checkpoints").iterdir())
    shutil.rmtree(first)
    return last


def rewrite(checkpoint: Path, facts: Any, files: dict[str, bytes]) -> None:
    """Write what a checkpoint holds, with digests that fit."""
    if isinstance(facts, dict) and isinstance(facts.get("sha256"), dict):
        digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
        facts = facts | {"sha256": facts["sha256"] | digests}
    for name, content in files.items():
        (checkpoint / name).write_bytes(content)
    text = json.dumps(facts).encode("utf-8", "surrogatepass")
    (checkpoint / "training.json").write_bytes(text)


def resume_or_refuse(checkpoint: Path, *, is_restored: bool = False) -> None:
    """Go on from a checkpoint; nothing but a ValueError or a TypeError may come of it."""
    run_dir, outside = checkpoint.parent.parent, checkpoint.parent.parent.parent
    before = sorted(path for path in outside.rglob("*"))
    with suppress(TypeError, ValueError):
        found, _ = find_checkpoint(run_dir)
        plan = plan_resumed(run_dir, {}, None, "test")
        assert plan.run_dir == run_dir
        if is_restored:
            Run(plan.config, run_dir, "test", found)
    assert not Trap.has_fallen
    assert sorted(path for path in outside.rglob("*")) == before


@pytest.fixture
def sound(checkpoint: Path) -> Iterator[tuple[Path, dict[str, bytes]]]:
    files = {path.name: path.read_bytes() for path in checkpoint.iterdir()}
    yield checkpoint, files
    for name, content in files.items():
        (checkpoint / name).write_bytes(content)


# Neither one fixture for all examples nor a busy machine is a fault.
TOGETHER = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@pytest.mark.parametrize("name", ARCHIVES)
def test_hostile_archives_in_a_checkpoint(sound: Any, name: str) -> None:
    checkpoint, files = sound
    facts = json.loads(files["training.json"])
    rewrite(checkpoint, facts, {"training.npz": ARCHIVES[name]})
    with pytest.raises(ValueError, match=r"training\.npz is damaged: ."):
        read_checkpoint(checkpoint)
    assert not Trap.has_fallen


@settings(fuzz_settings(150), suppress_health_check=TOGETHER)
@given(data=strategies.data())
def test_damaged_facts_of_a_checkpoint(sound: Any, data: Any) -> None:
    checkpoint, files = sound
    facts = json.loads(files["training.json"])
    rewrite(checkpoint, data.draw(damaged_json(facts)), {})
    resume_or_refuse(checkpoint)


@settings(fuzz_settings(60), suppress_health_check=TOGETHER)
@given(data=strategies.data())
def test_damaged_random_states_and_counters(sound: Any, data: Any) -> None:
    """What only the run itself reads."""
    checkpoint, files = sound
    facts = json.loads(files["training.json"])
    for name in ("random", "clock", "seconds", "updates", "decisions"):
        damaged = data.draw(strategies.just({}) | damaged_json({name: facts[name]}))
        if isinstance(damaged, dict):
            facts |= damaged
    rewrite(checkpoint, facts, {})
    resume_or_refuse(checkpoint, is_restored=True)


@settings(fuzz_settings(150), suppress_health_check=TOGETHER)
@given(data=strategies.data())
def test_damaged_files_of_a_checkpoint(sound: Any, data: Any) -> None:
    """The digests fit, so that the files themselves are read."""
    checkpoint, files = sound
    name = data.draw(strategies.sampled_from(("training.npz", "policy.json", "policy.npz")))
    rewrite(
        checkpoint,
        json.loads(files["training.json"]),
        {name: data.draw(damaged_bytes(files[name]))},
    )
    resume_or_refuse(checkpoint)


def test_arrays_that_are_pickles_are_never_read(sound: Any) -> None:
    checkpoint, files = sound
    content = pickle.dumps(Trap())
    rewrite(checkpoint, json.loads(files["training.json"]), {"training.npz": content})
    with pytest.raises(ValueError, match=r"training\.npz is damaged"):
        read_checkpoint(checkpoint)
    assert not Trap.has_fallen
