"""The games of a match as `Game`s, to be written down and looked at.

Cards depend on (seed, game, deal) alone and players on what they observe and on keys made from the
same numbers, so that any game of a match can be played again later, alone, and comes out the same.
A match itself therefore keeps nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cribbage_env.engine.layout import LOG_ROW, NOBODY, Log
from cribbage_env.game import Game, check_seed, make_beginning
from cribbage_env.game.events import decode_actions
from cribbage_env.lanes import Lanes
from cribbage_env.match.play import name_of
from cribbage_env.policy import Policy, PolicyLike, make_policy

__all__ = ["record_game", "record_games"]

ROWS_A_DEAL = 32
"""Events of a deal at most: the deal, two discards, the starter, eight plays, a go and a last card
for each of them, three counts, the win."""


def record_games(
    a: PolicyLike,
    b: PolicyLike,
    *,
    games: int,
    seed: int = 0,
    target: int = 121,
    names: tuple[str, str] | None = None,
) -> Iterator[Game]:
    """Yield the first games of the match that `play_match` plays with the same arguments.

    Games 0 and 1 are those of pair 0, and so on: in even ones `a` sits in seat 0, in odd ones in
    seat 1. `names` are those of `a` and `b` in the records where they aren't what was given.

    Raises:
        ValueError: no game at all, an unknown player, a name that can't be printed, a seed or
            target out of range; or, while games are played, an illegal action of a player.
        TypeError: a value of the wrong type.

    >>> [(game.beginning.names, game.winner) for game in record_games("club", "random", games=2)]
    [(('club', 'random'), 0), (('random', 'club'), 1)]
    """
    if isinstance(games, (bool, np.bool_)) or not isinstance(games, (int, np.integer)):
        raise TypeError(f"games must be an integer, not {games!r}")
    if games < 1:
        raise ValueError(f"games must be 1 or more, not {games}")
    named = names or (name_of(a), name_of(b))
    make_beginning(check_seed(seed), None, (0, 0), target, None, names=named)
    policies = make_policy(a), make_policy(b)
    return (
        record_game(*policies, game, seed=seed, target=target, names=named) for game in range(games)
    )


def record_game(
    a: Policy, b: Policy, game: int, *, seed: int, target: int, names: tuple[str, str]
) -> Game:
    """Return one game of a match, counted from 0.

    Raises:
        ValueError: a player chose an illegal action, or answered in a wrong shape.
        TypeError: a player's answer is not integers.
    """
    pair, is_swapped = divmod(game, 2)
    lanes = Lanes(1, [a, b])
    lanes.seats[0] = (1, 0) if is_swapped else (0, 1)
    lanes.begin(
        np.array([0]),
        np.array([seed], np.uint64),
        np.array([pair]),
        np.array([NOBODY]),
        np.zeros((1, 2), np.int64),
        target,
    )
    log = _make_log(target)
    lanes.play_on(log)
    seated = names[::-1] if is_swapped else names
    beginning = make_beginning(seed, None, (0, 0), target, None, pair, names=seated)
    return Game.replay(beginning, decode_actions(log[1 : int(log[0, 0]) + 1]))


def _make_log(target: int) -> Log:
    """Return a log that no game to a target outgrows: a deal brings a point at least (R9)."""
    most_deals = 2 * (target - 1) + 1
    return np.zeros((1 + most_deals * ROWS_A_DEAL, LOG_ROW), np.int16)
