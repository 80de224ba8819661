"""The engine lays two hands in every way: as many lines and points as the referee counted."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from cribbage_env.engine.layout import DEAL_OVER, FROM_PLAY, NO_LOG, States
from cribbage_env.engine.lone import step_lone, write_legal
from cribbage_env.engine.tables import load_book
from cribbage_env.game import Game
from tests.play_trees import PlayTree, count, pairs, read
from tests.referee import read_cards, write_cards

TREES = read()
PONE, DEALER = 0, 1


def deal(pone: str, dealer: str) -> States:
    """Return the state when both have thrown cards that nobody looks at."""
    held = read_cards(f"{pone} {dealer}")
    others = [card for card in range(52) if card not in held and card // 4 != 10]
    thrown = write_cards(others[:2]), write_cards(others[2:4])
    game = Game.from_position(
        dealer=DEALER,
        hands=(f"{pone} {thrown[PONE]}", f"{dealer} {thrown[DEALER]}"),
        discards=thrown,
        starter=others[4],
        target=1000,
    )
    return game.state


def lay_all_ways(state: States) -> PlayTree:
    """Return the lines of play from a state, and the points of both seats over all of them."""
    if state["phase"][0] == DEAL_OVER:
        first, second = state["points"][0, :, FROM_PLAY].tolist()
        return PlayTree("", "", 1, (first, second))
    mask = np.zeros(19, np.int8)
    write_legal(state, mask)
    lines, points = 0, [0, 0]
    for action in np.flatnonzero(mask).tolist():
        after = state.copy()
        assert step_lone(after, action, load_book(), NO_LOG) == 0
        tree = lay_all_ways(after)
        lines += tree.lines
        points = [points[seat] + tree.points[seat] for seat in (0, 1)]
    return PlayTree("", "", lines, (points[0], points[1]))


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: f"{tree.pone}, {tree.dealer}")
def test_the_engine_lays_as_many_lines_for_as_many_points(tree: PlayTree) -> None:
    found = lay_all_ways(deal(tree.pone, tree.dealer))
    assert (found.lines, found.points) == (tree.lines, tree.points)


@pytest.mark.kernels
@pytest.mark.parametrize("tree", TREES[:3])
def test_some_trees_compiled_or_not(tree: PlayTree) -> None:
    found = lay_all_ways(deal(tree.pone, tree.dealer))
    assert (found.lines, found.points) == (tree.lines, tree.points)


def test_the_file_is_what_the_referee_counts() -> None:
    assert [(tree.pone, tree.dealer) for tree in TREES] == pairs()
    for tree in TREES[::10]:
        assert count(tree.pone, tree.dealer) == tree


@pytest.mark.slow
def test_all_of_the_file_is_what_the_referee_counts() -> None:
    assert [count(*pair) for pair in pairs()] == TREES


def test_suits_change_no_tree() -> None:
    """The play looks at ranks alone (R8)."""
    first, second = "5C 5D 6H 7S", "4C 4D 6S TS"
    for one, other in combinations("CDHS", 2):
        swap = str.maketrans(one + other, other + one)
        found = lay_all_ways(deal(first.translate(swap), second.translate(swap)))
        assert found == lay_all_ways(deal(first, second))
