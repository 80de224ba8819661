"""The ``"lookahead"`` observation: what the expert works out, as numbers for a learner.

For a discard these are the pegging of the kept four and the chance of winning in the true order of
counting; for a play the expert's own look-ahead over the opponent's likely hands. A learner can so
begin where the expert ends. Everything comes from the seat's view.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots.expert.discard import hand_chances
from cribbage_env.bots.expert.layout import SURPRISE
from cribbage_env.bots.expert.rollout import GONE, play_out, rank_points, rank_value
from cribbage_env.bots.expert.winning import MOST_NEED, NUM_PEGS
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
MOST_POINTS: Final = 30
CANDIDATE_MARGIN: Final = 1.2
"""Points behind the best up to which a discard's chance of winning is worked out with care."""
LEAST_CHANCE: Final = 0.01
"""The tail of a distribution of pegging whose single chances are below this is left out."""
NEAR: Final = 45
"""Holes that either player needs at most for that care."""
STAGE: Final = NUM_PEGS + MOST_POINTS
NUM_WORLDS: Final = 48
"""Hands of the opponent in which the observation follows a play."""
MEAN_PEGS: Final = (2, 4)
"""Points that pone and dealer peg on average, in whole holes."""
MEAN_CRIB: Final = 4.7
"""Points of an average crib."""


@kernel
def write_lookahead(view: View, num_worlds: int, book: Book, out: NDArray[np.float32]) -> None:
    """Write the segments of the kind ``"lookahead"`` behind those of the features.

    A play is followed in `num_worlds` hands of the opponent, NUM_WORLDS for the observation.
    """
    out[LIKELY:END] = 0.0
    own, other = view.target - view.scores[0], view.target - view.scores[1]
    knows_chances = 0 < own <= MOST_NEED and 0 < other <= MOST_NEED
    if view.phase == DISCARD:
        if knows_chances:
            _write_prospects(view, own, other, -1, MEAN_CRIB, book, out)
        if view.is_on_turn == 1:
            _write_discards(view, own, other, knows_chances, book, out)
    elif view.phase == PLAY and view.starter >= 0:
        hand = hand_points(view.kept, view.starter, False, book)
        crib = crib_value(view.discards[0], view.discards[1], view.is_dealer == 1, book)
        if knows_chances:
            _write_prospects(view, own, other, hand, crib, book, out)
        _write_plays(view, own, other, hand, crib, knows_chances, num_worlds, book, out)


@lean_kernel
def _write_prospects(
    view: View, own: int, other: int, hand: int, crib: float, book: Book, out: NDArray[np.float32]
) -> None:
    """Write the chance of winning as it stands, and what points would change; no hand is -1."""
    role = view.is_dealer
    now = _chance(role, own, other, hand, crib, book)
    out[PROSPECTS] = _clip(now)  # a mix of chances may be -1e-8
    place = PROSPECTS + 1
    for points in PROSPECT_POINTS:
        gained = _chance(role, own - points, other, hand, crib, book) - now
        lost = now - _chance(role, own, other - points, hand, crib, book)
        out[place] = _clip(gained * GAIN_FACTOR)
        out[place + 1] = _clip(lost * GAIN_FACTOR)
        place += 2


@lean_kernel
def _chance(role: int, own: int, other: int, hand: int, crib: float, book: Book) -> float:
    """Return the chance of winning before a deal, or before the show with a hand's points."""
    if own <= 0:
        return 1.0
    if other <= 0:
        return 0.0
    if hand < 0:
        return book.win[role, own, other]
    return _before_show(role, own, other, hand, crib, book)


@lean_kernel
def _before_show(role: int, own: int, other: int, hand: int, crib: float, book: Book) -> float:
    """Return the chance of winning when the show is to come, against an average hand (R12)."""
    if role == 0 and hand >= own:
        return 1.0
    total = 0.0
    for points in range(MOST_POINTS):
        likely = book.hand_chance[1 - role, points]
        if likely > 0.0 and points < other:
            if hand >= own:
                total += likely
            else:
                total += likely * _before_crib(role, own - hand, other - points, crib, book)
    return total


