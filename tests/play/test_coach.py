"""The coach's numbers are the analysis's, and luck and decisions add up to the result."""

from __future__ import annotations

import pytest

from cribbage_env.analysis import analyze_discard, analyze_play
from cribbage_env.engine.tables import load_book
from cribbage_env.game import Game
from cribbage_env.play.coach import (
    Coach,
    Review,
    chance_before_cut,
    chance_of_winning,
    judge,
)
from cribbage_env.play.words import coach_lines, mistake_lines, summary_lines, verdict
from cribbage_env.rendering.words import cards_in_words
from tests.games import DISCARDS, POSITION, play_at_random, played_out


def test_the_coach_judges_by_the_chance_of_winning() -> None:
    game = Game.from_position(**POSITION, scores=(88, 92))
    decision = judge(game, action=4)
    found = analyze_discard(game.hand(0), is_dealer=False, scores=(88, 92))
    assert [choice.win for choice in decision.choices] == [one.win for one in found]
    made = next(one for one in found if one.action == 4)
    assert decision.loss == found[0].win - made.win
    assert decision.points_lost == found[0].total - made.total


def test_judging_uses_what_the_seat_knows_alone() -> None:
    for game in play_at_random(Game(seed=6, target=21), 2):
        if game.turn is not None:
            twin = game.redeal_hidden(game.turn, seed=8)
            assert judge(twin).choices == judge(game).choices


def test_there_is_no_judging_without_a_decision_or_a_table() -> None:
    with pytest.raises(ValueError, match="nobody is to act"):
        judge(played_out(Game(seed=1, target=21)))
    with pytest.raises(ValueError, match="isn't known for the target 300"):
        judge(Game(seed=1, target=300))
    with pytest.raises(ValueError, match="nothing has been chosen"):
        _ = judge(Game(seed=1)).made


def test_chances_between_deals_come_from_the_table() -> None:
    table = load_book()["win"][0]
    game = Game(seed=1, dealer=0, scores=(100, 90))
    assert chance_of_winning(game, 0) == table[1, 21, 31]
    assert chance_of_winning(game, 1) == table[0, 31, 21]
    assert chance_of_winning(game, 0) + chance_of_winning(game, 1) == pytest.approx(1.0)
    assert chance_before_cut(game, 0) == table[1, 21, 31]
    assert chance_before_cut(Game(seed=1), 0) == pytest.approx(0.5)
    over = played_out(Game(seed=1, target=21))
    assert chance_of_winning(over, over.winner) == 1.0
    assert chance_of_winning(over, 1 - over.winner) == 0.0


@pytest.fixture(scope="module")
def game() -> Game:
    return played_out(Game(seed=5, target=61), 5)


@pytest.fixture(scope="module")
def coach() -> Coach:
    return Coach()


@pytest.fixture(scope="module")
def review(game: Game, coach: Coach) -> Review:
    return coach.review(game, 0)


def test_luck_and_decisions_add_up_to_the_result(game: Game, review: Review) -> None:
    assert review.now == float(game.winner == 0)
    explained = review.start + review.luck - review.own_lost + review.other_lost
    assert explained == pytest.approx(review.now)
    cards = sum(deal.own_cards + deal.other_cards + deal.rest for deal in review.deals)
    assert review.luck == pytest.approx(review.cut + cards)


def test_each_deal_adds_up_and_follows_the_last(game: Game, review: Review) -> None:
    assert [deal.number for deal in review.deals] == list(range(1, game.deals + 1))
    before = review.start + review.cut
    for deal in review.deals:
        assert deal.before == before
        assert deal.before + deal.luck - deal.own_lost + deal.other_lost == pytest.approx(
            deal.after
        )
        assert all(decision.deal == deal.number for decision in (*deal.own, *deal.other))
        before = deal.after
    decisions = [one for deal in review.deals for one in (*deal.own, *deal.other)]
    assert sorted(one.number for one in decisions) == list(range(len(game.actions)))
    for one in decisions:
        assert one.action == game.actions[one.number]
        assert one.loss >= 0.0


def test_luck_is_by_definition_the_cards_apart_from_choices(game: Game, review: Review) -> None:
    """Of the first deal, worked out anew from the analysis."""
    first = Game.replay(game.beginning)
    lost = [0.0, 0.0]
    best: list[float] = [-1.0, -1.0]
    for action in game.actions:
        if first.deals > 1:
            break
        seat = first.turn
        if first.phase == "discard":
            scores = (first.scores[seat], first.scores[1 - seat])
            found = analyze_discard(
                first.hand(seat), is_dealer=first.dealer == seat, scores=scores, target=61
            )
            best[seat] = found[0].win
        else:
            found = analyze_play(first, seat)
        lost[seat] += found[0].win - next(one.win for one in found if one.action == action)
        first.step(action)
    deal = review.deals[0]
    before = chance_of_winning(Game.replay(game.beginning), 0)
    after = chance_of_winning(first, 0)
    assert deal.luck == pytest.approx(after - before + lost[0] - lost[1])
    assert deal.own_cards == pytest.approx(best[0] - before)
    assert deal.other_cards == pytest.approx(1.0 - before - best[1])


