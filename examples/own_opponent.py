"""Write a player, make its name known, watch it, and measure it in duplicate games.

A `Policy` chooses for many games at once: observations come as rows, and so do masks. Randomness
may come from the keys alone, one a row, so that a result never depends on the batch.
"""

from __future__ import annotations

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from cribbage_env import observation, register_opponent
from cribbage_env.match import play_match
from cribbage_env.observation import ACTION_FEATURES

NAMES = list(ACTION_FEATURES)


class Spoiler:
    """Keeps the best hand, and lays the card after which the opponent scores least."""

    observation = "features"

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        keys: NDArray[np.uint64],  # noqa: ARG002 (it plays without chance)
    ) -> NDArray[np.int64]:
        """Return one legal action for each row."""
        each = observation.view(observations)["actions"]  # (rows, 19 actions, features)
        worth = each[..., NAMES.index("hand_mean")] - each[..., NAMES.index("reply")]
        return np.where(action_masks == 1, worth, -np.inf).argmax(axis=1)


register_opponent("spoiler", Spoiler)

env = gym.make("cribbage_env:CribbageDeal-v0", opponent="spoiler")
_, info = env.reset(seed=3)
while info["phase"] != "over":
    *_, info = env.step(int(info["action_mask"].argmax()))
for event in env.unwrapped.game.events:
    print(event)

print()
for rival in ("random", "greedy", "club"):
    result = play_match("spoiler", rival, games=1000, seed=1)
    low, high = result.interval
    print(f"spoiler beats {rival:6} in {result.win_rate_a:.1%} ({low:.1%} to {high:.1%}) of games")
