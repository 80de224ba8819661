"""Decisions: the analysis of what the seat knew, the choice taken, what it lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cribbage_env.analysis import analyze_discard, analyze_play
from cribbage_env.cards import rank_of
from cribbage_env.game import Game
from cribbage_env.replay import Decision, Frame, Losses, judge, make_frames
from cribbage_env.replay.words import (
    choices_in_words,
    decision_in_words,
    losses_in_words,
    outcome_in_words,
)
from tests.games import DISCARDS, POSITION
from tests.replay.recorded import games


def decisions_of(game: Game) -> list[tuple[Frame, Decision]]:
    judged = [(frame, judge(frame)) for frame in make_frames(game)]
    return [(frame, decision) for frame, decision in judged if decision is not None]


def position(plays: str = "", **given: object) -> Game:
    return Game.from_position(**POSITION, discards=DISCARDS, plays=plays, **given)  # type: ignore[arg-type]


def test_each_choice_is_worth_what_the_analysis_says() -> None:
    game = Game.from_position(
        **POSITION, discards=DISCARDS, plays="4H 6D 5H 7C", scores=(90, 101), seed=5
    )
    (_, throw), (_, other), *plays = decisions_of(game)
    expected = analyze_discard(POSITION["hands"][0], is_dealer=False, scores=(90, 101))
    assert [one.cards for one in throw.choices] == [one.discard for one in expected]
    assert [one.win for one in throw.choices] == [one.win for one in expected]
    for choice, one in zip(throw.choices, expected, strict=True):
        assert choice.hand is not None
        assert choice.crib is not None
        assert choice.pegging is not None
        assert choice.hand + choice.crib + choice.pegging == pytest.approx(one.total)
    expected = analyze_discard(POSITION["hands"][1], is_dealer=True, scores=(101, 90))
    assert [one.points for one in other.choices] == [one.total for one in expected]
    assert [decision.seat for _, decision in plays] == [0, 1, 0, 1]
    for frame, decision in plays:
        assert frame.before is not None
        found = analyze_play(frame.before, decision.seat)
        assert [one.cards for one in decision.choices] == [(one.card,) for one in found]
        assert [one.points for one in decision.choices] == [one.net for one in found]
        assert [one.now for one in decision.choices] == [one.now for one in found]


@pytest.mark.parametrize("kind", [0, 2, 4])
def test_what_was_taken_and_what_it_lost(kind: int) -> None:
    for frame, decision in decisions_of(games()[kind]):
        assert decision.made.action == frame.action
        assert set(frame.event.cards) == set(decision.made.cards)
        assert decision.loss >= 0
        assert (decision.loss == 0) or decision.rank > 1
        assert decision.win_lost is not None
        assert decision.is_mistake == (decision.win_lost >= 0.005)


def test_where_nothing_can_be_chosen_nothing_is_judged() -> None:
    for game in games():
        for frame in make_frames(game):
            decision = judge(frame)
            if frame.before is None or frame.before.phase == "discard":
                assert (decision is None) == (frame.before is None)
                continue
            seat = frame.before.turn
            assert seat is not None
            legal = [frame.before.kept(seat)[one - 15] for one in frame.before.legal_actions()]
            assert (decision is None) == (len({rank_of(card) for card in legal}) == 1)


def test_a_decision_is_judged_by_what_its_seat_knew() -> None:
    frames = make_frames(games()[0])
    for frame in [frame for frame in frames if frame.before is not None][:12]:
        assert frame.before is not None
        seat = frame.before.turn
        assert seat is not None
        other = replace(frame, before=frame.before.redeal_hidden(seat, seed=3))
        assert judge(other) == judge(frame)


def test_above_the_table_of_chances_points_are_what_counts() -> None:
    game = position("4H 6D 5H", target=200)
    for _, decision in decisions_of(game):
        assert decision.win_lost is None
        assert decision.loss == decision.points_lost >= 0
        assert decision.is_mistake == (decision.points_lost >= 0.3)
    losses = Losses.of([decision for _, decision in decisions_of(game)], 0)
    assert losses.win is None
    assert "to win" not in losses_in_words(losses)


def test_losses_add_up() -> None:
    decisions = [decision for _, decision in decisions_of(games()[0])]
    for seat in (0, 1):
        own = [decision for decision in decisions if decision.seat == seat]
        losses = Losses.of(decisions, seat)
        assert losses.decisions == len(own) > 20
        assert losses.best == sum(decision.loss == 0 for decision in own)
        assert losses.points == pytest.approx(sum(decision.points_lost for decision in own))
        assert losses.win == pytest.approx(sum(decision.win_lost or 0 for decision in own))
    assert losses_in_words(Losses.of([], 0)) == "no decision"


def test_decisions_in_words() -> None:
    game = position("4H 6D 5H 7C")
    (_, throw), (_, other), (_, first), *_ = decisions_of(game)
    assert decision_in_words(other) == "the best of 15"
    lost = f"loses {throw.win_lost:.2%} to win and {throw.points_lost:.2f} points"
    assert decision_in_words(throw) == f"number 3 of 15, {lost}; best is to throw 4♥ 6♠"
    twin = replace(other.best, action=18)
    equal = replace(other, choices=(other.best, twin), action=twin.action)
    assert decision_in_words(equal) == "as good as any of 2"
    lines = list(choices_in_words(first))
    assert sum(line.startswith(">") for line in lines) == 1
    assert all("now" in line and "to win" in line for line in lines)
    assert all("hand" in line and "crib" in line for line in choices_in_words(throw))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (0, "expert:lookahead=2,score_aware=false wins 105-121"),
        (2, "seat 0 wins 121-0, by forfeit"),
        (3, "the deal is over at 17-4"),
        (6, "not over: 0-0"),
    ],
)
def test_outcomes_in_words(kind: int, words: str) -> None:
    assert outcome_in_words(games()[kind]) == words
