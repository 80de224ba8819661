"""The ``"lookahead"`` observation: what the expert works out, as numbers for a learner.

For a discard these are the pegging of the kept four and the chance of winning in the true order of
counting; for a play the expert's own look-ahead over the opponent's likely hands. A learner can so
begin where the expert ends. Everything comes from the seat's view.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots.expert.chances import (
    MEAN_CRIB,
    NO_HAND,
    STAGE_SHAPE,
    chance_before_show,
    chance_now,
    chance_with_hands,
    chance_with_pegs,
)
from cribbage_env.bots.expert.crib import MOST_POINTS
from cribbage_env.bots.expert.discard import hand_chances
from cribbage_env.bots.expert.following import (
    follow,
    share_out,
    twin_before,
    write_laid,
    write_playable,
)
from cribbage_env.bots.expert.layout import BY_HABIT, BY_QUICK_RULE
from cribbage_env.bots.expert.ranks import GONE
from cribbage_env.bots.expert.winning import MOST_NEED
from cribbage_env.bots.expert.worlds import MOST_WORLDS, index_with, write_worlds
from cribbage_env.engine import expectation
from cribbage_env.engine.card import card_rank
from cribbage_env.engine.compile import inlined_kernel, kernel, lean_kernel
from cribbage_env.engine.expectation import (
    crib_value,
    new_unseen,
    take_out,
    write_discard_values,
    write_kept,
)
from cribbage_env.engine.flow import FIRST_PLAY
from cribbage_env.engine.layout import DISCARD, PLAY, View
from cribbage_env.engine.reply import count_pool
from cribbage_env.engine.show import hand_index, hand_points
from cribbage_env.engine.tables import Book
from cribbage_env.observation.features import clip
from cribbage_env.observation.layout import (
    FORECAST_SCALE,
    FORECASTS,
    GAIN_FACTOR,
    LAYOUT,
    LIKELY_SCALE,
    NET_SCALE,
    NET_SHIFT,
    PROSPECT_POINTS,
    REGRET_SCALE,
    TOTAL_SCALE,
    TOTAL_SHIFT,
    WIN_REGRET_FACTOR,
)

__all__ = ["NUM_WORLDS", "write_lookahead"]

LIKELY: Final = LAYOUT["likely_ranks"].offset
PROSPECTS: Final = LAYOUT["prospects"].offset
ROWS: Final = LAYOUT["forecasts"].offset
END: Final = LAYOUT["forecasts"].stop
WIDTH: Final = len(FORECASTS)
NAMES: Final = tuple(FORECASTS)
OWN_PEGS: Final = NAMES.index("own_pegs")
OPPONENT_PEGS: Final = NAMES.index("opponent_pegs")
NET: Final = NAMES.index("net")
NET_REGRET: Final = NAMES.index("net_regret")
WIN: Final = NAMES.index("win")
WIN_REGRET: Final = NAMES.index("win_regret")

NUM_DISCARDS: Final = 15
NUM_SLOTS: Final = 4
MOST_CARDS: Final = 8
"""A play is followed to the end of the deal."""
CANDIDATE_MARGIN: Final = 1.2
"""Points behind the best up to which a discard's chance of winning is worked out with care."""
NEAR: Final = 45
"""Holes that either player needs at most for that care."""
NUM_WORLDS: Final = 48
"""Hands of the opponent in which the observation follows a play."""
MEAN_PEGS: Final = (2, 4)
"""Points that pone and dealer peg on average, in whole holes."""


@kernel
def write_lookahead(
    view: View, num_worlds: int, by_habit: bool, book: Book, out: NDArray[np.float32]
) -> None:
    """Write the segments of the kind ``"lookahead"`` behind those of the features.

    A play is followed in `num_worlds` hands of the opponent, by habit or by the quick rule; for the
    observation in NUM_WORLDS hands by the quick rule.
    """
    out[LIKELY:END] = 0.0
    own, other = view.target - view.scores[0], view.target - view.scores[1]
    knows_chances = 0 < own <= MOST_NEED and 0 < other <= MOST_NEED
    if view.phase == DISCARD:
        if knows_chances:
            _write_prospects(view, own, other, NO_HAND, MEAN_CRIB, book, out)
        if view.is_on_turn == 1:
            _write_discards(view, own, other, knows_chances, book, out)
    elif view.phase == PLAY and view.starter >= 0:
        hand = hand_points(view.kept, view.starter, False, book)
        crib = crib_value(view.discards[0], view.discards[1], view.is_dealer == 1, book)
        if knows_chances:
            _write_prospects(view, own, other, hand, crib, book, out)
        _write_plays(view, own, other, hand, crib, knows_chances, num_worlds, by_habit, book, out)


