"""The cribbage environment for reinforcement learning: exact rules, fast engine, strong players.

Importing registers the Gymnasium environments ``Cribbage-v0`` (a game to 121) and
``CribbageDeal-v0`` (one deal).

>>> import gymnasium
>>> env = gymnasium.make("Cribbage-v0", opponent="greedy")
>>> observation, info = env.reset(seed=7)
>>> observation, reward, terminated, truncated, info = env.step(info["action_mask"].argmax())
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import gymnasium

from cribbage_env.actions import describe_action, parse_action
from cribbage_env.cards import format_card, format_cards, parse_card, parse_cards
from cribbage_env.envs import CribbageEnv, CribbageVectorEnv, MaskInObservation
from cribbage_env.game import Event, Game, IllegalActionError
from cribbage_env.policy import Policy, make_policy, opponent_names, register_opponent
from cribbage_env.scoring import HandScore, PlayScore, score_hand, score_play, skunk

if TYPE_CHECKING:
    from cribbage_env.analysis import analyze_discard, analyze_play

__all__ = [
    "CribbageEnv",
    "CribbageVectorEnv",
    "Event",
    "Game",
    "HandScore",
    "IllegalActionError",
    "MaskInObservation",
    "PlayScore",
    "Policy",
    "analyze_discard",
    "analyze_play",
    "describe_action",
    "format_card",
    "format_cards",
    "make_policy",
    "opponent_names",
    "parse_action",
    "parse_card",
    "parse_cards",
    "register_opponent",
    "score_hand",
    "score_play",
    "skunk",
]

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import what is large, or needs more than the core, when it is first asked for."""
    if name in ("cribbage_v0", "open_spiel", "sb3"):
        return importlib.import_module(f"cribbage_env.{name}")
    if name in ("analyze_discard", "analyze_play"):
        from cribbage_env import analysis

        return getattr(analysis, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


for _name, _is_one_deal in (("Cribbage-v0", False), ("CribbageDeal-v0", True)):
    if _name not in gymnasium.registry:
        gymnasium.register(
            id=_name,
            entry_point="cribbage_env.envs.single:CribbageEnv",
            vector_entry_point="cribbage_env.envs.vector:CribbageVectorEnv",
            kwargs={"is_one_deal": _is_one_deal},
        )
