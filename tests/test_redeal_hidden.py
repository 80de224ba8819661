"""`Game.redeal_hidden`: what a seat knows stays, all else is dealt anew, evenly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest

from cribbage_env.cards import NUM_CARDS, value_of
from cribbage_env.engine.layout import VIEW
from cribbage_env.engine.view import write_view
from cribbage_env.game import Beginning, Event, Game
from tests.games import DISCARDS, PLAYS, POSITION, cards, check_events, play_at_random, snapshot


def view_of(game: Game, seat: int) -> bytes:
    view = np.zeros(1, VIEW)
    write_view(game.state[0], seat, view[0])
    return view.tobytes()


def known_events(game: Game, seat: int) -> list[Event | tuple[Any, ...]]:
    """Return the events as a seat knows them: the opponent's last discards without their cards."""
    events: list[Event | tuple[Any, ...]] = list(game.events)
    deal = max(i for i, event in enumerate(game.events) if event.kind == "deal")
    if not any(event.kind == "crib" for event in game.events[deal:]):
        for i, event in enumerate(game.events[deal:], deal):
            if event.kind == "discard" and event.player != seat:
                events[i] = ("discard", event.player, event.scores)
    return events


def positions(seeds: range, **given: Any) -> Iterator[Game]:
    for seed in seeds:
        yield from play_at_random(Game(seed=seed, **given), seed)


def check_redeal(game: Game, seat: int, seed: int) -> Game:
    """Redeal what is hidden from a seat, and check that it can't tell."""
    before = snapshot(game)
    twin = game.redeal_hidden(seat, seed)
    assert snapshot(game) == before
    assert view_of(twin, seat) == view_of(game, seat)
    assert known_events(twin, seat) == known_events(game, seat)
    assert (twin.phase, twin.turn, twin.scores) == (game.phase, game.turn, game.scores)
    assert (twin.pegs, twin.deals, twin.winner) == (game.pegs, game.deals, game.winner)
    assert twin.hand(seat) == game.hand(seat)
    assert len(twin.hand(1 - seat)) == len(game.hand(1 - seat))
    assert not set(twin.hand(0)) & set(twin.hand(1))
    assert not {*twin.hand(0), *twin.hand(1)} & {twin.starter, *twin.pile}
    return twin


@pytest.mark.parametrize("seat", [0, 1])
def test_all_that_a_seat_knows_stays(seat: int) -> None:
    """At every decision of 200 deals, and after them."""
    decisions = changed = 0
    for number in range(200):
        deal = Game.replay(Beginning(seed=number, is_one_deal=True))
        for game in play_at_random(deal, number):
            twin = check_redeal(game, seat, seed=number)
            decisions += 1
            changed += twin.hand(1 - seat) != game.hand(1 - seat)
    assert decisions == 200 * 11
    assert changed > 200 * 7


@pytest.mark.parametrize("seat", [0, 1])
def test_all_that_a_seat_knows_of_earlier_deals_stays(seat: int) -> None:
    for number, game in enumerate(positions(range(2), target=61)):
        check_redeal(game, seat, seed=number)


def test_a_redealt_game_has_a_record_and_plays_on() -> None:
    for number, game in enumerate(positions(range(2), target=61)):
        twin = game.redeal_hidden(number % 2, seed=number)
        assert Game.from_record(twin.to_record()) == twin
        again = twin.redeal_hidden(1 - number % 2, seed=number + 1)
        assert Game.from_record(again.to_record()).events == again.events
        *_, end = play_at_random(again.copy(), number)
        check_events(end)
        assert Game.from_record(end.to_record()).events == end.events


def test_the_same_seed_redeals_the_same() -> None:
    game = Game.from_position(**POSITION, discards=DISCARDS, plays="4H 6D")
    one, other = game.redeal_hidden(0, seed=4), game.redeal_hidden(0, seed=4)
    assert one == other
    assert one.hand(1) == other.hand(1)
    assert any(game.redeal_hidden(0, seed=s).hand(1) != one.hand(1) for s in range(5, 9))


