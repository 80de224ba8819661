"""What the expert chooses, and the parts of a worth, at all the edges."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from cribbage_env import Game, score_hand
from cribbage_env.actions import DISCARDS
from cribbage_env.bots import expert_policy
from cribbage_env.bots.expert.discard import (
    TOTAL,
    WIN,
    choose_discard,
    is_near_end,
    write_discard_worths,
)
from cribbage_env.bots.expert.following import share_out
from cribbage_env.bots.expert.layout import BY_HABIT, BY_QUICK_RULE, NEAR, NOT_READ
from cribbage_env.bots.expert.play import (
    _count_show,
    _forced,
    _sample_worlds,
    _show_to_come,
    _winning_slot,
    choose_play,
    write_play_worths,
)
from cribbage_env.bots.expert.winning import MOST_NEED
from cribbage_env.bots.expert.worlds import MOST_WORLDS
from cribbage_env.cards import parse_cards, rank_of, value_of
from cribbage_env.engine.chance import draw
from cribbage_env.engine.expectation import crib_value
from cribbage_env.engine.layout import DISCARD, VIEW
from cribbage_env.engine.tables import rank_index
from cribbage_env.scoring import score_play
from tests.positions import BOOK, DEALER, PONE, view_of
from tests.test_expert import choice
from tests.test_expert_following import followed
from tests.test_expert_numbers import after_crib, plain_points, throws_by_rank, walk
from tests.test_expert_plays import cards_laid, game_of, slots_of, worlds_of

pytestmark = pytest.mark.kernels


def dealt_view(dealt: str, role: int, needs: tuple[int, int], target: int = 121) -> Any:
    """Return what a seat sees before its discard, from what both need."""
    view = np.zeros(1, VIEW)[0]
    view.is_on_turn, view.phase, view.is_dealer, view.target = 1, DISCARD, role, target
    view.scores[:] = [target - need for need in needs]
    view.dealt[:] = sorted(parse_cards(dealt))
    return view


def test_it_is_near_the_end_where_somebody_needs_little() -> None:
    needs = (1, NEAR - 1, NEAR, NEAR + 1, MOST_NEED - 1, MOST_NEED, MOST_NEED + 1, 200)
    for own, other, target in product(needs, needs, (61, 121, 200)):
        view = dealt_view(JACKS, PONE, (own, other), target)
        is_near = min(own, other) <= NEAR and max(own, other) <= MOST_NEED
        assert is_near_end(view) == is_near


JACKS = "3S 4C 6H 8D JC JD"
"""Each of two jacks may be thrown with the six, and both ways are worth the same."""


@pytest.mark.parametrize(
    ("dealt", "role", "needs"),
    [
        (JACKS, PONE, (121, 121)),
        ("5C 6D 6H 8D TS JS", DEALER, (7, 14)),
        ("4S 8S TC JS QS KH", PONE, (15, 3)),
        ("4H 5D 5H 5S TC TD", DEALER, (8, 9)),
        ("AH 2S 5C 6H QC KD", PONE, (1, 5)),
    ],
)
def test_the_first_discard_of_the_highest_worth_is_chosen(
    dealt: str, role: int, needs: tuple[int, int]
) -> None:
    """By points or, near the end, by the chance of winning among those within 1.2 points."""
    view, worths = dealt_view(dealt, role, needs), np.empty((15, 5))
    for score_aware in (False, True):
        player = expert_policy(removal=False, score_aware=score_aware).player[0]
        is_near = score_aware and needs != (121, 121)
        write_discard_worths(player, view, is_near, 1.2, BOOK, worths)
        column = WIN if is_near else TOTAL
        assert choose_discard(player, view, BOOK) == np.nanargmax(worths[:, column])
    if dealt == JACKS:
        assert (worths[:, TOTAL] == worths[:, TOTAL].max()).sum() == 2


@pytest.mark.parametrize("role", [PONE, DEALER])
def test_without_removal_a_crib_is_worth_what_it_is_in_general(role: int) -> None:
    """Of six cards that lose points as pone, whatever is thrown."""
    view, found = dealt_view("2H 7D 9S TC QH KS", role, (9, 9)), np.zeros((15, 5))
    player = expert_policy(removal=False, pegging=0.25).player[0]
    write_discard_worths(player, view, False, 1.2, BOOK, found)
    dealt = [int(card) for card in view.dealt]
    rest = [card for card in range(52) if card not in dealt]
    for worths, slots in zip(found, DISCARDS, strict=True):
        first, second = (dealt[slot] for slot in slots)
        kept = [card for card in dealt if card not in (first, second)]
        hand = np.mean([score_hand(kept, starter).total for starter in rest])
        crib = crib_value(first, second, role == DEALER, BOOK)
        own, other = BOOK.peg[role, rank_index(tuple(map(rank_of, kept)))]  # type: ignore[arg-type]
        pegs = 0.25 * (own - other)
        total = hand + (crib if role == DEALER else -crib) + pegs
        assert worths == pytest.approx([hand, crib, pegs, total, np.nan], nan_ok=True)
    totals = found[:, TOTAL].copy()
    write_discard_worths(player, view, True, 0.0, BOOK, found)
    assert np.flatnonzero(found[:, WIN] > 0.0).tolist() == [totals.argmax()]


def views_in_the_play(number: int) -> Iterator[tuple[Any, list[int], list[int]]]:
    """Yield views with some cards laid and some held; the pile, and the slots whose cards fit."""
    rng = np.random.default_rng(6)
    for _ in range(number):
        deck = [int(card) for card in rng.permutation(52)]
        if rng.integers(2):  # piles that count more
            deck.sort(key=lambda card: rank_of(card) not in (3, 4, 5, 6))
            deck[:16] = rng.permutation(deck[:16]).tolist()
        view = np.zeros(1, VIEW)[0]
        view.kept[:], deck = deck[:4], deck[4:]
        view.held[:] = rng.integers(0, 2, 4)
        view.pile_start = before = int(rng.integers(3))
        pile = deck[before : before + int(rng.integers(6))]
        while sum(map(value_of, pile)) > 30:
            pile.pop()
        view.plays_made = before + len(pile)
        view.plays[: view.plays_made] = deck[: view.plays_made]
        view.count = sum(map(value_of, pile))
        view.target, view.scores[:] = 121, [121 - int(rng.integers(1, 5)), 60]
        fits = [
            slot
            for slot in range(4)
            if view.held[slot] == 1 and view.count + value_of(int(view.kept[slot])) <= 31
        ]
        yield view, pile, fits


def test_one_card_that_fits_is_forced_and_one_that_wins_is_found() -> None:
    player = expert_policy().player[0]
    for view, pile, fits in views_in_the_play(300):
        assert _forced(view) == (fits[0] if len(fits) == 1 else -1)
        need = view.target - view.scores[0]
        winning = [slot for slot in fits if score_play([*pile, int(view.kept[slot])]).total >= need]
        assert _winning_slot(view) == (winning[0] if winning else -1)
        if len(fits) == 1 or winning:
            slot = (fits if len(fits) == 1 else winning)[0]
            assert choose_play(player, view, np.uint64(0), BOOK) == 15 + slot


def test_both_hands_are_counted_in_order() -> None:
    after = np.random.default_rng(7).random((6, 6))
    after[0] = after[:, 0] = np.nan
    for role, a, b in product((PONE, DEALER), range(-1, 6), range(-1, 6)):
        for hand, other in product(range(7), repeat=2):
            if min(a, b) <= 0:
                expected = float(a <= 0)
            else:
                won, left = walk(role, (a, b), (hand, other))
                expected = after[left] if won is None else won
            assert _count_show(role == DEALER, a, b, hand, other, after) == expected


HEARTS = ("4H 5H 9H TH", "6C 6D 9S TS")
"""Pone's flush counts without the starter; the dealer has two sixes."""
LAST_NINES = "9H 9S TH"
"""Then the dealer leads anew."""
ALL_LAID = "9S 7C TS AC AH"
"""Pone lays all its cards before the dealer's second."""
TWO_QUEENS = ("9S TS AC AH", "7C 8C QC QD")
EIGHT_FIRST = ("9S TS AC AH", "7C 7D 7H 8C")


