"""`ppo:PATH`: a trained network, played from its exported arrays; greedy, and without torch.

A policy is two files: ``policy.npz`` with the weights, and ``policy.json`` with what they mean (the
observation, its layout's version, the sizes of the layers, where they come from). Nothing in them
is executed. The network scores candidates: the state's numbers give a logit for each action, and
one small network, the same for every legal action, adds another from the numbers of that action.

Each row is computed alone and always in the same order, not by a matrix product over the batch,
whose last bits depend on its size: so a choice never depends on what else is in the batch.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cribbage_env.actions import NUM_ACTIONS
from cribbage_env.engine.compile import kernel
from cribbage_env.files import parse_arrays, parse_json
from cribbage_env.observation import ACTION_FEATURES, FORECASTS, KINDS, LAYOUT, VERSION, size

__all__ = [
    "NetworkPolicy",
    "load_policy",
    "newest_first",
    "num_action_numbers",
    "num_state_numbers",
    "parameter_shapes",
]

POLICY_ARRAYS: Final = "policy.npz"
POLICY_FACTS: Final = "policy.json"
CHECKPOINTS: Final = "checkpoints"
"""The folder of a run that holds its checkpoints, each a folder named by its decisions."""

POLICY_FORMAT: Final = 1
"""Number of the format of the two files."""

logger = logging.getLogger("cribbage_env")


def load_policy(path: str | Path) -> NetworkPolicy:
    """Return the player that a run, a checkpoint or an exported policy holds.

    `path` is the folder of a run (its newest checkpoint that is sound; a damaged one is named in a
    warning of the log), the folder of a checkpoint, or one of the two files of a policy.

    Raises:
        ValueError: there is no policy, it is damaged, or it was made for another layout of the
            observation; the file is named.

    >>> load_policy("no/such/run")
    Traceback (most recent call last):
    ValueError: no policy at 'no/such/run': it is no run, no checkpoint and no policy.npz
    """
    try:
        return _find_policy(Path(path))
    except OSError as error:
        raise ValueError(f"no policy at {str(path)!r}: {error.strerror}") from error


def _find_policy(place: Path) -> NetworkPolicy:
    """Return the policy at a place; an OSError says that nobody may look there."""
    if place.name.endswith((".npz", ".json")) and place.is_file():
        return _read_policy(place.with_suffix(".npz"), place.with_suffix(".json"))
    if (place / POLICY_FACTS).is_file() or (place / POLICY_ARRAYS).is_file():
        return _read_policy(place / POLICY_ARRAYS, place / POLICY_FACTS)
    checkpoints = newest_first(place)
    for checkpoint in checkpoints:
        try:
            return _read_policy(checkpoint / POLICY_ARRAYS, checkpoint / POLICY_FACTS)
        except DamagedPolicyError as error:
            if checkpoint == checkpoints[-1]:
                raise
            logger.warning("%s; the checkpoint before it is used", error)
    raise ValueError(
        f"no policy at {str(place)!r}: it is no run, no checkpoint and no {POLICY_ARRAYS}"
    )


class DamagedPolicyError(ValueError):
    """A file of a policy can't be read, or isn't what its description says."""


def newest_first(run: Path) -> list[Path]:
    """Return the checkpoints of a run, the one with the most decisions first."""
    folder = run / CHECKPOINTS
    if not folder.is_dir():
        return []
    return sorted(
        (entry for entry in folder.iterdir() if entry.name.isdecimal() and entry.is_dir()),
        key=lambda entry: int(entry.name),
        reverse=True,
    )


def num_state_numbers(observation: str) -> int:
    """Return how many numbers of an observation are of the state, and of no action.

    >>> num_state_numbers("features"), num_state_numbers("lookahead")
    (472, 496)
    """
    return size(observation) - NUM_ACTIONS * num_action_numbers(observation)


def num_action_numbers(observation: str) -> int:
    """Return how many numbers an observation holds for each action.

    >>> num_action_numbers("cards"), num_action_numbers("lookahead")
    (0, 42)
    """
    return {"cards": 0, "features": len(ACTION_FEATURES)}.get(
        observation, len(ACTION_FEATURES) + len(FORECASTS)
    )


def _states_first(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return rows of ``"lookahead"`` with the numbers of the state first, then action by action."""
    actions, forecasts = LAYOUT["actions"], LAYOUT["forecasts"]
    number = len(rows)
    of_actions = [
        rows[:, segment.offset : segment.stop].reshape(number, *segment.shape)
        for segment in (actions, forecasts)
    ]
    width = actions.size + forecasts.size
    return np.concatenate(
        [
            rows[:, : actions.offset],
            rows[:, actions.stop : forecasts.offset],
            np.concatenate(of_actions, axis=2).reshape(number, width),
        ],
        axis=1,
    )


