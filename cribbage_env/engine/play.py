"""The play: laying a card, go, last card and the resets of the count (R6–R11)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribbage_env.engine import layout
from cribbage_env.engine.card import card_rank, card_value
from cribbage_env.engine.compile import inlined_kernel
from cribbage_env.engine.layout import FROM_PLAY, GAME_OVER, NOBODY, Lane, Log
from cribbage_env.engine.pegging import record, score_points
from cribbage_env.engine.show import show
from cribbage_env.engine.tables import Book

__all__ = ["can_lay", "lay", "play_points"]

FULL_COUNT = 31


@inlined_kernel
def can_lay(held: NDArray[np.int16], kept: NDArray[np.int16], count: int) -> bool:
    """Tell whether any card still held fits under 31."""
    fitting = 0  # counted to the end: a jump that can't be foreseen costs more than four cards
    for slot in range(4):
        fits = count + card_value(kept[slot]) <= FULL_COUNT
        fitting += held[slot] if fits else 0
    return fitting > 0


@inlined_kernel
def play_points(plays: NDArray[np.int16], start: int, end: int, count: int) -> int:
    """Return what the last of the cards ``plays[start:end]`` scores at this count (R8)."""
    points = 2 if count == 15 or count == FULL_COUNT else 0
    last = card_rank(plays[end - 1])
    same = 1
    while end - same > start and card_rank(plays[end - same - 1]) == last:
        same += 1
    if same > 1:  # a pair on top rules out a run
        return points + same * (same - 1)
    lowest, highest, seen, run = last, last, 1 << last, 1
    for length in range(2, end - start + 1):
        rank = card_rank(plays[end - length])
        if seen & (1 << rank):
            break
        seen |= 1 << rank
        lowest = min(lowest, rank)
        highest = max(highest, rank)
        if highest - lowest == length - 1:
            run = length
    return points + run if run >= 3 else points


@inlined_kernel
def lay(lane: Lane, slot: int, book: Book, log: Log) -> None:
    """Lay the card in a slot of the kept four, score it, and find who is to act next."""
    seat = lane.turn
    card = lane.kept[seat, slot]
    lane.held[seat, slot] = 0
    lane.plays[lane.plays_made] = card
    lane.play_seats[lane.plays_made] = seat
    lane.plays_made += 1
    lane.count += card_value(card)
    points = play_points(lane.plays, lane.pile_start, lane.plays_made, lane.count)
    pile = lane.plays[lane.pile_start : lane.plays_made]
    score_points(lane, seat, points, FROM_PLAY, log, layout.PLAYED, pile)
    if lane.phase != GAME_OVER:
        _pass_turn(lane, seat, book, log)


@inlined_kernel
def _pass_turn(lane: Lane, seat: int, book: Book, log: Log) -> None:
    """After `seat` laid a card: the other seat, or go and the same seat, or the count's end."""
    other = 1 - seat
    if lane.count == FULL_COUNT:
        _end_count(lane, seat, book, log)
    elif can_lay(lane.held[other], lane.kept[other], lane.count):
        lane.turn = other
    else:
        if lane.go_seat == NOBODY and _holds_cards(lane, other):
            lane.go_seat = other
            lane.go_after[lane.plays_made - 1] = other
            record(log, layout.GO, other, 0, lane, lane.plays[:0])
        if can_lay(lane.held[seat], lane.kept[seat], lane.count):
            lane.turn = seat
        else:
            pile = lane.plays[lane.pile_start : lane.plays_made]
            score_points(lane, seat, 1, FROM_PLAY, log, layout.LAST, pile)
            if lane.phase != GAME_OVER:
                _end_count(lane, seat, book, log)


@inlined_kernel
def _end_count(lane: Lane, last_seat: int, book: Book, log: Log) -> None:
    """Put the count back to 0; the seat that did not lay last leads if it has cards (R10)."""
    lane.count = 0
    lane.pile_start = lane.plays_made
    lane.go_seat = NOBODY
    if lane.plays_made == 8:
        show(lane, book, log)
    elif _holds_cards(lane, 1 - last_seat):
        lane.turn = 1 - last_seat
    else:
        lane.turn = last_seat


@inlined_kernel
def _holds_cards(lane: Lane, seat: int) -> bool:
    held = 0
    for slot in range(4):
        held += lane.held[seat, slot]
    return held > 0
