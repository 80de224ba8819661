"""Environments for learners: thin adapters over the one engine; no rule lives here."""

from __future__ import annotations

from cribbage_env.envs.single import CribbageEnv
from cribbage_env.envs.vector import CribbageVectorEnv
from cribbage_env.envs.wrappers import MaskInObservation

__all__ = ["CribbageEnv", "CribbageVectorEnv", "MaskInObservation"]
