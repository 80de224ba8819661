"""The networks that PPO trains: the policy scores candidates.

The numbers of the state give a logit for each of the 19 actions. One small network, shared by all
actions, reads the numbers of an action and the state's last layer and adds a second logit to the
first. Scoring candidates by shared weights is worth more than a hundred times the data: what a good
discard is has to be learnt once, not for each of 15 slots.

The value has a network of its own, over the numbers of the state and what the best and the mean
legal action offer. Nothing here knows which library trains them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from cribbage_env.actions import NUM_ACTIONS
from cribbage_env.bots.network import num_action_numbers, num_state_numbers
from cribbage_env.engine.flow import FIRST_PLAY
from cribbage_env.observation import ACTION_FEATURES, LAYOUT, size

__all__ = ["PolicyNetwork", "ValueNetwork"]

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
        self.apply(partial(_begin_weights, gain=HIDDEN_GAIN))
        for last in (self.state_logits, *([self.action_logit] if action_layers else [])):
            last.apply(partial(_begin_weights, gain=LOGIT_GAIN))

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
        self.apply(partial(_begin_weights, gain=HIDDEN_GAIN))
        self.value.apply(partial(_begin_weights, gain=1.0))

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


def _begin_weights(module: nn.Module, gain: float) -> None:
    """Give a linear layer orthogonal weights and no bias."""
    if isinstance(module, nn.Linear):
        nn.init.orthogonal_(module.weight, gain=gain)
        if module.bias is not None:
            nn.init.zeros_(module.bias)


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
