"""Self-play in PettingZoo: one linear policy sits in both seats and learns from nothing.

It has one weight for each of the numbers that describe an action (`ACTION_FEATURES`), and REINFORCE
moves them towards actions that were followed by more points than usual.
"""

from __future__ import annotations

import argparse
import textwrap

import numpy as np
from numpy.typing import NDArray

from cribbage_env import cribbage_v0
from cribbage_env.match import play_match
from cribbage_env.observation import ACTION_FEATURES, view

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--deals", type=int, default=2000)
args = parser.parse_args()

LEARNING_RATE = 0.02
rng = np.random.default_rng(1)
weights = np.zeros(len(ACTION_FEATURES))


class Linear:
    """The weights as a player, which takes the best action."""

    observation = "features"

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        keys: NDArray[np.uint64],  # noqa: ARG002 (it plays without chance)
    ) -> NDArray[np.int64]:
        """Return one legal action for each row."""
        scores = view(observations)["actions"] @ weights
        return np.where(action_masks == 1, scores, -np.inf).argmax(axis=1)


def report(deals: int) -> None:
    """Print how strong it is."""
    rates = [play_match(Linear(), name, games=500).win_rate_a for name in ("random", "greedy")]
    print(
        f"after {deals:5} deals: wins {rates[0]:.1%} against random, {rates[1]:.1%} against greedy"
    )


env = cribbage_v0.env(observation="features", is_one_deal=True)
baseline = np.zeros(5)  # the usual return of a seat's discard and of its four plays
for deal in range(args.deals):
    if deal % max(1, args.deals // 3) == 0:
        report(deal)
    env.reset(seed=1 if deal == 0 else None)
    gradients: dict[str, list[NDArray[np.float64]]] = {agent: [] for agent in env.agents}
    rewards: dict[str, list[float]] = {agent: [] for agent in env.agents}
    for agent in env.agent_iter():
        observation, reward, terminated, _, _ = env.last()
        if gradients[agent]:  # the reward since the agent's last decision
            rewards[agent].append(reward)
        if terminated:
            env.step(None)
            continue
        each, mask = view(observation["observation"])["actions"], observation["action_mask"]
        scores = np.where(mask == 1, each @ weights, -np.inf)
        chances = np.exp(scores - scores.max())
        chances /= chances.sum()
        action = rng.choice(19, p=chances)
        gradients[agent].append(each[action] - chances @ each)
        env.step(action)
    for agent in env.possible_agents:
        returns = np.cumsum(rewards[agent][::-1])[::-1]  # from each decision to the deal's end
        decisions = len(returns)
        for gradient, gain in zip(gradients[agent], returns - baseline[:decisions], strict=True):
            weights += LEARNING_RATE * gain * gradient
        baseline[:decisions] += 0.01 * (returns - baseline[:decisions])
report(args.deals)

print("\nwhat it has come to like, and what not:")
for place in np.argsort(-np.abs(weights))[:8]:
    name, meaning = list(ACTION_FEATURES.items())[place]
    print(f"{weights[place]:+6.2f}  {name}: {textwrap.shorten(meaning, 70)}")
