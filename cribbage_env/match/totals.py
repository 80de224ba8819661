"""What a match counts: sums of whole numbers over pairs of games, so that parts of it add up."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribbage_env.engine.compile import kernel
from cribbage_env.engine.layout import NO_CARD, States
from cribbage_env.lanes import TALLIED_DEALS, Lanes
from cribbage_env.rewards import skunk_of

__all__ = ["MatchTotals", "count_pairs"]

Pair: TypeAlias = tuple[int, int]
Points: TypeAlias = tuple[tuple[tuple[int, ...], ...], ...]

_NO_POINTS: Points = (((0,) * 4,) * 2,) * 2


@dataclass(frozen=True)
class MatchTotals:
    """The counts of some pairs of games between players a and b; `+` adds those of other pairs.

    >>> MatchTotals(pair_wins=(1, 2, 3)) + MatchTotals(pair_wins=(0, 1, 0))
    ... # doctest: +ELLIPSIS
    MatchTotals(pair_wins=(1, 3, 3), margin=0, ...
    """

    pair_wins: tuple[int, int, int] = (0, 0, 0)
    """Pairs of which a won 0, 1 and 2 games."""
    margin: int = 0
    """Points by which a led at the end, summed over games."""
    margin_squares: int = 0
    """Squares of the margin of a pair (that of both games together), summed over pairs."""
    repeated_pairs: int = 0
    """Pairs whose two games came out alike to the last card, as when a player meets itself."""
    deals: int = 0
    decisions: int = 0
    first_dealer_wins: int = 0
    skunks: Pair = (0, 0)
    """Games won with a skunk or a double skunk by a and b (R20)."""
    double_skunks: Pair = (0, 0)
    tallied_deals: tuple[Pair, Pair] = ((0, 0), (0, 0))
    """Of the first four deals of each game, how many a and b played as pone and as dealer."""
    points: Points = _NO_POINTS
    """Points in them by player, role (pone, dealer) and source (hand, crib, play, heels)."""

    @property
    def pairs(self) -> int:
        """Pairs of games."""
        return sum(self.pair_wins)

    @property
    def games(self) -> int:
        """Games."""
        return 2 * self.pairs

    @property
    def wins_a(self) -> int:
        """Games won by a."""
        return self.pair_wins[1] + 2 * self.pair_wins[2]

    @property
    def distinct_games(self) -> int:
        """Games less those that repeated the other game of their pair."""
        return self.games - self.repeated_pairs

    def __add__(self, other: MatchTotals) -> MatchTotals:
        """Return the totals of both."""
        return MatchTotals(
            *(
                add_nested(own, more)
                for own, more in zip(astuple(self), astuple(other), strict=True)
            )
        )

    def swapped(self) -> MatchTotals:
        """Return the totals of the same games with the players' places exchanged."""
        return MatchTotals(
            pair_wins=(self.pair_wins[2], self.pair_wins[1], self.pair_wins[0]),
            margin=-self.margin,
            margin_squares=self.margin_squares,
            repeated_pairs=self.repeated_pairs,
            deals=self.deals,
            decisions=self.decisions,
            first_dealer_wins=self.first_dealer_wins,
            skunks=self.skunks[::-1],
            double_skunks=self.double_skunks[::-1],
            tallied_deals=self.tallied_deals[::-1],
            points=self.points[::-1],
        )


def add_nested(own: Any, more: Any) -> Any:
    """Return the sums of two nested tuples of the same shape."""
    if isinstance(own, tuple):
        return tuple(add_nested(*both) for both in zip(own, more, strict=True))
    return own + more


def count_pairs(lanes: Lanes) -> MatchTotals:
    """Count games that are over: a sits in seat 0 in the first half of the lanes, else in seat 1.

    Lane k of the second half has the deals of lane k of the first.
    """
    states = lanes.states
    pairs = len(states) // 2
    every = np.arange(2 * pairs)
    seat_of = np.repeat([[0, 1], [1, 0]], pairs, axis=0)  # of a and b in each lane
    scores = states["scores"].astype(np.int64)
    is_win = states["winner"] == seat_of[:, 0]
    pair_wins = is_win[:pairs].astype(np.int64) + is_win[pairs:]
    margins = scores[every, seat_of[:, 0]] - scores[every, seat_of[:, 1]]
    pair_margins = margins[:pairs] + margins[pairs:]
    skunks = np.empty(2 * pairs, np.int64)
    _write_skunks(states, skunks)
    tallied = _tallied_deals(states["deals"], states["first_dealer"])
    return MatchTotals(
        pair_wins=as_tuples(np.bincount(pair_wins, minlength=3)),
        margin=int(margins.sum()),
        margin_squares=int((pair_margins**2).sum()),
        repeated_pairs=_count_repeated(lanes, pairs),
        deals=int(states["deals"].sum()),
        decisions=_count_decisions(states),
        first_dealer_wins=int((states["winner"] == states["first_dealer"]).sum()),
        skunks=_by_winner(skunks > 0, is_win),
        double_skunks=_by_winner(skunks == 2, is_win),
        tallied_deals=as_tuples(_by_player(tallied, seat_of)),
        points=as_tuples(_by_player(lanes.tally, seat_of)),
    )


def _by_winner(games: NDArray[np.bool_], is_win: NDArray[np.bool_]) -> Pair:
    """Count games won by a and by b."""
    return int((games & is_win).sum()), int((games & ~is_win).sum())


@kernel
def _write_skunks(states: States, skunks: NDArray[np.int64]) -> None:
    for i in range(states.shape[0]):
        skunks[i] = skunk_of(states[i])


def _tallied_deals(deals: NDArray[Any], first_dealer: NDArray[Any]) -> NDArray[np.int64]:
    """Return how many tallied deals each seat of each game played as pone and dealer: (N, 2, 2)."""
    number = np.minimum(deals, TALLIED_DEALS)
    as_dealer = np.empty((len(deals), 2), np.int64)
    every = np.arange(len(deals))
    as_dealer[every, first_dealer] = (number + 1) // 2  # the deal alternates (R3)
    as_dealer[every, 1 - first_dealer] = number // 2
    return np.stack([number[:, None] - as_dealer, as_dealer], axis=2)


def _count_repeated(lanes: Lanes, pairs: int) -> int:
    """Count the pairs whose games have the same last deal, scores and points of the first deals."""
    states = lanes.states.view(np.uint8).reshape(2, pairs, lanes.states.itemsize)
    is_same_end = (states[0] == states[1]).all(axis=1)
    is_same_tally = (lanes.tally[:pairs] == lanes.tally[pairs:]).all(axis=(1, 2, 3))
    return int((is_same_end & is_same_tally).sum())


def _count_decisions(states: NDArray[Any]) -> int:
    """Count discards and cards laid: ten in each deal that was finished."""
    discards = (states["discards"][:, :, 0] != NO_CARD).sum()
    return int(10 * (states["deals"] - 1).sum() + discards + states["plays_made"].sum())


def _by_player(by_seat: NDArray[np.int64], seat_of: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sum over games what stands by game and seat, sorted by player."""
    every = np.arange(len(by_seat))
    return np.stack([by_seat[every, seat_of[:, player]].sum(axis=0) for player in (0, 1)])


def as_tuples(numbers: Any) -> Any:
    """Return an array as nested tuples of Python's integers."""
    if numbers.ndim == 0:
        return int(numbers)
    return tuple(as_tuples(row) for row in numbers)
