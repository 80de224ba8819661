"""The ``"lookahead"`` observation number by number, put together again in plain Python.

Its parts have tests of their own: what the opponent may hold, a card followed to the end of the
play, and the chances of winning.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, Final

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env import observation
from cribbage_env.bots.expert.chances import (
    NO_HAND,
    STAGE_SHAPE,
    chance_before_show,
    chance_now,
    chance_with_hands,
    chance_with_pegs,
)
from cribbage_env.bots.expert.following import follow, share_out
from cribbage_env.bots.expert.layout import BY_HABIT, BY_QUICK_RULE
from cribbage_env.bots.expert.observe import NUM_WORLDS, write_lookahead
from cribbage_env.bots.expert.ranks import GONE
from cribbage_env.bots.expert.worlds import MOST_WORLDS, write_worlds
from cribbage_env.cards import parse_cards, rank_of, suit_of, value_of
from cribbage_env.engine.expectation import NUM_VALUES, TOTAL, write_discard_values
from cribbage_env.engine.layout import DEAL_OVER, DISCARD, NO_CARD, PLAY, VIEW
from cribbage_env.engine.reply import count_pool
from cribbage_env.engine.tables import rank_index
from cribbage_env.scoring import score_hand
from tests.positions import BOOK, position, random_states, view_of
from tests.test_expert_numbers import plain_points

pytestmark = pytest.mark.kernels
UNCOMPILED = bool(numba.config.DISABLE_JIT)

# The numbers of the observation, on which trained players rely.
WORLDS: Final = 48
PEGS_ON_AVERAGE: Final = {"pone": 2, "dealer": 4}
MARGIN: Final = 1.2
NEAR: Final = 45
AVERAGE_CRIB: Final = 4.7
POINTS_OF_PROSPECTS: Final = (1, 2, 4, 8, 14)
DIRT: Final = 5.0


def clip(number: float) -> float:
    return min(max(number, 0.0), 1.0)


def parts_of(
    seen: Any, num_worlds: int = WORLDS, by_habit: bool = False, book: Any = BOOK
) -> dict[str, Any]:
    """Return the expert's segments of an observation; the rest of it must stay as it was."""
    row = np.full(observation.size("lookahead"), DIRT, np.float32)
    before = seen.tobytes()
    write_lookahead(seen, num_worlds, by_habit, book, row)
    assert seen.tobytes() == before
    assert (row[: observation.size("features")] == DIRT).all()
    parts = observation.view(row)
    return {name: parts[name] for name in ("likely_ranks", "prospects", "forecasts")}


def needs_of(seen: Any) -> tuple[int, int]:
    return int(seen.target - seen.scores[0]), int(seen.target - seen.scores[1])


def are_chances_known(seen: Any) -> bool:
    return max(needs_of(seen)) <= 121


def show_of(seen: Any) -> tuple[int, float]:
    """Return the points of the own hand and the mean crib, as they are known to a seat."""
    if seen.phase == DISCARD:
        return NO_HAND, AVERAGE_CRIB
    first, second = sorted(seen.discards.tolist())
    crib = BOOK.crib_value[
        seen.is_dealer, rank_of(first), rank_of(second), int(suit_of(first) == suit_of(second))
    ]
    return score_hand(seen.kept, int(seen.starter)).total, float(crib)


def plain_prospects(seen: Any) -> list[float]:
    if seen.phase not in (DISCARD, PLAY) or not are_chances_known(seen):
        return [0.0] * 11
    (own, other), (hand, crib) = needs_of(seen), show_of(seen)

    def chance(pegged: int, lost: int) -> float:
        return float(chance_now(seen.is_dealer, own - pegged, other - lost, hand, crib, BOOK))

    now = chance(0, 0)
    changes = [
        3 * change
        for points in POINTS_OF_PROSPECTS
        for change in (chance(points, 0) - now, now - chance(0, points))
    ]
    return [clip(number) for number in (now, *changes)]


