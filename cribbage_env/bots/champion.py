"""`champion`: a network that PPO trained in self-play, shipped with the package.

It reads the ``"lookahead"`` observation: the expert's own estimates are among its inputs, so it
begins where the expert ends. When it plays they are made with more care than in training: that is
its search. It follows each play in more of the opponent's likely hands, and both what was laid and
what will be is read by habit (`bots.expert.habits`) rather than by the quick rule.
``docs/champion.md`` says how it was made and how strong it is.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cribbage_env.actions import NUM_DISCARDS
from cribbage_env.bots.expert.observe import write_lookahead
from cribbage_env.bots.network import NetworkPolicy, load_policy
from cribbage_env.engine.compile import kernel
from cribbage_env.engine.layout import VIEW
from cribbage_env.engine.tables import DATA, load_book
from cribbage_env.observation import ACTION_FEATURES, LAYOUT, SIZE_FEATURES, read_view, size
from cribbage_env.policy import Policy

__all__ = ["SearchingChampion", "champion_policy"]


def champion_policy(search: bool = True) -> Policy:
    """Make the champion; without `search` it is the network and the observation alone."""
    if not isinstance(search, bool):
        raise ValueError(f"champion: search is true or false, not {search!r}")
    return SearchingChampion(_network()) if search else _network()


@cache
def _network() -> NetworkPolicy:
    """Return the network, which holds nothing of any game: one serves all."""
    return load_policy(Path(str(DATA)) / "champion.npz")


REACHES_TARGET: Final = list(ACTION_FEATURES).index("reaches_target")
SEARCHED_WORLDS: Final = 64
"""Hands of the opponent in which a search follows a play; the observation takes 48."""


class SearchingChampion:
    """The champion, its forecasts by habit and over more of the opponent's likely hands."""

    observation = "features"

    def __init__(self, network: NetworkPolicy) -> None:
        self._network = network

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        keys: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """Return a card that wins at once, else the network's choice, for each row of features."""
        rows = np.empty((len(observations), size("lookahead")), np.float32)
        rows[:, :SIZE_FEATURES] = observations
        has_choice = np.count_nonzero(action_masks, axis=1) > 1
        _look_ahead(load_book(), SEARCHED_WORLDS, has_choice, rows)
        chosen = self._network.act(rows, action_masks, keys)
        is_winning = self._wins(rows)[:, NUM_DISCARDS:] * action_masks[:, NUM_DISCARDS:] >= 1.0
        return np.where(is_winning.any(1), NUM_DISCARDS + is_winning.argmax(1), chosen)

    @staticmethod
    def _wins(rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the chance that an action by itself reaches the target, ``(N, 19)``."""
        actions = LAYOUT["actions"]
        numbers = rows[:, actions.offset : actions.stop].reshape(-1, *actions.shape)
        return numbers[:, :, REACHES_TARGET]

    @property
    def facts(self) -> dict[str, Any]:
        """What the description of the network says of it."""
        return self._network.facts

    def __repr__(self) -> str:
        """Return the name that makes this player."""
        return "make_policy('champion')"


@kernel
def _look_ahead(
    book: NDArray[Any], num_worlds: int, has_choice: NDArray[np.bool_], rows: NDArray[np.float32]
) -> None:
    """Write what the look-ahead says; where there is no choice, that there is nothing to say."""
    views = np.zeros(1, VIEW)
    for row in range(rows.shape[0]):
        if not has_choice[row]:
            rows[row, SIZE_FEATURES:] = 0.0
            continue
        read_view(rows[row], views[0])
        write_lookahead(views[0], num_worlds, True, book[0], rows[row])
