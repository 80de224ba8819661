"""The policy that PPO trains: it scores candidates.

The numbers of the state give a logit for each of the 19 actions. One small network, shared by all
actions, reads the numbers of an action and the state's last layer and adds a second logit to the
first. Scoring candidates by shared weights is worth more than a hundred times the data: what a good
discard is has to be learnt once, not for each of 15 slots.

The value has a network of its own, over the numbers of the state and what the best and the mean
legal action offer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Final

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.type_aliases import PyTorchObs, Schedule
from torch import Tensor, nn

from cribbage_env.actions import NUM_ACTIONS
from cribbage_env.bots.network import num_action_numbers, num_state_numbers
from cribbage_env.engine.flow import FIRST_PLAY
from cribbage_env.observation import ACTION_FEATURES, KINDS, LAYOUT, size

__all__ = ["CandidatePolicy", "PolicyNetwork", "ValueNetwork"]

PHASE: Final = LAYOUT["phase"].offset
LEGAL: Final = list(ACTION_FEATURES).index("legal")

HIDDEN_GAIN: Final = 2**0.5
LOGIT_GAIN: Final = 0.01
"""Scale of the orthogonal first weights: at the beginning all legal actions are about alike."""


class PolicyNetwork(nn.Module):
    """Logits from observations.

    Args:
        observation: the kind of observation.
        state_layers: units of each layer that reads the state.
        action_layers: units of each layer that scores a candidate; empty scores none.
    """

    def __init__(
        self, observation: str, state_layers: Sequence[int], action_layers: Sequence[int]
    ) -> None:
        super().__init__()
        self.scores_candidates = bool(action_layers)
        num_numbers = num_state_numbers(observation) if action_layers else size(observation)
        self.state = _layers([num_numbers, *state_layers])
        self.state_logits = nn.Linear(state_layers[-1], NUM_ACTIONS)
        if action_layers:
            self.action_first = nn.Linear(num_action_numbers(observation), action_layers[0])
            self.action_state = nn.Linear(state_layers[-1], action_layers[0], bias=False)
            self.action = nn.Sequential(nn.ReLU(), _layers(action_layers))
            self.action_logit = nn.Linear(action_layers[-1], 1)
        self.apply(partial(MaskableActorCriticPolicy.init_weights, gain=HIDDEN_GAIN))
        for last in (self.state_logits, *([self.action_logit] if action_layers else [])):
            last.apply(partial(MaskableActorCriticPolicy.init_weights, gain=LOGIT_GAIN))

    def forward(self, observations: Tensor) -> Tensor:
        """Return the logits ``(N, 19)`` of observations ``(N, D)``."""
        if not self.scores_candidates:
            logits: Tensor = self.state_logits(self.state(observations))
            return logits
        state = self.state(_state_numbers(observations))
        candidates: Tensor = self._score_candidates(_action_numbers(observations), state)
        return candidates + self.state_logits(state)

    def _score_candidates(self, numbers: Tensor, state: Tensor) -> Tensor:
        from_state = self.action_state(state)
        logits = numbers.new_zeros(len(numbers), NUM_ACTIONS)
        # A deal has one decision with 15 candidates and four with up to 4: apart they cost a third.
        is_discard = numbers[:, 0, LEGAL] > 0
        for rows, first, last in (
            (is_discard.nonzero().flatten(), 0, FIRST_PLAY),
            ((~is_discard).nonzero().flatten(), FIRST_PLAY, NUM_ACTIONS),
        ):
            own = self.action_first(numbers[:, first:last].index_select(0, rows))
            units = self.action(own + from_state.index_select(0, rows)[:, None])
            scores = self.action_logit(units).squeeze(-1)
            padded = nn.functional.pad(scores, (first, NUM_ACTIONS - last))
            logits = logits.index_copy(0, rows, padded)
        return logits

    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Return all weights under the names of `cribbage_env.bots.network.parameter_shapes`."""
        named: list[tuple[str, nn.Linear]] = [
            (f"state_{number}", layer) for number, layer in enumerate(_linear(self.state))
        ]
        named.append(("state_logits", self.state_logits))
        extra: dict[str, NDArray[np.float32]] = {}
        if self.scores_candidates:
            hidden = [self.action_first, *_linear(self.action)]
            named += [(f"action_{number}", layer) for number, layer in enumerate(hidden)]
            named.append(("action_logit", self.action_logit))
            extra["action_0_state_weight"] = _array(self.action_state.weight).T
        return extra | {
            f"{name}_{kind}": array
            for name, layer in named
            for kind, array in (
                ("weight", _array(layer.weight).T),
                ("bias", _array(layer.bias)),
            )
        }


class ValueNetwork(nn.Module):
    """The expected sum of the rewards to come, from observations; for each phase an output.

    Args:
        observation: the kind of observation.
        layers: units of each layer.
        sees_actions: whether the numbers of the actions are summed up for it.
    """

    def __init__(self, observation: str, layers: Sequence[int], *, sees_actions: bool) -> None:
        super().__init__()
        self.sees_actions = sees_actions
        num_numbers = size(observation)
        if sees_actions:
            num_numbers = num_state_numbers(observation) + 2 * num_action_numbers(observation)
        self.hidden = _layers([num_numbers, *layers])
        self.value = nn.Linear(layers[-1], 2)
        self.apply(partial(MaskableActorCriticPolicy.init_weights, gain=HIDDEN_GAIN))
        self.value.apply(partial(MaskableActorCriticPolicy.init_weights, gain=1.0))

    def forward(self, observations: Tensor) -> Tensor:
        """Return the values ``(N, 1)`` of observations ``(N, D)``."""
        inputs = observations
        if self.sees_actions:
            numbers = _action_numbers(observations)
            # Illegal actions are all zero, so they add nothing to the sum.
            number_legal = numbers[:, :, LEGAL].sum(1, keepdim=True).clamp(min=1.0)
            inputs = torch.cat(
                [_state_numbers(observations), numbers.amax(1), numbers.sum(1) / number_legal],
                dim=1,
            )
        values: Tensor = self.value(self.hidden(inputs))
        is_discard = observations[:, PHASE : PHASE + 1]
        return values[:, :1] * is_discard + values[:, 1:] * (1.0 - is_discard)


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


def _layers(sizes: Sequence[int]) -> nn.Sequential:
    """Return linear layers between the sizes, each followed by a rectifier."""
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise(sizes):
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    return nn.Sequential(*layers)


def _linear(module: nn.Module) -> list[nn.Linear]:
    return [layer for layer in module.modules() if isinstance(layer, nn.Linear)]


def _state_numbers(observations: Tensor) -> Tensor:
    """Return the numbers of the state, ``(N, num_state_numbers)``."""
    actions, forecasts = LAYOUT["actions"], LAYOUT["forecasts"]
    if observations.shape[1] == actions.stop:
        return observations[:, : actions.offset]
    later = observations[:, actions.stop : forecasts.offset]
    return torch.cat([observations[:, : actions.offset], later], dim=1)


def _action_numbers(observations: Tensor) -> Tensor:
    """Return the numbers of each action, ``(N, 19, num_action_numbers)``."""
    actions, forecasts = LAYOUT["actions"], LAYOUT["forecasts"]
    numbers = observations[:, actions.offset : actions.stop].reshape(-1, *actions.shape)
    if observations.shape[1] == actions.stop:
        return numbers
    more = observations[:, forecasts.offset :].reshape(-1, *forecasts.shape)
    return torch.cat([numbers, more], dim=2)


def _array(parameter: Tensor) -> NDArray[np.float32]:
    array: NDArray[np.float32] = parameter.detach().cpu().numpy()
    return array
