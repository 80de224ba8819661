"""The chance of winning from every score, solved from deals that the expert plays itself.

Single deals played for points, far from any target, give the table from small needs to large: each
deal's points are walked in their order from each pair of needs. Near the end nobody plays for
points. There the same deals are played again from each pair of needs, by the chances of winning of
the smaller needs, which are solved by then. What the deals played for points lead to is known from
all of them, so that it corrects for the luck of those that were played again.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots.choose import choose
from cribbage_env.bots.expert.winning import MOST_NEED
from cribbage_env.bots.players import Players
from cribbage_env.engine.chance import decision_key
from cribbage_env.engine.compile import kernel, lean_kernel
from cribbage_env.engine.deal import begin_deal, begin_game
from cribbage_env.engine.flow import decision_number, step
from cribbage_env.engine.layout import DISCARD, NO_LOG, PLAY, STATE, VIEW, Log, States
from cribbage_env.engine.tables import load_book
from cribbage_env.engine.view import write_view
from cribbage_env.policy import make_policy

__all__ = ["solve"]

MOST_GAINS: Final = 24
"""The most scoring steps that a deal's play is taken to have."""
FAR: Final = 62
"""Needs above which a deal can't end the game, for the table's purpose."""
LAST: Final = 16
"""The smaller of both needs up to which deals are played for the game."""
LATE: Final = 36
"""The larger of both needs up to which they are."""
FOR_POINTS: Final = "expert:worlds=32,score_aware=false"
FOR_THE_GAME: Final = "expert:worlds=32"
TARGET: Final = 121
BATCH: Final = 1000

Needs = tuple[int, int]
"""How many holes the dealer and pone have to go."""


