"""Every hand and crib there is, against the published histogram (R18)."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement
from pathlib import Path

import numpy as np
import numpy.typing as npt

from cribbage_env.scoring import score_hand

GOLDEN = Path(__file__).parent / "golden"
JACK = 10


def plain_points() -> npt.NDArray[np.int64]:
    """Score fifteens, pairs and runs of all ranks by `score_hand`.

    Returns:
        Points by the ranks of the hand in rising order and the rank of the starter, shape
        (13, 13, 13, 13, 13); -1 where there are no such cards.
    """
    points_of: dict[tuple[int, ...], int] = {}
    for ranks in combinations_with_replacement(range(13), 5):
        if ranks[0] == ranks[4]:
            continue
        # Suits in turn give no four of a suit; a jack as the starter can't make another one nobs.
        cards = [4 * rank + place % 4 for place, rank in enumerate(ranks)]
        starter = next((card for card in cards if card // 4 == JACK), cards[0])
        score = score_hand([card for card in cards if card != starter], starter)
        assert score.flush == score.nobs == 0
        points_of[ranks] = score.total
    assert len(points_of) == 6175
    points = np.full((13,) * 5, -1)
    for held in combinations_with_replacement(range(13), 4):
        for rank in range(13):
            ranks = (*held, rank)
            points[ranks] = points_of.get(tuple(sorted(ranks)), -1)
    return points


def all_totals(
    hands: npt.NDArray[np.int64], starters: npt.NDArray[np.int64], plain: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the totals, as hand and as crib, of sorted hands (n, 4) with starters (n,)."""
    ranks, suits = hands // 4, hands % 4
    place = (*ranks.T, starters // 4)
    totals = plain[place]
    assert totals.min() >= 0
    nobs = (hands == (4 * JACK + starters % 4)[:, None]).any(axis=1)
    four = (suits == suits[:, :1]).all(axis=1)
    five = four & (suits[:, 0] == starters % 4)
    return totals + nobs + 4 * four + five, totals + nobs + 5 * five


def test_every_hand_and_crib() -> None:
    plain = plain_points()
    hands = np.array(list(combinations(range(52), 4)))
    assert hands.shape == (270_725, 4)

    counts = np.zeros((2, 30), dtype=np.int64)
    for starter in range(52):
        rest = hands[(hands != starter).all(axis=1)]
        for row, totals in enumerate(all_totals(rest, np.full(len(rest), starter), plain)):
            counts[row] += np.bincount(totals, minlength=30)
    published = np.loadtxt(GOLDEN / "hand_distribution.tsv", dtype=np.int64, skiprows=2)
    assert published[:, 0].tolist() == list(range(30))
    assert counts[0].tolist() == published[:, 1].tolist()
    assert counts[1].tolist() == published[:, 2].tolist()
    assert counts.sum(axis=1).tolist() == [12_994_800, 12_994_800]


def test_the_parts_of_that_count_add_up_to_score_hand() -> None:
    rng = np.random.default_rng(20)
    cards = rng.permuted(np.tile(np.arange(52), (20_000, 1)), axis=1)[:, :5]
    # Flushes are rare: every second hand is made of one suit, with any starter.
    same = rng.permuted(np.tile(np.arange(13), (10_000, 1)), axis=1)[:, :4] * 4
    same += rng.integers(4, size=(10_000, 1))
    fits = (same != cards[:10_000, 4:]).all(axis=1)
    cards[:10_000, :4][fits] = same[fits]
    hands, starters = np.sort(cards[:, :4], axis=1), cards[:, 4]
    as_hand, as_crib = all_totals(hands, starters, plain_points())
    assert np.bincount(as_hand)[[4, 5]].min() > 0
    for hand, starter, total, crib_total in zip(
        hands.tolist(), starters.tolist(), as_hand.tolist(), as_crib.tolist(), strict=True
    ):
        assert score_hand(hand, starter).total == total
        assert score_hand(hand, starter, is_crib=True).total == crib_total