@pytest.mark.parametrize("seat", [0, 1])
def test_later_deals_are_dealt_anew(seat: int) -> None:
    game = Game.from_position(**POSITION, discards=DISCARDS, seed=3)
    hands = []
    for twin in (game.copy(), game.redeal_hidden(seat, seed=1), game.redeal_hidden(seat, seed=2)):
        while twin.deals == 1:
            twin.step(twin.legal_actions()[0])
        hands.append((*twin.hand(0), *twin.hand(1)))
    assert len(set(hands)) == 3


def test_after_the_show_nothing_of_a_deal_is_hidden() -> None:
    game = Game.from_position(**POSITION, discards=DISCARDS, scores=(82, 91), plays=PLAYS)
    assert game.winner == 1  # by the crib
    assert game.redeal_hidden(0, seed=1) == game
    game = Game.from_position(**POSITION, discards=DISCARDS, scores=(103, 0), plays=PLAYS)
    assert game.winner == 0  # by pone's hand: all eight cards lie open, but not the crib
    twin = game.redeal_hidden(0, seed=1)
    assert twin.kept(1) == game.kept(1)
    assert twin.crib != game.crib
    assert set(twin.crib) >= set(cards(DISCARDS[0]))


@pytest.mark.parametrize("loser", [0, 1])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_forfeited_game_keeps_its_secrets(seat: int, loser: int) -> None:
    """That the opponent was to lay, and not to say go, is known even if it forfeited then."""
    for number in range(60):
        deal = Game.replay(Beginning(seed=number, is_one_deal=True))
        for game in play_at_random(deal, number):
            if game.turn is not None:
                forfeited = game.copy()
                forfeited.forfeit(loser)
                twin = check_redeal(forfeited, seat, seed=number)
                if game.phase == "discard":
                    assert twin.hand(1 - seat) != game.hand(1 - seat)


# Evenly among all consistent hands


def held_in_redeals(game: Game, seat: int, number: int) -> Counter[tuple[int, ...]]:
    """Count the opponent's hands in redeals."""
    twins = (game.redeal_hidden(seat, seed) for seed in range(number))
    return Counter(tuple(twin.hand(1 - seat)) for twin in twins)


def is_even(counts: Counter[tuple[int, ...]], hands: int) -> bool:
    """Tell whether so many hands come equally often, by chi-square at five standard deviations."""
    expected = counts.total() / hands
    missing = (hands - len(counts)) * expected
    chi_square = missing + sum((n - expected) ** 2 / expected for n in counts.values())
    return bool(abs(chi_square - (hands - 1)) < 5 * (2 * (hands - 1)) ** 0.5)


def unseen_by_seat_0(game: Game, laid: str) -> set[int]:
    own = {*cards(POSITION["hands"][0]), *([] if game.starter is None else [game.starter])}
    return set(range(NUM_CARDS)) - own - set(cards(laid))


def test_after_a_go_no_card_fits_that_would_have() -> None:
    # Seat 1 says go at 28 with three cards; seat 0 lays a two and still has an ace.
    game = Game.from_position(
        dealer=1,
        hands=("TC TD 2C AC JC QC", "8D 9D KD KH 7S 7D"),
        starter="4S",
        discards=("JC QC", "7S 7D"),
        plays="TC 8D TD 2C",
    )
    assert [(e.kind, e.player) for e in game.events[-2:]] == [("go", 1), ("play", 0)]
    assert (game.count, game.turn) == (30, 0)
    held = Counter(card for hand in held_in_redeals(game, 0, 300) for card in hand)
    assert set(map(value_of, held)) == {4, 5, 6, 7, 8, 9, 10}


