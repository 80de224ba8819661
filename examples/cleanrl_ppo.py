"""PPO with masks in one file, in the manner of CleanRL, over the batched vector environment.

Autoreset mode SAME_STEP suits it: every row is a decision, and the observation after an end is
already the first of the next game.
"""

from __future__ import annotations

import argparse

import gymnasium as gym
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torch import nn
from torch.distributions import Categorical

from cribbage_env.observation import LAYOUT

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--timesteps", type=int, default=100_000)
args = parser.parse_args()

NUM_ENVS, NUM_STEPS, EPOCHS, MINIBATCHES = 64, 32, 4, 4
GAMMA, LAMBDA, CLIP, ENTROPY, LEARNING_RATE = 1.0, 0.9, 0.2, 0.01, 2e-3
ACTIONS = LAYOUT["actions"]
REWARD_SCALE = 0.1  # a game ends some 30 points apart

torch.manual_seed(1)
envs = gym.make_vec(
    "cribbage_env:Cribbage-v0",
    num_envs=NUM_ENVS,
    opponent="greedy",
    observation="features",
    autoreset_mode=AutoresetMode.SAME_STEP,
)
size = envs.single_observation_space.shape[0]


class Agent(nn.Module):
    """Scores each action from its own numbers, and values the whole observation."""

    def __init__(self) -> None:
        super().__init__()
        self.actor = nn.Sequential(nn.Linear(ACTIONS.shape[1], 64), nn.Tanh(), nn.Linear(64, 1))
        self.critic = nn.Sequential(nn.Linear(size, 64), nn.Tanh(), nn.Linear(64, 1))

    def value(self, obs: torch.Tensor) -> torch.Tensor:
        """Return the values, (rows,)."""
        return self.critic(obs).squeeze(-1)

    def policy(self, obs: torch.Tensor, masks: torch.Tensor) -> Categorical:
        """Return the distribution over the legal actions of each row."""
        each = obs[:, ACTIONS.offset : ACTIONS.stop].unflatten(1, ACTIONS.shape)
        return Categorical(logits=self.actor(each).squeeze(-1).masked_fill(masks == 0, -1e9))


agent = Agent()
optimizer = torch.optim.Adam(agent.parameters(), lr=LEARNING_RATE, eps=1e-5)
obs = torch.zeros(NUM_STEPS, NUM_ENVS, size)
masks = torch.zeros(NUM_STEPS, NUM_ENVS, 19, dtype=torch.int8)
actions = torch.zeros(NUM_STEPS, NUM_ENVS, dtype=torch.int64)
log_probs, rewards, dones, values = torch.zeros(4, NUM_STEPS, NUM_ENVS)

wins: list[bool] = []
next_obs, infos = envs.reset(seed=1)
num_updates = max(1, args.timesteps // (NUM_ENVS * NUM_STEPS))
for update in range(num_updates):
    optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - update / num_updates)
    for step in range(NUM_STEPS):
        obs[step] = torch.from_numpy(next_obs)
        masks[step] = torch.from_numpy(infos["action_mask"])
        with torch.no_grad():
            policy = agent.policy(obs[step], masks[step])
            actions[step] = policy.sample()
            log_probs[step] = policy.log_prob(actions[step])
            values[step] = agent.value(obs[step])
        next_obs, reward, terminated, _, infos = envs.step(actions[step].numpy())
        rewards[step] = torch.from_numpy(reward) * REWARD_SCALE
        dones[step] = torch.from_numpy(terminated)
        if terminated.any():
            wins += infos["final_info"]["is_success"][terminated].tolist()

    with torch.no_grad():  # generalised advantage estimates, backwards
        next_value, advantage = agent.value(torch.from_numpy(next_obs)), torch.zeros(NUM_ENVS)
        advantages = torch.zeros_like(rewards)
        for step in reversed(range(NUM_STEPS)):
            going_on = 1 - dones[step]
            delta = rewards[step] + GAMMA * next_value * going_on - values[step]
            advantage = delta + GAMMA * LAMBDA * going_on * advantage
            advantages[step], next_value = advantage, values[step]
        returns = advantages + values

    batch = [x.flatten(0, 1) for x in (obs, masks, actions, log_probs, advantages, returns)]
    for _ in range(EPOCHS):
        for rows in torch.randperm(NUM_STEPS * NUM_ENVS).chunk(MINIBATCHES):
            o, m, a, old, adv, ret = (x[rows] for x in batch)
            policy = agent.policy(o, m)
            ratio = (policy.log_prob(a) - old).exp()
            adv = (adv - adv.mean()) / (adv.std() + 1e-8)
            gain = torch.min(ratio * adv, ratio.clamp(1 - CLIP, 1 + CLIP) * adv).mean()
            value_loss = (agent.value(o) - ret).square().mean()
            loss = 0.5 * value_loss - gain - ENTROPY * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()

    if (update + 1) % max(1, num_updates // 10) == 0 and wins:
        decisions = (update + 1) * NUM_STEPS * NUM_ENVS
        rate = np.mean(wins[-500:])
        print(f"{decisions:7} decisions, {len(wins):5} games: {rate:.1%} of the last 500 won")
