"""`Game`: beginnings, attributes, copies, single deals and forfeits."""

from __future__ import annotations

import copy
import itertools
import pickle
from typing import Any

import numpy as np
import pytest

from cribbage_env.cards import rank_of, value_of
from cribbage_env.engine.lone import step_lone
from cribbage_env.engine.tables import load_book
from cribbage_env.game import Beginning, Game, IllegalActionError
from tests.games import (
    DISCARDS,
    HANDS,
    PLAYS,
    POSITION,
    cards,
    check_events,
    play_at_random,
    played_out,
    snapshot,
)

# Pone has the odd cards, dealer the even ones, the starter is the king.
DECK = "AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC"


# Beginnings


def test_a_game_without_a_seed_draws_one() -> None:
    one, other = Game(), Game()
    assert one.seed != other.seed
    assert Game(one.seed) == one
    assert Game(one.seed).hand(0) == one.hand(0)


def test_cards_depend_on_seed_number_and_deal_alone() -> None:
    games = [Game(seed=5), Game(seed=5), Game(seed=6), Game(seed=5, number=1)]
    for game, seed in zip(games, range(4), strict=True):
        played_out(game, seed)
    deals = [first_cards_of_each_deal(game) for game in games]
    shared = min(len(deals[0]), len(deals[1]))
    assert shared > 3
    assert deals[0][:shared] == deals[1][:shared]
    assert deals[0][0] != deals[2][0]
    assert deals[0][0] != deals[3][0]
    assert len(set(deals[0])) == len(deals[0])


def first_cards_of_each_deal(game: Game) -> list[tuple[int, ...]]:
    """Return the twelve cards and the starter of each deal, found by playing it otherwise."""
    found = []
    twin = Game.replay(game.beginning)
    deal = 0
    for action in game.actions:
        if twin.deals != deal:
            deal = twin.deals
            found.append((*twin.hand(0), *twin.hand(1), int(twin.state["starter"][0])))
        twin.step(action)
    return found


@pytest.mark.parametrize("seed", range(40))
def test_the_lower_cut_deals_and_equal_ranks_cut_again(seed: int) -> None:
    game = Game(seed=seed)
    cuts = [event for event in game.events if event.kind == "cut"]
    *ties, decisive = zip(cuts[::2], cuts[1::2], strict=True)
    for first, second in (*ties, decisive):
        assert (first.player, second.player) == (0, 1)
        assert first.cards != second.cards
    for first, second in ties:
        assert rank_of(first.cards[0]) == rank_of(second.cards[0])
    first, second = (rank_of(event.cards[0]) for event in decisive)
    assert game.dealer == (0 if first < second else 1)
    assert first != second


def test_some_cut_is_tied() -> None:
    assert any(sum(e.kind == "cut" for e in Game(seed=s).events) > 2 for s in range(40))


@pytest.mark.parametrize("dealer", [0, 1])
def test_a_deck_is_dealt_one_at_a_time_pone_first(dealer: int) -> None:
    game = Game(dealer=dealer, deck=f"{DECK} KD KH")
    assert game.dealer == dealer
    assert game.turn == 1 - dealer
    assert [event.kind for event in game.events] == ["deal"]
    assert game.hand(1 - dealer) == cards("AC 3C 5C 7C 9C JC")
    assert game.hand(dealer) == cards("2C 4C 6C 8C TC QC")
    assert game.starter is None
    game.step(0)
    assert game.starter is None
    game.step(0)
    assert game.starter == cards("KC")[0]


def test_a_deck_is_for_the_first_deal_alone() -> None:
    with_deck, without = Game(seed=3, dealer=0, deck=DECK), Game(seed=3, dealer=0)
    for game in (with_deck, without):
        while game.deals == 1:
            game.step(game.legal_actions()[0])
    assert with_deck.hand(0) == without.hand(0)
    assert with_deck.hand(1) == without.hand(1)


