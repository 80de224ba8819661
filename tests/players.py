"""Players for tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribbage_env.policy import make_policy


class Asked:
    """A player behind the interface of a user's own: no kernel knows it, it is asked in batches.

    `batches` are the sizes of those.
    """

    def __init__(self, name: str) -> None:
        self.player = make_policy(name)
        self.observation = self.player.observation
        self.batches: list[int] = []

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        keys: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        self.batches.append(len(keys))
        return self.player.act(observations, action_masks, keys)

    def __repr__(self) -> str:
        return f"Asked({self.player.kind!r})"
