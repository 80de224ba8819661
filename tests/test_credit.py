"""Credit for decisions, against plain Python that counts hands with `cribbage_env.scoring`."""

from __future__ import annotations

from functools import cache
from statistics import fmean
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env.actions import DISCARDS
from cribbage_env.credit import POINTS_A_GAME, write_credit
from cribbage_env.engine.flow import step
from cribbage_env.engine.layout import DEAL_OVER, NO_LOG, STATE
from cribbage_env.engine.tables import load_book
from cribbage_env.lanes import Lanes
from cribbage_env.scoring import score_hand
from tests.positions import BOOK, legal_actions, position, view_of

pytestmark = pytest.mark.kernels

NUMBER = 4 if numba.config.DISABLE_JIT else 12
WIN = load_book()["win"][0]


class Decisions:
    """Decisions of deals that are over, in order, as `write_credit` is handed them."""

    states: NDArray[Any]
    starts: NDArray[np.int64]
    lane: NDArray[np.int64]
    seat: NDArray[np.int64]
    action: NDArray[np.int64]
    scores: NDArray[np.int64]
    references: NDArray[np.int64]
    values: NDArray[np.float32]

    def credit(self, *, in_points: bool, gae_lambda: float) -> tuple[NDArray[Any], NDArray[Any]]:
        advantages, returns = np.empty((2, len(self.lane)), np.float32)
        for size in range(1, 9):  # memory that np.empty takes again holds a card, not luck
            np.zeros(size, np.int16)
        write_credit(
            self.states,
            self.starts,
            self.lane,
            self.seat,
            self.action,
            self.references,
            self.scores,
            self.values,
            in_points,
            gae_lambda,
            load_book(),
            advantages,
            returns,
        )
        return advantages, returns


class Deals(Decisions):
    """Deals played at random in a batch, with every decision."""

    def __init__(self, seed: int, scores: tuple[int, int]) -> None:
        rng = np.random.default_rng(seed)
        self.lanes = Lanes(NUMBER, is_one_deal=True)
        every = np.arange(NUMBER)
        starts = np.tile(scores, (NUMBER, 1)).astype(np.int64)
        self.lanes.begin(
            every, np.full(NUMBER, seed, np.uint64), every, np.full(NUMBER, -1), starts, 121
        )
        self.states, self.starts = self.lanes.states, starts
        rows: list[tuple[int, int, int, int, int]] = []
        while (self.lanes.states["turn"] >= 0).any():
            turns = self.lanes.states["turn"].astype(np.int64)
            waiting = np.flatnonzero(turns >= 0)
            masks = self.lanes.observe(waiting, turns[waiting])[1]
            actions = np.full(NUMBER, -1)
            for lane, mask in zip(waiting, masks, strict=True):
                seat = turns[lane]
                points = self.lanes.states["scores"][lane]
                actions[lane] = rng.choice(np.flatnonzero(mask))
                row = (lane, seat, actions[lane], points[seat], points[1 - seat])
                rows.append(tuple(map(int, row)))  # type: ignore[arg-type]
            self.lanes.step(actions)
        self.lane, self.seat, self.action = (np.array(rows)[:, column] for column in range(3))
        self.scores = np.array(rows)[:, 3:]
        self.references = rng.integers(0, 15, len(rows))
        self.values = rng.normal(size=len(rows)).astype(np.float32)


def settle(state: Any, seat: int, scores: tuple[int, int], shows: tuple[int, int, int]) -> float:
    """Return the chance of winning by R12's order from scores (own, other) before the show."""
    role = int(state["dealer"] == seat)
    needs = {seat: 121 - scores[0], 1 - seat: 121 - scores[1]}
    dealer = int(state["dealer"])
    own_hand, other_hand, crib = shows
    hands = {seat: own_hand, 1 - seat: other_hand}
    for who in (seat, 1 - seat):
        if needs[who] <= 0:
            return POINTS_A_GAME * (who == seat)
    for who, points in ((1 - dealer, hands[1 - dealer]), (dealer, hands[dealer]), (dealer, crib)):
        needs[who] -= points
        if needs[who] <= 0:
            return POINTS_A_GAME * (who == seat)
    return POINTS_A_GAME * float(WIN[1 - role, needs[seat], needs[1 - seat]])


@cache
def counted(cards: tuple[int, ...], starter: int, is_crib: bool) -> int:
    return score_hand(cards, starter, is_crib=is_crib).total


def shows_of(state: Any, seat: int, kept: list[int], crib: list[int], starter: int) -> Any:
    return (
        counted((*kept,), starter, False),
        counted((*state["kept"][1 - seat].tolist(),), starter, False),
        counted((*crib,), starter, True),
    )


def worth(state: Any, seat: int, scores: Any, shows: Any, *, in_points: bool) -> float:
    if not in_points:
        return settle(state, seat, tuple(map(int, scores)), shows)
    crib = shows[2] if state["dealer"] == seat else -shows[2]
    return float(scores[0] + shows[0] - scores[1] - shows[1] + crib)


def discard_worth(
    state: Any, start: Any, seat: int, action: int, *, with_play: bool, in_points: bool
) -> float:
    dealt = state["dealt"][seat].tolist()
    thrown = [dealt[slot] for slot in DISCARDS[action]]
    kept = [card for card in dealt if card not in thrown]
    crib = thrown + state["discards"][1 - seat].tolist()
    known = set(state["dealt"].ravel().tolist())
    played = state["points"][:, 2] * with_play
    worths = []
    for starter in sorted(set(range(52)) - known):
        scores = [int(start[who] + played[who]) for who in (seat, 1 - seat)]
        if starter // 4 == 10:
            scores[0 if state["dealer"] == seat else 1] += 2
        shows = shows_of(state, seat, kept, crib, starter)
        worths.append(worth(state, seat, scores, shows, in_points=in_points))
    return fmean(worths)