def plain_discards(seen: Any, book: Any = BOOK) -> NDArray[np.float64]:
    """Return the forecasts of the fifteen discards."""
    role, (own, other) = seen.is_dealer, needs_of(seen)
    dealt = seen.dealt.tolist()
    starters = [card for card in range(52) if card not in dealt]
    nets, hands, cribs, indices = [], [], [], []
    for first, second in combinations(dealt, 2):
        kept = [card for card in dealt if card not in (first, second)]
        shown = [score_hand(kept, starter).total for starter in starters]
        is_suited = int(suit_of(first) == suit_of(second))
        cribs.append(float(book.crib_value[role, rank_of(first), rank_of(second), is_suited]))
        hands.append(np.bincount(shown, minlength=30) / 46)
        indices.append(rank_index(tuple(map(rank_of, kept))))
        pegs = book.peg[role, indices[-1]]
        nets.append(sum(shown) / 46 + (1 if role else -1) * cribs[-1] + float(pegs[0] - pegs[1]))
    best = int(np.argmax(nets))
    wins = [0.5] * 15
    if are_chances_known(seen):
        pegs_of_role = (PEGS_ON_AVERAGE["pone"], PEGS_ON_AVERAGE["dealer"])
        a, b = max(1, own - pegs_of_role[role]), max(1, other - pegs_of_role[1 - role])

        def roughly(action: int) -> float:
            return sum(
                share * chance_before_show(role, a, b, points, cribs[action], book)
                for points, share in enumerate(hands[action])
                if share
            )

        def with_care(action: int) -> float:
            index, hand, stage = indices[action], hands[action], np.empty(STAGE_SHAPE)
            return float(
                chance_with_pegs(role, own, other, index, hand, cribs[action], book, stage)
            )

        wins = [roughly(action) for action in range(15)]
        if min(own, other) <= NEAR:
            moved = with_care(best) - wins[best]
            wins = [
                with_care(action) if nets[action] >= nets[best] - MARGIN else wins[action] + moved
                for action in range(15)
            ]
    return np.array(
        [
            [
                clip(book.peg[role, indices[action], 0] / 8),
                clip(book.peg[role, indices[action], 1] / 8),
                clip((nets[action] + 10) / 40),
                clip((nets[best] - nets[action]) / 4),
                clip(wins[action]),
                clip((max(wins) - wins[action]) * 10),
            ]
            for action in range(15)
        ]
    )


def worlds_of(seen: Any, by_habit: bool) -> tuple[list[list[int]], NDArray[np.float64]]:
    """Return the hands that the opponent may hold, by rank, and their weights."""
    pool = np.empty(13, np.int64)
    count_pool(seen, pool)
    worlds, weights = np.empty((MOST_WORLDS, 4), np.int64), np.empty(MOST_WORLDS)
    reading = BY_HABIT if by_habit else BY_QUICK_RULE
    number = write_worlds(seen, pool, reading, BOOK, worlds, weights)
    return worlds[:number].tolist(), weights[:number]


def plain_likely(seen: Any, by_habit: bool) -> NDArray[np.float64]:
    worlds, weights = worlds_of(seen, by_habit)
    likely = np.zeros(13)
    for world, share in zip(worlds, weights / weights.sum(), strict=True):
        for rank in world:
            likely[rank] += share if rank != GONE else 0.0
    return np.minimum(likely / 2, 1.0)


def plain_plays(seen: Any, num_worlds: int, by_habit: bool) -> NDArray[np.float64]:
    """Return the forecasts of the four plays, each followed in each world that is looked at."""
    (own, other), (hand, crib) = needs_of(seen), show_of(seen)
    worlds, shares = worlds_of(seen, by_habit)
    share_out(shares, len(shares), num_worlds, 0.5)
    plays = zip(seen.plays.tolist(), seen.play_is_own, strict=True)
    laid = [rank_of(card) for card, is_own in plays if card != NO_CARD and not is_own]
    ranks = np.array(
        [rank_of(card) if held else GONE for card, held in zip(seen.kept, seen.held, strict=True)]
    )
    playable = [
        slot
        for slot in range(4)
        if seen.held[slot] and seen.count + value_of(int(seen.kept[slot])) <= 31
    ]
    sums = np.zeros((4, 3))
    hands, pile, points = np.empty((2, 4), int), np.empty(14, int), np.empty(2, int)
    for world, share in zip(worlds, shares, strict=True):
        held = [rank for rank in world if rank != GONE]
        count = plain_points((*sorted((*held, *laid)), rank_of(int(seen.starter))))
        for slot in playable if share else ():
            needs, there = np.array([own, other]), np.array(world)
            follow(seen, slot, ranks, there, 8, by_habit, needs, BOOK, hands, pile, points)
            a, b = own - int(points[0]), other - int(points[1])
            win = 0.5
            if are_chances_known(seen):
                win = chance_with_hands(seen.is_dealer, a, b, hand, count, crib, BOOK)
            sums[slot] += share * np.array([*points, win])
    rows = np.zeros((4, 6))
    best_net = max(sums[slot, 0] - sums[slot, 1] for slot in playable)
    best_win = max(sums[slot, 2] for slot in playable)
    for slot in playable:
        own_pegs, other_pegs, win = sums[slot]
        net = own_pegs - other_pegs
        numbers = own_pegs / 8, other_pegs / 8, (net + 6) / 12, (best_net - net) / 4
        rows[slot] = [clip(number) for number in (*numbers, win, (best_win - win) * 10)]
    return rows


