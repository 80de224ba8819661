"""The collected cases of what an engine must allow, refuse and hide: a test for each."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from cribbage_env import CribbageEnv, score_hand
from cribbage_env.cards import NUM_CARDS, format_cards, parse_cards, rank_of
from cribbage_env.engine.layout import VIEW
from cribbage_env.engine.view import write_view
from cribbage_env.game import Event, Game, IllegalActionError
from cribbage_env.observation import SIZE_CARDS, describe, read_view, view, write_cards
from cribbage_env.policy import make_policy
from cribbage_env.rendering import render_text
from tests.test_cases import keep, of_kinds, read_cases

CASES = {case["id"]: case for case in read_cases("api")}

CANNOT_OCCUR = {
    "a037": "hands are counted by the engine: there is no claim that could be wrong",
    "a039": "hands are counted by the engine: there is no claim that could be too high",
}
"""Cases without a test, and why."""


def test_every_case_has_a_test_or_a_reason() -> None:
    found = (re.match(r"test_(a\d+)_", name) for name in globals())
    tested = [match[1] for match in found if match]
    assert sorted([*tested, *CANNOT_OCCUR]) == sorted(CASES)


def case(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    return CASES[name]["input"], CASES[name]["expected"]


def legal_cards(game: Game) -> list[int]:
    assert game.turn is not None
    return [game.kept(game.turn)[action - 15] for action in game.legal_actions()]


def laid(pone: str, dealer: str, plays: str, **given: Any) -> Game:
    """Return the game after these plays; seat 0 is pone, seat 1 deals."""
    game = keep((pone, dealer), 1, **given)
    for card in plays.split():
        game.play(card)
    return game


def games_at_random(seed: int, **given: Any) -> Iterator[Game]:
    """Yield a game at every decision, and at its end."""
    rng, game = random.Random(seed), Game(seed=seed, **given)
    while game.turn is not None:
        yield game
        game.step(rng.choice(game.legal_actions()))
    yield game


def see(game: Game, seat: int) -> Any:
    """Return a seat's view and its observation."""
    views, observation = np.zeros(1, VIEW), np.zeros(SIZE_CARDS, np.float32)
    write_view(game.state[0], seat, views[0])
    write_cards(views[0], observation)
    return views, observation


# What is legal


def test_a001_the_mask_is_that_of_the_count_now() -> None:
    given, expected = case("a001")
    game = laid("TC TH 9C 9H", "KS 7H 6D 5S", "TC")
    assert (game.count, len(game.legal_actions())) == (10, 4)
    game.play("5S")
    game.play("TH")
    assert game.count == given["count"]
    assert game.hand(1) == sorted(parse_cards(given["hand"]))
    assert legal_cards(game) == parse_cards(expected["legal"])


def test_a003_a_court_card_makes_thirty_one() -> None:
    given, expected = case("a003")
    game = laid("2C 3C 4D QD", "3D 4H 5S 9S", "2C 3D 3C 4H 4D 5S")
    assert game.count == given["count"]
    assert legal_cards(game) == game.hand(0) == parse_cards(expected["legal"])
    game.play("QD")
    assert of_kinds(game.events, "play")[-1].points == expected["points"]


def test_a005_go_is_no_action() -> None:
    given, expected = case("a005")
    game = laid("AC AH 9S KD", "AD 2C 9D KH", "AC AD AH 2C")
    assert (game.count, game.hand(0)) == (given["count"], parse_cards(expected["legal"]))
    assert legal_cards(game) == parse_cards(expected["legal"])
    before = game.state.tobytes()
    for action in {*range(-1, 20)} - {*game.legal_actions()}:
        with pytest.raises(ValueError, match=f"action {action}"):
            game.step(action)
    with pytest.raises(TypeError, match="go"):
        game.step("go")  # type: ignore[arg-type]
    assert game.state.tobytes() == before


def test_a007_no_card_is_laid_twice() -> None:
    game = laid("KC 8C AC 2C", "KD QD JD TD", "KC KD 8C AC")
    assert (game.turn, game.count) == (0, 29)  # seat 1 has said go
    slot = game.kept(0).index(parse_cards("AC")[0])
    before = (game.state.tobytes(), game.events)
    for again in (lambda: game.step(15 + slot), lambda: game.play("AC")):
        with pytest.raises(IllegalActionError, match="R6: AC has been laid already"):
            again()
    assert (game.state.tobytes(), game.events) == before
    game.play("2C")  # thirty-one: seat 1 leads
    with pytest.raises(IllegalActionError, match="R6: 2C is not among the cards of seat 1"):
        game.play("2C")


