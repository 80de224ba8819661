"""The quick rule, and a deal played out by it or by habit, against plain Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from cribbage_env.bots.expert.habits import choose_by_habit
from cribbage_env.bots.expert.ranks import GONE, NO_RANK
from cribbage_env.bots.expert.rollout import choose_quickly, play_out
from cribbage_env.scoring import score_play
from tests.positions import BOOK

pytestmark = pytest.mark.kernels
UNCOMPILED = bool(numba.config.DISABLE_JIT)
DIRT = 77
"""What stands in memory that has no meaning."""


class Middle(NamedTuple):
    """A place somewhere in the play of a deal, by ranks."""

    hands: list[list[int]]
    pile: list[int]
    turn: int
    last: int


def value(rank: int) -> int:
    return min(rank + 1, 10)


def points_of(pile: list[int]) -> int:
    """Return what the last card of a pile scores; the suits are made up."""
    return score_play(
        [4 * rank + pile[:place].count(rank) for place, rank in enumerate(pile)]
    ).total


def middles(number: int, seed: int) -> Iterator[Middle]:
    """Yield places in the play: all kinds of hands, piles from none to 31, either seat's turn."""
    rng = np.random.default_rng(seed)
    made = 0
    while made < number:
        low, high = ((0, 13), (3, 9), (0, 4), (8, 13))[made % 4]
        ranks = [rank for rank in range(low, high) for _ in range(4)]
        deck = [int(rank) for rank in rng.permutation(ranks)]
        hands = [deck[:4], deck[4:8]]
        for hand in hands:
            for place in rng.permutation(4)[: rng.integers(5)]:
                hand[place] = GONE
        pile = deck[8 : 8 + rng.integers(7)]
        while sum(map(value, pile)) >= 31:  # at 31 the pile is put away
            pile.pop()
        turn = int(rng.integers(2))
        has_cards = [any(rank != GONE for rank in hand) for hand in hands]
        if not pile and not has_cards[turn] and any(has_cards):
            turn = 1 - turn
        made += 1
        yield Middle(hands, pile, turn, 1 - turn if pile else int(rng.integers(2)))


def memory(pile: list[int]) -> Any:
    return np.array(pile + [DIRT] * (14 - len(pile)))


def plain_choice(hand: list[int], pile: list[int]) -> int:
    """Return the slot of the first card whose points less the mean reply to it are highest."""
    before = pile[-1] if pile else NO_RANK
    worths = {}
    for slot, rank in enumerate(hand):
        count = sum(map(value, pile)) + value(rank)
        if rank != GONE and count <= 31:
            risk = float(BOOK.reply_risk[count, rank, before])
            worths[slot] = points_of([*pile, rank]) - risk
    return max(worths, key=worths.__getitem__, default=-1)


def test_the_quick_rule_takes_the_points_less_the_mean_reply() -> None:
    chosen = set()
    for middle in middles(150 if UNCOMPILED else 300, seed=1):
        pile = memory(middle.pile)
        for hand in middle.hands:
            count = sum(map(value, middle.pile))
            slot = choose_quickly(np.array(hand), pile, len(middle.pile), count, BOOK)
            assert slot == plain_choice(hand, middle.pile), (hand, middle.pile)
            chosen.add(slot)
    assert chosen == {-1, 0, 1, 2, 3}


@pytest.mark.parametrize(("hand", "slot"), [([7, 7, 7, 7], 0), ([GONE, 7, 7, GONE], 1)])
def test_of_equal_cards_the_quick_rule_lays_the_first(hand: list[int], slot: int) -> None:
    assert choose_quickly(np.array(hand), memory([]), 0, 0, BOOK) == slot


Choice = Callable[[list[list[int]], list[int], int, bool], int]


def choice_by_habit(hands: list[list[int]], pile: list[int], seat: int, is_alone: bool) -> int:
    others = sum(rank != GONE for rank in hands[1 - seat])
    count = sum(map(value, pile))
    own = np.array(hands[seat])
    return int(choose_by_habit(own, others, memory(pile), len(pile), count, is_alone, BOOK))


def quick_choice(hands: list[list[int]], pile: list[int], seat: int, _: bool) -> int:
    return plain_choice(hands[seat], pile)


def fits(hand: list[int], pile: list[int]) -> bool:
    return any(rank != GONE and sum(map(value, pile)) + value(rank) <= 31 for rank in hand)


def plain_rollout(
    middle: Middle, choose: Choice, most_cards: int, points: list[int], needs: list[int]
) -> tuple[list[list[int]], list[int]]:
    """Return the hands and points after the play has gone on from a place, by R6-R11 and R19."""
    hands, pile, points = [[*hand] for hand in middle.hands], [*middle.pile], [*points]
    turn, last = middle.turn, middle.last

    def are_out() -> bool:
        return all(rank == GONE for hand in hands for rank in hand)

    while pile or not are_out():
        seat = turn if fits(hands[turn], pile) else 1 - turn
        if fits(hands[seat], pile):
            is_alone = bool(pile) and last == seat
            slot = choose(hands, pile, seat, is_alone)
            pile.append(hands[seat][slot])
            hands[seat][slot] = GONE
            most_cards -= 1
            points[seat] += points_of(pile)
            last = seat
            if most_cards <= 0 and not are_out():
                break
        else:
            points[last] += 1
            pile = []
        if sum(map(value, pile)) == 31:
            pile = []
        if points[last] >= needs[last]:
            break
        turn = 1 - last
    return hands, points


def check(
    middle: Middle, by_habit: bool, most_cards: int, points: list[int], needs: list[int]
) -> tuple[list[list[int]], list[int]]:
    """Compare what is played out from a place; return the hands and points after it."""
    choose = choice_by_habit if by_habit else quick_choice
    expected = plain_rollout(middle, choose, most_cards, points, needs)
    hands, scored, needed = np.array(middle.hands), np.array(points), np.array(needs)
    play_out(
        hands,
        memory(middle.pile),
        len(middle.pile),
        sum(map(value, middle.pile)),
        middle.turn,
        middle.last,
        most_cards,
        by_habit,
        needed,
        BOOK,
        scored,
    )
    assert (hands.tolist(), scored.tolist()) == expected, middle
    assert needed.tolist() == needs
    return expected


@pytest.mark.parametrize("by_habit", [False, True])
def test_a_deal_goes_on_by_the_rules_from_any_place(by_habit: bool) -> None:
    number = 60 if by_habit and UNCOMPILED else 150
    rng = np.random.default_rng(2)
    ends = set()
    for middle in middles(number, seed=3 + by_habit):
        before = rng.integers(0, 5, 2).tolist()
        needs = (before + rng.integers(1, 12, 2)).tolist()
        hands, points = check(middle, by_habit, int(rng.integers(1, 10)), before, needs)
        has_won = any(own >= need for own, need in zip(points, needs, strict=True))
        ends.add((has_won, any(rank != GONE for hand in hands for rank in hand)))
    assert len(ends) == 4


def test_who_leads_alone_does_not_lead_as_after_a_go() -> None:
    # The other has no card left but hasn't said go: habit leads the nine, and after a go the five.
    middle = Middle([[12, 8, 4, GONE], [GONE] * 4], [9, 9, 9], turn=1, last=0)
    assert choice_by_habit(middle.hands, [], 0, is_alone=True) == 2
    hands, points = check(middle, True, 1, [0, 0], [99, 99])
    assert hands[0] == [12, GONE, 4, GONE]
    assert points == [1, 0]
