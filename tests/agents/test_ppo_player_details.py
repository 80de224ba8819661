"""The player of exported arrays: exact logits of many architectures, and all that it refuses."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env.bots.network import (
    NetworkPolicy,
    load_policy,
    newest_first,
    num_action_numbers,
    num_state_numbers,
    parameter_shapes,
)
from cribbage_env.observation import size, view
from tests.agents.test_ppo_player import Arrays, random_arrays, write_policy

pytestmark = pytest.mark.kernels

# Of each kind, with the widest layer in every place; 19 actions are wider than the rest.
ARCHITECTURES = [
    ("cards", [2], []),
    ("cards", [3, 24, 2], []),
    ("features", [4], []),
    ("features", [2, 5], [3]),
    ("features", [21, 3], [2, 4, 1]),
    ("lookahead", [3], []),
    ("lookahead", [2], [4, 23]),
]
ONE = {"observation": "features", "state_layers": [2], "action_layers": [2]}


def whole_numbers(seed: int, observation: str, state: list[int], action: list[int]) -> Arrays:
    """Return arrays of small whole numbers, of which every sum is exact."""
    rng = np.random.default_rng(seed)
    shapes = parameter_shapes(observation, state, action)
    return {name: rng.integers(-3, 4, shape).astype(np.float32) for name, shape in shapes.items()}


def plain_logits(
    arrays: Arrays, row: NDArray[Any], mask: NDArray[Any], state: list[int], action: list[int]
) -> NDArray[Any]:
    """Return the logits of one row by matrix products."""
    parts = view(row)
    own = [parts.pop(name) for name in ("actions", "forecasts") if action and name in parts]
    units = np.concatenate([part.ravel() for part in parts.values()]).astype(float)
    for layer in range(len(state)):
        units = units @ arrays[f"state_{layer}_weight"] + arrays[f"state_{layer}_bias"]
        units = np.maximum(units, 0)
    logits = units @ arrays["state_logits_weight"] + arrays["state_logits_bias"]
    if not action:
        return logits
    hidden = np.concatenate(own, axis=1) @ arrays["action_0_weight"].astype(float)
    hidden += units @ arrays["action_0_state_weight"] + arrays["action_0_bias"]
    for layer in range(1, len(action)):
        hidden = np.maximum(hidden, 0)
        hidden = hidden @ arrays[f"action_{layer}_weight"] + arrays[f"action_{layer}_bias"]
    scores = np.maximum(hidden, 0) @ arrays["action_logit_weight"] + arrays["action_logit_bias"]
    return logits + mask * scores[:, 0]


@pytest.mark.parametrize(("observation", "state", "action"), ARCHITECTURES)
def test_exact_logits(observation: str, state: list[int], action: list[int]) -> None:
    arrays = whole_numbers(1, observation, state, action)
    player = NetworkPolicy(
        arrays, observation=observation, state_layers=state, action_layers=action
    )
    rng = np.random.default_rng(2)
    rows = rng.choice([-1, 0, 0, 0.5, 1], (3, size(observation))).astype(np.float32)
    masks = np.array([[1] * 19, [0, 1] * 9 + [0], [0] * 18 + [1]], np.int8)
    logits = player.logits(rows, masks)
    assert logits.dtype == np.float32
    expected = [plain_logits(arrays, *one, state, action) for one in zip(rows, masks, strict=True)]
    assert logits.tolist() == np.array(expected).tolist()
    assert np.unique(logits).size > 5
    chosen = player.act(rows, masks, np.zeros(3, np.uint64))
    best = np.where(masks == 1, expected, -np.inf).argmax(axis=1)
    assert chosen.tolist() == best.tolist()
    nobody = np.zeros((0, size(observation)), np.float32), np.zeros((0, 19), np.int8)
    assert player.logits(*nobody).shape == (0, 19)
    assert player.act(*nobody, np.zeros(0, np.uint64)).shape == (0,)


def test_the_lowest_of_equal_actions_is_taken() -> None:
    arrays = {name: np.zeros(shape) for name, shape in parameter_shapes(**ONE).items()}
    player = NetworkPolicy(arrays, **ONE)
    masks = np.array([[0, 0, 0, 1, 0, 1, 1] + [0] * 12, [1] * 19], np.int8)
    assert player.act(np.zeros((2, 1156), np.float32), masks, np.zeros(2)).tolist() == [3, 0]


def test_the_first_row_without_an_action_is_named() -> None:
    player = NetworkPolicy(whole_numbers(1, "features", [2], [2]), **ONE)
    masks = np.ones((5, 19), np.int8)
    masks[[1, 2, 3]] = 0
    with pytest.raises(ValueError, match=r"^row 1 of 5 has no legal action to choose from$"):
        player.act(np.zeros((5, 1156), np.float32), masks, np.zeros(5))


def test_observations_of_another_size_are_refused() -> None:
    player = NetworkPolicy(whole_numbers(1, "features", [2], [2]), **ONE)
    for shape in ((2, 1155), (2, 1157), (1, 1156), (3, 1156), (1156,)):
        with pytest.raises(ValueError, match=r"of shape \(2, 1156\), not \("):
            player.logits(np.zeros(shape, np.float32), np.ones((2, 19), np.int8))


def test_a_player_says_where_it_comes_from() -> None:
    arrays = whole_numbers(1, "features", [2], [2])
    player = NetworkPolicy(arrays, **ONE)
    assert repr(player) == "NetworkPolicy(...)"
    assert player.facts == {}
    assert player.observation == "features"
    player = NetworkPolicy(arrays, **ONE, facts={"decisions": 5}, origin="a/run")
    assert repr(player) == "NetworkPolicy('a/run')"
    assert player.facts == {"decisions": 5}


# ---- the arrays ------------------------------------------------------------------------------


def test_numbers_of_the_state_and_of_each_action() -> None:
    assert [num_action_numbers(kind) for kind in ("cards", "features", "lookahead")] == [0, 36, 42]
    assert [num_state_numbers(kind) for kind in ("cards", "features", "lookahead")] == [
        384,
        472,
        496,
    ]


def test_the_arrays_in_their_order() -> None:
    assert [*parameter_shapes("cards", [7, 5], []).items()] == [
        ("state_0_bias", (7,)),
        ("state_0_weight", (384, 7)),
        ("state_1_bias", (5,)),
        ("state_1_weight", (7, 5)),
        ("state_logits_bias", (19,)),
        ("state_logits_weight", (5, 19)),
    ]
    assert [*parameter_shapes("lookahead", [7, 5], [4, 3, 2]).items()] == [
        ("state_0_bias", (7,)),
        ("state_0_weight", (496, 7)),
        ("state_1_bias", (5,)),
        ("state_1_weight", (7, 5)),
        ("state_logits_bias", (19,)),
        ("state_logits_weight", (5, 19)),
        ("action_0_bias", (4,)),
        ("action_0_state_weight", (5, 4)),
        ("action_0_weight", (42, 4)),
        ("action_1_bias", (3,)),
        ("action_1_weight", (4, 3)),
        ("action_2_bias", (2,)),
        ("action_2_weight", (3, 2)),
        ("action_logit_bias", (1,)),
        ("action_logit_weight", (2, 1)),
    ]
    assert parameter_shapes("features", [2], [])["state_0_weight"] == (1156, 2)


@pytest.mark.parametrize(
    ("state", "action"), [([], []), ([], [2]), ([0], []), ([2], [-1]), ([2.0], []), ([True], [])]
)
def test_layers_that_hold_nothing_are_refused(state: Any, action: Any) -> None:
    with pytest.raises(ValueError, match="one state layer or more, and a layer one unit or more"):
        parameter_shapes("features", state, action)


def test_cards_have_no_candidates() -> None:
    with pytest.raises(ValueError, match="'cards' observation has no numbers for each action"):
        parameter_shapes("cards", [2], [2])


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (None, r"^the array 'action_0_bias' is missing$"),
        (np.zeros(3), r"^the array 'action_0_bias' has shape \(3,\), not \(2,\)$"),
        (np.zeros(1), r"^the array 'action_0_bias' has shape \(1,\), not \(2,\)$"),
        (np.zeros(2, bool), "holds bool, not numbers$"),
        (np.zeros(2, complex), "holds complex128, not numbers$"),
        (np.array([0, np.nan]), "'action_0_bias' holds a number that isn't finite$"),
        (np.array([0, -np.inf]), "isn't finite$"),
        (np.array([1e39, 0]), "isn't finite$"),  # beyond float32
    ],
)
def test_an_array_that_is_none_of_the_network_is_refused(array: Any, message: str) -> None:
    arrays = random_arrays(**ONE) | {"action_0_bias": array}
    if array is None:
        del arrays["action_0_bias"]
    with pytest.raises(ValueError, match=message):
        NetworkPolicy(arrays, **ONE)


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.float64])
def test_numbers_of_any_size_are_taken(kind: Any) -> None:
    arrays = {name: np.ones(shape, kind) for name, shape in parameter_shapes(**ONE).items()}
    rows, masks = np.zeros((1, 1156), np.float32), np.ones((1, 19), np.int8)
    # A state's unit is 1, its logit 3; an action's unit 1 + 2, its logit 1 + 2 * 3.
    assert NetworkPolicy(arrays, **ONE).logits(rows, masks).tolist() == [[10.0] * 19]


# ---- the files -------------------------------------------------------------------------------


@contextmanager
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def loaded(place: Path) -> str:
    return repr(load_policy(place))


def test_each_path_of_a_policy_is_one() -> None:
    with folder() as place:
        named_like_a_file = write_policy(place / "odd.npz")
        expected = f"NetworkPolicy({str(named_like_a_file)!r})"
        for path in ("", "policy.npz", "policy.json"):
            assert loaded(named_like_a_file / path) == expected
        (named_like_a_file / "notes.txt").write_text("of no use")
        for path in (place / "none.npz", named_like_a_file / "notes.txt", Path("x" * 5000)):
            with pytest.raises(ValueError, match=r"^no policy at '"):
                load_policy(path)


@pytest.mark.parametrize("name", ["policy.npz", "policy.json"])
def test_a_policy_without_one_of_its_files_is_damaged(name: str) -> None:
    with folder() as place:
        write_policy(place)
        (place / name).unlink()
        with pytest.raises(ValueError, match=rf"{name} can't be read: No such file"):
            load_policy(place)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 0}, r"policy.json has the format 0; this version reads 1$"),
        ({"format": 2}, r"policy.json has the format 2; this version reads 1$"),
        ({"layout_version": 0}, r"for version 0 of the observation's layout; this is version 1$"),
        ({"layout_version": 2}, r"for version 2 of the observation's layout; this is version 1$"),
        ({"sha256": "0"}, r"policy.npz is damaged: its digest isn't the one on record$"),
        ({"sha256": "g"}, r"policy.npz is damaged: its digest isn't the one on record$"),
        ({"observation": "pictures"}, r"npz is damaged: policy.json doesn't say what"),
        ({"architecture": [[16, 8], [8, 4]]}, r"npz is damaged: policy.json doesn't say what"),
        ({"architecture": {"state_layers": [16, 8]}}, r"npz is damaged: 'action_layers'$"),
        ({"architecture": {"state_layers": 16, "action_layers": []}}, r"npz is damaged: .*int"),
        ({"architecture": {"state_layers": [9], "action_layers": []}}, r"damaged: the array"),
    ],
)
def test_what_a_description_may_say(changes: dict[str, Any], message: str) -> None:
    with folder() as place:
        write_policy(place, **changes)
        with pytest.raises(ValueError, match=message):
            load_policy(place)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "policy.json is damaged: it holds no description$"),
        ("{", "policy.json is damaged: Expecting property name"),
    ],
)
def test_a_description_that_is_none(text: str, message: str) -> None:
    with folder() as place:
        (write_policy(place) / "policy.json").write_text(text)
        with pytest.raises(ValueError, match=message):
            load_policy(place)


class Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


@contextmanager
def warnings_kept() -> Iterator[list[str]]:
    kept = Kept()
    logging.getLogger("cribbage_env").addHandler(kept)
    try:
        yield kept.messages
    finally:
        logging.getLogger("cribbage_env").removeHandler(kept)


def test_the_newest_sound_checkpoint_is_used() -> None:
    with folder() as run, warnings_kept() as messages:
        # By number, not by name.
        oldest, middle, newest = (
            write_policy(run / "checkpoints" / name) for name in ("90", "95", "1000")
        )
        write_policy(run / "checkpoints" / "3000.unfinished")
        (run / "checkpoints" / "2000").write_text("a file")
        assert newest_first(run) == [newest, middle, oldest]
        assert loaded(run) == f"NetworkPolicy({str(newest)!r})"
        assert messages == []
        for number, (damaged, next_one) in enumerate([(newest, middle), (middle, oldest)]):
            (damaged / "policy.npz").write_bytes(b"")
            messages.clear()
            assert loaded(run) == f"NetworkPolicy({str(next_one)!r})"
            assert len(messages) == number + 1
            assert messages[-1].startswith(f"{damaged / 'policy.npz'} is damaged: ")
            assert messages[-1].endswith("; the checkpoint before it is used")
        (oldest / "policy.npz").unlink()
        messages.clear()
        with pytest.raises(ValueError, match=r"90.policy.npz can't be read"):
            load_policy(run)
        assert len(messages) == 2
        # One of another layout is no damage.
        write_policy(newest, layout_version=7)
        with pytest.raises(ValueError, match=r"1000.policy.json was made for version 7"):
            load_policy(run)


def test_what_is_no_run_has_no_checkpoints() -> None:
    with folder() as place:
        assert newest_first(place) == []
        (place / "checkpoints").mkdir()
        assert newest_first(place) == []
        with pytest.raises(ValueError, match=r"it is no run, no checkpoint and no policy.npz$"):
            load_policy(place)
