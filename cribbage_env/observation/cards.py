"""The ``"cards"`` observation: a view written as numbers, and read back from them."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cribbage_env.engine.card import card_rank, card_suit, card_value
from cribbage_env.engine.compile import inlined_kernel, lean_kernel
from cribbage_env.engine.deal import sort_cards
from cribbage_env.engine.layout import NO_CARD, View
from cribbage_env.engine.play import FULL_COUNT
from cribbage_env.observation.layout import (
    CARD_SIZE,
    GO_COUNT,
    IN_PILE,
    LAYOUT,
    MOST_CARDS,
    OPPONENT_GO,
    OPPONENT_PLAY,
    OWN_GO,
    OWN_PLAY,
    PLAY_CARD,
    PLAY_ROW,
    SIZE_CARDS,
    TARGET_SCALE,
)

__all__ = ["read_view", "write_cards"]

HAND: Final = LAYOUT["hand"].offset
HELD: Final = LAYOUT["held"].offset
DISCARDS: Final = LAYOUT["discards"].offset
STARTER: Final = LAYOUT["starter"].offset
IS_DEALER: Final = LAYOUT["is_dealer"].offset
IS_ON_TURN: Final = LAYOUT["is_on_turn"].offset
PHASE: Final = LAYOUT["phase"].offset
TARGET: Final = LAYOUT["target"].offset
DISTANCE: Final = LAYOUT["distance"].offset
COUNT: Final = LAYOUT["count"].offset
PLAYS: Final = LAYOUT["plays"].offset
CARDS_LEFT: Final = LAYOUT["cards_left"].offset

RANKS: Final = 13


@inlined_kernel
def write_cards(view: View, out: NDArray[np.float32]) -> None:
    """Write a view into the first SIZE_CARDS numbers of `out`."""
    out[:SIZE_CARDS] = 0.0
    held = 0
    if view.kept[0] == NO_CARD:
        held = 6
        for slot in range(6):
            _write_card(view.dealt[slot], HAND + slot * CARD_SIZE, out)
    else:
        for slot in range(4):
            _write_card(view.kept[slot], HAND + slot * CARD_SIZE, out)
            out[HELD + slot] = view.held[slot]
            held += view.held[slot]
        for place in range(2):
            _write_card(view.discards[place], DISCARDS + place * CARD_SIZE, out)
    if view.starter != NO_CARD:
        _write_card(view.starter, STARTER, out)
    out[IS_DEALER] = view.is_dealer
    out[IS_ON_TURN] = view.is_on_turn
    out[PHASE + view.phase] = 1.0
    out[TARGET] = view.target / TARGET_SCALE
    for place in range(2):
        out[DISTANCE + place] = (view.target - view.scores[place]) / view.target
    out[COUNT + view.count] = 1.0
    out[CARDS_LEFT] = held / MOST_CARDS
    out[CARDS_LEFT + 1] = view.opponent_cards / MOST_CARDS
    _write_plays(view, out)


@inlined_kernel
def _write_plays(view: View, out: NDArray[np.float32]) -> None:
    """Write the cards laid in order, each with the go that was said right after it."""
    count = 0
    for place in range(view.plays_made):
        row = PLAYS + place * PLAY_ROW
        card = view.plays[place]
        _write_card(card, row + PLAY_CARD, out)
        out[row + (OWN_PLAY if view.play_is_own[place] == 1 else OPPONENT_PLAY)] = 1.0
        out[row + IN_PILE] = 1.0 if place >= view.pile_start else 0.0
        value = card_value(card)
        # A count goes back to 0 only when no card fits any more (R9), so this finds every reset.
        count = count + value if count + value <= FULL_COUNT else value
        if view.go_after[place] != 0:
            out[row + (OWN_GO if view.go_after[place] == 1 else OPPONENT_GO)] = 1.0
            out[row + GO_COUNT] = count / FULL_COUNT


@inlined_kernel
def _write_card(card: int, offset: int, out: NDArray[np.float32]) -> None:
    out[offset + card_rank(card)] = 1.0
    out[offset + RANKS + card_suit(card)] = 1.0


@lean_kernel
def read_view(observation: NDArray[np.float32], view: View) -> None:
    """Write into a view what an observation of any kind says: the inverse of `write_cards`.

    Every field comes back as it was, which shows that nothing is lost on the way.
    """
    obs = observation
    view.is_dealer = round(obs[IS_DEALER])
    view.is_on_turn = round(obs[IS_ON_TURN])
    view.phase = _hot(obs, PHASE, 4)
    view.target = round(obs[TARGET] * TARGET_SCALE)
    for place in range(2):
        view.scores[place] = view.target - round(obs[DISTANCE + place] * view.target)
        view.discards[place] = _read_card(obs, DISCARDS + place * CARD_SIZE)
    has_discarded = view.discards[0] != NO_CARD
    for slot in range(4):
        card = _read_card(obs, HAND + slot * CARD_SIZE)
        view.dealt[slot] = card
        view.kept[slot] = card if has_discarded else NO_CARD
        view.held[slot] = round(obs[HELD + slot])
    for place in range(2):
        card = _read_card(obs, HAND + (4 + place) * CARD_SIZE)
        view.dealt[4 + place] = view.discards[place] if has_discarded else card
    sort_cards(view.dealt)
    view.starter = _read_card(obs, STARTER)
    view.count = _hot(obs, COUNT, FULL_COUNT + 1)
    view.opponent_cards = round(obs[CARDS_LEFT + 1] * MOST_CARDS)
    _read_plays(obs, view)


@lean_kernel
def _read_plays(obs: NDArray[np.float32], view: View) -> None:
    view.plays_made = 0
    view.pile_start = 0
    for place in range(8):
        row = PLAYS + place * PLAY_ROW
        card = _read_card(obs, row + PLAY_CARD)
        view.plays[place] = card
        view.play_is_own[place] = round(obs[row + OWN_PLAY])
        view.go_after[place] = round(obs[row + OWN_GO]) + 2 * round(obs[row + OPPONENT_GO])
        if card != NO_CARD:
            view.plays_made = place + 1
            if obs[row + IN_PILE] < 0.5:
                view.pile_start = place + 1


@inlined_kernel
def _read_card(obs: NDArray[np.float32], offset: int) -> int:
    rank = _hot(obs, offset, RANKS)
    return NO_CARD if rank < 0 else 4 * rank + _hot(obs, offset + RANKS, 4)


@inlined_kernel
def _hot(obs: NDArray[np.float32], offset: int, length: int) -> int:
    """Return the place of the 1 in a one-hot, -1 if all are 0."""
    for place in range(length):
        if obs[offset + place] > 0.5:
            return place
    return -1
