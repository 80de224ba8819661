"""`Game`: beginnings, attributes, actions and their refusals, events, positions, copies."""

from __future__ import annotations

import copy
import pickle
import random
import re
from collections.abc import Iterator
from dataclasses import FrozenInstanceError
from typing import Any

import numpy as np
import pytest

from cribbage_env.cards import parse_cards, rank_of, value_of
from cribbage_env.engine.lone import step_lone
from cribbage_env.engine.tables import load_book
from cribbage_env.game import Beginning, Event, Game, IllegalActionError
from cribbage_env.scoring import HandScore, PlayScore, score_hand, score_play

# Pone has the odd cards, dealer the even ones, the starter is the king.
DECK = "AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC"

# The first deal of the referee's golden game: seat 0 is pone.
HANDS = ("4H 5H 6S TD JC QC", "5D 6D 7C 9S KD KH")
POSITION: dict[str, Any] = {"dealer": 1, "hands": HANDS, "starter": "JH"}
DISCARDS = ("JC QC", "KD KH")
PLAYS = "4H 6D 5H 7C 6S 9S TD 5D"


def cards(text: str) -> list[int]:
    return parse_cards(text)


def play_at_random(game: Game, seed: int) -> Iterator[Game]:
    """Yield the game at every decision, and at its end."""
    rng = random.Random(seed)
    while game.turn is not None:
        yield game
        game.step(rng.choice(game.legal_actions()))
    yield game


def played_out(game: Game, seed: int = 0) -> Game:
    *_, end = play_at_random(game, seed)
    return end


def snapshot(game: Game) -> tuple[Any, ...]:
    return game.state.tobytes(), game.log.tobytes(), game.events, game.actions, game.beginning


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
    assert all(one != other for one, other in zip(dealers, dealers[1:], strict=False))


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
    for card in "4H 6D 5H".split():
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


# Refusals


def refused(game: Game, action: Any, error: type[Exception], match: str) -> None:
    """Check that an action is refused in these words and that nothing changes."""
    before = snapshot(game)
    with pytest.raises(error, match=re.escape(match)) as caught:
        game.step(action)
    assert type(caught.value) is error
    assert snapshot(game) == before


@pytest.mark.parametrize("action", [True, np.True_, 1.0, "15", None, [15], np.float32(3)])
def test_an_action_must_be_an_integer(action: Any) -> None:
    refused(Game(seed=0), action, TypeError, "an action must be an integer 0..18")


@pytest.mark.parametrize("action", [-1, 19, 10**30])
def test_an_action_outside_the_space_is_refused(action: int) -> None:
    refused(Game(seed=0), action, ValueError, f"action {action} is outside 0..18")


@pytest.mark.parametrize("action", [0, np.int64(0), np.uint8(0), np.array(0)])
def test_numpy_integers_are_actions(action: Any) -> None:
    game = Game(seed=0)
    game.step(action)
    assert game.actions == (0,)


def test_an_illegal_action_names_its_rule() -> None:
    game = Game.from_position(**POSITION)
    refused(game, 15, IllegalActionError, "action 15: R4: the discards come before the play")
    game = Game.from_position(**POSITION, discards=DISCARDS)
    refused(game, 3, IllegalActionError, "action 3: R4: both have discarded, the play is on")
    game.play("4H")
    game.play("9S")
    refused(game, 15, IllegalActionError, "action 15: R6: 4H has been laid already")


def at_thirty() -> Game:
    """Return a game whose count is 30, seat 0 to act with an ace and a king."""
    return Game.from_position(
        dealer=1,
        hands=("KC KS 6S AH 2H 2D", "QC QD JC 4H 3C 3D"),
        discards=("2H 2D", "3C 3D"),
        starter="4D",
        plays="KC 4H 6S QC",
    )


