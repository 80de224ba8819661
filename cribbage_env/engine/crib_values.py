"""The crib table: mean points of the crib into which two given cards were thrown.

``python -m cribbage_env.engine.crib_values`` makes it again, in about two minutes and to the last
bit; beside the table it writes how it was made. Each pair of cards is thrown in every simulated
deal, whether or not it would be a good throw, since rare throws would otherwise hardly be met. The
opponent, dealt six of the other fifty cards, answers with the discard that is best on the mean: its
hand over the unseen starters, with the crib by the current table added or taken off. The crib is
averaged over all starters. From the estimates the next round's table is made, until both players'
throws hardly change: iterated best response.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from cribbage_env.cards import NUM_RANKS, NUM_SUITS
from cribbage_env.command_line import OneLineParser
from cribbage_env.engine.chance import shuffle, stream_of
from cribbage_env.engine.compile import kernel
from cribbage_env.engine.deal import sort_cards
from cribbage_env.engine.expectation import (
    NUM_VALUES,
    TOTAL,
    new_unseen,
    starter_summary,
    take_out,
    write_discard_values,
)
from cribbage_env.engine.tables import DATA, Book, load_book
from cribbage_env.files import DataFiles, pack_array

__all__ = ["CribTable", "build_crib_values", "estimate_crib"]

PONE, DEALER = 0, 1


@dataclass(frozen=True)
class CribTable:
    """A table of mean crib points, and how well it is known."""

    values: NDArray[np.float64]
    """Shape (2, 13, 13, 2): role (0 pone, 1 dealer), two ranks in either order, of one suit."""
    largest_error: float
    """Largest standard error of an entry, in points, from the number of deals."""
    last_change: float
    """Largest change of an entry in the last round, in points."""


@kernel
def estimate_crib(
    first: int, second: int, is_dealer: bool, seed: np.uint64, deals: int, book: Book
) -> tuple[float, float]:
    """Return the mean crib into which a player of this role threw two cards, and its error.

    The error is the standard error of the mean; the opponent's throws follow the book's table.
    """
    others = np.empty(50, np.int16)
    place = 0
    for card in range(52):
        if card != first and card != second:
            others[place] = card
            place += 1
    values = np.empty((15, NUM_VALUES))
    opponent = np.empty(6, np.int16)
    crib = np.empty(4, np.int16)
    pair = 2 * (52 * first + second) + (1 if is_dealer else 0)
    total, squares = 0.0, 0.0
    for deal in range(deals):
        shuffle(stream_of(seed, pair, deal), others, 6)
        opponent[:] = others[:6]
        sort_cards(opponent)
        write_discard_values(opponent, not is_dealer, book, values)
        best = np.argmax(values[:, TOTAL])
        crib[0], crib[1] = first, second
        crib[2] = opponent[book.discard_slots[best, 0]]
        crib[3] = opponent[book.discard_slots[best, 1]]
        sort_cards(crib)
        unseen = new_unseen()
        take_out(unseen, first)
        take_out(unseen, second)
        for slot in range(6):
            take_out(unseen, opponent[slot])
        points = starter_summary(crib, unseen, True, book)[0] / 44.0
        total += points
        squares += points * points
    mean = total / deals
    return mean, np.sqrt((squares / deals - mean * mean) / deals)


def _check_numbers(deals: int, rounds: int, seed: int) -> None:
    for name, number in (("deals", deals), ("rounds", rounds)):
        if number < 1:
            raise ValueError(f"{name} must be 1 or more, not {number}")
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed must be 0..2**64-1, not {seed}")


def build_crib_values(*, deals: int, rounds: int, seed: int) -> CribTable:
    """Return the table after so many rounds of so many deals for each pair of cards and role.

    Every round has the same deals, so that the change from round to round is the players' alone.

    Raises:
        ValueError: ``deals`` or ``rounds`` is below 1, or ``seed`` is outside 0..2**64-1.
    """
    _check_numbers(deals, rounds, seed)
    book = load_book().copy()
    table = np.zeros((2, NUM_RANKS, NUM_RANKS, 2))
    errors = np.zeros_like(table)
    change = 0.0
    for number in range(rounds):
        before = table.copy()
        for role in (DEALER, PONE):
            book["crib_value"] = table
            means, errors[role] = _estimate_role(role, np.uint64(seed), deals, book)
            # Full steps of both players would swing around the point at which neither moves.
            step = 0.5 if role == PONE and number > 0 else 1.0
            table[role] += step * (means - table[role])
        change = float(np.abs(table - before).max())
    return CribTable(table, float(errors.max()), change)


def _estimate_role(
    role: int, seed: np.uint64, deals: int, book: NDArray[Any]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the means and errors of a role's throws, each of shape (13, 13, 2)."""
    means, errors = np.zeros((2, NUM_RANKS, NUM_RANKS, 2))
    for low, high in combinations_with_replacement(range(NUM_RANKS), 2):
        for is_suited in (0, 1):
            # No two cards of one rank are of one suit: that entry is a copy of the other.
            suit = 0 if is_suited and low != high else 1
            cards = NUM_SUITS * low, NUM_SUITS * high + suit
            mean, error = estimate_crib(*cards, role == DEALER, seed, deals, book[0])
            means[low, high, is_suited] = means[high, low, is_suited] = mean
            errors[low, high, is_suited] = errors[high, low, is_suited] = error
    return means, errors


def main(arguments: Sequence[str] | None = None) -> None:
    """Make the table and write it, with its provenance, into the package's data."""
    parser = OneLineParser(
        prog="python -m cribbage_env.engine.crib_values",
        description="Make the crib table again.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--deals", type=int, default=20_000, help="deals for each pair and role")
    parser.add_argument("--rounds", type=int, default=6, help="rounds of best response")
    parser.add_argument("--seed", type=int, default=1, help="seed of all deals")
    parser.add_argument("--folder", type=Path, default=Path(str(DATA)), help="where to write")
    parser.add_argument("--overwrite", action="store_true", help="replace files that exist")
    options = parser.parse_args(arguments)
    try:
        _check_numbers(options.deals, options.rounds, options.seed)
        files = DataFiles(options.folder / "crib_values.npy", overwrite=options.overwrite)
    except ValueError as error:
        parser.error(str(error))
    table = build_crib_values(deals=options.deals, rounds=options.rounds, seed=options.seed)
    facts = _provenance(table, options.deals, options.rounds, options.seed)
    files.write(pack_array(table.values), facts)


def _provenance(table: CribTable, deals: int, rounds: int, seed: int) -> dict[str, Any]:
    return {
        "what": "mean points of the crib by role (0 pone, 1 dealer), the two ranks thrown, suited",
        "command": f"python -m cribbage_env.engine.crib_values "
        f"--deals {deals} --rounds {rounds} --seed {seed}",
        "deals": deals,
        "rounds": rounds,
        "seed": seed,
        "largest_standard_error": round(table.largest_error, 5),
        "largest_change_in_last_round": round(table.last_change, 5),
        "versions": {"numpy": np.__version__, "numba": numba.__version__},
    }


if __name__ == "__main__":
    main()
