"""The games of `golden/games.txt`, which guard cards and players from now on.

``python -m tests.golden_games`` writes the file anew. A change of it is a change of what seeds mean
or of how a player plays, and belongs into the changelog.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

from cribbage_env.game import Game, write_records
from cribbage_env.match.records import record_game
from cribbage_env.policy import make_policy

FILE = Path(__file__).parent / "golden" / "games.txt"
TARGET = 121
PLAYERS = ("random", "greedy", "club")
SEEDS = (0, 1, 7, 2**32, 2**64 - 1)

Planned = tuple[str, str, int, int]
"""Seat 0's player, seat 1's, the seed, and the number of the game under it."""


def plan() -> list[Planned]:
    """Return the 20 games: every pair of players twice, and two more of random ones."""
    pairs = [*product(PLAYERS, PLAYERS)] * 2 + [("random", "random")] * 2
    return [(*pair, SEEDS[n % len(SEEDS)], n // len(SEEDS)) for n, pair in enumerate(pairs)]


def play(planned: Planned) -> Game:
    """Play one game again."""
    first, second, seed, number = planned
    policies = make_policy(first), make_policy(second)
    names = (first, second)
    return record_game(*policies, 2 * number, seed=seed, target=TARGET, names=names)


def main() -> None:
    """Write the file."""
    FILE.write_text(write_records(map(play, plan())), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
