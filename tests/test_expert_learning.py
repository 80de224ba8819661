"""How the expert's numbers are learned: each step against plain Python, on a few deals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env.bots.expert import learn, solve
from cribbage_env.bots.expert.ranks import NO_RANK
from cribbage_env.bots.expert.rollout import play_out
from cribbage_env.bots.expert.winning import NUM_PEGS
from cribbage_env.engine.chance import draw, shuffle, stream_of
from cribbage_env.engine.layout import NO_LOG
from cribbage_env.engine.tables import load_book, rank_index
from cribbage_env.game import Game
from cribbage_env.game.beginning import Beginning
from cribbage_env.policy import make_policy
from cribbage_env.scoring import score_play
from tests.test_expert import choice

UNCOMPILED = bool(numba.config.DISABLE_JIT)
SEED = 5
FAR_TARGET = 1000
pytestmark = pytest.mark.kernels


def club_game(number: int, **settings: Any) -> Game:
    """Return a game of the seed in which seat 0 deals, before its first decision."""
    return Game.replay(Beginning(seed=SEED, number=number, dealer=0, is_one_deal=True, **settings))


def club_player() -> NDArray[Any]:
    return make_policy("club").player  # type: ignore[attr-defined,no-any-return]


def test_deals_are_recorded_as_they_are_scored() -> None:
    deals = 2 if UNCOMPILED else 20
    gains, shows = np.zeros((deals, solve.MOST_GAINS), np.int64), np.zeros((deals, 3), np.int64)
    solve._record_deals(club_player(), 0, SEED, load_book(), NO_LOG, gains, shows)
    for number in range(deals):
        game = club_game(number, target=FAR_TARGET)
        steps = []
        while game.turn is not None:
            before = len(game.events)
            game.step(choice("club", game))
            scored = [
                event
                for event in game.events[before:]
                if event.kind in ("starter", "play", "last") and event.points
            ]
            if scored:
                assert len({event.player for event in scored}) == 1
                points = sum(event.points for event in scored)
                steps.append(points if scored[0].player == game.dealer else -points)
        assert gains[number].tolist() == steps + [0] * (solve.MOST_GAINS - len(steps))
        shown = [event.points for event in game.events if event.kind in ("hand", "crib")]
        assert shows[number].tolist() == shown


@pytest.mark.parametrize("needs", [(30, 25), (5, 3)])
def test_deals_are_played_again_from_other_needs(needs: tuple[int, int]) -> None:
    """Seat 0 deals; a deal that ends no game leads to an entry of the table."""
    results = np.empty(2 if UNCOMPILED else 10)
    win = load_book()["win"][0]
    deals = np.arange(len(results))[::-1].copy()
    solve._play_for_the_game(club_player(), *needs, SEED, deals, load_book(), NO_LOG, win, results)
    for number, result in zip(deals, results, strict=True):
        game = club_game(int(number), scores=(121 - needs[0], 121 - needs[1]))
        while game.turn is not None:
            game.step(choice("club", game))
        if max(game.scores) == 121:
            assert result == float(game.scores[0] == 121)
        else:
            assert result == win[0, 121 - game.scores[0], 121 - game.scores[1]]


def walked(
    needs: tuple[int, int], gains: list[int], shows: list[int], win: NDArray[np.float64]
) -> float:
    """Return the dealer's chance after a deal, point by point; `needs` are dealer's and pone's."""
    dealer, pone = needs
    steps = [(gain, 0) if gain > 0 else (0, -gain) for gain in gains if gain]
    pones_hand, dealers_hand, crib = shows
    for own, other in [*steps, (0, pones_hand), (dealers_hand, 0), (crib, 0)]:
        dealer, pone = dealer - own, pone - other
        if dealer <= 0 or pone <= 0:
            return float(dealer <= 0)
    return float(win[0, dealer, pone])


