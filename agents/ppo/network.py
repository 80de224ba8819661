"""The networks of `agents.ppo.candidates` as a policy of stable-baselines3, with masks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import PyTorchObs, Schedule
from torch import Tensor

from agents.ppo.candidates import PolicyNetwork, ValueNetwork
from cribbage_env.observation import KINDS, size

__all__ = ["CandidatePolicy", "PolicyNetwork", "ValueNetwork"]


class CandidatePolicy(MaskableActorCriticPolicy):
    """Policy and value as stable-baselines3 wants them, with masks.

    Args:
        observation_space: that of the environment.
        action_space: the 19 actions.
        lr_schedule: learning rate by the part of the training that remains.
        state_layers, action_layers, value_layers: units of the layers, as in `Config`.
        settings: what else stable-baselines3 hands on.
    """

    def __init__(
        self,
        observation_space: spaces.Space[Any],
        action_space: spaces.Space[Any],
        lr_schedule: Schedule,
        *,
        state_layers: Sequence[int],
        action_layers: Sequence[int],
        value_layers: Sequence[int],
        **settings: Any,
    ) -> None:
        self.layers: Mapping[str, Sequence[int]] = {
            "state_layers": state_layers,
            "action_layers": action_layers,
            "value_layers": value_layers,
        }
        super().__init__(observation_space, action_space, lr_schedule, **settings)

    def _build(self, lr_schedule: Schedule) -> None:
        """Make the networks and the optimiser; called by the constructor of the base class."""
        layers = self.layers
        width = (self.observation_space.shape or (0,))[0]
        kind = next(kind for kind in KINDS if size(kind) == width)
        state_layers, action_layers = layers["state_layers"], layers["action_layers"]
        self.policy_network = PolicyNetwork(kind, state_layers, action_layers)
        self.value_network = ValueNetwork(
            kind, layers["value_layers"], sees_actions=bool(action_layers)
        )
        self.optimizer = self.optimizer_class(
            self.parameters(),
            lr=lr_schedule(1),  # type: ignore[call-arg]
            **self.optimizer_kwargs,
        )

    def forward(
        self,
        obs: Tensor,
        deterministic: bool = False,
        action_masks: NDArray[np.bool_] | None = None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return the actions ``(N,)``, values ``(N, 1)`` and log probabilities ``(N,)``."""
        distribution = self.get_distribution(obs, action_masks)
        actions = distribution.get_actions(deterministic=deterministic)
        return actions, self.predict_values(obs), distribution.log_prob(actions)

    def evaluate_actions(
        self, obs: Tensor, actions: Tensor, action_masks: Tensor | None = None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Return the values, log probabilities and entropies of actions taken."""
        distribution = self.get_distribution(obs, action_masks)
        return self.predict_values(obs), distribution.log_prob(actions), distribution.entropy()

    def get_distribution(
        self, obs: PyTorchObs, action_masks: NDArray[np.bool_] | Tensor | None = None
    ) -> MaskableDistribution:
        """Return the distribution over the legal actions."""
        distribution = self.action_dist.proba_distribution(self.policy_network(obs))
        if action_masks is not None:
            distribution.apply_masking(action_masks)
        return distribution

    def predict_values(self, obs: PyTorchObs) -> Tensor:
        """Return the values ``(N, 1)``."""
        values: Tensor = self.value_network(obs)
        return values
