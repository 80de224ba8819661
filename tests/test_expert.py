"""The club player and the expert: sure wins, the model of the hand, rollouts, the win table."""

from __future__ import annotations

import json
from typing import Any

import numba
import numpy as np
import pytest

import cribbage_env
from cribbage_env.bots.expert import learn
from cribbage_env.bots.expert.habits import choose_by_habit
from cribbage_env.bots.expert.layout import BY_HABIT, BY_QUICK_RULE, NOT_READ
from cribbage_env.bots.expert.ranks import GONE
from cribbage_env.bots.expert.rollout import choose_quickly, play_out
from cribbage_env.bots.expert.worlds import MOST_WORLDS, write_worlds
from cribbage_env.cards import parse_cards
from cribbage_env.engine.layout import VIEW
from cribbage_env.engine.reply import count_pool
from cribbage_env.engine.tables import DATA, load_book
from cribbage_env.engine.view import write_view
from cribbage_env.game import Game
from cribbage_env.lanes import Lanes
from cribbage_env.match import play_match
from cribbage_env.policy import make_policy

UNCOMPILED = bool(numba.config.DISABLE_JIT)


def choice(player: str, game: Game) -> int:
    """Return what a player does in a game's position, asked as a policy."""
    policy = make_policy(player)
    lanes = Lanes(1, ())
    lanes.states[:] = game.state
    seat = np.array([game.turn])
    observations, masks, keys = lanes.observe(np.zeros(1, np.int64), seat, policy.observation)
    return int(policy.act(observations, masks, keys)[0])


@pytest.mark.kernels
@pytest.mark.parametrize(
    "player", ["club", "expert", "expert:score_aware=false", "expert:habits=true"]
)
@pytest.mark.parametrize("scores", [(119, 118), (119, 60)])
def test_a_card_that_wins_at_once_is_laid(player: str, scores: tuple[int, int]) -> None:
    game = Game.from_position(
        dealer=0,
        hands=("TS 5H JH AH 2C 3C", "KH 9S 8C 3D 2D 4D"),
        starter="6S",
        discards=("2C 3C", "2D 4D"),
        plays="KH",
        scores=scores,
    )
    game.step(choice(player, game))
    assert game.winner == 0
    assert game.events[-2].cards == tuple(parse_cards("5H"))


def test_pone_ahead_in_the_count_lets_the_dealer_peg() -> None:
    """With the hand that wins in the show, the expert's chance of winning is near certain."""
    game = Game.from_position(
        dealer=1,
        hands=("5H 5S JD QC 2C 3C", "KH 9S 8C 3D 2D 4D"),
        starter="5D",
        discards=("2C 3C", "2D 4D"),
        scores=(110, 100),
    )
    found = cribbage_env.analyze_play(game, 0)
    assert all(one.win is not None and one.win > 0.99 for one in found)


def random_position(rng: np.random.Generator, seed: int) -> Game:
    """Return a game somewhere in the play of its first deal."""
    game = Game(seed=seed)
    for _ in range(2 + int(rng.integers(0, 6))):
        game.step(int(rng.choice(game.legal_actions())))
    return game


