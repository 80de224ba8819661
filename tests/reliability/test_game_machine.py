"""A machine that does anything to games in any order, beside the slow referee."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import pytest
from hypothesis import strategies
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    rule,
)

from cribbage_env.game import Game, IllegalActionError
from tests.games import snapshot
from tests.reliability.drawn import (
    DECKS,
    LUCK,
    SEATS,
    SEEDS,
    TARGETS,
    machine_settings,
    scores_below,
)
from tests.umpire import Umpire


class GameMachine(RuleBasedStateMachine):
    """Plays one game, with copies that go their own ways.

    The invariants compare the game with the referee after every rule, and every copy with what it
    was when it was put away.
    """

    aside = Bundle("aside")

    @initialize(seed=SEEDS, dealer=SEATS | strategies.none(), deck=DECKS, data=strategies.data())
    def begin(self, seed: int, dealer: int | None, deck: Any, data: Any) -> None:
        target = data.draw(TARGETS)
        scores = data.draw(scores_below(target))
        self.take(Game(seed, dealer=dealer, scores=scores, target=target, deck=deck))
        self.kept_aside: list[tuple[Game, tuple[Any, ...]]] = []

    def take(self, game: Game) -> None:
        self.game = game
        self.umpire = Umpire(game)

    @rule(luck=LUCK, number=strategies.integers(1, 12))
    def act(self, luck: int, number: int) -> None:
        rng = random.Random(luck)
        for _ in range(number):
            legal = self.umpire.legal_actions()
            if legal:
                self.game.step(rng.choice(legal))
                self.umpire.follow(self.game)

    @rule(luck=LUCK)
    def act_for_a_deal(self, luck: int) -> None:
        rng = random.Random(luck)
        deals = self.game.deals
        while self.game.deals == deals and self.game.turn is not None:
            self.game.step(rng.choice(self.umpire.legal_actions()))
            self.umpire.follow(self.game)

    @rule(luck=LUCK)
    def act_in_words(self, luck: int) -> None:
        """Do it by cards rather than by numbers."""
        game = self.game
        seat = game.turn
        if seat is None:
            return
        rng = random.Random(luck)
        if game.phase == "discard":
            game.discard(rng.sample(game.hand(seat), 2))
        else:
            game.play(game.kept(seat)[rng.choice(self.umpire.legal_actions()) - 15])
        self.umpire.follow(game)

    @rule(action=strategies.integers(-3, 25))
    def act_against_the_rules(self, action: int) -> None:
        if action in self.umpire.legal_actions():
            return
        before = snapshot(self.game)
        expected = IllegalActionError if 0 <= action < 19 else ValueError
        with pytest.raises(expected):
            self.game.step(action)
        assert snapshot(self.game) == before

    @rule(luck=LUCK)
    def lay_or_throw_what_is_not_held(self, luck: int) -> None:
        rng = random.Random(luck)
        held = set() if self.game.turn is None else set(self.game.hand(self.game.turn))
        others = [card for card in range(52) if card not in held]
        before = snapshot(self.game)
        with pytest.raises(IllegalActionError):
            self.game.play(rng.choice(others))
        with pytest.raises(IllegalActionError):
            self.game.discard(rng.sample(others, 2))
        assert snapshot(self.game) == before

    @rule(target=aside, way=strategies.sampled_from(("copy", "deepcopy", "pickle", "record")))
    def put_a_copy_aside(self, way: str) -> Game:
        twin = self.twin(way)
        assert twin == self.game
        assert twin.events == self.game.events
        assert twin.state.tobytes() == self.game.state.tobytes()
        self.kept_aside.append((twin, snapshot(twin)))
        return twin

    def twin(self, way: str) -> Game:
        if way == "copy":
            return self.game.copy()
        if way == "deepcopy":
            return copy.deepcopy(self.game)
        if way == "pickle":
            twin: Game = pickle.loads(pickle.dumps(self.game))
            return twin
        return Game.from_record(self.game.to_record())

    @rule(twin=consumes(aside))
    def go_on_with_a_copy(self, twin: Game) -> None:
        """The game that was left so far is put away instead."""
        self.kept_aside = [
            (game, as_it_was) for game, as_it_was in self.kept_aside if game is not twin
        ]
        self.kept_aside.append((self.game, snapshot(self.game)))
        self.take(twin)

    @rule(seat=SEATS, seed=SEEDS)
    def deal_anew_what_is_hidden(self, seat: int, seed: int) -> None:
        """Go on with a game that looks the same to one seat."""
        before = snapshot(self.game)
        twin = self.game.redeal_hidden(seat, seed)
        assert snapshot(self.game) == before
        assert (twin.turn, twin.scores, twin.count, twin.pile) == (
            self.game.turn,
            self.game.scores,
            self.game.count,
            self.game.pile,
        )
        assert twin.hand(seat) == self.game.hand(seat)
        assert twin.kept(seat) == self.game.kept(seat)
        if self.game.turn == seat:
            assert twin.legal_actions() == self.game.legal_actions()
        self.take(twin)

    @rule(seat=SEATS, chance=strategies.integers(0, 4))
    def forfeit(self, seat: int, chance: int) -> None:
        if chance:
            return
        if self.game.is_over:
            with pytest.raises(IllegalActionError):
                self.game.forfeit(seat)
            return
        self.game.forfeit(seat)
        self.umpire.follow(self.game)

    @invariant()
    def a_record_comes_back(self) -> None:
        if hasattr(self, "game"):
            again = Game.from_record(self.game.to_record())
            assert again == self.game
            assert again.events == self.game.events
            assert again.state.tobytes() == self.game.state.tobytes()

    @invariant()
    def copies_stay_what_they_were(self) -> None:
        for game, as_it_was in getattr(self, "kept_aside", []):
            assert snapshot(game) == as_it_was


class LongerGameMachine(GameMachine):
    pass


GameMachine.TestCase.settings = machine_settings(max_examples=70, steps=30)
LongerGameMachine.TestCase.settings = machine_settings(max_examples=1500, steps=60)


class TestGames(GameMachine.TestCase):  # type: ignore[misc]
    pass


@pytest.mark.slow
class TestGamesLonger(LongerGameMachine.TestCase):  # type: ignore[misc]
    pass
