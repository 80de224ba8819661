"""What a viewer may see of a game: the only way from a `Game` to any picture of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from cribbage_env.actions import DISCARDS, NUM_DISCARDS
from cribbage_env.game import Event, Game
from cribbage_env.game.beginning import check_seat

__all__ = ["FACE_DOWN", "Scene", "see"]

FACE_DOWN = None
"""Stands for a card whose face the viewer may not see."""

Cards = tuple[int | None, ...]


@dataclass(frozen=True)
class Scene:
    """A game as one viewer sees it; pairs are (seat 0, seat 1), cards are ids or `FACE_DOWN`.

    Attributes:
        viewer: the seat that looks on, or None for a spectator who sees all.
        hands: the cards still held.
        laid: the cards laid in this deal, in order.
        choices: the legal actions of the seat to act if the viewer sees its hand, each with the
            cards that it throws or lays.
        crib: the cards thrown so far; those that the viewer knows come first.
        events: all that has happened; the cards of hidden discards are left out.
        names: the players' names, or None where the viewer is to be "you" and seats have numbers.
    """

    viewer: int | None
    target: int
    scores: tuple[int, int]
    pegs: tuple[tuple[int, int], tuple[int, int]]
    deals: int
    dealer: int
    phase: str
    turn: int | None
    winner: int | None
    skunk: int
    is_forfeit: bool
    starter: int | None
    count: int
    pile: tuple[int, ...]
    hands: tuple[Cards, Cards]
    laid: tuple[tuple[int, ...], tuple[int, ...]]
    choices: tuple[tuple[int, tuple[int, ...]], ...]
    crib: Cards
    events: tuple[Event, ...]
    names: tuple[str, str] | None = None


def see(game: Game, viewer: int | None = None) -> Scene:
    """Return what a seat, or with None a spectator, may see of a game.

    Raises:
        ValueError: no such seat.
        TypeError: not an integer.

    >>> game = Game(dealer=0, deck="AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC")
    >>> see(game, viewer=1).hands
    ((None, None, None, None, None, None), (0, 8, 16, 24, 32, 40))
    """
    viewer = None if viewer is None else check_seat(viewer, "viewer")
    events = game.events
    deal = events[max(place for place, event in enumerate(events) if event.kind == "deal") :]
    hands, laid = [], []
    for seat in (0, 1):
        hand = game.hand(seat)
        hands.append(tuple(hand) if viewer in (None, seat) else (FACE_DOWN,) * len(hand))
        plays = (event for event in deal if event.kind == "play" and event.player == seat)
        laid.append(tuple(event.cards[0] for event in plays))
    return Scene(
        viewer=viewer,
        target=game.target,
        scores=game.scores,
        pegs=game.pegs,
        deals=game.deals,
        dealer=game.dealer,
        phase=game.phase,
        turn=game.turn,
        winner=game.winner,
        skunk=game.skunk,
        is_forfeit=game.is_forfeit,
        starter=game.starter,
        count=game.count,
        pile=tuple(game.pile),
        hands=(hands[0], hands[1]),
        laid=(laid[0], laid[1]),
        choices=_choices(game) if viewer in (None, game.turn) else (),
        crib=_crib(deal, viewer),
        events=tuple(_redacted(event, viewer) for event in events),
    )


def _choices(game: Game) -> tuple[tuple[int, tuple[int, ...]], ...]:
    if game.turn is None:
        return ()
    dealt, kept = game.hand(game.turn), game.kept(game.turn)
    return tuple(
        (action, tuple(dealt[slot] for slot in DISCARDS[action]))
        if action < NUM_DISCARDS
        else (action, (kept[action - NUM_DISCARDS],))
        for action in game.legal_actions()
    )


def _crib(deal: tuple[Event, ...], viewer: int | None) -> Cards:
    """Return the crib of a deal; sorted where all is seen, as a gap would say something."""
    thrown = [event for event in deal if event.kind == "discard"]
    if any(event.kind == "crib" for event in deal):
        viewer = None
    known = [card for event in thrown if viewer in (None, event.player) for card in event.cards]
    return (*sorted(known), *[FACE_DOWN] * (2 * len(thrown) - len(known)))


def _redacted(event: Event, viewer: int | None) -> Event:
    if event.kind == "discard" and viewer not in (None, event.player):
        return replace(event, cards=())
    return event
