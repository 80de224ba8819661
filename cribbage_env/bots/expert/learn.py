"""The numbers that the expert knows, computed from the project's own deals.

``python -m cribbage_env.bots.expert.learn`` writes ``data/expert.npz`` and how it was made. In
turn: what a reply scores on average (from the rules alone), which hands are kept and which pairs
thrown by exact expected values, what each hand pegs in quick play, and the chance of winning from
every score (`solve`).
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations_with_replacement
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots.expert.ranks import NO_RANK, rank_points, rank_value
from cribbage_env.bots.expert.rollout import play_out
from cribbage_env.bots.expert.solve import solve
from cribbage_env.bots.expert.winning import NUM_PEGS
from cribbage_env.command_line import OneLineParser
from cribbage_env.engine import expectation
from cribbage_env.engine.chance import draw, shuffle, stream_of
from cribbage_env.engine.compile import kernel
from cribbage_env.engine.deal import sort_cards
from cribbage_env.engine.expectation import write_discard_values, write_kept
from cribbage_env.engine.show import hand_index
from cribbage_env.engine.tables import DATA, NUM_HANDS, load_book, rank_index
from cribbage_env.files import DataFiles, pack_arrays

__all__ = ["learn", "main"]

REPLY_CARDS = 3
"""How many random cards the average reply is the best of."""
SMOOTHING = 0.05


@kernel
def write_reply_risk(risk: NDArray[np.float64]) -> None:
    """Write the mean points of the best reply by count, last rank and the rank before it.

    `risk` is ``(32, 13, 14)``; the reply is the best of REPLY_CARDS independent ranks.
    """
    pile, worth = np.empty(3, np.int64), np.empty(13, np.int64)
    for count in range(32):
        for last in range(13):
            for before in range(14):
                size = 1 if before == NO_RANK else 2
                pile[0] = before
                pile[size - 1] = last
                for rank in range(13):
                    worth[rank] = 0
                    if count + rank_value(rank) <= 31:
                        pile[size] = rank
                        worth[rank] = rank_points(pile, size + 1, count + rank_value(rank))
                mean, below = 0.0, 0.0
                for points in range(15):
                    share = (worth <= points).sum() / 13
                    mean += points * (share**REPLY_CARDS - below)
                    below = share**REPLY_CARDS
                risk[count, last, before] = mean


@kernel
def count_discards(
    role: int,
    deals: int,
    seed: int,
    book: NDArray[Any],
    kept_counts: NDArray[np.float64],
    thrown_counts: NDArray[np.float64],
) -> None:
    """Count which four ranks are kept and which two thrown by the best exact expected value."""
    deck = np.arange(52).astype(np.int16)
    values = np.empty((15, expectation.NUM_VALUES))
    kept, dealt = np.empty(4, np.int16), np.empty(6, np.int16)
    for deal in range(deals):
        shuffle(np.uint64(stream_of(np.uint64(seed), role, deal)), deck, 6)
        dealt[:] = deck[:6]
        sort_cards(dealt)
        write_discard_values(dealt, role == 1, book[0], values)
        best = 0
        for action in range(1, 15):
            if values[action, expectation.TOTAL] > values[best, expectation.TOTAL]:
                best = action
        first, second = book[0].discard_slots[best, 0], book[0].discard_slots[best, 1]
        write_kept(dealt, first, second, kept)
        kept_counts[hand_index(kept, book[0])] += 1
        is_suited = 1 if dealt[first] % 4 == dealt[second] % 4 else 0
        thrown_counts[dealt[first] // 4, dealt[second] // 4, is_suited] += 1


@kernel
def count_pegs(
    samples: int,
    seed: int,
    hands: NDArray[np.int64],
    book: NDArray[Any],
    chances: NDArray[np.float64],
) -> None:
    """Write the distribution of points pegged in quick play, own and opponent's, by role and hand.

    `hands` is ``(1820, 4)``: the ranks of each index; `chances` is ``(2, 1820, 2, NUM_PEGS)``. The
    other hand is drawn by how readily it is kept, from the cards that are left.
    """
    pool, cumulative = np.empty(13, np.int64), np.empty(NUM_HANDS)
    pair, pile = np.empty((2, 4), np.int64), np.empty(14, np.int64)
    points, needs = np.empty(2, np.int64), np.full(2, 1000)
    for role in range(2):
        for own in range(NUM_HANDS):
            pool[:] = 4
            for place in range(4):
                pool[hands[own, place]] -= 1
            total = 0.0
            for other in range(NUM_HANDS):
                weight = book[0].keep_weight[1 - role, other]
                same = 0
                for place in range(4):
                    rank = hands[other, place]
                    same = same + 1 if place > 0 and rank == hands[other, place - 1] else 1
                    weight *= max(0.0, (pool[rank] - same + 1) / same)
                total += weight
                cumulative[other] = total
            stream = np.uint64(stream_of(np.uint64(seed), role, own))
            start = draw(stream, 0, 1 << 30) / (1 << 30)
            other = 0
            for sample in range(samples):
                while cumulative[other] < (sample + start) / samples * total:
                    other += 1
                pair[0], pair[1] = hands[own], hands[other]
                points[:] = 0
                play_out(pair, pile, 0, 0, role, 1 - role, 8, False, needs, book[0], points)
                for player in range(2):
                    chances[role, own, player, min(points[player], NUM_PEGS - 1)] += 1.0 / samples


def _rank_hands() -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the four ranks of every index, and in how many ways four cards make them."""
    hands, ways = np.zeros((NUM_HANDS, 4), np.int64), np.zeros(NUM_HANDS)
    for ranks in combinations_with_replacement(range(13), 4):
        index = rank_index(ranks)
        hands[index] = ranks
        ways[index] = np.prod([comb(4, ranks.count(rank)) for rank in set(ranks)])
    return hands, ways


