"""Cribbage for PettingZoo: both seats are agents, and each sees what its seat may see.

Importing this module needs pettingzoo; `cribbage_env.cribbage_v0` is how users come here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, SupportsIndex

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from cribbage_env.actions import NUM_ACTIONS
from cribbage_env.envs.seats import AGENTS, Info, SeatView, infos_by_agent
from cribbage_env.envs.settings import RENDER_MODES, RESET_OPTIONS
from cribbage_env.envs.single import CribbageEnv, NotBegunError
from cribbage_env.extras import needed
from cribbage_env.game import Game

with needed("cribbage_env.cribbage_v0", "cribbage-env[pettingzoo]"):
    from pettingzoo import AECEnv

__all__ = ["AGENTS", "CribbageAECEnv"]

Observation = dict[str, NDArray[Any]]


class CribbageAECEnv(AECEnv):  # type: ignore[misc]
    """One game between ``player_0`` and ``player_1``, who act as the rules have it.

    Turns don't alternate strictly: after a go (R7) the other seat may act several times.
    An observation is ``{"observation", "action_mask"}``; the mask is int8 ``(19,)`` and all zeros
    for the agent that is not to act. Rewards are zero-sum, and each step pays both agents.

    Args:
        target: holes to reach (R2).
        reward: ``"score_diff"``, ``"win"`` or ``"skunk"``, see `cribbage_env.rewards`.
        observation: ``"cards"`` and what may follow them, see `cribbage_env.observation`.
        illegal_action: ``"forfeit"`` ends the game, the other agent credited with the target;
            ``"random"`` plays a legal action instead; ``"raise"`` refuses. The agent that acted
            illegally finds its action as ``"illegal_action"`` in its info.
        render_mode: None, ``"ansi"``, ``"human"`` or ``"rgb_array"``, see `CribbageEnv`.
        render_scale: 1 to 4, how many times 960 by 640 pixels a picture has.
        is_one_deal: one deal is the game.

    Raises:
        ValueError: a value that is not allowed; names it and says what is.
        TypeError: a value of the wrong type.

    >>> env = CribbageAECEnv()
    >>> env.reset(seed=1, options={"dealer": 0})
    >>> env.agent_selection, int(env.observe("player_1")["action_mask"].sum())
    ('player_1', 15)
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (PettingZoo declares it so)
        "name": "cribbage_v0",
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
        "is_parallelizable": False,
    }

    def __init__(
        self,
        *,
        target: int = 121,
        reward: str = "score_diff",
        observation: str = "cards",
        illegal_action: str = "forfeit",
        render_mode: str | None = None,
        render_scale: int = 1,
        is_one_deal: bool = False,
    ) -> None:
        """Make the environment; nothing is dealt before `reset`."""
        super().__init__()
        self._both_seats = CribbageEnv(
            None,
            target=target,
            reward=reward,
            observation=observation,
            illegal_action=illegal_action,
            render_mode=render_mode,
            render_scale=render_scale,
            is_one_deal=is_one_deal,
        )
        self._view = SeatView(observation)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self.action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in AGENTS}
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": self._both_seats.observation_space,
                    "action_mask": spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
                }
            )
            for agent in AGENTS
        }

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the observation space of an agent, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the action space of an agent, the same object at every call."""
        return self.action_spaces[agent]

    @property
    def game(self) -> Game:
        """The game that is being played: full information, for people and tools.

        Raises:
            NotBegunError: before the first reset.
        """
        return self._both_seats.game

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin game 0 of a seed or, without one, the next game of the last seed.

        Options are those of `CribbageEnv.reset`, ``scores`` those of (player_0, player_1); others
        are ignored, as PettingZoo's own tests demand.

        Raises:
            ValueError: a bad value; the game goes on as it was.
            TypeError: a value of the wrong type.
        """
        if isinstance(options, Mapping):
            options = {name: options[name] for name in RESET_OPTIONS if name in options}
        _, info = self._both_seats.reset(seed=seed, options=options)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._illegal_actions: dict[str, int] = {}
        self._tell(info)
        self.agent_selection = AGENTS[info["seat"]]

    def step(self, action: SupportsIndex | None) -> None:
        """Take an action 0..18 for the agent to act, None for an agent whose game is over.

        Raises:
            NotBegunError: before reset or after both agents have left.
            IllegalActionError: illegal under ``illegal_action="raise"``; names the rule.
            ValueError: outside 0..18, or an action for an agent whose game is over.
            TypeError: not an integer.
        """
        if not self.agents:
            raise NotBegunError("nobody is at the table: call reset() to begin a game")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        _, reward, is_over, _, info = self._both_seats.step(action)  # type: ignore[arg-type]
        self._illegal_actions.pop(agent, None)
        if "illegal_action" in info:
            self._illegal_actions[agent] = info["illegal_action"]
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict(zip(AGENTS, (reward, 0.0 - reward), strict=True))
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(AGENTS, is_over)
        self._tell(info)
        other = AGENTS[1 - AGENTS.index(agent)]
        self.agent_selection = other if is_over else AGENTS[info["seat"]]

    def _tell(self, info: Info) -> None:
        self.infos = infos_by_agent(info, self._illegal_actions)

    def observe(self, agent: str) -> Observation:
        """Return what an agent sees; the arrays are fresh.

        Raises:
            NotBegunError: before the first reset.
            ValueError: no such agent.
        """
        if agent not in AGENTS:
            raise ValueError(f"there is no agent {agent!r}; there are {', '.join(AGENTS)}")
        observation, mask = self._view.observe(self.game.state, AGENTS.index(agent))
        return {"observation": observation, "action_mask": mask}

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