@inlined_kernel
def _before_crib(role: int, own: int, other: int, crib: float, book: Book) -> float:
    """Return the chance of winning when a crib that counts so much on average is to come.

    A crib above the average is taken for that many holes less to go for its owner.
    """
    more = crib - MEAN_CRIB
    whole = int(np.floor(more))
    part = more - whole
    if role == 1:
        return (1.0 - part) * _table(1, own - whole, other, book) + part * _table(
            1, own - whole - 1, other, book
        )
    return (1.0 - part) * _table(0, own, other - whole, book) + part * _table(
        0, own, other - whole - 1, book
    )


@inlined_kernel
def _table(role: int, own: int, other: int, book: Book) -> float:
    """Return an entry of the table before the crib; needs outside it become the nearest."""
    a, b = min(max(own, 1), MOST_NEED), min(max(other, 1), MOST_NEED)
    chance: float = book.win_before_crib[role, a, b]
    return chance


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
        row[OWN_PEGS] = _clip(book.peg[role, index, 0] / FORECAST_SCALE)
        row[OPPONENT_PEGS] = _clip(book.peg[role, index, 1] / FORECAST_SCALE)
        nets[action] = values[action, expectation.TOTAL]
        nets[action] += book.peg[role, index, 0] - book.peg[role, index, 1]
    best_net = nets.max()
    if knows_chances:
        _write_wins(view, own, other, values, nets, book, wins)
    best_win = wins.max()
    for action in range(NUM_DISCARDS):
        row = out[ROWS + action * WIDTH : ROWS + (action + 1) * WIDTH]
        row[NET] = _clip((nets[action] + TOTAL_SHIFT) / TOTAL_SCALE)
        row[NET_REGRET] = _clip((best_net - nets[action]) / REGRET_SCALE)
        row[WIN] = _clip(wins[action])
        row[WIN_REGRET] = _clip((best_win - wins[action]) * WIN_REGRET_FACTOR)


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
    stage = np.empty((STAGE, NUM_PEGS))
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
                roughly += hand[points] * _before_show(role, a, b, points, crib, book)
        wins[action] = roughly + moved
        if is_near and nets[action] >= nets[best] - CANDIDATE_MARGIN:
            index = hand_index(kept, book)
            wins[action] = _win_with_pegs(role, own, other, index, hand, crib, book, stage)
            if turn == 0:
                moved = wins[action] - roughly


@lean_kernel
def _win_with_pegs(
    role: int,
    own: int,
    other: int,
    index: int,
    hand: NDArray[np.float64],
    crib: float,
    book: Book,
    stage: NDArray[np.float64],
) -> float:
    """Return the chance of winning over the distributions of pegging and of both hands.

    `stage` (STAGE, NUM_PEGS) is memory to work in: the chance after the hand that is counted first,
    by what its owner then still needs, up from the least, and by what the other has pegged. Where
    both would peg out either may be first.
    """
    first_need, last_pegs = (own, 1) if role == 0 else (other, 0)
    least = first_need - STAGE + 1
    most_later = _most_pegs(role, index, last_pegs, book)
    most_first = _most_pegs(role, index, 1 - last_pegs, book)
    for place in range(max(0, 1 - least), STAGE):
        for pegs in range(most_later + 1):
            if role == 0:
                chance = _other_counts(least + place, other - pegs, crib, book)
            else:
                chance = _own_counts(own - pegs, least + place, hand, crib, book)
            stage[place, pegs] = chance
    total = 0.0
    for first in range(most_first + 1):
        for later in range(most_later + 1):
            own_pegs, other_pegs = (first, later) if role == 0 else (later, first)
            chance = book.peg_chance[role, index, 0, own_pegs]
            chance *= book.peg_chance[role, index, 1, other_pegs]
            a, b = own - own_pegs, other - other_pegs
            if a <= 0:
                total += 0.5 * chance if b <= 0 else chance
            elif b > 0:
                need = a if role == 0 else b
                win = 0.0
                for points in range(MOST_POINTS):
                    likely = hand[points] if role == 0 else book.hand_chance[0, points]
                    if likely > 0.0 and points < need:
                        win += likely * stage[need - points - least, later]
                    elif role == 0:
                        win += likely
                total += chance * win
    return total


