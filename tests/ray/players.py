"""Players that end the process they play in, once; made by their names in the workers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from cribbage_env.bots import CompiledPolicy

MARK = "CRIBBAGE_TEST_MARK"
"""The variable that names a file: where it isn't yet, a worker is to die."""


class _Frail:
    observation = "cards"

    def __init__(self, decisions: int) -> None:
        self.inner = CompiledPolicy("club")
        self.left = decisions

    def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
        self.left -= len(keys)
        if self.left < 0:
            self.fail()
        return self.inner.act(observations, action_masks, keys)

    def fail(self) -> None:
        try:
            Path(os.environ[MARK]).touch(exist_ok=False)
        except FileExistsError:
            return
        os._exit(9)


class _Faulty(_Frail):
    def fail(self) -> None:
        raise LookupError("no\nsuch card")


def make_dying() -> Any:
    return _Frail(500)


def make_faulty() -> Any:
    return _Faulty(500)
