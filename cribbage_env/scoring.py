"""What cards are worth, in the show (R13-R17) and in the play (R8), and skunks (R20).

This is the specification: plain code that says each rule once and takes no short cut. The tables
of the engine are built from it.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import SupportsIndex

import numpy as np

from cribbage_env.cards import (
    RANKS,
    CardLike,
    CardsLike,
    format_card,
    format_cards,
    parse_card,
    parse_distinct_cards,
    rank_of,
    suit_of,
    value_of,
)

HAND_SIZE = 4
MAX_COUNT = 31
SKUNK_MARGIN = 31
DOUBLE_SKUNK_MARGIN = 61

_JACK = RANKS.index("J")

# fmt: off
_NUMBERS = (
    "zero", "one", "two", "three", "four",
    "five", "six", "seven", "eight", "nine",
    "ten", "eleven", "twelve", "thirteen", "fourteen",
    "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    "twenty", "twenty-one", "twenty-two", "twenty-three", "twenty-four",
    "twenty-five", "twenty-six", "twenty-seven", "twenty-eight", "twenty-nine",
)
# fmt: on

# Within one hand, the points of its pairs and of its runs tell what they are made of.
_PAIRS_ALOUD = {
    2: (("a pair", 2),),
    4: (("a pair", 2), ("another pair", 2)),
    6: (("three of a kind", 6),),
    8: (("three of a kind", 6), ("a pair", 2)),
    12: (("four of a kind", 12),),
}
_RUNS_ALOUD = {
    3: "a run of three",
    4: "a run of four",
    5: "a run of five",
    6: "a double run of three",
    8: "a double run of four",
    9: "a triple run of three",
    12: "a double double run",
}


@dataclass(frozen=True)
class HandScore:
    """The points of a hand or crib in the show, by what they are for (R13-R17).

    >>> score = HandScore(fifteens=4, pairs=2)
    >>> score.total, str(score)
    (6, 'fifteen two, fifteen four, and a pair is six')
    """

    fifteens: int = 0
    pairs: int = 0
    runs: int = 0
    flush: int = 0
    nobs: int = 0

    @property
    def total(self) -> int:
        """All points together, 0..29."""
        return self.fifteens + self.pairs + self.runs + self.flush + self.nobs

    def __str__(self) -> str:
        """Return the score as a player counts it aloud."""
        parts = [("fifteen", 2)] * (self.fifteens // 2)
        if self.pairs:
            parts += _PAIRS_ALOUD.get(self.pairs, (("pairs", self.pairs),))
        if self.runs:
            parts.append((_RUNS_ALOUD.get(self.runs, "runs"), self.runs))
        if self.flush:
            parts.append((f"a flush of {_in_words(self.flush)}", self.flush))
        if self.nobs:
            parts.append(("nobs", self.nobs))
        return _count_aloud(parts)


@dataclass(frozen=True)
class PlayScore:
    """The points of one card laid in the play, by what they are for (R8).

    >>> score = PlayScore(fifteen=2, run=3)
    >>> score.total, str(score)
    (5, 'fifteen two, and a run of three is five')
    """

    fifteen: int = 0
    thirty_one: int = 0
    pair: int = 0
    run: int = 0

    @property
    def total(self) -> int:
        """All points together; the point for last card is not among them (R9)."""
        return self.fifteen + self.thirty_one + self.pair + self.run

    def __str__(self) -> str:
        """Return the score as a player announces it."""
        parts = []
        if self.fifteen:
            parts.append(("fifteen", self.fifteen))
        if self.thirty_one:
            parts.append(("thirty-one", self.thirty_one))
        if self.pair:
            parts += _PAIRS_ALOUD.get(self.pair, (("a pair", self.pair),))
        if self.run:
            parts.append((f"a run of {_in_words(self.run)}", self.run))
        return _count_aloud(parts)


def score_hand(hand: CardsLike, starter: CardLike | None, *, is_crib: bool = False) -> HandScore:
    """Score a hand or crib of four cards with the starter (R13-R17).

    ``starter=None`` counts the four cards alone, as before the cut; a crib then has no flush,
    since in the crib only all five cards count (R16).

    Raises:
        ValueError: the hand isn't four cards, a card appears twice, or a text or id is no card.
        TypeError: something is neither text nor an integer.

    >>> score_hand("5H 5S 5D JC", "5C")
    HandScore(fifteens=16, pairs=12, runs=0, flush=0, nobs=1)
    >>> score_hand("2H 6H 8H QH", "9C", is_crib=True).total
    2
    """
    held = parse_distinct_cards(hand, count=HAND_SIZE, what="crib" if is_crib else "hand")
    turned = [] if starter is None else [parse_card(starter)]
    if any(card in held for card in turned):
        raise ValueError(f"starter {format_card(turned[0])} is in the hand {format_cards(held)}")
    cards = held + turned
    return HandScore(
        fifteens=_fifteens(cards),
        pairs=_pairs(cards),
        runs=_runs(cards),
        flush=_flush(held, turned, is_crib),
        nobs=_nobs(held, turned),
    )


def score_play(pile: CardsLike) -> PlayScore:
    """Score the last card of ``pile``, the cards laid since the last reset, in order (R8).

    The point for last card belongs to the game and is not counted here (R9).

    Raises:
        ValueError: the pile is empty or adds up to more than 31, a card appears twice, or a text
            or id is no card.
        TypeError: something is neither text nor an integer.

    >>> score_play("4S 6H 5D")
    PlayScore(fifteen=2, thirty_one=0, pair=0, run=3)
    >>> str(score_play("KS KD"))
    'a pair for two'
    """
    cards = parse_distinct_cards(pile, what="pile")
    if not cards:
        raise ValueError("pile is empty: it must hold at least the card just laid")
    count = sum(value_of(card) for card in cards)
    if count > MAX_COUNT:
        raise ValueError(
            f"pile {format_cards(cards)} adds up to {count}: the count may not pass {MAX_COUNT}"
        )
    return PlayScore(
        fifteen=2 if count == 15 else 0,
        thirty_one=2 if count == MAX_COUNT else 0,
        pair=_pair_in_play(cards),
        run=_run_in_play(cards),
    )


def skunk(scores: Iterable[SupportsIndex], target: SupportsIndex = 121) -> int:
    """Return 0, 1 or 2: whether the loser of a finished game is skunked, or doubly so (R20).

    The marks are ``target - 31`` and ``target - 61``; a mark of zero or less doesn't exist.

    Raises:
        ValueError: there aren't two scores, one is negative, the target isn't positive, or not
            exactly one score has reached it.
        TypeError: a score or the target isn't an integer.

    >>> skunk((121, 91)), skunk((90, 121)), skunk((121, 60)), skunk((61, 0), target=61)
    (0, 1, 2, 1)
    """
    goal = _whole_number(target, "target")
    if goal <= 0:
        raise ValueError(f"target {goal} must be positive")
    if not isinstance(scores, Iterable):
        raise TypeError(f"scores must be a pair of integers, not {scores!r}")
    points = [_whole_number(score, "score") for score in scores]
    if len(points) != 2 or min(points) < 0:
        raise ValueError(f"scores {points} must be two numbers, zero or more")
    loser, winner = sorted(points)
    if not loser < goal <= winner:
        raise ValueError(f"scores {points} must have exactly one that has reached {goal}")
    marks = [goal - SKUNK_MARGIN, goal - DOUBLE_SKUNK_MARGIN]
    return sum(mark > 0 and loser <= mark for mark in marks)


def _fifteens(cards: list[int]) -> int:
    """Return the points for fifteens (R13)."""
    values = [value_of(card) for card in cards]
    chosen = [some for size in range(2, len(cards) + 1) for some in combinations(values, size)]
    return 2 * sum(sum(some) == 15 for some in chosen)


def _pairs(cards: list[int]) -> int:
    """Return the points for pairs (R14)."""
    return 2 * sum(rank_of(one) == rank_of(other) for one, other in combinations(cards, 2))


def _runs(cards: list[int]) -> int:
    """Return the points for runs, all of the longest length (R15)."""
    for length in range(len(cards), 2, -1):
        runs = sum(_is_run(some) for some in combinations(cards, length))
        if runs:
            return length * runs
    return 0


def _flush(held: list[int], turned: list[int], is_crib: bool) -> int:
    """Return the points for a flush (R16)."""
    if len({suit_of(card) for card in held}) > 1:
        return 0
    if turned and suit_of(turned[0]) == suit_of(held[0]):
        return 5
    return 0 if is_crib else 4


def _nobs(held: list[int], turned: list[int]) -> int:
    """Return the point for the jack of the starter's suit (R17)."""
    return sum(
        rank_of(card) == _JACK and suit_of(card) == suit_of(starter)
        for starter in turned
        for card in held
    )


