"""The PettingZoo environment, where PettingZoo's users look for it; needs pettingzoo.

>>> from cribbage_env import cribbage_v0
>>> env = cribbage_v0.env()
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     mask = observation["action_mask"]
...     env.step(None if termination else mask.argmax())
>>> env.agents
[]
"""

from __future__ import annotations

from typing import Any

from cribbage_env.envs.pettingzoo import CribbageAECEnv  # says so where PettingZoo isn't installed

# isort: split
import pettingzoo
from pettingzoo.utils.wrappers import OrderEnforcingWrapper

__all__ = ["env", "raw_env"]

raw_env = CribbageAECEnv


def env(**kwargs: Any) -> OrderEnforcingWrapper:
    """Return `raw_env` in the wrapper that checks the order of calls.

    PettingZoo's wrappers for bad actions have no place here: the environment itself refuses actions
    outside the space and deals with illegal ones, so that rewards stay zero-sum.

    Raises:
        ValueError: a value that is not allowed; names it and says what is.
        TypeError: a value of the wrong type.
    """
    return OrderEnforcingWrapper(raw_env(**kwargs))


# PettingZoo has a registry since 1.27.
if hasattr(pettingzoo, "register") and "cribbage-v0" not in pettingzoo.aec_registry:
    pettingzoo.register("aec", "cribbage_v0", entry_point="cribbage_env.cribbage_v0:env")