def test_a009_the_last_card_is_laid_alone() -> None:
    given, expected = case("a009")
    game = laid("KC JC TC 2D", "KD TD JD 4D", "KC KD JC TD TC JD 2D")
    assert (game.count, game.pile) == (given["count"], parse_cards(given["pile"]))
    assert (game.hand(0), game.hand(1)) == ([], parse_cards(given["hand"]))
    assert (game.turn, expected["to_act"]) == (1, "D")
    assert legal_cards(game) == parse_cards(expected["legal"])
    before = len(game.events)
    game.play("4D")
    news = [(event.kind, event.player, event.points) for event in game.events[before:]]
    assert news[:2] == [("play", 1, 0), ("last", 1, 1)]
    assert game.events[before + 1].cards == tuple(parse_cards("2D 4D"))
    assert [kind for kind, *_ in news[2:]] == ["hand", "hand", "crib", "deal"]


def test_a011_nothing_is_legal_at_the_end() -> None:
    _, expected = case("a011")
    *_, game = games_at_random(1)
    assert (game.legal_actions(), game.turn) == (expected["legal"], expected["to_act"])
    assert not game.action_mask().any()
    for action in range(19):
        with pytest.raises(IllegalActionError, match="R19: the game is over"):
            game.step(action)


@pytest.mark.parametrize("first", ["5D", "KC"])
def test_a029_nobody_discards_twice(first: str) -> None:
    game = Game.from_position(dealer=1, hands=("5D KC 2C 3C 9S 8H", "AD 4D 6H 7S TD QH"))
    game.discard(f"{first} 9S")
    with pytest.raises(IllegalActionError, match=r"R4: .* is not among the cards of seat 1"):
        game.discard("2C 3C")
    game.discard("TD QH")
    with pytest.raises(IllegalActionError, match="R4: both have discarded"):
        game.discard("2C 3C")
    with pytest.raises(IllegalActionError, match="R4: both have discarded"):
        game.step(0)
    assert game.crib == sorted(parse_cards(f"{first} 9S TD QH"))
    assert len(game.hand(0)) == len(game.hand(1)) == 4


def test_a031_the_cards_named_are_thrown_not_others_of_the_rank() -> None:
    given, expected = case("a031")
    game = Game.from_position(dealer=1, hands=(given["hand6"], "AD AH 6H 7C TD QH"))
    game.discard(given["discard"])
    assert sorted(game.kept(0)) == sorted(parse_cards(expected["kept"]))
    assert game.crib == sorted(parse_cards(given["discard"]))


def test_a041_who_said_go_is_not_asked_before_the_reset() -> None:
    game = laid("KC 9C QC JC", "4D AD 3D KD", "KC 4D QC")
    assert (game.count, game.turn) == (24, 1)  # seat 0 holds a nine and a jack
    goes = []
    for card in ("3D", "AD"):
        assert game.turn == 1
        game.play(card)
        goes += [e.player for e in of_kinds(game.events[-3:], "go")]
    assert of_kinds(game.events, "last")[-1].player == 1
    assert [event.player for event in of_kinds(game.events, "go")] == [0]
    assert (game.count, game.turn) == (0, 0)


def test_a043_who_has_no_cards_is_not_asked() -> None:
    game = laid("AC 2C 3C 4C", "9D TD JD QD", "AC 9D 2C TD 3C")
    assert game.turn == 0  # 25, nothing of seat 1's fits
    game.play("4C")
    assert (game.hand(0), len(game.hand(1))) == ([], 2)
    while game.deals == 1:
        assert game.turn == 1
        game.step(game.legal_actions()[0])
    assert len(of_kinds(game.events, "hand", "crib")) == 3


def test_a051_the_first_card_is_a_choice_like_any_other() -> None:
    given, expected = case("a051")
    game = laid("5H 9C 9S KD", "AD TD JD QD", "9S AD")
    assert (game.count, legal_cards(game)) == (given["count"], game.hand(0))
    assert sorted(game.hand(0)) == sorted(parse_cards(expected["legal"]))
    observation, mask = see(game, 0)[1], game.action_mask()
    (action,) = make_policy("greedy").act(observation[None], mask[None], np.zeros(1, np.uint64))
    assert action == game.legal_actions()[0]
    assert format_cards(game.kept(0)[action - 15]) == expected["choice"]


# The flow of a game


def test_a025_the_deal_alternates_strictly() -> None:
    *_, game = games_at_random(3)
    dealers = [event.player for event in of_kinds(game.events, "deal")]
    assert len(dealers) > 3
    assert dealers == [(dealers[0] + number) % 2 for number in range(len(dealers))]


