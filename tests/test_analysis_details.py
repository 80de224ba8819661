"""The analysis number by number: against the expert's own worths, and what its command is given."""

from __future__ import annotations

import io
import runpy
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import FrozenInstanceError
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env import Game, analysis, analyze_discard, analyze_play, score_hand, score_play
from cribbage_env.actions import DISCARDS
from cribbage_env.analysis import DiscardAnalysis, PlayAnalysis
from cribbage_env.bots import expert_policy
from cribbage_env.bots.expert.discard import DISCARD_COLUMNS, write_discard_worths
from cribbage_env.bots.expert.play import ILLEGAL, write_play_worths
from cribbage_env.cards import parse_cards
from cribbage_env.engine.layout import VIEW
from tests.games import DISCARDS as THROWN
from tests.games import POSITION
from tests.positions import BOOK, view_of

pytestmark = pytest.mark.kernels

HAND = "5H 6H 7C JD QS KD"
NOTHING = "2H 4H 6H 8H QC KD"
FIVES = "5H 5C 5D JD QS KD"


def worths_of_discards(
    hand: str, is_dealer: bool, scores: tuple[int, int], target: int, with_win: bool
) -> NDArray[np.float64]:
    view = np.zeros(1, VIEW)[0]
    view.is_dealer, view.scores, view.target = int(is_dealer), scores, target
    view.dealt = sorted(parse_cards(hand))
    worths = np.empty((15, 5))
    player = expert_policy(pegging=1.0).player[0]
    write_discard_worths(player, view, with_win, 1_000.0, BOOK, worths)
    return worths


def test_only_the_seat_to_play_is_analysed() -> None:
    game = Game.from_position(**POSITION, discards=THROWN, plays="6S 9S TD 6D")
    for seat in (1 - int(game.turn or 0), 2, -1):
        with pytest.raises(ValueError, match=f"seat {seat} is not to play now"):
            analyze_play(game, seat)
    with pytest.raises(ValueError, match="seat 0 is not to play now"):
        analyze_play(Game.from_position(**POSITION), 0)
    with pytest.raises(TypeError, match="a Game is analysed, not 'game'"):
        analyze_play("game", 1)  # type: ignore[arg-type]


def test_a_discard_needs_six_cards_a_role_and_scores_below_the_target() -> None:
    for hand in ("5H 7C JD QS KD", "5H 6H 7C JD QS KD AC"):
        with pytest.raises(ValueError, match="6"):
            analyze_discard(hand, is_dealer=True)
    with pytest.raises(TypeError, match="is_dealer must be a bool, not 1"):
        analyze_discard(HAND, is_dealer=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="121"):
        analyze_discard(HAND, is_dealer=np.True_, scores=(121, 0))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="100"):
        analyze_discard(HAND, is_dealer=False, scores=(0, 100), target=100)


def test_a_game_to_121_has_just_begun_where_nothing_is_said() -> None:
    with (
        patch.object(analysis, "make_beginning", side_effect=ValueError("asked")) as asked,
        pytest.raises(ValueError, match="asked"),
    ):
        analyze_discard(HAND, is_dealer=True)
    assert asked.call_args.args[2:4] == ((0, 0), 121)


def made_up(discard: str, kept: str, numbers: tuple[float, ...], win: float | None) -> Any:
    hand, crib, pegging, total = numbers
    first, second, *_ = parse_cards(discard)
    a, b, c, d = parse_cards(kept)
    starters = parse_cards("2C 5S")
    return DiscardAnalysis(
        3, (first, second), (a, b, c, d), hand, 2.25, 4, starters[0], 12, starters[1],
        crib, pegging, total, win,
    )  # fmt: skip


