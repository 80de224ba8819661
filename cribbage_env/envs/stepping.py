"""One step of many lanes: the learner's actions in, and what it sees and gets afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots.players import Players
from cribbage_env.bots.random import choose_random
from cribbage_env.engine.chance import decision_key, draw
from cribbage_env.engine.compile import kernel, lean_kernel
from cribbage_env.engine.flow import decision_number, is_legal, step, write_mask
from cribbage_env.engine.layout import DISCARD, NOBODY, PLAY, VIEW, Log, States
from cribbage_env.engine.pegging import forfeit
from cribbage_env.engine.view import write_view
from cribbage_env.envs.settings import FORFEIT, RAISE
from cribbage_env.lanes import CALLER, deal_on, play_on
from cribbage_env.observation import write_cards
from cribbage_env.rewards import margin_of, reward_of

__all__ = ["LEGAL", "SKIP", "act", "draw_opponent", "draw_opponents", "report"]

SKIP = -1
"""The action of a lane that is not to move."""
LEGAL = -1
"""What `illegal` holds where the action was legal; else it holds the action."""

_OPPONENT_SEAT = 2  # no seat: the key of who sits down is no key of a decision


@lean_kernel
def draw_opponent(seed: np.uint64, game: int, number: int) -> int:
    """Return which of a number of opponents plays a game; it depends on (seed, game) alone."""
    return draw(decision_key(seed, game, 0, _OPPONENT_SEAT, 0), 0, number)


def draw_opponents(
    seeds: NDArray[np.uint64], games: NDArray[np.int64], number: int
) -> NDArray[np.int64]:
    """Return which of a number of opponents plays each of some games, int64 ``(n,)``."""
    drawn = np.empty(len(games), np.int64)
    _draw_opponents(seeds, games, number, drawn)
    return drawn


@lean_kernel
def _draw_opponents(
    seeds: NDArray[np.uint64], games: NDArray[np.int64], number: int, drawn: NDArray[np.int64]
) -> None:
    for row in range(games.shape[0]):
        drawn[row] = draw_opponent(seeds[row], games[row], number)


@kernel
def act(
    states: States,
    seats: NDArray[np.int16],
    players: Players,
    book: NDArray[Any],
    log: Log,
    tally: NDArray[np.int64],
    is_one_deal: bool,
    on_illegal: int,
    actions: NDArray[np.int64],
    illegal: NDArray[np.int64],
) -> None:
    """Take the caller's actions and let compiled players move on.

    `actions` has SKIP where a lane isn't to move; `illegal` gets LEGAL or the illegal action. Under
    RAISE nothing at all moves if any action is illegal.
    """
    views = np.zeros(1, VIEW)
    is_any_illegal = False
    for i in range(states.shape[0]):
        illegal[i] = LEGAL
        if actions[i] != SKIP and not is_legal(states[i], actions[i]):
            illegal[i] = actions[i]
            is_any_illegal = True
    if is_any_illegal and on_illegal == RAISE:
        return
    for i in range(states.shape[0]):
        lane = states[i]
        if actions[i] != SKIP:
            if illegal[i] == LEGAL:
                step(lane, actions[i], book[0], log)
            elif on_illegal == FORFEIT:
                forfeit(lane, lane.turn, log)
            else:
                seat = lane.turn
                write_view(lane, seat, views[0])
                number = decision_number(lane, seat)
                key = decision_key(lane.seed, lane.game, lane.deals, seat, number)
                step(lane, choose_random(views[0], key), book[0], log)
            deal_on(lane, log, tally[i], is_one_deal)
        play_on(lane, seats[i], players, book[0], log, tally[i], is_one_deal, views[0])


@kernel
def report(
    states: States,
    is_asked: NDArray[np.bool_],
    seats: NDArray[np.int16],
    reward_code: int,
    margins: NDArray[np.int64],
    is_forfeit: NDArray[np.bool_],
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
    rewards: NDArray[np.float64],
    terminated: NDArray[np.bool_],
) -> None:
    """Write what the learner of each lane that is asked for sees and gets.

    `margins` holds seat 0's lead at its last report and is brought up to date. Where the caller
    moves both seats the observation is that of the seat to act. Its cards are written here; for
    the rest see `Lanes.add_numbers`.
    """
    views = np.zeros(1, VIEW)
    for i in range(states.shape[0]):
        if not is_asked[i]:
            continue
        lane = states[i]
        rewards[i] = reward_of(lane, reward_code, margins[i], is_forfeit[i])
        margins[i] = margin_of(lane)
        terminated[i] = lane.phase != DISCARD and lane.phase != PLAY
        seat = 0
        if seats[i, 1] == CALLER and lane.turn != NOBODY:
            seat = lane.turn
        write_view(lane, seat, views[0])
        write_cards(views[0], observations[i])
        write_mask(views[0], masks[i])
