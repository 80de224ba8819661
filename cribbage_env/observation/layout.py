"""What stands where in an observation: `LAYOUT`, from which all offsets come.

An observation is one flat row of float32 in [0, 1]. The ``"cards"`` observation is a full
information state of the deal; the ``"features"`` observation is the same numbers followed by more,
and ``"lookahead"`` those of both followed by what the expert works out.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from types import MappingProxyType
from typing import Final, NamedTuple

from cribbage_env.actions import NUM_ACTIONS
from cribbage_env.cards import NUM_RANKS, NUM_SUITS, RANKS

__all__ = [
    "ACTION_FEATURES",
    "CARD_SIZE",
    "CARDS",
    "FEATURES",
    "FORECASTS",
    "KINDS",
    "LAYOUT",
    "LOOKAHEAD",
    "PLAY_ROW",
    "PROSPECT_POINTS",
    "SIZE_CARDS",
    "SIZE_FEATURES",
    "SIZE_LOOKAHEAD",
    "VERSION",
    "Segment",
    "kind_code",
    "size",
]

VERSION: Final = 1
"""Number of the layout; a layout that changes in any way gets the next one."""

KINDS: Final = ("cards", "features", "lookahead")
CARDS, FEATURES, LOOKAHEAD = range(3)
"""The kinds of observation; a kind's place here is the code that kernels take."""

CARD_SIZE: Final = NUM_RANKS + NUM_SUITS
"""Numbers for a card: rank one-hot (13), suit one-hot (4); all zero for no card."""

OWN_PLAY, OPPONENT_PLAY, IN_PILE, OWN_GO, OPPONENT_GO, GO_COUNT, PLAY_CARD = range(7)
"""Columns of a row of `plays`; the card takes the rest of the row."""
PLAY_ROW: Final = PLAY_CARD + CARD_SIZE

COUNTS: Final = 32
TARGET_SCALE: Final = 1024
MOST_CARDS: Final = 6

NEAR_HOLES: Final = 30
POINTS_SCALE: Final = 29
CRIB_SCALE: Final = 10
TOTAL_SHIFT: Final = 10
TOTAL_SCALE: Final = 40
REGRET_SCALE: Final = 4
PEG_SCALE: Final = 14
REPLY_SCALE: Final = 6
LIKELY_SCALE: Final = 2
FORECAST_SCALE: Final = 8
NET_SHIFT: Final = 6
NET_SCALE: Final = 12
GAIN_FACTOR: Final = 3
WIN_REGRET_FACTOR: Final = 10

PROSPECT_POINTS: Final = (1, 2, 4, 8, 14)
"""Points whose worth in chances of winning the segment `prospects` tells."""


class Segment(NamedTuple):
    """One named piece of an observation.

    >>> LAYOUT["discards"].shape, LAYOUT["discards"].kind
    ((2, 17), 'cards')
    """

    name: str
    offset: int
    shape: tuple[int, ...]
    kind: str
    """The first of `KINDS` in which it stands; the kinds after it have it too."""
    meaning: str

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return prod(self.shape)

    @property
    def stop(self) -> int:
        """The offset of what comes next."""
        return self.offset + self.size


ACTION_FEATURES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "legal": "1 when the action is legal; all that follows is 0 when it isn't",
        **{f"rank_{rank}": f"cards of rank {rank} thrown or laid / 2" for rank in RANKS},
        "total": "discard: mean hand ± mean crib; play: points − reply + answer; "
        f"(points + {TOTAL_SHIFT}) / {TOTAL_SCALE}",
        "regret": f"how far the total lies below the best legal one, points / {REGRET_SCALE}",
        "reaches_target": "chance that the hand kept, or the card laid, by itself scores the holes "
        "that are needed to win",
        # Discards.
        "hand_mean": f"mean hand over the 46 unseen starters / {POINTS_SCALE}",
        "hand_best": f"best hand over the unseen starters / {POINTS_SCALE}",
        "hand_worst": f"worst hand over the unseen starters / {POINTS_SCALE}",
        "hand_regret": f"how far the mean hand lies below the best one, points / {REGRET_SCALE}",
        "own_crib": f"as dealer: mean crib with the two cards / {CRIB_SCALE}",
        "opponent_crib": f"as pone: mean crib with the two cards / {CRIB_SCALE}",
        "thrown_suited": "1 when the two cards thrown are of one suit",
        "kept_low": "cards from ace to four among those kept / 4",
        # Plays.
        "points": f"points of the card at once (R8) / {PEG_SCALE}",
        "count": "the count after it / 31",
        "makes_15": "1 when it makes the count 15",
        "makes_31": "1 when it makes the count 31",
        "makes_5_or_21": "1 when it leaves a count of 5 or 21, which any of the tens make 15 or 31",
        "reply": f"mean points of the opponent's reply / {REPLY_SCALE}",
        "reply_scores": "chance that the reply scores",
        "reply_reaches_target": "chance that the reply wins the game",
        "go": "chance that there is no reply in this count",
        "answer": "mean points of the own best answer to the reply, or of the own next card or the "
        f"last-card point where there is none / {REPLY_SCALE}",
        "fits_after": "own cards that still fit in the count after it / 3",
    }
)
"""The numbers of each action, in order, and what they are; reply and answer are those of
`cribbage_env.engine.reply`. Every one is clipped to [0, 1]."""
FORECASTS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "own_pegs": "points that the own cards are expected to peg from here on "
        f"/ {FORECAST_SCALE}",
        "opponent_pegs": f"the same for the opponent / {FORECAST_SCALE}",
        "net": "discard: hand ± crib + net pegging, scaled as the total of the features; play: net "
        f"pegging, (points + {NET_SHIFT}) / {NET_SCALE}",
        "net_regret": f"how far the net lies below the best legal one, points / {REGRET_SCALE}",
        "win": "chance of winning the game",
        "win_regret": f"how far it lies below the best legal one × {WIN_REGRET_FACTOR}",
    }
)
"""What the expert's look-ahead says of each action, as `cribbage_env.bots.expert.observe` works it
out; every number is clipped to [0, 1]."""

