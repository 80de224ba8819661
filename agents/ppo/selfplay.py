"""Self-play, deal by deal: both seats learn, and each decision is credited with what it can cause.

Games go on from deal to deal; an update is made of whole deals. Some games have another player in
seat 1: a scripted one, or a past self from the pool. Decisions without a choice are no decisions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from agents.ppo.config import LEARNERS, POOL, Config
from agents.ppo.network import CandidatePolicy, PolicyNetwork
from cribbage_env.actions import NUM_ACTIONS, NUM_DISCARDS
from cribbage_env.credit import write_credit
from cribbage_env.engine.layout import DEAL_OVER, NO_LOG, NOBODY
from cribbage_env.envs.stepping import draw_opponents
from cribbage_env.lanes import CALLER, Lanes, begin_next_deals, play_forced
from cribbage_env.observation import ACTION_FEATURES, LAYOUT, size
from cribbage_env.policy import Policy, make_policy

__all__ = ["POOL_SIZE", "Decisions", "PastSelf", "SelfPlayGames"]

POOL_SIZE: Final = 4
TARGET: Final = 121
REGRET: Final = list(ACTION_FEATURES).index("regret")


class PastSelf:
    """A network as it once was, as a player: the best legal logit."""

    def __init__(self, network: PolicyNetwork, observation: str) -> None:
        self.network = network
        self.observation = observation

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        keys: NDArray[np.uint64],  # noqa: ARG002 (nothing is left to chance)
    ) -> NDArray[np.int64]:
        """Return the legal action with the highest logit for each row."""
        with torch.no_grad():
            logits = self.network(torch.from_numpy(observations))
            logits[torch.from_numpy(action_masks == 0)] = -torch.inf
            actions: NDArray[np.int64] = logits.argmax(1).numpy()
        return actions


@dataclass
class Decisions:
    """Decisions in the order in which they were made, one row of each array."""

    lanes: NDArray[np.int64]
    seats: NDArray[np.int64]
    scores: NDArray[np.int64]
    observations: NDArray[np.float32]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    values: NDArray[np.float32]
    log_probs: NDArray[np.float32]
    advantages: NDArray[np.float32]
    returns: NDArray[np.float32]

    @classmethod
    def joined(cls, parts: Sequence[Decisions]) -> Decisions:
        """Return the decisions of all parts, one after another."""
        names = list(cls.__dataclass_fields__)
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


class SelfPlayGames(VecEnv):
    """All games of a run, in this process, from deal to deal.

    Attributes:
        lanes: the games; between two calls of `collect` each is at the beginning of a deal.
        results: int64 ``(opponents, 2)``: games that ended against each opponent, and those won by
            the learner, since `take_results`.
    """

    def __init__(self, config: Config) -> None:
        """Make the games, not yet seeded."""
        self.config = config
        self.opponents = config.opponent
        self._is_pool = np.array([name == POOL for name in self.opponents])
        self.pool: list[PastSelf] = []
        scripted = [make_policy(name) for name in self.opponents if name not in LEARNERS]
        self._first_pool = len(scripted)
        self._scripted: list[Policy] = scripted
        number = config.num_envs
        self.lanes = Lanes(number, scripted, is_one_deal=True, threads=config.threads)
        self.opponent_of = np.zeros(number, np.int64)
        self.results = np.zeros((len(self.opponents), 2), np.int64)
        super().__init__(
            number,
            spaces.Box(0, 1, (size(config.observation),), np.float32),
            spaces.Discrete(NUM_ACTIONS),
        )

    # What a run asks for.

    def begin(self, first_seed: int) -> None:
        """Begin game 0 of the seeds from `first_seed` on, one a lane."""
        every = np.arange(self.num_envs)
        self._begin(every, (first_seed + every).astype(np.uint64), np.zeros_like(every))

    def in_progress(self) -> dict[str, NDArray[Any]]:
        """Return the games in progress and the pool, as arrays that `go_on_with` takes."""
        arrays: dict[str, NDArray[Any]] = {
            "states": self.lanes.states.copy(),
            "seats": self.lanes.seats.copy(),
            "opponents": self.opponent_of.copy(),
            "results": self.results.copy(),
        }
        for number, past in enumerate(self.pool):
            for name, tensor in past.network.state_dict().items():
                arrays[f"pool/{number}/{name}"] = tensor.numpy()
        return arrays

    def go_on_with(self, arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
        """Put games back as they were between two updates; return what stands for observations.

        Raises:
            ValueError: another number of games, or games of another version of the engine.
        """
        states = arrays["states"]
        if states.dtype.descr != self.lanes.states.dtype.descr or len(states) != self.num_envs:
            raise ValueError(
                f"the games in progress are {len(states)} of another engine or number; "
                f"{self.num_envs} of this one are needed"
            )
        for number in range(POOL_SIZE):
            prefix = f"pool/{number}/"
            found = {
                name.removeprefix(prefix): torch.from_numpy(array)
                for name, array in arrays.items()
                if name.startswith(prefix)
            }
            if found:
                network = self._new_network()
                network.load_state_dict(found)
                self.pool.append(PastSelf(network, self.config.observation))
        self._seat_players()
        self.lanes.states[:] = states
        self.opponent_of[:] = arrays["opponents"]
        self.results[:] = arrays["results"]
        self.lanes.seats[:] = arrays["seats"]
        return self.reset()

    def add_to_pool(self, network: PolicyNetwork) -> None:
        """Put a copy of a network into the pool, for the oldest one if it is full."""
        copy = self._new_network()
        copy.load_state_dict(network.state_dict())
        self.pool.append(PastSelf(copy, self.config.observation))
        del self.pool[:-POOL_SIZE]
        self._seat_players()

    def take_results(self) -> dict[str, tuple[int, float]]:
        """Return the games that ended against each opponent and the share won; count anew.

        A name that is among the opponents more than once has all its games together.
        """
        totals: dict[str, NDArray[np.int64]] = {}
        for name, counts in zip(self.opponents, self.results.copy(), strict=True):
            totals[name] = totals.get(name, 0) + counts
        self.results[:] = 0
        return {
            name: (int(games), float(wins / games))
            for name, (games, wins) in totals.items()
            if games
        }

    def collect(self, policy: CandidatePolicy, num_deals: int) -> Decisions:
        """Play deals in every lane and return the learner's decisions, credited."""
        return Decisions.joined([self._play_deal(policy) for _ in range(num_deals)])

    # One deal.

    def _play_deal(self, policy: CandidatePolicy) -> Decisions:
        lanes, states = self.lanes, self.lanes.states
        starts = states["scores"].astype(np.int64)
        parts = []
        while True:
            lanes.play_on()
            if play_forced(states, lanes.seats, lanes.book, NO_LOG, lanes.tally, True):
                continue
            waiting = np.flatnonzero(states["turn"] >= 0)
            if not len(waiting):
                break
            parts.append(self._decide(policy, waiting))
        decisions = Decisions.joined(parts)
        regrets = LAYOUT["actions"].offset + REGRET
        step = len(ACTION_FEATURES)
        of_discards = decisions.observations[:, regrets : regrets + NUM_DISCARDS * step : step]
        write_credit(
            states,
            starts,
            decisions.lanes,
            decisions.seats,
            decisions.actions,
            of_discards.argmin(axis=1),
            decisions.scores,
            decisions.values / np.float32(self.config.reward_scale),
            self.config.credit == "points",
            self.config.gae_lambda,
            lanes.book,
            decisions.advantages,
            decisions.returns,
        )
        decisions.advantages *= self.config.reward_scale
        decisions.returns *= self.config.reward_scale
        self._go_on()
        return decisions

    def _decide(self, policy: CandidatePolicy, waiting: NDArray[np.int64]) -> Decisions:
        """Ask the policy in lanes that wait for it, and take its actions."""
        states = self.lanes.states
        seats = states["turn"][waiting].astype(np.int64)
        observations, masks, _ = self.lanes.observe(waiting, seats, self.config.observation)
        with torch.no_grad():
            actions, values, log_probs = policy(
                torch.from_numpy(observations), action_masks=masks.astype(np.bool_)
            )
        chosen = np.full(self.num_envs, -1, np.int64)
        chosen[waiting] = actions.numpy()
        every = np.arange(len(waiting))
        scores = states["scores"][waiting].astype(np.int64)
        self.lanes.step(chosen)
        return Decisions(
            waiting,
            seats,
            np.stack([scores[every, seats], scores[every, 1 - seats]], axis=1),
            observations,
            masks.astype(np.bool_),
            chosen[waiting],
            values.flatten().numpy(),
            log_probs.numpy(),
            np.empty(len(waiting), np.float32),
            np.empty(len(waiting), np.float32),
        )

    def _go_on(self) -> None:
        """Deal on, and begin a new game where one has ended."""
        states = self.lanes.states
        ended = np.flatnonzero(states["phase"] != DEAL_OVER)
        # Before there is a past self the learner takes its seat: that tells nothing.
        is_alone = self._is_pool[self.opponent_of[ended]] & (self.lanes.seats[ended, 1] == CALLER)
        counted = ended[~is_alone]
        against, is_won = self.opponent_of[counted], states["winner"][counted] == 0
        number = len(self.opponents)
        self.results[:, 0] += np.bincount(against, minlength=number)
        self.results[:, 1] += np.bincount(against[is_won], minlength=number)
        if len(ended):
            self._begin(ended, states["seed"][ended], states["game"][ended] + 1)
        begin_next_deals(states, NO_LOG)

    def _begin(
        self, lanes: NDArray[np.int64], seeds: NDArray[np.uint64], games: NDArray[np.int64]
    ) -> None:
        number = len(lanes)
        no_scores = np.zeros((number, 2), np.int64)
        self.lanes.begin(lanes, seeds, games, np.full(number, NOBODY), no_scores, TARGET)
        self.opponent_of[lanes] = draw_opponents(seeds, games, len(self.opponents))
        self._take_seats(lanes)

    def _take_seats(self, lanes: NDArray[np.int64]) -> None:
        """Seat the opponent of each lane in seat 1."""
        players = []
        scripted = 0
        for name in self.opponents:
            players.append(CALLER if name in LEARNERS else scripted)
            scripted += name not in LEARNERS
        seated = np.array(players)[self.opponent_of[lanes]]
        if self.pool:
            in_pool = self._is_pool[self.opponent_of[lanes]]
            games = self.lanes.states["game"][lanes] + lanes
            seated = np.where(in_pool, self._first_pool + games % len(self.pool), seated)
        self.lanes.seats[lanes] = CALLER
        self.lanes.seats[lanes, 1] = seated

    def _seat_players(self) -> None:
        """Make the players known to the lanes, which are between two deals."""
        before = self.lanes
        players = [*self._scripted, *self.pool]
        self.lanes = Lanes(self.num_envs, players, is_one_deal=True, threads=self.config.threads)
        self.lanes.states[:] = before.states
        self.lanes.seats[:] = before.seats

    def _new_network(self) -> PolicyNetwork:
        config = self.config
        return PolicyNetwork(config.observation, config.state_layers, config.action_layers)

    # What a VecEnv has: stable-baselines3 asks for the spaces, and resets once.

    def reset(self) -> NDArray[np.float32]:
        """Return what stands for observations; the games are begun by `begin`."""
        return np.zeros((self.num_envs, 1), np.float32)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:  # noqa: ARG002
        """Return an attribute, the same for every game; None where there is none."""
        return [getattr(self, attr_name, None)] * self.num_envs

    def step_async(self, *_: Any, **__: Any) -> Any:
        """Refuse: `agents.ppo.deals.DealsPPO` plays whole deals."""
        raise NotImplementedError("these games are played deal by deal, by DealsPPO")

    step_wait = set_attr = env_method = step_async

    def close(self) -> None:
        """Do nothing: there is nothing to let go."""

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:  # noqa: ARG002
        """Return that no game is wrapped."""
        return [False] * self.num_envs