def test_the_table_is_what_its_deals_lead_to() -> None:
    """Every entry is the mean over the deals that score, walked from it to smaller needs."""
    most = 66 if UNCOMPILED else 121
    rng = np.random.default_rng(2)
    deals = 4
    gains, shows = np.zeros((deals, solve.MOST_GAINS), np.int64), np.zeros((deals, 3), np.int64)
    for deal in range(deals - 1):  # the last one is without points
        gains[deal, :5] = rng.integers(1, 5, 5) * rng.choice([-1, 1], 5)
        shows[deal] = rng.integers(0, 13, 3)
    win = np.full((2, 122, 122), np.nan)
    joint = solve._joint_points(gains, shows)
    for total in range(2, 2 * most + 1):
        for dealer in range(max(1, total - most), min(most, total - 1) + 1):
            solve._solve_one(dealer, total - dealer, gains, shows, joint, win)
    pairs = [(1, 1), (3, 5), (2, 9), (16, 16), (40, 7), (62, 63), (63, 63), (most, most)]
    for dealer, pone in [*pairs, *product(range(1, 13), repeat=2)]:
        results = [
            walked((dealer, pone), own, show, win)
            for own, show in zip(gains.tolist()[:-1], shows.tolist()[:-1], strict=True)
        ]
        assert win[1, dealer, pone] == pytest.approx(np.mean(results))
        assert win[0, pone, dealer] == pytest.approx(1 - win[1, dealer, pone])
    assert np.isfinite(win[:, 1 : most + 1, 1 : most + 1]).all()


def test_the_risk_of_a_reply_is_the_best_of_three_random_cards() -> None:
    risk = np.zeros((32, 13, 14))
    learn.write_reply_risk(risk)
    for count, last, before in ((10, 9, NO_RANK), (12, 4, 6), (26, 9, 9), (31, 3, 2)):
        pile = [4 * last] if before == NO_RANK else [4 * before, 4 * last + 1]
        points = []
        for rank in range(13):
            new_count = count + min(rank + 1, 10)
            score = score_play([*pile, 4 * rank + 2])
            of_count = 2 if new_count in (15, 31) else 0
            points.append(score.pair + score.run + of_count if new_count <= 31 else 0)
        best = [max(points[rank] for rank in ranks) for ranks in product(range(13), repeat=3)]
        assert risk[count, last, before] == pytest.approx(np.mean(best))


