"""The features at chosen positions, which random games seldom meet, by the same plain Python."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from cribbage_env.cards import parse_cards
from cribbage_env.engine.layout import DISCARD, PLAY
from cribbage_env.observation import ACTION_FEATURES
from cribbage_env.observation.features import clip
from tests.positions import DEALER, PONE, position, view_of
from tests.test_features import check_discards, check_plays, check_state, features_of

pytestmark = pytest.mark.kernels


def test_numbers_beyond_the_bounds_are_clipped() -> None:
    numbers = (-2.5, -0.5, 0.0, 0.25, 1.0, 1.5, 3.0)
    assert [clip(number) for number in numbers] == [0, 0, 0, 0.25, 1, 1, 1]


# ---- the state -------------------------------------------------------------------------------


@pytest.mark.parametrize("scores", [(92, 91), (91, 92), (120, 0), (0, 120), (105, 101)])
def test_the_state_of_a_hand_of_one_suit(scores: tuple[int, int]) -> None:
    """Four of a suit count in a hand, the starter of another suit or not (R16)."""
    deeds = ("discard 2C JC", "discard TD KD")
    for number in range(3):
        lane = position(
            *deeds[:number],
            pone="2C 2H 6H 8H JC KH",
            dealer="3D 4C 4S 7C TD KD",
            starter="JD",
            scores=scores,
            target=123,
        )
        for seat in (PONE, DEALER):
            check_state(view_of(lane, seat))


# ---- discards --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pone", "dealer", "scores"),
    [
        ("2C 5C 5D 5H 9D JS", "2H 4H 6H 8H JH KH", (92, 93)),
        ("5C 5D 5H 9D TC JS", "AC 2D 3H 4S 5S 6C", (93, 111)),
        ("4C 4D 5H 6H 6S KC", "2D 4H 4S 7C 9C QD", (91, 120)),
        # Even the best total is below 0; and all six cards are low.
        ("3C 7D 9H TS QC KD", "AC AD 2H 3S 4S 4H", (0, 0)),
    ],
)
def test_discards_at_chosen_hands(pone: str, dealer: str, scores: tuple[int, int]) -> None:
    lane = position(pone=pone, dealer=dealer, starter="7D", scores=scores)
    check_discards(view_of(lane, PONE))
    first, second = pone.split()[:2]
    lane = position(
        f"discard {first} {second}", pone=pone, dealer=dealer, starter="7D", scores=scores
    )
    assert lane.phase == DISCARD
    check_discards(view_of(lane, DEALER))


def test_a_discard_that_is_sure_to_win_says_so() -> None:
    lane = position(
        pone="5C 5D 5H JS 2C 9D", dealer="AC 3D 7H 8S 9C TC", starter="6D", scores=(107, 0)
    )
    seen = view_of(lane, PONE)
    chances = features_of(seen)["actions"][:15, list(ACTION_FEATURES).index("reaches_target")]
    # The three fives and the jack count 14 or more whatever is turned.
    two, nine = (seen.dealt.tolist().index(card) for card in parse_cards("2C 9D"))
    action = list(combinations(range(6), 2)).index((two, nine))
    assert chances[action] == 1.0
    assert (np.delete(chances, action) < 1.0).all()


# ---- plays -----------------------------------------------------------------------------------

DEALS = [
    # 30 and a go, then 27 and a go.
    ("AC 4D 5H JD QS KS", "2C 3D 7H 8S 9C TC", "QS TC KS 9C JD 8S 5H 7H"),
    # Small cards, of which many fit.
    ("AC AD 2C 5H QC KC", "AH 2D 3C 4D QD KD", "AC 3C AD 2D 5H 4D 2C AH"),
    # 31, then small counts.
    ("QC QD 2S 3S 6H TC", "KC KD AH 4H 5D JS", "TC JS 6H 5D 2S AH 3S 4H"),
    # 31, then 5, 15 and 21.
    ("2C 3C 5S 6D 6H TC", "2D 3D 5D 6S TH JS", "TC JS 6H 5D 5S TH 6D 6S"),
]


@pytest.mark.parametrize(("pone", "dealer", "plays"), DEALS)
def test_plays_of_chosen_deals(pone: str, dealer: str, plays: str) -> None:
    """Every decision from the fourth card on, when few hands of the opponent are possible."""
    laid = plays.split()
    deeds = [
        f"discard {' '.join(card for card in hand.split() if card not in laid)}"
        for hand in (pone, dealer)
    ]
    for number in range(3, 8):
        lane = position(
            *deeds,
            *(f"play {card}" for card in laid[:number]),
            pone=pone,
            dealer=dealer,
            starter="9H",
        )
        assert lane.phase == PLAY
        seen = view_of(lane, lane.turn)
        check_state(seen)
        for own, opponent in ((2, 1), (3, 2)):
            seen.scores[:] = seen.target - own, seen.target - opponent
            check_plays(seen)
