"""The scripted players, each a file that reads like its strategy; none sees more than its view."""

from __future__ import annotations

from cribbage_env.bots.compiled import CompiledPolicy
from cribbage_env.policy import register_opponent

__all__ = ["CompiledPolicy"]


def _random() -> CompiledPolicy:
    return CompiledPolicy("random")


def _greedy() -> CompiledPolicy:
    return CompiledPolicy("greedy")


def _club() -> CompiledPolicy:
    return CompiledPolicy("club")


register_opponent("random", _random)
register_opponent("greedy", _greedy)
register_opponent("club", _club)
