"""What environments with an agent in each seat share: who they are, and what each is told."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribbage_env.lanes import Lanes

__all__ = ["AGENTS", "SeatView", "infos_by_agent"]

Info = dict[str, Any]

AGENTS = ("player_0", "player_1")
"""The agents by seat."""


class SeatView:
    """Sees a game from either seat, whoever is to act; `observation` is the kind, as a name."""

    def __init__(self, observation: str) -> None:
        self._observation = observation
        self._lane = Lanes(1)  # holds the game's state while it is observed

    def observe(
        self, state: NDArray[Any], seat: int
    ) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        """Return what a seat sees, and its mask: all zeros unless it is to act."""
        self._lane.states = state
        observations, masks, _ = self._lane.observe(
            np.zeros(1, np.int64), np.array([seat]), self._observation
        )
        return observations[0], masks[0]


def infos_by_agent(info: Info, illegal_actions: Mapping[str, int]) -> dict[str, Info]:
    """Return what `CribbageEnv` says, own numbers first, and of each agent its own faults.

    The number of an illegal action would give away something of the hand it was chosen from.
    """
    told = {
        name: value
        for name, value in info.items()
        if name not in ("action_mask", "seat", "illegal_action")
    }
    infos = {}
    for seat, agent in enumerate(AGENTS):
        own = {**told, "scores": told["scores"][:: 1 if seat == 0 else -1].copy()}
        if "winner" in told:
            own["margin"] = int(own["scores"][0] - own["scores"][1])
            own["is_success"] = told["winner"] == seat
        if agent in illegal_actions:
            own["illegal_action"] = illegal_actions[agent]
        infos[agent] = own
    return infos
