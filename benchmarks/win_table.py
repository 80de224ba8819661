"""``python -m benchmarks.win_table``: the expert's chances of winning against games played out.

The chance of winning by both needs and the role (`book.win`) is solved from single deals
(`cribbage_env.bots.expert.learn`). Here whole games are played from some positions, the expert in
both seats, and what the table says is compared with the games that were won.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.stats import chi2

from cribbage_env.command_line import OneLineParser
from cribbage_env.engine.tables import load_book
from cribbage_env.lanes import Lanes
from cribbage_env.policy import make_policy

__all__ = ["POSITIONS", "Comparison", "compare"]

TARGET = 121
BATCH_SIZE = 1000

POSITIONS = (
    (0, 0, "dealer"),
    (31, 40, "pone"),
    (61, 61, "dealer"),
    (75, 60, "pone"),
    (70, 85, "dealer"),
    (80, 80, "pone"),
    (85, 95, "dealer"),
    (90, 90, "dealer"),
    (95, 85, "pone"),
    (95, 105, "dealer"),
    (100, 100, "pone"),
    (100, 110, "pone"),
    (105, 95, "dealer"),
    (105, 105, "dealer"),
    (110, 100, "pone"),
    (110, 110, "pone"),
    (110, 116, "dealer"),
    (113, 113, "pone"),
    (116, 118, "pone"),
    (118, 119, "dealer"),
)
"""Own score, the other's, and the own role in the deal to come; twenty, most of them late."""


@dataclass(frozen=True)
class Comparison:
    """What the table says of a position, and how many of its games were won."""

    position: tuple[int, int, str]
    table: float
    wins: int
    games: int

    @property
    def rate(self) -> float:
        """Share of the games that were won."""
        return self.wins / self.games

    @property
    def z(self) -> float:
        """The difference in standard errors of the games, if the table were true."""
        return (self.rate - self.table) / sqrt(self.table * (1 - self.table) / self.games)

    def __str__(self) -> str:
        """Return a row of a table."""
        own, other, role = self.position
        return (
            f"| {own}–{other}, {role} | {self.table:.2%} | {self.rate:.2%} "
            f"| {self.rate - self.table:+.2%} | {self.z:+.1f} |"
        )


def compare(
    position: tuple[int, int, str],
    *,
    games: int,
    seed: int = 0,
    player: str = "expert",
    threads: int = 1,
) -> Comparison:
    """Play games from a position, the same player in both seats, and compare.

    The games of different positions share no deals: each has its own stretch of their numbers.

    Raises:
        ValueError: a role that there isn't, or an unknown player.
    """
    own, other, role = position
    if role not in ("pone", "dealer"):
        raise ValueError(f"a role is pone or dealer, not {role!r}")
    is_dealer = role == "dealer"
    table = load_book()["win"][0, int(is_dealer), TARGET - own, TARGET - other]
    lanes = Lanes(BATCH_SIZE, [make_policy(player)], threads=threads)
    lanes.seats[:] = 0
    begin = games * (POSITIONS.index(position) if position in POSITIONS else len(POSITIONS))
    wins = 0
    for first in range(0, games, BATCH_SIZE):
        number = min(BATCH_SIZE, games - first)
        if number < BATCH_SIZE:
            lanes = Lanes(number, lanes.players, threads=threads)
            lanes.seats[:] = 0
        lanes.begin(
            np.arange(number),
            np.full(number, seed, np.uint64),
            np.arange(begin + first, begin + first + number),
            np.full(number, 0 if is_dealer else 1),
            np.tile([own, other], (number, 1)),
            TARGET,
        )
        lanes.play_on()
        wins += int((lanes.states["winner"] == 0).sum())
    return Comparison(position, float(table), wins, games)


def main(arguments: Sequence[str] | None = None) -> None:
    """Play from all positions and print a row for each, and the sum of the squares."""
    parser = OneLineParser(
        prog="python -m benchmarks.win_table",
        description="Compare the expert's chances of winning with games played out.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--games", type=int, default=10_000, help="games from each position")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--player", default="expert", help="who takes both seats")
    parser.add_argument("--threads", type=int, default=1, help="changes nothing but the time")
    settings = parser.parse_args(arguments)
    for name in ("games", "threads"):
        if getattr(settings, name) < 1:
            parser.error(f"--{name} is 1 or more, not {getattr(settings, name)}")
    begun = time.perf_counter()
    print("| position | table | games won | difference | in standard errors |")
    print("|---|---|---|---|---|")
    squares = 0.0
    for position in POSITIONS:
        found = compare(
            position,
            games=settings.games,
            seed=settings.seed,
            player=settings.player,
            threads=settings.threads,
        )
        squares += found.z**2
        print(found, flush=True)
    freedom = len(POSITIONS)
    print(
        f"chi-square {squares:.1f} with {freedom} degrees of freedom, which chance alone exceeds "
        f"with {chi2.sf(squares, freedom):.1%}; {time.perf_counter() - begun:.0f} s"
    )


if __name__ == "__main__":
    main()
