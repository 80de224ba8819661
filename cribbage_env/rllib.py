"""`CribbageMultiAgentEnv`: cribbage for RLlib, an agent in each seat. Importing it needs Ray.

>>> env = CribbageMultiAgentEnv(target=31)
>>> observations, infos = env.reset(seed=1)
>>> terminateds = {"__all__": False}
>>> while not terminateds["__all__"]:
...     ((agent, seen),) = observations.items()
...     action = seen["action_mask"].argmax()
...     observations, rewards, terminateds, truncateds, infos = env.step({agent: action})
>>> sum(rewards.values()), infos["player_0"]["winner"]
(0.0, 0)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from cribbage_env.actions import NUM_ACTIONS
from cribbage_env.envs.seats import AGENTS, Info, SeatView, infos_by_agent
from cribbage_env.envs.single import CribbageEnv, NotBegunError
from cribbage_env.extras import needed
from cribbage_env.game import Game

with needed("cribbage_env.rllib", "cribbage-env[ray]"):
    from ray.rllib.env.multi_agent_env import MultiAgentEnv

__all__ = ["AGENTS", "CribbageMultiAgentEnv"]

Observation: TypeAlias = dict[str, NDArray[Any]]

EVERYBODY = "__all__"
"""RLlib's name for all agents together."""


class CribbageMultiAgentEnv(MultiAgentEnv):  # type: ignore[misc]
    """One game between ``player_0`` and ``player_1``, who act as the rules have it.

    Only the agent that is to act gets an observation, ``{"observations", "action_mask"}``; the mask
    is int8 ``(19,)``. Turns don't alternate strictly: after a go (R7) the other seat may act
    several times. Each step pays both agents, zero-sum, so that an agent's rewards are complete
    whoever ends the game; at its end both get a last observation, whose mask is all zeros.

    Args:
        config: what RLlib hands over, its ``env_config``: the arguments below by name.
        target: holes to reach (R2).
        reward: ``"score_diff"``, ``"win"`` or ``"skunk"``, see `cribbage_env.rewards`.
        observation: ``"cards"`` and what may follow them, see `cribbage_env.observation`.
        illegal_action: ``"forfeit"`` ends the game, the other agent credited with the target;
            ``"random"`` plays a legal action instead; ``"raise"`` refuses. The agent that acted
            illegally finds its action as ``"illegal_action"`` in its next info.
        render_mode: None, ``"ansi"``, ``"human"`` or ``"rgb_array"``, see `CribbageEnv`.
        render_scale: 1 to 4, how many times 960 by 640 pixels a picture has.
        is_one_deal: one deal is the game.

    Raises:
        ValueError: a value that is not allowed; names it and says what is.
        TypeError: a value of the wrong type, or no such argument.
    """

    metadata: dict[str, Any] = {"render_modes": CribbageEnv.metadata["render_modes"]}  # noqa: RUF012

    def __init__(self, config: Mapping[str, Any] | None = None, **arguments: Any) -> None:
        """Make the environment; nothing is dealt before `reset`."""
        super().__init__()
        arguments = {**(config or {}), **arguments}
        if "opponent" in arguments:
            raise TypeError("there is no argument 'opponent': an agent sits in each seat")
        self._both_seats = CribbageEnv(None, **arguments)
        self._view = SeatView(arguments.get("observation", "cards"))
        self._illegal_actions: dict[str, int] = {}
        self._agent = ""
        """The agent to act; nobody before the first game and after each."""
        self.render_mode = self._both_seats.render_mode
        self.possible_agents = list(AGENTS)
        self.agents = list(AGENTS)
        self.action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in AGENTS}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observations": self._both_seats.observation_space,
                    "action_mask": spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
                }
            )
            for agent in AGENTS
        }

    @property
    def game(self) -> Game:
        """The game that is being played: full information, for people and tools.

        Raises:
            NotBegunError: before the first reset.
        """
        return self._both_seats.game

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, Info]]:
        """Begin game 0 of a seed or, without one, the next game of the last seed.

        Options are those of `CribbageEnv.reset`, ``scores`` those of (player_0, player_1).

        Raises:
            ValueError: an unknown option or a bad value; the game goes on as it was.
            TypeError: a value of the wrong type.
        """
        observation, info = self._both_seats.reset(seed=seed, options=options or None)
        self._illegal_actions = {}
        self._agent = AGENTS[info["seat"]]
        return self._to_act(observation, info)

    def step(
        self, action_dict: Mapping[str, Any]
    ) -> tuple[
        dict[str, Observation],
        dict[str, float],
        dict[str, bool],
        dict[str, bool],
        dict[str, Info],
    ]:
        """Take the action 0..18 of the agent to act.

        Raises:
            NotBegunError: before reset or after the end.
            IllegalActionError: illegal under ``illegal_action="raise"``; names the rule.
            ValueError: outside 0..18, or not one action of the agent that is to act.
            TypeError: not an integer.
        """
        if not self._agent:
            raise NotBegunError("nobody is to act: call reset() to begin a game")
        if set(action_dict) != {self._agent}:
            given = ", ".join(map(str, action_dict)) or "nobody"
            raise ValueError(f"{self._agent} alone is to act; actions were given for {given}")
        agent = self._agent
        observation, reward, is_over, _, info = self._both_seats.step(action_dict[agent])
        self._illegal_actions.pop(agent, None)
        if "illegal_action" in info:
            self._illegal_actions[agent] = info["illegal_action"]
        rewards = dict(zip(AGENTS, (reward, 0.0 - reward), strict=True))
        terminateds = {**dict.fromkeys(AGENTS, is_over), EVERYBODY: is_over}
        truncateds = {**dict.fromkeys(AGENTS, False), EVERYBODY: False}
        if is_over:
            self._agent = ""
            observations = {agent: self._last_view(seat) for seat, agent in enumerate(AGENTS)}
            infos = infos_by_agent(info, self._illegal_actions)
        else:
            self._agent = AGENTS[info["seat"]]
            observations, infos = self._to_act(observation, info)
        return observations, rewards, terminateds, truncateds, infos

    def _to_act(
        self, observation: NDArray[np.float32], info: Info
    ) -> tuple[dict[str, Observation], dict[str, Info]]:
        """Return what the agent that is to act sees, and is told."""
        seen = {"observations": observation, "action_mask": info["action_mask"]}
        told = infos_by_agent(info, self._illegal_actions)[self._agent]
        return {self._agent: seen}, {self._agent: told}

    def _last_view(self, seat: int) -> Observation:
        observation, mask = self._view.observe(self.game.state, seat)
        return {"observations": observation, "action_mask": mask}

    def render(self) -> Any:
        """Return the table as the agent to act sees it, see `CribbageEnv.render`.

        Raises:
            NotBegunError: before the first reset.
            NotInstalledError: for ``"rgb_array"`` without Pillow; names the extra.
        """
        return self._both_seats.render()

    def close(self) -> None:
        """Close the window, if there is one."""
        self._both_seats.close()