def test_a_card_that_does_not_fit_is_refused_with_the_count() -> None:
    game = at_thirty()
    assert (game.count, game.turn, game.legal_actions()) == (30, 0, [15])
    words = "R6: KS would bring the count from 30 to 40, above 31"
    refused(game, 18, IllegalActionError, f"action 18: {words}")
    refused(game, 17, IllegalActionError, "action 17: R6: KC has been laid already")
    before = snapshot(game)
    for card, reason in [
        ("KS", words),
        ("KC", "R6: KC has been laid already"),
        ("QD", "play QD: R6: QD is not among the cards of seat 0: AH 6S KC KS"),
        ("2H", "play 2H: R6: 2H is not among the cards of seat 0: AH 6S KC KS"),
    ]:
        with pytest.raises(IllegalActionError, match=reason):
            game.play(card)
    assert snapshot(game) == before
    game.play("AH")
    assert (game.count, game.turn) == (0, 1)


def test_discards_in_words_are_refused_by_rule() -> None:
    game = Game.from_position(**POSITION)
    before = snapshot(game)
    for wrong, error, match in [
        ("5D 4H", IllegalActionError, "R4: 5D is not among the cards of seat 0: 4H 5H 6S TD JC QC"),
        ("4H", ValueError, "the discard must be 2 cards, not 1: 4H"),
        ("4H 5H 6S", ValueError, "the discard must be 2 cards, not 3"),
        ("4H 4H", ValueError, "4H appears twice"),
        ("4H XX", ValueError, "'XX' is not a card"),
        (None, TypeError, "None"),
        (4.5, TypeError, "4.5"),
    ]:
        with pytest.raises(error, match=re.escape(match)):
            game.discard(wrong)  # type: ignore[arg-type]
    with pytest.raises(IllegalActionError, match="play 4H: R4: the discards come before the play"):
        game.play("4H")
    assert snapshot(game) == before


def test_a_game_that_is_over_takes_nothing_more() -> None:
    game = played_out(Game(seed=4))
    first, second = game.scores
    said = f"R19: the game is over, seat {game.winner} has won {first}-{second}"
    for action in range(19):
        refused(game, action, IllegalActionError, said)
    for refusal in (lambda: game.play("4H"), lambda: game.discard("4H 5H")):
        with pytest.raises(IllegalActionError, match=said):
            refusal()
    with pytest.raises(IllegalActionError, match=said):
        game.forfeit(0)


def test_every_illegal_action_is_refused_and_every_legal_one_taken() -> None:
    for game in play_at_random(Game(seed=11), 11):
        legal = game.legal_actions()
        assert legal == np.flatnonzero(game.action_mask()).tolist()
        before = snapshot(game)
        for action in range(19):
            if action not in legal:
                with pytest.raises(IllegalActionError, match=rf"action {action}: R\d+: "):
                    game.step(action)
        assert snapshot(game) == before
        for action in legal:
            twin = game.copy()
            twin.step(action)
            assert twin.actions == (*game.actions, action)


# Events


@pytest.mark.kernels
def test_events_of_a_deal() -> None:
    game = Game.from_position(**POSITION, discards=DISCARDS, plays=PLAYS)
    assert [(e.kind, e.player, e.points, e.scores) for e in game.events] == [
        ("deal", 1, 0, (0, 0)),
        ("discard", 0, 0, (0, 0)),
        ("discard", 1, 0, (0, 0)),
        ("starter", 1, 2, (0, 2)),
        ("play", 0, 0, (0, 2)),
        ("play", 1, 0, (0, 2)),
        ("play", 0, 5, (5, 2)),
        ("play", 1, 4, (5, 6)),
        ("play", 0, 3, (8, 6)),
        ("go", 1, 0, (8, 6)),
        ("last", 0, 1, (9, 6)),
        ("play", 1, 0, (9, 6)),
        ("play", 0, 0, (9, 6)),
        ("play", 1, 0, (9, 6)),
        ("last", 1, 1, (9, 7)),
        ("hand", 0, 9, (18, 7)),
        ("hand", 1, 7, (18, 14)),
        ("crib", 1, 16, (18, 30)),
        ("deal", 0, 0, (18, 30)),
    ]
    assert game.events[10].cards == tuple(cards("4H 6D 5H 7C 6S"))
    assert game.events[6].detail == PlayScore(fifteen=2, run=3)
    assert game.events[17].detail == HandScore(pairs=4, runs=12)
    assert str(game.events[17]) == (
        "seat 1 counts the crib JC QC KD KH: a pair for two, another pair is four, "
        "and a double double run is sixteen (18-30)"
    )


