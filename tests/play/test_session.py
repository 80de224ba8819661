"""The game between a person and a player: choosing, answering, undoing, going on."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from cribbage_env.cards import parse_card
from cribbage_env.game import Beginning, Game
from cribbage_env.play.session import OPPONENT, PERSON, OpponentError, Session, ask, may_take_back
from cribbage_env.play.words import prompt
from cribbage_env.policy import make_policy
from cribbage_env.rendering.scene import see
from tests.games import DISCARDS, POSITION, play_at_random

# The person, seat 0, is pone and holds 4H 5H 6S TD after the discards; seat 1 holds 5D 6D 7C 9S.


def session(plays: str = "", **given: Any) -> Session:
    return Session(Game.from_position(**{**POSITION, "discards": DISCARDS, "plays": plays}), "club")


def lay(session: Session, card: str) -> None:
    assert session.toggle(session.cards.index(parse_card(card))) is None
    assert session.confirm()


# Choosing


def test_two_cards_are_thrown_and_no_third_can_be_chosen() -> None:
    session = Session(Game.from_position(**POSITION), "club")
    assert prompt(session) == "Choose two cards for the opponent's crib"
    assert session.toggle(4) is None
    assert prompt(session) == "Choose one more card for the opponent's crib"
    assert session.choice is None
    assert not session.confirm()
    assert session.toggle(5) is None
    assert prompt(session) == "Enter throws J♣ Q♣"
    assert session.toggle(0) == "two cards are chosen: put one back first"
    assert session.toggle(4) is None  # back
    assert session.toggle(4) is None
    assert session.confirm()
    assert session.game.events[-1].cards == (parse_card("JC"), parse_card("QC"))
    assert session.selected == ()


def test_only_a_card_that_fits_can_be_laid_and_the_hint_names_the_rule() -> None:
    table = session("4H 6D 5H 7C")
    assert table.game.count == 22
    assert table.toggle(3) == "R6: TD would bring the count from 22 to 32, above 31"
    assert table.toggle(0) == "R6: 4H has been laid already"
    assert table.toggle(4) == "there is no card 5"
    assert table.toggle(-1) == "there is no card 0"
    assert table.selected == ()
    # One card fits: it need not be chosen.
    assert prompt(table) == "Enter lays 6♠, the only card that fits"
    assert table.confirm()
    assert [event.kind for event in table.game.events[-3:]] == ["play", "go", "last"]


def test_choosing_another_card_to_lay_puts_the_first_back() -> None:
    table = session()
    assert prompt(table) == "Choose a card to lay"
    assert not table.confirm()
    table.toggle(0)
    table.toggle(1)
    assert table.selected == (1,)
    assert prompt(table) == "Enter lays 5♥"
    table.clear()
    assert table.choice is None


def test_nothing_can_be_chosen_out_of_turn() -> None:
    table = session("4H")
    assert table.toggle(1) == "it is not your turn"
    assert table.choice is None
    assert not table.confirm()
    assert prompt(table) == "The opponent is to act"


# The opponent


@pytest.mark.parametrize("opponent", ["random", "greedy", "club"])
def test_the_opponent_plays_as_in_the_environments(opponent: str) -> None:
    """The same seed and the same actions of the learner: the same game."""
    import gymnasium

    env = gymnasium.make("Cribbage-v0", opponent=opponent)
    _, info = env.reset(seed=5)
    table = Session(Game(seed=5), opponent)
    rng = random.Random(1)
    while not table.game.is_over:
        if table.is_opponents_turn:
            table.answer(ask(table.policy, table.game))
            continue
        assert (table.game.action_mask() == info["action_mask"]).all()
        action = rng.choice(table.game.legal_actions())
        _, _, _, _, info = env.step(action)
        table.game.step(action)
    assert env.unwrapped.game.events == table.game.events
    env.close()


def test_the_opponent_sees_its_own_view_alone() -> None:
    policy = make_policy("random")
    for game in play_at_random(Game(seed=2, target=31), 3):
        if game.turn == OPPONENT:
            asked = {ask(policy, game.redeal_hidden(OPPONENT, seed)) for seed in range(3)}
            assert asked == {ask(policy, game)}


class Stub:
    """A player that answers what it is told to."""

    observation = "cards"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def __repr__(self) -> str:
        return "Stub"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (KeyError("lost"), "Stub failed: KeyError: 'lost'"),
        (np.array([15.0]), "Stub returned array.*not one integer"),
        (np.array([1, 2]), "not one integer"),
        (None, "not one integer"),
    ],
)
def test_an_opponent_that_fails_is_named(answer: Any, message: str) -> None:
    with pytest.raises(OpponentError, match=message):
        ask(Stub(answer), session("4H").game)


def test_an_illegal_answer_is_refused_and_changes_nothing() -> None:
    table = session("4H")
    before = table.game.copy()
    with pytest.raises(OpponentError, match="club acted illegally: action 3: R4"):
        table.answer(3)
    assert table.game == before
    with pytest.raises(OpponentError, match="club is not to act"):
        session().answer(15)


@pytest.mark.parametrize(
    ("game", "opponent", "message"),
    [
        (Game(seed=1, target=122), "club", r"target 122 is outside 1\.\.121"),
        (Game(seed=1), "clubb", "unknown player 'clubb'"),
        (Game.replay(Beginning(seed=1, is_one_deal=True)), "club", "only whole games"),
    ],
)
def test_a_session_refuses_what_it_cannot_play(game: Game, opponent: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Session(game, opponent)


def test_a_session_refuses_what_is_no_game_and_names_that_a_record_would_change() -> None:
    with pytest.raises(TypeError, match="about a Game, not 'greedy'"):
        Session("greedy", "club")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="blanks that a record wouldn't keep"):
        Session(Game(seed=1), "expert:lookahead=0,  habits=true")


# Undoing


def test_chosen_cards_go_back_first() -> None:
    table = session()
    table.toggle(0)
    assert table.undo() is None
    assert table.selected == ()
    assert table.undo() == (
        "nothing can be taken back: a hidden card, or a go, has been seen since"
    )


def test_a_discard_is_taken_back_before_the_starter_is_seen() -> None:
    table = Session(Game.from_position(**POSITION), "club")
    before = table.game.copy()
    table.toggle(0)
    table.toggle(1)
    table.confirm()
    assert table.can_undo
    assert table.undo() is None
    assert table.game == before
    table.toggle(0)
    table.toggle(1)
    table.confirm()
    table.answer(0)
    assert not table.can_undo  # the starter has been turned


def test_the_dealers_discard_turns_the_starter_and_stands() -> None:
    table = Session(Game(seed=7, dealer=PERSON), "club")
    table.answer(ask(table.policy, table.game))
    table.toggle(0)
    table.toggle(1)
    table.confirm()
    assert table.undo() is not None


def test_a_card_is_taken_back_where_any_hand_could_answer() -> None:
    table = session()
    lay(table, "TD")
    assert table.can_undo
    table.answer(ask(table.policy, table.game))
    assert not table.can_undo


@pytest.mark.parametrize(("low", "kind"), [("9S", "last"), ("AS", "play")])
def test_a_card_stands_where_the_opponent_might_have_had_to_say_go(low: str, kind: str) -> None:
    """At 28 the opponent says go, or shows by not doing so that it holds a low card."""
    hands = (POSITION["hands"][0], f"5D 6D 7C {low} KD KH")
    game = Game.from_position(
        dealer=1, hands=hands, starter="JH", discards=DISCARDS, plays="4H 6D 5H 7C"
    )
    table = Session(game, "club")
    lay(table, "6S")
    assert table.game.events[-1].kind == kind
    assert table.game.turn == OPPONENT
    assert not table.can_undo


def test_cards_laid_after_the_opponents_go_are_taken_back_one_by_one() -> None:
    hands = ("AH 2H 3S 9D JC QC", "TD TS QD KC KD KH")
    game = Game.from_position(
        dealer=1, hands=hands, starter="JH", discards=DISCARDS, plays="9D TD 3S"
    )
    assert (game.events[-1].kind, game.turn, game.count) == ("go", PERSON, 22)
    table = Session(game.copy(), "club")
    assert not table.can_undo  # the go has been heard
    lay(table, "2H")
    lay(table, "AH")
    assert (table.game.events[-1].kind, table.game.turn) == ("last", OPPONENT)
    assert table.undo() is None
    assert table.game.hand(PERSON) == [parse_card("AH")]
    assert table.undo() is None
    assert table.game == game
    assert table.undo() is not None


def test_the_end_of_the_game_is_final() -> None:
    game = Game.from_position(**POSITION, discards=DISCARDS, plays="4H 6D", scores=(116, 3))
    table = Session(game, "club")
    lay(table, "5H")  # a run of three, and fifteen
    assert table.game.winner == PERSON
    assert not table.can_undo


@pytest.mark.parametrize("seed", range(6))
def test_what_can_be_taken_back_has_shown_nothing_hidden(seed: int) -> None:
    """Deal the hidden cards anew, act the same: the person sees the same."""
    number = {True: 0, False: 0}
    before = Game(seed=seed)
    for after in play_at_random(Game(seed=seed), seed):
        if after.actions and before.turn == PERSON:
            can_undo = may_take_back(before, after, PERSON)
            number[can_undo] += 1
            if can_undo:
                action = after.actions[-1]
                for other in range(8):
                    twin = before.redeal_hidden(PERSON, other)
                    twin.step(action)
                    assert see(twin, PERSON) == see(after, PERSON)
        before = after.copy()
    assert min(number.values()) > 5


def test_only_a_seats_own_single_action_is_taken_back() -> None:
    game = Game(seed=7, dealer=OPPONENT)
    twin = game.copy()
    assert not may_take_back(game, twin, PERSON)
    twin.step(0)
    assert may_take_back(game, twin, PERSON)
    assert not may_take_back(game, twin, OPPONENT)
