"""`peek`: a player that cheats. It sees every card, to show what perfect information is worth.

It is no `Policy` and has no name, so that nobody can meet it by accident: its kernel takes the game
itself and not a view, and `cribbage_env.match.play_against_peek` alone asks it.

It knows both hands, the starter and the crib, so that the play can be searched to its end, both
sides doing the best they can, and the show is known as well. What comes out is judged by the chance
of winning the game. Of the other player it guesses one thing: what it will throw, where it has yet
to do so, is what `club` would throw from its six cards.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots.club import choose_club
from cribbage_env.bots.expert.winning import MOST_NEED
from cribbage_env.engine.card import card_rank
from cribbage_env.engine.compile import kernel, lean_kernel
from cribbage_env.engine.flow import FIRST_PLAY, is_legal, step
from cribbage_env.engine.layout import (
    DEAL_OVER,
    DISCARD,
    GAME_OVER,
    STATE,
    VIEW,
    Lane,
    Log,
    States,
    Views,
)
from cribbage_env.engine.tables import Book
from cribbage_env.engine.view import write_view

__all__ = ["choose_peek"]

NUM_DISCARDS = 15
LONGEST_LINE = 10
"""Room for the states from the first card to the end of the deal: at most eight are laid."""
LOW, HIGH = 0, 1
CERTAIN = 2.0
"""More than any position can be worth."""

Bounds: TypeAlias = NDArray[np.float64]
"""Array of shape (LONGEST_LINE, 2): the worths of each state that can still matter."""


@kernel
def choose_peek(
    states: States, lane: int, in_discard: bool, in_play: bool, book: NDArray[Any], log: Log
) -> int:
    """Return the action of the cheat for the seat to act in a lane; `log` is `NO_LOG`.

    Where it may not look (in the discard, in the play) it does what `club` does.
    """
    seat = states[lane].turn
    views = np.zeros(1, VIEW)
    is_discard = states[lane].phase == DISCARD
    if not (in_discard if is_discard else in_play):
        return _choose_as_club(states[lane], seat, views, book[0])
    line = np.zeros(LONGEST_LINE, STATE)
    bounds, slots = np.empty((LONGEST_LINE, 2)), np.empty(LONGEST_LINE, np.int64)
    line[0] = states[lane]
    if not is_discard:
        return FIRST_PLAY + _best_slot(line, bounds, slots, seat, book[0], log)
    theirs = -1  # what the other will throw, where it is still to come
    if seat != states[lane].dealer:
        theirs = _choose_as_club(states[lane], 1 - seat, views, book[0])
    best, best_worth = 0, -1.0
    for action in range(NUM_DISCARDS):
        line[0] = states[lane]
        step(line[0], action, book[0], log)
        if theirs >= 0:
            step(line[0], theirs, book[0], log)
        bounds[0, LOW], bounds[0, HIGH] = best_worth, CERTAIN
        worth = _search(line, bounds, slots, 0, seat, book[0], log)
        if worth > best_worth:
            best, best_worth = action, worth
    return best


@lean_kernel
def _choose_as_club(lane: Lane, seat: int, views: Views, book: Book) -> int:
    """Return what `club` would do; `views` is memory for one view, kept alive by the caller."""
    write_view(lane, seat, views[0])
    return choose_club(views[0], book)


@lean_kernel
def _best_slot(
    line: States, bounds: Bounds, slots: NDArray[np.int64], seat: int, book: Book, log: Log
) -> int:
    """Return the slot of the best card in the position that the line begins with."""
    best, best_worth = -1, -1.0
    for slot in range(4):
        if is_legal(line[0], FIRST_PLAY + slot):
            line[1] = line[0]
            step(line[1], FIRST_PLAY + slot, book, log)
            bounds[1, LOW], bounds[1, HIGH] = best_worth, CERTAIN
            worth = _search(line, bounds, slots, 1, seat, book, log)
            if worth > best_worth:
                best, best_worth = slot, worth
    return best


# A loop, since a kernel that calls itself crashes once numba has loaded it from its disk cache.
@lean_kernel
def _search(
    line: States,
    bounds: Bounds,
    slots: NDArray[np.int64],
    first: int,
    seat: int,
    book: Book,
    log: Log,
) -> float:
    """Return what the state at `first` is worth to a seat, both sides playing their best.

    The states that can follow are tried one after another behind it in the line. Worths outside the
    bounds of a state can't matter any more (alpha-beta), so a worth that isn't inside those given
    for the first is only a bound itself; `slots` are those of each state still to be tried.
    """
    depth = first
    slots[first] = 0
    while True:
        is_over = line[depth].phase == DEAL_OVER or line[depth].phase == GAME_OVER
        slot = -1
        if not is_over and bounds[depth, LOW] < bounds[depth, HIGH]:
            slot = _next_slot(line[depth], slots[depth])
        if slot >= 0:
            slots[depth] = slot + 1
            line[depth + 1] = line[depth]
            step(line[depth + 1], FIRST_PLAY + slot, book, log)
            depth += 1
            slots[depth] = 0
            for side in (LOW, HIGH):
                bounds[depth, side] = bounds[depth - 1, side]
            continue
        if is_over:
            worth = _outcome(line[depth], seat, book)
        else:
            worth = bounds[depth, LOW if line[depth].turn == seat else HIGH]
        if depth == first:
            return worth
        depth -= 1
        if line[depth].turn == seat:
            bounds[depth, LOW] = max(bounds[depth, LOW], worth)
        else:
            bounds[depth, HIGH] = min(bounds[depth, HIGH], worth)


@lean_kernel
def _next_slot(lane: Lane, begin: int) -> int:
    """Return the first slot from `begin` on whose card is worth trying, -1 if there is none."""
    for slot in range(begin, 4):
        if is_legal(lane, FIRST_PLAY + slot) and not _has_twin(lane, slot):
            return slot
    return -1


@lean_kernel
def _has_twin(lane: Lane, slot: int) -> bool:
    """Tell whether a slot before holds a card of the same rank: suits don't matter in the play."""
    kept, held = lane.kept[lane.turn], lane.held[lane.turn]
    for before in range(slot):
        if held[before] == 1 and card_rank(kept[before]) == card_rank(kept[slot]):
            return True
    return False


@lean_kernel
def _outcome(lane: Lane, seat: int, book: Book) -> float:
    """Return a seat's chance of winning after a deal; for far targets what rises with points."""
    if lane.phase == GAME_OVER:
        return 1.0 if lane.winner == seat else 0.0
    own, other = lane.target - lane.scores[seat], lane.target - lane.scores[1 - seat]
    if own > MOST_NEED or other > MOST_NEED:
        return 0.5 + (other - own) / 2000.0
    deals_next = 1 if lane.dealer != seat else 0
    return book.win[deals_next, own, other]
