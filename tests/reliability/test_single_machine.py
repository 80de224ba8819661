"""A machine that does anything to the single environment in any order, beside the slow referee."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import pytest
from hypothesis import strategies
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from cribbage_env import CribbageEnv
from cribbage_env.envs.single import NotBegunError
from cribbage_env.game import Game, IllegalActionError
from tests.envs.players import same
from tests.reliability.drawn import LUCK, SEEDS, machine_settings
from tests.reliability.seated import (
    Balky,
    check_info,
    check_observation,
    environment_settings,
    expected_total,
    reset_options,
    standing,
)
from tests.umpire import Umpire


class SingleMachine(RuleBasedStateMachine):
    """Plays games in one environment; each answer is checked against referee and record."""

    @initialize(given=environment_settings(), seed=SEEDS)
    def make(self, given: dict[str, Any], seed: int) -> None:
        self.given = given
        self.env = CribbageEnv(**given)
        with pytest.raises(NotBegunError):
            self.env.step(0)
        self.begin(self.env.reset(seed=seed))
        assert (self.env.game.seed, self.env.game.number) == (seed, 0)

    def begin(self, answer: Any) -> None:
        observation, self.info = answer
        start = Game.replay(self.env.game.beginning)
        self.umpire = Umpire(start)
        self.total = 0.0
        self.margin = start.scores[0] - start.scores[1]
        self.margin_at_reset = self.env.game.scores[0] - self.env.game.scores[1]
        self.look(observation)

    def look(self, observation: Any) -> None:
        """Check the game, and what the last answer said of it."""
        game = self.env.game
        self.umpire.follow(game)
        check_info(self.info, game, self.umpire)
        seat = (game.turn or 0) if self.given["opponent"] is None else 0
        assert game.turn in (None, seat)
        check_observation(self.env, observation, game, seat)
        if self.given["opponent"] is None and game.turn is not None:
            assert self.info["seat"] == game.turn

    def step(self, action: int) -> None:
        observation, reward, terminated, truncated, self.info = self.env.step(action)
        assert not truncated
        self.total += reward
        self.look(observation)
        assert terminated == (self.env.game.turn is None)
        if terminated:
            total = expected_total(self.given["reward"], self.env.game, self.margin_at_reset)
            assert self.total == total

    @rule(luck=LUCK)
    def act(self, luck: int) -> None:
        legal = self.umpire.legal_actions()
        if legal:
            self.step(legal[luck % len(legal)])
            assert "illegal_action" not in self.info

    @rule(luck=LUCK, number=strategies.integers(1, 40))
    def act_several_times(self, luck: int, number: int) -> None:
        rng = random.Random(luck)
        for _ in range(number):
            self.act(rng.randrange(60))

    @rule(luck=LUCK)
    def act_against_the_rules(self, luck: int) -> None:
        legal = self.umpire.legal_actions()
        illegal = [action for action in range(19) if action not in legal]
        if not legal:
            return
        action, before = illegal[luck % len(illegal)], standing(self.env.game)
        if self.given["illegal_action"] == "raise":
            with pytest.raises(IllegalActionError):
                self.env.step(action)
            assert standing(self.env.game) == before
            return
        self.step(action)
        assert self.info["illegal_action"] == action
        if self.given["illegal_action"] == "forfeit":
            assert self.info["forfeit"] is True
            assert self.env.game.is_forfeit

    @rule(action=strategies.sampled_from((-1, 19, 2**70, 1.0, "0", None, True)))
    def act_outside_the_space(self, action: Any) -> None:
        before = standing(self.env.game)
        with pytest.raises((TypeError, ValueError)):
            self.env.step(action)
        assert standing(self.env.game) == before

    @rule(luck=LUCK)
    def act_while_the_opponent_fails(self, luck: int) -> None:
        opponent, legal = self.given["opponent"], self.umpire.legal_actions()
        if not isinstance(opponent, Balky) or not legal:
            return
        before, opponent.fails = standing(self.env.game), True
        try:
            self.step(legal[luck % len(legal)])
        except RuntimeError:
            assert standing(self.env.game) == before
        finally:
            opponent.fails = False

    @rule(way=strategies.sampled_from((copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env)))))
    def go_on_with_a_copy(self, way: Any) -> None:
        """The environment left behind is played on, and that changes nothing in the copy."""
        twin, left = way(self.env), self.env
        before = standing(left.game)
        assert standing(twin.game) == before
        legal = self.umpire.legal_actions()
        answers = []
        if legal:
            answers.append(left.step(legal[0]))
        left.reset()
        assert standing(twin.game) == before
        if legal:
            again = way(twin)
            answers.append(again.step(legal[0]))
            assert same(*answers)
        self.env = twin
        self.given = self.given | {"opponent": opponent_of(twin, self.given["opponent"])}

    @rule(data=strategies.data(), seed=strategies.none() | SEEDS)
    def reset(self, data: Any, seed: int | None) -> None:
        before = self.env.game
        options = data.draw(reset_options(self.given["target"]))
        self.begin(self.env.reset(seed=seed, options=options))
        game = self.env.game
        expected = (before.seed, before.number + 1) if seed is None else (seed, 0)
        assert (game.seed, game.number) == expected

    @rule(options=strategies.sampled_from(({"deal": 1}, {"scores": (0, 9999)}, {"deck": [0, 0]})))
    def reset_with_what_is_refused(self, options: Any) -> None:
        before = standing(self.env.game)
        with pytest.raises(ValueError, match=r"deal|score|twice"):
            self.env.reset(options=options)
        assert standing(self.env.game) == before


def opponent_of(env: CribbageEnv, given: Any) -> Any:
    """Return the opponent of an environment's copy, whose own copy it is."""
    return env.settings.opponents[0] if isinstance(given, Balky) else given


class LongerSingleMachine(SingleMachine):
    pass


SingleMachine.TestCase.settings = machine_settings(max_examples=50, steps=30)
LongerSingleMachine.TestCase.settings = machine_settings(max_examples=1500, steps=60)


class TestSingleEnvironments(SingleMachine.TestCase):  # type: ignore[misc]
    pass


@pytest.mark.slow
class TestSingleEnvironmentsLonger(LongerSingleMachine.TestCase):  # type: ignore[misc]
    pass
