"""MaskablePPO of sb3-contrib by hand, against `greedy`: python examples/maskable_ppo.py --help.

`train.py` does more: a network that scores candidates, checkpoints, evaluations, resuming.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO

from cribbage_env.match import play_match
from cribbage_env.sb3 import CribbageVecEnv

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--timesteps", type=int, default=200_000)
parser.add_argument("--games", type=int, default=2000, help="of the match before and after")
args = parser.parse_args()


class Learner:
    """The model as a player: what its network thinks best."""

    observation = "features"

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        keys: NDArray[np.uint64],  # noqa: ARG002 (it plays without chance)
    ) -> NDArray[Any]:
        """Return one legal action for each row."""
        actions, _ = model.predict(observations, action_masks=action_masks, deterministic=True)
        return actions


envs = CribbageVecEnv(64, opponent="greedy", observation="features")
model = MaskablePPO(
    "MlpPolicy",
    envs,
    n_steps=64,
    batch_size=1024,
    n_epochs=4,
    learning_rate=1e-3,
    gamma=1.0,  # every point counts alike
    gae_lambda=0.9,
    policy_kwargs={"net_arch": [128, 128]},
    seed=1,
    device="cpu",
)
for when in ("before", "after"):
    if when == "after":
        model.learn(args.timesteps, progress_bar=False)
    result = play_match(Learner(), "greedy", games=args.games, seed=1)
    low, high = result.interval
    print(
        f"{when:6} training: {result.win_rate_a:.1%} ({low:.1%} to {high:.1%}) of games won, "
        f"{result.margin_a:+.1f} points a game"
    )
