"""Points lost per deal, exactly: each deal played again in plain code, and what is told of sums."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, astuple
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env.bots import expert_policy
from cribbage_env.bots.expert.discard import write_discard_worths
from cribbage_env.bots.expert.play import write_play_worths
from cribbage_env.cards import rank_of, value_of
from cribbage_env.engine.chance import decision_key
from cribbage_env.engine.deal import begin_deal, begin_game
from cribbage_env.engine.flow import step
from cribbage_env.engine.layout import DISCARD, NO_LOG, PLAY, STATE, VIEW
from cribbage_env.match import Losses, measure_losses
from cribbage_env.match.losses import (
    MEASURES,
    _action_taken,
    _begin_again,
    _has_choice,
    _sample_key,
)
from tests.positions import BOOK, legal_actions, view_of

pytestmark = pytest.mark.kernels

PONE, DEALER = 0, 1
SEED = 5


class ByKey:
    """Chooses by the decision's key alone."""

    observation = "cards"

    def act(self, observations: Any, action_masks: NDArray[np.int8], keys: Any) -> Any:
        rows = zip(action_masks, keys, strict=True)
        return np.array([by_key(np.flatnonzero(mask).tolist(), key) for mask, key in rows])


class Lowest:
    """Chooses the first that is legal."""

    observation = "cards"

    def act(self, observations: Any, action_masks: NDArray[np.int8], keys: Any) -> Any:
        return action_masks.argmax(axis=1)


def by_key(actions: list[int], key: Any) -> int:
    return actions[int(key) % len(actions)]


def new_deal(game: int, dealer: int) -> Any:
    lane = np.zeros(1, STATE)[0]
    begin_game(lane, np.uint64(SEED), game, dealer, 0, 0, 121, NO_LOG)
    begin_deal(lane, NO_LOG)
    return lane


def lost_in_a_deal(game: int, seat: int, worlds: int) -> NDArray[np.int64]:
    """Play a deal of which seat 0 is the dealer; return a seat's losses, choices and best ones.

    The seat chooses by key, the other what is lowest. The rows are the measures. `worlds` of the
    opponent's hands are looked at, none with 0.
    """
    analyst = expert_policy(worlds=max(1, worlds), pegging=1.0).player[0]
    found = np.zeros((len(MEASURES), 3), np.int64)

    def count(measure: int, worths: NDArray[np.float64], chosen: int) -> None:
        loss = round(10_000 * (float(worths.max()) - float(worths[chosen])))
        found[measure] += loss, 1, loss == 0

    lane = new_deal(game, 0)
    while lane.phase in (DISCARD, PLAY):
        view, turn = view_of(lane, lane.turn), int(lane.turn)
        number = 0 if lane.phase == DISCARD else 5 - int(lane.held[turn].sum())
        actions = legal_actions(view)
        key = decision_key(np.uint64(SEED), game, 1, turn, number)
        chosen = by_key(actions, key) if turn == seat else actions[0]
        if turn == seat and lane.phase == DISCARD:
            table = np.empty((15, 5))
            write_discard_worths(analyst, view, False, 0.0, BOOK, table)
            hand, crib, pegging, total, _ = table.T
            count(0, total - pegging, chosen)
            count(1, total, chosen)
            assert total == pytest.approx(hand + (crib if seat == 0 else -crib) + pegging)
        elif turn == seat and worlds > 0 and len({rank_of(view.kept[a - 15]) for a in actions}) > 1:
            plays = np.empty(4)
            # The sample of hands is that of a seat which doesn't exist.
            key = np.uint64(decision_key(np.uint64(SEED), game, 1, seat + 2, number))
            write_play_worths(analyst, view, False, key, BOOK, plays)
            count(2, plays, chosen - 15)
        step(lane, chosen, BOOK, NO_LOG)
    return found


