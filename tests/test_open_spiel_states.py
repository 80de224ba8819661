"""Games to OpenSpiel and back, what is refused, and the two that differ where they should."""

from __future__ import annotations

import random
from typing import Any

import pytest

from cribbage_env import Game, format_card, parse_cards
from cribbage_env.game import Beginning
from cribbage_env.open_spiel import (
    PASS,
    action_from_spiel,
    action_to_spiel,
    card_from_spiel,
    card_to_spiel,
    from_state,
    player_of,
    to_state,
)
from tests.games import play_at_random

pyspiel = pytest.importorskip("pyspiel")

FLUSH = "deal {}: OpenSpiel pays a flush of four in the crib"
# Pone throws two clubs and the dealer two more; the starter is a heart.
FLUSH_DECK = "2C 4C 6C 8C 3D 3S 5D 5H 9D 9S TD JS KH"


def spiel() -> Any:
    return pyspiel.load_game("cribbage(players=2)")


def scores_of(game: Game) -> list[int]:
    return [game.scores[player_of(game, player)] for player in (0, 1)]


def tried(convert: Any, given: Any) -> tuple[Any, str]:
    """Return what a conversion gives, or why it is refused."""
    try:
        return convert(given), ""
    except ValueError as error:
        return None, str(error)


def random_state(seed: int, number: int) -> Any:
    """Return the state after a number of random decisions of OpenSpiel, at a decision or an end."""
    rng = random.Random(seed)
    state = spiel().new_initial_state()
    while not state.is_terminal():
        if not state.is_chance_node():
            number -= 1
        if number < 0:
            break
        state.apply_action(rng.choice(state.legal_actions()))
    return state


def test_cards_and_actions_by_name() -> None:
    state = spiel().new_initial_state()
    for card in parse_cards("AC 5H TD KS"):
        assert card_from_spiel(card_to_spiel(card)) == card
        name = state.action_to_string(pyspiel.PlayerId.CHANCE, card_to_spiel(card))
        assert parse_cards(name.removeprefix("Deal ")) == [card]


@pytest.mark.parametrize("dealer", [0, 1])
def test_every_position_of_a_game_and_back(dealer: int) -> None:
    """Of a game without a flush in the crib; each position becomes a state and a game again."""
    refused = 0
    for game in play_at_random(Game(seed=3, dealer=dealer), seed=1):
        if game.deals > 5:
            break
        state, reason = tried(to_state, game)
        if state is None:
            assert "discards before pone" in reason
            assert (game.phase, game.dealer, game.events[-1].kind) == ("discard", dealer, "discard")
            refused += 1
            continue
        assert state.returns() == scores_of(game)
        back = from_state(state, seed=3)
        assert back.scores == tuple(scores_of(game))
        assert player_of(game, game.turn or 0) == back.turn
        assert to_state(back).to_string() == state.to_string()
        is_first_discard = game.phase == "discard" and game.events[-1].kind == "deal"
        if is_first_discard and game.dealer == dealer:
            assert state.current_player() == 0
        else:
            assert state.current_player() == back.turn
            assert sorted(action_to_spiel(game, action) for action in game.legal_actions()) == (
                state.legal_actions()
            )
            assert game.legal_actions() == sorted(
                action_from_spiel(game, number) for number in state.legal_actions()
            )
        for seat in (0, 1):
            assert back.hand(player_of(game, seat)) == game.hand(seat)
    assert refused == 3


def test_whole_records_and_back() -> None:
    kept = 0
    for seed in range(30):
        *_, game = play_at_random(Game(seed=seed), seed)
        state, reason = tried(to_state, game)
        if state is None:
            assert "R16" in reason or "R19" in reason
            continue
        kept += 1
        assert state.is_terminal()
        back = from_state(state)
        assert back.winner == player_of(game, game.winner or 0)
        assert back.scores == tuple(scores_of(game))
        assert len(back.actions) == len(game.actions)
        assert Game.from_record(back.to_record()) == back
        spiel_scores = [value - 1000 * (-1) ** (value < 0) for value in state.returns()]
        for own, theirs in zip(scores_of(game), spiel_scores, strict=True):
            assert own <= theirs
    assert kept > 20


