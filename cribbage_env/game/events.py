"""What happened in a game, event by event, as a reader can check it by hand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribbage_env.cards import format_cards
from cribbage_env.engine import layout
from cribbage_env.scoring import HandScore, PlayScore, score_hand, score_play

__all__ = ["Event", "decode_actions", "decode_events"]

Detail: TypeAlias = HandScore | PlayScore | None


@dataclass(frozen=True)
class Event:
    """One thing that happened.

    Attributes:
        kind: ``cut deal discard starter play go last hand crib win`` or ``forfeit``.
        player: the seat that it happened to (the dealer for `deal` and `starter`).
        cards: ids: the card cut, thrown, turned or laid; the cards of the count for `last`; the
            four of a hand or crib.
        points: what the combination is worth, whether or not all of it could be pegged.
        scores: both scores after it, capped at the target (R19).
        detail: the `PlayScore` of a play, the `HandScore` of a hand or crib, else None.

    >>> print(Event("play", 1, (18,), 2, (0, 2), score_play("TD 5H")))
    seat 1 lays 5H: fifteen two (0-2)
    """

    kind: str
    player: int
    cards: tuple[int, ...]
    points: int
    scores: tuple[int, int]
    detail: Detail = None

    def __str__(self) -> str:
        """Return the event as one line."""
        cards = format_cards(self.cards)
        text = {
            "cut": f"seat {self.player} cuts {cards}",
            "deal": f"seat {self.player} deals",
            "discard": f"seat {self.player} discards {cards}",
            "starter": f"the starter is {cards}{', two for his heels' if self.points else ''}",
            "play": f"seat {self.player} lays {cards}",
            "go": f"seat {self.player} says go",
            "last": f"seat {self.player} pegs one for last",
            "hand": f"seat {self.player} counts {cards}",
            "crib": f"seat {self.player} counts the crib {cards}",
            "win": f"seat {self.player} wins",
            "forfeit": f"seat {self.player} forfeits",
        }[self.kind]
        if self.detail is not None and (self.points or self.kind != "play"):
            text += f": {self.detail}"
        return f"{text} ({self.scores[0]}-{self.scores[1]})"


def decode_events(rows: Iterable[NDArray[np.int16]]) -> list[Event]:
    """Read the rows of a log (columns as in `engine.layout`) into events."""
    return [_decode(row) for row in rows]


def decode_actions(rows: Iterable[NDArray[np.int16]]) -> list[int]:
    """Return the actions among the rows of a log; -1 - seat where a seat forfeited."""
    actions = []
    for row in rows:
        if row[layout.LOG_KIND] == layout.FORFEIT:
            actions.append(-1 - int(row[layout.LOG_PLAYER]))
        elif row[layout.LOG_ACTION] > 0:
            actions.append(int(row[layout.LOG_ACTION]) - 1)
    return actions


def _decode(row: Any) -> Event:
    kind = layout.EVENT_KINDS[row[layout.LOG_KIND]]
    first = layout.LOG_CARDS
    cards = tuple(int(card) for card in row[first : first + row[layout.LOG_SIZE]])
    starter = int(row[layout.LOG_STARTER])
    detail: Detail = None
    if kind == "play":
        detail = score_play(cards)
        cards = cards[-1:]
    elif kind in ("hand", "crib"):
        detail = score_hand(cards, starter, is_crib=kind == "crib")
    elif kind == "starter":
        cards = (starter,)
    return Event(
        kind,
        int(row[layout.LOG_PLAYER]),
        cards,
        int(row[layout.LOG_POINTS]),
        (int(row[layout.LOG_SCORE_0]), int(row[layout.LOG_SCORE_1])),
        detail,
    )