def parameter_shapes(
    observation: str, state_layers: Sequence[int], action_layers: Sequence[int]
) -> dict[str, tuple[int, ...]]:
    """Return the name and shape of every array of a policy, in the order in which they are used.

    A weight has the shape ``(inputs, outputs)``. ``action_layers`` is empty for a policy that
    scores no candidates: it reads the whole observation, and is the only kind for ``"cards"``.

    Raises:
        ValueError: no such observation, a layer without units, or candidates without numbers.

    >>> parameter_shapes("cards", [64], [])["state_0_weight"]
    (384, 64)
    """
    num_numbers = num_state_numbers(observation) if action_layers else size(observation)
    layers = [*state_layers, *action_layers]
    if not state_layers or not all(type(width) is int and width > 0 for width in layers):
        raise ValueError(
            "a policy has one state layer or more, and a layer one unit or more; "
            f"not {list(state_layers)} and {list(action_layers)}"
        )
    if action_layers and observation == "cards":
        raise ValueError("the 'cards' observation has no numbers for each action to score them by")
    shapes: dict[str, tuple[int, ...]] = {}
    for number, (inputs, outputs) in enumerate(
        zip([num_numbers, *state_layers], [*state_layers, NUM_ACTIONS], strict=True)
    ):
        name = f"state_{number}" if number < len(state_layers) else "state_logits"
        shapes |= {f"{name}_bias": (outputs,), f"{name}_weight": (inputs, outputs)}
    if action_layers:
        shapes |= {
            "action_0_bias": (action_layers[0],),
            "action_0_state_weight": (state_layers[-1], action_layers[0]),
            "action_0_weight": (num_action_numbers(observation), action_layers[0]),
        }
        for number, (inputs, outputs) in enumerate(
            zip(action_layers, [*action_layers[1:], 1], strict=True), start=1
        ):
            name = f"action_{number}" if number < len(action_layers) else "action_logit"
            shapes |= {f"{name}_bias": (outputs,), f"{name}_weight": (inputs, outputs)}
    return shapes


