"""Plain PPO, which knows no masks: it finds the mask in its observation and learns to heed it.

An illegal action forfeits the deal, 121 points, and so it learns the rules before it learns to
play. MaskablePPO (`maskable_ppo.py`) knows them from the start.
"""

from __future__ import annotations

import argparse

import numpy as np
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env

from cribbage_env import MaskInObservation

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--timesteps", type=int, default=100_000)
args = parser.parse_args()

envs = make_vec_env(
    "cribbage_env:CribbageDeal-v0",
    n_envs=8,
    seed=1,
    env_kwargs={"opponent": "greedy", "illegal_action": "forfeit"},
    wrapper_class=MaskInObservation,
)
model = PPO(
    "MultiInputPolicy",
    envs,
    n_steps=256,
    batch_size=512,
    n_epochs=4,
    learning_rate=1e-3,
    gamma=1.0,
    seed=1,
    device="cpu",
)


def measure(steps: int = 250) -> str:
    """Return how often it breaks the rules, and how it does in deals that it plays to the end."""
    observations = envs.reset()
    illegal, margins = 0, []
    for _ in range(steps):
        actions, _ = model.predict(observations)
        observations, _, dones, infos = envs.step(actions)
        illegal += sum("illegal_action" in info for info in infos)
        margins += [
            info["margin"]
            for info, done in zip(infos, dones, strict=True)
            if done and "forfeit" not in info
        ]
    mean = f"{np.mean(margins):+.1f} points a deal" if margins else "never played to the end"
    return f"{illegal / (steps * envs.num_envs):.1%} of its actions are illegal, {mean}"


print("before training:", measure())
model.learn(args.timesteps)
print("after training: ", measure())
