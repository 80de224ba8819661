"""OpenSpiel's cribbage, driven from Python with random legal actions."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

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

    A decision is what it is on our side: a pair thrown or a card laid. OpenSpiel also asks for each
    forced pass, here uncounted. No observation is asked for (it has none as numbers; our own side
    writes one for each decision).
    """

    def __init__(self, seed: int, *, is_from_outcomes: bool = False) -> None:
        """Load the game.

        `is_from_outcomes` draws chance as OpenSpiel's own examples do, from the list of all
        outcomes and their probabilities. Otherwise it is drawn from `legal_actions`, which is much
        faster and the same, as all cards are equally likely.
        """
        import pyspiel

        self._game: Any = pyspiel.load_game("cribbage(players=2)")
        self._pass = self._game.num_distinct_actions() - 1
        self._random = random.Random(seed)
        self._numbers = np.random.default_rng(seed)
        self._is_from_outcomes = is_from_outcomes

    def play_one(self) -> int:
        """Play a game and return how many decisions were made in it."""
        pick = self._random.random
        state = self._game.new_initial_state()
        decisions = 0
        while not state.is_terminal():
            if self._is_from_outcomes and state.is_chance_node():
                cards, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(self._numbers.choice(cards, p=chances)))
                continue
            actions = state.legal_actions()
            if not state.is_chance_node() and actions[0] != self._pass:
                decisions += 1
            state.apply_action(actions[int(pick() * len(actions))])
        return decisions
