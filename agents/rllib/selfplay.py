"""Who sits in which seat of a game: the learner in both, or in one against somebody else."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from agents.ppo.config import POOL, SELF
from cribbage_env.rllib import AGENTS, CribbageMultiAgentEnv

__all__ = ["LEARNER", "POOL_SIZE", "TrainingEnv", "past_self", "seat_by_game", "scripted"]

LEARNER: Final = "learner"
"""The module that learns."""
POOL_SIZE: Final = 4
"""Past selves that are met; a new one takes the place of the oldest."""


def past_self(number: int) -> str:
    """Return the name of the module that holds a past self.

    >>> past_self(5)
    'past_1'
    """
    return f"past_{number % POOL_SIZE}"


def scripted(number: int) -> str:
    """Return the name of the module of a scripted player: RLlib allows no colon in it.

    >>> scripted(0)
    'scripted_0'
    """
    return f"scripted_{number}"


class TrainingEnv(CribbageMultiAgentEnv):
    """The environment with rewards multiplied by ``reward_scale`` of its config."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        arguments = dict(config)
        self._scale = arguments.pop("reward_scale")
        super().__init__(arguments)

    def step(self, action_dict: Mapping[str, Any]) -> Any:
        """Take the action of the agent to act, see `CribbageMultiAgentEnv`."""
        observations, rewards, *others = super().step(action_dict)
        return observations, {who: self._scale * pay for who, pay in rewards.items()}, *others


def seat_by_game(opponents: Sequence[str]) -> Callable[..., str]:
    """Return RLlib's ``policy_mapping_fn``, which draws an opponent for each game.

    The game's own identity decides, so that both agents of a game are told the same: who the
    opponent is, and in which seat.

    >>> class Game:
    ...     id_ = "0f3a"
    >>> module_of = seat_by_game(["self"])
    >>> module_of("player_0", Game()), module_of("player_1", Game())
    ('learner', 'learner')
    >>> module_of = seat_by_game(["club"])
    >>> sorted([module_of("player_0", Game()), module_of("player_1", Game())])
    ['learner', 'scripted_0']
    """
    names = tuple(opponents)

    def module_of(agent: str, episode: Any, **_: Any) -> str:
        draw = zlib.crc32(str(episode.id_).encode())
        draw, number = divmod(draw, len(names))
        draw, seat = divmod(draw, 2)
        if names[number] == SELF or agent == AGENTS[seat]:
            return LEARNER
        return past_self(draw) if names[number] == POOL else scripted(number)

    return module_of