@lean_kernel
def _most_pegs(role: int, index: int, player: int, book: Book) -> int:
    """Return how many points a player pegs at most, but for a chance of LEAST_CHANCE each."""
    most = NUM_PEGS - 1
    while most > 0 and book.peg_chance[role, index, player, most] < LEAST_CHANCE:
        most -= 1
    return most


@lean_kernel
def _other_counts(own: int, other: int, crib: float, book: Book) -> float:
    """Return pone's chance when the dealer's hand and crib are to come."""
    if other <= 0:
        return 0.0
    total = 0.0
    for points in range(min(MOST_POINTS, other)):
        likely = book.hand_chance[1, points]
        if likely > 0.0:
            total += likely * _before_crib(0, own, other - points, crib, book)
    return total


@lean_kernel
def _own_counts(own: int, other: int, hand: NDArray[np.float64], crib: float, book: Book) -> float:
    """Return the dealer's chance when its own hand and crib are to come."""
    if own <= 0:
        return 1.0
    total = 0.0
    for points in range(MOST_POINTS):
        if hand[points] > 0.0:
            if points >= own:
                total += hand[points]
            else:
                total += hand[points] * _before_crib(1, own - points, other, crib, book)
    return total


# Three passes over four slots: one table of numbers, written as it is read.
@kernel
def _write_plays(  # noqa: PLR0912
    view: View,
    own: int,
    other: int,
    hand: int,
    crib: float,
    knows_chances: bool,
    num_worlds: int,
    book: Book,
    out: NDArray[np.float32],
) -> None:
    pool = np.empty(13, np.int64)
    count_pool(view, pool)
    worlds, weights = np.empty((MOST_WORLDS, 4), np.int64), np.empty(MOST_WORLDS)
    number = write_worlds(view, pool, True, SURPRISE, book, worlds, weights)
    total = 0.0
    for world in range(number):
        total += weights[world]
    if total <= 0.0:
        return
    likely = np.zeros(13)
    for world in range(number):
        for place in range(4):
            if worlds[world, place] != GONE:
                likely[worlds[world, place]] += weights[world]
    for rank in range(13):
        out[LIKELY + rank] = _clip(likely[rank] / total / LIKELY_SCALE)
    ranks, num_playable = np.full(4, GONE), 0
    for slot in range(NUM_SLOTS):
        if view.held[slot] == 1:
            ranks[slot] = card_rank(view.kept[slot])
            if view.count + rank_value(ranks[slot]) <= 31:
                num_playable += 1
    if view.is_on_turn == 0 or num_playable == 0:
        return
    sums = np.zeros((NUM_SLOTS, 3))
    _follow_worlds(
        view,
        own,
        other,
        hand,
        crib,
        knows_chances,
        ranks,
        worlds,
        weights,
        number,
        total,
        num_worlds,
        book,
        sums,
    )
    best_net, best_win = -100.0, 0.0
    for slot in range(NUM_SLOTS):
        if _is_playable(view, ranks, slot):
            best_net = max(best_net, sums[slot, 0] - sums[slot, 1])
            best_win = max(best_win, sums[slot, 2])
    for slot in range(NUM_SLOTS):
        if _is_playable(view, ranks, slot):
            place = ROWS + (FIRST_PLAY + slot) * WIDTH
            row = out[place : place + WIDTH]
            net = sums[slot, 0] - sums[slot, 1]
            row[OWN_PEGS] = _clip(sums[slot, 0] / FORECAST_SCALE)
            row[OPPONENT_PEGS] = _clip(sums[slot, 1] / FORECAST_SCALE)
            row[NET] = _clip((net + NET_SHIFT) / NET_SCALE)
            row[NET_REGRET] = _clip((best_net - net) / REGRET_SCALE)
            row[WIN] = _clip(sums[slot, 2])
            row[WIN_REGRET] = _clip((best_win - sums[slot, 2]) * WIN_REGRET_FACTOR)