class NetworkPolicy:
    """A `Policy` that lays the legal action to which a network gives the highest logit.

    `observation` is the one it reads, and `facts` what its description said of it (``{}`` when
    there was none).
    """

    def __init__(
        self,
        arrays: Mapping[str, NDArray[np.floating[Any]]],
        *,
        observation: str = "features",
        state_layers: Sequence[int],
        action_layers: Sequence[int] = (),
        facts: Mapping[str, Any] | None = None,
        origin: str = "",
    ) -> None:
        """Make a player of the arrays that `parameter_shapes` names.

        Raises:
            ValueError: an array is missing, has another shape or isn't finite.
        """
        shapes = parameter_shapes(observation, state_layers, action_layers)
        for name, shape in shapes.items():
            if name not in arrays:
                raise ValueError(f"the array {name!r} is missing")
            if arrays[name].shape != shape:
                raise ValueError(f"the array {name!r} has shape {arrays[name].shape}, not {shape}")
            if arrays[name].dtype.kind not in "fiu":
                raise ValueError(f"the array {name!r} holds {arrays[name].dtype}, not numbers")
        with np.errstate(over="ignore"):
            numbers = {name: np.asarray(arrays[name], np.float32) for name in shapes}
        for name, array in numbers.items():
            if not np.isfinite(array).all():
                raise ValueError(f"the array {name!r} holds a number that isn't finite")
        self.observation = observation
        self.facts = dict(facts or {})
        self._origin = origin
        self._weights = np.concatenate([array.ravel() for array in numbers.values()])
        self._state_sizes = np.array([shapes["state_0_weight"][0], *state_layers], np.int64)
        self._action_sizes = np.array(
            [num_action_numbers(observation), *action_layers] if action_layers else [], np.int64
        )

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        keys: NDArray[np.uint64],  # noqa: ARG002 (nothing is left to chance)
    ) -> NDArray[np.int64]:
        """Return the legal action with the highest logit for each row; the lowest one on ties.

        Raises:
            ValueError: observations of another size, or a row without a legal action.
        """
        masks = np.ascontiguousarray(action_masks, np.int8)
        logits = self.logits(observations, masks)
        if not masks.any(axis=1).all():
            row = int(np.flatnonzero(~masks.any(axis=1))[0])
            raise ValueError(f"row {row} of {len(masks)} has no legal action to choose from")
        actions: NDArray[np.int64] = np.where(masks == 1, logits, -np.inf).argmax(axis=1)
        return actions

    def logits(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8]
    ) -> NDArray[np.float32]:
        """Return the logits, float32 ``(N, 19)``; those of illegal actions lack the second term.

        Raises:
            ValueError: observations of another size.
        """
        rows = np.ascontiguousarray(observations, np.float32)
        expected = (len(action_masks), size(self.observation))
        if rows.shape != expected:
            raise ValueError(
                f"{self!r} reads {self.observation!r} observations of shape {expected}, "
                f"not {rows.shape}"
            )
        if self.observation == "lookahead" and len(self._action_sizes):
            rows = _states_first(rows)
        logits = np.zeros((len(rows), NUM_ACTIONS), np.float32)
        _write_logits(
            rows,
            np.ascontiguousarray(action_masks, np.int8),
            self._weights,
            self._state_sizes,
            self._action_sizes,
            logits,
        )
        return logits

    def __repr__(self) -> str:
        """Return where the player comes from."""
        return f"NetworkPolicy({self._origin!r})" if self._origin else "NetworkPolicy(...)"


