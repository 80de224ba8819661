"""`random`: any legal action, each as likely as the others."""

from __future__ import annotations

import numpy as np

from cribbage_env.engine.card import card_value
from cribbage_env.engine.chance import draw
from cribbage_env.engine.compile import inlined_kernel
from cribbage_env.engine.flow import FIRST_PLAY
from cribbage_env.engine.layout import DISCARD, View
from cribbage_env.engine.play import FULL_COUNT

__all__ = ["choose_random"]


@inlined_kernel
def choose_random(view: View, key: np.uint64) -> int:
    """Return a legal action drawn by the decision's key."""
    if view.phase == DISCARD:
        return draw(key, 0, FIRST_PLAY)
    fitting = 0
    for slot in range(4):
        fits = view.count + card_value(view.kept[slot]) <= FULL_COUNT
        fitting += view.held[slot] if fits else 0
    chosen = draw(key, 0, fitting)
    for slot in range(4):
        if view.held[slot] == 1 and view.count + card_value(view.kept[slot]) <= FULL_COUNT:
            if chosen == 0:
                return FIRST_PLAY + slot
            chosen -= 1
    return -1  # never reached: a seat on turn holds a card that fits