@inlined_kernel
def _is_playable(view: View, ranks: NDArray[np.int64], slot: int) -> bool:
    return ranks[slot] != GONE and view.count + rank_value(ranks[slot]) <= 31


@kernel
def _follow_worlds(  # noqa: PLR0912
    view: View,
    own: int,
    other: int,
    hand: int,
    crib: float,
    knows_chances: bool,
    ranks: NDArray[np.int64],
    worlds: NDArray[np.int64],
    weights: NDArray[np.float64],
    number: int,
    total: float,
    num_worlds: int,
    book: Book,
    sums: NDArray[np.float64],
) -> None:
    """Add up own pegs, opponent's pegs and chance of winning (4, 3) over a sample of the worlds.

    The sample is systematic: `num_worlds` evenly spaced places along the summed weights.
    """
    laid, num_laid = np.empty(4, np.int64), 0
    for place in range(view.plays_made):
        if view.play_is_own[place] == 0:
            laid[num_laid] = card_rank(view.plays[place])
            num_laid += 1
    hands, points = np.empty((2, 4), np.int64), np.empty(2, np.int64)
    needs, pile = np.empty(2, np.int64), np.empty(14, np.int64)
    needs[0], needs[1] = own, other
    spacing = total / num_worlds
    passed, next_place = 0.0, 0.5 * spacing
    for world in range(number):
        share = weights[world] / total
        if number > num_worlds:
            passed += weights[world]
            share = 0.0
            while next_place < passed:
                share += 1.0 / num_worlds
                next_place += spacing
        if share == 0.0:
            continue
        index = index_with(worlds[world], view.opponent_cards, laid, num_laid, book)
        count = book.show[index, card_rank(view.starter)]
        for slot in range(NUM_SLOTS):
            if not _is_playable(view, ranks, slot):
                continue
            twin = -1
            for before in range(slot):
                if _is_playable(view, ranks, before) and ranks[before] == ranks[slot]:
                    twin = before
            if twin >= 0:
                for column in range(3):
                    sums[slot, column] = sums[twin, column]
                continue
            _follow(view, slot, ranks, worlds[world], hands, pile, needs, points, book)
            sums[slot, 0] += share * points[0]
            sums[slot, 1] += share * points[1]
            if knows_chances:
                a, b = own - points[0], other - points[1]
                sums[slot, 2] += share * _win(view.is_dealer, a, b, hand, count, crib, book)
            else:
                sums[slot, 2] += share * 0.5


@lean_kernel
def _follow(
    view: View,
    slot: int,
    ranks: NDArray[np.int64],
    world: NDArray[np.int64],
    hands: NDArray[np.int64],
    pile: NDArray[np.int64],
    needs: NDArray[np.int64],
    points: NDArray[np.int64],
    book: Book,
) -> None:
    """Lay a card in one world and go on by the quick rule; write what both peg into `points`."""
    for place in range(NUM_SLOTS):
        hands[0, place] = ranks[place] if place != slot else GONE
        hands[1, place] = world[place]
    size = view.plays_made - view.pile_start
    for place in range(size):
        pile[place] = card_rank(view.plays[view.pile_start + place])
    pile[size] = ranks[slot]
    count = view.count + rank_value(ranks[slot])
    points[0] = rank_points(pile, size + 1, count)
    points[1] = 0
    if points[0] >= needs[0]:
        return
    size = 0 if count == 31 else size + 1
    count = 0 if count == 31 else count
    turn = 0 if size == 0 and view.opponent_cards == 0 else 1
    play_out(hands, pile, size, count, turn, 0, 8, needs, book, points)


@inlined_kernel
def _win(role: int, own: int, other: int, hand: int, count: int, crib: float, book: Book) -> float:
    """Return the chance of winning before the show, both hands known (R12)."""
    if own <= 0:
        return 1.0
    if other <= 0:
        return 0.0
    if hand >= own and (role == 0 or count < other):
        return 1.0
    if count >= other:
        return 0.0
    return _before_crib(role, own - hand, other - count, crib, book)


@inlined_kernel
def _clip(number: float) -> float:
    return min(max(number, 0.0), 1.0)
