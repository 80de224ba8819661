"""The games of many lanes with all their events, kept only where they are to be shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribbage_env.envs.settings import Settings
from cribbage_env.envs.stepping import act
from cribbage_env.game import Beginning, Game
from cribbage_env.lanes import Lanes

__all__ = ["WatchedGames"]


class WatchedGames:
    """A `Game` for each lane, on the same state; lanes move one by one, each with its log.

    Attributes:
        games: None before a lane's first game.
    """

    def __init__(self, lanes: Lanes) -> None:
        """Watch lanes whose games haven't begun."""
        self.games: list[Game | None] = [None] * len(lanes.states)
        self.link(lanes)

    def link(self, lanes: Lanes) -> None:
        """Look at the arrays of these lanes; again after a copy, which has arrays of its own."""
        self._lanes = [_one_of(lanes, lane) for lane in range(len(lanes.states))]
        for lane, game in zip(self._lanes, self.games, strict=True):
            if game is not None:
                game.state = lane.states

    def begin(
        self,
        lanes: NDArray[np.int64],
        seeds: NDArray[np.uint64],
        numbers: NDArray[np.int64],
        beginning: Beginning,
    ) -> None:
        """Take up the games that have just begun in some lanes, and let the players move."""
        for lane, seed, number in zip(lanes.tolist(), seeds, numbers, strict=True):
            game = Game.replay(replace(beginning, seed=int(seed), number=int(number)))
            game.state = self._lanes[lane].states
            self.games[lane] = game
            self._lanes[lane].play_on(game.log)

    def act(
        self, settings: Settings, actions: NDArray[np.int64], illegal: NDArray[np.int64]
    ) -> None:
        """Take an action in every lane, as `stepping.act` does in all at once."""
        for i, (lane, game) in enumerate(zip(self._lanes, self.games, strict=True)):
            assert game is not None
            act(
                lane.states,
                lane.seats,
                lane.records,
                lane.book,
                game.log,
                lane.tally,
                settings.is_one_deal,
                settings.illegal_action,
                actions[i : i + 1],
                illegal[i : i + 1],
            )
            if lane.has_policies or lane.has_deep:
                lane.play_on(game.log)

    def absorb(self) -> None:
        """Take over what has been logged since the last time."""
        for game in self.games:
            if game is not None:
                game.absorb_log()

    def undo(self, games: list[Game | None]) -> None:
        """Go back to the games that there were, without what has been logged since."""
        self.games = games
        for game in games:
            if game is not None:
                game.log[0, 0] = 0


def _one_of(lanes: Lanes, lane: int) -> Lanes:
    """Return one lane alone, on the arrays of all."""
    one = Lanes(1, lanes.players, is_one_deal=lanes.is_one_deal)
    arrays: dict[str, Any] = {
        name: getattr(lanes, name)[lane : lane + 1] for name in ("states", "seats", "tally")
    }
    vars(one).update(arrays)
    return one
