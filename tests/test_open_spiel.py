"""The play of 500 deals and the end of 150 games beside OpenSpiel's cribbage, point by point.

The two agree on who is to lay, on what fits, on every point of the play, on heels and on hands.
OpenSpiel (2.0.2) breaks the rules in three ways, each shown here:

- It pays a flush of four in the crib (R16).
- Once all eight cards are laid it doesn't stop at 121: it counts both hands and the crib (R19).
- So it never matters who counts first. Where both get to 121, seat 0 wins, as if hands were counted
  in the order of seats; by R12 pone wins if its hand gets there.

That its dealer may discard first changes nothing.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from cribbage_env.cards import format_card
from cribbage_env.game import Game
from cribbage_env.scoring import score_hand

pyspiel = pytest.importorskip("pyspiel")

DEALER, PONE = 0, 1
DEALS, GAMES = 500, 150
TARGET = 121


def to_spiel(card: int) -> int:
    """Return OpenSpiel's number of a card: it goes through the ranks of one suit first."""
    return card % 4 * 13 + card // 4


def from_spiel(number: int) -> int:
    return number % 13 * 4 + number // 13


def scores_of(state: Any) -> tuple[int, ...]:
    line = next(line for line in str(state).splitlines() if line.startswith("Scores:"))
    return tuple(map(int, line.split()[1:]))


def pass_on(state: Any) -> None:
    """Say go for whoever has nothing to lay: OpenSpiel asks, here it is forced."""
    while not state.is_chance_node() and not state.is_terminal():
        legal = state.legal_actions()
        if len(legal) > 1 or state.action_to_string(state.current_player(), legal[0]) != "Pass":
            return
        state.apply_action(legal[0])


def choose(state: Any, cards: list[int]) -> None:
    """Throw or lay cards by what OpenSpiel calls it."""
    player = state.current_player()
    numbers = {
        frozenset(state.action_to_string(player, action).split()[1:]): action
        for action in state.legal_actions()
    }
    names = frozenset(map(format_card, cards))
    state.apply_action(numbers[names])


def legal_cards(state: Any) -> set[str]:
    player = state.current_player()
    return {state.action_to_string(player, action).split()[1] for action in state.legal_actions()}


def test_the_play_of_500_deals_is_the_same() -> None:
    rng = random.Random(0)
    spiel = pyspiel.load_game("cribbage(players=2)")
    flushes = 0
    for _ in range(DEALS):
        *dealt, starter = rng.sample(range(52), 13)
        hands = (sorted(dealt[:6]), sorted(dealt[6:]))
        thrown = (rng.sample(hands[0], 2), rng.sample(hands[1], 2))
        state = spiel.new_initial_state()
        for card in dealt:
            state.apply_action(to_spiel(card))
        for cards in thrown:
            choose(state, cards)
        state.apply_action(to_spiel(starter))
        game = Game.from_position(
            dealer=DEALER, hands=hands, discards=thrown, starter=starter, target=1000
        )
        play_both(game, state, rng)
        shown = {event.kind: event for event in game.events if event.kind in ("hand", "crib")}
        crib = score_hand(shown["crib"].cards, starter)  # with the flush of four
        excess = crib.total - shown["crib"].points
        flushes += excess > 0
        assert scores_of(state) == (game.scores[DEALER] + excess, game.scores[PONE])
    assert flushes > 0


def play_both(game: Game, state: Any, rng: random.Random) -> None:
    """Lay the same random cards in both until the show."""
    while game.deals == 1:
        pass_on(state)
        assert state.current_player() == game.turn
        assert game.turn is not None
        kept = game.kept(game.turn)
        fitting = [kept[action - 15] for action in game.legal_actions()]
        assert legal_cards(state) == set(map(format_card, fitting))
        assert scores_of(state) == game.scores
        card = rng.choice(fitting)
        game.play(card)
        choose(state, [card])
    pass_on(state)


def play_last_deal(seed: int) -> tuple[Any, Game]:
    """Play a whole game of OpenSpiel at random, and its last deal once more here.

    Returns the final state and the game, which has the same cards laid.
    """
    rng = random.Random(seed)
    state = pyspiel.load_game("cribbage(players=2)").new_initial_state()
    deals = 0
    cards: list[int] = []
    choices: list[list[str]] = []
    scores: tuple[int, ...] = (0, 0)
    while not state.is_terminal():
        action = rng.choice(state.legal_actions())
        words = state.action_to_string(state.current_player(), action).split()
        if not state.is_chance_node():
            choices += [words[1:]] if words != ["Pass"] else []
        elif deals == 0 or len(cards) == 13:
            deals, cards, choices, scores = deals + 1, [from_spiel(action)], [], scores_of(state)
        else:
            cards.append(from_spiel(action))
        state.apply_action(action)
    game = Game.from_position(
        dealer=1 - deals % 2,
        hands=(cards[:6], cards[6:12]),
        discards=choices[:2],
        starter=cards[12],
        scores=scores,
    )
    for card in choices[2:]:
        game.play(card)
    return state, game


def test_games_end_alike_but_for_the_show() -> None:
    kinds = set()
    counted_on = other_winner = 0
    for seed in range(GAMES):
        state, game = play_last_deal(seed)
        assert game.winner is not None
        win = game.events[-2]
        kinds.add(win.kind)
        spiel, ours = scores_of(state), game.scores
        winner = 0 if state.returns()[0] > 0 else 1
        laid = sum(event.kind == "play" for event in game.events)
        if win.kind in ("starter", "play", "last") and laid < 8:  # both stop at once
            assert tuple(min(score, TARGET) for score in spiel) == ours
            assert winner == game.winner
            continue
        assert all(score >= own for score, own in zip(spiel, ours, strict=True))
        loser = 1 - game.winner
        counted_on += spiel[loser] > ours[loser]
        if winner != game.winner:
            other_winner += 1
            assert (winner, game.winner, game.dealer, win.kind) == (0, 1, 0, "hand")
            assert min(spiel) >= TARGET > ours[0]
    assert kinds == {"starter", "play", "last", "hand", "crib"}
    assert counted_on > other_winner > 0