def test_events_can_be_checked_by_hand() -> None:
    seen = set()
    for seed in range(12):
        game = played_out(Game(seed=seed, target=61 if seed % 3 == 0 else 121), seed)
        check_events(game)
        seen |= {event.kind for event in game.events}
    assert seen == {
        *("cut", "deal", "discard", "starter", "play", "go", "last", "hand", "crib", "win")
    }


def check_events(game: Game) -> None:
    """Work out every event's points and scores from what the event itself says."""
    scores = list(game.beginning.scores)
    pile: list[int] = []
    starter = None
    for event in game.events:
        if event.kind == "deal":
            pile, starter = [], None
        if event.kind == "starter":
            (starter,) = event.cards
            assert event.points == (2 if rank_of(starter) == 10 else 0)
        elif event.kind == "play":
            if sum(map(value_of, pile)) == 31:
                pile = []
            pile.append(event.cards[0])
            assert event.detail == score_play(pile)
        elif event.kind in ("hand", "crib"):
            assert starter is not None
            assert event.detail == score_hand(event.cards, starter, is_crib=event.kind == "crib")
            assert list(event.cards) == sorted(event.cards)
        elif event.kind == "last":
            assert event.cards == tuple(pile)
            assert event.points == 1
            pile = []
        else:
            assert event.points == 0
        if event.detail is not None:
            assert event.points == event.detail.total
        else:
            assert event.kind not in ("play", "hand", "crib")
        scores[event.player] = min(scores[event.player] + event.points, game.target)
        assert event.scores == tuple(scores), event
    assert game.scores == tuple(scores)
    assert game.events[-1].kind == "win"
    assert game.events[-1].player == game.winner
    assert game.scores[game.winner] == game.target


def test_events_are_frozen_and_the_tuple_grows() -> None:
    game = Game(seed=1)
    before = game.events
    game.step(0)
    assert game.events[: len(before)] == before
    assert isinstance(game.events, tuple)
    with pytest.raises(FrozenInstanceError):
        game.events[0].points = 5  # type: ignore[misc]


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (Event("cut", 0, (18,), 0, (0, 0)), "seat 0 cuts 5H (0-0)"),
        (Event("go", 1, (), 0, (3, 4)), "seat 1 says go (3-4)"),
        (Event("starter", 1, (41,), 2, (0, 2)), "the starter is JD, two for his heels (0-2)"),
        (Event("win", 0, (), 0, (121, 90)), "seat 0 wins (121-90)"),
        (
            Event("hand", 0, (18, 19, 17, 40), 14, (14, 0), score_hand("5H 5S 5D JC", None)),
            "fifteen two, fifteen four, fifteen six, fifteen eight, and three of a kind is fourteen",
        ),
    ],
)
def test_an_event_reads_as_a_player_would_say_it(event: Event, words: str) -> None:
    assert words in str(event)


def test_every_event_prints_on_one_line() -> None:
    game = played_out(Game(seed=9), 9)
    other = Game(seed=9)
    other.forfeit(1)
    for event in (*game.events, *other.events):
        assert re.fullmatch(r"[^\n]+ \(\d+-\d+\)", str(event))


# Positions


def test_from_position_scores_what_was_played() -> None:
    given = {**POSITION, "discards": DISCARDS, "scores": (118, 110), "plays": "4H 6D 5H"}
    game = Game.from_position(**given)
    assert game.scores == (121, 112)  # heels for seat 1, then fifteen and a run
    assert game.winner == 0
    assert [e.points for e in game.events if e.kind == "play"] == [0, 0, 5]


