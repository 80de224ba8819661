"""What a `Game` refuses, in which words, and that a refusal changes nothing."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from cribbage_env.game import Game, IllegalActionError
from tests.games import DISCARDS, POSITION, cards, play_at_random, played_out, snapshot


def refused(game: Game, action: Any, error: type[Exception], match: str) -> None:
    """Check that an action is refused in these words and that nothing changes."""
    before = snapshot(game)
    with pytest.raises(error, match=re.escape(match)) as caught:
        game.step(action)
    assert type(caught.value) is error
    assert snapshot(game) == before


@pytest.mark.parametrize("action", [True, np.True_, 1.0, "15", None, [15], np.float32(3)])
def test_an_action_must_be_an_integer(action: Any) -> None:
    refused(Game(seed=0), action, TypeError, "an action must be an integer 0..18")


@pytest.mark.parametrize("action", [-1, 19, 10**30])
def test_an_action_outside_the_space_is_refused(action: int) -> None:
    refused(Game(seed=0), action, ValueError, f"action {action} is outside 0..18")


@pytest.mark.parametrize("action", [0, np.int64(0), np.uint8(0), np.array(0)])
def test_numpy_integers_are_actions(action: Any) -> None:
    game = Game(seed=0)
    game.step(action)
    assert game.actions == (0,)


@pytest.mark.parametrize("thrown", ["JC QC", "qc jc", ["JC", 44], (40, 44), "J\u2663 Q\u2663"])
@pytest.mark.parametrize("laid", ["TD", "10d", "T\u2666", 37, ["TD"], np.int16(37)])
def test_cards_may_be_text_or_ids(thrown: Any, laid: Any) -> None:
    game = Game.from_position(**POSITION)
    game.discard(thrown)
    game.discard("KD KH")
    game.play(laid)
    assert game.crib == cards("JC QC KD KH")
    assert game.pile == cards("TD")


def test_an_illegal_action_names_its_rule() -> None:
    game = Game.from_position(**POSITION)
    refused(game, 15, IllegalActionError, "action 15: R4: the discards come before the play")
    game = Game.from_position(**POSITION, discards=DISCARDS)
    refused(game, 3, IllegalActionError, "action 3: R4: both have discarded, the play is on")
    game.play("4H")
    game.play("9S")
    refused(game, 15, IllegalActionError, "action 15: R6: 4H has been laid already")


def at_thirty() -> Game:
    """Return a game whose count is 30, seat 0 to act with an ace and a king."""
    return Game.from_position(
        dealer=1,
        hands=("KC KS 6S AH 2H 2D", "QC QD JC 4H 3C 3D"),
        discards=("2H 2D", "3C 3D"),
        starter="4D",
        plays="KC 4H 6S QC",
    )


def test_a_card_that_does_not_fit_is_refused_with_the_count() -> None:
    game = at_thirty()
    assert (game.count, game.turn, game.legal_actions()) == (30, 0, [15])
    words = "R6: KS would bring the count from 30 to 40, above 31"
    refused(game, 18, IllegalActionError, f"action 18: {words}")
    refused(game, 17, IllegalActionError, "action 17: R6: KC has been laid already")
    before = snapshot(game)
    for card, reason in [
        ("KS", words),
        ("KC", "R6: KC has been laid already"),
        ("QD", "play QD: R6: QD is not among the cards of seat 0: AH 6S KC KS"),
        ("2H", "play 2H: R6: 2H is not among the cards of seat 0: AH 6S KC KS"),
    ]:
        with pytest.raises(IllegalActionError, match=reason):
            game.play(card)
    assert snapshot(game) == before
    game.play("AH")
    assert (game.count, game.turn) == (0, 1)


def test_discards_in_words_are_refused_by_rule() -> None:
    game = Game.from_position(**POSITION)
    before = snapshot(game)
    for wrong, error, match in [
        ("5D 4H", IllegalActionError, "R4: 5D is not among the cards of seat 0: 4H 5H 6S TD JC QC"),
        ("4H", ValueError, "the discard must be 2 cards, not 1: 4H"),
        ("4H 5H 6S", ValueError, "the discard must be 2 cards, not 3"),
        ("4H 4H", ValueError, "4H appears twice"),
        ("4H XX", ValueError, "'XX' is not a card"),
        (None, TypeError, "None"),
        (4.5, TypeError, "4.5"),
    ]:
        with pytest.raises(error, match=re.escape(match)):
            game.discard(wrong)  # type: ignore[arg-type]
    with pytest.raises(IllegalActionError, match="play 4H: R4: the discards come before the play"):
        game.play("4H")
    assert snapshot(game) == before


def test_a_game_that_is_over_takes_nothing_more() -> None:
    game = played_out(Game(seed=4))
    first, second = game.scores
    said = f"R19: the game is over, seat {game.winner} has won {first}-{second}"
    for action in range(19):
        refused(game, action, IllegalActionError, said)
    for refusal in (lambda: game.play("4H"), lambda: game.discard("4H 5H")):
        with pytest.raises(IllegalActionError, match=said):
            refusal()
    with pytest.raises(IllegalActionError, match=said):
        game.forfeit(0)


def test_every_illegal_action_is_refused_and_every_legal_one_taken() -> None:
    for game in play_at_random(Game(seed=11), 11):
        legal = game.legal_actions()
        assert legal == np.flatnonzero(game.action_mask()).tolist()
        before = snapshot(game)
        for action in range(19):
            if action not in legal:
                with pytest.raises(IllegalActionError, match=rf"action {action}: R\d+: "):
                    game.step(action)
        assert snapshot(game) == before
        for action in legal:
            twin = game.copy()
            twin.step(action)
            assert twin.actions == (*game.actions, action)