def _read_policy(arrays_file: Path, facts_file: Path) -> NetworkPolicy:
    facts = _read_facts(facts_file)
    if facts.get("format") != POLICY_FORMAT:
        raise ValueError(
            f"{facts_file} has the format {facts.get('format')!r}; this version reads "
            f"{POLICY_FORMAT}"
        )
    if facts.get("layout_version") != VERSION:
        raise ValueError(
            f"{facts_file} was made for version {facts.get('layout_version')!r} of the "
            f"observation's layout; this is version {VERSION}"
        )
    try:
        content = arrays_file.read_bytes()
    except OSError as error:
        raise DamagedPolicyError(f"{arrays_file} can't be read: {error.strerror}") from error
    if hashlib.sha256(content).hexdigest() != facts.get("sha256"):
        raise DamagedPolicyError(f"{arrays_file} is damaged: its digest isn't the one on record")
    architecture = facts.get("architecture")
    try:
        arrays = parse_arrays(content)
        if not isinstance(architecture, dict) or facts.get("observation") not in KINDS:
            raise ValueError(f"{facts_file.name} doesn't say what the network is")
        return NetworkPolicy(
            arrays,
            observation=facts["observation"],
            state_layers=architecture["state_layers"],
            action_layers=architecture["action_layers"],
            facts=facts,
            origin=str(arrays_file.parent),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedPolicyError(f"{arrays_file} is damaged: {error}") from error


def _read_facts(facts_file: Path) -> dict[str, Any]:
    try:
        facts = parse_json(facts_file.read_bytes())
    except OSError as error:
        raise DamagedPolicyError(f"{facts_file} can't be read: {error.strerror}") from error
    except ValueError as error:
        raise DamagedPolicyError(f"{facts_file} is damaged: {error}") from error
    if not isinstance(facts, dict):
        raise DamagedPolicyError(f"{facts_file} is damaged: it holds no description")
    return facts


@kernel
def _write_logits(
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
    weights: NDArray[np.float32],
    state_sizes: NDArray[np.int64],
    action_sizes: NDArray[np.int64],
    logits: NDArray[np.float32],
) -> None:
    """Write the logits of each row; `weights` holds all arrays in the order of their shapes."""
    widest = max(state_sizes[1:].max(), NUM_ACTIONS)
    if action_sizes.shape[0] > 0:
        widest = max(widest, action_sizes[1:].max())
    units = np.empty((3, widest), np.float32)
    for row in range(observations.shape[0]):
        place = _write_state_logits(observations[row], weights, state_sizes, units, logits[row])
        if action_sizes.shape[0] > 0:
            _add_action_logits(
                observations[row, state_sizes[0] :],
                masks[row],
                weights[place:],
                state_sizes[-1],
                action_sizes,
                units,
                logits[row],
            )


@kernel
def _write_state_logits(
    numbers: NDArray[np.float32],
    weights: NDArray[np.float32],
    sizes: NDArray[np.int64],
    units: NDArray[np.float32],
    logits: NDArray[np.float32],
) -> int:
    """Write the state's logits and leave its last layer in ``units[0]``; return what was read."""
    place = _write_layer(numbers, sizes[0], weights, 0, units[0], sizes[1])
    _rectify(units[0], sizes[1])
    for layer in range(2, sizes.shape[0]):
        place = _write_layer(units[0], sizes[layer - 1], weights, place, units[1], sizes[layer])
        _rectify(units[1], sizes[layer])
        units[0, : sizes[layer]] = units[1, : sizes[layer]]
    return _write_layer(units[0], sizes[-1], weights, place, logits, NUM_ACTIONS)


@kernel
def _add_action_logits(
    numbers: NDArray[np.float32],
    mask: NDArray[np.int8],
    weights: NDArray[np.float32],
    num_state_units: int,
    sizes: NDArray[np.int64],
    units: NDArray[np.float32],
    logits: NDArray[np.float32],
) -> None:
    """Add each legal action's own logit; the state's last layer is in ``units[0]``."""
    # What the state says to the first layer is the same for every action.
    own_weights = _write_layer(units[0], num_state_units, weights, 0, units[1], sizes[1])
    first_place = own_weights + sizes[0] * sizes[1]
    for action in range(NUM_ACTIONS):
        if mask[action] == 0:
            continue
        units[2, : sizes[1]] = units[1, : sizes[1]]
        own_numbers = numbers[action * sizes[0] : (action + 1) * sizes[0]]
        _add_products(own_numbers, sizes[0], weights, own_weights, units[2], sizes[1])
        _rectify(units[2], sizes[1])
        place = first_place
        for layer in range(2, sizes.shape[0]):
            place = _write_layer(units[2], sizes[layer - 1], weights, place, units[0], sizes[layer])
            _rectify(units[0], sizes[layer])
            units[2, : sizes[layer]] = units[0, : sizes[layer]]
        _write_layer(units[2], sizes[-1], weights, place, units[0], 1)
        logits[action] += units[0, 0]


@kernel
def _write_layer(
    inputs: NDArray[np.float32],
    num_inputs: int,
    weights: NDArray[np.float32],
    place: int,
    outputs: NDArray[np.float32],
    num_outputs: int,
) -> int:
    """Write bias and products of a layer whose bias is at `place`; return where the next begins."""
    outputs[:num_outputs] = weights[place : place + num_outputs]
    place += num_outputs
    _add_products(inputs, num_inputs, weights, place, outputs, num_outputs)
    return place + num_inputs * num_outputs


@kernel
def _add_products(
    inputs: NDArray[np.float32],
    num_inputs: int,
    weights: NDArray[np.float32],
    place: int,
    outputs: NDArray[np.float32],
    num_outputs: int,
) -> None:
    """Add inputs times weights ``(inputs, outputs)`` to the outputs, one input after another."""
    for unit in range(num_inputs):
        # Most inputs are zero: cards are one-hot, and half of the units are off.
        if inputs[unit] != 0.0:
            row = weights[place + unit * num_outputs : place + (unit + 1) * num_outputs]
            for output in range(num_outputs):
                outputs[output] += inputs[unit] * row[output]


@kernel
def _rectify(units: NDArray[np.float32], num_units: int) -> None:
    for unit in range(num_units):
        units[unit] = max(units[unit], np.float32(0.0))
