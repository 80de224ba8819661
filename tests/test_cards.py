"""Card ids and the text that people write for them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cribbage_env.cards import (
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    RANKS,
    SUITS,
    format_card,
    format_cards,
    parse_card,
    parse_cards,
    parse_distinct_cards,
    rank_of,
    suit_of,
    value_of,
)


def test_ids_are_four_times_rank_plus_suit() -> None:
    assert (RANKS, SUITS) == ("A23456789TJQK", "CDHS")
    assert (NUM_RANKS, NUM_SUITS, NUM_CARDS) == (13, 4, 52)
    for rank, suit in itertools.product(range(13), range(4)):
        card = parse_card(RANKS[rank] + SUITS[suit])
        assert card == 4 * rank + suit
        assert (rank_of(card), suit_of(card)) == (rank, suit)
        assert value_of(card) == (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10)[rank]


def test_every_card_survives_a_round_trip_through_text() -> None:
    deck = list(range(52))
    assert [parse_card(format_card(card)) for card in deck] == deck
    assert parse_cards(format_cards(deck)) == deck


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("5h", "5H"),
        ("td", "TD"),
        ("10d", "TD"),
        ("10D", "TD"),
        ("10♦", "TD"),
        ("A♣", "AC"),
        ("j♥", "JH"),
        ("k♠", "KS"),
        ("Q♥\ufe0f", "QH"),
        (" 7C ", "7C"),
    ],
)
def test_other_spellings(text: str, plain: str) -> None:
    assert format_card(parse_card(text)) == plain
    assert format_card(text) == plain
    assert parse_cards([text, "AS"]) == parse_cards(f"{plain} AS")


@pytest.mark.parametrize(
    "text", ["", " ", "5", "H", "H5", "1H", "0D", "11D", "5X", "5H JD", "5HH", "joker", "18"]
)
def test_text_that_is_no_card_is_refused_by_name(text: str) -> None:
    with pytest.raises(ValueError, match="is not a card") as error:
        parse_card(text)
    assert repr(text) in str(error.value)


@pytest.mark.parametrize("card", [-1, 52, 100, np.int64(-1), np.int8(52)])
def test_ids_outside_the_deck_are_refused_by_name(card: int) -> None:
    with pytest.raises(ValueError, match=rf"card id {card} is outside 0\.\.51"):
        parse_card(card)
    with pytest.raises(ValueError, match=rf"card id {card} "):
        parse_cards([0, card])


@pytest.mark.parametrize(
    "card", [True, False, np.True_, 5.0, np.float32(5), None, b"5H", ["5H"], object()]
)
def test_what_is_neither_text_nor_integer_is_refused(card: Any) -> None:
    with pytest.raises(TypeError, match="a card must be text"):
        parse_card(card)
    with pytest.raises(TypeError, match="a card must be text"):
        parse_cards(["AS", card])


@pytest.mark.parametrize("cards", [None, 5.0, b"5H", bytearray(b"\x01")])
def test_what_is_no_sequence_of_cards_is_refused(cards: Any) -> None:
    with pytest.raises(TypeError, match="cards must be text"):
        parse_cards(cards)


@pytest.mark.parametrize("cards", [True, [True], np.array([True]), np.array([1.0]), np.array(5.0)])
def test_bools_and_floats_are_no_cards(cards: Any) -> None:
    with pytest.raises(TypeError, match="a card must be text"):
        parse_cards(cards)


@pytest.mark.parametrize(
    "cards",
    [
        "5H JD",
        "5H,JD",
        "  5h , J♦",
        "5H\tJD\n",
        ["5H", "JD"],
        ("5H", 41),
        [18, 41],
        (card for card in ("5H", "JD")),
        np.array([18, 41]),
        np.array([18, 41], dtype=np.int8),
        np.array(["5H", "JD"]),
    ],
)
def test_many_cards_keep_their_order(cards: Any) -> None:
    assert parse_cards(cards) == [18, 41]


def test_one_card_and_no_card() -> None:
    assert parse_cards(18) == parse_cards(np.uint8(18)) == parse_cards("5H") == [18]
    assert parse_cards("") == parse_cards([]) == []
    assert format_cards([]) == ""
    assert format_cards(18) == "5H"


@pytest.mark.parametrize("integer", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_numpy_integers_become_python_integers(integer: Any) -> None:
    assert type(parse_card(integer(41))) is int
    assert parse_card(integer(41)) == 41
    assert format_card(integer(41)) == "JD"


@given(st.lists(st.integers(0, 51), unique=True), st.data())
def test_ids_and_texts_mix(cards: list[int], data: st.DataObject) -> None:
    mixed = [card if data.draw(st.booleans()) else format_card(card) for card in cards]
    assert parse_cards(mixed) == parse_distinct_cards(mixed, count=len(cards)) == cards


def test_distinct_cards_names_the_card_that_appears_twice() -> None:
    assert parse_distinct_cards("5H JD") == [18, 41]
    with pytest.raises(ValueError, match=r"^JD appears twice in the crib: 5H JD JD$"):
        parse_distinct_cards(["5H", 41, "jd"], what="the crib")


def test_distinct_cards_says_how_many_there_must_be() -> None:
    with pytest.raises(ValueError, match=r"^hand must be 4 cards, not 2: 5H JD$"):
        parse_distinct_cards("5H JD", count=4, what="hand")
    with pytest.raises(ValueError, match=r"^starter must be 1 card, not 0: none$"):
        parse_distinct_cards("", count=1, what="starter")
