"""Who may sit in a seat, as modules of RLlib: the learner, a past self, a scripted player.

All read ``{"observations", "action_mask"}``, and none ever takes an illegal action.
"""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModule
from ray.rllib.core.rl_module.torch.torch_rl_module import TorchRLModule
from torch import Tensor

from agents.ppo.candidates import PolicyNetwork, ValueNetwork
from cribbage_env.observation import size
from cribbage_env.policy import make_policy

__all__ = ["LearnerModule", "PastSelfModule", "ScriptedModule"]

Batch = dict[str, Any]


class PastSelfModule(TorchRLModule):  # type: ignore[misc]
    """The policy network, with the logits of illegal actions as low as numbers go.

    ``model_config`` holds ``observation``, ``state_layers``, ``action_layers`` and
    ``value_layers``, as `agents.ppo.config.Config` has them.
    """

    def setup(self) -> None:
        """Make the network; called by the constructor of the base class."""
        settings = self.model_config
        self.policy_network = PolicyNetwork(
            settings["observation"], settings["state_layers"], settings["action_layers"]
        )

    def _forward(self, batch: Batch, **_: Any) -> Batch:
        """Return the logits ``(N, 19)`` of observations, for playing and for learning."""
        seen = batch[Columns.OBS]
        logits: Tensor = self.policy_network(seen["observations"])
        # Not infinitely low: after the end of a game no action is legal, and that row too goes
        # through the network when RLlib learns, though nothing is learnt from it.
        lowest = torch.finfo(logits.dtype).min
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen["action_mask"] == 0, lowest)}


class LearnerModule(PastSelfModule, ValueFunctionAPI):  # type: ignore[misc]
    """The policy that learns, with its value network."""

    def setup(self) -> None:
        """Make both networks; called by the constructor of the base class."""
        super().setup()
        settings = self.model_config
        self.value_network = ValueNetwork(
            settings["observation"],
            settings["value_layers"],
            sees_actions=bool(settings["action_layers"]),
        )

    def compute_values(self, batch: Batch, embeddings: Any = None) -> Tensor:  # noqa: ARG002
        """Return the values ``(N,)`` of observations."""
        values: Tensor = self.value_network(batch[Columns.OBS]["observations"])
        return values.squeeze(-1)


class ScriptedModule(RLModule):  # type: ignore[misc]
    """A player by its name, ``model_config["player"]``; its view decides what it draws by chance.

    Raises:
        ValueError: its observation isn't the beginning of the one that is given.
    """

    def setup(self) -> None:
        """Make the player; called by the constructor of the base class."""
        self.player = make_policy(self.model_config["player"])
        self.width = size(self.player.observation)
        given = self.observation_space["observations"].shape[0]
        if self.width > given:
            raise ValueError(
                f"{self.model_config['player']} reads {self.player.observation!r} observations, "
                "more than the learner does: give --observation"
            )

    def _forward(self, batch: Batch, **_: Any) -> Batch:
        """Return the actions ``(N,)``."""
        seen = {name: np.asarray(values) for name, values in batch[Columns.OBS].items()}
        rows = np.ascontiguousarray(seen["observations"][:, : self.width], np.float32)
        masks = np.ascontiguousarray(seen["action_mask"], np.int8)
        return {Columns.ACTIONS: self.player.act(rows, masks, _keys_of(rows))}

    def _forward_train(self, batch: Batch, **_: Any) -> Batch:
        raise NotImplementedError("a scripted player doesn't learn")


def _keys_of(rows: NDArray[np.float32]) -> NDArray[np.uint64]:
    """Return a number for each view: RLlib hands nothing else over that a player may draw from."""
    digests = (hashlib.blake2b(row.tobytes(), digest_size=8).digest() for row in rows)
    return np.array([int.from_bytes(digest, "little") for digest in digests], np.uint64)
