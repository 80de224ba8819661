"""The cheat: no way to it by a name, its search against a plain one, what it is worth."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import cribbage_env
from cribbage_env.bots import peek
from cribbage_env.bots.peek import choose_peek
from cribbage_env.bots.players import KINDS
from cribbage_env.cards import rank_of
from cribbage_env.engine.layout import NO_LOG
from cribbage_env.engine.tables import load_book
from cribbage_env.game import Game
from cribbage_env.match import peek as driver
from cribbage_env.match import play_against_peek
from cribbage_env.policy import Policy, make_policy
from tests.test_cases import keep
from tests.test_expert import choice as choice_of

UNCOMPILED = bool(numba.config.DISABLE_JIT)


def choice(game: Game) -> int:
    """Return what the cheat does in a game's position."""
    return choose_peek(game.state, 0, True, True, load_book(), NO_LOG)


def test_nobody_meets_it_by_a_name() -> None:
    assert "peek" not in cribbage_env.opponent_names()
    assert "peek" not in KINDS
    for name in ("peek", "peek:", "cribbage_env.bots.peek:choose_peek"):
        with pytest.raises((ValueError, TypeError), match="peek"):
            make_policy(name)
    with pytest.raises(ValueError, match="peek"):
        cribbage_env.CribbageEnv(opponent="peek")
    for module in (peek, driver):
        for name, value in vars(module).items():
            if name not in ("Policy", "PolicyLike"):
                assert not isinstance(value, Policy), name


def as_club(game: Game) -> int:
    return choice_of("club", game)


def worth(game: Game, deals: int, seat: int) -> float:
    """Return what a position is worth to a seat when both know everything, by trying all."""
    if game.phase == "over":
        return float(game.winner == seat)
    if game.deals != deals:  # the next deal has been dealt
        own, other = (game.target - game.scores[one] for one in (seat, 1 - seat))
        return float(load_book()["win"][0, int(game.dealer == seat), own, other])
    assert game.turn is not None
    worths = {}
    for action in game.legal_actions():
        rank = rank_of(game.kept(game.turn)[action - 15])
        if rank not in worths:
            after = game.copy()
            after.step(action)
            worths[rank] = worth(after, deals, seat)
    return max(worths.values()) if game.turn == seat else min(worths.values())


@pytest.mark.kernels
@pytest.mark.parametrize("scores", [(0, 0), (113, 110)])
def test_its_card_is_the_best_of_all_that_can_follow(scores: tuple[int, int]) -> None:
    rng = np.random.default_rng(8)
    checked, games = 0, 6 if UNCOMPILED else 60
    for seed in range(games):
        game = Game(seed=seed, scores=scores)
        for _ in range(int(rng.integers(6 if UNCOMPILED else 4, 9))):
            if game.deals == 1 and game.phase != "over":
                game.step(int(rng.choice(game.legal_actions())))
        if game.phase != "play" or len(game.legal_actions()) < 2:
            continue
        assert game.turn is not None
        worths = {}
        for action in game.legal_actions():
            after = game.copy()
            after.step(action)
            worths[action] = worth(after, game.deals, game.turn)
        assert worths[choice(game)] == pytest.approx(max(worths.values()), abs=1e-6)
        checked += 1
    assert checked > games / 3


@pytest.mark.kernels
@pytest.mark.parametrize(
    "scores", [pytest.param((0, 0), marks=pytest.mark.slow if UNCOMPILED else ()), (120, 119)]
)
def test_its_discard_is_the_best_against_the_club_players(scores: tuple[int, int]) -> None:
    """With the starter and the other's throw known: as dealer it is made, as pone it is guessed."""
    hands = ("4H 4D 6D 6C JS JH", "3S 3H 7H 7D QC QD")
    game = Game.from_position(dealer=1, hands=hands, starter="5S", scores=scores)
    for seat in (0, 1):
        worths = {}
        for action in game.legal_actions():
            after = game.copy()
            after.step(action)
            if seat == 0:
                after.step(as_club(after))
            worths[action] = worth(after, 1, seat)
        found = choice(game)
        assert worths[found] == pytest.approx(max(worths.values()), abs=1e-6)
        game.step(found)


@pytest.mark.kernels
def test_it_wins_at_once_where_it_can() -> None:
    game = keep(["KH 9S 8C 3D", "TS 5H JH AH"], 1, scores=(118, 119), target=121)
    game.play("KH")
    game.step(choice(game))
    assert game.winner == 1


@pytest.mark.kernels
def test_who_looks_nowhere_is_the_club_player() -> None:
    pairs = 1 if UNCOMPILED else 100
    result = play_against_peek("club", games=2 * pairs, seed=5, in_discard=False, in_play=False)
    assert result.totals.pair_wins == (0, pairs, 0)
    assert result.totals.distinct_games == pairs


def test_knowing_all_wins_more_than_nine_games_of_ten() -> None:
    result = play_against_peek("club", games=200, seed=6, batch_size=50)
    assert result.totals == play_against_peek("club", games=200, seed=6).totals
    assert result.interval[0] > 0.9
    parts = [
        play_against_peek("club", games=200, seed=6, in_discard=where, in_play=not where)
        for where in (True, False)
    ]
    assert all(0.6 < one.win_rate_a < result.win_rate_a for one in parts)


def test_far_targets_and_policies_will_do() -> None:
    result = play_against_peek(make_policy("greedy"), games=20, target=200)
    assert result.b == "CompiledPolicy('greedy')"
    assert result.win_rate_a > 0.8


def test_bad_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="nobody"):
        play_against_peek("nobody", games=2)
    with pytest.raises(ValueError, match="3"):
        play_against_peek("club", games=3)
