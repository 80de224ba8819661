"""What a learner that plays both seats asks of the engine: an observation for every decision."""

from __future__ import annotations

import time
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots import CompiledPolicy
from cribbage_env.bots.choose import choose_lightly
from cribbage_env.bots.players import Players
from cribbage_env.engine.chance import decision_key
from cribbage_env.engine.deal import begin_deal, begin_game
from cribbage_env.engine.flow import decision_number, step, write_mask
from cribbage_env.engine.layout import (
    DEAL_OVER,
    GAME_OVER,
    NO_LOG,
    NOBODY,
    STATE,
    VIEW,
    Log,
    States,
    Views,
)
from cribbage_env.engine.tables import load_book
from cribbage_env.engine.view import write_view
from cribbage_env.observation import size, write_cards, write_features

__all__ = ["ObservedLanes"]

LANES = 1024
SWEEP = 32
"""Decisions in each lane between two looks at the clock."""


class ObservedLanes:
    """Games side by side, both seats a compiled player; over ones are followed by new ones.

    For every decision the seat's observation and mask are written into a row of a batch, as for a
    learner that would read them.
    """

    def __init__(self, player: str = "random", observation: str = "cards", seed: int = 0) -> None:
        """Begin all games."""
        self._sweep = _make_sweep(observation == "features")
        self._players = CompiledPolicy(player).player
        self._states: States = np.zeros(LANES, STATE)
        self._observations = np.zeros((LANES, size(observation)), np.float32)
        self._masks = np.zeros((LANES, 19), np.int8)
        self._views: Views = np.zeros(1, VIEW)
        _begin(self._states, seed, NO_LOG)

    def work(self, seconds: float) -> tuple[int, float]:
        """Make decisions for about so long; return how many, and how long they took."""
        decisions = 0
        begun = time.perf_counter()
        while True:
            self._sweep(
                self._states,
                self._players,
                load_book(),
                SWEEP,
                self._observations,
                self._masks,
                self._views,
                NO_LOG,
            )
            decisions += LANES * SWEEP
            took = time.perf_counter() - begun
            if took >= seconds:
                return decisions, took


# Not cached, unlike the kernels of the package: numba would not notice an edit of those.
_compiled = numba.njit(nogil=True, error_model="numpy", _nrt=False)


@_compiled  # type: ignore[untyped-decorator]
def _begin(states: States, seed: int, log: Log) -> None:
    for i in range(states.shape[0]):
        begin_game(states[i], np.uint64(seed), i, NOBODY, 0, 0, 121, log)
        begin_deal(states[i], log)


def _make_sweep(is_features: bool) -> Any:
    """Return the kernel that makes decisions; asked anew in each lane, the kind takes a tenth."""

    @_compiled  # type: ignore[untyped-decorator]
    def sweep(
        states: States,
        players: Players,
        book: NDArray[Any],
        decisions: int,
        observations: NDArray[np.float32],
        masks: NDArray[np.int8],
        views: Views,
        log: Log,
    ) -> None:
        """Make so many decisions in every lane, lane after lane in turn as a vector step does."""
        for _ in range(decisions):
            for i in range(states.shape[0]):
                lane = states[i]
                seat = lane.turn
                write_view(lane, seat, views[0])
                if is_features:
                    write_features(views[0], book[0], observations[i])
                else:
                    write_cards(views[0], observations[i])
                write_mask(views[0], masks[i])
                number = decision_number(lane, seat)
                key = decision_key(lane.seed, lane.game, lane.deals, seat, number)
                step(lane, choose_lightly(players[0], views[0], key, book[0]), book[0], log)
                if lane.phase == GAME_OVER:
                    next_game = lane.game + states.shape[0]
                    begin_game(lane, lane.seed, next_game, NOBODY, 0, 0, lane.target, log)
                    begin_deal(lane, log)
                elif lane.phase == DEAL_OVER:
                    begin_deal(lane, log)

    return sweep
