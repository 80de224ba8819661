"""The deal by statistics: fixed seeds, so that each test always comes out the same.

Each says how small a fault it would have found: its power is worked out and asserted beside it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env.engine.chance import shuffle, stream_of
from cribbage_env.engine.layout import DEAL_OVER, NO_LOG, NOBODY
from cribbage_env.lanes import Lanes, begin_next_deals

stats = pytest.importorskip("scipy.stats")

NUMBER = 500_000
LEVEL = 1e-4
"""How seldom a fair deal would fail a test with other seeds."""


@cache
def dealt(seeds_apart: int = 1, game: int = 0, deals: int = 1) -> Any:
    """Return the states of many games right after a deal, neighbouring seeds side by side."""
    lanes = Lanes(NUMBER)
    every = np.arange(NUMBER)
    lanes.begin(
        every,
        (every * seeds_apart).astype(np.uint64),
        np.full(NUMBER, game),
        np.full(NUMBER, NOBODY),
        np.zeros((NUMBER, 2), np.int64),
        121,
    )
    for _ in range(deals - 1):
        lanes.states["phase"] = DEAL_OVER
        begin_next_deals(lanes.states, NO_LOG)
    return lanes.states


def check_even(counts: NDArray[Any], shares: Any = None) -> None:
    """Check counts against their expected shares, all equal unless given."""
    total = counts.sum()
    expected = np.full(len(counts), 1 / len(counts)) if shares is None else np.asarray(shares)
    found = stats.chisquare(counts, expected * total)
    assert found.pvalue > LEVEL, (found, counts.tolist())


def power_of(bias: float, categories: int, number: int) -> float:
    """Return how surely a chi-square test finds one category more likely by a share `bias`."""
    share = 1 / categories
    excess = share * bias
    effect = excess**2 / share + (excess / (categories - 1)) ** 2 / share * (categories - 1)
    critical = stats.chi2.ppf(1 - LEVEL, categories - 1)
    return float(stats.ncx2.sf(critical, categories - 1, number * effect))


def test_every_card_is_equally_likely_in_every_hand_and_as_the_starter() -> None:
    states = dealt()
    for seat in (0, 1):
        # Cards of one hand differ, which makes the counts even more even: the test is cautious.
        check_even(np.bincount(states["dealt"][:, seat].ravel(), minlength=52))
    check_even(np.bincount(states["starter"], minlength=52))
    assert power_of(0.10, 52, NUMBER) > 0.99


# No `kernel`: its cache on disk looks at the package's sources, not at this file.
@numba.njit
def _shuffle_all(decks: NDArray[np.int16]) -> None:
    for row in range(decks.shape[0]):
        shuffle(stream_of(np.uint64(row), 0, 1), decks[row], 13)


def test_every_card_is_equally_likely_in_every_place_of_the_deck() -> None:
    """Hands are sorted, so the order in which cards are dealt is looked at in the deck."""
    decks = np.tile(np.arange(52, dtype=np.int16), (NUMBER, 1))
    _shuffle_all(decks)
    assert (np.sort(decks[:100], axis=1) == np.arange(52)).all()
    for place in range(13):
        check_even(np.bincount(decks[:, place], minlength=52))
    # Two neighbouring places: the second card is any of the other 51.
    apart = (decks[:, 1:13].astype(int) - decks[:, :12]) % 52
    assert (apart > 0).all()
    check_even(np.bincount(apart.ravel(), minlength=52)[1:])
    assert power_of(0.10, 52, NUMBER) > 0.99


def test_heels_come_once_in_thirteen_deals() -> None:
    ranks = np.bincount(dealt()["starter"] // 4, minlength=13)
    check_even(ranks)
    heels = int(ranks[10])
    assert stats.binomtest(heels, NUMBER, 1 / 13).pvalue > LEVEL
    assert power_of(0.04, 13, NUMBER) > 0.99


def test_the_first_dealer_is_either_seat_half_the_time() -> None:
    for game in (0, 1):
        dealers = np.bincount(dealt(game=game)["first_dealer"], minlength=2)
        assert stats.binomtest(int(dealers[0]), NUMBER, 0.5).pvalue > LEVEL
    assert power_of(0.01, 2, NUMBER) > 0.99


NEIGHBOURS = {
    "seeds": lambda: (dealt()[:-1], dealt()[1:]),
    "seeds 2**32 apart": lambda: (dealt(2**32)[:-1], dealt(2**32)[1:]),
    "games": lambda: (dealt(), dealt(game=1)),
    "deals": lambda: (dealt(), dealt(deals=2)),
    "a seed and the next seed's next game": lambda: (dealt()[:-1], dealt(game=1)[1:]),
}


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
def test_neighbours_have_nothing_in_common(neighbours: str) -> None:
    """Lane i of a vector environment has seed s + i, so neighbouring seeds are its lanes."""
    first, second = NEIGHBOURS[neighbours]()
    number = len(first)
    for seat, other in ((0, 0), (0, 1), (1, 1)):
        mine = first["dealt"][:, seat, :, None]
        shared = (mine == second["dealt"][:, other, None, :]).sum(axis=(1, 2))
        counts = np.bincount(shared, minlength=7)
        shares = stats.hypergeom(52, 6, 6).pmf(np.arange(7))
        # Too few hands share four cards and more for categories of their own.
        check_even(np.append(counts[:4], counts[4:].sum()), np.append(shares[:4], shares[4:].sum()))
    pairs = 52 * first["starter"].astype(int) + second["starter"]
    check_even(np.bincount(pairs, minlength=52 * 52))
    same_dealer = int((first["first_dealer"] == second["first_dealer"]).sum())
    if neighbours != "deals":
        assert stats.binomtest(same_dealer, number, 0.5).pvalue > LEVEL
    values = [np.minimum(half["dealt"] // 4 + 1, 10).sum(axis=2) for half in (first, second)]
    for seat in (0, 1):
        assert abs(np.corrcoef(values[0][:, seat], values[1][:, seat])[0, 1]) < 0.01


def test_a_correlation_of_one_percent_would_have_been_found() -> None:
    # The correlation of independent numbers has a standard deviation of 1 / sqrt(NUMBER).
    assert stats.norm.sf(0.01 * np.sqrt(NUMBER)) < LEVEL


def test_a_card_is_no_likelier_next_to_its_neighbour_in_one_hand() -> None:
    """Pairs within a hand: each of the 1,326 pairs of cards is equally likely."""
    hands = dealt()["dealt"][:, 0].astype(int)
    counts = np.zeros(52 * 52, np.int64)
    for low in range(6):
        for high in range(low + 1, 6):
            counts += np.bincount(52 * hands[:, low] + hands[:, high], minlength=52 * 52)
    table = counts.reshape(52, 52)
    assert (np.tril(table) == 0).all()
    check_even(table[np.triu_indices(52, 1)])
