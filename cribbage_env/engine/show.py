"""The show: pone's hand, dealer's hand, crib (R12–R18)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribbage_env.engine import layout
from cribbage_env.engine.card import card_rank, card_suit
from cribbage_env.engine.compile import inlined_kernel, kernel
from cribbage_env.engine.layout import (
    DEAL_OVER,
    FROM_CRIB,
    FROM_HAND,
    GAME_OVER,
    NOBODY,
    Lane,
    Log,
)
from cribbage_env.engine.pegging import score_points
from cribbage_env.engine.tables import Book

__all__ = ["gather_crib", "hand_index", "hand_points", "show", "suit_points"]

JACK = 10


@kernel
def show(lane: Lane, book: Book, log: Log) -> None:
    """Count the hands in the order of R12; unless a peg wins, the deal is over."""
    pone, dealer = 1 - lane.dealer, lane.dealer
    points = hand_points(lane.kept[pone], lane.starter, False, book)
    score_points(lane, pone, points, FROM_HAND, log, layout.HAND, lane.kept[pone])
    if lane.phase == GAME_OVER:
        return
    points = hand_points(lane.kept[dealer], lane.starter, False, book)
    score_points(lane, dealer, points, FROM_HAND, log, layout.HAND, lane.kept[dealer])
    if lane.phase == GAME_OVER:
        return
    crib = np.empty(4, np.int16)
    gather_crib(lane, crib)
    points = hand_points(crib, lane.starter, True, book)
    score_points(lane, dealer, points, FROM_CRIB, log, layout.CRIB, crib)
    if lane.phase == GAME_OVER:
        return
    lane.phase = DEAL_OVER
    lane.turn = NOBODY


@inlined_kernel
def gather_crib(lane: Lane, crib: NDArray[np.int16]) -> None:
    """Write the four cards of the crib, sorted, into `crib` (both pairs lie sorted)."""
    first, second = 0, 0
    for place in range(4):
        if second == 2 or (first < 2 and lane.discards[0, first] < lane.discards[1, second]):
            crib[place] = lane.discards[0, first]
            first += 1
        else:
            crib[place] = lane.discards[1, second]
            second += 1


@inlined_kernel
def hand_index(cards: NDArray[np.int16], book: Book) -> int:
    """Return the index 0..1819 of the ranks of four cards sorted by id."""
    return (
        book.rank_offset[0, card_rank(cards[0])]
        + book.rank_offset[1, card_rank(cards[1])]
        + book.rank_offset[2, card_rank(cards[2])]
        + book.rank_offset[3, card_rank(cards[3])]
    )


@inlined_kernel
def hand_points(cards: NDArray[np.int16], starter: int, is_crib: bool, book: Book) -> int:
    """Return what four cards sorted by id count with the starter (R13–R17)."""
    ranks = book.show[hand_index(cards, book), card_rank(starter)]
    return ranks + suit_points(cards, starter, is_crib)


@inlined_kernel
def suit_points(cards: NDArray[np.int16], starter: int, is_crib: bool) -> int:
    """Return what four cards count with the starter by their suits: flush and nobs (R16, R17)."""
    suit = card_suit(cards[0])
    points = 0
    if card_suit(cards[1]) == suit and card_suit(cards[2]) == suit and card_suit(cards[3]) == suit:
        if card_suit(starter) == suit:
            points = 5
        elif not is_crib:
            points = 4
    for place in range(4):
        if card_rank(cards[place]) == JACK and card_suit(cards[place]) == card_suit(starter):
            points += 1
    return points
