"""`Game.from_position`: what it sets up and what it refuses."""

from __future__ import annotations

from typing import Any

import pytest

from cribbage_env.game import Game
from tests.games import DISCARDS, HANDS, PLAYS, POSITION, cards


def test_from_position_scores_what_was_played() -> None:
    given = {**POSITION, "discards": DISCARDS, "scores": (118, 110), "plays": "4H 6D 5H"}
    game = Game.from_position(**given)
    assert game.scores == (121, 112)  # heels for seat 1, then fifteen and a run
    assert game.winner == 0
    assert [e.points for e in game.events if e.kind == "play"] == [0, 0, 5]


@pytest.mark.parametrize("dealer", [0, 1])
def test_from_position_without_discards_or_starter(dealer: int) -> None:
    game = Game.from_position(dealer=dealer, hands=HANDS, seed=3)
    assert (game.phase, game.turn, game.dealer) == ("discard", 1 - dealer, dealer)
    assert game.hand(0) == cards(HANDS[0])
    assert game.hand(1) == cards(HANDS[1])
    starters = set()
    for seed in range(30):
        game = Game.from_position(dealer=dealer, hands=HANDS, discards=DISCARDS, seed=seed)
        assert game.starter not in cards(" ".join(HANDS))
        starters.add(game.starter)
    assert len(starters) > 12
    again = Game.from_position(dealer=dealer, hands=HANDS, discards=DISCARDS, seed=29)
    assert again.starter == game.starter


def test_later_deals_of_a_position_come_from_the_seed() -> None:
    one = Game.from_position(**POSITION, discards=DISCARDS, plays=PLAYS, seed=5)
    other = Game(seed=5, dealer=1)
    while other.deals == 1:
        other.step(other.legal_actions()[0])
    assert one.deals == 2
    assert one.hand(0) == other.hand(0)
    assert one.hand(1) == other.hand(1)


@pytest.mark.parametrize(
    ("wrong", "error", "match"),
    [
        ({"dealer": None}, TypeError, "dealer"),
        ({"dealer": 2}, ValueError, "dealer 2"),
        ({"hands": "4H 5H"}, TypeError, "hands must be a pair"),
        ({"hands": (HANDS[0],)}, ValueError, "hands must be two"),
        ({"hands": ("4H 5H 6S TD", HANDS[1])}, ValueError, "the hand of seat 0 must be 6 cards"),
        ({"hands": (HANDS[0], "5D 6D 7C 9S KD 4H")}, ValueError, "4H appears twice"),
        ({"starter": "4H"}, ValueError, "4H appears twice in the position"),
        ({"starter": "JH JS"}, ValueError, "starter must be 1 card"),
        ({"discards": ("JC QC",)}, ValueError, "discards must be two"),
        ({"discards": "JC QC"}, TypeError, "discards must be a pair"),
        ({"discards": ("JC QC", None)}, TypeError, "None"),
        ({"discards": ("JC 5D", "KD KH")}, ValueError, "R4: 5D is not among the cards of seat 0"),
        ({"discards": ("JC", "KD KH")}, ValueError, "the discard must be 2 cards"),
        ({"discards": None, "plays": "4H"}, ValueError, "plays need the discards before them"),
        ({"plays": "6D"}, ValueError, "R6: 6D is not among the cards of seat 0"),
        ({"plays": "JC"}, ValueError, "R6: JC is not among the cards of seat 0: 4H 5H 6S TD"),
        ({"plays": "4H 4H"}, ValueError, "4H appears twice in the plays"),
        ({"plays": f"{PLAYS} 2C"}, ValueError, "R4: the discards come before the play"),
        ({"plays": "4H 9S TD 5H"}, ValueError, "5H is not among the cards of seat 1"),
        ({"plays": 1.5}, TypeError, r"1\.5"),
        ({"scores": (121, 0)}, ValueError, "score 121"),
        ({"scores": (116, 0), "plays": "4H 6D 5H 7C"}, ValueError, "seat 0 has won 121-2"),
        ({"target": 0}, ValueError, "target 0"),
        ({"seed": -5}, ValueError, "seed -5"),
        ({"seed": None, "starter": None}, TypeError, "seed"),
    ],
)
def test_a_bad_position_is_refused(
    wrong: dict[str, Any], error: type[Exception], match: str
) -> None:
    right = {**POSITION, "discards": DISCARDS}
    Game.from_position(**right)
    with pytest.raises(error, match=match):
        Game.from_position(**right | wrong)
