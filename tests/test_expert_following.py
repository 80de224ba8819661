"""How the expert follows a card and counts the show's chances: every number, with all its edges.

Each kernel is called by itself, with its memory full of numbers that don't belong there, and is
compared with the plainest way to say what it promises.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate, product

import numpy as np
import pytest

from cribbage_env import Game
from cribbage_env.bots.expert.following import (
    follow,
    share_out,
    twin_before,
    write_laid,
    write_playable,
)
from cribbage_env.bots.expert.ranks import GONE
from cribbage_env.bots.expert.winning import (
    MOST_NEED,
    NUM_PEGS,
    _count_other,
    _count_own,
    write_after_crib,
)
from cribbage_env.cards import rank_of
from cribbage_env.engine.layout import PLAY
from cribbage_env.engine.tables import load_book
from tests.positions import BOOK, DEALER, PONE, legal_actions, random_views, view_of
from tests.test_expert_numbers import after_crib, as_array
from tests.test_expert_plays import slot_by_rule

JUNK = 7
"""What an array holds before a kernel writes to it."""
FAR = 1000
pytestmark = pytest.mark.kernels


def dealt(pone: str, dealer: str, plays: str) -> Game:
    """Return a game in its first deal's play; the crib is deuces and kings."""
    hands, discards = (f"{pone} 2C 2D", f"{dealer} KC KD"), ("2C 2D", "KC KD")
    return Game.from_position(
        dealer=1, hands=hands, starter="KS", discards=discards, plays=plays, target=FAR
    )


LAST_TO_31 = dealt("TS 6S TH 9H", "7D 5D 6D 6H", "TS 7D 6S 5D TH 6D 9H")
"""The dealer's last card makes 31."""
CHOSEN_GAMES = [
    LAST_TO_31,
    dealt("TS 6S TH 5H", "7D 8H 5D KH", "TS 7D 6S"),  # 31, and both go on
    dealt("9S TS AH AC", "TD 4C 4D 3H", "9S TD TS AH AC"),  # one has nothing left
]


def test_what_a_seat_holds_may_lay_and_has_met() -> None:
    last = view_of(LAST_TO_31.state[0], 1)
    for view in (last, *random_views(80, seed=1)):
        held = [rank_of(int(view.kept[slot])) if view.held[slot] else GONE for slot in range(4)]
        if view.is_on_turn == 1 and view.phase == PLAY:
            may_lay = [15 + slot in legal_actions(view) for slot in range(4)]
        else:
            may_lay = [rank != GONE and view.count + min(rank + 1, 10) <= 31 for rank in held]
        ranks, is_playable = np.full(4, JUNK), np.full(4, True)
        assert write_playable(view, ranks, is_playable) == sum(may_lay)
        assert ranks.tolist() == held
        assert is_playable.tolist() == may_lay

        places = range(view.plays_made)
        theirs = [rank_of(int(view.plays[at])) for at in places if view.play_is_own[at] == 0]
        laid = np.full(4, JUNK)
        assert write_laid(view, laid) == len(theirs)
        assert laid.tolist() == theirs + [JUNK] * (4 - len(theirs))


def test_a_twin_is_the_first_playable_card_of_the_rank() -> None:
    for ranks, playable in product(product((0, 9), repeat=4), product((False, True), repeat=4)):
        for slot in range(4):
            twins = [at for at in range(slot) if playable[at] and ranks[at] == ranks[slot]]
            found = twin_before(np.array(ranks), np.array(playable), slot)
            assert found == (twins[0] if twins else -1)


def test_shares_are_weights_or_the_places_of_a_sample() -> None:
    rng = np.random.default_rng(2)
    for number, samples, start in product((1, 4, 9), (1, 2, 3, 4, 8), (0.0, 0.25, 0.5, 0.875)):
        # Whole numbers that add up to 32, so that places may fall on a border exactly.
        inner = sorted(int(border) for border in rng.integers(0, 33, number - 1))
        weights = np.diff([0, *inner, 32]).astype(float)
        if number <= samples:
            expected = list(weights / 32)
        else:
            borders = list(accumulate(weights))
            places = [(place + start) * 32 / samples for place in range(samples)]
            met = [bisect(borders, place) for place in places]
            expected = [met.count(world) / samples for world in range(number)]
        found = np.array([*weights, JUNK])  # the last isn't among the number
        share_out(found, number, samples, start)
        assert found == pytest.approx([*expected, JUNK])


def test_there_are_no_more_places_than_samples() -> None:
    """Ten times the spacing of 0.2, added up, falls short of twenty weights of 0.1 added up."""
    found = np.full(20, 0.1)
    share_out(found, 20, 10, 0.0)
    assert found.sum() == pytest.approx(1.0)
    assert found[-1] == 0.0


