"""The numbers of `golden/play_trees.tsv`: how two hands of four can be laid, and what that brings.

``python -m tests.play_trees`` writes the file anew, from the slow referee alone. The pairs are
chosen to meet what is rare (four of a kind, long runs, many goes, 31 again and again), and some are
dealt at random with a fixed seed.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

from tests.referee import play_out, read_cards, write_cards

FILE = Path(__file__).parent / "golden" / "play_trees.tsv"
HEAD = """\
# For two hands of four: the complete lines of play, every card told apart, and the points of pone
# and dealer (R8, R9) added up over all of them. Pone leads. Counted by tests/referee.py alone:
# python -m tests.play_trees
pone\tdealer\tlines\tpoints_pone\tpoints_dealer
"""
CHOSEN = (
    ("AC AD AH AS", "2C 2D 2H 2S"),
    ("5C 5D 5H 5S", "TC TD JH QS"),
    ("TC TD TH TS", "KC KD KH KS"),
    ("TC TD TH TS", "AC AD AH AS"),
    ("AC 2C 3C 4C", "5D 6D 7D 8D"),
    ("AC 3C 5C 7C", "2D 4D 6D 8D"),
    ("6C 7D 8H 9S", "6D 7H 8S 9C"),
    ("7C 7D 8H 8S", "7H 7S 8C 8D"),
    ("5C JD QH KS", "5D JH QS KC"),
    ("AC AD 2H 2S", "AH AS 2C 2D"),
    ("AC 2D 3H 4S", "AD 2H 3S 4C"),
    ("9C 9D 9H 9S", "3C 3D 3H 3S"),
    ("8C 8D 8H 7C", "7D 7H 7S 8S"),
    ("4C 4D 5H 6S", "4H 4S 5C 6D"),
    ("KC KD KH QS", "AC 2D 3H 4S"),
    ("AC 2D 3H 4S", "KC KD KH QS"),
    ("AC 5D TH KS", "AD 5H TS KC"),
    ("6C 6D 9H 9S", "6H 6S 9C 9D"),
    ("2C 3D 4H TS", "2D 3H 4S JC"),
    ("AC 4D 7H TS", "2D 5H 8S JC"),
)
NUM_DEALT, DEALT_SEED = 40, 121


class PlayTree(NamedTuple):
    """One line of the file."""

    pone: str
    dealer: str
    lines: int
    points: tuple[int, int]


def pairs() -> list[tuple[str, str]]:
    """Return the pairs of hands that are listed."""
    rng = random.Random(DEALT_SEED)
    dealt = [rng.sample(range(52), 8) for _ in range(NUM_DEALT)]
    return [*CHOSEN, *((write_cards(sorted(c[:4])), write_cards(sorted(c[4:]))) for c in dealt)]


def count(pone: str, dealer: str) -> PlayTree:
    """Let the referee lay two hands in every way."""
    lines, points = play_out((read_cards(pone), read_cards(dealer)), leader=0)
    return PlayTree(pone, dealer, lines, points)


def read() -> list[PlayTree]:
    """Return what the file holds."""
    text = FILE.read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in text if not line.startswith("#")][1:]
    return [PlayTree(row[0], row[1], int(row[2]), (int(row[3]), int(row[4]))) for row in rows]


def main() -> None:
    """Write the file."""
    lines = [
        f"{pone}\t{dealer}\t{lines}\t{points[0]}\t{points[1]}\n"
        for pone, dealer, lines, points in (count(*pair) for pair in pairs())
    ]
    FILE.write_text(HEAD + "".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
