"""Points lost a deal by each player of an evaluation: how far its choices lie below the best."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from agents.evaluation import Evaluation
from cribbage_env.match import Losses, measure_losses
from cribbage_env.match.losses import MEASURES

__all__ = ["PointsLost", "check_deals", "deals_missing", "measure_players", "measured"]

PointsLost: TypeAlias = dict[str, dict[str, Any]]
"""By player what `Losses.to_dict` says; the deals are those of the evaluation's seed."""


def _nothing(_: object = None) -> None:
    pass


def check_deals(deals: int) -> None:
    """Make sure that so many deals can be measured.

    Raises:
        ValueError: an odd number, or none.

    >>> check_deals(5)
    Traceback (most recent call last):
    ValueError: points lost need an even number of deals, 2 or more, not 5
    """
    if deals < 2 or deals % 2:
        raise ValueError(f"points lost need an even number of deals, 2 or more, not {deals}")


def deals_missing(evaluation: Evaluation, found: PointsLost, deals: int) -> int:
    """Return how many deals are still to be measured, over all players."""
    return deals * len(_players_missing(evaluation, found, deals))


def measure_players(
    evaluation: Evaluation,
    found: PointsLost,
    deals: int,
    *,
    progress: Callable[[int], object] = _nothing,
    finished: Callable[[], None] = _nothing,
) -> None:
    """Measure each player that isn't in `found` with as many deals, and put it there.

    `progress` gets the number of deals that were measured since it was called last, `finished` is
    called after each player.

    Raises:
        ValueError: a player chose an illegal action, or answered in a wrong shape.
        TypeError: a player's answer is not integers.
    """
    for name in _players_missing(evaluation, found, deals):
        seen = 0

        def follow(losses: Losses) -> None:
            nonlocal seen
            progress(losses.deals - seen)
            seen = losses.deals

        losses = measure_losses(
            evaluation.policies[name],
            deals=deals,
            seed=evaluation.settings.seed,
            batch_size=evaluation.settings.batch_size,
            progress=follow,
        )
        found[name] = losses.to_dict()
        finished()


def measured(losses: dict[str, Any]) -> list[str]:
    """Return what was measured of a player, in the order of `MEASURES`."""
    return [name for name in MEASURES if name in losses]


def _players_missing(evaluation: Evaluation, found: PointsLost, deals: int) -> list[str]:
    names = dict.fromkeys(evaluation.players)
    return [name for name in names if found.get(name, {}).get("deals") != deals]