def test_after_the_end_of_a_count_no_card_fits_that_would_have() -> None:
    # Seat 0 says go at 23, seat 1 lays a three and has no card to go on: its last is a six or more.
    game = Game.from_position(
        dealer=1,
        hands=("TC TD 9H 9S JC QC", "AD 2D 3D KS 7S 7D"),
        starter="4S",
        discards=("JC QC", "7S 7D"),
        plays="TC AD TD 2D 3D",
    )
    last = [(e.kind, e.player) for e in game.events[-3:]]
    assert last == [("go", 0), ("play", 1), ("last", 1)]
    unseen = set(range(NUM_CARDS)) - set(cards("TC TD 9H 9S JC QC AD 2D 3D 4S"))
    consistent = {(card,) for card in unseen if value_of(card) > 31 - 26}
    counts = held_in_redeals(game, 0, 20 * len(consistent))
    assert set(counts) <= consistent
    assert is_even(counts, len(consistent))


def test_after_a_game_won_by_last_card_no_card_fits_either() -> None:
    game = Game.from_position(
        dealer=1,
        hands=("TC TD 9H 9S JC QC", "AD 2D 3D KS 7S 7D"),
        starter="4S",
        discards=("JC QC", "7S 7D"),
        plays="TC AD TD 2D 3D",
        scores=(0, 120),
    )
    assert game.winner == 1
    for twin in (game.redeal_hidden(0, seed) for seed in range(100)):
        assert twin.events[-1].kind == "win"
        assert all(value_of(card) > 31 - 26 for card in twin.hand(1))


def test_the_one_to_lay_holds_a_card_that_fits() -> None:
    # The count is 30 and seat 1 is to lay: of its two cards one at least is an ace.
    game = Game.from_position(
        dealer=1,
        hands=("TC TD TH 3C JC QC", "AH 5D 5S KD 7S 7D"),
        starter="4S",
        discards=("JC QC", "7S 7D"),
        plays="TC 5D TD 5S",
    )
    assert (game.count, game.turn) == (30, 1)
    known = {*cards("TC TD TH 3C JC QC 5D 5S"), *cards("4S")}
    unseen = sorted(set(range(NUM_CARDS)) - known)
    consistent = [pair for pair in combinations(unseen, 2) if any(c // 4 == 0 for c in pair)]
    counts = held_in_redeals(game, 0, 4 * len(consistent))
    assert set(counts) <= set(consistent)
    assert is_even(counts, len(consistent))


def test_hands_and_starters_are_even_before_the_discards() -> None:
    game = Game.from_position(dealer=1, hands=POSITION["hands"])
    unseen = unseen_by_seat_0(game, "")
    starters: Counter[tuple[int, ...]] = Counter()
    held: Counter[tuple[int, ...]] = Counter()
    for seed in range(1500):
        twin = game.redeal_hidden(0, seed)
        held.update((card,) for card in twin.hand(1))
        starters[(int(twin.state["starter"][0]),)] += 1
        assert {*twin.hand(1), int(twin.state["starter"][0])} <= unseen
    assert is_even(starters, len(unseen))
    # Six of 46 without repetition spread less than a chi-square has it.
    assert abs(held[(0,)] - 1500 * 6 / 46) < 60
    assert len(held) == len(unseen)


def test_discards_of_the_opponent_are_any_two() -> None:
    game = Game.from_position(**POSITION, discards=DISCARDS)
    unseen = unseen_by_seat_0(game, "")
    thrown: Counter[tuple[int, ...]] = Counter()
    for seed in range(3 * comb(len(unseen), 2)):
        twin = game.redeal_hidden(0, seed)
        pair = tuple(card for card in twin.crib if card not in cards(DISCARDS[0]))
        assert set(pair) <= unseen
        thrown[pair] += 1
    assert is_even(thrown, comb(len(unseen), 2))


# Refusals


@pytest.mark.parametrize(
    ("seat", "seed", "error", "match"),
    [
        (2, 0, ValueError, "seat 2 is not a seat"),
        (0, -1, ValueError, "seed -1"),
        (0, 2**64, ValueError, "seed 18446744073709551616"),
        (None, 0, TypeError, "seat must be an integer, not None"),
        (0, 1.5, TypeError, r"1\.5"),
        (True, 0, TypeError, "True"),
    ],
)
def test_bad_arguments_are_refused(
    seat: Any, seed: Any, error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        Game(seed=1).redeal_hidden(seat, seed)
