"""OpenSpiel's cribbage, driven from Python with random legal actions."""

from __future__ import annotations

import random
from typing import Any

__all__ = ["RandomGames", "is_installed"]


def is_installed() -> bool:
    """Tell whether OpenSpiel can be imported."""
    try:
        import pyspiel  # noqa: F401
    except ImportError:
        return False
    return True


class RandomGames:
    """Game after game of two random players.

    Whatever could be counted for or against it is counted for it: its forced passes are decisions,
    and no observation is asked for (it has none as numbers; our own side writes one for each
    decision). Chance is drawn with `legal_actions`, since all of its outcomes are equally likely
    and their list with probabilities costs more.
    """

    def __init__(self, seed: int) -> None:
        """Load the game."""
        import pyspiel

        self._game: Any = pyspiel.load_game("cribbage(players=2)")
        self._random = random.Random(seed)

    def play_one(self) -> int:
        """Play a game and return how many decisions were made in it."""
        pick = self._random.random
        state = self._game.new_initial_state()
        decisions = 0
        while not state.is_terminal():
            actions = state.legal_actions()
            if not state.is_chance_node():
                decisions += 1
            state.apply_action(actions[int(pick() * len(actions))])
        return decisions
