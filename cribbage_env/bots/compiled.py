"""A compiled player as a `Policy`: the same kernel, fed from observations."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots.choose import choose_deeply, choose_lightly
from cribbage_env.bots.players import FIRST_DEEP, KINDS, PLAYER, Players
from cribbage_env.engine.compile import kernel
from cribbage_env.engine.layout import VIEW
from cribbage_env.engine.tables import load_book
from cribbage_env.observation import read_view

__all__ = ["CompiledPolicy"]


class CompiledPolicy:
    """A player whose choice is a kernel; engines ask the kernel, everybody else calls `act`.

    `player` is an array of shape ``(1,)`` with the dtype `PLAYER`: the kind and its options.

    >>> CompiledPolicy("greedy").observation
    'cards'
    """

    observation = "cards"

    def __init__(self, kind: str, options: tuple[float, ...] = ()) -> None:
        """Make the player of a kind in `KINDS`; `options` fill the record's first numbers."""
        if kind not in KINDS:
            raise ValueError(f"unknown compiled player {kind!r}; there are {', '.join(KINDS)}")
        self.kind = kind
        self.player: Players = np.zeros(1, PLAYER)
        self.player["kind"] = KINDS.index(kind)
        self.player["options"][0, : len(options)] = options

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],  # noqa: ARG002 (the view says which actions are legal)
        keys: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """Return the kernel's choice for each row of ``"cards"`` observations."""
        actions = np.empty(len(observations), np.int64)
        act = _act_lightly if self.is_light else _act_deeply
        act(self.player, observations, keys, load_book(), actions)
        return actions

    @property
    def is_light(self) -> bool:
        """Whether the player is one that the kernels of the environments move themselves."""
        return KINDS.index(self.kind) < FIRST_DEEP

    def __repr__(self) -> str:
        """Return the call that makes this player."""
        options: tuple[Any, ...] = tuple(self.player["options"][0].tolist())
        while options and options[-1] == 0:
            options = options[:-1]
        return f"CompiledPolicy({self.kind!r}{f', {options}' if options else ''})"


@kernel
def _act_lightly(
    players: Players,
    observations: NDArray[np.float32],
    keys: NDArray[np.uint64],
    book: NDArray[Any],
    actions: NDArray[np.int64],
) -> None:
    views = np.zeros(1, VIEW)
    for row in range(observations.shape[0]):
        read_view(observations[row], views[0])
        actions[row] = choose_lightly(players[0], views[0], keys[row], book[0])


@kernel
def _act_deeply(
    players: Players,
    observations: NDArray[np.float32],
    keys: NDArray[np.uint64],
    book: NDArray[Any],
    actions: NDArray[np.int64],
) -> None:
    views = np.zeros(1, VIEW)
    for row in range(observations.shape[0]):
        read_view(observations[row], views[0])
        actions[row] = choose_deeply(players[0], views[0], keys[row], book[0])
