"""Events: each can be checked by hand from what it says."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError

import pytest

from cribbage_env.game import Event, Game
from cribbage_env.scoring import HandScore, PlayScore, score_hand
from tests.games import DISCARDS, PLAYS, POSITION, cards, check_events, played_out


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
            (
                "fifteen two, fifteen four, fifteen six, fifteen eight, "
                "and three of a kind is fourteen (14-0)"
            ),
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
