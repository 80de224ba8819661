"""Where each of the expert's options stands among the numbers of a player."""

from __future__ import annotations

from typing import Final

LOOKAHEAD: Final = 0
"""How many cards are followed after the own one; 0 plays as `club`."""
WORLDS: Final = 1
"""How many of the opponent's likely hands are looked at."""
MODEL: Final = 2
"""Whether hands are weighed by how likely they are kept, and by what was laid."""
REMOVAL: Final = 3
"""Whether the crib is estimated from the six cards held, rather than from the general table."""
PEGGING: Final = 4
"""How much of the expected pegging of the four kept is counted."""
SCORE_AWARE: Final = 5
"""Whether the chance of winning decides near the end, rather than points."""
HABITS: Final = 6
"""Whether what was laid is read, and what will be is foreseen, by habits rather than quickly."""

NOT_READ: Final = 0
"""The opponent's hand is any draw from the unseen cards."""
BY_QUICK_RULE: Final = 1
"""Hands are weighed by how readily they are kept; a card that the quick rule would not have laid is
a surprise."""
BY_HABIT: Final = 2
"""Hands are weighed by how readily they are kept and by how likely each card was laid from them."""

SURPRISE: Final = 0.5
"""Factor of a hand's weight for each of its cards that the quick rule would not have laid."""
NEAR: Final = 70
"""Holes that either player needs at most for the chance of winning to decide."""
