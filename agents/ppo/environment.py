"""The games that PPO learns from: the batched engine with scaled rewards, and its state to keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnvWrapper
from stable_baselines3.common.vec_env.base_vec_env import VecEnvObs, VecEnvStepReturn

from agents.ppo.config import Config
from agents.ppo.selfplay import SelfPlayGames
from cribbage_env.sb3 import CribbageVecEnv

__all__ = ["TrainingGames", "make_games"]


class TrainingGames(VecEnvWrapper):
    """All games of a run, in step, in this process.

    Rewards are multiplied by a number, so that the values to learn are about one; nothing else of
    the game changes.
    """

    def __init__(self, games: CribbageVecEnv, observation: str, reward_scale: float) -> None:
        super().__init__(games)
        self._games = games
        self._observation = observation
        self._reward_scale = np.float32(reward_scale)

    def reset(self) -> VecEnvObs:
        """Begin all games; return the observations ``(N, D)``."""
        return self._games.reset()

    def step_wait(self) -> VecEnvStepReturn:
        """Take the actions; rewards are scaled."""
        observations, rewards, dones, infos = self._games.step_wait()
        return observations, rewards * self._reward_scale, dones, infos

    def begin(self, first_seed: int) -> None:
        """Seed the lanes, one after another; the games begin with `reset`."""
        self.seed(first_seed)

    def in_progress(self) -> dict[str, NDArray[Any]]:
        """Return the games in progress, as arrays that `go_on_with` takes.

        They are complete: the cards to come depend on the seed, the game and the deal alone.
        """
        lanes = self._games.envs.lanes
        return {"states": lanes.states.copy(), "seats": lanes.seats.copy()}

    def go_on_with(self, arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
        """Put games back as they were between two steps; return the observations ``(N, D)``.

        Raises:
            ValueError: another number of games, or games of another version of the engine.
        """
        self._games.reset()
        envs = self._games.envs
        states, seats = arrays["states"], arrays["seats"]
        if states.dtype.descr != envs.lanes.states.dtype.descr or len(states) != self.num_envs:
            raise ValueError(
                f"the games in progress are {len(states)} of another engine or number; "
                f"{self.num_envs} of this one are needed"
            )
        envs.lanes.states[:] = states
        envs.lanes.seats[:] = seats
        scores = states["scores"].astype(np.int64)
        envs._seeds[:] = states["seed"]
        envs._games[:] = states["game"]
        envs._margins[:] = scores[:, 0] - scores[:, 1]
        every = np.arange(self.num_envs)
        observations, masks, _ = envs.lanes.observe(every, np.zeros_like(every), self._observation)
        self._games._masks = masks.astype(np.bool_)
        return observations


def make_games(config: Config) -> TrainingGames | SelfPlayGames:
    """Return the games that a configuration asks for, not yet begun."""
    if config.credit != "rewards":
        return SelfPlayGames(config)
    games = CribbageVecEnv(
        config.num_envs,
        opponent=list(config.opponent),
        observation=config.observation,
        reward=config.reward,
        illegal_action="raise",
    )
    return TrainingGames(games, config.observation, config.reward_scale)