def test_a027_pone_leads_in_every_deal() -> None:
    leads = {}
    for game in games_at_random(4):
        if game.phase == "play" and not of_kinds(game.events[-1:], "play", "last", "go"):
            leads[game.deals] = (game.turn, game.dealer)
    assert len(leads) > 3
    assert all(turn == 1 - dealer for turn, dealer in leads.values())


def test_a033_every_deal_has_six_new_cards_each() -> None:
    hands = {}
    for game in games_at_random(5):
        if game.phase == "discard" and game.crib == []:
            hands[game.deals] = (game.hand(0), game.hand(1))
    assert len(hands) > 3
    for first, second in hands.values():
        assert (len(first), len(second), len({*first, *second})) == (6, 6, 12)
    assert len({str(pair) for pair in hands.values()}) == len(hands)


def test_a035_a_deal_begins_with_nothing_of_the_last() -> None:
    fresh = Game(seed=0, dealer=0).state[0]
    seen = 0
    for game in games_at_random(6):
        if game.phase == "discard" and game.crib == []:
            seen += 1
            assert (game.count, game.pile, game.starter) == (0, [], None)
            assert game.kept(0) == game.kept(1) == []
            for name in ("plays", "play_seats", "go_after", "plays_made", "pile_start", "count"):
                assert np.array_equal(game.state[0][name], fresh[name])
            for name in ("go_seat", "kept", "held", "discards", "points"):
                assert np.array_equal(game.state[0][name], fresh[name])
    assert seen > 3


def test_a045_a_win_ends_everything_at_once() -> None:
    kinds = set()
    for seed in range(60):
        *_, game = games_at_random(seed, target=31)
        *_, last, win = game.events
        assert (win.kind, win.player, win.player) == ("win", last.player, game.winner)
        assert (game.phase, game.turn) == ("over", None)
        assert max(event.scores[win.player] for event in game.events[:-2]) < 31
        kinds.add(last.kind)
    assert kinds >= {"play", "last", "hand", "crib"}


def test_a047_equal_ranks_cut_again_from_the_whole_pack() -> None:
    given, _ = case("a047")
    first, second = (rank_of(card) for card in given["cut"])
    assert first == second
    ties = is_again = 0
    for seed in range(4000):
        cuts = of_kinds(Game(seed=seed).events, "cut")
        if len(cuts) > 2:
            ties += 1
            assert rank_of(cuts[0].cards[0]) == rank_of(cuts[1].cards[0])
            is_again += len({event.cards for event in cuts[:4]}) < 4
    assert 0.9 < ties / (4000 * 3 / 51) < 1.1
    assert is_again > 5  # about 15 in all: both cards go back before the next cut


def test_a055_the_last_card_names_the_cards_and_who_laid_last() -> None:
    game = laid("KC QC 3H 4H", "9D TD JD QD", "KC 9D QC")
    (last,) = of_kinds(game.events, "last")
    assert last == Event("last", 0, tuple(parse_cards("KC 9D QC")), 1, (1, 0))


def test_a057_four_cards_alone_may_be_a_flush() -> None:
    given, expected = case("a057")
    score = score_hand(given["hand"], given["starter"])
    assert (score.flush, score.total) == (expected["flush"], expected["total"])


def test_a059_what_is_played_ahead_on_a_copy_scores_as_in_the_game() -> None:
    for number, game in enumerate(games_at_random(7)):
        if game.phase != "play" or number % 5:
            continue
        ahead = game.copy()
        line = []
        while ahead.phase == "play" and ahead.deals == game.deals:
            line.append(ahead.legal_actions()[-1])
            ahead.step(line[-1])
        again = Game.replay(game.beginning, (*game.actions, *line))
        assert again.events == ahead.events
        assert again.scores == ahead.scores


# Rewards


def steps_of_an_environment(seed: int, **given: Any) -> Iterator[tuple[Game, int, float]]:
    """Yield the game, the number of events before each step, and the step's reward."""
    env, rng = CribbageEnv(opponent=None, **given), random.Random(seed)
    env.reset(seed=seed)
    while env.game.turn is not None:
        before = len(env.game.events)
        _, reward, *_ = env.step(rng.choice(env.game.legal_actions()))
        yield env.game, before, reward


@pytest.mark.parametrize("opponent", [None, "greedy"])
def test_a013_rewards_add_up_to_the_margin(opponent: str | None) -> None:
    env, rng = CribbageEnv(opponent=opponent), random.Random(1)
    env.reset(seed=1, options={"scores": (11, 30)})
    total, is_over = 0.0, False
    while not is_over:
        _, reward, is_over, *_ = env.step(rng.choice(env.game.legal_actions()))
        total += reward
    assert total == env.game.scores[0] - env.game.scores[1] - (11 - 30)
    assert max(env.game.scores) == 121