def check(deals: Decisions, *, in_points: bool, gae_lambda: float) -> None:
    """Work out the credit of every decision again."""
    advantages, returns = deals.credit(in_points=in_points, gae_lambda=gae_lambda)
    later: dict[tuple[int, int], tuple[float, float, float]] = {}
    for row in range(len(deals.lane) - 1, -1, -1):
        state, seat = deals.states[deals.lane[row]], int(deals.seat[row])
        start = deals.starts[deals.lane[row]]
        value = float(deals.values[row])
        if deals.action[row] < 15:
            expected = discard_worth(
                state, start, seat, deals.action[row], with_play=True, in_points=in_points
            ) - discard_worth(
                state, start, seat, deals.references[row], with_play=False, in_points=in_points
            )
            assert returns[row] == pytest.approx(expected, abs=1e-3)
            assert advantages[row] == pytest.approx(expected - value, abs=1e-3)
            continue
        crib = state["discards"].ravel().tolist()
        shows = shows_of(state, seat, state["kept"][seat].tolist(), crib, int(state["starter"]))
        pegged = start + state["points"][:, 2] + state["points"][:, 3]
        end = worth(state, seat, (pegged[seat], pegged[1 - seat]), shows, in_points=in_points)
        now = worth(state, seat, deals.scores[row], shows, in_points=in_points)
        next_worth, next_value, next_advantage = later.get((deals.lane[row], seat), (end, 0.0, 0.0))
        advantage = next_worth - now + next_value - value + gae_lambda * next_advantage
        assert advantages[row] == pytest.approx(advantage, abs=1e-3)
        assert returns[row] == pytest.approx(advantage + value, abs=1e-3)
        later[deals.lane[row], seat] = now, value, advantage


@pytest.mark.parametrize("in_points", [False, True])
@pytest.mark.parametrize("scores", [(0, 0), (100, 96), (113, 119)])
def test_credit_is_what_plain_python_makes_it(scores: tuple[int, int], in_points: bool) -> None:
    check(Deals(7, scores), in_points=in_points, gae_lambda=0.8)


class Edges(Decisions):
    """Two deals, one dealt by each seat: every discard, and a play at every score near the end.

    The crib and both hands are of one suit each, but not with the starter.

    Of all these one in `each` is taken. The first dealer may be so near that heels win.
    """

    def __init__(self, each: int, is_dealer_near: bool) -> None:
        deeds = ("discard 9D KD", "discard TD JD")
        hands = {"pone": "3H 4H 5H 8H 9D KD", "dealer": "4S 5S TS QS TD JD"}
        self.states = np.zeros(2, STATE)
        for deals, starter in enumerate(("4C", "JC") if is_dealer_near else ("JC", "4C")):
            lane = position(*deeds, **hands, starter=starter, deals=deals)
            while lane.phase != DEAL_OVER:
                legal = legal_actions(view_of(lane, lane.turn))
                step(lane, legal[0 if is_dealer_near else -1], BOOK, NO_LOG)
            self.states[deals] = lane
        self.starts = np.array([(119, 112) if is_dealer_near else (106, 104), (103, 108)])
        near = range(98, 123)
        rows = [(15, own, other) for own in near for other in near]
        rows += [(action, 0, 0) for action in range(15)]
        rng = np.random.default_rng(9)
        who = [(lane, seat, *row) for lane in (0, 1) for seat in (0, 1) for row in rows[::each]]
        table = rng.permutation(np.array(who))
        self.lane, self.seat, self.action = (table[:, column].copy() for column in range(3))
        self.scores = table[:, 3:].copy()
        self.references = rng.integers(0, 15, len(who))
        self.values = rng.normal(size=len(who)).astype(np.float32)


def test_a_game_is_worth_sixty_points() -> None:
    assert POINTS_A_GAME == 60.0


@pytest.mark.parametrize(
    ("in_points", "each", "is_dealer_near"),
    [(False, 37, False), (True, 7, False), (False, 2, False), (True, 7, True), (False, 2, True)],
)
def test_credit_at_the_edges_of_the_show(in_points: bool, each: int, is_dealer_near: bool) -> None:
    check(Edges(each, is_dealer_near), in_points=in_points, gae_lambda=0.5)


def test_in_the_play_the_chances_add_up_to_how_the_deal_went() -> None:
    deals = Deals(3, (105, 100))
    deals.values[:] = 0
    advantages, returns = deals.credit(in_points=False, gae_lambda=1.0)
    assert np.array_equal(advantages, returns)
    for lane in range(NUMBER):
        state = deals.states[lane]
        for seat in (0, 1):
            rows = (deals.lane == lane) & (deals.seat == seat) & (deals.action >= 15)
            if not rows.any():
                continue
            first = np.flatnonzero(rows)[0]
            shows = shows_of(
                state,
                seat,
                state["kept"][seat].tolist(),
                state["discards"].ravel().tolist(),
                int(state["starter"]),
            )
            at_first = settle(state, seat, tuple(map(int, deals.scores[first])), shows)
            needs = 121 - state["scores"].astype(int)
            if state["winner"] >= 0:
                at_end = POINTS_A_GAME * (state["winner"] == seat)
            else:
                role = int(state["dealer"] == seat)
                at_end = POINTS_A_GAME * WIN[1 - role, needs[seat], needs[1 - seat]]
            assert advantages[first] == pytest.approx(at_end - at_first, abs=1e-3)
