"""The players, each a file that reads like its strategy; none sees more than its view."""

from __future__ import annotations

from cribbage_env.bots.compiled import CompiledPolicy
from cribbage_env.policy import Policy, register_opponent

__all__ = ["CompiledPolicy", "expert_policy"]


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
    """Make the expert; `bots.expert.layout` says what each option is."""
    if lookahead < 0 or worlds < 1:
        raise ValueError(
            f"expert: lookahead is 0 or more and worlds 1 or more, not {lookahead} and {worlds}"
        )
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
