"""The state of a game and the view of a seat, field by field.

A batch of N games is one NumPy array of shape ``(N,)`` with the dtype `STATE`: ``states["scores"]``
is the ``(N, 2)`` array of all scores, and ``states[i]`` is the one game that a kernel works on
(``lane.scores[seat]``). What a seat may know of a game is one record of the dtype `VIEW`; nothing
but a view ever reaches an observation, a mask or a player.

All small numbers are int16, wide enough for every sum a kernel forms, so that compiled and
uncompiled kernels compute the same.

A record does not keep its array alive in compiled code. A kernel that makes an array of records for
itself therefore takes ``views[0]`` anew at each use inside its loop, and never ``view = views[0]``.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "DEAL_OVER",
    "DISCARD",
    "GAME_OVER",
    "LOG_CAPACITY",
    "LOG_ROW",
    "MAX_TARGET",
    "NOBODY",
    "NO_CARD",
    "PLAY",
    "STATE",
    "VIEW",
]

NO_CARD = -1
NOBODY = -1
MAX_TARGET = 1000
"""The highest target a game may have."""

# Phases. Between DEAL_OVER and the next deal a caller may read what the deal brought.
DISCARD = 0
PLAY = 1
DEAL_OVER = 2
GAME_OVER = 3

# Where points come from: the second index of `points`.
FROM_HAND = 0
FROM_CRIB = 1
FROM_PLAY = 2
FROM_HEELS = 3
NUM_SOURCES = 4

# What `step` answers.
DONE = 0
ILLEGAL = 1
ALREADY_OVER = 2

STATE = np.dtype(
    (
        np.record,
        [
            # Which cards: everything random comes from these three.
            ("seed", "u8"),  # seed of the game's stream
            ("game", "i8"),  # number of the game under that seed, from 0
            ("deals", "i8"),  # number of the deal in the game, from 1 (0: none dealt yet)
            # The game.
            ("target", "i2"),  # holes to reach (R2)
            ("dealer", "i2"),  # seat of the dealer, 0 or 1
            ("first_dealer", "i2"),  # seat that dealt the game's first deal
            ("phase", "i2"),  # DISCARD, PLAY, DEAL_OVER or GAME_OVER
            ("turn", "i2"),  # seat to act, NOBODY when no seat is
            ("winner", "i2"),  # seat that reached the target, else NOBODY
            ("scores", "i2", (2,)),  # by seat, capped at the target (R19)
            ("rear", "i2", (2,)),  # by seat: hole of the rear peg, the score before the last peg
            ("points", "i2", (2, 4)),  # by seat and source: worth scored in this deal
            # The deal. Cards are ids; hands are sorted by id.
            ("dealt", "i2", (2, 6)),  # by seat: the six cards dealt
            ("discards", "i2", (2, 2)),  # by seat: the two thrown, NO_CARD before
            ("kept", "i2", (2, 4)),  # by seat: the four kept, NO_CARD before the discard
            ("held", "i2", (2, 4)),  # by seat and slot of `kept`: 1 while in hand
            ("starter", "i2"),  # the starter; hidden from both seats while phase is DISCARD
            # The play.
            ("plays", "i2", (8,)),  # cards laid in this deal in order, else NO_CARD
            ("play_seats", "i2", (8,)),  # who laid each, else NOBODY
            ("go_after", "i2", (8,)),  # who said go right after each, else NOBODY
            ("plays_made", "i2"),  # how many cards are laid
            ("pile_start", "i2"),  # index in `plays` of the first card since the last reset
            ("count", "i2"),  # the running count, 0..31
            ("go_seat", "i2"),  # who has said go in this count, else NOBODY
        ],
    )
)

VIEW = np.dtype(
    (
        np.record,
        [
            ("is_dealer", "i2"),  # 1 when the seat deals
            ("is_on_turn", "i2"),  # 1 when the seat is to act
            ("phase", "i2"),  # as in STATE
            ("target", "i2"),
            ("scores", "i2", (2,)),  # own, opponent
            ("dealt", "i2", (6,)),  # own six cards
            ("discards", "i2", (2,)),  # own discards, NO_CARD before
            ("kept", "i2", (4,)),  # own four kept, NO_CARD before the discard
            ("held", "i2", (4,)),  # 1 for each kept card still in hand
            ("starter", "i2"),  # NO_CARD before the cut
            ("plays", "i2", (8,)),  # cards laid in this deal in order, else NO_CARD
            ("play_is_own", "i2", (8,)),  # 1 where the seat laid it
            ("go_after", "i2", (8,)),  # right after each card: 0 nobody, 1 the seat, 2 the opponent
            ("plays_made", "i2"),
            ("pile_start", "i2"),
            ("count", "i2"),
            ("opponent_cards", "i2"),  # cards in the opponent's hand
        ],
    )
)

# What the kernels' parameters are, for the reader and for the type checker, which knows no records.
States: TypeAlias = NDArray[Any]
"""Array of the dtype STATE."""
Lane: TypeAlias = Any
"""One record of an array of the dtype STATE: one game."""
Views: TypeAlias = NDArray[Any]
"""Array of the dtype VIEW."""
View: TypeAlias = Any
"""One record of an array of the dtype VIEW: what one seat knows."""
Log: TypeAlias = NDArray[np.int16]
"""Array of shape (LOG_CAPACITY, LOG_ROW); one with no rows means that nothing is logged."""

# One event of a game as the kernels log it: a row of int16.
LOG_KIND, LOG_PLAYER, LOG_POINTS, LOG_SCORE_0, LOG_SCORE_1 = range(5)
LOG_STARTER, LOG_ACTION, LOG_SIZE, LOG_CARDS = range(5, 9)
LOG_ROW = LOG_CARDS + 8
"""Columns of a log row: kind, player, points, both scores, starter, the action that was taken plus
one (0 where the event is no action), number of cards, cards. The card
of a `starter` event stands in the starter's column alone."""
NO_LOG: Log = np.zeros((0, LOG_ROW), np.int16)
LOG_CAPACITY = 96
"""Rows of a log: row 0 holds the number of rows written; a kernel call writes far fewer."""

EVENT_KINDS = (
    "cut",
    "deal",
    "discard",
    "starter",
    "play",
    "go",
    "last",
    "hand",
    "crib",
    "win",
    "forfeit",
)
(CUT, DEAL, DISCARDED, STARTER, PLAYED, GO, LAST, HAND, CRIB, WIN, FORFEIT) = range(11)