def test_a019_the_crib_pays_the_dealer_of_its_own_deal() -> None:
    seen = 0
    for game, before, reward in steps_of_an_environment(2):
        points = [0, 0]
        for event in game.events[before:]:
            points[event.player] += event.points
        cribs = of_kinds(game.events[before:], "crib")
        if game.winner is None:  # else the last points may be capped
            assert reward == points[0] - points[1]
            seen += len(cribs)
            # The next deal has begun: its dealer is the other seat.
            assert all(event.player == 1 - game.dealer for event in cribs)
    assert seen > 3


def test_a021_a_step_that_scores_nothing_pays_the_number_0() -> None:
    rewards = [reward for _, _, reward in steps_of_an_environment(3)]
    assert rewards[0] == 0
    assert {type(reward) for reward in rewards} == {float}


def test_a023_a_finished_game_takes_no_step_and_a_reset_begins_anew() -> None:
    *_, (game, _, _) = steps_of_an_environment(4)
    with pytest.raises(IllegalActionError, match="R19"):
        game.step(0)
    env = CribbageEnv(opponent=None, target=1)
    env.reset(seed=4)
    while env.game.turn is not None:
        env.step(env.game.legal_actions()[0])
    with pytest.raises(ValueError, match="reset"):
        env.step(0)
    env.reset()
    assert (env.game.scores, env.game.phase, env.game.number) == ((0, 0), "discard", 1)
    env.step(env.game.legal_actions()[0])


# What a seat may know


def test_a015_a_view_has_no_card_of_the_opponent_nor_of_the_crib() -> None:
    for game in games_at_random(8):
        for seat in (0, 1):
            views, observation = see(game, seat)
            hidden = {*game.hand(1 - seat)} | ({*game.crib} - {*views[0].discards.tolist()})
            names = ("dealt", "discards", "kept", "plays", "starter")
            cards = {int(card) for name in names for card in np.atleast_1d(views[0][name])}
            assert not hidden & cards
            assert not any(format_cards([card]) in describe(observation) for card in hidden)


def test_a017_before_the_show_each_seat_sees_a_view_of_its_own() -> None:
    for number, game in enumerate(games_at_random(9)):
        if game.turn is not None and number % 3 == 0:
            for seat in (0, 1):
                twin = game.redeal_hidden(seat, seed=number)
                views, observation = see(game, seat)
                assert views.tobytes() == see(twin, seat)[0].tobytes()
                assert observation.tobytes() == see(twin, seat)[1].tobytes()
                assert render_text(game, seat) == render_text(twin, seat)
                assert views.tobytes() != see(game, 1 - seat)[0].tobytes()


def test_a049_cards_dealt_anew_are_none_that_the_seat_sees() -> None:
    for number, game in enumerate(games_at_random(10)):
        for seat in (0, 1) if game.turn is not None else ():
            twin = game.redeal_hidden(seat, seed=number)
            own = twin.state[0]["dealt"][seat].tolist()
            others = twin.state[0]["dealt"][1 - seat].tolist()
            plays = [card for card in twin.state[0]["plays"].tolist() if card >= 0]
            starter = [] if twin.starter is None else [twin.starter]
            assert own == game.state[0]["dealt"][seat].tolist()
            assert plays == game.state[0]["plays"].tolist()[: len(plays)]
            assert len({*own, *others, *starter}) == 12 + len(starter)
            assert {*plays} <= {*own, *others}


def test_a053_card_51_and_the_scores_0_and_120_decode_back() -> None:
    hands = ("KS 2C 3C 4C 5C 6C", "AD 2D 3D 4D 5D 6D")
    game = Game.from_position(dealer=1, hands=hands, scores=(0, 120))
    views, observation = see(game, 0)
    pieces = view(observation)
    assert (game.hand(0)[5], NUM_CARDS) == (51, 52)
    assert pieces["hand"][5].tolist() == [0.0] * 12 + [1.0] + [0.0] * 3 + [1.0]
    assert pieces["distance"].tolist() == pytest.approx([1.0, 1 / 121])
    decoded = np.zeros(1, VIEW)
    read_view(observation, decoded[0])
    assert decoded.tobytes() == views.tobytes()
    observation[:] = 0
    for piece in pieces.values():  # each over memory of its own, together all of it
        np.add(piece, 1, out=piece)
    assert (observation == 1).all()