@pytest.mark.parametrize("dealer", [0, 1])
def test_from_position_without_discards_or_starter(dealer: int) -> None:
    game = Game.from_position(dealer=dealer, hands=HANDS, seed=3)
    assert (game.phase, game.turn, game.dealer) == ("discard", 1 - dealer, dealer)
    assert game.hand(0) == cards(HANDS[0])
    assert game.hand(1) == cards(HANDS[1])
    starters = set()
    for seed in range(30):
        game = Game.from_position(dealer=dealer, hands=HANDS, discards=DISCARDS, seed=seed)
        assert game.starter not in cards(" ".join(HANDS))
        starters.add(game.starter)
    assert len(starters) > 12
    again = Game.from_position(dealer=dealer, hands=HANDS, discards=DISCARDS, seed=29)
    assert again.starter == game.starter


def test_later_deals_of_a_position_come_from_the_seed() -> None:
    one = Game.from_position(**POSITION, discards=DISCARDS, plays=PLAYS, seed=5)
    other = Game(seed=5, dealer=1)
    while other.deals == 1:
        other.step(other.legal_actions()[0])
    assert one.deals == 2
    assert one.hand(0) == other.hand(0)
    assert one.hand(1) == other.hand(1)


@pytest.mark.parametrize(
    ("wrong", "error", "match"),
    [
        ({"dealer": None}, TypeError, "dealer"),
        ({"dealer": 2}, ValueError, "dealer 2"),
        ({"hands": "4H 5H"}, TypeError, "hands must be a pair"),
        ({"hands": (HANDS[0],)}, ValueError, "hands must be two"),
        ({"hands": ("4H 5H 6S TD", HANDS[1])}, ValueError, "the hand of seat 0 must be 6 cards"),
        ({"hands": (HANDS[0], "5D 6D 7C 9S KD 4H")}, ValueError, "4H appears twice"),
        ({"starter": "4H"}, ValueError, "4H appears twice in the position"),
        ({"starter": "JH JS"}, ValueError, "starter must be 1 card"),
        ({"discards": ("JC QC",)}, ValueError, "discards must be two"),
        ({"discards": "JC QC"}, TypeError, "discards must be a pair"),
        ({"discards": ("JC QC", None)}, TypeError, "None"),
        ({"discards": ("JC 5D", "KD KH")}, ValueError, "R4: 5D is not among the cards of seat 0"),
        ({"discards": ("JC", "KD KH")}, ValueError, "the discard must be 2 cards"),
        ({"discards": None, "plays": "4H"}, ValueError, "plays need the discards before them"),
        ({"plays": "6D"}, ValueError, "R6: 6D is not among the cards of seat 0"),
        ({"plays": "JC"}, ValueError, "R6: JC is not among the cards of seat 0: 4H 5H 6S TD"),
        ({"plays": "4H 4H"}, ValueError, "4H appears twice in the plays"),
        ({"plays": f"{PLAYS} 2C"}, ValueError, "R4: the discards come before the play"),
        ({"plays": "4H 9S TD 5H"}, ValueError, "5H is not among the cards of seat 1"),
        ({"plays": 1.5}, TypeError, r"1\.5"),
        ({"scores": (121, 0)}, ValueError, "score 121"),
        ({"scores": (116, 0), "plays": "4H 6D 5H 7C"}, ValueError, "seat 0 has won 121-2"),
        ({"target": 0}, ValueError, "target 0"),
        ({"seed": -5}, ValueError, "seed -5"),
        ({"seed": None, "starter": None}, TypeError, "seed"),
    ],
)
def test_a_bad_position_is_refused(
    wrong: dict[str, Any], error: type[Exception], match: str
) -> None:
    right = {**POSITION, "discards": DISCARDS}
    Game.from_position(**right)
    with pytest.raises(error, match=match):
        Game.from_position(**right | wrong)


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
    assert game != twin or game.winner is not None


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
    refused(game, 0, IllegalActionError, "R19: the game is over, the deal is over at")


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
