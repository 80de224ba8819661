"""From a network to the plain arrays that ``ppo:PATH`` plays without torch."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import platform
from collections.abc import Mapping
from importlib import metadata
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from agents.ppo.config import Config
from cribbage_env import __version__
from cribbage_env.bots.network import (
    POLICY_ARRAYS,
    POLICY_FACTS,
    POLICY_FORMAT,
    NetworkPolicy,
    parameter_shapes,
)
from cribbage_env.observation import VERSION

if TYPE_CHECKING:  # torch takes seconds to import, and only the caller needs it
    from agents.ppo.candidates import PolicyNetwork

__all__ = ["packed", "player_of", "policy_files", "versions"]

PACKAGES = (
    "gymnasium",
    "numba",
    "numpy",
    "ray",
    "sb3-contrib",
    "stable-baselines3",
    "torch",
)


def player_of(network: PolicyNetwork, config: Config) -> NetworkPolicy:
    """Return the player that the exported network would be."""
    return NetworkPolicy(
        network.arrays(),
        observation=config.observation,
        state_layers=config.state_layers,
        action_layers=config.action_layers,
    )


def policy_files(
    network: PolicyNetwork, config: Config, origin: Mapping[str, Any]
) -> dict[str, bytes]:
    """Return the content of the two files of a policy by name.

    `origin` says where the policy comes from (the decisions, the command, the versions) and goes
    into the description as it is.
    """
    arrays = network.arrays()
    shapes = parameter_shapes(config.observation, config.state_layers, config.action_layers)
    content = packed({name: np.asarray(arrays[name], np.float32) for name in shapes})
    facts = {
        "format": POLICY_FORMAT,
        "layout_version": VERSION,
        "observation": config.observation,
        "architecture": {
            "state_layers": list(config.state_layers),
            "action_layers": list(config.action_layers),
        },
        "sha256": hashlib.sha256(content).hexdigest(),
        **origin,
        "config": config.to_json(),
    }
    return {
        POLICY_ARRAYS: content,
        POLICY_FACTS: (json.dumps(facts, indent=1) + "\n").encode(),
    }


def packed(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return arrays as the bytes of an ``.npz`` file.

    Raises:
        TypeError: an array of objects, which could only be pickled.
    """
    for name, array in arrays.items():
        if array.dtype.hasobject:
            raise TypeError(f"the array {name!r} holds objects, not numbers")
    buffer = io.BytesIO()
    named: dict[str, Any] = dict(arrays)
    np.savez(buffer, **named)
    return buffer.getvalue()


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that take part, as far as they are here."""
    found = {"cribbage-env": __version__, "python": platform.python_version()}
    for package in PACKAGES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            found[package] = metadata.version(package)
    return found
