"""Credit for decisions, against plain Python that counts hands with `cribbage_env.scoring`."""

from __future__ import annotations

from statistics import fmean
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env.actions import DISCARDS
from cribbage_env.credit import POINTS_A_GAME, write_credit
from cribbage_env.engine.tables import load_book
from cribbage_env.lanes import Lanes
from cribbage_env.scoring import score_hand

pytestmark = pytest.mark.kernels

NUMBER = 12
WIN = load_book()["win"][0]


class Deals:
    """Deals played at random in a batch, with every decision."""

    def __init__(self, seed: int, scores: tuple[int, int]) -> None:
        rng = np.random.default_rng(seed)
        self.lanes = Lanes(NUMBER, is_one_deal=True)
        every = np.arange(NUMBER)
        starts = np.tile(scores, (NUMBER, 1)).astype(np.int64)
        self.lanes.begin(
            every, np.full(NUMBER, seed, np.uint64), every, np.full(NUMBER, -1), starts, 121
        )
        self.starts = starts
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

    def credit(self, *, in_points: bool, gae_lambda: float) -> tuple[NDArray[Any], NDArray[Any]]:
        advantages, returns = np.empty((2, len(self.lane)), np.float32)
        write_credit(
            self.lanes.states,
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


def shows_of(state: Any, seat: int, kept: list[int], crib: list[int], starter: int) -> Any:
    return (
        score_hand(kept, starter).total,
        score_hand(state["kept"][1 - seat].tolist(), starter).total,
        score_hand(crib, starter, is_crib=True).total,
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


@pytest.mark.parametrize("in_points", [False, True])
@pytest.mark.parametrize("scores", [(0, 0), (100, 96), (113, 119)])
def test_credit_is_what_plain_python_makes_it(scores: tuple[int, int], in_points: bool) -> None:
    deals = Deals(7, scores)
    gae_lambda = 0.8
    advantages, returns = deals.credit(in_points=in_points, gae_lambda=gae_lambda)
    later: dict[tuple[int, int], tuple[float, float, float]] = {}
    for row in range(len(deals.lane) - 1, -1, -1):
        state, seat = deals.lanes.states[deals.lane[row]], int(deals.seat[row])
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


def test_in_the_play_the_chances_add_up_to_how_the_deal_went() -> None:
    deals = Deals(3, (105, 100))
    deals.values[:] = 0
    advantages, returns = deals.credit(in_points=False, gae_lambda=1.0)
    assert np.array_equal(advantages, returns)
    for lane in range(NUMBER):
        state = deals.lanes.states[lane]
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
