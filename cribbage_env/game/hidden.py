"""Dealing anew what a seat can't know: for search, and to test every claim that nothing leaks."""

from __future__ import annotations

from dataclasses import replace
from itertools import count

import numpy as np

from cribbage_env.cards import NUM_CARDS, rank_of, value_of
from cribbage_env.engine.layout import VIEW
from cribbage_env.engine.play import FULL_COUNT
from cribbage_env.engine.reply import count_pool
from cribbage_env.engine.view import write_view
from cribbage_env.game.beginning import make_deck
from cribbage_env.game.events import Event
from cribbage_env.game.game import Game, shuffled

__all__ = ["redeal_hidden"]


def redeal_hidden(game: Game, seat: int, seed: int) -> Game:
    """Return a copy whose hidden cards are drawn anew, each consistent deal equally likely.

    Where the opponent said go, or a count ended while it held cards, those cards stay ones that
    would not have fitted; where it is to lay, one of them fits. Once the crib has been shown
    nothing of the deal is hidden.
    """
    if game.is_forfeit:  # what the seats knew was settled before
        twin = redeal_hidden(Game.replay(game.beginning, game.actions[:-1]), seat, seed)
        twin.forfeit(-1 - game.actions[-1])
        return twin
    events = game.events
    start = max(place for place, event in enumerate(events) if event.kind == "deal")
    deal = events[start:]
    if any(event.kind == "crib" for event in deal):
        return game.copy()
    other = 1 - seat
    own = [int(card) for card in game.state["dealt"][0, seat]]
    laid = [event.cards[0] for event in deal if event.kind == "play" and event.player == other]
    turned = [] if game.starter is None else [game.starter]
    held, rest = _draw(game, deal, seat, seed, {*own, *laid, *turned}, 4 - len(laid))
    thrown, starter = rest[:2], (turned or rest[2:])[0]

    dealt = laid + held + thrown
    pone, dealer = (own, dealt) if game.dealer == other else (dealt, own)
    deck = tuple(make_deck(pone, dealer, starter))
    beginning = replace(
        game.beginning,
        decks=(
            *(given for given in game.beginning.decks if given[0] != game.deals),
            (game.deals, deck),
        ),
        reseeds=(
            *(given for given in game.beginning.reseeds if given[0] <= game.deals),
            (game.deals + 1, seed),
        ),
    )
    deeds = [event for event in deal if event.kind in ("discard", "play")]
    twin = Game.replay(beginning, game.actions[: len(game.actions) - len(deeds)])
    for event in deeds:  # by cards: which slot a card has follows from the cards dealt with it
        if event.kind == "discard":
            twin.discard(event.cards if event.player == seat else thrown)
        else:
            twin.play(event.cards[0])
    return twin


def _draw(
    game: Game, deal: tuple[Event, ...], seat: int, seed: int, known: set[int], number: int
) -> tuple[list[int], list[int]]:
    """Draw the cards that the opponent holds; return them and all other unseen cards, shuffled."""
    view = np.zeros(1, VIEW)
    write_view(game.state[0], seat, view[0])
    if game.is_over and deal[-2].kind == "last":
        view["pile_start"] = view["plays_made"]  # the count has ended, though nobody leads anew
    pool = np.zeros(13, np.int64)
    count_pool(view[0], pool)
    must_fit = game.phase == "play" and game.turn != seat  # else it would have said go (R7)
    unseen = [card for card in range(NUM_CARDS) if card not in known]
    for attempt in count():
        drawn = shuffled(unseen, seed, game.number, game.deals, attempt)
        held = [card for card in drawn if pool[rank_of(card)] > 0][:number]
        if not must_fit or any(game.count + value_of(card) <= FULL_COUNT for card in held):
            break
    return held, [card for card in drawn if card not in held]