def check(seen: Any, num_worlds: int = WORLDS, by_habit: bool = False) -> NDArray[np.float32]:
    """Compare all numbers that the expert tells of a view; return the forecasts."""
    parts = parts_of(seen, num_worlds, by_habit)
    likely, forecasts = np.zeros(13), np.zeros((19, 6))
    if seen.phase == PLAY:
        likely = plain_likely(seen, by_habit)
    if seen.phase == DISCARD and seen.is_on_turn:
        forecasts[:15] = plain_discards(seen)
    elif seen.phase == PLAY and seen.is_on_turn:
        forecasts[15:] = plain_plays(seen, num_worlds, by_habit)
    assert parts["likely_ranks"] == pytest.approx(likely, abs=1e-6)
    assert parts["prospects"] == pytest.approx(np.array(plain_prospects(seen)), abs=1e-6)
    assert parts["forecasts"] == pytest.approx(forecasts, abs=2e-6)
    return parts["forecasts"]


def six_cards(cards: str, role: int, needs: tuple[int, int], target: int = 121) -> Any:
    """Return a view of six cards before the discard, off turn."""
    views = np.zeros(1, VIEW)
    for name in ("kept", "discards", "plays", "starter"):
        views[name] = NO_CARD
    views["phase"], views["is_dealer"], views["target"] = DISCARD, role, target
    views["dealt"], views["opponent_cards"] = sorted(parse_cards(cards)), 6
    views["scores"] = target - needs[0], target - needs[1]
    return views[0]


@pytest.mark.parametrize("role", [0, 1])
@pytest.mark.parametrize("needs", [(1, 1), (1, 121), (121, 1), (121, 121), (3, 9), (40, 14)])
def test_prospects_before_the_discard(role: int, needs: tuple[int, int]) -> None:
    assert not check(six_cards("2C 6S JD JH JS KH", role, needs)).any()


@pytest.mark.parametrize("needs", [(122, 5), (5, 122), (122, 122), (200, 1)])
def test_needs_beyond_the_table(needs: tuple[int, int]) -> None:
    seen = six_cards("2C 6S JD JH JS KH", 0, needs, target=200)
    assert not check(seen).any()
    seen.is_on_turn = 1
    assert (check(seen)[:15, 4] == 0.5).all()


def late_position(*deeds: str, scores: tuple[int, int] = (70, 80)) -> Any:
    """Return a state in which pone leads a pair of sevens to a dealer of two cards, and on."""
    return position(
        *("discard AD AH", "discard QC QH", "play KS", "play TC", "play 2H", "play 9D", *deeds),
        pone="AD AH 2H 7C 7D KS",
        dealer="4S 6H 9D TC QC QH",
        starter="AC",
        scores=scores,
    )


@pytest.mark.parametrize("num_worlds", [NUM_WORLDS, 7])
def test_every_number_where_worlds_are_sampled(num_worlds: int) -> None:
    seen = view_of(late_position(), 0)
    worlds, _ = worlds_of(seen, by_habit=False)
    assert len(worlds) > WORLDS
    parts = parts_of(seen, num_worlds)
    expected = plain_plays(seen, WORLDS if num_worlds == NUM_WORLDS else num_worlds, by_habit=False)
    assert parts["forecasts"][15:] == pytest.approx(expected, abs=2e-6)
    first, second = np.flatnonzero(parts["forecasts"].any(axis=1))
    assert (parts["forecasts"][first] == parts["forecasts"][second]).all()


def test_every_number_by_habit() -> None:
    seen = view_of(late_position("play 7D"), 1)
    forecasts = check(seen, by_habit=True)
    assert (forecasts != parts_of(seen)["forecasts"]).any()


