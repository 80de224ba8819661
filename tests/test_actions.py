"""The nineteen actions in numbers and in words."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cribbage_env.actions import (
    DISCARDS,
    NUM_ACTIONS,
    NUM_DISCARDS,
    describe_action,
    discard_action,
    parse_action,
    parse_action_number,
    play_action,
)
from cribbage_env.cards import format_cards

DEALT = "KS 5H 9C JD 2S 9D"  # sorted: 2S 5H 9C 9D JD KS
KEPT = "KS 7C 2S 9C"  # sorted: 2S 7C 9C KS


def test_numbers() -> None:
    assert (NUM_ACTIONS, NUM_DISCARDS) == (19, 15)
    assert tuple(itertools.combinations(range(6), 2)) == DISCARDS


def test_discards_in_words() -> None:
    words = [describe_action(action, DEALT) for action in range(15)]
    assert words == [
        "discard 2S 5H",
        "discard 2S 9C",
        "discard 2S 9D",
        "discard 2S JD",
        "discard 2S KS",
        "discard 5H 9C",
        "discard 5H 9D",
        "discard 5H JD",
        "discard 5H KS",
        "discard 9C 9D",
        "discard 9C JD",
        "discard 9C KS",
        "discard 9D JD",
        "discard 9D KS",
        "discard JD KS",
    ]


def test_plays_in_words() -> None:
    words = [describe_action(action, KEPT) for action in range(15, 19)]
    assert words == ["play 2S", "play 7C", "play 9C", "play KS"]


@given(st.lists(st.integers(0, 51), min_size=6, max_size=6, unique=True), st.integers(0, 18))
def test_words_lead_back_to_the_action(cards: list[int], action: int) -> None:
    hand = cards if action < 15 else cards[:4]
    words = describe_action(action, hand)
    assert parse_action(words, hand) == action
    assert parse_action(words, format_cards(sorted(hand))) == action


@pytest.mark.parametrize(
    "text",
    ["discard 5H JD", "discard JD 5H", "Discard jd 5h", "  DISCARD  5♥,J♦ ", "discard\t5h jd"],
)
def test_tolerant_of_case_order_and_blanks_in_a_discard(text: str) -> None:
    assert parse_action(text, DEALT) == 7


@pytest.mark.parametrize("text", ["play TC", "PLAY tc", "Play 10c", " play  10♣ "])
def test_tolerant_of_case_and_spelling_in_a_play(text: str) -> None:
    assert parse_action(text, "KS TC 2S 9C") == 17


def test_cards_alone_give_the_action() -> None:
    assert discard_action([41, "5H"], DEALT) == 7
    assert play_action("7C", KEPT) == play_action(24, KEPT) == 16


@pytest.mark.parametrize("integer", [int, np.int8, np.int64, np.uint8, np.array])
def test_integers_of_numpy(integer: Any) -> None:
    assert describe_action(integer(7), DEALT) == "discard 5H JD"
    assert type(parse_action_number(integer(18))) is int


@pytest.mark.parametrize("action", [-1, 19, 1000, np.int64(19)])
def test_an_action_out_of_range_is_refused(action: int) -> None:
    with pytest.raises(ValueError, match=rf"action {action} is outside 0\.\.18"):
        describe_action(action, DEALT)


@pytest.mark.parametrize(
    "action", [True, np.True_, 3.0, np.float64(3), "3", None, [3], np.array([3]), np.array([3, 4])]
)
def test_an_action_of_the_wrong_type_is_refused(action: Any) -> None:
    with pytest.raises(TypeError, match=r"an action must be an integer 0\.\.18, not "):
        describe_action(action, DEALT)


@pytest.mark.parametrize("text", ["", "   ", "go", "lay 7C", "7C", "discards 5H JD", "play7C"])
def test_an_unknown_verb_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no action: write 'discard' and two cards") as error:
        parse_action(text, DEALT)
    assert repr(text) in str(error.value)


@pytest.mark.parametrize("text", [7, None, b"play 7C", ["play", "7C"]])
def test_words_must_be_text(text: Any) -> None:
    with pytest.raises(TypeError, match="an action in words must be text"):
        parse_action(text, KEPT)


@pytest.mark.parametrize(
    ("text", "hand", "message"),
    [
        ("discard 5H", DEALT, "discard must be 2 cards, not 1: 5H"),
        ("discard", DEALT, "discard must be 2 cards, not 0: none"),
        ("discard 5H JD KS", DEALT, "discard must be 2 cards, not 3: 5H JD KS"),
        ("discard 5H 5H", DEALT, "5H appears twice in discard: 5H 5H"),
        ("discard 5H AC", DEALT, "AC is not in the hand 2S 5H 9C 9D JD KS"),
        ("discard 5H XX", DEALT, "'XX' is not a card"),
        ("discard 2S 7C", KEPT, "must be 6 cards, not 4: KS 7C 2S 9C"),
        ("play", KEPT, "play must be 1 card, not 0: none"),
        ("play 2S 7C", KEPT, "play must be 1 card, not 2: 2S 7C"),
        ("play 7D", KEPT, "7D is not in the hand 2S 7C 9C KS"),
        ("play 9C", DEALT, "must be 4 cards, not 6: KS 5H 9C JD 2S 9D"),
        ("play 2S", "2S 7C 9C", "must be 4 cards, not 3: 2S 7C 9C"),
        ("play 2S", "2S 2S 7C 9C", "2S appears twice in"),
    ],
)
def test_a_refusal_says_what_is_wrong(text: str, hand: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_action(text, hand)


def test_describing_needs_the_hand_of_that_phase() -> None:
    with pytest.raises(ValueError, match="to discard from must be 6 cards, not 4"):
        describe_action(0, KEPT)
    with pytest.raises(ValueError, match="to play from, as kept, must be 4 cards, not 6"):
        describe_action(15, DEALT)