def _pair_in_play(cards: list[int]) -> int:
    """Return the points for the largest group of one rank that ends the pile (R8)."""
    for size, points in ((4, 12), (3, 6), (2, 2)):
        if len(cards) >= size and len({rank_of(card) for card in cards[-size:]}) == 1:
            return points
    return 0


def _run_in_play(cards: list[int]) -> int:
    """Return the points for the longest run, in any order, that ends the pile (R8)."""
    for length in range(len(cards), 2, -1):
        if _is_run(cards[-length:]):
            return length
    return 0


def _is_run(cards: Sequence[int]) -> bool:
    """Say whether the cards have consecutive ranks, in any order and none twice."""
    ranks = sorted(rank_of(card) for card in cards)
    return ranks == list(range(ranks[0], ranks[0] + len(ranks)))


def _whole_number(number: SupportsIndex, what: str) -> int:
    if isinstance(number, (bool, np.bool_)):
        raise TypeError(f"{what} must be an integer, not the bool {number!r}")
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(
            f"{what} must be an integer, not {number!r} of type {type(number).__name__}"
        ) from None


def _in_words(number: int) -> str:
    return _NUMBERS[number] if 0 <= number < len(_NUMBERS) else str(number)


def _count_aloud(parts: Sequence[tuple[str, int]]) -> str:
    """Say what each part is and, as a player does, the sum so far."""
    if not parts:
        return "nothing"
    said: list[str] = []
    total = 0
    for name, points in parts:
        total += points
        if name == "fifteen":
            said.append(f"fifteen {_in_words(total)}")
        elif not said:
            said.append(f"{name} for {_in_words(total)}")
        else:
            said.append(f"{name} is {_in_words(total)}")
    if len(said) > 1 and parts[-1][0] != "fifteen":
        said[-1] = f"and {said[-1]}"
    return ", ".join(said)