def late_in_deal(kept: tuple[str, str], plays: str, scores: tuple[int, int]) -> Game:
    """Return a game in its play; the crib is deuces, a trey and a king."""
    return Game.from_position(
        dealer=1,
        hands=(f"{kept[0]} 2S 3C", f"{kept[1]} 2D KH"),
        starter="QS",
        discards=("2S 3C", "2D KH"),
        plays=plays,
        scores=scores,
    )


def cribs_of(game: Game, seat: int) -> dict[int, float]:
    """Return how likely the crib counts how much, from all that a seat knows."""
    lane = game.state[0]
    starter = int(lane.starter)
    known = [*map(int, lane.dealt[seat]), starter, *cards_laid(game, 1 - seat)]
    thrown = [rank_of(int(card)) for card in lane.discards[seat]]
    cribs: dict[int, float] = {}
    for pair, share in throws_by_rank(known, int(game.dealer != seat)).items():
        points = plain_points((*thrown, *pair, rank_of(starter)))
        cribs[points] = cribs.get(points, 0.0) + share
    return cribs


@pytest.mark.parametrize(("plays", "scores"), [("9H 9S", (20, 70)), ("9H 9S 5H", (108, 115))])
def test_the_crib_to_come_is_counted_from_all_that_is_known(
    plays: str, scores: tuple[int, int]
) -> None:
    game = late_in_deal(HEARTS, plays, scores)
    seat = 0 if game.turn is None else game.turn
    own, other = 121 - game.scores[seat], 121 - game.scores[1 - seat]
    cribs = cribs_of(game, seat)
    grid = _show_to_come(view_of(game.state[0], seat), BOOK)
    # As far as pegs and a hand may go.
    for a, b in product({1, 3, own, own - 59}, {1, 4, other, other - 59}):
        if max(1, own - 59) <= a <= own and max(1, other - 59) <= b <= other:
            chance = sum(
                share * after_crib(int(game.dealer == seat), (a, b), points)
                for points, share in cribs.items()
            )
            assert grid[a, b] == pytest.approx(chance)


