"""The tables that the kernels index, gathered in one record: the book.

`show` is built from `cribbage_env.scoring` by ``python -m cribbage_env.engine.tables`` and kept as
data, since building it takes longer than a program should take to start; a test compares every
entry with the plain code.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from itertools import combinations_with_replacement
from math import comb
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribbage_env import scoring
from cribbage_env.actions import DISCARDS, NUM_DISCARDS
from cribbage_env.cards import NUM_RANKS, NUM_SUITS

__all__ = [
    "BOOK",
    "NUM_HANDS",
    "Book",
    "build_alone_points",
    "build_show_points",
    "load_book",
    "rank_index",
]

NUM_HANDS = comb(NUM_RANKS + 3, 4)
"""How many multisets of four ranks there are: 1,820."""

BOOK = np.dtype(
    (
        np.record,
        [
            # The two slots of the six dealt that each discard action throws.
            ("discard_slots", "i2", (NUM_DISCARDS, 2)),
            # The four that it keeps.
            ("kept_slots", "i2", (NUM_DISCARDS, 4)),
            # Summed over a sorted hand's places, the index of its four ranks, 0..1819.
            ("rank_offset", "i2", (4, NUM_RANKS)),
            # Fifteens, pairs and runs of four ranks (by index) and the starter's rank.
            ("show", "i2", (NUM_HANDS, NUM_RANKS)),
            # Fifteens, pairs and runs of four ranks alone, before the cut.
            ("alone", "i2", (NUM_HANDS,)),
            # Mean points of the crib in which these two ranks (lower first) were thrown:
            # by role (0 pone, 1 dealer), ranks, and whether the two are of one suit.
            ("crib_value", "f8", (2, NUM_RANKS, NUM_RANKS, 2)),
            # What the expert knows (`bots.expert.learn`), roles as above:
            # mean points of a reply, by count, last rank and the rank before it (13: none);
            ("reply_risk", "f8", (32, NUM_RANKS, NUM_RANKS + 1)),
            # how readily four ranks are kept, and two ranks thrown, each way to make them;
            ("keep_weight", "f8", (2, NUM_HANDS)),
            ("throw_weight", "f8", (2, NUM_RANKS, NUM_RANKS, 2)),
            # points that a hand pegs, own and opponent's: the means and the distributions;
            ("peg", "f8", (2, NUM_HANDS, 2)),
            ("peg_chance", "f8", (2, NUM_HANDS, 2, 16)),
            # how likely a hand counts how much;
            ("hand_chance", "f8", (2, 30)),
            # how likely a crib counts how much;
            ("crib_chance", "f8", (30,)),
            # chance to win by role, own need and the other's need, 1..121.
            ("win", "f8", (2, 122, 122)),
            # the same when nothing but a crib like any other is left to count in the deal.
            ("win_before_crib", "f8", (2, 122, 122)),
            # The network of what strong players lay (`bots.expert.habits`).
            ("habit_state", "f4", (86, 32)),
            ("habit_action", "f4", (51, 32)),
            ("habit_bias", "f4", (32,)),
            ("habit_second", "f4", (32, 16)),
            ("habit_second_bias", "f4", (16,)),
            ("habit_out", "f4", (16,)),
        ],
    )
)

Book: TypeAlias = Any
"""The one record of an array of the dtype BOOK."""

DATA = files("cribbage_env") / "data"


def rank_index(ranks: tuple[int, int, int, int]) -> int:
    """Return the place 0..1819 of four ranks among all multisets of four ranks.

    This is the combinatorial number system over the sorted ranks.

    >>> rank_index((0, 0, 0, 0)), rank_index((12, 12, 12, 12))
    (0, 1819)
    """
    return sum(comb(rank + place, place + 1) for place, rank in enumerate(sorted(ranks)))


def build_show_points() -> NDArray[np.int16]:
    """Return what four ranks and a starter's rank count in fifteens, pairs and runs (R13–R15).

    The array has the shape ``(1820, 13)``; entries with five cards of one rank are 0.
    """
    points = np.zeros((NUM_HANDS, NUM_RANKS), np.int16)
    for ranks in combinations_with_replacement(range(NUM_RANKS), 4):
        for starter in range(NUM_RANKS):
            if ranks.count(starter) < NUM_SUITS:
                five = _cards_of_ranks((*ranks, starter))
                score = scoring.score_hand(five[:4], five[4])
                points[rank_index(ranks), starter] = score.fifteens + score.pairs + score.runs
    return points


def build_alone_points() -> NDArray[np.int16]:
    """Return what four ranks count alone in fifteens, pairs and runs; the shape is ``(1820,)``."""
    points = np.zeros(NUM_HANDS, np.int16)
    for ranks in combinations_with_replacement(range(NUM_RANKS), 4):
        score = scoring.score_hand(_cards_of_ranks(ranks), None)
        points[rank_index(ranks)] = score.fifteens + score.pairs + score.runs
    return points


@cache
def load_book() -> NDArray[Any]:
    """Return the book: an array of shape ``(1,)`` with the dtype `BOOK`, not to be written to."""
    book = np.zeros(1, BOOK)
    book["discard_slots"] = DISCARDS
    book["kept_slots"] = [[slot for slot in range(6) if slot not in pair] for pair in DISCARDS]
    book["rank_offset"] = [
        [comb(rank + place, place + 1) for rank in range(NUM_RANKS)] for place in range(4)
    ]
    book["show"] = _load("show_points.npy")
    book["alone"] = _load("alone_points.npy")
    book["crib_value"] = _load("crib_values.npy")
    for archive in ("expert.npz", "habits.npz"):
        with (DATA / archive).open("rb") as file, np.load(file, allow_pickle=False) as numbers:
            for name in numbers.files:
                book[name] = numbers[name]
    book["win_before_crib"] = _before_crib(book["win"][0], book["crib_chance"][0])
    return book


def _before_crib(win: NDArray[np.float64], crib_chance: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the chances of winning before an average crib is counted, shaped as `win`.

    The roles of the deal before: 1 is the dealer, whose crib it is and who is pone next.
    """
    chances = np.zeros_like(win)
    for points, chance in enumerate(crib_chance):
        after = np.ones_like(win[0])  # the crib reaches the target
        after[points + 1 :] = win[0, 1 : 122 - points]
        chances[1] += chance * after
    chances[0] = 1.0 - chances[1].T
    return chances


def _load(name: str) -> NDArray[Any]:
    with (DATA / name).open("rb") as file:
        return np.asarray(np.load(file, allow_pickle=False))


def _cards_of_ranks(ranks: tuple[int, ...]) -> list[int]:
    """Return distinct cards of these ranks; equal ranks take the suits in order."""
    return [NUM_SUITS * rank + ranks[:place].count(rank) for place, rank in enumerate(ranks)]


def main() -> None:
    """Write the tables that come from the rules alone."""
    folder = Path(str(DATA))
    folder.mkdir(exist_ok=True)
    np.save(folder / "show_points.npy", build_show_points())
    np.save(folder / "alone_points.npy", build_alone_points())


if __name__ == "__main__":
    main()
