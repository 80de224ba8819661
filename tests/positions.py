"""Positions for tests: by hand in card notation, or met in random games."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env.actions import parse_action
from cribbage_env.bots.expert.observe import NUM_WORLDS, write_lookahead
from cribbage_env.cards import parse_cards
from cribbage_env.engine.deal import begin_deal, begin_game, deal_cards
from cribbage_env.engine.flow import step, write_mask
from cribbage_env.engine.layout import DEAL_OVER, DISCARD, GAME_OVER, NO_LOG, STATE, VIEW
from cribbage_env.engine.tables import load_book
from cribbage_env.engine.view import write_view
from cribbage_env.observation import KINDS, write_cards, write_features

PONE, DEALER = 0, 1
BOOK = load_book()[0]
EVERY_KIND = [
    # Plain Python takes seconds for one look-ahead.
    pytest.param(kind, marks=[] if kind == "lookahead" else pytest.mark.kernels)
    for kind in KINDS
]


def position(
    *deeds: str,
    pone: str,
    dealer: str,
    starter: str,
    scores: tuple[int, int] = (0, 0),
    target: int = 121,
    deals: int = DEALER,
) -> Any:
    """Return a state: seat 1 deals, or `deals`; deeds are actions in words, in turn."""
    hands = zip(parse_cards(pone), parse_cards(dealer), strict=True)
    deck = [card for pair in hands for card in pair] + parse_cards(starter)
    lane = np.zeros(1, STATE)[0]
    begin_game(lane, np.uint64(0), 0, deals, *scores, target, NO_LOG)
    deal_cards(lane, np.array(deck, np.int16), NO_LOG)
    for deed in deeds:
        hand = lane.dealt[lane.turn] if lane.phase == DISCARD else lane.kept[lane.turn]
        assert step(lane, parse_action(deed, hand), BOOK, NO_LOG) == 0, deed
    return lane


def view_of(lane: Any, seat: int) -> Any:
    """Return what a seat sees of a state."""
    view = np.zeros(1, VIEW)[0]
    write_view(lane, seat, view)
    return view


def random_states(number: int, seed: int, target: int = 121) -> Iterator[Any]:
    """Yield states from games played at random: every decision and every end, until `number`."""
    rng = np.random.default_rng(seed)
    game = 0
    lane = np.zeros(1, STATE)[0]
    lane.phase = GAME_OVER
    for _ in range(number):
        if lane.phase == GAME_OVER:
            scores = [int(score) for score in rng.integers(0, target, 2)]
            begin_game(lane, np.uint64(seed), game, -1, *scores, target, NO_LOG)
            begin_deal(lane, NO_LOG)
            game += 1
        elif lane.phase == DEAL_OVER:
            begin_deal(lane, NO_LOG)
        else:
            step(lane, int(rng.choice(legal_actions(view_of(lane, lane.turn)))), BOOK, NO_LOG)
        yield lane.copy()


def random_views(number: int, seed: int, target: int = 121) -> NDArray[Any]:
    """Return views of both seats in random games, an array of shape (2 * number,)."""
    views = np.zeros(2 * number, VIEW)
    for place, lane in enumerate(random_states(number, seed, target)):
        for seat in (0, 1):
            write_view(lane, seat, views[2 * place + seat])
    return views


def legal_actions(view: Any) -> list[int]:
    """Return the actions that are legal in a view."""
    mask = np.zeros(19, np.int8)
    write_mask(view, mask)
    return [int(action) for action in np.flatnonzero(mask)]


def write_row(view: Any, kind: str, out: NDArray[np.float32]) -> None:
    """Write an observation of any kind into a row of its size."""
    if kind == "cards":
        write_cards(view, out)
    else:
        write_features(view, BOOK, out)
    if kind == "lookahead":
        write_lookahead(view, NUM_WORLDS, False, BOOK, out)