def test_the_other_seats_review_is_the_mirror_image(
    game: Game, coach: Coach, review: Review
) -> None:
    other = coach.review(game, 1)
    assert other.now == 1.0 - review.now
    assert other.own_lost == pytest.approx(review.other_lost)
    assert other.luck == pytest.approx(-review.luck)


def test_a_review_ends_with_the_last_deal_that_is_over(
    game: Game, coach: Coach, review: Review
) -> None:
    begun = Game.replay(game.beginning, game.actions[:13])
    assert begun.deals == 2
    short = coach.review(begun, 0)
    assert short.deals == review.deals[:1]
    assert short.now == review.deals[0].after
    assert coach.review(Game(seed=1), 0).deals == ()


def test_mistakes_are_the_worst_decisions_with_deal_and_position(review: Review) -> None:
    mistakes = review.mistakes(3)
    rest = [one for one in review.decisions if one not in mistakes]
    assert [one.loss for one in mistakes] == sorted((one.loss for one in mistakes), reverse=True)
    assert min(one.loss for one in mistakes) >= max(one.loss for one in rest)
    lines = mistake_lines(review, 3)
    assert len(lines) == 6
    worst = mistakes[0]
    own, other = worst.scores
    assert lines[0].startswith(f"1. deal {worst.deal}, ")
    assert f"{own}-{other}" in lines[0]
    assert f"-{100 * worst.loss:.1f} %" in lines[1]


def test_a_forfeit_has_no_review() -> None:
    game = Game(seed=1)
    game.forfeit(0)
    with pytest.raises(ValueError, match="forfeit"):
        Coach().review(game, 0)


def test_the_last_decision_is_the_seats_own(game: Game, coach: Coach) -> None:
    then = Game.replay(game.beginning, game.actions[:7])
    for seat in (0, 1):
        decision = coach.last_decision(then, seat)
        assert decision is not None
        assert decision.seat == seat
        assert decision.action == then.actions[decision.number]
        assert (
            decision.choices
            == judge(Game.replay(game.beginning, then.actions[: decision.number])).choices
        )
    assert coach.last_decision(Game(seed=1), 0) is None


# In words


def test_the_table_shows_the_analysis_to_a_decimal() -> None:
    decision = judge(Game.from_position(**POSITION), action=0)
    lines = coach_lines(decision)
    assert len(lines) == 7
    text, is_best, is_made = lines[1]
    best = decision.best
    assert (is_best, is_made) == (True, False)
    assert text.split() == [
        "1",
        *cards_in_words(best.cards).split(),
        f"{best.hand:.1f}",
        f"{best.crib:+.1f}",
        f"{best.pegging:+.1f}",
        f"{best.points:.1f}",
        f"{100 * best.win:.1f}",
        "0.0",
    ]
    made = lines[-1][0].split()
    assert lines[-1][2]
    assert made[0].startswith("▶")
    assert made[-1] == f"{100 * decision.loss:.1f}"
    assert all(len(line) <= 42 for line, _, _ in lines)
    assert all(len(line) <= 36 for line, _, _ in coach_lines(decision, is_wide=False))
    assert "number" in verdict(decision)
    assert f"{100 * decision.loss:.1f} %" in verdict(decision)


def test_the_table_of_a_play_shows_points_now_and_to_come() -> None:
    game = Game.from_position(**POSITION, discards=DISCARDS, plays="4H 6D")
    decision = judge(game, action=analyze_play(game, 0)[0].action)
    text, is_best, is_made = coach_lines(decision)[1]
    assert is_best
    assert is_made
    assert text.split()[-4:] == [
        str(decision.best.now.total),
        f"{decision.best.points:+.2f}",
        f"{100 * decision.best.win:.1f}",
        "0.0",
    ]
    assert verdict(decision).endswith("the best there was.")


def test_a_forced_card_is_no_decision() -> None:
    game = Game.from_position(**POSITION, discards=DISCARDS, plays="4H 6D 5H 7C")
    decision = judge(game, action=game.legal_actions()[0])
    assert decision.is_forced
    assert verdict(decision) == "You laid 6♠: nothing else fitted."


def test_the_summary_says_what_the_review_says(review: Review) -> None:
    lines = summary_lines(review)
    shown = {line[:38].strip(): line[38:47].strip() for line in lines[:9]}
    assert shown["luck of the cards"] == f"{100 * review.luck:+.1f} %"
    assert shown["your decisions"] == f"{-100 * review.own_lost:+.1f} %"
    assert shown["the opponent's decisions"] == f"{100 * review.other_lost:+.1f} %"
    assert shown["in the end"] == f"{100 * review.now:.1f} %"
    assert len(lines) == 9 + 2 + len(review.deals)
    assert all(len(line) <= 80 for line in lines)