@pytest.mark.parametrize(
    ("kept", "plays"),
    [
        ("2H 7H 9H KH", "2H TC KH 6D 7H"),  # a flush that counts in no crib
        ("2C 2D KS KH", "KS TC KH 6D"),  # a pair in the first two slots
    ],
)
def test_every_number_of_a_flush_and_of_a_pair(kept: str, plays: str) -> None:
    lane = position(
        *("discard AD AS", "discard QC QH", *(f"play {card}" for card in plays.split())),
        pone=f"AD AS {kept}",
        dealer="4S 6D JD TC QC QH",
        starter="3C",
        scores=(70, 80),
    )
    assert check(view_of(lane, lane.turn), num_worlds=5).any()
    check(view_of(lane, 0), num_worlds=5)


def test_the_likely_ranks_of_four_cards() -> None:
    lane = position(
        *("discard AD AH", "discard QC QH"),
        pone="AD AH 2H 7C 7D KS",
        dealer="4S 6H 9D TC QC QH",
        starter="AC",
    )
    check(view_of(lane, 1))


def test_every_number_of_a_card_that_wins_or_loses() -> None:
    for scores in ((119, 117), (120, 115), (115, 118)):
        check(view_of(late_position("play 7C", "play 4S", scores=scores), 0))


def test_where_the_opponent_can_hold_nothing_nothing_is_said() -> None:
    seen = view_of(late_position(), 0)
    seen.go_after[0] = 2  # it lays a ten on a count on which it has said go
    parts = parts_of(seen)
    assert not parts["likely_ranks"].any()
    assert not parts["forecasts"].any()
    assert parts["prospects"].any()


@pytest.mark.parametrize("target", [31, 121, 200])
def test_every_number_in_the_play(target: int) -> None:
    phases, met = set(), set()
    for lane in random_states(40 if UNCOMPILED else 100, seed=target, target=target):
        for seat in (0, 1):
            seen = view_of(lane, seat)
            phases.add(int(seen.phase))
            if seen.phase != DISCARD and (seen.phase != PLAY or seen.opponent_cards < 2):
                forecasts = check(seen, num_worlds=5)
                playable = int(forecasts.any(axis=1).sum())
                met.add((int(seen.is_on_turn), playable, int(seen.held.sum()) - playable))
    assert phases >= {DISCARD, PLAY, DEAL_OVER}
    assert met >= {(1, 1, 0), (1, 2, 0), (0, 0, 1)}


@pytest.mark.parametrize(
    ("cards", "role", "needs"),
    [
        # Either side is near, just so or by far, or neither is.
        ("AS 5H 9H TH JC KD", 1, (45, 46)),
        ("4C 5S 6C 9C TS QH", 1, (46, 45)),
        ("2C 3D 4S 7D JD KC", 0, (46, 46)),
        ("AH 2H 7C 8C TD JC", 1, (2, 1)),
        ("3H 5D 5S 8H TD KS", 0, (3, 5)),
        ("3H 5D 5S 8H TD KS", 0, (3, 60)),
        ("3H 5D 5S 8H TD KS", 1, (50, 20)),
    ],
)
def test_every_number_of_every_discard(cards: str, role: int, needs: tuple[int, int]) -> None:
    seen = six_cards(cards, role, needs)
    seen.is_on_turn = 1
    check(seen)


def test_a_discard_just_as_far_behind_as_may_be_is_looked_at_with_care() -> None:
    seen, book = six_cards("3H 5D 5S 8H TD KS", 0, (3, 5)), BOOK.copy()
    seen.is_on_turn = 1
    dealt = seen.dealt.tolist()
    kept = [[card for card in dealt if card not in pair] for pair in combinations(dealt, 2)]
    indices = [rank_index(tuple(map(rank_of, four))) for four in kept]
    values = np.empty((15, NUM_VALUES))
    write_discard_values(seen.dealt, False, BOOK, values)
    nets = values[:, TOTAL] + (book.peg[0, indices, 0] - book.peg[0, indices, 1])
    *_, third, second, best = np.argsort(nets)
    assert nets[best] - nets[second] < MARGIN < nets[best] - nets[third]
    pegs = nets[best] - MARGIN - values[third, TOTAL]
    assert values[third, TOTAL] + pegs == nets[best] - MARGIN
    book.peg[0, indices[third]] = pegs, 0.0
    expected = plain_discards(seen, book)
    assert parts_of(seen, book=book)["forecasts"][:15] == pytest.approx(expected, abs=2e-6)
    assert abs(expected[third, 4] - plain_discards(seen)[third, 4]) > 1e-4