@pytest.mark.parametrize(
    ("reading", "options"),
    [
        (BY_QUICK_RULE, {}),
        (BY_HABIT, {"habits": True}),
        (NOT_READ, {"model": False}),
        (NOT_READ, {"model": False, "habits": True}),
    ],
)
def test_some_worlds_are_drawn_as_the_hand_is_read(reading: int, options: dict[str, bool]) -> None:
    game = late_in_deal(HEARTS, f"{LAST_NINES} 6D 4H 6C", (0, 0))
    view, all_worlds = view_of(game.state[0], 0), worlds_of(game, 0, reading)
    worlds, weights = np.empty((MOST_WORLDS, 4), np.int64), np.empty(MOST_WORLDS)
    for key, samples in ((np.uint64(3), 5), (np.uint64(4), 7), (np.uint64(5), 1000)):
        player = expert_policy(worlds=samples, **options).player[0]
        number = _sample_worlds(player, view, key, BOOK, worlds, weights)
        shares = np.array([*all_worlds.values()])
        share_out(shares, len(shares), samples, draw(key, 0, 1 << 30) / (1 << 30))
        assert [tuple(world) for world in worlds[:number, :1].tolist()] == [*all_worlds]
        assert weights[:number] == pytest.approx(shares)


def plain_worths(
    game: Game, seat: int, options: dict[str, Any], key: np.uint64
) -> tuple[list[float], list[float]]:
    """Return what each slot's card is worth in points, and in chances to win, from the engine."""
    role, by_habit = int(game.dealer == seat), options["habits"]
    worlds = worlds_of(game, seat, BY_QUICK_RULE if options["model"] else NOT_READ)
    shares = np.array([*worlds.values()])
    share_out(shares, len(shares), options["worlds"], draw(key, 0, 1 << 30) / (1 << 30))
    cribs, starter = cribs_of(game, seat), game.starter or 0
    hand = score_hand(game.kept(seat), starter).total
    nets, wins = [-1000.0] * 4, [-1000.0] * 4
    for slot in slots_of(game):
        nets[slot] = wins[slot] = 0.0
        for ranks, share in zip(worlds, shares, strict=True):
            if share == 0.0:
                continue
            pegs = followed(game_of(game, seat, ranks), slot, by_habit, options["lookahead"])
            needs = [121 - score - pegged for score, pegged in zip(game.scores, pegs, strict=True)]
            left = needs[seat], needs[1 - seat]
            nets[slot] += share * (1000.0 if left[0] <= 0 else pegs[seat] - pegs[1 - seat])
            won: float | None = float(left[0] <= 0)
            if min(left) > 0:
                held = sorted((*map(rank_of, cards_laid(game, 1 - seat)), *ranks))
                won, left = walk(role, left, (hand, plain_points((*held, rank_of(starter)))))
            if won is None:
                won = sum(chance * after_crib(role, left, crib) for crib, chance in cribs.items())
            wins[slot] += share * won
    return nets, wins


