"""The engine against the slow referee: whole games in lanes side by side, event by event.

Every lane plays one game after another with random legal actions. What it does must depend neither
on how many lanes there are nor on what happens in the others; and the referee, given the same cards
and actions, must see the same decisions and the same events.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env.engine.deal import begin_deal, begin_game
from cribbage_env.engine.flow import is_legal, step
from cribbage_env.engine.layout import (
    CUT,
    DEAL_OVER,
    GAME_OVER,
    LOG_KIND,
    LOG_ROW,
    NOBODY,
    STATE,
    WIN,
)
from cribbage_env.engine.tables import load_book
from cribbage_env.game.events import decode_events
from tests.referee import Event, Referee
from tests.umpire import check_cuts, read_rows

LANES, GAMES = 256, 8
"""Together 2,048 games, each lane's eight one after the other."""

MOST_EVENTS, MOST_DECISIONS, MOST_DEALS = 4000, 2000, 40
"""More than a lane has in eight games, and more deals than a game has."""

DECISION = np.dtype([("game", "i2"), ("turn", "i2"), ("action", "i2"), ("legal", "i1", (19,))])


class Told(NamedTuple):
    """What a batch of lanes told: arrays with a row for each lane."""

    logs: NDArray[np.int16]
    """(N, events, LOG_ROW): all events of a lane's games; row 0 counts them."""
    decisions: NDArray[Any]
    """(N, decisions) of DECISION; action -1 where there was nothing left to decide."""
    deals: NDArray[np.int16]
    """(N, games, deals, 13): seat 0's six cards, seat 1's six, the starter; -1 without a deal."""
    ends: NDArray[Any]
    """(N,): the lanes at the end of their last games."""


# No `kernel`: its cache on disk looks at the package's sources, not at this file.
@numba.njit
def begin(lane: Any, seed: int, game: int, target: int, log: Any, deals: Any) -> None:
    """Begin a game; the cut decides who deals."""
    begin_game(lane, np.uint64(seed), game, NOBODY, 0, 0, target, log)
    deal(lane, log, deals)


@numba.njit
def deal(lane: Any, log: Any, deals: Any) -> None:
    """Deal, and note the cards."""
    begin_deal(lane, log)
    for place in range(6):
        deals[lane.deals - 1, place] = lane.dealt[0, place]
        deals[lane.deals - 1, 6 + place] = lane.dealt[1, place]
    deals[lane.deals - 1, 12] = lane.starter


@numba.njit
def decide(lane: Any, luck: int, told: Any) -> None:
    """Choose a legal action by luck, and note the choice."""
    told.game, told.turn = lane.game, lane.turn
    number = 0
    for action in range(19):
        told.legal[action] = 1 if is_legal(lane, action) else 0
        number += told.legal[action]
    place = luck % number
    for action in range(19):
        if told.legal[action] == 1:
            if place == 0:
                told.action = action
            place -= 1


@numba.njit
def play_on(
    lanes: Any, seeds: Any, target: int, luck: Any, book: Any, logs: Any, decisions: Any, deals: Any
) -> None:
    """Let all lanes act in turn until each has played its games."""
    for i in range(lanes.shape[0]):
        begin(lanes[i], seeds[i], 0, target, logs[i], deals[i, 0])
    for t in range(luck.shape[1]):
        for i in range(lanes.shape[0]):
            game = lanes[i].game
            if lanes[i].phase == GAME_OVER:
                game += 1
                if game == deals.shape[1]:
                    continue
                begin(lanes[i], seeds[i], game, target, logs[i], deals[i, game])
            decide(lanes[i], luck[i, t], decisions[i, t])
            step(lanes[i], decisions[i, t].action, book[0], logs[i])
            if lanes[i].phase == DEAL_OVER:
                deal(lanes[i], logs[i], deals[i, game])


def play_lanes(seeds: Iterable[int], games: int, target: int = 121, luck_seed: int = 0) -> Told:
    """Play games 0, 1, ... of each seed in a lane of its own, all lanes as one batch."""
    numbers = np.array([*seeds], np.int64)
    size = len(numbers)
    # 60 is a multiple of every number of legal actions, so that each is equally likely.
    luck = [np.random.default_rng([luck_seed, n]).integers(0, 60, MOST_DECISIONS) for n in numbers]
    told = Told(
        np.zeros((size, MOST_EVENTS, LOG_ROW), np.int16),
        np.zeros((size, MOST_DECISIONS), DECISION).view(np.recarray),
        np.full((size, games, MOST_DEALS, 13), -1, np.int16),
        np.zeros(size, STATE),
    )
    told.decisions["action"] = -1
    play_on(told.ends, numbers, target, np.stack(luck), load_book(), *told[:3])
    assert (told.ends["phase"] == GAME_OVER).all()
    assert (told.ends["game"] == games - 1).all()
    return told


