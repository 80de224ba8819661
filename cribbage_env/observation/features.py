"""The ``"features"`` observation: the cards, and what a strong player would work out from them."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cribbage_env.engine import expectation, reply
from cribbage_env.engine.card import card_rank, card_suit, card_value
from cribbage_env.engine.compile import inlined_kernel, kernel, lean_kernel
from cribbage_env.engine.expectation import crib_value, reach_chance, write_discard_values
from cribbage_env.engine.flow import FIRST_PLAY
from cribbage_env.engine.layout import DISCARD, NO_CARD, PLAY, View
from cribbage_env.engine.play import FULL_COUNT
from cribbage_env.engine.reply import REPLY_WORK, count_pool, work_out_reply
from cribbage_env.engine.show import hand_points
from cribbage_env.engine.tables import Book
from cribbage_env.observation.cards import write_cards
from cribbage_env.observation.layout import (
    ACTION_FEATURES,
    CRIB_SCALE,
    LAYOUT,
    NEAR_HOLES,
    PEG_SCALE,
    POINTS_SCALE,
    REGRET_SCALE,
    REPLY_SCALE,
    SIZE_CARDS,
    TOTAL_SCALE,
    TOTAL_SHIFT,
)

__all__ = ["clip", "write_features"]

HELD_RANKS: Final = LAYOUT["held_ranks"].offset
OPPONENT_RANKS: Final = LAYOUT["opponent_ranks"].offset
HOLES_LEFT: Final = LAYOUT["holes_left"].offset
OWN_HAND: Final = LAYOUT["own_hand"].offset
CRIB: Final = LAYOUT["crib"].offset
ACTIONS: Final = LAYOUT["actions"].offset
SIZE_FEATURES: Final = LAYOUT["actions"].stop
NUM_FEATURES: Final = len(ACTION_FEATURES)

NAMES: Final = tuple(ACTION_FEATURES)
LEGAL: Final = NAMES.index("legal")
RANK: Final = NAMES.index("rank_A")
TOTAL: Final = NAMES.index("total")
REGRET: Final = NAMES.index("regret")
REACHES_TARGET: Final = NAMES.index("reaches_target")
HAND_MEAN: Final = NAMES.index("hand_mean")
HAND_BEST: Final = NAMES.index("hand_best")
HAND_WORST: Final = NAMES.index("hand_worst")
HAND_REGRET: Final = NAMES.index("hand_regret")
OWN_CRIB: Final = NAMES.index("own_crib")
OPPONENT_CRIB: Final = NAMES.index("opponent_crib")
THROWN_SUITED: Final = NAMES.index("thrown_suited")
KEPT_LOW: Final = NAMES.index("kept_low")
POINTS: Final = NAMES.index("points")
COUNT: Final = NAMES.index("count")
MAKES_15: Final = NAMES.index("makes_15")
MAKES_31: Final = NAMES.index("makes_31")
MAKES_5_OR_21: Final = NAMES.index("makes_5_or_21")
REPLY: Final = NAMES.index("reply")
REPLY_SCORES: Final = NAMES.index("reply_scores")
REPLY_REACHES_TARGET: Final = NAMES.index("reply_reaches_target")
GO: Final = NAMES.index("go")
ANSWER: Final = NAMES.index("answer")
FITS_AFTER: Final = NAMES.index("fits_after")

NUM_DISCARDS: Final = 15
LOW_RANKS: Final = 4
MOST_HAND: Final = 29


@kernel
def write_features(view: View, book: Book, out: NDArray[np.float32]) -> None:
    """Write the cards, the numbers of the state and the numbers of each action."""
    write_cards(view, out)
    out[SIZE_CARDS:SIZE_FEATURES] = 0.0
    pool = np.empty(13, np.int64)
    pool_size = count_pool(view, pool)
    _write_state(view, pool, book, out)
    if view.is_on_turn == 1:
        if view.phase == DISCARD:
            _write_discards(view, book, out)
        elif view.phase == PLAY:
            _write_plays(view, pool, pool_size, out)


@lean_kernel
def _write_state(view: View, pool: NDArray[np.int64], book: Book, out: NDArray[np.float32]) -> None:
    for rank in range(13):
        out[OPPONENT_RANKS + rank] = pool[rank] / 4
    for player in range(2):
        needed = view.target - view.scores[player]
        for hole in range(min(needed, NEAR_HOLES)):
            out[HOLES_LEFT + player * NEAR_HOLES + hole] = 1.0
    if view.kept[0] == NO_CARD:
        for place in range(6):
            out[HELD_RANKS + card_rank(view.dealt[place])] += 0.25
        return
    for slot in range(4):
        if view.held[slot] == 1:
            out[HELD_RANKS + card_rank(view.kept[slot])] += 0.25
    if view.starter != NO_CARD:
        out[OWN_HAND] = hand_points(view.kept, view.starter, False, book) / POINTS_SCALE
    crib = crib_value(view.discards[0], view.discards[1], view.is_dealer == 1, book)
    out[CRIB] = clip(crib / CRIB_SCALE)


@kernel
def _write_discards(view: View, book: Book, out: NDArray[np.float32]) -> None:
    values = np.empty((NUM_DISCARDS, expectation.NUM_VALUES))
    write_discard_values(view.dealt, view.is_dealer == 1, book, values)
    best_total, best_mean = -100.0, 0.0
    low_cards = 0
    for action in range(NUM_DISCARDS):
        best_total = max(best_total, values[action, expectation.TOTAL])
        best_mean = max(best_mean, values[action, expectation.MEAN])
    for place in range(6):
        if card_rank(view.dealt[place]) < LOW_RANKS:
            low_cards += 1
    needed = view.target - view.scores[0]
    for action in range(NUM_DISCARDS):
        row = out[ACTIONS + action * NUM_FEATURES : ACTIONS + (action + 1) * NUM_FEATURES]
        first = view.dealt[book.discard_slots[action, 0]]
        second = view.dealt[book.discard_slots[action, 1]]
        row[LEGAL] = 1.0
        row[RANK + card_rank(first)] += 0.5
        row[RANK + card_rank(second)] += 0.5
        total, mean = values[action, expectation.TOTAL], values[action, expectation.MEAN]
        row[TOTAL] = clip((total + TOTAL_SHIFT) / TOTAL_SCALE)
        row[REGRET] = clip((best_total - total) / REGRET_SCALE)
        if needed <= MOST_HAND and values[action, expectation.BEST] >= needed:
            row[REACHES_TARGET] = reach_chance(view.dealt, action, needed, book)
        row[HAND_MEAN] = mean / POINTS_SCALE
        row[HAND_BEST] = values[action, expectation.BEST] / POINTS_SCALE
        row[HAND_WORST] = values[action, expectation.WORST] / POINTS_SCALE
        row[HAND_REGRET] = clip((best_mean - mean) / REGRET_SCALE)
        crib = clip(values[action, expectation.CRIB] / CRIB_SCALE)
        row[OWN_CRIB if view.is_dealer == 1 else OPPONENT_CRIB] = crib
        row[THROWN_SUITED] = 1.0 if card_suit(first) == card_suit(second) else 0.0
        kept_low = low_cards
        for card in (first, second):
            kept_low -= 1 if card_rank(card) < LOW_RANKS else 0
        row[KEPT_LOW] = kept_low / 4


@kernel
def _write_plays(
    view: View, pool: NDArray[np.int64], pool_size: int, out: NDArray[np.float32]
) -> None:
    values = np.empty((4, reply.NUM_REPLY_VALUES))
    work = np.empty(1, REPLY_WORK)
    best_total = -100.0
    for slot in range(4):
        if _fits(view, slot, view.count):
            work_out_reply(view, slot, pool, pool_size, work[0], values[slot])
            best_total = max(best_total, play_total(values[slot]))
    needed = view.target - view.scores[0]
    for slot in range(4):
        if not _fits(view, slot, view.count):
            continue
        action = FIRST_PLAY + slot
        row = out[ACTIONS + action * NUM_FEATURES : ACTIONS + (action + 1) * NUM_FEATURES]
        value = values[slot]
        total = play_total(value)
        count = view.count + card_value(view.kept[slot])
        row[LEGAL] = 1.0
        row[RANK + card_rank(view.kept[slot])] = 0.5
        row[TOTAL] = clip((total + TOTAL_SHIFT) / TOTAL_SCALE)
        row[REGRET] = clip((best_total - total) / REGRET_SCALE)
        row[REACHES_TARGET] = 1.0 if value[reply.POINTS] >= needed else 0.0
        row[POINTS] = value[reply.POINTS] / PEG_SCALE
        row[COUNT] = count / FULL_COUNT
        row[MAKES_15] = 1.0 if count == 15 else 0.0
        row[MAKES_31] = 1.0 if count == FULL_COUNT else 0.0
        row[MAKES_5_OR_21] = 1.0 if count == 5 or count == 21 else 0.0
        row[REPLY] = clip(value[reply.REPLY] / REPLY_SCALE)
        row[REPLY_SCORES] = clip(value[reply.REPLY_SCORES])
        row[REPLY_REACHES_TARGET] = clip(value[reply.REPLY_REACHES])
        row[GO] = clip(value[reply.GO_CHANCE])
        row[ANSWER] = clip(value[reply.ANSWER] / REPLY_SCALE)
        fits = 0
        for other in range(4):
            if other != slot and _fits(view, other, count):
                fits += 1
        row[FITS_AFTER] = fits / 3


@inlined_kernel
def play_total(values: NDArray[np.float64]) -> float:
    """Return the points of a play less those of the reply and with those of the answer."""
    total: float = values[reply.POINTS] - values[reply.REPLY] + values[reply.ANSWER]
    return total


@inlined_kernel
def _fits(view: View, slot: int, count: int) -> bool:
    """Tell whether the card in a slot is still held and fits under 31."""
    return view.held[slot] == 1 and count + card_value(view.kept[slot]) <= FULL_COUNT


@inlined_kernel
def clip(number: float) -> float:
    """Return a number as the observation holds it, in 0..1."""
    return min(max(number, 0.0), 1.0)