@lean_kernel
def _write_prospects(
    view: View, own: int, other: int, hand: int, crib: float, book: Book, out: NDArray[np.float32]
) -> None:
    """Write the chance of winning as it stands, and what points would change."""
    role = view.is_dealer
    now = chance_now(role, own, other, hand, crib, book)
    out[PROSPECTS] = clip(now)  # a mix of chances may be -1e-8
    place = PROSPECTS + 1
    for points in PROSPECT_POINTS:
        gained = chance_now(role, own - points, other, hand, crib, book) - now
        lost = now - chance_now(role, own, other - points, hand, crib, book)
        out[place] = clip(gained * GAIN_FACTOR)
        out[place + 1] = clip(lost * GAIN_FACTOR)
        place += 2


@kernel
def _write_discards(
    view: View, own: int, other: int, knows_chances: bool, book: Book, out: NDArray[np.float32]
) -> None:
    role = view.is_dealer
    values = np.empty((NUM_DISCARDS, expectation.NUM_VALUES))
    write_discard_values(view.dealt, role == 1, book, values)
    kept = np.empty(4, np.int16)
    nets, wins = np.empty(NUM_DISCARDS), np.full(NUM_DISCARDS, 0.5)
    for action in range(NUM_DISCARDS):
        write_kept(view.dealt, *_slots(action, book), kept)
        index = hand_index(kept, book)
        row = out[ROWS + action * WIDTH : ROWS + (action + 1) * WIDTH]
        row[OWN_PEGS] = clip(book.peg[role, index, 0] / FORECAST_SCALE)
        row[OPPONENT_PEGS] = clip(book.peg[role, index, 1] / FORECAST_SCALE)
        nets[action] = values[action, expectation.TOTAL]
        nets[action] += book.peg[role, index, 0] - book.peg[role, index, 1]
    best_net = nets.max()
    if knows_chances:
        _write_wins(view, own, other, values, nets, book, wins)
    best_win = wins.max()
    for action in range(NUM_DISCARDS):
        row = out[ROWS + action * WIDTH : ROWS + (action + 1) * WIDTH]
        row[NET] = clip((nets[action] + TOTAL_SHIFT) / TOTAL_SCALE)
        row[NET_REGRET] = clip((best_net - nets[action]) / REGRET_SCALE)
        row[WIN] = clip(wins[action])
        row[WIN_REGRET] = clip((best_win - wins[action]) * WIN_REGRET_FACTOR)


@inlined_kernel
def _slots(action: int, book: Book) -> tuple[int, int]:
    return book.discard_slots[action, 0], book.discard_slots[action, 1]


@kernel
def _write_wins(
    view: View,
    own: int,
    other: int,
    values: NDArray[np.float64],
    nets: NDArray[np.float64],
    book: Book,
    wins: NDArray[np.float64],
) -> None:
    """Write the chance of winning after each discard, against an average hand.

    For all of them with average pegging; near the end those that are nearly the best in points get
    the whole distribution of it, and the others move with the best.
    """
    role = view.is_dealer
    unseen = new_unseen()
    for place in range(6):
        take_out(unseen, view.dealt[place])
    kept, hand = np.empty(4, np.int16), np.empty(MOST_POINTS)
    a, b = max(1, own - MEAN_PEGS[role]), max(1, other - MEAN_PEGS[1 - role])
    best = int(nets.argmax())
    is_near = own <= NEAR or other <= NEAR
    stage = np.empty(STAGE_SHAPE)
    moved = 0.0
    for turn in range(NUM_DISCARDS + 1):
        # The best first: it tells the others by how much they move.
        action = best if turn == 0 else turn - 1
        if turn > 0 and action == best:
            continue
        write_kept(view.dealt, *_slots(action, book), kept)
        hand_chances(kept, unseen, book, hand)
        crib = values[action, expectation.CRIB]
        roughly = 0.0
        for points in range(MOST_POINTS):
            if hand[points] > 0.0:
                roughly += hand[points] * chance_before_show(role, a, b, points, crib, book)
        wins[action] = roughly + moved
        if is_near and nets[action] >= nets[best] - CANDIDATE_MARGIN:
            index = hand_index(kept, book)
            wins[action] = chance_with_pegs(role, own, other, index, hand, crib, book, stage)
            if turn == 0:
                moved = wins[action] - roughly


