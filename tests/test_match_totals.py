"""What a match counts, beside a plain loop over its games and deals."""

from __future__ import annotations

import json
from dataclasses import asdict, astuple
from itertools import count
from typing import Any

import numpy as np
import pytest

from cribbage_env.engine.layout import GAME_OVER, NO_CARD
from cribbage_env.lanes import Lanes
from cribbage_env.match.totals import MatchTotals, add_nested, as_tuples, count_pairs
from cribbage_env.scoring import skunk

pytestmark = pytest.mark.kernels

COUNTED = ("margin", "margin_squares", "repeated_pairs", "deals", "decisions", "first_dealer_wins")


def lanes_over(pairs: int, seed: int) -> Lanes:
    """Return games that are over; of a pair some ended alike, or nearly."""
    rng = np.random.default_rng(seed)
    lanes = Lanes(2 * pairs)
    for lane in lanes.states:
        lane.phase, lane.target = GAME_OVER, rng.choice([61, 121, 1000])
        lane.winner, lane.first_dealer, lane.dealer = rng.integers(0, 2, 3)
        lane.scores[lane.winner] = lane.target
        lane.scores[1 - lane.winner] = rng.integers(0, lane.target)
        lane.deals, lane.plays_made = rng.integers(1, 8), rng.integers(0, 9)
        lane.discards = NO_CARD
        lane.discards[: rng.integers(0, 3)] = rng.integers(0, 52, 2)
    lanes.tally[:] = rng.integers(0, 100, lanes.tally.shape)
    for pair in range(pairs):
        if rng.random() < 0.6:
            lanes.states[pairs + pair] = lanes.states[pair]
            lanes.states["rear"][pair + rng.choice([0, pairs])] += rng.integers(0, 4) // 3
        if rng.random() < 0.6:
            lanes.tally[pairs + pair] = lanes.tally[pair]
            lanes.tally[pair + rng.choice([0, pairs]), 1, 1, 3] += rng.integers(0, 4) // 3
    return lanes


def counted_plainly(lanes: Lanes) -> dict[str, Any]:
    """Return the totals of games, lane by lane; a sits in seat 0 in the first half."""
    pairs = len(lanes.states) // 2
    found: dict[str, Any] = dict.fromkeys(COUNTED, 0)
    wins, leads = [0] * pairs, [0] * pairs
    found["skunks"], found["double_skunks"] = [0, 0], [0, 0]
    tallied = np.zeros((2, 2), int)
    points = np.zeros((2, 2, 4), int)
    for place, lane in enumerate(lanes.states):
        pair, seat_of_a = place % pairs, place // pairs
        has_b_won = int(lane.winner != seat_of_a)
        wins[pair] += 1 - has_b_won
        leads[pair] += int(lane.scores[seat_of_a]) - int(lane.scores[1 - seat_of_a])
        found["deals"] += int(lane.deals)
        thrown = sum(int(lane.discards[seat, 0] != NO_CARD) for seat in (0, 1))
        found["decisions"] += 10 * (int(lane.deals) - 1) + thrown + int(lane.plays_made)
        found["first_dealer_wins"] += int(lane.winner == lane.first_dealer)
        grade = skunk([int(score) for score in lane.scores], int(lane.target))
        found["skunks"][has_b_won] += grade >= 1
        found["double_skunks"][has_b_won] += grade == 2
        for deal in range(1, min(4, lane.deals) + 1):
            dealer = lane.first_dealer if deal % 2 else 1 - lane.first_dealer
            for seat in (0, 1):
                tallied[int(seat != seat_of_a), int(seat == dealer)] += 1
        for seat in (0, 1):
            points[int(seat != seat_of_a)] += lanes.tally[place, seat]
    found["margin"] = sum(leads)
    found["margin_squares"] = sum(lead**2 for lead in leads)
    for pair in range(pairs):
        one, other = pair, pair + pairs
        is_alike = lanes.states[one].tobytes() == lanes.states[other].tobytes()
        is_alike = is_alike and lanes.tally[one].tolist() == lanes.tally[other].tolist()
        found["repeated_pairs"] += is_alike
    return {
        **found,
        "pair_wins": [wins.count(number) for number in range(3)],
        "tallied_deals": tallied.tolist(),
        "points": points.tolist(),
    }


@pytest.mark.parametrize("pairs", [1, 2, 3, 30])
def test_games_are_counted_as_by_hand(pairs: int) -> None:
    """As JSON, which knows Python's own numbers alone."""
    seen, repeated = set(), set()
    for seed in range(60 // pairs):
        lanes = lanes_over(pairs, seed)
        totals = count_pairs(lanes)
        assert json.loads(json.dumps(asdict(totals))) == counted_plainly(lanes)
        assert hash(totals) == hash(count_pairs(lanes))  # tuples all through
        seen.add(totals.pair_wins)
        repeated.add(totals.repeated_pairs)
    assert pairs > 1 or (seen, repeated) == ({(1, 0, 0), (0, 1, 0), (0, 0, 1)}, {0, 1})


def numbered(start: int) -> MatchTotals:
    """Return totals of which no two numbers are the same."""
    numbers = count(start)

    def filled(value: Any) -> Any:
        return tuple(map(filled, value)) if isinstance(value, tuple) else next(numbers)

    return MatchTotals(**{name: filled(value) for name, value in vars(MatchTotals()).items()})


def test_nothing_is_counted_at_first() -> None:
    assert MatchTotals() == MatchTotals(
        pair_wins=(0, 0, 0),
        margin=0,
        margin_squares=0,
        repeated_pairs=0,
        deals=0,
        decisions=0,
        first_dealer_wins=0,
        skunks=(0, 0),
        double_skunks=(0, 0),
        tallied_deals=((0, 0), (0, 0)),
        points=(((0, 0, 0, 0), (0, 0, 0, 0)), ((0, 0, 0, 0), (0, 0, 0, 0))),
    )


def test_totals_add_up_number_by_number() -> None:
    def flat(value: Any) -> list[int]:
        return [value] if isinstance(value, int) else [n for part in value for n in flat(part)]

    sums = numbered(0) + numbered(100)
    assert isinstance(sums, MatchTotals)
    assert flat(astuple(sums)) == [2 * number + 100 for number in range(33)]
    assert [*map(type, astuple(sums))] == [*map(type, astuple(MatchTotals()))]
    with pytest.raises(ValueError, match="zip"):
        add_nested((1, 2), (1, 2, 3))


def test_numbers_that_follow_from_others() -> None:
    totals = MatchTotals(pair_wins=(5, 20, 300), repeated_pairs=7)
    assert (totals.pairs, totals.games, totals.wins_a) == (325, 650, 620)
    assert totals.distinct_games == 643


def test_swapped_totals_are_those_of_the_other_player() -> None:
    assert numbered(1).swapped() == MatchTotals(
        pair_wins=(3, 2, 1),
        margin=-4,
        margin_squares=5,
        repeated_pairs=6,
        deals=7,
        decisions=8,
        first_dealer_wins=9,
        skunks=(11, 10),
        double_skunks=(13, 12),
        tallied_deals=((16, 17), (14, 15)),
        points=(((26, 27, 28, 29), (30, 31, 32, 33)), ((18, 19, 20, 21), (22, 23, 24, 25))),
    )


def test_arrays_become_tuples() -> None:
    assert as_tuples(np.arange(6).reshape(2, 3)) == ((0, 1, 2), (3, 4, 5))
    assert type(as_tuples(np.int64(3))) is int
