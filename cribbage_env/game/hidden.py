"""Dealing anew what a seat can't know: the test of every claim that nothing hidden leaks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from cribbage_env.cards import NUM_CARDS
from cribbage_env.engine.layout import DEAL_OVER, GAME_OVER, PLAY, VIEW
from cribbage_env.engine.reply import count_pool
from cribbage_env.engine.view import write_view
from cribbage_env.game.game import Beginning, Game, shuffled

__all__ = ["redeal_hidden"]


def redeal_hidden(game: Game, seat: int, seed: int) -> Game:
    """Return a copy whose hidden cards are drawn anew, each consistent deal equally likely.

    Where the opponent said go, or a count ended while it held cards, those cards stay ones that
    would not have fitted. A game that is over has nothing left to deal and is just copied.
    """
    lane = game.state[0]
    if lane.phase in (DEAL_OVER, GAME_OVER):
        return game.copy()
    other = 1 - seat
    laid = [
        int(card)
        for card, player in zip(lane.plays, lane.play_seats, strict=True)
        if player == other
    ]
    has_thrown = lane.discards[other, 0] >= 0
    known = {*map(int, lane.dealt[seat]), *laid}
    if lane.phase == PLAY:
        known.add(int(lane.starter))
    unseen = shuffled(seed, int(lane.deals), [c for c in range(NUM_CARDS) if c not in known])
    drawn = [int(card) for card in unseen]

    view = np.zeros(1, VIEW)
    write_view(lane, seat, view[0])
    pool = np.zeros(13, np.int64)
    count_pool(view[0], pool)
    kept = [card for card in drawn if pool[card // 4] > 0][: 4 - len(laid)]
    rest = [card for card in drawn if card not in kept]
    dealt = laid + kept + rest[:2]
    starter = int(lane.starter) if lane.phase == PLAY else rest[2]

    own = [int(card) for card in lane.dealt[seat]]
    pone, dealer = (own, dealt) if lane.dealer == other else (dealt, own)
    deck = [card for pair in zip(pone, dealer, strict=True) for card in pair] + [starter]
    number = int(lane.deals)
    decks = tuple(entry for entry in game.beginning.decks if entry[0] != number)
    beginning = replace(
        game.beginning,
        decks=(*decks, (number, tuple(deck))),
        reseeds=(*(e for e in game.beginning.reseeds if e[0] <= number), (number + 1, seed)),
    )
    return _replay(game, beginning, seat, rest[:2] if has_thrown else None)


def _replay(game: Game, beginning: Beginning, seat: int, thrown: list[int] | None) -> Game:
    """Return the game up to here again, in this deal by cards: slots follow the cards dealt."""
    lane = game.state[0]
    in_deal = int((lane.discards[:, 0] >= 0).sum()) + int(lane.plays_made)
    before = game.actions[: len(game.actions) - in_deal]
    copy = Game.replay(beginning, before)
    for player in (1 - int(lane.dealer), int(lane.dealer)):
        if lane.discards[player, 0] >= 0:
            cards = [int(card) for card in lane.discards[player]]
            copy.discard(cards if player == seat or thrown is None else thrown)
    for card in lane.plays[: lane.plays_made]:
        copy.play(int(card))
    return copy
