"""A player that fails."""

from __future__ import annotations

from typing import Any


class Faulty:
    observation = "cards"

    def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
        raise RuntimeError("no idea")

    def __repr__(self) -> str:
        return "Faulty"


def make() -> Faulty:
    return Faulty()
