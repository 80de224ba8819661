"""Rank, suit and value of a card in the kernels, which meet valid ids and NO_CARD alone.

`cribbage_env.cards` has the same for everybody else. A shift and a mask stand for the division by
the four suits: compiled, Python's division of signed numbers takes eight instructions more.
"""

from __future__ import annotations

from cribbage_env.engine.compile import inlined_kernel

__all__ = ["card_rank", "card_suit", "card_value"]


@inlined_kernel
def card_rank(card: int) -> int:
    """Return the rank 0..12 of a card."""
    return card >> 2


@inlined_kernel
def card_suit(card: int) -> int:
    """Return the suit 0..3 of a card."""
    return card & 3


@inlined_kernel
def card_value(card: int) -> int:
    """Return what a card adds to the count: ace 1, court cards 10 (R1)."""
    return min((card >> 2) + 1, 10)
