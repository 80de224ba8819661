"""Playing a match: pairs of games with the same deals and the players' seats swapped."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cribbage_env.engine.layout import NOBODY
from cribbage_env.game import check_seed, make_beginning
from cribbage_env.lanes import Lanes
from cribbage_env.match.result import MatchResult
from cribbage_env.match.totals import MatchTotals, count_pairs
from cribbage_env.policy import Policy, PolicyLike, make_policy

__all__ = [
    "BATCH_SIZE",
    "LOOK_EVERY",
    "MatchSettings",
    "begin_pairs",
    "load_kernels",
    "name_of",
    "play_batch",
    "play_match",
    "play_pairs",
]

BATCH_SIZE = 1024
"""Games side by side; what a match brings doesn't depend on it."""

LOOK_EVERY = 1000
"""Games between two looks at the interval, under `until_half_width`."""

Progress = Callable[[MatchTotals], None]


@dataclass(frozen=True)
class MatchSettings:
    """How a match is played; makes sure that it can be.

    >>> MatchSettings(games=3)
    Traceback (most recent call last):
    ValueError: games must be even and 2 or more, as they come in pairs, not 3
    """

    games: int
    """Games in all; under `until_half_width` the most that are played."""
    seed: int = 0
    target: int = 121
    batch_size: int = BATCH_SIZE
    """Games side by side."""
    until_half_width: float | None = None
    """Half width of the 95 % interval of the win rate at which to end; looked at every thousand
    games."""

    def __post_init__(self) -> None:
        """Check every value.

        Raises:
            ValueError: a value out of range, an odd number of games.
            TypeError: a value of the wrong type.
        """
        make_beginning(check_seed(self.seed), None, (0, 0), self.target, None)
        if _whole(self.games, "games") < 2 or self.games % 2:
            raise ValueError(
                f"games must be even and 2 or more, as they come in pairs, not {self.games}"
            )
        _check_batch_size(self.batch_size)
        width = self.until_half_width
        if width is not None and not 0 < width < 1:
            raise ValueError(f"until_half_width must lie between 0 and 1, not {width!r}")


def play_match(
    a: PolicyLike,
    b: PolicyLike,
    *,
    games: int,
    seed: int = 0,
    target: int = 121,
    batch_size: int = BATCH_SIZE,
    until_half_width: float | None = None,
    progress: Progress | None = None,
    names: tuple[str, str] | None = None,
) -> MatchResult:
    """Play a duplicate match: for each pair k both games have the deals of (`seed`, game k).

    The settings are those of `MatchSettings`. `progress` is called after every batch with the
    totals so far. `names` are those of the result where they aren't what was given as `a` and `b`.

    Raises:
        ValueError: an unknown player or a bad value; or a player chose an illegal action.
        TypeError: a value of the wrong type.

    >>> result = play_match("greedy", "random", games=100, seed=1)
    >>> result.win_rate_a > 0.9
    True
    """
    policies = make_policy(a), make_policy(b)
    settings = MatchSettings(games, seed, target, batch_size, until_half_width)
    name_a, name_b = names or (name_of(a), name_of(b))
    load_kernels(*policies)
    begun = time.perf_counter()
    totals = MatchTotals()
    chunk = games if until_half_width is None else LOOK_EVERY
    while True:
        totals += play_pairs(
            *policies,
            totals.pairs,
            min(games, totals.games + chunk) // 2,
            seed=seed,
            target=target,
            batch_size=batch_size,
            progress=_after(totals, progress),
        )
        seconds = time.perf_counter() - begun
        result = MatchResult(name_a, name_b, settings.seed, settings.target, totals, seconds)
        if totals.games == games or result.half_width <= (until_half_width or 0.0):
            return result


