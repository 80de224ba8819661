"""The expert's play: each card is followed to the deal's end in every likely world.

A world is a hand that the opponent may hold. The own card is laid, both go on by the quick rule,
and the card that does best over the worlds, weighed, is chosen. Near the end of the game what
counts is the chance of winning after the show that would follow, in the true order of counting.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots.expert.crib import MOST_POINTS, crib_chances_with, write_pairs
from cribbage_env.bots.expert.discard import is_near_end
from cribbage_env.bots.expert.following import (
    follow,
    share_out,
    twin_before,
    write_laid,
    write_playable,
)
from cribbage_env.bots.expert.layout import (
    BY_HABIT,
    BY_QUICK_RULE,
    HABITS,
    LOOKAHEAD,
    MODEL,
    NOT_READ,
    SCORE_AWARE,
    WORLDS,
)
from cribbage_env.bots.expert.ranks import rank_points, rank_value
from cribbage_env.bots.expert.winning import write_after_crib
from cribbage_env.bots.expert.worlds import MOST_WORLDS, index_with, write_worlds
from cribbage_env.bots.players import Player
from cribbage_env.engine.card import card_rank
from cribbage_env.engine.chance import draw
from cribbage_env.engine.compile import kernel, lean_kernel
from cribbage_env.engine.expectation import new_unseen, take_out
from cribbage_env.engine.flow import FIRST_PLAY
from cribbage_env.engine.layout import View
from cribbage_env.engine.reply import count_pool
from cribbage_env.engine.show import hand_points
from cribbage_env.engine.tables import Book

__all__ = ["ILLEGAL", "choose_play", "write_play_worths"]

ILLEGAL = -1000.0
"""The worth of a slot whose card can't be laid."""
NO_NEED = 1000
MOST_PEGS = 31
"""The most points that one player is taken to peg in what is left of a deal."""


@kernel
def choose_play(player: Player, view: View, key: np.uint64, book: Book) -> int:
    """Return the play of the expert."""
    slot = _forced(view)
    if slot < 0:
        slot = _winning_slot(view)
    if slot >= 0:
        return FIRST_PLAY + slot
    worths = np.empty(4)
    is_near = player.options[SCORE_AWARE] > 0.0 and is_near_end(view)
    write_play_worths(player, view, is_near, key, book, worths)
    best = 0
    for slot in range(1, 4):
        if worths[slot] > worths[best]:
            best = slot
    return FIRST_PLAY + best


@lean_kernel
def _forced(view: View) -> int:
    """Return the only slot whose card fits, -1 if there are several."""
    only = -1
    for slot in range(4):
        if view.held[slot] == 1 and view.count + rank_value(card_rank(view.kept[slot])) <= 31:
            if only >= 0:
                return -1
            only = slot
    return only


@kernel
def _winning_slot(view: View) -> int:
    """Return the first slot whose card reaches the target at once, -1 if there is none."""
    needed = view.target - view.scores[0]
    size = view.plays_made - view.pile_start
    pile = np.empty(9, np.int64)
    for place in range(size):
        pile[place] = card_rank(view.plays[view.pile_start + place])
    for slot in range(4):
        pile[size] = card_rank(view.kept[slot])
        count = view.count + rank_value(pile[size])
        if view.held[slot] == 1 and count <= 31 and rank_points(pile, size + 1, count) >= needed:
            return slot
    return -1


