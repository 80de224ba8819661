"""``python -m benchmarks.single_deals A B``: points a deal between two players, deal by deal.

Single deals from 0 to 0, each played both ways round, tell small differences in play apart with far
fewer deals than whole games. What a part of the expert is worth in points a deal
(ARCHITECTURE.md, docs/experiments.md) is measured so; what it is worth in games need not follow.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from cribbage_env.command_line import OneLineParser, one_line
from cribbage_env.engine.layout import FROM_PLAY, NOBODY
from cribbage_env.game import check_seed
from cribbage_env.lanes import Lanes
from cribbage_env.policy import Policy, make_policy

__all__ = ["Difference", "compare"]

TARGET = 121
BATCH_SIZE = 2000
SURE = 1.96


@dataclass(frozen=True)
class Difference:
    """What the first player makes more than the second, in points a deal.

    Attributes:
        pairs: float64 ``(n, 2)``: the points of the play and all points, each row the mean of a
            deal played both ways round.
    """

    pairs: NDArray[np.float64]

    @property
    def means(self) -> NDArray[np.float64]:
        """Points a deal, ``(2,)``: of the play, and of all."""
        return np.asarray(self.pairs.mean(axis=0))

    @property
    def half_widths(self) -> NDArray[np.float64]:
        """Half of the 95 % intervals, ``(2,)``."""
        return np.asarray(SURE * self.pairs.std(axis=0, ddof=1) / sqrt(len(self.pairs)))

    def __str__(self) -> str:
        """Return both on one line."""
        words = [
            f"{name} {mean:+.3f} ± {width:.3f}"
            for name, mean, width in zip(("play", "all"), self.means, self.half_widths, strict=True)
        ]
        return f"{', '.join(words)} points a deal ({len(self.pairs)} deals, both ways round)"


def compare(a: str, b: str, *, deals: int, seed: int = 7, threads: int = 1) -> Difference:
    """Play deals of two players, each twice with the seats swapped.

    Raises:
        ValueError: an unknown player, fewer than two deals, no thread, or a bad seed.
    """
    if deals < 2:
        raise ValueError(f"deals must be 2 or more, not {deals}")
    if threads < 1:
        raise ValueError(f"threads must be 1 or more, not {threads}")
    seed = check_seed(seed)
    players = [make_policy(a), make_policy(b)]
    batches = (
        _play(players, first, min(BATCH_SIZE, deals - first), seed, threads)
        for first in range(0, deals, BATCH_SIZE)
    )
    return Difference(np.concatenate(list(batches)))


def _play(
    players: Sequence[Policy], first: int, number: int, seed: int, threads: int
) -> NDArray[np.float64]:
    """Return the mean of both ways round for each deal, as `Difference` has it."""
    total = np.zeros((number, 2))
    for seat in (0, 1):
        lanes = Lanes(number, players, is_one_deal=True, threads=threads)
        lanes.seats[:, seat], lanes.seats[:, 1 - seat] = 0, 1
        lanes.begin(
            np.arange(number),
            np.full(number, seed, np.uint64),
            np.arange(first, first + number),
            np.full(number, NOBODY),
            np.zeros((number, 2), np.int64),
            TARGET,
        )
        lanes.play_on()
        more = (
            lanes.states["points"][:, seat].astype(np.int64) - lanes.states["points"][:, 1 - seat]
        )
        total[:, 0] += more[:, FROM_PLAY]
        total[:, 1] += more.sum(axis=1)
    return total / 2


def main(arguments: Sequence[str] | None = None) -> None:
    """Play and print a line."""
    parser = OneLineParser(
        prog="python -m benchmarks.single_deals",
        description="Measure two players against each other in points a deal.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("a", help="a player, such as expert:habits=true")
    parser.add_argument("b", help="another")
    parser.add_argument("--deals", type=int, default=20_000, help="each is played twice")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--threads", type=int, default=1, help="changes nothing but the time")
    settings = parser.parse_args(arguments)
    begun = time.perf_counter()
    try:
        found = compare(
            settings.a,
            settings.b,
            deals=settings.deals,
            seed=settings.seed,
            threads=settings.threads,
        )
    except ValueError as error:
        parser.error(one_line(error))
    print(f"{settings.a} against {settings.b}: {found}; {time.perf_counter() - begun:.0f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
