"""A machine that does anything to the PettingZoo environment, beside the slow referee."""

from __future__ import annotations

import copy
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

pytest.importorskip("pettingzoo")

from cribbage_env import cribbage_v0
from cribbage_env.envs.pettingzoo import AGENTS
from cribbage_env.envs.single import NotBegunError
from cribbage_env.game import Game, IllegalActionError
from tests.reliability.drawn import LUCK, SEEDS, machine_settings
from tests.reliability.seated import (
    MODES,
    OBSERVATIONS,
    REWARDS,
    TARGETS,
    check_observation,
    expected_total,
    reset_options,
    standing,
)
from tests.umpire import Umpire


class TwoAgentsMachine(RuleBasedStateMachine):
    """Two agents play games; both observations are looked at after every step."""

    @initialize(
        seed=SEEDS,
        given=strategies.fixed_dictionaries(
            {
                "target": TARGETS,
                "reward": REWARDS,
                "observation": OBSERVATIONS,
                "illegal_action": MODES,
                "is_one_deal": strategies.sampled_from((False, False, True)),
            }
        ),
    )
    def make(self, seed: int, given: dict[str, Any]) -> None:
        self.given = given
        self.env = cribbage_v0.env(**given).unwrapped
        with pytest.raises(NotBegunError):
            self.env.step(0)
        self.env.reset(seed=seed)
        self.begin()

    def begin(self) -> None:
        self.umpire = Umpire(self.env.game)
        self.totals = dict.fromkeys(AGENTS, 0.0)
        first, second = self.env.game.beginning.scores
        self.margin_at_reset = first - second
        assert self.env.agents == list(AGENTS)
        assert not any(self.env.rewards.values())

    def step(self, action: int) -> None:
        agent = self.env.agent_selection
        self.env.step(action)
        for name, reward in self.env.rewards.items():
            self.totals[name] += reward
        assert sum(self.env.rewards.values()) == 0
        self.umpire.follow(self.env.game)
        if self.env.game.turn is None:
            name, game = self.given["reward"], self.env.game
            assert self.totals[AGENTS[0]] == expected_total(name, game, self.margin_at_reset)
            assert all(self.env.terminations.values())
        else:
            assert agent in self.env.agents

    @rule(luck=LUCK, number=strategies.integers(1, 40))
    def act(self, luck: int, number: int) -> None:
        rng = random.Random(luck)
        for _ in range(number):
            legal = self.umpire.legal_actions()
            if legal:
                self.step(rng.choice(legal))

    @rule(luck=LUCK)
    def act_against_the_rules(self, luck: int) -> None:
        legal = self.umpire.legal_actions()
        if not legal:
            return
        agent = self.env.agent_selection
        action = random.Random(luck).choice([one for one in range(19) if one not in legal])
        if self.given["illegal_action"] == "raise":
            before = standing(self.env.game)
            with pytest.raises(IllegalActionError):
                self.env.step(action)
            assert standing(self.env.game) == before
            return
        other = AGENTS[1 - AGENTS.index(agent)]
        before_of_other = self.env.infos[other].get("illegal_action")
        self.step(action)
        assert self.env.infos[agent]["illegal_action"] == action
        assert self.env.infos[other].get("illegal_action") == before_of_other

    @rule(action=strategies.sampled_from((-1, 19, 0.5, "0", True)))
    def act_outside_the_space(self, action: Any) -> None:
        before = standing(self.env.game)
        with pytest.raises((TypeError, ValueError)):
            self.env.step(action)
        assert standing(self.env.game) == before

    @rule()
    def leave_the_table(self) -> None:
        """Agents whose game is over step with None, and then nobody is there."""
        if not self.env.agents or self.umpire.legal_actions():
            return
        while self.env.agents:
            self.env.step(None)
        with pytest.raises(NotBegunError):
            self.env.step(None)

    @rule()
    def go_on_with_a_copy(self) -> None:
        twin, left = copy.deepcopy(self.env), self.env
        before = standing(left.game)
        left.reset(seed=0)
        assert standing(twin.game) == before
        self.env = twin

    @rule(data=strategies.data(), seed=strategies.none() | SEEDS)
    def reset(self, data: Any, seed: int | None) -> None:
        before = self.env.game
        self.env.reset(seed=seed, options=data.draw(reset_options(self.given["target"])))
        game = self.env.game
        expected = (before.seed, before.number + 1) if seed is None else (seed, 0)
        assert (game.seed, game.number) == expected
        self.begin()

    @invariant()
    def each_sees_its_own(self) -> None:
        if not hasattr(self, "umpire"):
            return
        game: Game = self.env.game
        for seat, agent in enumerate(AGENTS):
            seen = self.env.observe(agent)
            is_to_act = game.turn == seat
            expected = self.umpire.legal_actions() if is_to_act else []
            assert np.flatnonzero(seen["action_mask"]).tolist() == expected
            check_observation(self.env._both_seats, seen["observation"], game, seat)
            if is_to_act:
                assert self.env.agent_selection == agent
            if agent in self.env.agents:
                scores = game.scores if seat == 0 else game.scores[::-1]
                assert tuple(self.env.infos[agent]["scores"]) == scores


class LongerTwoAgentsMachine(TwoAgentsMachine):
    pass


TwoAgentsMachine.TestCase.settings = machine_settings(max_examples=35, steps=25)
LongerTwoAgentsMachine.TestCase.settings = machine_settings(max_examples=600, steps=50)


class TestTwoAgents(TwoAgentsMachine.TestCase):  # type: ignore[misc]
    pass


@pytest.mark.slow
class TestTwoAgentsLonger(LongerTwoAgentsMachine.TestCase):  # type: ignore[misc]
    pass
