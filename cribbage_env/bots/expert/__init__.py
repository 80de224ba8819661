"""`expert`: a model of the opponent's hand, look-ahead over it, and the chance of winning.

The strategy by file: `discard` and `crib` for the throw, `worlds` for what the opponent may hold,
`rollout` and `play` for the look-ahead, `winning` for the end of the game, `learn` for the numbers
that all of them know, computed from the project's own deals.
"""

from __future__ import annotations

import numpy as np

from cribbage_env.bots.expert.discard import choose_discard
from cribbage_env.bots.expert.play import choose_play
from cribbage_env.bots.players import Player
from cribbage_env.engine.compile import lean_kernel
from cribbage_env.engine.layout import DISCARD, View
from cribbage_env.engine.tables import Book

__all__ = ["choose_expert"]


@lean_kernel
def choose_expert(player: Player, view: View, key: np.uint64, book: Book) -> int:
    """Return the action of the expert for the seat whose view this is."""
    if view.phase == DISCARD:
        return choose_discard(player, view, book)
    return choose_play(player, view, key, book)
