"""The analysis of discards and plays, and its command."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from cribbage_env import Game, analyze_discard, analyze_play, format_cards, score_hand
from cribbage_env.analysis import main
from cribbage_env.cards import NUM_CARDS, format_card, parse_cards
from tests.games import DISCARDS, POSITION

HAND = "5H 6H 7C JD QS KD"


@pytest.mark.parametrize("target", [121, pytest.param(500, marks=pytest.mark.kernels)])
def test_the_hand_is_exact_over_the_unseen_starters(target: int) -> None:
    unseen = [card for card in range(NUM_CARDS) if card not in parse_cards(HAND)]
    found = analyze_discard(HAND, is_dealer=True, scores=(88, 92), target=target)
    assert sorted(one.action for one in found) == list(range(15))
    for one in found:
        points = [score_hand(one.kept, starter).total for starter in unseen]
        assert one.hand == pytest.approx(np.mean(points))
        assert one.spread == pytest.approx(np.std(points))
        assert (one.worst, one.best) == (min(points), max(points))
        assert score_hand(one.kept, one.best_starter).total == one.best
        assert score_hand(one.kept, one.worst_starter).total == one.worst
        assert one.total == pytest.approx(one.hand + one.crib + one.pegging)


def test_the_best_comes_first() -> None:
    near = analyze_discard(HAND, is_dealer=False, scores=(88, 92))
    wins = [one.win for one in near]
    assert all(win is not None and 0 < win < 1 for win in wins)
    assert wins == sorted(wins, key=lambda win: win or 0.0, reverse=True)
    far = analyze_discard(HAND, is_dealer=False, target=500)
    assert all(one.win is None for one in far)
    totals = [one.total for one in far]
    assert totals == sorted(totals, reverse=True)


def test_each_choice_says_itself_in_a_line() -> None:
    near, *_ = analyze_discard(HAND, is_dealer=False, scores=(88, 92))
    assert near.win is not None
    throw = f"discard {format_cards(near.discard)}: {near.total:.2f} points"
    assert str(near) == f"{throw}, wins {near.win:.1%}"
    far, *_ = analyze_discard(HAND, is_dealer=False, target=500)
    assert str(far) == f"discard {format_cards(far.discard)}: {far.total:.2f} points"
    game = Game.from_position(**POSITION, discards=DISCARDS, plays="4H 6D", scores=(100, 104))
    by_card = {format_card(one.card): one for one in analyze_play(game, 0)}
    five = by_card["5H"]
    assert five.win is not None
    said = "play 5H: fifteen two, and a run of three is five"
    assert str(five) == f"{said}; {five.net:+.2f} points, wins {five.win:.1%}"


def test_the_score_changes_the_choice_only_through_the_chance_of_winning() -> None:
    early = {one.action: one.total for one in analyze_discard(HAND, is_dealer=True)}
    late = analyze_discard(HAND, is_dealer=True, scores=(118, 110))
    assert {one.action: one.total for one in late} == pytest.approx(early)
    assert len({round(one.win or 0.0, 3) for one in late}) > 3


def test_a_play_uses_only_what_the_seat_knows() -> None:
    game = Game(seed=12, dealer=1, scores=(100, 104))
    game.step(3)
    game.step(4)
    while game.phase == "play" and game.deals == 1:
        seat = 0 if game.turn is None else game.turn
        found = analyze_play(game, seat)
        assert {one.action for one in found} == set(game.legal_actions())
        for seed in range(3):
            assert analyze_play(game.redeal_hidden(seat, seed), seat) == found
        game.step(found[-1].action)


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="5H"):
        analyze_discard("5H 5H 7C JD QS KD", is_dealer=True)
    with pytest.raises(ValueError, match="6"):
        analyze_discard("5H 7C JD QS KD", is_dealer=True)
    with pytest.raises(ValueError, match="121"):
        analyze_discard(HAND, is_dealer=True, scores=(121, 0))
    with pytest.raises(TypeError, match="is_dealer"):
        analyze_discard(HAND, is_dealer=1)  # type: ignore[arg-type]
    game = Game(seed=1, dealer=0)
    with pytest.raises(ValueError, match="seat 1"):
        analyze_play(game, 1)
    with pytest.raises(TypeError, match="Game"):
        analyze_play("game", 1)  # type: ignore[arg-type]


def test_the_command_prints_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*HAND.split(), "--dealer", "--scores", "88", "92"]) == 0
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) == 18
    best = analyze_discard(HAND, is_dealer=True, scores=(88, 92))[0]
    assert printed.splitlines()[1].startswith(format_cards(best.discard))
    assert "in the hand" in printed


def test_a_bad_command_is_one_line_and_exit_code_2() -> None:
    command = [sys.executable, "-m", "cribbage_env.analysis", "5H", "5X", "--pone"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "5X" in done.stderr


def test_net_points_stay_points_where_the_game_can_end_in_the_play() -> None:
    for scores in ((0, 0), (118, 60), (60, 118), (119, 112)):
        game = Game.from_position(**POSITION, discards=DISCARDS, scores=scores)
        found = {one.action: one for one in analyze_play(game, 0)}
        far = Game.from_position(**POSITION, discards=DISCARDS)
        for one in analyze_play(far, 0):
            assert found[one.action].net == pytest.approx(one.net)
            assert abs(one.net) < 10
    assert max(one.win or 0.0 for one in found.values()) > 0.5