def solve(
    deals: int, last_error: float, seed: int, threads: int = 2
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Solve the table ``win[role, own, other]`` in the book, and return what was scored in shows.

    `deals` are played for points. From each pair of needs up to LAST and LATE as many are played
    for the game as it takes for a standard error of `last_error` in the chance of winning, but all
    at most. The shows are ``(deals, 3)``: pone's hand, the dealer's hand, the crib. The table is
    returned as well. How many threads there are changes nothing.
    """
    gains, shows = np.zeros((deals, MOST_GAINS), np.int64), np.zeros((deals, 3), np.int64)
    book = load_book()
    win = book["win"][0]
    win[:, 1:, 1:] = 0.5  # nothing of a table solved before
    for_points, for_the_game = make_policy(FOR_POINTS).player, make_policy(FOR_THE_GAME).player  # type: ignore[attr-defined]

    def record(first: int) -> None:
        part = slice(first, first + BATCH)
        _record_deals(for_points, first, seed, book, NO_LOG, gains[part], shows[part])

    def solve_for_points(needs: Needs) -> None:
        _solve_one(needs[0], needs[1], gains, shows, joint, win)

    def play(needs: Needs) -> float:
        return _chance_late(for_the_game, needs, seed, last_error, gains, shows, win)

    with ThreadPoolExecutor(threads) as pool:
        for _ in pool.map(record, range(0, deals, BATCH)):
            pass
        _write_shows(shows, book)
        joint = _joint_points(gains, shows)
        for total in range(2, 2 * MOST_NEED + 1):
            first, last = max(1, total - MOST_NEED), min(MOST_NEED, total - 1)
            parts = [(dealer, total - dealer) for dealer in range(first, last + 1)]
            for _ in pool.map(solve_for_points, parts):
                pass
            late = [needs for needs in parts if min(needs) <= LAST and max(needs) <= LATE]
            chances = list(pool.map(play, late))  # all of them before any is changed
            for (dealer, pone), chance in zip(late, chances, strict=True):
                win[1, dealer, pone], win[0, pone, dealer] = chance, 1.0 - chance
    return shows, win.copy()


def _write_shows(shows: NDArray[np.int64], book: NDArray[Any]) -> None:
    """Write how likely hands and cribs count how much, which those who play for the game ask."""
    for role in (0, 1):
        book["hand_chance"][0, role] = np.bincount(shows[:, role], minlength=30) / len(shows)
    book["crib_chance"][0] = np.bincount(shows[:, 2], minlength=30) / len(shows)


def _joint_points(gains: NDArray[np.int64], shows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how likely a deal brings how many points, ``(FAR + 2, FAR + 2)``: dealer's, pone's."""
    dealer = np.maximum(gains, 0).sum(axis=1) + shows[:, 1] + shows[:, 2]
    pone = np.maximum(-gains, 0).sum(axis=1) + shows[:, 0]
    joint = np.zeros((FAR + 2, FAR + 2))
    np.add.at(joint, (np.minimum(dealer, FAR + 1), np.minimum(pone, FAR + 1)), 1 / len(shows))
    return joint


def _chance_late(
    players: Players,
    needs: Needs,
    seed: int,
    last_error: float,
    gains: NDArray[np.int64],
    shows: NDArray[np.int64],
    win: NDArray[np.float64],
) -> float:
    """Return the dealer's chance where deals are played for the game.

    The same deals played for points are the control: where they went better than all deals do, so
    did these. Each pair of needs begins with another deal, so that their errors are their own.
    """
    dealer, pone = needs
    deals = len(gains)
    first = (dealer * (LATE + 1) + pone) * BATCH
    parts: list[NDArray[np.float64]] = []
    while True:
        numbers = np.arange(len(parts) * BATCH, min((len(parts) + 1) * BATCH, deals))
        results = np.empty((2, len(numbers)))
        numbers = (numbers + first) % deals
        _play_for_the_game(players, *needs, seed, numbers, load_book(), NO_LOG, win, results[0])
        _walk(*needs, gains[numbers], shows[numbers], win, results[1])
        parts.append(results)
        games, control = np.concatenate(parts, axis=1)
        share = _share(games, control)
        error = float((games - share * control).std() / np.sqrt(len(games)))
        if error <= last_error or len(games) == deals:
            chance = games.mean() - share * (control.mean() - win[1, dealer, pone])
            return float(min(1.0, max(0.0, chance)))


def _share(games: NDArray[np.float64], control: NDArray[np.float64]) -> float:
    """Return how much of the control's luck to take off, for the smallest error."""
    if len(games) == 1:
        return 0.0
    (_, covariance), (_, variance) = np.cov(games, control)
    return float(covariance / variance) if variance > 0 else 0.0


@kernel
def _record_deals(
    players: Players,
    first: int,
    seed: int,
    book: NDArray[Any],
    log: Log,
    gains: NDArray[np.int64],
    shows: NDArray[np.int64],
) -> None:
    """Play single deals, from the first on, far from any target; write what was scored, in order.

    `gains` is ``(deals, MOST_GAINS)``: points before the show, the dealer's positive, pone's
    negative, 0 behind the last; `shows` is ``(deals, 3)``: pone's hand, dealer's hand, crib.
    """
    states, views = np.zeros(1, STATE), np.zeros(1, VIEW)
    for deal in range(gains.shape[0]):
        begin_game(states[0], np.uint64(seed), first + deal, 0, 0, 0, 1000, log)
        begin_deal(states[0], log)
        number = 0
        while states[0].phase == DISCARD or states[0].phase == PLAY:
            before = (_gained(states[0].points[0]), _gained(states[0].points[1]))
            _move(players, states, views, book, log)
            for player in range(2):
                gain = _gained(states[0].points[player]) - before[player]
                if gain > 0:
                    gains[deal, number] = gain if player == states[0].dealer else -gain
                    number += 1
        dealer = states[0].dealer
        shows[deal, 0] = states[0].points[1 - dealer, 0]
        shows[deal, 1] = states[0].points[dealer, 0]
        shows[deal, 2] = states[0].points[dealer, 1]


@kernel
def _move(
    players: Players, states: States, views: NDArray[Any], book: NDArray[Any], log: Log
) -> None:
    """Let the first player choose for whoever is to act in the first lane, and step."""
    seat = states[0].turn
    write_view(states[0], seat, views[0])
    decision = decision_number(states[0], seat)
    key = decision_key(states[0].seed, states[0].game, states[0].deals, seat, decision)
    step(states[0], choose(players[0], views[0], key, book[0]), book[0], log)


@kernel
def _gained(points: NDArray[np.int16]) -> int:
    """Return the points from the play and heels."""
    return points[2] + points[3]


@kernel
def _play_for_the_game(
    players: Players,
    dealer: int,
    pone: int,
    seed: int,
    deals: NDArray[np.int64],
    book: NDArray[Any],
    log: Log,
    win: NDArray[np.float64],
    results: NDArray[np.float64],
) -> None:
    """Play deals that were recorded from a pair of needs; write the dealer's chance after each.

    Seat 0 deals. A deal without any points leads to the pair itself, as it is in the table.
    """
    states, views = np.zeros(1, STATE), np.zeros(1, VIEW)
    for deal in range(deals.shape[0]):
        begin_game(
            states[0], np.uint64(seed), deals[deal], 0, TARGET - dealer, TARGET - pone, TARGET, log
        )
        begin_deal(states[0], log)
        while states[0].phase == DISCARD or states[0].phase == PLAY:
            _move(players, states, views, book, log)
        if states[0].winner >= 0:
            results[deal] = 1.0 if states[0].winner == 0 else 0.0
        else:
            results[deal] = win[0, TARGET - states[0].scores[0], TARGET - states[0].scores[1]]


@lean_kernel
def _chance_far(
    dealer: int, pone: int, joint: NDArray[np.float64], win: NDArray[np.float64]
) -> float:
    """Return the dealer's chance where no deal can end the game.

    A deal without any points only changes the roles; it is left out.
    """
    chance = 0.0
    for gain in range(FAR + 1):
        for other in range(FAR + 1):
            if joint[gain, other] > 0.0 and gain + other > 0:
                chance += joint[gain, other] * win[0, dealer - gain, pone - other]
    return chance / (1.0 - joint[0, 0])


@kernel
def _walk(
    dealer: int,
    pone: int,
    gains: NDArray[np.int64],
    shows: NDArray[np.int64],
    win: NDArray[np.float64],
    results: NDArray[np.float64],
) -> None:
    """Write the dealer's chance after each of the deals that were played for points."""
    for deal in range(gains.shape[0]):
        results[deal] = _result(dealer, pone, gains[deal], shows[deal], win)[0]


@kernel
def _solve_one(
    dealer: int,
    pone: int,
    gains: NDArray[np.int64],
    shows: NDArray[np.int64],
    joint: NDArray[np.float64],
    win: NDArray[np.float64],
) -> None:
    """Fill in the chances of one pair of needs, if deals are played for points.

    A deal that ends nobody's game leads to a pair solved before, with the roles changed; one
    without any points leads back to the pair, and is left out.
    """
    if min(dealer, pone) > FAR:
        chance = _chance_far(dealer, pone, joint, win)
    else:
        deals = gains.shape[0]
        won, stayed = 0.0, 0.0
        for deal in range(deals):
            result, has_points = _result(dealer, pone, gains[deal], shows[deal], win)
            if has_points:
                won += result
            else:
                stayed += 1.0
        chance = won / (deals - stayed)
    win[1, dealer, pone] = chance
    win[0, pone, dealer] = 1.0 - chance


@lean_kernel
def _result(
    dealer: int,
    pone: int,
    gains: NDArray[np.int64],
    shows: NDArray[np.int64],
    win: NDArray[np.float64],
) -> tuple[float, bool]:
    """Return the dealer's chance after a recorded deal, and whether anybody scored."""
    a, b = dealer, pone
    for gain in gains:
        if gain == 0 or a <= 0 or b <= 0:
            break
        a -= max(gain, 0)
        b += min(gain, 0)
    if a > 0 and b > 0:
        b -= shows[0]
    if a > 0 and b > 0:
        a -= shows[1] + shows[2]
    if a <= 0 or b <= 0:
        return 1.0 if a <= 0 else 0.0, True
    return win[0, a, b], a < dealer or b < pone