@pytest.mark.parametrize(
    ("kept", "plays", "scores", "lookahead", "habits"),
    [
        (HEARTS, LAST_NINES, (100, 100), 8, False),
        (HEARTS, LAST_NINES, (116, 110), 8, False),
        (HEARTS, LAST_NINES, (112, 113), 2, False),
        (HEARTS, f"{LAST_NINES} 6D", (116, 115), 8, False),
        (HEARTS, f"{LAST_NINES} 6D", (115, 109), 1, False),
        (HEARTS, f"{LAST_NINES} 6D", (110, 108), 8, True),
        (TWO_QUEENS, ALL_LAID, (105, 103), 8, False),
        (EIGHT_FIRST, ALL_LAID, (105, 103), 8, False),
        (EIGHT_FIRST, ALL_LAID, (105, 118), 8, False),
    ],
)
def test_worths_are_those_of_a_few_deals_played_in_the_engine(
    kept: tuple[str, str], plays: str, scores: tuple[int, int], lookahead: int, habits: bool
) -> None:
    game, key = late_in_deal(kept, plays, scores), np.uint64(11)
    seat = 0 if game.turn is None else game.turn
    view, found = view_of(game.state[0], seat), np.full(4, np.nan)
    # A hand isn't read by habit here, as that takes long in plain Python.
    options = {"worlds": 5, "lookahead": lookahead, "habits": habits, "model": not habits}
    worths = plain_worths(game, seat, options, key)
    for is_aware, expected in zip((False, True), worths, strict=True):
        player = expert_policy(score_aware=is_aware, **options).player[0]
        write_play_worths(player, view, is_aware, key, BOOK, found)
        assert found == pytest.approx(expected)
        at_once = _winning_slot(view)
        best = int(np.argmax(expected)) if at_once < 0 else at_once
        _ = [np.array([9.0, 8.0, 7.0, 6.0]) for _ in range(50)]  # no worth may be left in memory
        assert choose_play(player, view, key, BOOK) == 15 + best


@pytest.mark.parametrize(("pegging", "turn"), [(-1000, 1), (1000, 0)])
def test_a_discard_is_found_however_the_pegging_is_weighed(pegging: int, turn: int) -> None:
    """It outweighs all points here, so that every discard loses hundreds of them."""
    hands = "AS 3D 4H 6H 8S JC", "2S 3C 5H 7H 9S QC"
    game = Game.from_position(
        dealer=1, hands=hands[:: 1 - 2 * turn], starter="KD", scores=(100, 100)
    )
    if turn == 1:
        game.step(0)
    assert choice(f"expert:pegging={pegging}", game) in game.legal_actions()