FOUND = [
    made_up("6H 7C", "5H JD QS KD", (9.5, 4.25, 0.75, 14.5), 0.51239),
    made_up("5H 6H", "7C JD QS KD", (5.0, 6.5, -1.25, 10.25), None),
    made_up("JD QS", "5H 6H 7C KD", (1.0, 1.0, 1.0, 3.0), 0.25),
]
ROWS = """\
6H 7C     5H JD QS KD   9.50  2.25    4 (2C)   12 (5S)        4.25    +0.75   14.50  51.24%
5H 6H     7C JD QS KD   5.00  2.25    4 (2C)   12 (5S)        6.50    -1.25   10.25        \n\
JD QS     5H 6H 7C KD   1.00  2.25    4 (2C)   12 (5S)        1.00    +1.00    3.00  25.00%
"""
HEAD = "discard   kept          hand     ±     worst      best  {:>10}  pegging   total     win\n"


def test_the_table_says_why_the_first_is_ahead_of_the_second() -> None:
    assert analysis.format_discards(FOUND, is_dealer=True) == (
        HEAD.format("own crib") + ROWS + "\n6H 7C against 5H 6H: "
        "+4.50 in the hand, -2.25 in the crib, +2.00 in the pegging: +4.25 points"
    )
    assert analysis.format_discards(FOUND, is_dealer=False) == (
        HEAD.format("their crib") + ROWS + "\n6H 7C against 5H 6H: "
        "+4.50 in the hand, +2.25 in the crib, +2.00 in the pegging: +4.25 points"
    )


def test_a_choice_says_itself_in_a_line_and_stays_as_it_is() -> None:
    first, second, _ = FOUND
    assert str(first) == "discard 6H 7C: 14.50 points, wins 51.2%"
    assert str(second) == "discard 5H 6H: 10.25 points"
    five, ten = parse_cards("5H TD")
    now = score_play([ten, five])
    plays = [PlayAnalysis(15, five, now, 0.5, 0.25), PlayAnalysis(15, five, now, -1.0, None)]
    assert [str(one) for one in plays] == [
        "play 5H: fifteen two; +0.50 points, wins 25.0%",
        "play 5H: fifteen two; -1.00 points",
    ]
    for one in (first, plays[0]):
        with pytest.raises(FrozenInstanceError):
            one.action = 4  # type: ignore[misc]


@pytest.mark.parametrize(
    ("options", "asked"),
    [
        ("--dealer", {"is_dealer": True, "scores": (0, 0), "target": 121}),
        ("--pone --scores 88 92", {"is_dealer": False, "scores": [88, 92], "target": 121}),
        ("--dealer --target 61", {"is_dealer": True, "scores": (0, 0), "target": 61}),
    ],
)
def test_the_command_asks_what_it_is_told(options: str, asked: dict[str, Any]) -> None:
    calls = []

    def answer(hand: str, **settings: Any) -> Any:
        calls.append((hand, settings))
        return FOUND

    printed = io.StringIO()
    with patch.object(analysis, "analyze_discard", answer), redirect_stdout(printed):
        assert analysis.main([*HAND.split(), *options.split()]) == 0
    assert calls == [(HAND, asked)]
    table = analysis.format_discards(FOUND, is_dealer=asked["is_dealer"])
    assert printed.getvalue() == table + "\n"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("5H 6H", "one of the arguments --dealer --pone is required"),
        ("5H 6H --dealer --pone", "not allowed with argument"),
        ("--dealer", "the following arguments are required: cards"),
        ("5H --dealer --scores 1", "--scores: expected 2 arguments"),
        ("5H --dealer --target x", "invalid int value: 'x'"),
        ("5H 5X --pone", "5X"),
    ],
)
def test_a_bad_command_is_refused_in_a_line(line: str, words: str) -> None:
    for run in (analysis.main, run_as_a_command):
        said = io.StringIO()
        with redirect_stderr(said), pytest.raises(SystemExit, match="2"):
            run(line.split())
        assert said.getvalue().startswith("python -m cribbage_env.analysis: ")
        assert words in said.getvalue()
        assert said.getvalue().count("\n") == 1


def run_as_a_command(arguments: list[str]) -> None:
    with patch.object(sys, "argv", ["", *arguments]), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the module is imported already
        runpy.run_module("cribbage_env.analysis", run_name="__main__")


