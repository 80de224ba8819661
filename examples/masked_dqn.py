"""DQN with masks over the vector environment, in one file: Q-values of single deals.

Two places need the mask: the best Q-value is sought among the legal actions, now and in the target.
The network scores each action from that action's own numbers (`ACTION_FEATURES`) and a few of the
state's, so that what it learns of one discard holds for all 15.
"""

from __future__ import annotations

import argparse

import gymnasium as gym
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torch import nn

from cribbage_env.observation import view

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--timesteps", type=int, default=80_000)
args = parser.parse_args()

NUM_ENVS, BATCH, CAPACITY = 32, 256, 20_000
STATE = ("is_dealer", "cards_left", "own_hand", "crib")
rng = np.random.default_rng(1)
torch.manual_seed(1)

envs = gym.make_vec(
    "cribbage_env:CribbageDeal-v0",
    num_envs=NUM_ENVS,
    opponent="greedy",
    observation="features",
    autoreset_mode=AutoresetMode.SAME_STEP,
)


def seen(observations: np.ndarray) -> np.ndarray:
    """Return the numbers of each action and of the state, (rows, 19, 41)."""
    pieces = view(observations)
    state = np.concatenate([pieces[name] for name in STATE], axis=-1)
    return np.concatenate([pieces["actions"], state[:, None].repeat(19, axis=1)], axis=-1)


def make_network() -> nn.Module:
    """Return a network from (rows, 19, 41) to (rows, 19, 1)."""
    return nn.Sequential(
        nn.Linear(41, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1)
    )


def q_values(network: nn.Module, states: np.ndarray, masks: np.ndarray) -> torch.Tensor:
    """Return the values of the legal actions; those of the others are far below."""
    values = network(torch.from_numpy(states)).squeeze(-1)
    return values.masked_fill(torch.from_numpy(masks == 0), -1e9)


online, target = make_network(), make_network()
target.load_state_dict(online.state_dict())
optimizer = torch.optim.Adam(online.parameters(), lr=1e-3)

shape = (CAPACITY, 19, 41)
memory = {
    "states": np.zeros(shape, np.float32),
    "next_states": np.zeros(shape, np.float32),
    "next_masks": np.zeros((CAPACITY, 19), np.int8),
    "actions": np.zeros(CAPACITY, np.int64),
    "rewards": np.zeros(CAPACITY, np.float32),
    "dones": np.zeros(CAPACITY, np.float32),
}


def learn() -> None:
    """Take one step of gradient descent on remembered decisions."""
    rows = rng.integers(min(CAPACITY, steps * NUM_ENVS), size=BATCH)
    batch = {name: values[rows] for name, values in memory.items()}
    with torch.no_grad():
        best = q_values(target, batch["next_states"], batch["next_masks"]).max(dim=1).values
        going_on = torch.from_numpy(1 - batch["dones"])
        aim = torch.from_numpy(batch["rewards"]) + torch.where(going_on > 0, best, 0.0)
    values = online(torch.from_numpy(batch["states"])).squeeze(-1)
    value = values.gather(1, torch.from_numpy(batch["actions"])[:, None]).squeeze(1)
    loss = nn.functional.smooth_l1_loss(value, aim)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


observations, infos = envs.reset(seed=1)
margins: list[int] = []
total = args.timesteps // NUM_ENVS
for steps in range(1, total + 1):
    states, masks = seen(observations), infos["action_mask"]
    exploration = max(0.05, 1 - 1.5 * steps / total)
    with torch.no_grad():
        best = q_values(online, states, masks).argmax(dim=1).numpy()
    anything = (rng.random(masks.shape) * masks).argmax(axis=1)
    actions = np.where(rng.random(NUM_ENVS) < exploration, anything, best)
    observations, rewards, dones, _, infos = envs.step(actions)
    # Where a deal has ended the next state is never looked at: `dones` cuts it off.
    place = np.arange((steps - 1) * NUM_ENVS, steps * NUM_ENVS) % CAPACITY
    news = (states, seen(observations), infos["action_mask"], actions, rewards, dones)
    for name, values in zip(memory, news, strict=True):
        memory[name][place] = values
    learn()
    if steps % 100 == 0:
        target.load_state_dict(online.state_dict())
    if dones.any():
        margins += infos["final_info"]["margin"][dones].tolist()
    if steps % max(1, total // 8) == 0:
        print(
            f"{steps * NUM_ENVS:7} decisions, exploring {exploration:4.0%}: "
            f"{np.mean(margins[-2000:]):+.2f} points a deal against greedy"
        )
