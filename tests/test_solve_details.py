"""How the win table is solved, step by step, against plain Python."""

from __future__ import annotations

from functools import cache
from itertools import product
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env.bots.expert import solve as module
from cribbage_env.bots.expert.solve import solve
from cribbage_env.engine.layout import NO_LOG
from cribbage_env.engine.tables import load_book
from cribbage_env.game import Game
from cribbage_env.game.beginning import Beginning
from cribbage_env.policy import make_policy
from tests.test_expert import choice

pytestmark = pytest.mark.kernels

MOST_POINTS = 30
Deal = tuple[list[int], list[int]]
"""What a deal scores before the show, the dealer's points positive; pone's hand, the dealer's, the
crib."""


def some_deals(number: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the gains and shows of made-up deals, the last two of them without any points."""
    generator = np.random.default_rng(seed)
    gains, shows = np.zeros((number, 24), np.int64), generator.integers(0, 12, (number, 3))
    for deal in range(number - 2):
        steps = generator.integers(0, 24 if deal else 25)
        gains[deal, :steps] = generator.integers(1, 5, steps) * generator.choice([-1, 1], steps)
    gains[0] = [1, -2] * 12
    shows[-2:] = 0
    return gains, shows


def some_table(seed: int) -> NDArray[np.float64]:
    """Return a table that tells every entry from every other; nobody has won or lost yet."""
    table = np.random.default_rng(seed).random((2, 122, 122))
    table[:, 0], table[:, :, 0] = np.nan, np.nan
    return table


def plain_result(needs: tuple[int, int], deal: Deal, win: NDArray[np.float64]) -> float:
    """Return the dealer's chance after a deal counted in its order (R12, R19)."""
    gains, (pones_hand, dealers_hand, crib) = deal
    left = list(needs)
    for points in [*gains, -pones_hand, dealers_hand + crib]:
        left[0 if points > 0 else 1] -= abs(points)
        if min(left) <= 0:
            return float(left[0] <= 0)
    return float(win[0, left[0], left[1]])


def deals_of(gains: NDArray[np.int64], shows: NDArray[np.int64]) -> list[Deal]:
    return list(zip(gains.tolist(), shows.tolist(), strict=True))


NEEDS = [(1, 1), (2, 9), (9, 2), (7, 6), (13, 24), (30, 17), (40, 45), (62, 62), (121, 90)]


def test_a_deal_is_walked_in_its_order() -> None:
    gains, shows = some_deals(12, seed=1)
    win, results = some_table(2), np.empty(12)
    for needs in NEEDS:
        expected = [plain_result(needs, deal, win) for deal in deals_of(gains, shows)]
        module._walk(*needs, gains, shows, win, results)
        assert results == pytest.approx(expected)
        for deal, result in enumerate(expected):
            found = module._result(*needs, gains[deal], shows[deal], win)
            has_points = bool(gains[deal].any() or shows[deal].any())
            assert found == (pytest.approx(result), has_points)


@pytest.mark.parametrize("step", [1, -1])
def test_one_point_is_told_from_none(step: int) -> None:
    gains, shows, win = np.zeros(24, np.int64), np.zeros(3, np.int64), some_table(3)
    assert module._result(5, 6, gains, shows, win) == (win[0, 5, 6], False)
    gains[0] = step
    left = (4, 6) if step > 0 else (5, 5)
    assert module._result(5, 6, gains, shows, win) == (win[(0, *left)], True)
    for role, left in ((0, (5, 5)), (1, (4, 6)), (2, (4, 6))):
        shows[:] = np.arange(3) == role
        assert module._result(5, 6, 0 * gains, shows, win) == (win[(0, *left)], True)


def test_deals_are_summed_by_what_they_bring_both() -> None:
    gains, shows = some_deals(40, seed=4)
    gains[1], gains[2] = 4, -4
    expected = np.zeros((64, 64))
    for steps, (pones_hand, dealers_hand, crib) in deals_of(gains, shows):
        dealer = sum(step for step in steps if step > 0) + dealers_hand + crib
        pone = -sum(step for step in steps if step < 0) + pones_hand
        expected[min(dealer, 63), min(pone, 63)] += 1 / 40
    found = module._joint_points(gains, shows)
    assert found.shape == expected.shape
    assert found == pytest.approx(expected)
    assert expected[63].any()
    assert expected[:, 63].any()


def test_shows_are_written_into_the_book() -> None:
    shows = np.random.default_rng(5).integers(0, MOST_POINTS, (50, 3))
    book = load_book().copy()
    book["hand_chance"], book["crib_chance"] = np.nan, np.nan
    module._write_shows(shows, book)
    expected = [[np.mean(column == points) for points in range(MOST_POINTS)] for column in shows.T]
    assert book["hand_chance"][0] == pytest.approx(np.array(expected[:2]))
    assert book["crib_chance"][0] == pytest.approx(expected[2])


@pytest.mark.parametrize("needs", [(40, 9), (9, 40), (62, 62), (62, 121), (63, 63), (121, 64)])
def test_a_pair_of_needs_is_solved_from_deals_that_score(needs: tuple[int, int]) -> None:
    """Beyond 62 holes for both from what deals bring in all, here not the same deals."""
    (gains, shows), win = some_deals(8, seed=6), some_table(7)
    others = some_deals(20, seed=8)
    joint = module._joint_points(*others)
    dealer, pone = needs
    win[0, dealer, pone], win[1] = np.nan, np.nan  # not known yet
    far = min(needs) > 62
    deals = deals_of(*(others if far else (gains, shows)))
    expected = np.mean([plain_result(needs, deal, win) for deal in deals[:-2]])
    before = win.copy()
    module._solve_one(dealer, pone, gains, shows, joint, win)
    assert win[1, dealer, pone] == pytest.approx(expected)
    assert win[0, pone, dealer] == pytest.approx(1 - expected)
    before[1, dealer, pone], before[0, pone, dealer] = win[1, dealer, pone], win[0, pone, dealer]
    np.testing.assert_array_equal(win, before)


def test_far_from_the_end_every_deal_counts_by_how_likely_it_is() -> None:
    """Deals up to 62 points for each; what brings more doesn't come."""
    win, joint = some_table(9), np.random.default_rng(10).random((64, 64))
    joint /= joint.sum()
    joint[40:50, 3:9] = 0
    for dealer, pone in ((63, 63), (63, 90), (121, 75)):
        expected = 0.0
        for own in range(63):
            for other in range(63):
                if own or other:
                    expected += joint[own, other] * win[0, dealer - own, pone - other]
        found = module._chance_far(dealer, pone, joint, win)
        assert found == pytest.approx(expected / (1 - joint[0, 0]))


def share_of(games: NDArray[np.float64], control: NDArray[np.float64]) -> float:
    """Return the slope of least squares."""
    off = control - control.mean()
    return float((off * (games - games.mean())).sum() / (off * off).sum())


def test_the_control_counts_by_the_slope_of_least_squares() -> None:
    generator = np.random.default_rng(11)
    for number in (2, 3, 50):
        games, control = generator.random((2, number))
        assert module._share(games, control) == pytest.approx(share_of(games, control))
    assert module._share(np.ones(1), np.ones(1)) == 0.0
    assert module._share(np.array([0.0, 1.0]), np.ones(2)) == 0.0


class Late:
    """Deals of which it is made up how each one ends, for the chance near the end."""

    def __init__(self, deals: int) -> None:
        generator = np.random.default_rng(12)
        self.gains = generator.integers(0, 9, (deals, 24))
        self.shows = generator.integers(0, 9, (deals, 3))
        self.win, self.played = some_table(13), list[int]()
        self.book = load_book().copy()
        luck = self.control(self.gains, self.shows) + generator.normal(0, 0.4, deals)
        self.games = (luck > 0.5).astype(float)

    @staticmethod
    def control(gains: NDArray[np.int64], shows: NDArray[np.int64]) -> NDArray[np.float64]:
        return (gains[:, 0] + shows[:, 2]) / 16

    def play(self, *arguments: Any) -> None:
        *known, numbers, book, log, win, results = arguments
        assert known == ["players", *self.needs, 17]
        assert book is self.book
        assert log is NO_LOG
        assert win is self.win
        self.played += numbers.tolist()
        results[:] = self.games[numbers]

    def walk(self, *arguments: Any) -> None:
        *needs, gains, shows, win, results = arguments
        assert tuple(needs) == self.needs
        assert win is self.win
        results[:] = self.control(gains, shows)

    def chance(self, needs: tuple[int, int], last_error: float) -> float:
        self.needs = needs
        self.played.clear()
        with patch.multiple(
            module, _play_for_the_game=self.play, _walk=self.walk, load_book=lambda: self.book
        ):
            return module._chance_late(
                "players", needs, 17, last_error, self.gains, self.shows, self.win
            )

    def expected(self, needs: tuple[int, int], number: int) -> float:
        """Return the chance from the first so many deals, which are all that were played."""
        dealer, pone = needs
        deals = len(self.games)
        order = [(place + 1000 * (37 * dealer + pone)) % deals for place in range(number)]
        assert self.played == order
        games, control = self.games[order], self.control(self.gains, self.shows)[order]
        slope = share_of(games, control)
        return float(games.mean() - slope * (control.mean() - self.win[1, dealer, pone]))


@pytest.mark.parametrize(
    ("needs", "last_error", "number"),
    [((2, 3), 0.02, 1000), ((2, 3), 0.0105, 2000), ((16, 35), 1e-9, 2530), ((1, 1), 0.0, 2530)],
)
def test_deals_are_played_until_the_error_is_small(
    needs: tuple[int, int], last_error: float, number: int
) -> None:
    """A thousand at a time, from another one on for each pair of needs, all at most."""
    late = Late(2530)
    found = late.chance(needs, last_error)
    expected = late.expected(needs, number)
    assert 0 < expected < 1
    assert found == pytest.approx(expected)


def test_the_error_is_what_the_control_leaves() -> None:
    late = Late(2530)
    late.chance((4, 7), 1.0)
    games = late.games[late.played]
    control = late.control(late.gains, late.shows)[late.played]
    error = np.std(games - share_of(games, control) * control) / np.sqrt(1000)
    for last_error, number in ((1.001 * error, 1000), (0.999 * error, 2000)):
        late.chance((4, 7), last_error)
        assert len(late.played) == number
    late.games[:] = 1
    assert late.chance((4, 7), 0.0) == 1.0
    assert len(late.played) == 1000


def test_no_chance_is_above_one_or_below_zero() -> None:
    for table, expected in ((9.0, 1.0), (-9.0, 0.0)):
        late = Late(300)
        late.win[1, 5, 5] = table
        assert late.chance((5, 5), 0.1) == expected
        assert not -1 <= late.expected((5, 5), 300) <= 1
    late = Late(1)
    assert late.chance((5, 5), 0.1) == late.games[0]


def table_by_steps(
    deals: list[Deal], most: int, late: list[tuple[int, int]], before: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Solve a small table the plain way; near the end by `made_up`, all of a total at once."""
    win = before.copy()
    win[:, 1:, 1:] = 0.5
    scoring = [deal for deal in deals if any(deal[0]) or any(deal[1])]
    every = range(1, most + 1)
    for total in range(2, 2 * most + 1):
        pairs = [(dealer, total - dealer) for dealer in every if total - dealer in every]
        for dealer, pone in pairs:
            chance = np.mean([plain_result((dealer, pone), deal, win) for deal in scoring])
            win[1, dealer, pone], win[0, pone, dealer] = chance, 1 - chance
        chances = {needs: made_up(needs, win) for needs in pairs if needs in late}
        for (dealer, pone), one in chances.items():
            win[1, dealer, pone], win[0, pone, dealer] = one, 1 - one
    return win


def made_up(needs: tuple[int, int], win: NDArray[np.float64]) -> float:
    return float(0.2 + 0.5 * win[(1, *needs)] + 0.1 * win[(0, *needs)])


def test_the_table_is_solved_from_small_needs_to_large() -> None:
    gains, shows = (np.roll(part, 3, axis=0) for part in some_deals(6, seed=14))
    gains[:, 6:] = 0
    most, book = 38, load_book().copy()
    book["win"] = before = np.full((2, 122, 122), np.nan)
    started: list[int] = []
    late: list[tuple[int, int]] = []

    def record(*arguments: Any) -> None:
        players, first, seed, known, log, own_gains, own_shows = arguments
        assert players == "expert:worlds=32,score_aware=false"
        assert (seed, known is book, log is NO_LOG) == (17, True, True)
        started.append(first)
        own_gains[:], own_shows[:] = (
            part[first : first + len(own_gains)] for part in (gains, shows)
        )

    def chance(*arguments: Any) -> float:
        players, needs, seed, last_error, own_gains, own_shows, win = arguments
        assert players == "expert:worlds=32"
        assert (seed, last_error) == (17, 0.125)
        assert (own_gains == gains).all()
        assert (own_shows == shows).all()
        late.append(needs)
        return made_up(needs, win)

    with patch.multiple(
        module,
        _record_deals=record,
        _chance_late=chance,
        load_book=lambda: book,
        make_policy=lambda name: SimpleNamespace(player=name),
        BATCH=2,
        MOST_NEED=most,
    ):
        found_shows, found = solve(6, 0.125, 17, threads=3)
    assert sorted(started) == [0, 2, 4]
    near = [(dealer, pone) for dealer, pone in product(range(1, 37), repeat=2)]
    assert sorted(late) == [needs for needs in near if min(needs) <= 16]
    expected = table_by_steps(deals_of(gains, shows), most, late, before)
    assert found == pytest.approx(expected, nan_ok=True)
    np.testing.assert_array_equal(book["win"][0], found)
    assert not np.shares_memory(book["win"], found)
    np.testing.assert_array_equal(found_shows, shows)
    assert book["crib_chance"][0] == pytest.approx(np.bincount(shows[:, 2], minlength=30) / 6)


SEED, RANDOM_DEALS = 5, (138, 139, 140)
"""Deals of random players. The cut would give the first to seat 1; in the others the dealer has
heels, and in the second both peg by pairs too."""


@cache
def played(number: int) -> Deal:
    """Return what a deal scores step by step in which seat 0 deals and both play at random."""
    game = Game.replay(Beginning(SEED, number, dealer=0, is_one_deal=True, target=1000))
    gains = []
    while game.turn is not None:
        before = len(game.events)
        game.step(choice("random", game))
        gained = [
            event.points if event.player == 0 else -event.points
            for event in game.events[before:]
            if event.kind in ("starter", "play", "last")
        ]
        gains += [sum(gained)] * any(gained)
    return gains, [event.points for event in game.events if event.kind in ("hand", "crib")]


def random_players() -> NDArray[Any]:
    return make_policy("random").player  # type: ignore[attr-defined,no-any-return]


def test_deals_are_recorded_step_by_step() -> None:
    gains, shows = np.zeros((3, 24), np.int64), np.full((3, 3), -1)
    first = RANDOM_DEALS[0]
    module._record_deals(random_players(), first, SEED, load_book(), NO_LOG, gains, shows)
    for place, number in enumerate(RANDOM_DEALS):
        steps, shown = played(number)
        assert gains[place].tolist() == steps + [0] * (24 - len(steps))
        assert shows[place].tolist() == shown


@pytest.mark.parametrize("needs", [(40, 30), (13, 22), (14, 9), (9, 3), (3, 3)])
def test_deals_are_played_again_to_the_same_end(needs: tuple[int, int]) -> None:
    """Random players lay the same cards whatever the score is."""
    deals, results, win = np.array(RANDOM_DEALS[::-1]), np.empty(3), some_table(15)
    module._play_for_the_game(
        random_players(), *needs, SEED, deals, load_book(), NO_LOG, win, results
    )
    expected = [plain_result(needs, played(number), win) for number in deals.tolist()]
    assert results == pytest.approx(expected)
