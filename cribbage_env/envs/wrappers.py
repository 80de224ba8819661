"""Wrappers for learners that look for the mask elsewhere than in `info`."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from cribbage_env.actions import NUM_ACTIONS

__all__ = ["MaskInObservation"]

Observation = dict[str, NDArray[Any]]


class MaskInObservation(gymnasium.Wrapper[Any, int, Any, int], RecordConstructorArgs):
    """Make the observation ``{"observation", "action_mask"}``.

    The mask is int8 of shape ``(19,)``, zeros at the end.

    >>> import cribbage_env
    >>> env = MaskInObservation(gymnasium.make("Cribbage-v0"))
    >>> observation, info = env.reset(seed=1)
    >>> sorted(observation), int(observation["action_mask"].sum())
    (['action_mask', 'observation'], 15)
    """

    def __init__(self, env: gymnasium.Env[NDArray[np.float32], int]) -> None:
        """Wrap an environment whose info has an ``action_mask``."""
        RecordConstructorArgs.__init__(self)  # so that `env.spec` can make it again
        gymnasium.Wrapper.__init__(self, env)
        self.observation_space = spaces.Dict(
            {
                "observation": env.observation_space,
                "action_mask": spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
            }
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Reset the environment."""
        observation, info = self.env.reset(seed=seed, options=options)
        return self._with_mask(observation, info), info

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Step the environment."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self._with_mask(observation, info), float(reward), terminated, truncated, info

    @staticmethod
    def _with_mask(observation: NDArray[np.float32], info: dict[str, Any]) -> Observation:
        return {"observation": observation, "action_mask": info["action_mask"].copy()}
