"""Observations: named pieces over one row of numbers, and the same in words.

`LAYOUT` names every piece, `view` shows them as arrays over the same memory, and `describe` says
what they mean. The kernels `write_cards` and `write_features` fill a row from a
seat's view alone, so that nothing hidden can get in; `read_view` is the way back.
"""

from __future__ import annotations

from cribbage_env.observation.cards import read_view, write_cards
from cribbage_env.observation.features import write_features
from cribbage_env.observation.layout import (
    ACTION_FEATURES,
    CARDS,
    FEATURES,
    FORECASTS,
    KINDS,
    LAYOUT,
    LOOKAHEAD,
    SIZE_CARDS,
    SIZE_FEATURES,
    SIZE_LOOKAHEAD,
    VERSION,
    Segment,
    kind_code,
    size,
)
from cribbage_env.observation.words import describe, view

__all__ = [
    "ACTION_FEATURES",
    "CARDS",
    "FEATURES",
    "FORECASTS",
    "KINDS",
    "LAYOUT",
    "LOOKAHEAD",
    "SIZE_CARDS",
    "SIZE_FEATURES",
    "SIZE_LOOKAHEAD",
    "VERSION",
    "Segment",
    "describe",
    "kind_code",
    "read_view",
    "size",
    "view",
    "write_cards",
    "write_features",
]
