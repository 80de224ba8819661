"""Players and learners for the tests of the environments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from cribbage_env import CribbageVectorEnv
from cribbage_env.envs.single import Seat
from cribbage_env.policy import make_policy


class Plain:
    """A player behind a plain class, so that no engine knows its kernel: it is asked in batches."""

    def __init__(self, name: str = "greedy", observation: str = "cards") -> None:
        self.inner = make_policy(name)
        self.observation = observation
        self.calls: list[tuple[NDArray[np.float32], NDArray[np.int8], NDArray[np.uint64]]] = []

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        keys: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        self.calls.append((observations, action_masks, keys))
        assert observations.shape[0] == action_masks.shape[0] == keys.shape[0] > 0
        assert action_masks.any(axis=1).all()
        return self.inner.act(np.ascontiguousarray(observations[:, :384]), action_masks, keys)


class Keyed:
    """A player that draws by the key alone, in NumPy: any change of a key changes its game."""

    observation = "cards"

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        keys: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        return np.array(
            [
                np.flatnonzero(mask)[int(key) % int(mask.sum())]
                for mask, key in zip(action_masks, keys, strict=True)
            ]
        )


class Faulty:
    """A player that fails after some answers: it returns what it is given, or raises it."""

    observation = "cards"

    def __init__(self, fault: Any, good_answers: int = 0) -> None:
        self.fault = fault
        self.good_answers = good_answers
        self.inner = make_policy("greedy")

    def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
        if self.good_answers > 0:
            self.good_answers -= 1
            return self.inner.act(observations, action_masks, keys)
        if isinstance(self.fault, Exception):
            raise self.fault
        return self.fault(action_masks) if callable(self.fault) else self.fault

    def __repr__(self) -> str:
        return "Faulty()"


def make_plain(name: str = "greedy") -> Plain:
    """Return a player for ``"tests.envs.players:make_plain"``."""
    return Plain(name)


def choose(mask: NDArray[Any], number: int) -> int:
    """Return a legal action by a number, so that learners vary without random state."""
    legal = np.flatnonzero(mask)
    return int(legal[(number * 2654435761 >> 7) % len(legal)])


def same(a: Any, b: Any) -> bool:
    """Tell whether two observations, infos or parts of them are equal, types and bytes."""
    a, b = (int(value) if isinstance(value, Seat) else value for value in (a, b))
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        if a.dtype == object:
            return a.shape == b.shape and same(a.tolist(), b.tolist())
        return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()
    return bool(a == b)


def of_lane(answer: Sequence[Any], lane: int) -> Any:
    """Return one lane's part of an answer, as the single environment would give it."""
    infos = answer[3]
    info: dict[str, Any] = {}
    for name, values in infos.items():
        if name[0] != "_" and name not in ("final_obs", "final_info") and infos[f"_{name}"][lane]:
            value = values[lane]
            info[name] = value.item() if isinstance(value, np.generic) else value
    return answer[0][lane], float(answer[1][lane]), bool(answer[2][lane]), info


def chosen(masks: NDArray[np.int8], number: int) -> NDArray[np.int64]:
    """Return a legal action for each lane, 0 where there is none; they vary with the number."""
    order = (np.arange(19) * 7 + number * 11) % 19
    return np.where(masks == 1, order, -1).argmax(axis=1)


def run(envs: CribbageVectorEnv, infos: dict[str, Any], number: int) -> list[tuple[Any, ...]]:
    """Take steps with legal actions; under DISABLED games that are over are reset by mask."""
    answers = []
    for step in range(number):
        over = infos["phase"] == "over"
        if envs.autoreset_mode == AutoresetMode.DISABLED and over.any():
            _, infos = envs.reset(options={"reset_mask": over})
        answers.append(envs.step(chosen(infos["action_mask"], step)))
        infos = answers[-1][4]
    return answers