def losses_of(deals: list[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> Losses:
    """Return what pairs of deals come to: first as pone, then as dealer."""
    numbers = np.array(deals)  # by pair, role, measure and kind
    lost, choices, best = np.moveaxis(numbers, 3, 0)

    def by_measure(counts: NDArray[np.int64]) -> Any:
        return tuple((int(of[PONE]), int(of[DEALER])) for of in counts.sum(axis=0).T)

    return Losses(
        pairs=len(deals),
        lost=by_measure(lost),
        squares=by_measure(lost**2),
        pair_squares=tuple(int(of) for of in (lost.sum(axis=1) ** 2).sum(axis=0)),
        choices=by_measure(choices),
        best=by_measure(best),
    )


SUMS = Losses(
    pairs=4,
    lost=((35_000, 50_000), (0, 10_000), (0, 0)),
    squares=((350_000_000, 950_000_000), (0, 100_000_000), (0, 0)),
    pair_squares=(2_050_000_000, 100_000_000, 0),
    choices=((4, 6), (4, 4), (0, 0)),
    best=((1, 4), (4, 3), (0, 0)),
)


def test_means_and_intervals_are_those_of_deals_and_of_pairs() -> None:
    assert (SUMS.pairs, SUMS.deals) == (4, 8)
    assert SUMS.per_deal("discard", "pone") == 0.875
    assert SUMS.per_deal("discard", "dealer") == 1.25
    assert SUMS.per_deal("discard") == 1.0625
    assert SUMS.per_deal("discard_with_pegging", "dealer") == 0.25
    assert SUMS.best_share("discard", "pone") == 0.25
    assert SUMS.best_share("discard") == 0.5
    assert SUMS.best_share("discard_with_pegging", "dealer") == 0.75
    assert SUMS.best_share("play") is None
    # Four deals as pone lost 3.5 points, and 3.5 in squares; four pairs, each of two deals, lost
    # 8.5 points, and 20.5 in squares.
    quantile = NormalDist().inv_cdf(0.975)
    for role, mean, squares, size in (
        ("pone", 0.875, 3.5, 1),
        ("dealer", 1.25, 9.5, 1),
        (None, 1.0625, 20.5, 2),
    ):
        variance = (squares / size**2 - 4 * mean**2) / 3
        half_width = quantile * (variance / 4) ** 0.5
        found = SUMS.interval("discard", role)
        assert found == pytest.approx((mean - half_width, mean + half_width))


def test_losses_stay_as_they_are_and_refuse_what_they_cannot_tell() -> None:
    with pytest.raises(FrozenInstanceError):
        SUMS.pairs = 5  # type: ignore[misc]
    for measure, role in (("pegging", "pone"), ("discard", "lead"), ("discard", "both")):
        for ask in (SUMS.per_deal, SUMS.interval, SUMS.best_share):
            with pytest.raises(ValueError, match=f"no (measure|role) '({measure}|{role})'"):
                ask(measure, role)
    with pytest.raises(ValueError, match="worlds must be 0 or more, not -1"):
        measure_losses("greedy", deals=2, worlds=-1)
    for none in (Losses().per_deal, Losses().interval):
        with pytest.raises(ValueError, match="no deal was played"):
            none("discard")


def test_a_report_tells_every_role_by_its_name() -> None:
    report = SUMS.to_dict()
    assert [*report] == ["deals", "discard", "discard_with_pegging"]
    assert report["deals"] == 8
    for measure in MEASURES[:2]:
        assert [*report[measure]] == ["dealer", "pone", "both"]
        for name, role in (("dealer", "dealer"), ("pone", "pone"), ("both", None)):
            interval = SUMS.interval(measure, role)
            assert interval is not None
            assert report[measure][name] == {
                "lost": SUMS.per_deal(measure, role),
                "interval": [*interval],
                "choices": {"dealer": 6, "pone": 4, "both": 10}[name]
                if measure == "discard"
                else {"dealer": 4, "pone": 4, "both": 8}[name],
                "best_share": SUMS.best_share(measure, role),
            }
    one = Losses(1, SUMS.lost, SUMS.squares, SUMS.pair_squares, SUMS.choices, SUMS.best)
    assert one.to_dict()["discard"]["both"]["interval"] is None


def test_losses_add_up_number_by_number() -> None:
    assert Losses() + SUMS == SUMS
    assert astuple(Losses()) == (0, *[((0, 0),) * 3] * 2, (0, 0, 0), *[((0, 0),) * 3] * 2)
    twice = SUMS + SUMS
    assert numbers_in(astuple(twice)) == [2 * number for number in numbers_in(astuple(SUMS))]


@pytest.mark.parametrize("dealer", [0, 1])
def test_a_deal_is_gone_through_again_from_its_end(dealer: int) -> None:
    rng = np.random.default_rng(6)
    for game in range(3):
        lane = new_deal(game, dealer)
        before, chosen = [], []
        while lane.phase in (DISCARD, PLAY):
            before.append(lane.copy())
            chosen.append(int(rng.choice(legal_actions(view_of(lane, lane.turn)))))
            step(lane, chosen[-1], BOOK, NO_LOG)
        again = lane.copy()
        _begin_again(again, lane, NO_LOG)
        assert again.tobytes() == before[0].tobytes()
        assert [_action_taken(now, lane, BOOK) for now in before] == chosen
        for now in before:
            for seat in (0, 1):
                number = 5 - int(now.held[seat].sum()) if now.discards[seat, 0] >= 0 else 0
                key = decision_key(np.uint64(SEED), game, 1, seat + 2, number)
                assert _sample_key(now, seat) == key


@pytest.mark.parametrize(("num_pairs", "worlds"), [(1, 0), (1, 1), (3, 6)])
def test_every_choice_loses_what_the_plain_code_says(num_pairs: int, worlds: int) -> None:
    pairs = [
        (lost_in_a_deal(game, 1, worlds), lost_in_a_deal(game, 0, worlds))
        for game in range(num_pairs)
    ]
    told: list[Losses] = []
    found = measure_losses(
        ByKey(),
        deals=2 * num_pairs,
        seed=SEED,
        opponent=Lowest(),
        worlds=worlds,
        batch_size=4,
        progress=told.append,
    )
    assert found == losses_of(pairs)
    assert told == [losses_of(pairs[:stop]) for stop in range(2, num_pairs + 2, 2)]
    assert all(type(number) is int for number in numbers_in(astuple(found)))


def numbers_in(nested: Any) -> list[Any]:
    if isinstance(nested, tuple):
        return [number for some in nested for number in numbers_in(some)]
    return [nested]


def test_the_seed_is_0_where_none_is_given() -> None:
    found = measure_losses(ByKey(), deals=2, opponent=ByKey(), worlds=0)
    assert found == measure_losses(ByKey(), deals=2, opponent=ByKey(), worlds=0, seed=0)


def test_a_choice_is_one_between_ranks() -> None:
    rng = np.random.default_rng(3)
    view = np.zeros(1, VIEW)[0]
    seen = set()
    for _ in range(1_000):
        # Few ranks, high or low, so that equal ones are met.
        cards = np.arange(24) if rng.integers(2) else np.arange(28, 52)
        view.kept = np.sort(rng.choice(cards, 4, replace=False))
        view.held, view.count = rng.integers(0, 2, 4), rng.integers(0, 32)
        held = [int(card) for card in view.kept[view.held == 1]]
        ranks = [rank_of(card) for card in held if view.count + value_of(card) <= 31]
        assert _has_choice(view) == (len({*ranks}) > 1)
        seen.add((len(ranks), len({*ranks}), 0 in ranks))
    assert {(2, 1, True), (2, 1, False), (2, 2, True), (2, 2, False), (4, 4, True)} <= seen