@cache
def all_lanes(batch: int) -> Told:
    """Return what all lanes told, played in batches of this size."""
    lanes = range(LANES)
    parts = [play_lanes(lanes[first : first + batch], GAMES) for first in lanes[::batch]]
    return Told(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def split_games(told: Told, i: int) -> list[NDArray[np.int16]]:
    """Return the rows of each game of a lane; a game begins with a cut and ends with a win."""
    rows = told.logs[i, 1 : told.logs[i, 0, 0] + 1]
    ends = np.flatnonzero(rows[:, LOG_KIND] == WIN) + 1
    assert ends[-1] == len(rows)
    games = np.split(rows, ends[:-1])
    assert len(games) == told.deals.shape[1]
    assert all(game[0, LOG_KIND] == CUT for game in games)
    return games


def check_lane(told: Told, i: int, target: int = 121) -> None:
    """Let the referee see the cards and actions of a lane; it must tell the same games."""
    decisions = told.decisions[i]
    for number, rows in enumerate(split_games(told, i)):
        is_of_game = (decisions["game"] == number) & (decisions["action"] >= 0)
        check_game(read_rows(rows), told.deals[i, number].tolist(), decisions[is_of_game], target)


def check_game(
    events: list[Event], deals: list[list[int]], decisions: NDArray[Any], target: int
) -> None:
    """Let the referee see the cards and actions of a game; it must tell the same events."""
    cuts = [event for event in events if event.kind == "cut"]
    first_dealer = check_cuts(cuts)

    def deck_for_deal(deal: int) -> list[int]:
        cards = deals[deal - 1]
        by_seat = [cards[:6], cards[6:12]]
        dealer = (first_dealer + deal - 1) % 2
        pairs = zip(by_seat[1 - dealer], by_seat[dealer], strict=True)
        return [card for pair in pairs for card in pair] + [cards[12]]

    referee = Referee(dealer=first_dealer, deck_for_deal=deck_for_deal, target=target)
    for turn, action, legal in decisions[["turn", "action", "legal"]].tolist():
        assert referee.turn == turn
        assert referee.legal_actions() == [number for number, is_on in enumerate(legal) if is_on]
        referee.step(action)
    assert referee.phase == "over"
    assert events[len(cuts) :] == referee.events
    assert deals[referee.deals][0] == -1  # no deal after the last one


def test_two_thousand_games_have_the_events_that_the_referee_sees() -> None:
    told = all_lanes(256)
    assert len(np.unique(told.deals[:, :, 0].reshape(-1, 13), axis=0)) == LANES * GAMES
    for i in range(LANES):
        check_lane(told, i)


@pytest.mark.parametrize("batch", [1, 7])
def test_games_are_the_same_at_any_batch_size(batch: int) -> None:
    for part, whole in zip(all_lanes(batch), all_lanes(256), strict=True):
        assert np.array_equal(part, whole)


def test_cards_depend_on_seed_game_and_deal_alone() -> None:
    """Other players, in another order, meet the same cards."""
    lanes = range(40)[::-1]
    other = play_lanes(lanes, 3, luck_seed=1).deals[::-1]
    deals = all_lanes(256).deals[:40, :3]
    is_shared = (deals[..., 0] >= 0) & (other[..., 0] >= 0)
    assert is_shared.sum(axis=2).min() > 3
    assert np.array_equal(deals[is_shared], other[is_shared])


@pytest.mark.kernels
@pytest.mark.parametrize(("seeds", "target"), [(range(1), 121), (range(1000, 1003), 61)])
def test_a_few_games_compiled_or_not(seeds: range, target: int) -> None:
    told = play_lanes(seeds, 2, target)
    for i in range(len(seeds)):
        check_lane(told, i, target)
        for rows in split_games(told, i):
            events = [(e.kind, e.player, e.cards, e.points, e.scores) for e in decode_events(rows)]
            assert events == read_rows(rows)