@pytest.mark.parametrize(
    ("hand", "is_dealer", "scores", "target", "has_win"),
    [
        (HAND, True, (0, 0), 122, False),
        (FIVES, False, (110, 120), 121, True),
        (NOTHING, False, (118, 1), 122, True),
        (NOTHING, False, (110, 0), 122, False),
    ],
)
def test_a_discard_is_worth_what_the_expert_says(
    hand: str, is_dealer: bool, scores: tuple[int, int], target: int, has_win: bool
) -> None:
    found = analyze_discard(hand, is_dealer=is_dealer, scores=scores, target=target)
    worths = worths_of_discards(hand, is_dealer, scores, target, has_win)
    cards = sorted(parse_cards(hand))
    column = DISCARD_COLUMNS.index("win" if has_win else "total")
    ranked = sorted(range(15), key=lambda action: (-worths[action, column], -worths[action, 3]))
    assert [one.action for one in found] == ranked
    for one in found:
        thrown = DISCARDS[one.action]
        assert one.discard == tuple(cards[slot] for slot in thrown)
        assert one.kept == tuple(card for card in cards if card not in one.discard)
        told = [one.hand, one.crib, one.pegging, one.total]
        assert told == worths[one.action, :4].tolist()
        assert one.win == (worths[one.action, 4] if has_win else None)
        unseen = [card for card in range(52) if card not in cards]
        points = {card: score_hand(one.kept, card).total for card in unseen}
        assert one.worst == min(points.values()) == points[one.worst_starter]
        assert one.best == max(points.values()) == points[one.best_starter]
        assert one.spread == pytest.approx(np.std([*points.values()]))
    assert (0 in {one.worst for one in found}) == (hand != FIVES)
    assert (0 in {one.win for one in found}) == (hand == FIVES)  # and comes last


@pytest.mark.parametrize(
    ("plays", "scores", "target", "has_win"),
    [
        ("4H 6D 5H", (0, 60), 160, False),  # memory holds nothing of it yet
        ("6S 9S TD 6D", (0, 60), 122, False),
        ("6S 9S TD 6D", (1, 60), 122, True),
        ("6S 9S TD 6D", (992, 990), 1_000, True),
        ("4H 6D 5H", (100, 100), 121, True),
    ],
)
def test_a_play_is_worth_what_the_expert_says(
    plays: str, scores: tuple[int, int], target: int, has_win: bool
) -> None:
    game = Game.from_position(
        **POSITION, discards=THROWN, plays=plays, scores=scores, target=target
    )
    assert game.phase == "play"
    assert game.turn is not None
    seat = game.turn
    found = analyze_play(game, seat)
    player = expert_policy(worlds=1820).player[0]
    view = view_of(game.state[0], seat)
    wins, nets = np.empty(4), np.empty(4)
    if has_win:
        write_play_worths(player, view, True, np.uint64(7), BOOK, wins)
    # Where nobody can win before the deal is over, points are all.
    view.scores = 0
    view.target = 121
    write_play_worths(player, view, False, np.uint64(7), BOOK, nets)
    assert [one.action for one in found] == sorted(
        game.legal_actions(), key=lambda action: -(wins if has_win else nets)[action - 15]
    )
    assert len(found) == 4 - sum(net == ILLEGAL for net in nets) > 1
    for one in found:
        assert one.card == game.kept(seat)[one.action - 15]
        assert one.now == score_play([*game.pile, one.card])
        assert one.net == nets[one.action - 15]
        assert one.win == (wins[one.action - 15] if has_win else None)


def test_a_play_that_cannot_win_comes_last() -> None:
    game = Game.from_position(
        dealer=0,
        hands=("AD 3C 5C 6C 8S JH", "AC 2H 3D 4D 4S KC"),
        starter="JD",
        discards=("5C JH", "AC 2H"),
        plays="4D 8S 4S 6C 3D",
        scores=(112, 120),
    )
    wins = [one.win or 0.0 for one in analyze_play(game, 0)]
    assert wins[0] > 0.1
    assert wins[1:] == [0.0]
