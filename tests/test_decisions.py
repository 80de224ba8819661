"""Decisions: the analysis of what the seat to act knows, and what a choice loses by it."""

from __future__ import annotations

import pytest

from cribbage_env.analysis import analyze_discard, analyze_play
from cribbage_env.decisions import has_choice, judge
from cribbage_env.game import Game
from cribbage_env.rendering.words import cards_in_words
from tests.games import DISCARDS, POSITION, play_at_random, played_out


def test_a_discard_is_judged_by_the_analysis() -> None:
    game = Game.from_position(**POSITION, scores=(88, 92))
    decision = judge(game, action=4)
    found = analyze_discard(game.hand(0), is_dealer=False, scores=(88, 92))
    assert len(decision.choices) == len(found)
    for choice, one in zip(decision.choices, found, strict=True):
        assert (choice.action, choice.cards) == (one.action, one.discard)
        assert (choice.points, choice.win) == (one.total, one.win)
        # the opponent's crib is to be taken off
        assert (choice.hand, choice.crib, choice.pegging) == (one.hand, -one.crib, one.pegging)
        assert choice.now is None
    assert decision.made.action == 4
    assert decision.best == decision.choices[0]
    assert decision.loss == decision.win_lost == found[0].win - decision.made.win
    assert decision.points_lost == found[0].total - decision.made.points
    assert decision.rank == 1 + [one.action for one in found].index(4)
    assert (decision.scores, decision.is_discard, decision.is_dealer) == ((88, 92), True, False)
    assert decision.hand == tuple(game.hand(0))


def test_the_dealers_scores_are_its_own_first() -> None:
    game = Game.from_position(**POSITION, scores=(88, 92))
    game.discard(DISCARDS[0])
    decision = judge(game)
    assert (decision.seat, decision.is_dealer, decision.scores) == (1, True, (92, 88))
    expected = analyze_discard(game.hand(1), is_dealer=True, scores=(92, 88))
    assert [choice.crib for choice in decision.choices] == [one.crib for one in expected]


def test_a_play_is_judged_by_the_analysis() -> None:
    game = Game.from_position(**POSITION, discards=DISCARDS, plays="4H 6D")
    decision = judge(game, action=16)
    found = analyze_play(game, 0)
    assert [choice.cards for choice in decision.choices] == [(one.card,) for one in found]
    assert [choice.points for choice in decision.choices] == [one.net for one in found]
    assert [choice.win for choice in decision.choices] == [one.win for one in found]
    assert [choice.now for choice in decision.choices] == [one.now for one in found]
    assert decision.points_lost == decision.best.points - decision.made.points
    assert cards_in_words(decision.pile) == "4♥ 6♦"
    assert decision.count == 10
    assert not decision.is_forced


def test_points_stay_points_where_pegging_may_win_the_game() -> None:
    near = Game.from_position(**POSITION, discards=DISCARDS, plays="4H 6D", scores=(114, 100))
    far = Game.from_position(**POSITION, discards=DISCARDS, plays="4H 6D", scores=(14, 0))
    points = [{one.action: one.points for one in judge(game).choices} for game in (near, far)]
    assert points[0] == points[1]


def test_without_a_chance_of_winning_points_are_what_is_lost() -> None:
    decision = judge(Game(seed=1, target=300), action=0)
    assert decision.win_lost is None
    assert decision.loss == decision.points_lost > 0.3
    assert decision.is_mistake


def test_there_is_a_choice_wherever_a_decision_isnt_forced() -> None:
    for game in play_at_random(Game(seed=6, target=31), 2):
        if game.turn is None:
            assert not has_choice(game)
        else:
            assert judge(game).is_forced is not has_choice(game)


def test_what_cannot_be_judged_is_refused() -> None:
    with pytest.raises(ValueError, match="nobody is to act"):
        judge(played_out(Game(seed=1, target=21)))
    with pytest.raises(ValueError, match="nothing has been chosen"):
        _ = judge(Game(seed=1)).made