@kernel
def write_play_worths(
    player: Player,
    view: View,
    with_win: bool,
    key: np.uint64,
    book: Book,
    worths: NDArray[np.float64],
) -> None:
    """Write what laying each slot's card is worth (4,), ILLEGAL where it can't be laid.

    Worths are net points to the end of the deal's play or, `with_win`, chances of winning the game.
    The key places the sample of worlds where there are more than the player looks at.
    """
    ranks, is_playable = np.empty(4, np.int64), np.empty(4, np.bool_)
    write_playable(view, ranks, is_playable)
    for slot in range(4):
        worths[slot] = 0.0 if is_playable[slot] else ILLEGAL
    worlds, weights = np.empty((MOST_WORLDS, 4), np.int64), np.empty(MOST_WORLDS)
    number = _sample_worlds(player, view, key, book, worlds, weights)
    after_crib = _show_to_come(view, book) if with_win else np.empty((1, 1))
    hand = hand_points(view.kept, view.starter, False, book)
    laid = np.empty(4, np.int64)
    num_laid = write_laid(view, laid)
    hands, pile = np.empty((2, 4), np.int64), np.empty(14, np.int64)
    points, needs = np.empty(2, np.int64), np.empty(2, np.int64)
    needs[0], needs[1] = view.target - view.scores[0], view.target - view.scores[1]
    most_cards, by_habit = int(player.options[LOOKAHEAD]), player.options[HABITS] > 0.0
    for world in range(number):
        if weights[world] == 0.0:
            continue
        index = index_with(worlds[world], view.opponent_cards, laid, num_laid, book)
        count = int(book.show[index, card_rank(view.starter)])
        for slot in range(4):
            if not is_playable[slot] or twin_before(ranks, is_playable, slot) >= 0:
                continue
            follow(
                view,
                slot,
                ranks,
                worlds[world],
                most_cards,
                by_habit,
                needs,
                book,
                hands,
                pile,
                points,
            )
            a, b = needs[0] - points[0], needs[1] - points[1]
            if with_win:
                worth = _count_show(view.is_dealer == 1, a, b, hand, count, after_crib)
            else:
                worth = float(NO_NEED) if a <= 0 else float(points[0] - points[1])
            worths[slot] += weights[world] * worth
    for slot in range(4):
        twin = twin_before(ranks, is_playable, slot) if is_playable[slot] else -1
        if twin >= 0:
            worths[slot] = worths[twin]


@kernel
def _sample_worlds(
    player: Player,
    view: View,
    key: np.uint64,
    book: Book,
    worlds: NDArray[np.int64],
    weights: NDArray[np.float64],
) -> int:
    """Write the worlds to look at with weights that sum to one; return their number."""
    pool = np.empty(13, np.int64)
    count_pool(view, pool)
    reading = BY_HABIT if player.options[HABITS] > 0.0 else BY_QUICK_RULE
    if player.options[MODEL] == 0.0:
        reading = NOT_READ
    number = write_worlds(view, pool, reading, book, worlds, weights)
    share_out(weights, number, int(player.options[WORLDS]), draw(key, 0, 1 << 30) / (1 << 30))
    return number


@lean_kernel
def _count_show(
    is_dealer: bool, a: int, b: int, hand: int, other: int, after_crib: NDArray[np.float64]
) -> float:
    """Return the chance of winning after the play and both hands, pone's first (R12)."""
    if a <= 0 or b <= 0:
        return 1.0 if a <= 0 else 0.0
    if hand >= a and other >= b:
        return 0.0 if is_dealer else 1.0
    if hand >= a:
        return 1.0
    return 0.0 if other >= b else after_crib[a - hand, b - other]


@kernel
def _show_to_come(view: View, book: Book) -> NDArray[np.float64]:
    """Return the chance of winning by what both need when only the crib is left to count."""
    unseen = new_unseen()
    for place in range(6):
        take_out(unseen, view.dealt[place])
    take_out(unseen, view.starter)
    for place in range(view.plays_made):
        if view.play_is_own[place] == 0:
            take_out(unseen, view.plays[place])
    weights = np.empty((13, 13))
    total = write_pairs(unseen, 1 - view.is_dealer, book, weights)
    crib = np.empty(MOST_POINTS)
    first, second = view.discards[0], view.discards[1]
    crib_chances_with(first, second, view.starter, weights, total, book, crib)
    own, other = view.target - view.scores[0], view.target - view.scores[1]
    grid = np.empty((own + 1, other + 1))
    width = MOST_PEGS + MOST_POINTS
    write_after_crib(view.is_dealer, own, other, width, crib, book, grid)
    return grid
