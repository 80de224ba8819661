"""Beginning a game and a deal: the cut, the cards, the discards, the starter (R3–R5)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribbage_env.engine import layout
from cribbage_env.engine.card import card_rank
from cribbage_env.engine.chance import draw, shuffle, stream_of
from cribbage_env.engine.compile import inlined_kernel, kernel, lean_kernel
from cribbage_env.engine.layout import (
    DISCARD,
    FROM_HEELS,
    GAME_OVER,
    NO_CARD,
    NOBODY,
    NUM_SOURCES,
    PLAY,
    Lane,
    Log,
)
from cribbage_env.engine.pegging import record, score_points
from cribbage_env.engine.tables import Book

__all__ = ["begin_deal", "begin_game", "deal_cards", "discard", "sort_cards"]

JACK = 10


@lean_kernel
def begin_game(
    lane: Lane,
    seed: np.uint64,
    game: int,
    dealer: int,
    score_0: int,
    score_1: int,
    target: int,
    log: Log,
) -> None:
    """Set a lane to the start of a game, before its first deal; `dealer` NOBODY cuts for it."""
    lane.seed = seed
    lane.game = game
    lane.deals = 0
    lane.target = target
    lane.scores[0] = score_0
    lane.scores[1] = score_1
    lane.rear[0] = 0
    lane.rear[1] = 0
    lane.winner = NOBODY
    lane.turn = NOBODY
    if dealer == NOBODY:
        dealer = _cut_for_deal(lane, log)
    lane.first_dealer = dealer
    lane.dealer = 1 - dealer  # the deal alternates before every deal, the first included


@lean_kernel
def _cut_for_deal(lane: Lane, log: Log) -> int:
    """Let both seats cut until the ranks differ (R3) and return the seat with the lower one."""
    stream = stream_of(lane.seed, lane.game, 0)
    place = 0
    while True:
        card_0 = draw(stream, place, 52)
        card_1 = draw(stream, place + 1, 51)
        if card_1 >= card_0:  # the second seat cuts from the other 51 cards
            card_1 += 1
        place += 2
        lane.plays[0], lane.plays[1] = card_0, card_1  # only for the log; the deal clears them
        record(log, layout.CUT, 0, 0, lane, lane.plays[0:1])
        record(log, layout.CUT, 1, 0, lane, lane.plays[1:2])
        if card_rank(card_0) != card_rank(card_1):
            return 0 if card_0 < card_1 else 1


@kernel
def begin_deal(lane: Lane, log: Log) -> None:
    """Give the deal to the other seat, shuffle by (seed, game, deal) and deal."""
    deck = np.empty(52, np.int16)
    for card in range(52):
        deck[card] = card
    shuffle(stream_of(lane.seed, lane.game, lane.deals + 1), deck, 13)
    deal_cards(lane, deck, log)


@inlined_kernel
def deal_cards(lane: Lane, deck: NDArray[np.int16], log: Log) -> None:
    """Deal the first 13 cards of `deck` for the next deal: one at a time, pone first (R4)."""
    lane.deals += 1
    lane.dealer = 1 - lane.dealer
    pone = 1 - lane.dealer
    for place in range(6):
        lane.dealt[pone, place] = deck[2 * place]
        lane.dealt[lane.dealer, place] = deck[2 * place + 1]
    lane.starter = deck[12]
    for seat in range(2):
        sort_cards(lane.dealt[seat])
        lane.discards[seat, 0] = NO_CARD
        lane.discards[seat, 1] = NO_CARD
        for slot in range(4):
            lane.kept[seat, slot] = NO_CARD
            lane.held[seat, slot] = 0
        for source in range(NUM_SOURCES):
            lane.points[seat, source] = 0
    for place in range(8):
        lane.plays[place] = NO_CARD
        lane.play_seats[place] = NOBODY
        lane.go_after[place] = NOBODY
    lane.plays_made = 0
    lane.pile_start = 0
    lane.count = 0
    lane.go_seat = NOBODY
    lane.phase = DISCARD
    lane.turn = pone
    record(log, layout.DEAL, lane.dealer, 0, lane, lane.plays[:0])


@inlined_kernel
def discard(lane: Lane, action: int, book: Book, log: Log) -> None:
    """Throw the pair of cards that the action names; after the second pair turn the starter."""
    seat = lane.turn
    first, second = book.discard_slots[action, 0], book.discard_slots[action, 1]
    lane.discards[seat, 0] = lane.dealt[seat, first]
    lane.discards[seat, 1] = lane.dealt[seat, second]
    for slot in range(4):
        lane.kept[seat, slot] = lane.dealt[seat, book.kept_slots[action, slot]]
        lane.held[seat, slot] = 1
    record(log, layout.DISCARDED, seat, 0, lane, lane.discards[seat])
    if seat != lane.dealer:
        lane.turn = lane.dealer
    else:
        _turn_starter(lane, log)


@inlined_kernel
def _turn_starter(lane: Lane, log: Log) -> None:
    """Turn the starter: a jack pegs the dealer two for heels (R5), then pone leads (R6)."""
    lane.phase = PLAY
    heels = 2 if card_rank(lane.starter) == JACK else 0
    score_points(lane, lane.dealer, heels, FROM_HEELS, log, layout.STARTER, lane.plays[:0])
    if lane.phase != GAME_OVER:
        lane.turn = 1 - lane.dealer


@inlined_kernel
def sort_cards(cards: NDArray[np.int16]) -> None:
    """Sort a few cards by id, in place (at most six; without a jump that depends on the cards)."""
    for end in range(cards.shape[0] - 1, 0, -1):
        for place in range(end):
            first, second = cards[place], cards[place + 1]
            cards[place] = min(first, second)
            cards[place + 1] = max(first, second)
