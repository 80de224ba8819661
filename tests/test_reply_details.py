"""The reply to a card and the answer to it, in positions of every shape, against every hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env.cards import parse_cards, value_of
from cribbage_env.engine.layout import NO_CARD, PLAY, VIEW
from cribbage_env.engine.reply import NUM_REPLY_VALUES, REPLY_WORK, count_pool, work_out_reply
from tests.positions import random_states, view_of
from tests.test_features import best_points, fitting, possible_cards

pytestmark = pytest.mark.kernels
UNCOMPILED = bool(numba.config.DISABLE_JIT)

KINDS_OF_DECK = (tuple(range(52)), tuple(range(32)), tuple(range(16, 28)), tuple(range(12, 28)))
"""All cards; no tens; five to seven, where pairs, runs and 31 abound; four to seven."""


def test_the_pool_is_what_the_opponent_may_hold() -> None:
    ruled_out = set()
    for lane in random_states(80 if UNCOMPILED else 150, seed=31):
        for seat in (0, 1):
            seen = view_of(lane, seat)
            pool, cards = np.full(13, -9), possible_cards(seen)
            assert count_pool(seen, pool) == len(cards)
            assert pool.tolist() == by_rank(cards).tolist()
            ruled_out |= {rank for rank in range(13) if pool[rank] == 0}
    assert ruled_out >= {*range(9)}


def by_rank(cards: Sequence[int]) -> NDArray[np.int64]:
    return np.bincount([card // 4 for card in cards], minlength=13)


@pytest.mark.parametrize("last", ["", *(f"{rank}S" for rank in "A23456789K"), "KS AS"])
@pytest.mark.parametrize("said_go", [False, True])
def test_who_says_go_or_lets_a_count_end_holds_nothing_that_fits(last: str, said_go: bool) -> None:
    pile = parse_cards(f"TS QS {last}")
    count = sum(map(value_of, pile))
    for starter in (0, 50):
        earlier = [] if said_go else pile
        seen = view_in_play(earlier, pile if said_go else [], [4, 9, 14, 19], [1, 1, 1, 1], 3, 9)
        seen.dealt, seen.starter = [4, 9, 14, 19, 24, 29], starter
        seen.go_after[len(pile) - 1] = 2 if said_go else 0
        pool, known = np.empty(13, np.int64), {*seen.dealt.tolist(), starter, *pile}
        left = [card for card in range(52) if card not in known and count + value_of(card) > 31]
        assert count_pool(seen, pool) == len(left)
        assert pool.tolist() == by_rank(left).tolist()


def view_in_play(
    earlier: Sequence[int],
    pile: Sequence[int],
    kept: Sequence[int],
    held: Sequence[int],
    opponent_cards: int,
    needed: int,
) -> Any:
    """Return a view in which the own side holds some of four cards after some were laid."""
    views = np.zeros(1, VIEW)
    views["phase"], views["target"] = PLAY, 121
    views["scores"] = 7, 121 - needed
    views["kept"], views["held"] = kept, held
    views["plays"] = NO_CARD
    views["plays"][0, : len(earlier) + len(pile)] = [*earlier, *pile]
    views["plays_made"] = len(earlier) + len(pile)
    views["pile_start"] = len(earlier)
    views["count"] = sum(map(value_of, pile))
    views["opponent_cards"] = opponent_cards
    return views[0]


def draws(number: int, seed: int) -> Iterator[tuple[Any, list[int], list[int], int]]:
    """Yield a view, the pile in it, cards that the opponent may hold, and a slot to lay from."""
    rng = np.random.default_rng(seed)
    made = 0
    while made < number:
        deck = rng.permutation(KINDS_OF_DECK[made % len(KINDS_OF_DECK)]).tolist()
        kept = deck[:4]
        held = rng.integers(0, 2, 4).tolist()
        slot = int(rng.integers(4))
        held[slot] = 1
        opponent_cards = int(rng.integers(5))
        laid = 4 - sum(held) + 4 - opponent_cards
        size = int(rng.integers(laid + 1))
        pile, earlier = deck[4 : 4 + size], [int(card) for card in rng.integers(0, 52, laid - size)]
        if sum(map(value_of, [*pile, kept[slot]])) > 31:
            continue
        pool = deck[4 + size :][: int(rng.integers(opponent_cards, 8))]
        needed = int(rng.integers(1, 15))
        made += 1
        yield view_in_play(earlier, pile, kept, held, opponent_cards, needed), pile, pool, slot


def points_of(pile: list[int], card: int) -> int:
    """Return what a card scores that fits on a pile."""
    points = best_points(pile, [card])
    assert points is not None
    return points


def expected_values(seen: Any, pile: list[int], pool: list[int], slot: int) -> NDArray[np.float64]:
    """Return the values of laying a card, over every hand that can be drawn from a pool."""
    laid = [*pile, int(seen.kept[slot])]
    count = sum(map(value_of, laid))
    own = [int(seen.kept[other]) for other in range(4) if other != slot and seen.held[other]]
    next_own = best_points(laid, own)
    sums, hands = np.zeros(5), [*combinations(pool, int(seen.opponent_cards))]
    for hand in hands:
        worth = {card: points_of(laid, card) for card in fitting([*hand], count)}
        if not worth:
            sums += [0, 0, 1, (count < 31) if next_own is None else next_own, 0]
            continue
        best = max(worth.values())
        answers = [best_points([*laid, card], own) or 0 for card in worth if worth[card] == best]
        reaches = best >= seen.target - seen.scores[1]
        sums += [best, best > 0, 0, sum(answers) / len(answers), reaches]
    return np.array([points_of(pile, laid[-1]), *(sums / len(hands))])


def check(
    seen: Any, pile: list[int], cards: list[int], slot: int, dirt: int = 99
) -> NDArray[np.float64]:
    """Compare the values of laying a card, and that nothing else is changed; return them.

    `dirt` stands in the memory that is used.
    """
    pool = by_rank(cards)
    values, work = np.full(NUM_REPLY_VALUES, np.nan), np.full(1, dirt, REPLY_WORK)
    before = seen.tobytes(), pool.tolist()
    work_out_reply(seen, slot, pool, len(cards), work[0], values)
    assert (seen.tobytes(), pool.tolist()) == before
    assert values == pytest.approx(expected_values(seen, pile, cards, slot), abs=1e-12)
    return values


def test_the_reply_and_the_answer_are_those_of_every_hand() -> None:
    for seen, pile, cards, slot in draws(80 if UNCOMPILED else 200, seed=32):
        check(seen, pile, cards, slot, dirt=int(seen.kept.min()) ^ 4)


@pytest.mark.parametrize(
    ("pile", "card", "pool", "expected"),
    [
        # Four sixes that make 31 with a seven: fourteen, the most there is; nothing can follow.
        ("7S 6C 6D 6H", "6S", "AC KD", [14, 0, 0, 1, 0, 0]),
        ("7S 6C 6D", "6S", "6H 8C", [6, 7, 0.5, 0.5, 0.5, 0.5]),
        # A fifth six would fit, but there is none.
        ("6C 6D 6H", "6S", "AC KD", [12, 0, 0, 0.5, 0.5, 0]),
    ],
)
def test_the_most_that_a_card_scores(
    pile: str, card: str, pool: str, expected: list[float]
) -> None:
    laid, (own,) = parse_cards(pile), parse_cards(card)
    seen = view_in_play([], laid, [own, 48, 49, 50], [1, 0, 0, 0], 1, 14)
    assert check(seen, laid, parse_cards(pool), 0).tolist() == expected