@kernel
def _write_plays(
    view: View,
    own: int,
    other: int,
    hand: int,
    crib: float,
    knows_chances: bool,
    num_worlds: int,
    by_habit: bool,
    book: Book,
    out: NDArray[np.float32],
) -> None:
    pool = np.empty(13, np.int64)
    count_pool(view, pool)
    worlds, weights = np.empty((MOST_WORLDS, 4), np.int64), np.empty(MOST_WORLDS)
    reading = BY_HABIT if by_habit else BY_QUICK_RULE
    number = write_worlds(view, pool, reading, book, worlds, weights)
    if not _write_likely(worlds, weights, number, out):
        return
    ranks, is_playable = np.empty(NUM_SLOTS, np.int64), np.empty(NUM_SLOTS, np.bool_)
    num_playable = write_playable(view, ranks, is_playable)
    if view.is_on_turn == 0 or num_playable == 0:
        return
    share_out(weights, number, num_worlds, 0.5)
    sums = np.zeros((NUM_SLOTS, 3))
    _follow_worlds(
        view,
        own,
        other,
        hand,
        crib,
        knows_chances,
        ranks,
        is_playable,
        worlds,
        weights,
        number,
        by_habit,
        book,
        sums,
    )
    best_net, best_win = -100.0, 0.0
    for slot in range(NUM_SLOTS):
        if is_playable[slot]:
            best_net = max(best_net, sums[slot, 0] - sums[slot, 1])
            best_win = max(best_win, sums[slot, 2])
    for slot in range(NUM_SLOTS):
        if is_playable[slot]:
            place = ROWS + (FIRST_PLAY + slot) * WIDTH
            row = out[place : place + WIDTH]
            net = sums[slot, 0] - sums[slot, 1]
            row[OWN_PEGS] = clip(sums[slot, 0] / FORECAST_SCALE)
            row[OPPONENT_PEGS] = clip(sums[slot, 1] / FORECAST_SCALE)
            row[NET] = clip((net + NET_SHIFT) / NET_SCALE)
            row[NET_REGRET] = clip((best_net - net) / REGRET_SCALE)
            row[WIN] = clip(sums[slot, 2])
            row[WIN_REGRET] = clip((best_win - sums[slot, 2]) * WIN_REGRET_FACTOR)


@kernel
def _write_likely(
    worlds: NDArray[np.int64],
    weights: NDArray[np.float64],
    number: int,
    out: NDArray[np.float32],
) -> bool:
    """Write the likely ranks; return whether there is any world that is likely at all."""
    total, likely = 0.0, np.zeros(13)
    for world in range(number):
        total += weights[world]
        for place in range(4):
            if worlds[world, place] != GONE:
                likely[worlds[world, place]] += weights[world]
    if total <= 0.0:
        return False
    for rank in range(13):
        out[LIKELY + rank] = clip(likely[rank] / total / LIKELY_SCALE)
    return True


@kernel
def _follow_worlds(
    view: View,
    own: int,
    other: int,
    hand: int,
    crib: float,
    knows_chances: bool,
    ranks: NDArray[np.int64],
    is_playable: NDArray[np.bool_],
    worlds: NDArray[np.int64],
    shares: NDArray[np.float64],
    number: int,
    by_habit: bool,
    book: Book,
    sums: NDArray[np.float64],
) -> None:
    """Add up own pegs, opponent's pegs and chance of winning (4, 3) over the worlds by share."""
    laid = np.empty(4, np.int64)
    num_laid = write_laid(view, laid)
    hands, points = np.empty((2, 4), np.int64), np.empty(2, np.int64)
    needs, pile = np.empty(2, np.int64), np.empty(14, np.int64)
    needs[0], needs[1] = own, other
    for world in range(number):
        share = shares[world]
        if share == 0.0:
            continue
        index = index_with(worlds[world], view.opponent_cards, laid, num_laid, book)
        count = book.show[index, card_rank(view.starter)]
        for slot in range(NUM_SLOTS):
            if not is_playable[slot] or twin_before(ranks, is_playable, slot) >= 0:
                continue
            follow(
                view,
                slot,
                ranks,
                worlds[world],
                MOST_CARDS,
                by_habit,
                needs,
                book,
                hands,
                pile,
                points,
            )
            sums[slot, 0] += share * points[0]
            sums[slot, 1] += share * points[1]
            chance = 0.5
            if knows_chances:
                a, b = own - points[0], other - points[1]
                chance = chance_with_hands(view.is_dealer, a, b, hand, count, crib, book)
            sums[slot, 2] += share * chance
    for slot in range(NUM_SLOTS):
        twin = twin_before(ranks, is_playable, slot) if is_playable[slot] else -1
        if twin >= 0:
            for column in range(3):
                sums[slot, column] = sums[twin, column]
