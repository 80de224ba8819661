"""The player of exported arrays, without torch."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env import make_policy
from cribbage_env.bots.network import NetworkPolicy, load_policy, newest_first, parameter_shapes
from cribbage_env.lanes import Lanes
from cribbage_env.observation import ACTION_FEATURES, LAYOUT, VERSION

Arrays = dict[str, NDArray[Any]]
NUM_STATE = LAYOUT["actions"].offset


def positions(number: int, observation: str = "features") -> tuple[Arrays, ...]:
    """Return observations, masks and keys of decisions met in games of random players."""
    width = min(number, 64)
    lanes = Lanes(width, [make_policy("random")])
    lanes.seats[:, 1] = 0
    every = np.arange(width)
    nobody = np.full(width, -1)
    lanes.begin(every, np.full(width, 5, np.uint64), every, nobody, np.zeros((width, 2), int), 121)
    rng = np.random.default_rng(0)
    found = []
    while len(found) * width < number:
        lanes.play_on()
        seen = lanes.observe(every, np.zeros_like(every), observation)
        found.append(seen)
        lanes.step((seen[1] * rng.random(seen[1].shape)).argmax(axis=1))
    return tuple(np.concatenate(parts)[:number] for parts in zip(*found, strict=True))


def random_arrays(seed: int = 0, **layers: Any) -> Arrays:
    rng = np.random.default_rng(seed)
    return {
        name: rng.normal(size=shape).astype(np.float32) * 0.3
        for name, shape in parameter_shapes(**layers).items()
    }


SMALL = {"observation": "features", "state_layers": [16, 8], "action_layers": [8, 4]}


def write_policy(folder: Path, **changes: Any) -> Path:
    """Write a sound policy, but for the changes to its description."""
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "policy.npz", **random_arrays(**SMALL))
    facts = {
        "format": 1,
        "layout_version": VERSION,
        "observation": "features",
        "architecture": {"state_layers": [16, 8], "action_layers": [8, 4]},
        "sha256": hashlib.sha256((folder / "policy.npz").read_bytes()).hexdigest(),
        **changes,
    }
    (folder / "policy.json").write_text(json.dumps(facts))
    return folder


def reference_logits(arrays: Arrays, observation: NDArray[Any], mask: NDArray[Any]) -> Any:
    """Return the logits of one row by matrix products in double precision."""
    units = observation[:NUM_STATE].astype(float)
    for layer in (0, 1):
        units = units @ arrays[f"state_{layer}_weight"] + arrays[f"state_{layer}_bias"]
        units = np.maximum(units, 0)
    logits = units @ arrays["state_logits_weight"] + arrays["state_logits_bias"]
    own = observation[NUM_STATE:].reshape(19, len(ACTION_FEATURES))
    first = own @ arrays["action_0_weight"] + units @ arrays["action_0_state_weight"]
    hidden = np.maximum(first + arrays["action_0_bias"], 0)
    hidden = np.maximum(hidden @ arrays["action_1_weight"] + arrays["action_1_bias"], 0)
    scores = hidden @ arrays["action_logit_weight"] + arrays["action_logit_bias"]
    return logits + np.where(mask == 1, scores[:, 0], 0)


@pytest.mark.kernels
def test_the_kernel_computes_the_network() -> None:
    arrays = random_arrays(**SMALL)
    player = NetworkPolicy(arrays, **SMALL)
    observations, masks, keys = positions(12)
    logits = player.logits(observations, masks)
    expected = [reference_logits(arrays, *row) for row in zip(observations, masks, strict=True)]
    assert logits == pytest.approx(np.array(expected), abs=1e-4)
    best = np.where(masks == 1, expected, -np.inf).argmax(axis=1)
    assert player.act(observations, masks, keys).tolist() == best.tolist()


@pytest.mark.parametrize("batch_size", [1, 7, 100])
def test_a_row_never_depends_on_its_batch(batch_size: int) -> None:
    layers = {"state_layers": [256, 256], "action_layers": [64, 64]}
    player = NetworkPolicy(random_arrays(observation="features", **layers), **layers)
    observations, masks, _ = positions(500)
    whole = player.logits(observations, masks)
    for first in range(0, 500, batch_size):
        rows = slice(first, first + batch_size)
        part = player.logits(observations[rows], masks[rows])
        assert part.tobytes() == whole[rows].tobytes()


def test_without_candidates_the_whole_observation_is_read() -> None:
    for observation in ("cards", "features"):
        layers = {"observation": observation, "state_layers": [8], "action_layers": []}
        player = NetworkPolicy(random_arrays(**layers), **layers)
        observations, masks, keys = positions(50, observation)
        chosen = player.act(observations, masks, keys)
        assert (masks[np.arange(50), chosen] == 1).all()


def test_a_player_refuses_what_does_not_fit() -> None:
    player = NetworkPolicy(random_arrays(**SMALL), **SMALL)
    observations, masks, keys = positions(3)
    with pytest.raises(ValueError, match=r"shape \(3, 1156\), not \(3, 384\)"):
        player.act(observations[:, :384], masks, keys)
    with pytest.raises(ValueError, match="row 1 of 3 has no legal action"):
        player.act(observations, masks * np.array([[1], [0], [1]], np.int8), keys)


@pytest.mark.parametrize(
    ("name", "array", "message"),
    [
        ("state_0_bias", None, "'state_0_bias' is missing"),
        ("state_0_bias", np.zeros(3), r"has shape \(3,\), not \(16,\)"),
        ("state_0_bias", np.full(16, np.nan), "isn't finite"),
    ],
)
def test_arrays_that_are_no_network_are_refused(name: str, array: Any, message: str) -> None:
    arrays = random_arrays(**SMALL) | {name: array}
    if array is None:
        del arrays[name]
    with pytest.raises(ValueError, match=message):
        NetworkPolicy(arrays, **SMALL)


def test_layers_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="one unit or more"):
        parameter_shapes("features", [], [])
    with pytest.raises(ValueError, match="one unit or more"):
        parameter_shapes("features", [8], [0])
    with pytest.raises(ValueError, match="no numbers for each action"):
        parameter_shapes("cards", [8], [8])
    with pytest.raises(ValueError, match="must be one of"):
        parameter_shapes("pictures", [8], [])


def test_a_policy_is_found_by_any_of_its_paths(tmp_path: Path) -> None:
    run = tmp_path / "run"
    checkpoint = write_policy(run / "checkpoints" / "000000100")
    write_policy(run / "checkpoints" / "000000020")
    write_policy(run / "checkpoints" / "000000300.unfinished")
    assert [folder.name for folder in newest_first(run)] == ["000000100", "000000020"]
    for path in (run, checkpoint, checkpoint / "policy.npz", checkpoint / "policy.json"):
        player = make_policy(f"ppo:{path}")
        assert isinstance(player, NetworkPolicy)
        assert repr(player) == f"NetworkPolicy({str(checkpoint)!r})"
        assert player.facts["layout_version"] == VERSION


def test_another_layout_is_refused_and_both_versions_are_named(tmp_path: Path) -> None:
    write_policy(tmp_path, layout_version=VERSION + 7)
    expected = rf"policy.json was made for version {VERSION + 7} .* this is version {VERSION}$"
    with pytest.raises(ValueError, match=expected):
        load_policy(tmp_path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 9}, r"policy.json has the format 9; this version reads 1"),
        ({"sha256": "0"}, r"policy.npz is damaged: its digest"),
        ({"observation": "pictures"}, r"damaged: policy.json doesn't say"),
        ({"architecture": None}, r"damaged: policy.json doesn't say"),
        ({"architecture": {"state_layers": [16, 8]}}, r"damaged: 'action_layers'"),
        ({"architecture": {"state_layers": [9], "action_layers": [8, 4]}}, r"damaged: the array"),
    ],
)
def test_a_policy_that_is_not_what_it_says_is_refused(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        load_policy(write_policy(tmp_path, **changes))


def test_nothing_in_a_file_is_executed(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "executed",))

    write_policy(tmp_path)
    np.savez(tmp_path / "policy.npz", state_0_bias=np.array([Trap()], object))
    digest = hashlib.sha256((tmp_path / "policy.npz").read_bytes()).hexdigest()
    facts = json.loads((tmp_path / "policy.json").read_text()) | {"sha256": digest}
    (tmp_path / "policy.json").write_text(json.dumps(facts))
    with pytest.raises(ValueError, match=r"policy.npz is damaged: .*allow_pickle=False"):
        load_policy(tmp_path)
    assert not (tmp_path / "executed").exists()


def test_a_damaged_file_of_a_run_is_named_and_the_one_before_is_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    sound = write_policy(tmp_path / "checkpoints" / "000000100")
    damaged = write_policy(tmp_path / "checkpoints" / "000000200")
    (damaged / "policy.npz").write_bytes((damaged / "policy.npz").read_bytes()[:-100])
    assert repr(load_policy(tmp_path)) == f"NetworkPolicy({str(sound)!r})"
    assert str(damaged / "policy.npz") in caplog.text
    with pytest.raises(ValueError, match=r"000000200.policy.npz is damaged"):
        load_policy(damaged)
    (sound / "policy.json").write_text("{")
    with pytest.raises(ValueError, match=r"000000100.policy.json is damaged"):
        load_policy(tmp_path)
    (sound / "policy.json").unlink()
    with pytest.raises(ValueError, match=r"000000100.policy.json can't be read: No such file"):
        load_policy(tmp_path)


def test_no_policy_at_all_is_said_in_one_line(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(ValueError, match=r"it is no run, no checkpoint and no policy\.npz"):
            make_policy(f"ppo:{path}")