def test_states_of_openspiel_and_back() -> None:
    converted = refused = 0
    for seed in range(12):
        for number in (0, 1, 2, 3, 5, 9, 14, 25, 60, 400):
            state = random_state(seed, number)
            game, reason = tried(from_state, state)
            if game is None:
                assert any(word in reason for word in ("R4", "R16", "R19", "chance")), reason
                refused += 1
                continue
            converted += 1
            assert game.is_over == state.is_terminal()
            assert player_of(game, 0) == 0
            while state.legal_actions() == [PASS]:
                state.apply_action(PASS)
            if not state.is_terminal():
                assert list(game.scores) == state.returns()
                assert game.phase == "discard" or game.turn == state.current_player()
    assert converted > 60
    assert refused > 10


def test_what_is_not_dealt_yet_comes_from_the_seed() -> None:
    state = random_state(4, 0)
    one, same, other = (from_state(state, seed=seed) for seed in (1, 1, 2))
    for game in (one, same, other):
        for _ in range(2):
            game.step(0)
    assert one.starter == same.starter != other.starter
    assert one.starter not in one.state["dealt"]
    assert one.state["dealt"].tolist() == other.state["dealt"].tolist()


def test_a_flush_in_the_crib_is_where_they_part() -> None:
    game = Game(seed=1, dealer=0, deck=FLUSH_DECK)
    game.discard("2C 6C")
    game.discard("4C 8C")
    while game.deals == 1:
        assert to_state(game)  # until the crib is counted
        game.step(game.legal_actions()[0])
    with pytest.raises(ValueError, match=FLUSH.format(1) + " 2C 4C 6C 8C"):
        to_state(game)


def test_what_openspiel_does_not_know_is_refused() -> None:
    forfeited = Game(seed=1)
    forfeited.forfeit(0)
    for game, message in (
        (Game(seed=1, target=61), "plays to 121, not to 61"),
        (Game(seed=1, scores=(3, 0)), r"begins at 0-0, not at \(3, 0\)"),
        (Game.replay(Beginning(seed=1, is_one_deal=True)), "not one deal"),
        (forfeited, "no forfeit"),
    ):
        with pytest.raises(ValueError, match=message):
            to_state(game)
    with pytest.raises(ValueError, match="kuhn_poker"):
        from_state(pyspiel.load_game("kuhn_poker").new_initial_state())
    with pytest.raises(ValueError, match="3 players"):
        from_state(pyspiel.load_game("cribbage(players=3)").new_initial_state())
    with pytest.raises(ValueError, match="chance is to act"):
        from_state(spiel().new_initial_state())
    with pytest.raises(TypeError, match=r"pyspiel\.State"):
        from_state("state")
    with pytest.raises(ValueError, match="-1"):
        from_state(random_state(4, 0), seed=-1)


def test_actions_that_are_none_here_are_refused() -> None:
    game = Game(seed=1, dealer=0)
    for number, message in ((PASS, "Pass"), (PASS + 1, "outside"), (-1, "outside"), (0, "discard")):
        with pytest.raises(ValueError, match=message):
            action_from_spiel(game, number)
    with pytest.raises(ValueError, match="15"):
        action_to_spiel(game, 15)
    held = game.hand(1)
    missing = next(card for card in range(52) if card not in held)
    pair = 52 + 52 * card_to_spiel(held[0]) + card_to_spiel(missing)
    with pytest.raises(ValueError, match="not in the hand"):
        action_from_spiel(game, pair)
    game.discard(held[:2])
    game.discard(game.hand(0)[:2])
    laid = game.hand(1)[0]
    game.play(laid)
    game.play(game.hand(0)[0])
    with pytest.raises(ValueError, match=f"{format_card(laid)} has been laid already"):
        action_from_spiel(game, card_to_spiel(laid))
    game.forfeit(0)
    with pytest.raises(ValueError, match="the game is over"):
        action_from_spiel(game, card_to_spiel(laid))


def test_a_bot_of_openspiel_plays_here() -> None:
    """What the converter is for: another library's player asked for its move in our game."""
    bot = pyspiel.make_uniform_random_bot(1, 7)
    game = Game(seed=2, dealer=0)
    asked = 0
    while game.deals < 3:
        if game.turn == 1 and game.phase == "play":
            action = action_from_spiel(game, bot.step(to_state(game)))
            asked += 1
        else:
            action = game.legal_actions()[0]
        game.step(action)
    assert asked == 8
