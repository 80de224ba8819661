"""Games for tests: a deal known card by card, random play, and what every game must fulfil."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from cribbage_env.cards import parse_cards, rank_of, value_of
from cribbage_env.game import Game
from cribbage_env.scoring import score_hand, score_play

# The first deal of the referee's golden game: seat 0 is pone.
HANDS = ("4H 5H 6S TD JC QC", "5D 6D 7C 9S KD KH")
POSITION: dict[str, Any] = {"dealer": 1, "hands": HANDS, "starter": "JH"}
DISCARDS = ("JC QC", "KD KH")
PLAYS = "4H 6D 5H 7C 6S 9S TD 5D"


def cards(text: str) -> list[int]:
    return parse_cards(text)


def play_at_random(game: Game, seed: int) -> Iterator[Game]:
    """Yield the game at every decision, and at its end."""
    rng = random.Random(seed)
    while game.turn is not None:
        yield game
        game.step(rng.choice(game.legal_actions()))
    yield game


def played_out(game: Game, seed: int = 0) -> Game:
    *_, end = play_at_random(game, seed)
    return end


def snapshot(game: Game) -> tuple[Any, ...]:
    """Return all that a game holds."""
    return game.state.tobytes(), game.log.tobytes(), game.events, game.actions, game.beginning


def check_events(game: Game) -> None:
    """Work out every event's points and scores from what the event itself says."""
    scores = list(game.beginning.scores)
    pile: list[int] = []
    starter = None
    for event in game.events:
        if event.kind == "deal":
            pile, starter = [], None
        if event.kind == "starter":
            (starter,) = event.cards
            assert event.points == (2 if rank_of(starter) == 10 else 0)
        elif event.kind == "play":
            if sum(map(value_of, pile)) == 31:
                pile = []
            pile.append(event.cards[0])
            assert event.detail == score_play(pile)
        elif event.kind in ("hand", "crib"):
            assert starter is not None
            assert event.detail == score_hand(event.cards, starter, is_crib=event.kind == "crib")
            assert list(event.cards) == sorted(event.cards)
        elif event.kind == "last":
            assert event.cards == tuple(pile)
            assert event.points == 1
            pile = []
        else:
            assert event.points == 0
        if event.detail is not None:
            assert event.points == event.detail.total
        else:
            assert event.kind not in ("play", "hand", "crib")
        scores[event.player] = min(scores[event.player] + event.points, game.target)
        assert event.scores == tuple(scores), event
    assert game.scores == tuple(scores)
    assert game.events[-1].kind == "win"
    assert game.events[-1].player == game.winner
    assert game.scores[game.winner] == game.target