def test_the_deal_alternates() -> None:
    game = played_out(Game(seed=1))
    dealers = [event.player for event in game.events if event.kind == "deal"]
    assert len(dealers) == game.deals > 3
    assert all(one != other for one, other in itertools.pairwise(dealers))


@pytest.mark.parametrize("seed", [0, 2**64 - 1, np.int64(7), np.uint64(2**63)])
def test_seeds_may_be_any_64_bits(seed: int) -> None:
    game = Game(seed=seed)
    assert game.seed == int(seed)
    assert type(game.seed) is int


@pytest.mark.parametrize(
    ("wrong", "error", "match"),
    [
        ({"seed": -1}, ValueError, "seed -1"),
        ({"seed": 2**64}, ValueError, "outside 0"),
        ({"seed": 1.0}, TypeError, r"seed must be an integer, not 1\.0"),
        ({"seed": True}, TypeError, "True"),
        ({"seed": "7"}, TypeError, "'7'"),
        ({"number": -1}, ValueError, "number -1"),
        ({"number": 2**62}, ValueError, "outside 0"),
        ({"number": None}, TypeError, "None"),
        ({"dealer": 2}, ValueError, "dealer 2 is not a seat: seats are 0 and 1"),
        ({"dealer": "pone"}, TypeError, "pone"),
        ({"dealer": False}, TypeError, "False"),
        ({"scores": (0, 121)}, ValueError, r"score 121 is outside 0\.\.120"),
        ({"scores": (-1, 0)}, ValueError, "score -1"),
        ({"scores": (1, 2, 3)}, ValueError, "two"),
        ({"scores": 5}, TypeError, "5"),
        ({"scores": "12"}, TypeError, "'12'"),
        ({"scores": (1.5, 0)}, TypeError, r"1\.5"),
        ({"target": 0}, ValueError, r"target 0 is outside 1\.\.1000"),
        ({"target": 1001}, ValueError, "target 1001"),
        ({"target": 121.0}, TypeError, r"121\.0"),
        ({"deck": "AC 2C"}, ValueError, "at least 13 cards, not 2"),
        ({"deck": f"AC {DECK}"}, ValueError, "AC appears twice in the deck"),
        ({"deck": f"{DECK} 1X"}, ValueError, "1X"),
        ({"deck": 13}, ValueError, "at least 13"),
        ({"deck": 1.5}, TypeError, r"1\.5"),
    ],
)
def test_a_bad_beginning_is_refused(
    wrong: dict[str, Any], error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        Game(**wrong)


# Attributes


@pytest.mark.kernels
def test_attributes_through_a_deal() -> None:
    game = Game.from_position(**POSITION, scores=(3, 5))
    assert (game.phase, game.turn, game.dealer, game.deals) == ("discard", 0, 1, 1)
    assert (game.scores, game.pegs, game.target) == ((3, 5), ((0, 3), (0, 5)), 121)
    assert (game.count, game.pile, game.starter, game.crib) == (0, [], None, [])
    assert (game.winner, game.skunk, game.is_over, game.is_forfeit) == (None, 0, False, False)
    assert game.hand(0) == cards(HANDS[0])
    assert game.kept(0) == game.kept(1) == []
    assert game.legal_actions() == list(range(15))
    game.discard("QC JC")
    assert (game.turn, game.starter, game.crib) == (1, None, cards("JC QC"))
    assert (game.hand(0), game.kept(0)) == (cards("4H 5H 6S TD"), cards("4H 5H 6S TD"))
    assert (game.hand(1), game.kept(1)) == (cards(HANDS[1]), [])
    game.discard(cards("KH KD"))
    assert (game.phase, game.turn, game.starter) == ("play", 0, cards("JH")[0])
    assert game.crib == cards("JC QC KD KH")
    assert (game.scores, game.pegs) == ((3, 7), ((0, 3), (5, 7)))  # two for his heels
    assert game.legal_actions() == [15, 16, 17, 18]
    for card in PLAYS.split()[:3]:
        game.play(card)
    assert (game.count, game.pile) == (15, cards("4H 6D 5H"))
    assert game.hand(0) == cards("6S TD")
    assert game.kept(0) == cards("4H 5H 6S TD")
    assert (game.scores, game.pegs) == ((8, 7), ((3, 8), (5, 7)))
    assert game.legal_actions() == [15, 17, 18]  # slots stay when cards leave
    assert game.action_mask().tolist() == [0] * 15 + [1, 0, 1, 1]
    for card in PLAYS.split()[3:]:
        game.play(card)
    assert (game.deals, game.dealer, game.turn, game.phase) == (2, 0, 1, "discard")
    assert (game.scores, game.pegs) == ((21, 35), ((12, 21), (19, 35)))
    assert (game.count, game.pile, game.crib, game.starter) == (0, [], [], None)


def test_scoring_moves_the_rear_peg_past_the_front() -> None:
    for seed in range(4):
        game = Game(seed=seed, scores=(0, 3))
        pegs, seen = [(0, 0), (0, 3)], 0
        for moment in play_at_random(game, seed):
            for event in moment.events[seen:]:
                front = pegs[event.player][1]
                if event.points:
                    pegs[event.player] = (front, min(front + event.points, 121))
            seen = len(moment.events)
            assert moment.pegs == tuple(pegs)


def test_what_lies_on_the_table_follows_from_the_events() -> None:
    for game in play_at_random(Game(seed=6), 6):
        start = max(i for i, event in enumerate(game.events) if event.kind == "deal")
        deal = game.events[start:]
        pile: list[int] = []
        for event in deal:
            pile += event.cards if event.kind == "play" else ()
            if event.kind == "last" or sum(map(value_of, pile)) == 31:
                pile = []
        thrown = {event.player: event.cards for event in deal if event.kind == "discard"}
        laid = [event.cards[0] for event in deal if event.kind == "play"]
        starter = [event.cards[0] for event in deal if event.kind == "starter"]
        if game.turn is not None:  # a card that wins lies on
            assert (game.pile, game.count) == (pile, sum(map(value_of, pile)))
        assert game.crib == sorted(card for pair in thrown.values() for card in pair)
        assert [game.starter] == (starter or [None])
        for seat in (0, 1):
            held = set(game.kept(seat)) - set(laid)
            assert len(game.kept(seat)) == (4 if seat in thrown else 0)
            assert set(game.hand(seat)) == held or seat not in thrown
            assert game.hand(seat) == sorted(game.hand(seat))
            assert not set(game.hand(seat)) & {*game.crib, *starter, *laid}


def test_attributes_are_plain_python() -> None:
    for game in play_at_random(Game(seed=2), 2):
        numbers = [game.dealer, game.deals, game.count, game.target, game.seed, game.number]
        numbers += [*game.scores, *game.pegs[0], *game.pegs[1], *game.legal_actions(), game.skunk]
        numbers += [*game.hand(0), *game.hand(1), *game.kept(0), *game.pile, *game.crib]
        numbers += [n for n in (game.turn, game.winner, game.starter) if n is not None]
        assert {type(number) for number in numbers} == {int}
        assert game.action_mask().dtype == np.int8
    for event in game.events:
        numbers = [event.player, event.points, *event.scores, *event.cards]
        assert {type(number) for number in numbers} == {int}


def test_what_a_game_hands_out_is_fresh() -> None:
    game = Game.from_position(**POSITION, discards=DISCARDS, plays="4H")
    before = snapshot(game)
    game.action_mask()[:] = 0
    for listed in (game.hand(0), game.kept(0), game.pile, game.crib, game.legal_actions()):
        listed.clear()
    assert snapshot(game) == before
    assert game.action_mask().sum() == 4


@pytest.mark.parametrize("method", ["hand", "kept"])
def test_other_seats_are_refused(method: str) -> None:
    with pytest.raises(ValueError, match="seat 2 is not a seat: seats are 0 and 1"):
        getattr(Game(seed=0), method)(2)
    with pytest.raises(TypeError, match="'0'"):
        getattr(Game(seed=0), method)("0")


@pytest.mark.parametrize(
    ("loser", "target", "expected"),
    [(91, 121, 0), (90, 121, 1), (61, 121, 1), (60, 121, 2), (31, 61, 0), (30, 61, 1), (0, 61, 1)],
)
def test_skunk_of_a_game(loser: int, target: int, expected: int) -> None:
    scores = (target - 1, loser)
    game = Game.from_position(
        **POSITION | {"starter": "2H"}, discards=DISCARDS, scores=scores, target=target
    )
    assert game.skunk == 0
    for card in ("4H", "6D", "5H"):
        game.play(card)
    assert (game.winner, game.scores, game.skunk) == (0, (target, loser), expected)
    assert game.legal_actions() == []
    assert not game.action_mask().any()
    assert game.turn is None
    assert game.phase == "over"


def test_repr_says_where_the_game_stands() -> None:
    assert repr(Game(seed=7, dealer=0)) == (
        "<Game seed=7 number=0 deal 1, dealer 0, 0-0, seat 1 to discard>"
    )
    assert repr(played_out(Game(seed=7, dealer=0))).endswith("over>")


# Copies, single deals, forfeits, kernels run from outside


@pytest.mark.parametrize(
    "duplicate",
    [Game.copy, copy.copy, copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))],
)
def test_copies_are_equal_and_go_their_own_way(duplicate: Any) -> None:
    for number, game in enumerate(play_at_random(Game(seed=3), 3)):
        if number % 9:
            continue
        twin = duplicate(game)
        assert twin == game
        assert snapshot(twin) == snapshot(game)
        before = snapshot(game)
        played_out(twin, seed=1)
        assert snapshot(game) == before
        check_events(twin)