@pytest.mark.parametrize("role", [0, 1])
def test_discards_are_counted_as_the_club_player_throws(role: int) -> None:
    deals = 6 if UNCOMPILED else 100
    kept, thrown = np.zeros(1820), np.zeros((13, 13, 2))
    learn.count_discards(role, deals, SEED, load_book(), kept, thrown)
    expected_kept, expected_thrown = np.zeros_like(kept), np.zeros_like(thrown)
    deck = np.arange(52).astype(np.int16)
    for deal in range(deals):
        shuffle(np.uint64(stream_of(np.uint64(SEED), role, deal)), deck, 6)
        dealt = sorted(map(int, deck[:6]))
        rest = [card for card in range(52) if card not in dealt][:6]
        game = Game.from_position(dealer=1 - role, hands=(dealt, rest))
        if game.turn == 1:
            game.step(0)
        game.step(choice("club", game))
        first, second = map(int, game.state[0].discards[0])
        four = [card // 4 for card in dealt if card not in (first, second)]
        expected_kept[rank_index((four[0], four[1], four[2], four[3]))] += 1
        expected_thrown[first // 4, second // 4, int(first % 4 == second % 4)] += 1
    assert (kept == expected_kept).all()
    assert (thrown == expected_thrown).all()


def test_pegs_are_those_of_hands_drawn_by_how_they_are_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One hand of the other for each: the one at the place that the stream says."""
    number = 60 if UNCOMPILED else learn.NUM_HANDS
    hands = learn._rank_hands()[0][:number]
    if UNCOMPILED:  # compiled, the number is part of the kernel
        monkeypatch.setattr(learn, "NUM_HANDS", number)
    chances = np.zeros((2, number, 2, NUM_PEGS))
    book = load_book()
    learn.count_pegs(1, SEED, hands, book, chances)
    assert chances.sum(axis=-1) == pytest.approx(1.0)
    for role, own in product((0, 1), (0, 7, 44, 59)):
        left = [4 - list(hands[own]).count(rank) for rank in range(13)]
        ways = [
            np.prod([comb(left[rank], list(hand).count(rank)) for rank in set(hand.tolist())])
            for hand in hands
        ]
        places = np.cumsum(book["keep_weight"][0, 1 - role, :number] * ways)
        stream = np.uint64(stream_of(np.uint64(SEED), role, own))
        start = draw(stream, 0, 1 << 30) / (1 << 30)
        other = int(np.searchsorted(places, start * places[-1]))
        points, needs = np.zeros(2, np.int64), np.full(2, 1000)
        pair, pile = np.array([hands[own], hands[other]]), np.empty(14, np.int64)
        play_out(pair, pile, 0, 0, role, 1 - role, 8, False, needs, book[0], points)
        assert [int(one.argmax()) for one in chances[role, own]] == points.tolist()


def test_hands_and_pairs_are_made_in_as_many_ways_as_there_are() -> None:
    hands, ways = learn._rank_hands()
    for index in (0, 7, 900, 1819):
        assert rank_index(tuple(hands[index])) == index
    assert ways.sum() == comb(52, 4)
    assert ways[rank_index((0, 0, 3, 7))] == 6 * 4 * 4
    pairs = learn._pair_ways()
    assert sum(pairs[low, high].sum() for low in range(13) for high in range(low + 1, 13)) + sum(
        pairs[rank, rank, 0] for rank in range(13)
    ) == comb(52, 2)


@pytest.fixture
def restored_book() -> Iterator[NDArray[Any]]:
    """Give the book back as it was: learning writes into it."""
    book = load_book()
    before = book.copy()
    yield book
    book[:] = before


def test_what_is_learned_is_written_with_how_it_was_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, restored_book: NDArray[Any]
) -> None:
    before = restored_book.copy()
    monkeypatch.setattr(solve, "FOR_POINTS", "club")
    monkeypatch.setattr(solve, "FOR_THE_GAME", "club")
    if UNCOMPILED:  # the same in a tenth of the time; each is tested by itself
        monkeypatch.setattr(solve, "LAST", 2)
        monkeypatch.setattr(solve, "LATE", 3)
        monkeypatch.setattr(solve, "MOST_NEED", 20)

        def two_points_each(samples: int, seed: int, hands: Any, book: Any, chances: Any) -> None:
            chances[..., 2] = 1.0

        monkeypatch.setattr(learn, "count_pegs", two_points_each)
    options = "--deals 4 --samples 2 --games 2 --last-error 0.5 --seed 7"
    learn.main([*options.split(), "--folder", str(tmp_path)])
    made = json.loads((tmp_path / "expert.json").read_text())
    assert made["command"] == f"python -m cribbage_env.bots.expert.learn {options}"
    with np.load(tmp_path / "expert.npz") as numbers:
        assert sorted(numbers.files) == sorted(learn.LEARNED) == sorted(made["fields"])
        for name in numbers.files:
            assert list(numbers[name].shape) == made["fields"][name]
            assert (numbers[name] == restored_book[name][0].astype(np.float32)).all()
            if name != "reply_risk":  # follows from the rules alone
                assert (restored_book[name] != before[name]).any(), name
        assert numbers["hand_chance"].sum(axis=1) == pytest.approx(1.0)
        assert numbers["crib_chance"].sum() == pytest.approx(1.0)
        assert numbers["peg_chance"].sum(axis=-1) == pytest.approx(1.0, abs=1e-5)
        win = numbers["win"][:, 1:, 1:]
        assert ((win >= 0) & (win <= 1)).all()
        assert win[0] == pytest.approx(1 - win[1].T, abs=1e-6)
    with pytest.raises(SystemExit):  # what is there is not overwritten unasked
        learn.main([*options.split(), "--folder", str(tmp_path)])
