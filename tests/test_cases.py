"""The collected cases of the play and of the ends of games, through `Game`, with either dealer.

`test_scoring.py` has those of hands, `test_cases_api.py` those of the interface.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from cribbage_env.cards import NUM_CARDS, parse_card, parse_cards, rank_of, value_of
from cribbage_env.game import Event, Game
from cribbage_env.scoring import score_hand, skunk

CASES = Path(__file__).parent / "golden" / "cases"
NO_END = 1000
"""The highest target: no deal gets there from 0."""
RAISE = 100
"""Added to both scores and to the target of a game case, so that a deal can begin lower."""
SKUNKS = ["none", "single", "double"]


def read_cases(name: str) -> list[dict[str, Any]]:
    lines = (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def parameters(name: str) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in read_cases(name)]


def by_seat(of_role: dict[str, Any], dealer: int) -> tuple[Any, Any]:
    """Return what pone (P) and dealer (D) have as seat 0's and seat 1's."""
    pair = (of_role["P"], of_role["D"])
    return pair if dealer == 1 else pair[::-1]


def keep(
    kept: Sequence[Any],
    dealer: int,
    *,
    crib: Sequence[str] | None = None,
    starter: Any = None,
    scores: tuple[int, int] = (0, 0),
    target: int = NO_END,
) -> Game:
    """Return a game at its first play in which the seats kept these four cards.

    Pone threw the first two cards of the crib. A crib or starter that is not given is filled with
    cards below the jacks that no one has, so that the starter brings no heels.
    """
    hands = [parse_cards(hand) for hand in kept]
    taken = hands[0] + hands[1] + ([] if starter is None else parse_cards(starter))
    rest = [card for card in range(NUM_CARDS) if card not in taken and rank_of(card) < 10]
    thrown = rest[:4] if crib is None else parse_cards(crib)
    discards = by_seat({"P": thrown[:2], "D": thrown[2:]}, dealer)
    return Game.from_position(
        dealer=dealer,
        hands=[hand + pair for hand, pair in zip(hands, discards, strict=True)],
        discards=discards,
        starter=rest[4] if starter is None else starter,
        scores=scores,
        target=target,
    )


def play_first_legal(game: Game) -> None:
    """Lay the first card that fits until the deal or the game is over."""
    deals = game.deals
    while game.phase == "play" and game.deals == deals:
        game.step(game.legal_actions()[0])


def of_kinds(events: Sequence[Event], *kinds: str) -> list[Event]:
    return [event for event in events if event.kind in kinds]


@pytest.mark.parametrize("dealer", [0, 1])
@pytest.mark.parametrize("case", parameters("pegging"))
def test_pegging_case(case: dict[str, Any], dealer: int) -> None:
    given, expected = case["input"], case["expected"]
    assert given["dealer"] == "D"
    seats = {"P": 1 - dealer, "D": dealer}
    game = keep(by_seat(given["hands"], dealer), dealer)
    points, counts = [], []
    for who, card in given["plays"]:
        assert game.turn == seats[who]
        count_before, before = game.count, len(game.events)
        game.play(card)
        news = game.events[before:]
        (play,) = of_kinds(news, "play")
        last = of_kinds(news, "last")
        assert {event.player for event in (play, *last)} == {seats[who]}
        points.append([play.points, sum(event.points for event in last)])
        counts.append(count_before + value_of(card))
        assert game.count == (0 if last or counts[-1] == 31 else counts[-1])
    assert points == expected["points"]
    assert counts == expected["count_after"]
    pegged = of_kinds(game.events, "play", "last")
    for who, total in expected["totals"].items():
        assert sum(event.points for event in pegged if event.player == seats[who]) == total
    shown = of_kinds(game.events, "hand", "crib")
    if expected["next"] is None:
        assert [event.player for event in shown] == [1 - dealer, dealer, dealer]
    else:
        assert shown == []
        assert game.turn == seats[expected["next"]]
        assert game.scores == by_seat(expected["totals"], dealer)


def begin_game_case(given: dict[str, Any], dealer: int) -> Game:
    """Return the game after what the case describes, its scores and target raised."""
    what = given["event"]
    first, second = by_seat(given["scores"], dealer)
    scores, target = (first + RAISE, second + RAISE), 121 + RAISE
    if what["type"] == "starter":
        kept = ("2C 4C 6C 8C", "2D 4D 6D 8D")
        return keep(kept, dealer, starter=what["starter"], scores=scores, target=target)
    if what["type"] == "pegging":
        game = keep(by_seat(what["hands"], dealer), dealer, scores=scores, target=target)
        for who, card in what["plays"]:
            assert game.turn == {"P": 1 - dealer, "D": dealer}[who]
            game.play(card)
        return game
    assert what["type"] == "show"
    kept, rest = by_seat(what, dealer), {"crib": what["crib"], "starter": what["starter"]}
    rehearsal = keep(kept, dealer, **rest)
    play_first_legal(rehearsal)
    # The show follows a play, which pegs too: the deal begins that much lower.
    pegged = of_kinds(rehearsal.events, "starter", "play", "last")[-1].scores
    begin = (scores[0] - pegged[0], scores[1] - pegged[1])
    game = keep(kept, dealer, **rest, scores=begin, target=target)
    play_first_legal(game)
    return game


@pytest.mark.parametrize("dealer", [0, 1])
@pytest.mark.parametrize("case", parameters("game"))
def test_game_case(case: dict[str, Any], dealer: int) -> None:
    given, expected = case["input"], case["expected"]
    if given["event"]["type"] == "final":
        check_final(given, expected, dealer)
        return
    game = begin_game_case(given, dealer)
    assert game.winner == {"P": 1 - dealer, "D": dealer, None: None}[expected["winner"]]
    assert [score - RAISE for score in game.scores] == [*by_seat(expected["final"], dealer)]
    uncapped = [score - RAISE for score in game.beginning.scores]
    for event in game.events:
        uncapped[event.player] += event.points
    assert uncapped == [*by_seat(expected["final_uncapped"], dealer)]
    assert len(of_kinds(game.events, "win")) == (1 if expected["winner"] else 0)
    if expected["winner"]:
        assert (game.phase, game.turn, game.legal_actions()) == ("over", None, [])
        assert game.events[-1].kind == "win"


def check_final(given: dict[str, Any], expected: dict[str, Any], dealer: int) -> None:
    """Let pone peg the last holes to 121 while the dealer stays where the case has it."""
    assert given["scores"] == expected["final"]
    scores = by_seat({"P": 119, "D": given["scores"]["D"]}, dealer)
    hands = by_seat({"P": "4H 4S 6S TD", "D": "5D 4D 7C 9S"}, dealer)
    game = keep(hands, dealer, scores=scores, target=121)
    for card in ("6S", "5D", "4H"):  # fifteen and a run
        game.play(card)
    assert game.winner == 1 - dealer
    assert game.scores == by_seat(expected["final"], dealer)
    assert SKUNKS[game.skunk] == expected["skunk"] == SKUNKS[skunk(game.scores)]


def test_hands_of_the_hand_cases_count_in_a_deal_too() -> None:
    """Each hand is shown by pone, each crib by the dealer, and scores what the case says."""
    seen = 0
    for case in read_cases("hand"):
        given, total = case["input"], case["expected"]["total"]
        taken = {parse_card(card) for card in (*given["hand"], given["starter"])}
        rest = [card for card in range(NUM_CARDS) if card not in taken]
        kept, crib = (given["hand"], rest[:4]), rest[4:8]
        if given["is_crib"]:
            kept, crib = (rest[4:8], rest[:4]), given["hand"]
        game = keep(kept, 1, crib=crib, starter=given["starter"])
        play_first_legal(game)
        kind = "crib" if given["is_crib"] else "hand"
        event = of_kinds(game.events, kind)[0]
        assert (event.points, event.detail) == (
            total,
            score_hand(given["hand"], given["starter"], is_crib=given["is_crib"]),
        )
        seen += 1
    assert seen == 24
