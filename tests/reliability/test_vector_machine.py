"""A machine that does anything to the vector environment, beside single environments.

Lane i is beside a single environment of its own, whose game the referee follows.
"""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import strategies
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from cribbage_env import CribbageEnv, CribbageVectorEnv
from cribbage_env.envs.single import NotBegunError
from cribbage_env.game import IllegalActionError
from tests.envs.players import of_lane, same
from tests.reliability.drawn import LUCK, SEEDS, machine_settings
from tests.reliability.seated import environment_settings, reset_options
from tests.umpire import Umpire


def standing(envs: CribbageVectorEnv) -> tuple[bytes, ...]:
    """Return how all games stand."""
    arrays = (envs.lanes.states, envs.lanes.seats, envs._seeds, envs._games, envs._margins)
    return tuple(array.tobytes() for array in arrays)


class VectorMachine(RuleBasedStateMachine):
    """Plays games in some lanes, and the same ones in as many single environments."""

    @initialize(
        given=environment_settings(),
        number=strategies.integers(1, 4),
        mode=strategies.sampled_from(list(AutoresetMode)),
        seed=SEEDS,
        render_mode=strategies.sampled_from((None, None, "ansi")),
    )
    def make(
        self, given: dict[str, Any], number: int, mode: AutoresetMode, seed: int, render_mode: Any
    ) -> None:
        self.given, self.mode, self.number = given, mode, number
        self.envs = CribbageVectorEnv(number, autoreset_mode=mode, render_mode=render_mode, **given)
        with pytest.raises(NotBegunError):
            self.envs.step(np.zeros(number, np.int64))
        self.singles = [CribbageEnv(**given) for _ in range(number)]
        self.umpires: list[Umpire] = [None] * number  # type: ignore[list-item]
        answer = self.envs.reset(seed=seed)
        answers = [env.reset(seed=(seed + lane) % 2**64) for lane, env in enumerate(self.singles)]
        self.compare_resets(answer, answers, range(number))

    def compare_resets(self, answer: Any, answers: Any, lanes: Any) -> None:
        nothing = np.zeros(self.number), np.zeros(self.number, np.bool_)
        for lane, (observation, info) in zip(lanes, answers, strict=True):
            expected = observation, 0.0, False, info
            assert same(of_lane((answer[0], *nothing, answer[1]), lane), expected)
            self.umpires[lane] = Umpire(self.singles[lane].game)

    @property
    def over(self) -> list[bool]:
        return [env.game.turn is None for env in self.singles]

    def chosen(self, luck: int) -> list[int]:
        """Return an action for each lane, now and then an illegal one where it isn't refused."""
        rng = random.Random(luck)
        is_careless = self.given["illegal_action"] != "raise" and luck % 4 == 0
        return [
            rng.choice(range(19) if is_careless else umpire.legal_actions() or [0])
            for umpire in self.umpires
        ]

    @rule(luck=LUCK, number=strategies.integers(1, 40))
    def act(self, luck: int, number: int) -> None:
        for step in range(number):
            if self.mode == AutoresetMode.DISABLED and any(self.over):
                return
            self.step(self.chosen(luck + 4 * step))

    def step(self, actions: list[int]) -> None:
        was_over = self.over
        *answer, truncated, infos = self.envs.step(np.array(actions))
        assert not truncated.any()
        told = (*answer, infos)
        for lane, env in enumerate(self.singles):
            if was_over[lane]:
                observation, info = env.reset()
                assert same(of_lane(told, lane), (observation, 0.0, False, info))
                self.umpires[lane] = Umpire(env.game)
                continue
            observation, reward, is_over, _, info = env.step(actions[lane])
            self.umpires[lane].follow(env.game)
            expected = observation, reward, is_over, info
            if is_over and self.mode == AutoresetMode.SAME_STEP:
                last = infos["final_obs"], answer[1], answer[2], infos["final_info"]
                assert same(of_lane(last, lane), expected)
                first = env.reset()
                observations = answer[0], np.zeros(self.number), np.zeros(self.number, np.bool_)
                assert same(of_lane((*observations, infos), lane), (first[0], 0.0, False, first[1]))
                self.umpires[lane] = Umpire(env.game)
            else:
                assert same(of_lane(told, lane), expected)

    @rule()
    def step_past_the_end(self) -> None:
        if self.mode == AutoresetMode.DISABLED and any(self.over):
            before = standing(self.envs)
            with pytest.raises(NotBegunError):
                self.envs.step(np.zeros(self.number, np.int64))
            assert standing(self.envs) == before

    @rule(data=strategies.data(), seed=strategies.none() | SEEDS, luck=LUCK)
    def reset(self, data: Any, seed: int | None, luck: int) -> None:
        rng = random.Random(luck)
        mask = [is_over or rng.random() < 0.5 for is_over in self.over]
        if all(mask) or luck % 3 == 0:
            mask = [True] * self.number
        options = data.draw(reset_options(self.given["target"]))
        answer = self.envs.reset(
            seed=seed, options={**(options or {}), "reset_mask": np.array(mask)}
        )
        lanes = [lane for lane, is_reset in enumerate(mask) if is_reset]
        answers = [
            self.singles[lane].reset(
                seed=None if seed is None else (seed + lane) % 2**64, options=options
            )
            for lane in lanes
        ]
        self.compare_resets(answer, answers, lanes)

    @rule(actions=strategies.sampled_from(([], [0] * 9, [19], [-1], [0.5], ["0"])))
    def act_outside_the_space(self, actions: Any) -> None:
        before = standing(self.envs)
        bad = actions * self.number if len(actions) == 1 else actions
        with pytest.raises((TypeError, ValueError)):
            self.envs.step(np.array(bad))
        assert standing(self.envs) == before

    @rule(luck=LUCK)
    def act_against_the_rules(self, luck: int) -> None:
        """One illegal action is refused and no lane moves."""
        if self.given["illegal_action"] != "raise" or any(self.over):
            return
        actions = self.chosen(luck | 1)
        lane = luck % self.number
        legal = self.umpires[lane].legal_actions()
        actions[lane] = next(action for action in range(19) if action not in legal)
        before = standing(self.envs)
        with pytest.raises(IllegalActionError, match=f"lane {lane}"):
            self.envs.step(np.array(actions))
        assert standing(self.envs) == before

    @rule(
        way=strategies.sampled_from((copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))))
    )
    def go_on_with_a_copy(self, way: Any) -> None:
        """The environment left behind is begun anew, and that changes nothing in the copy."""
        twin, left = way(self.envs), self.envs
        before = standing(left)
        left.reset(seed=0)
        assert standing(twin) == before
        self.envs = twin

    @invariant()
    def lanes_hold_the_games(self) -> None:
        if not hasattr(self, "envs"):
            return
        for lane, env in enumerate(self.singles):
            assert self.envs.lanes.states[lane].tobytes() == env.game.state[0].tobytes()
        masks = self.envs.action_masks()
        for lane, umpire in enumerate(self.umpires):
            assert np.flatnonzero(masks[lane]).tolist() == umpire.legal_actions()


class LongerVectorMachine(VectorMachine):
    pass


VectorMachine.TestCase.settings = machine_settings(max_examples=35, steps=25)
LongerVectorMachine.TestCase.settings = machine_settings(max_examples=1050, steps=50)


class TestVectorEnvironments(VectorMachine.TestCase):  # type: ignore[misc]
    pass


@pytest.mark.slow
class TestVectorEnvironmentsLonger(LongerVectorMachine.TestCase):  # type: ignore[misc]
    pass