def _pair_ways() -> NDArray[np.float64]:
    """Return in how many ways two ranks (lower first), unsuited or suited, are two cards."""
    ways = np.zeros((13, 13, 2))
    ways[:, :, 0], ways[:, :, 1] = 12, 4
    ways[np.arange(13), np.arange(13), 0] = 6
    return ways


def learn(
    deals: int, samples: int, games: int, last_error: float, seed: int
) -> dict[str, NDArray[Any]]:
    """Return the expert's numbers, each a field of the book; the book holds them from then on.

    `deals` for the discards of each role, `samples` of the other hand for each hand's pegging,
    `games` single deals for the chance of winning, of which near the end so many are played again
    that it is known to `last_error` (`solve`).
    """
    book = load_book()
    hands, ways = _rank_hands()
    write_reply_risk(book["reply_risk"][0])
    kept, thrown = np.zeros((2, NUM_HANDS)), np.zeros((2, 13, 13, 2))
    with ThreadPoolExecutor(2) as pool:
        for _ in pool.map(
            lambda role: count_discards(role, deals, seed, book, kept[role], thrown[role]), (0, 1)
        ):
            pass
    book["keep_weight"][0] = (kept + SMOOTHING) / ways / deals
    book["throw_weight"][0] = (thrown + SMOOTHING) / _pair_ways() / deals
    chances = np.zeros((2, NUM_HANDS, 2, NUM_PEGS))
    count_pegs(samples, seed, hands, book, chances)
    book["peg_chance"][0] = chances
    book["peg"][0] = chances @ np.arange(NUM_PEGS)
    solve(games, last_error, seed)
    return {name: book[name][0].copy() for name in LEARNED}


LEARNED = (
    "reply_risk",
    "keep_weight",
    "throw_weight",
    "peg",
    "peg_chance",
    "hand_chance",
    "crib_chance",
    "win",
)
"""The fields of the book that are learned here."""


def main(argv: Sequence[str] | None = None) -> None:
    """Compute the numbers and write them, with how they were made."""
    parser = OneLineParser(
        prog="python -m cribbage_env.bots.expert.learn",
        description="Compute what the expert knows and write it to a folder.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--deals", type=int, default=8_000_000, help="deals for the discards")
    parser.add_argument("--samples", type=int, default=4_000, help="hands against each hand")
    parser.add_argument("--games", type=int, default=240_000, help="deals for the win table")
    parser.add_argument(
        "--last-error",
        type=float,
        default=0.0025,
        help="standard error of the chance of winning from each score near the end",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--folder", type=Path, default=Path(str(DATA)), help="by default the package's own data"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace files that exist")
    settings = parser.parse_args(argv)
    try:
        for name in ("deals", "samples", "games"):
            if getattr(settings, name) < 1:
                raise ValueError(f"--{name} is 1 or more, not {getattr(settings, name)}")
        if not 0 < settings.last_error < 1:
            raise ValueError(f"--last-error lies between 0 and 1, not {settings.last_error}")
        if not 0 <= settings.seed < 1 << 63:
            raise ValueError(f"--seed lies in 0..2^63-1, not {settings.seed}")
        files = DataFiles(settings.folder / "expert.npz", overwrite=settings.overwrite)
    except ValueError as error:
        parser.error(str(error))
    numbers = learn(
        settings.deals, settings.samples, settings.games, settings.last_error, settings.seed
    )
    stored = {name: values.astype(np.float32) for name, values in numbers.items()}
    made = {
        "command": (
            f"python -m cribbage_env.bots.expert.learn --deals {settings.deals} --samples "
            f"{settings.samples} --games {settings.games} --last-error {settings.last_error} "
            f"--seed {settings.seed}"
        ),
        "fields": {name: list(values.shape) for name, values in stored.items()},
    }
    files.write(pack_arrays(stored), made)


if __name__ == "__main__":
    main()
