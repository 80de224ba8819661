"""Credit for each decision of a deal, once all its cards are known.

A play can change what is pegged and nothing else; a discard can change the own hand, the crib and
the pegging, but not the other's hand. What a decision can't change is noise to whoever learns from
it, and is left out here: cards that were dealt before are a baseline, however well hidden they
were, and a starter that could have been any other is averaged over.

Worths are plain points, for which that brings no bias, or chances of winning by the table of
`cribbage_env.bots.expert`, in units of a point's usual worth. There a discard has a small one: the
play that followed is taken to follow every starter, and chances aren't sums.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cribbage_env.engine.compile import kernel, lean_kernel
from cribbage_env.engine.deal import sort_cards
from cribbage_env.engine.expectation import write_kept
from cribbage_env.engine.layout import FROM_HEELS, FROM_PLAY, Lane, States
from cribbage_env.engine.show import JACK, gather_crib, hand_points
from cribbage_env.engine.tables import Book

__all__ = ["POINTS_A_GAME", "write_credit"]

POINTS_A_GAME: Final = 60.0
"""A game is worth so many points: far from its end one point changes the chance by about 1/60."""
NUM_DISCARDS: Final = 15
OWN_HAND, OTHER_HAND, CRIB = range(3)


@kernel
def write_credit(
    states: States,
    starts: NDArray[np.int64],
    lanes: NDArray[np.int64],
    seats: NDArray[np.int64],
    actions: NDArray[np.int64],
    references: NDArray[np.int64],
    scores: NDArray[np.int64],
    values: NDArray[np.float32],
    in_points: bool,
    gae_lambda: float,
    book: NDArray[np.void],
    advantages: NDArray[np.float32],
    returns: NDArray[np.float32],
) -> None:
    """Write advantages and returns of decisions of deals that are over, or whose games are.

    `states` are the lanes at the end of the deal and `starts` (N, 2) their scores at its beginning.
    Each of the n decisions, in the order in which they were made, has its lane, seat, action, the
    scores (own, other) when it was made and the value that was expected, in the same units; for a
    discard `references` is another discard, what it would have brought is subtracted. In the play
    the advantages are generalised ones (GAE) along the decisions of a seat in the deal.
    """
    number = states.shape[0]
    later_worth = np.empty((number, 2))
    later_value, later_advantage = np.zeros((number, 2)), np.zeros((number, 2))
    shows = np.zeros((number, 2, 3), np.int64)
    is_shown = np.zeros((number, 2), np.bool_)
    crib, kept, show = np.empty(4, np.int16), np.empty(4, np.int16), np.empty(3, np.int64)
    for row in range(lanes.shape[0] - 1, -1, -1):
        i, seat = lanes[row], seats[row]
        if actions[row] < NUM_DISCARDS:
            worth = _discard_worth(
                states[i], starts[i], seat, actions[row], True, in_points, book[0], crib, kept, show
            ) - _discard_worth(
                states[i],
                starts[i],
                seat,
                references[row],
                False,
                in_points,
                book[0],
                crib,
                kept,
                show,
            )
            returns[row] = worth
            advantages[row] = worth - values[row]
            continue
        if not is_shown[i, seat]:
            is_shown[i, seat] = True
            _write_show(states[i], seat, book[0], crib, shows[i, seat])
            own = starts[i, seat] + _pegged(states[i], seat)
            other = starts[i, 1 - seat] + _pegged(states[i], 1 - seat)
            later_worth[i, seat] = _worth(
                states[i], seat, own, other, shows[i, seat], in_points, book[0]
            )
        own, other = scores[row, 0], scores[row, 1]
        worth = _worth(states[i], seat, own, other, shows[i, seat], in_points, book[0])
        error = later_worth[i, seat] - worth + later_value[i, seat] - values[row]
        advantage = error + gae_lambda * later_advantage[i, seat]
        advantages[row] = advantage
        returns[row] = advantage + values[row]
        later_worth[i, seat] = worth
        later_value[i, seat] = values[row]
        later_advantage[i, seat] = advantage


@lean_kernel
def _pegged(lane: Lane, seat: int) -> int:
    """Return the points of heels and of the play."""
    return int(lane.points[seat, FROM_PLAY]) + int(lane.points[seat, FROM_HEELS])


@lean_kernel
def _write_show(
    lane: Lane, seat: int, book: Book, crib: NDArray[np.int16], show: NDArray[np.int64]
) -> None:
    """Write what the hand of a seat, the other hand and the crib count."""
    gather_crib(lane, crib)
    show[OWN_HAND] = hand_points(lane.kept[seat], lane.starter, False, book)
    show[OTHER_HAND] = hand_points(lane.kept[1 - seat], lane.starter, False, book)
    show[CRIB] = hand_points(crib, lane.starter, True, book)


@lean_kernel
def _discard_worth(
    lane: Lane,
    start: NDArray[np.int64],
    seat: int,
    action: int,
    with_play: bool,
    in_points: bool,
    book: Book,
    crib: NDArray[np.int16],
    kept: NDArray[np.int16],
    show: NDArray[np.int64],
) -> float:
    """Return the mean worth of a discard over all starters that there might have been.

    The other's discard is the one that was made; the play, if it counts, is the one that followed.
    """
    slots = book.discard_slots[action]
    write_kept(lane.dealt[seat], slots[0], slots[1], kept)
    crib[0], crib[1] = lane.dealt[seat, slots[0]], lane.dealt[seat, slots[1]]
    crib[2], crib[3] = lane.discards[1 - seat, 0], lane.discards[1 - seat, 1]
    sort_cards(crib)
    own, other = start[seat], start[1 - seat]
    if with_play:
        own += lane.points[seat, FROM_PLAY]
        other += lane.points[1 - seat, FROM_PLAY]
    is_dealer = lane.dealer == seat
    total, number = 0.0, 0
    for starter in range(52):
        is_dealt = False
        for place in range(6):
            is_dealt |= lane.dealt[0, place] == starter or lane.dealt[1, place] == starter
        if is_dealt:
            continue
        number += 1
        heels = 2 if starter >> 2 == JACK else 0
        a, b = own + (heels if is_dealer else 0), other + (0 if is_dealer else heels)
        show[OWN_HAND] = hand_points(kept, starter, False, book)
        show[OTHER_HAND] = hand_points(lane.kept[1 - seat], starter, False, book)
        show[CRIB] = hand_points(crib, starter, True, book)
        total += _worth(lane, seat, a, b, show, in_points, book)
    return total / number


@lean_kernel
def _worth(
    lane: Lane,
    seat: int,
    own: int,
    other: int,
    show: NDArray[np.int64],
    in_points: bool,
    book: Book,
) -> float:
    """Return the worth for a seat of these scores before the show, in its true order (R12)."""
    is_dealer = lane.dealer == seat
    hand, other_hand, crib = show[OWN_HAND], show[OTHER_HAND], show[CRIB]
    if in_points:
        return float(own + hand - other - other_hand + (crib if is_dealer else -crib))
    a, b = lane.target - own, lane.target - other
    if a <= 0 or b <= 0:
        return POINTS_A_GAME if a <= 0 else 0.0
    if is_dealer:
        if b <= other_hand:
            return 0.0
        a -= hand + crib
        return POINTS_A_GAME if a <= 0 else POINTS_A_GAME * book.win[0, a, b - other_hand]
    if a <= hand:
        return POINTS_A_GAME
    b -= other_hand + crib
    return 0.0 if b <= 0 else POINTS_A_GAME * book.win[1, a - hand, b]