@pytest.mark.kernels
def test_the_opponents_hand_is_always_among_the_worlds() -> None:
    rng = np.random.default_rng(3)
    games = 3 if UNCOMPILED else 150
    checked = 0
    for seed in range(games):
        game = random_position(rng, seed)
        if game.phase != "play" or game.deals > 1:
            continue
        for reading in (NOT_READ, BY_QUICK_RULE, BY_HABIT):
            worlds, weights = np.empty((MOST_WORLDS, 4), np.int64), np.empty(MOST_WORLDS)
            views, pool = np.zeros(1, VIEW), np.empty(13, np.int64)
            seat = 0 if game.turn is None else game.turn
            write_view(game.state[0], seat, views[0])
            count_pool(views[0], pool)
            number = write_worlds(views[0], pool, reading, load_book()[0], worlds, weights)
            held = sorted(card // 4 for card in game.hand(1 - seat))
            held += [GONE] * (4 - len(held))
            matches = (worlds[:number] == held).all(axis=1)
            assert matches.sum() == 1
            assert weights[:number][matches] > 0
            checked += 1
    assert checked > (games if UNCOMPILED else 200)


@pytest.mark.kernels
@pytest.mark.parametrize("by_habit", [False, True])
def test_a_deal_played_out_scores_what_the_engine_scores(by_habit: bool) -> None:
    book = load_book()[0]
    rng = np.random.default_rng(5)
    for seed in range(4 if UNCOMPILED else 100):
        game = Game(seed=seed, dealer=seed % 2, target=1000)
        game.step(int(rng.integers(0, 15)))
        game.step(int(rng.integers(0, 15)))
        before = game.scores
        hands = np.array([[card // 4 for card in game.kept(seat)] for seat in (0, 1)])
        points, needs = np.zeros(2, np.int64), np.full(2, 1000)
        pone = 1 - game.dealer
        pile = np.empty(14, np.int64)
        play_out(hands, pile, 0, 0, pone, game.dealer, 8, by_habit, needs, book, points)
        while game.phase == "play":
            seat = 0 if game.turn is None else game.turn
            ranks = np.array(
                [card // 4 if card in game.hand(seat) else GONE for card in game.kept(seat)]
            )
            pile = np.empty(14, np.int64)
            for place, card in enumerate(game.pile):
                pile[place] = card // 4
            if by_habit:
                others = len(game.hand(1 - seat))
                laid_by = [event.player for event in game.events if event.kind == "play"]
                said_go = bool(game.pile) and laid_by[-1] == seat
                slot = choose_by_habit(
                    ranks, others, pile, len(game.pile), game.count, said_go, book
                )
            else:
                slot = choose_quickly(ranks, pile, len(game.pile), game.count, book)
            deals = game.deals
            game.step(15 + slot)
            if game.deals != deals:
                break
        shown = [0, 0]
        for event in game.events:
            if event.kind in ("play", "last"):
                shown[event.player] += event.points
        assert points.tolist() == shown, (seed, before)


def test_the_win_table_is_one_of_chances() -> None:
    win = load_book()["win"][0][:, 1:, 1:]
    assert ((win >= 0) & (win <= 1)).all()
    # Who needs less wins more, in either role.
    assert (np.diff(win, axis=1) <= 0.02).all()
    assert (np.diff(win, axis=2) >= -0.02).all()
    assert win[1, 120, 120] > 0.54  # the first deal is worth having
    np.testing.assert_allclose(win[0], 1 - win[1].T, atol=1e-6)


def test_how_the_numbers_were_made_is_said() -> None:
    made = json.loads((DATA / "expert.json").read_text())
    assert made["command"].startswith("python -m cribbage_env.bots.expert.learn --deals")
    for name, shape in made["fields"].items():
        assert list(load_book()[name][0].shape) == shape


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--games 0", "--games is 1 or more, not 0"),
        ("--last-error 0", "--last-error lies between 0 and 1, not 0.0"),
        ("--seed -1", "--seed lies in 0..2^63-1, not -1"),
        ("", "expert.npz exists already"),
    ],
)
def test_bad_input_of_the_learning_is_one_line(
    line: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as leaving:
        learn.main(line.split())
    assert leaving.value.code == 2
    printed = capsys.readouterr().err
    assert words in printed
    assert printed.count("\n") == 1


@pytest.mark.parametrize("options", ["lookahead=-1", "worlds=0", "depth=3"])
def test_bad_options_are_refused(options: str) -> None:
    with pytest.raises(ValueError, match=options.split("=", maxsplit=1)[0]):
        make_policy(f"expert:{options}")


def test_the_ladder_rises() -> None:
    assert play_match("greedy", "random", games=400).win_rate_a > 0.9
    assert play_match("club", "greedy", games=2000).win_rate_a > 0.65


@pytest.mark.slow
def test_the_expert_is_clearly_ahead_of_the_club_player() -> None:
    result = play_match("expert", "club", games=6000, seed=11)
    assert result.interval[0] > 0.52


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scores", "dealer"),
    [((0, 0), 0), ((60, 70), 1), ((100, 95), 0), ((110, 112), 1), ((115, 100), 1)],
)
def test_the_win_table_agrees_with_games(scores: tuple[int, int], dealer: int) -> None:
    number = 4000
    player = make_policy("expert:worlds=32")
    lanes = Lanes(number, [player])
    lanes.seats[:] = 0
    given: Any = np.tile(np.array(scores), (number, 1))
    lanes.begin(
        np.arange(number),
        np.full(number, 77, np.uint64),
        np.arange(number),
        np.full(number, dealer),
        given,
        121,
    )
    lanes.play_on()
    rate = float((lanes.states["winner"] == 0).mean())
    role = 1 if dealer == 0 else 0
    expected = float(load_book()["win"][0, role, 121 - scores[0], 121 - scores[1]])
    assert abs(rate - expected) < 0.035
