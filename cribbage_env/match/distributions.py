"""How often a deal brings how many points: the first deal of each game of a match, played again.

The first deals are the same whoever wins later, so nothing biases them. Cards and choices depend on
(seed, game, deal) and on what is seen, so that they come out as they did in the match.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribbage_env.match.play import BATCH_SIZE, MatchSettings, begin_pairs
from cribbage_env.match.result import ROLES, SOURCES, SOURCES_OF
from cribbage_env.policy import PolicyLike, make_policy

__all__ = ["PointCounts", "count_points"]

MOST_POINTS = 121
"""More than anybody can score in a deal."""
TOTAL = "total"


@dataclass(frozen=True, eq=False)
class PointCounts:
    """Deals by what they brought.

    Attributes:
        deals: int64 ``(2, 2, 5, 122)``: deals by player (a, b), role (pone, dealer), source (hand,
            crib, play, heels, total) and points.
    """

    deals: NDArray[np.int64]

    def of(self, player: int, role: str, source: str) -> NDArray[np.int64]:
        """Return the deals in which a player made 0, 1, 2, … points from a source in a role.

        Raises:
            ValueError: no such player (0 is a, 1 is b), role or source.

        >>> counts = count_points("club", "greedy", games=20, seed=1)
        >>> int(counts.of(0, "pone", "hand").sum() + counts.of(0, "dealer", "hand").sum())
        20
        """
        if player not in (0, 1):
            raise ValueError(f"player {player!r} is neither 0 (a) nor 1 (b)")
        if role not in ROLES or source not in (*SOURCES, TOTAL):
            raise ValueError(
                f"{role!r}, {source!r} is none of {', '.join(ROLES)} with none of "
                f"{', '.join(SOURCES)}, {TOTAL}"
            )
        found = self.deals[player, ROLES.index(role), (*SOURCES, TOTAL).index(source)]
        return found.copy()

    def to_dict(self) -> dict[str, dict[str, dict[str, list[int]]]]:
        """Return what JSON holds: by player, role and source the deals with 0, 1, 2, … points."""
        return {
            name: {
                role: {
                    source: _trimmed(self.of(player, role, source))
                    for source in (*SOURCES_OF[role], TOTAL)
                }
                for role in SOURCES_OF
            }
            for player, name in enumerate("ab")
        }


def count_points(
    a: PolicyLike,
    b: PolicyLike,
    *,
    games: int,
    seed: int = 0,
    target: int = 121,
    batch_size: int = BATCH_SIZE,
) -> PointCounts:
    """Return what the first deals of the match that `play_match` plays so brought.

    That takes about a ninth of the match's time.

    Raises:
        ValueError: an unknown player or a bad value; or a player chose an illegal action.
        TypeError: a value of the wrong type.
    """
    policies = make_policy(a), make_policy(b)
    MatchSettings(games, seed, target, batch_size)
    deals = np.zeros((2, 2, len(SOURCES) + 1, MOST_POINTS + 1), np.int64)
    seats = (0, 0) if policies[0] is policies[1] else (0, 1)
    at_once = batch_size // 2
    for first in range(0, games // 2, at_once):
        stop = min(first + at_once, games // 2)
        lanes = begin_pairs(
            policies, seats, first, stop, seed=seed, target=target, is_one_deal=True
        )
        lanes.play_on()
        _count(lanes.states, stop - first, deals)
    return PointCounts(deals)


def _count(states: NDArray[Any], pairs: int, deals: NDArray[np.int64]) -> None:
    """Add finished deals: a sits in seat 0 in the first half, else in seat 1."""
    points = states["points"].astype(np.int64)
    points = np.concatenate([points, points.sum(axis=2, keepdims=True)], axis=2)
    points[pairs:] = points[pairs:, ::-1]  # from here on by player
    dealer = states["dealer"].astype(np.int64)
    dealer[pairs:] = 1 - dealer[pairs:]
    for player, role, source in np.ndindex(deals.shape[:3]):
        has_role = (dealer == player) == bool(role)
        made = points[has_role, player, source]
        deals[player, role, source] += np.bincount(made, minlength=MOST_POINTS + 1)


def _trimmed(counts: NDArray[np.int64]) -> list[int]:
    """Return counts without the zeros at their end."""
    return [int(count) for count in np.trim_zeros(counts, "b")]