def followed(game: Game, slot: int, by_habit: bool, cards: int) -> list[int]:
    """Lay a card in the engine and go on for so many cards; return what each seat pegs."""
    before = len(game.events)
    game.step(15 + slot)
    for _ in range(cards):
        if game.phase == "play" and game.deals == 1:
            game.step(15 + slot_by_rule(game, by_habit))
    kinds = [event.kind for event in game.events]
    events = game.events[before:]
    if kinds.count("play") < 8 and kinds[before:].count("play") == cards + 1:
        # What comes after the last of so many cards isn't counted.
        events = events[: len(kinds) - kinds[::-1].index("play") - before]
    points = [0, 0]
    for event in events:
        if event.kind in ("play", "last"):
            points[event.player] += event.points
    return points


def some_games(number: int) -> Iterator[tuple[Game, list[int], int]]:
    """Yield games in the play, with what both seats may need to win, and cards to follow."""
    rng = np.random.default_rng(3)
    for seed in range(number):
        game = Game(seed=seed, target=FAR)
        game.step(int(rng.integers(15)))
        game.step(int(rng.integers(15)))
        while game.phase == "play" and game.deals == 1:
            needs = rng.choice([1, 2, 3, 4, 6, 500], 2).tolist()
            yield game, needs, int(rng.integers(1, 9))
            game.step(int(rng.choice(game.legal_actions())))
    for game in CHOSEN_GAMES:
        yield game, [500, 500], 8


@pytest.mark.parametrize("by_habit", [False, True])
def test_a_card_is_followed_as_the_engine_would_have_it(by_habit: bool) -> None:
    """In the hand that the other really holds; what both need ends it soon, or not at all."""
    for game, needs, cards in some_games(2 if by_habit else 8):
        scores = [FAR - need - score for need, score in zip(needs, game.scores, strict=True)]
        near = Game.replay(replace(game.beginning, scores=tuple(scores)), game.actions)
        seat = 0 if near.turn is None else near.turn
        view = view_of(near.state[0], seat)
        ranks, is_playable = np.empty(4, np.int64), np.empty(4, np.bool_)
        write_playable(view, ranks, is_playable)
        other = sorted(rank_of(card) for card in near.hand(1 - seat))
        world = np.array([*other, *[GONE] * (4 - len(other))])
        own_first = [seat, 1 - seat]
        for slot in map(int, np.flatnonzero(is_playable)):
            hands, pile, points = np.full((2, 4), JUNK), np.full(14, JUNK), np.full(2, JUNK)
            follow(
                view,
                slot,
                ranks,
                world,
                cards,
                by_habit,
                np.array(needs)[own_first],
                BOOK,
                hands,
                pile,
                points,
            )
            expected = followed(near.copy(), slot, by_habit, cards)
            assert points.tolist() == [expected[player] for player in own_first]


def test_the_tables_go_as_far_as_is_said() -> None:
    assert BOOK.win.shape == (2, MOST_NEED + 1, MOST_NEED + 1)
    assert BOOK.peg_chance.shape[-1] == NUM_PEGS


COUNTED = {0: 0.125, 1: 0.125, 3: 0.5, 29: 0.25}
"""How likely a hand or a crib counts how much."""


@pytest.mark.parametrize("role", [PONE, DEALER])
@pytest.mark.parametrize(
    ("needs", "width"), [((1, 1), 5), ((4, 30), 40), ((35, 2), 3), ((121, 121), 4)]
)
def test_the_crib_is_counted_for_whoever_deals(
    role: int, needs: tuple[int, int], width: int
) -> None:
    own, other = needs
    book = load_book().copy()
    book["win"][0, :, 0] = book["win"][0, :, :, 0] = np.nan  # no chance is that of a game's end
    grid = np.full((own + 1, other + 1), np.nan)
    write_after_crib(role, own, other, width, as_array(COUNTED), book[0], grid)
    for a in range(max(1, own - width + 1), own + 1):
        for b in range(max(1, other - width + 1), other + 1):
            chance = sum(
                likely * after_crib(role, (a, b), points) for points, likely in COUNTED.items()
            )
            assert grid[a, b] == pytest.approx(chance)


@pytest.mark.parametrize("widths", [(50, 50), (3, 7), (7, 3)])
def test_a_hand_is_counted_where_it_does_not_end_the_game(widths: tuple[int, int]) -> None:
    """Who needs no more has won; what comes later is asked only where both need some."""
    own, other = 35, 33
    later = np.random.default_rng(5).random((own + 1, other + 1))
    later[0], later[:, 0] = np.nan, np.nan
    by_own, by_other = np.full(later.shape, np.nan), np.full(later.shape, np.nan)
    _count_own(own, other, widths, as_array(COUNTED), later, by_own)
    _count_other(own, other, widths, as_array(COUNTED), later, by_other)
    for a in range(max(1, own - widths[0] + 1), own + 1):
        for b in range(max(1, other - widths[1] + 1), other + 1):
            own_wins = other_wins = 0.0
            for points, likely in COUNTED.items():
                own_wins += likely * (1.0 if points >= a else later[a - points, b])
                other_wins += likely * (0.0 if points >= b else later[a, b - points])
            assert by_own[a, b] == pytest.approx(own_wins)
            assert by_other[a, b] == pytest.approx(other_wins)