def play_pairs(
    a: Policy,
    b: Policy,
    first: int,
    stop: int,
    *,
    seed: int,
    target: int = 121,
    batch_size: int = BATCH_SIZE,
    progress: Progress | None = None,
) -> MatchTotals:
    """Play the pairs `first` to `stop`-1 of a match and return what they count.

    The totals of consecutive parts add up to those of the whole, wherever they were played.

    Raises:
        ValueError: no such pairs, or a batch below 2 games; or a player chose an illegal action or
            gave an answer of a wrong shape.
        TypeError: a player's answer is not integers.

    >>> club, greedy = make_policy("club"), make_policy("greedy")
    >>> parts = [play_pairs(club, greedy, k, k + 5, seed=3) for k in (0, 5)]
    >>> parts[0] + parts[1] == play_pairs(club, greedy, 0, 10, seed=3)
    True
    """
    _check_batch_size(batch_size)
    if not 0 <= first <= stop:
        raise ValueError(f"there are no pairs {first} to {stop} - 1")
    totals = MatchTotals()
    pairs_at_once = batch_size // 2
    for begin in range(first, stop, pairs_at_once):
        end = min(stop, begin + pairs_at_once)
        totals += count_pairs(play_batch(a, b, begin, end, seed=seed, target=target))
        if progress is not None:
            progress(totals)
    return totals


def begin_pairs(
    players: Sequence[Policy],
    seats: tuple[int, int],
    first: int,
    stop: int,
    *,
    seed: int,
    target: int,
    dealer: int = NOBODY,
    is_one_deal: bool = False,
) -> Lanes:
    """Return the games of the pairs `first` to `stop`-1, begun: lane k of each half has pair k.

    `seats` says who sits in seats 0 and 1 in the first half, places in `players` or `CALLER`; in
    the second half they have changed. Nobody has moved; `dealer` NOBODY cuts for the deal.
    """
    pairs = stop - first
    number = 2 * pairs
    lanes = Lanes(number, players, is_one_deal=is_one_deal)
    lanes.seats[:pairs] = seats
    lanes.seats[pairs:] = seats[::-1]
    lanes.begin(
        np.arange(number),
        np.full(number, seed, np.uint64),
        np.tile(np.arange(first, stop), 2),
        np.full(number, dealer),
        np.zeros((number, 2), np.int64),
        target,
    )
    return lanes


def play_batch(a: Policy, b: Policy, first: int, stop: int, *, seed: int, target: int) -> Lanes:
    """Return the games of some pairs, played to their end side by side; a sits in seat 0 first.

    Raises:
        ValueError: a player chose an illegal action, or answered in a wrong shape.
        TypeError: a player's answer is not integers.
    """
    # A player that meets itself is asked for both seats at once.
    seats = (0, 0) if a is b else (0, 1)
    lanes = begin_pairs([a, b], seats, first, stop, seed=seed, target=target)
    lanes.play_on()
    return lanes


def name_of(player: PolicyLike) -> str:
    """Return the name of a player where none was given: the text that asked for it, or its repr."""
    return player if isinstance(player, str) else repr(player)


def _after(before: MatchTotals, progress: Progress | None) -> Progress | None:
    """Return what reports the totals of a part, added to those of the parts before it."""
    return None if progress is None else lambda part: progress(before + part)


def load_kernels(a: Policy, b: Policy) -> None:
    """Load or compile what a match needs, so that it isn't timed as part of the first game."""
    play_batch(a, b, 0, 0, seed=0, target=1)
    nobody = np.empty(0, np.int64)
    for policy in (a, b):
        Lanes(0, [a, b]).observe(nobody, nobody, policy.observation)


def _check_batch_size(batch_size: Any) -> None:
    if _whole(batch_size, "batch_size") < 2:
        raise ValueError(f"batch_size must be 2 or more, not {batch_size}")


def _whole(number: Any, what: str) -> int:
    if isinstance(number, (bool, np.bool_)) or not isinstance(number, (int, np.integer)):
        raise TypeError(f"{what} must be an integer, not {number!r}")
    return int(number)