_CARDS: Final = (
    ("hand", (6, CARD_SIZE), "own cards by slot: the six dealt, after the discard the four kept"),
    ("held", (4,), "1 for each of the four kept that is still in hand"),
    ("discards", (2, CARD_SIZE), "own discards; zero before"),
    ("starter", (CARD_SIZE,), "the starter; zero before the cut"),
    ("is_dealer", (1,), "1 as dealer, 0 as pone"),
    ("is_on_turn", (1,), "1 when it is this seat that acts"),
    ("phase", (4,), "one-hot: discard, play, deal over, game over"),
    ("target", (1,), f"holes to reach / {TARGET_SCALE}"),
    ("distance", (2,), "holes still needed / target: own, opponent"),
    ("count", (COUNTS,), "one-hot of the running count 0..31"),
    (
        "plays",
        (8, PLAY_ROW),
        (
            "cards laid in order: by self, by the opponent, 1 if since the last reset, right after "
            "it go by self, go by the opponent, the count at that go / 31, the card"
        ),
    ),
    ("cards_left", (2,), f"cards in hand / {MOST_CARDS}: own, opponent"),
)
_FEATURES: Final = (
    ("held_ranks", (NUM_RANKS,), "own cards in hand by rank / 4"),
    (
        "opponent_ranks",
        (NUM_RANKS,),
        "unseen cards by rank / 4, without those that the opponent's goes rule out",
    ),
    (
        "holes_left",
        (2, NEAR_HOLES),
        "own, opponent: entry k is 1 when more than k holes are needed",
    ),
    ("own_hand", (1,), f"points of the own hand with the starter / {POINTS_SCALE}; 0 before"),
    ("crib", (1,), f"mean crib with the own discards / {CRIB_SCALE}; 0 before"),
    ("actions", (NUM_ACTIONS, len(ACTION_FEATURES)), "ACTION_FEATURES of each of the 19 actions"),
)
_LOOKAHEAD: Final = (
    (
        "likely_ranks",
        (NUM_RANKS,),
        (
            "in the play: cards of each rank that the opponent is expected to hold, by the "
            f"expert's model of its hand / {LIKELY_SCALE}; 0 before"
        ),
    ),
    (
        "prospects",
        (1 + 2 * len(PROSPECT_POINTS),),
        (
            "chance of winning as the score stands; then, for each of "
            f"{', '.join(map(str, PROSPECT_POINTS))} points, what they would add to it if "
            f"pegged by oneself and cost if pegged by the opponent × {GAIN_FACTOR}"
        ),
    ),
    ("forecasts", (NUM_ACTIONS, len(FORECASTS)), "FORECASTS of each of the 19 actions"),
)


def _lay_out() -> Mapping[str, Segment]:
    segments: dict[str, Segment] = {}
    offset = 0
    for kind, pieces in zip(KINDS, (_CARDS, _FEATURES, _LOOKAHEAD), strict=True):
        for name, shape, meaning in pieces:
            segments[name] = Segment(name, offset, shape, kind, meaning)
            offset = segments[name].stop
    return MappingProxyType(segments)


LAYOUT: Final = _lay_out()
"""Every segment by name, in the order of the observation."""

SIZE_CARDS: Final = LAYOUT["cards_left"].stop
SIZE_FEATURES: Final = LAYOUT["actions"].stop
SIZE_LOOKAHEAD: Final = LAYOUT["forecasts"].stop


def kind_code(kind: str) -> int:
    """Return the code of a kind of observation, its place in `KINDS`.

    Raises:
        ValueError: there is no such kind.

    >>> kind_code("features")
    1
    """
    if kind not in KINDS:
        raise ValueError(f"observation must be one of {', '.join(map(repr, KINDS))}, not {kind!r}")
    return KINDS.index(kind)


def size(kind: str) -> int:
    """Return how many numbers an observation of a kind holds.

    Raises:
        ValueError: there is no such kind.

    >>> size("cards"), size("features"), size("lookahead")
    (384, 1156, 1294)
    """
    return (SIZE_CARDS, SIZE_FEATURES, SIZE_LOOKAHEAD)[kind_code(kind)]