def test_equal_games_began_alike_and_went_alike() -> None:
    one, other = Game(seed=1), Game(seed=1)
    assert one == other
    one.step(0)
    assert one != other
    other.step(1)
    assert one != other
    assert Game(seed=1) != Game(seed=2)
    assert one != "a game"
    with pytest.raises(TypeError):
        hash(one)


def test_a_single_deal_ends_the_game() -> None:
    game = played_out(Game.replay(Beginning(seed=2, is_one_deal=True)), 1)
    assert (game.phase, game.turn, game.winner, game.deals) == ("over", None, None, 1)
    assert (game.skunk, game.is_over) == (0, True)
    assert game.events[-1].kind == "crib"
    with pytest.raises(IllegalActionError, match="R19: the game is over, the deal is over at"):
        game.step(0)


@pytest.mark.parametrize("plies", [0, 1, 2, 5, 40])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_forfeit_credits_the_other_with_the_target(plies: int, seat: int) -> None:
    game = Game(seed=8)
    for _ in range(plies):
        game.step(game.legal_actions()[0])
    before, starter = game.scores, game.starter
    game.forfeit(seat)
    assert game.scores[1 - seat] == 121
    assert game.scores[seat] == before[seat]
    assert game.pegs[1 - seat] == (before[1 - seat], 121)
    assert (game.winner, game.skunk, game.is_forfeit) == (1 - seat, 0, True)
    assert game.starter == starter  # a starter that is not turned stays hidden
    last = [(event.kind, event.player, event.points) for event in game.events[-2:]]
    assert last == [("forfeit", seat, 0), ("win", 1 - seat, 0)]
    assert game.actions[-1] == -1 - seat


def test_kernels_may_run_on_the_state_and_the_log_is_taken_over() -> None:
    game, other = Game(seed=6, dealer=0), Game(seed=6, dealer=0)
    for action in (0, 14, 15, 16):
        other.step(action)
        assert step_lone(game.state, action, load_book(), game.log) == 0
    assert len(game.events) < len(other.events)
    game.absorb_log()
    assert game.events == other.events
    assert game == other
    game.absorb_log()
    assert game.events == other.events
