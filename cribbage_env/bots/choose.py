"""The one place where a kernel finds out which compiled player it is to ask."""

from __future__ import annotations

import numpy as np

from cribbage_env.bots.club import choose_club
from cribbage_env.bots.expert import choose_expert
from cribbage_env.bots.expert.layout import LOOKAHEAD
from cribbage_env.bots.greedy import choose_greedy
from cribbage_env.bots.players import FIRST_DEEP, KINDS, Player
from cribbage_env.bots.random import choose_random
from cribbage_env.engine.compile import inlined_kernel, lean_kernel
from cribbage_env.engine.layout import DISCARD, View
from cribbage_env.engine.tables import Book

__all__ = ["choose", "choose_deeply", "choose_lightly"]

_GREEDY = KINDS.index("greedy")
_CLUB = KINDS.index("club")


@lean_kernel
def choose(player: Player, view: View, key: np.uint64, book: Book) -> int:
    """Return the action of any compiled player for the seat whose view this is."""
    if player.kind < FIRST_DEEP:
        return choose_lightly(player, view, key, book)
    return choose_deeply(player, view, key, book)


@inlined_kernel
def choose_lightly(player: Player, view: View, key: np.uint64, book: Book) -> int:
    """Return the action of a player whose kernel is small: kinds below FIRST_DEEP."""
    if player.kind == _GREEDY:
        return choose_greedy(view, book)
    if player.kind == _CLUB:
        return choose_club(view, book)
    return choose_random(view, key)


@lean_kernel
def choose_deeply(player: Player, view: View, key: np.uint64, book: Book) -> int:
    """Return the action of the expert; without look-ahead it plays as the club player does."""
    if view.phase != DISCARD and player.options[LOOKAHEAD] == 0.0:
        return choose_club(view, book)
    return choose_expert(player, view, key, book)
