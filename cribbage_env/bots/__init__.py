"""The players, each a file that reads like its strategy; none sees more than its view."""

from __future__ import annotations

from typing import Final

from cribbage_env.bots.compiled import CompiledPolicy
from cribbage_env.policy import Policy, register_opponent

__all__ = ["CompiledPolicy", "expert_policy"]

MOST: Final = 1_000_000
"""More worlds than there are hands of four, and far more of anything than makes a difference."""


def _random() -> CompiledPolicy:
    return CompiledPolicy("random")


def _greedy() -> CompiledPolicy:
    return CompiledPolicy("greedy")


def _club() -> CompiledPolicy:
    return CompiledPolicy("club")


def expert_policy(
    lookahead: int = 8,
    worlds: int = 128,
    model: bool = True,
    removal: bool = True,
    pegging: float = 0.0,
    score_aware: bool = True,
    habits: bool = False,
) -> CompiledPolicy:
    """Make the expert; `bots.expert.layout` says what each option is.

    Raises:
        ValueError: an option of another type, or a number that is too small or too large.
    """
    for name, value, least in (("lookahead", lookahead, 0), ("worlds", worlds, 1)):
        if type(value) is not int or not least <= value <= MOST:
            raise ValueError(
                f"expert: {name} is a whole number from {least} to {MOST}, not {value!r}"
            )
    flags = {"model": model, "removal": removal, "score_aware": score_aware, "habits": habits}
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise ValueError(f"expert: {name} is true or false, not {flag!r}")
    if type(pegging) not in (int, float) or not -MOST <= pegging <= MOST:
        raise ValueError(f"expert: pegging is a factor such as 0.5, not {pegging!r}")
    options = (lookahead, worlds, model, removal, pegging, score_aware, habits)
    return CompiledPolicy("expert", tuple(map(float, options)))


def _champion(search: bool = True) -> Policy:
    # Reading a network takes modules that nobody else needs at start-up.
    from cribbage_env.bots.champion import champion_policy

    return champion_policy(search)


register_opponent("random", _random)
register_opponent("greedy", _greedy)
register_opponent("club", _club)
register_opponent("expert", expert_policy)
register_opponent("champion", _champion)
