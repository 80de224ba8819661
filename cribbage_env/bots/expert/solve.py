"""The chance of winning from every score, solved from deals that the expert plays itself.

Single deals played for points, far from any target, give the table from small needs to large: each
deal's points are walked in their order from each pair of needs. Near the end nobody plays for
points. There the same deals are played again from each pair of needs, by the chances of winning of
the smaller needs, which are solved by then; what that changes is added. Only the change is measured
with few deals, so the table is as exact as the many.
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
"""Needs of both up to which deals are played for the game."""
FOR_POINTS: Final = "expert:worlds=32,score_aware=false"
FOR_THE_GAME: Final = "expert:worlds=32"
TARGET: Final = 121


def solve(
    deals: int, last_deals: int, seed: int, threads: int = 2
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Solve the table ``win[role, own, other]`` in the book, and return what was scored in shows.

    `deals` are played for points. For the game the first of these are played from each pair of
    needs up to LAST, `last_deals` divided by the sum of both needs: a small need is met in most of
    the deals of larger ones, and its error goes on into all of them. The shows are ``(deals, 3)``:
    pone's hand, the dealer's hand, the crib. The table is returned as well. How many threads there
    are changes nothing.
    """
    gains, shows = np.zeros((deals, MOST_GAINS), np.int64), np.zeros((deals, 3), np.int64)
    player = make_policy(FOR_POINTS)
    book = load_book()
    _record_deals(player.player, deals, seed, book, NO_LOG, gains, shows)  # type: ignore[attr-defined]
    win, changes = book["win"][0], np.zeros((LAST + 1, LAST + 1))
    _write_shows(shows, book)
    _solve_all(gains, shows, changes, win)
    with ThreadPoolExecutor(threads) as pool:
        for total in range(2, 2 * LAST + 1):
            dealers = list(range(max(1, total - LAST), min(LAST, total - 1) + 1))
            for dealer in dealers:  # without a change as yet, but from changed smaller needs
                _solve_one(dealer, total - dealer, gains, shows, 0.0, win)
            found = pool.map(
                lambda dealer, pone, number: _change(dealer, pone, gains, shows, number, seed, win),
                dealers,
                [total - dealer for dealer in dealers],
                [max(1, min(deals, last_deals // total))] * len(dealers),
            )
            for dealer, change in zip(dealers, found, strict=True):
                changes[dealer, total - dealer] = change
                _solve_one(dealer, total - dealer, gains, shows, change, win)
    _solve_all(gains, shows, changes, win)
    return shows, win.copy()


def _write_shows(shows: NDArray[np.int64], book: NDArray[Any]) -> None:
    """Write how likely hands and cribs count how much, which those who play for the game ask."""
    for role in (0, 1):
        book["hand_chance"][0, role] = np.bincount(shows[:, role], minlength=30) / len(shows)
    book["crib_chance"][0] = np.bincount(shows[:, 2], minlength=30) / len(shows)


def _change(
    dealer: int,
    pone: int,
    gains: NDArray[np.int64],
    shows: NDArray[np.int64],
    deals: int,
    seed: int,
    win: NDArray[np.float64],
) -> float:
    """Return what playing for the game changes in the dealer's chance, over the first deals."""
    results = np.empty(deals)
    player = make_policy(FOR_THE_GAME)
    _play_for_the_game(player.player, dealer, pone, seed, load_book(), NO_LOG, win, results)  # type: ignore[attr-defined]
    _subtract_results(dealer, pone, gains, shows, win, results)
    return float(results.mean())


@lean_kernel
def _subtract_results(
    dealer: int,
    pone: int,
    gains: NDArray[np.int64],
    shows: NDArray[np.int64],
    win: NDArray[np.float64],
    results: NDArray[np.float64],
) -> None:
    """Subtract what the same deals, played for points, lead to."""
    for deal in range(results.shape[0]):
        results[deal] -= _result(dealer, pone, gains[deal], shows[deal], win)[0]


@kernel
def _record_deals(
    players: Players,
    deals: int,
    seed: int,
    book: NDArray[Any],
    log: Log,
    gains: NDArray[np.int64],
    shows: NDArray[np.int64],
) -> None:
    """Play single deals far from any target and write what was scored, in order.

    `gains` is ``(deals, MOST_GAINS)``: points before the show, the dealer's positive, pone's
    negative, 0 behind the last; `shows` is ``(deals, 3)``: pone's hand, dealer's hand, crib.
    """
    states, views = np.zeros(1, STATE), np.zeros(1, VIEW)
    for deal in range(deals):
        begin_game(states[0], np.uint64(seed), deal, 0, 0, 0, 1000, log)
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
    book: NDArray[Any],
    log: Log,
    win: NDArray[np.float64],
    results: NDArray[np.float64],
) -> None:
    """Play the deals that were recorded from a pair of needs; write the dealer's chance after each.

    Seat 0 deals. A deal without any points leads to the pair itself, as it is in the table.
    """
    states, views = np.zeros(1, STATE), np.zeros(1, VIEW)
    for deal in range(results.shape[0]):
        begin_game(states[0], np.uint64(seed), deal, 0, TARGET - dealer, TARGET - pone, TARGET, log)
        begin_deal(states[0], log)
        while states[0].phase == DISCARD or states[0].phase == PLAY:
            _move(players, states, views, book, log)
        if states[0].winner >= 0:
            results[deal] = 1.0 if states[0].winner == 0 else 0.0
        else:
            results[deal] = win[0, TARGET - states[0].scores[0], TARGET - states[0].scores[1]]


@kernel
def _solve_all(
    gains: NDArray[np.int64],
    shows: NDArray[np.int64],
    changes: NDArray[np.float64],
    win: NDArray[np.float64],
) -> None:
    """Fill ``win[role, own, other]``, from small needs to large, from recorded deals.

    `changes` (LAST + 1, LAST + 1), by the dealer's need and pone's, are added. A deal that ends
    nobody's game leads to a pair solved before, with the roles changed.
    """
    deals = gains.shape[0]
    joint = np.zeros((FAR + 2, FAR + 2))
    for deal in range(deals):
        dealer, pone = shows[deal, 1] + shows[deal, 2], shows[deal, 0]
        for gain in gains[deal]:
            dealer += max(gain, 0)
            pone -= min(gain, 0)
        joint[min(dealer, FAR + 1), min(pone, FAR + 1)] += 1.0 / deals
    for total in range(2, 2 * MOST_NEED + 1):
        for dealer in range(max(1, total - MOST_NEED), min(MOST_NEED, total - 1) + 1):
            pone = total - dealer
            if min(dealer, pone) > FAR:
                win[1, dealer, pone] = _chance_far(dealer, pone, joint, win)
                win[0, pone, dealer] = 1.0 - win[1, dealer, pone]
            else:
                is_last = dealer <= LAST and pone <= LAST
                change = changes[dealer, pone] if is_last else 0.0
                _solve_one(dealer, pone, gains, shows, change, win)


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


@lean_kernel
def _solve_one(
    dealer: int,
    pone: int,
    gains: NDArray[np.int64],
    shows: NDArray[np.int64],
    change: float,
    win: NDArray[np.float64],
) -> None:
    """Fill in the chances of one pair of needs, by walking every deal in its order."""
    deals = gains.shape[0]
    won, stayed = 0.0, 0.0
    for deal in range(deals):
        chance, has_points = _result(dealer, pone, gains[deal], shows[deal], win)
        if has_points:
            won += chance
        else:
            stayed += 1.0
    chance = min(1.0, max(0.0, won / (deals - stayed) + change))
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
