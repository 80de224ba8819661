"""The network that PPO trains, and its export."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from agents.ppo.config import Config
from agents.ppo.export import player_of, policy_files
from cribbage_env.bots.network import (
    load_policy,
    num_action_numbers,
    num_state_numbers,
    parameter_shapes,
)
from cribbage_env.lanes import Lanes
from cribbage_env.policy import make_policy
from tests.networks import random_policy

CANDIDATES = Config(
    observation="features", state_layers=(32, 16), action_layers=(8, 4), value_layers=(8,)
)
PLAIN = dataclasses.replace(CANDIDATES, action_layers=())
CARDS = dataclasses.replace(PLAIN, observation="cards", credit="rewards", opponent=("club",))
LOOKAHEAD = dataclasses.replace(CANDIDATES, observation="lookahead")
NUM_STATE, NUM_EACH = num_state_numbers("features"), num_action_numbers("features")


def positions(number: int, observation: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Return observations, masks and keys of decisions in games between random players."""
    width = 250
    lanes = Lanes(width, [make_policy("random")])
    lanes.seats[:, 1] = 0
    every = np.arange(width)
    scores = np.random.default_rng(1).integers(0, 100, (width, 2))
    lanes.begin(every, np.full(width, 5, np.uint64), every, np.full(width, -1), scores, 121)
    rng = np.random.default_rng(0)
    found = []
    for _ in range(number // width):
        lanes.play_on()
        seen = lanes.observe(every, np.zeros_like(every), observation)
        found.append([part[seen[1].any(axis=1)] for part in seen])
        lanes.step(np.where(seen[1].any(axis=1), (seen[1] * rng.random((width, 19))).argmax(1), -1))
    observations, masks, keys = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return observations, masks, keys


@pytest.mark.parametrize("config", [CANDIDATES, PLAIN, CARDS, LOOKAHEAD])
def test_shapes(config: Config) -> None:
    policy = random_policy(config)
    observations, masks, _ = positions(500, config.observation)
    rows = torch.from_numpy(observations)
    actions, values, log_probabilities = policy(rows, action_masks=masks)
    assert actions.shape == log_probabilities.shape == (len(rows),)
    assert values.shape == (len(rows), 1)
    values, log_again, entropies = policy.evaluate_actions(rows, actions, torch.from_numpy(masks))
    assert values.shape == (len(rows), 1)
    assert torch.equal(log_again, log_probabilities)
    assert entropies is not None
    assert entropies.shape == (len(rows),)


def test_only_legal_actions_are_taken() -> None:
    policy = random_policy(CANDIDATES)
    observations, masks, _ = positions(2000, "features")
    rows = torch.from_numpy(observations)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        for deterministic in (False, True):
            actions, _, logs = policy(rows, deterministic=deterministic, action_masks=masks)
            assert (masks[np.arange(len(rows)), actions.numpy()] == 1).all()
            assert (logs > -5).all()
    chosen, _ = policy.predict(observations, action_masks=masks, deterministic=True)
    assert (masks[np.arange(len(rows)), chosen] == 1).all()


def test_all_candidates_share_their_scorer() -> None:
    network = random_policy(CANDIDATES, scale=100).policy_network
    observations, masks, _ = positions(1000, "features")
    is_discard = masks[:, 0] == 1
    swapped = observations.copy()
    numbers = swapped[:, NUM_STATE:].reshape(-1, 19, NUM_EACH)
    numbers[:, [3, 11]] = numbers[:, [11, 3]]
    with torch.no_grad():
        from_state = network.state_logits(
            network.state(torch.from_numpy(observations)[:, :NUM_STATE])
        )
        before = (network(torch.from_numpy(observations)) - from_state)[is_discard]
        after = (network(torch.from_numpy(swapped)) - from_state)[is_discard]
    assert is_discard.any()
    assert not torch.allclose(before[:, 3], before[:, 11], atol=1e-2)
    assert torch.allclose(before[:, [3, 11]], after[:, [11, 3]], atol=1e-5)
    assert torch.allclose(before[:, :3], after[:, :3], atol=1e-5)


def test_the_value_sees_what_the_actions_offer() -> None:
    policy = random_policy(CANDIDATES)
    observations, _, _ = positions(250, "features")
    without = observations.copy()
    without[:, NUM_STATE:] = 0
    with torch.no_grad():
        values = policy.predict_values(torch.from_numpy(observations))
        others = policy.predict_values(torch.from_numpy(without))
    assert not torch.allclose(values, others)


@pytest.mark.parametrize("config", [Config(), CANDIDATES, PLAIN, CARDS, LOOKAHEAD])
def test_the_exported_player_chooses_as_the_torch_policy(config: Config, tmp_path: Any) -> None:
    policy = random_policy(config, seed=3, scale=100)
    for name, content in policy_files(policy.policy_network, config, {"decisions": 5}).items():
        (tmp_path / name).write_bytes(content)
    player = load_policy(tmp_path)
    assert player.observation == config.observation
    assert player.facts["decisions"] == 5
    assert player.facts["config"] == config.to_json()

    observations, masks, keys = positions(8000, config.observation)
    with torch.no_grad():
        logits = policy.policy_network(torch.from_numpy(observations)).numpy()
    logits = np.where(masks == 1, logits, -np.inf)
    ordered = np.sort(logits, axis=1)
    is_clear = ordered[:, -1] - ordered[:, -2] > 1e-4
    assert is_clear.sum() > 0.9 * len(masks) > 4000
    choices, torch_choices = player.act(observations, masks, keys), logits.argmax(axis=1)
    assert (choices == torch_choices)[is_clear].all()
    assert len(np.unique(torch_choices)) > 6

    in_memory = player_of(policy.policy_network, config)
    assert (in_memory.act(observations, masks, keys) == choices).all()


def test_every_weight_of_the_network_is_exported() -> None:
    network = random_policy(CANDIDATES).policy_network
    arrays = network.arrays()
    assert {name: array.shape for name, array in arrays.items()} == parameter_shapes(
        "features", CANDIDATES.state_layers, CANDIDATES.action_layers
    )
    assert sum(array.size for array in arrays.values()) == sum(
        parameter.numel() for parameter in network.parameters()
    )


def test_the_value_has_an_output_for_each_phase() -> None:
    policy = random_policy(CANDIDATES)
    observations, masks, _ = positions(500, "features")
    rows = torch.from_numpy(observations)
    with torch.no_grad():
        before = policy.predict_values(rows).flatten().numpy()
        policy.value_network.value.bias[0] += 1.0
        after = policy.predict_values(rows).flatten().numpy()
    is_discard = masks[:, 0] == 1
    assert np.allclose(after - before, is_discard, atol=1e-5)
    assert 0 < is_discard.sum() < len(is_discard)
