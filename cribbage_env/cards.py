"""Cards as small integers, and the text that people write for them.

A card is an id 0..51: ``4 * rank + suit``, with rank 0..12 for ace to king and suit 0..3 for
clubs, diamonds, hearts and spades. Ids sort by rank first, and every hand is shown in that order.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from itertools import product
from numbers import Integral
from typing import SupportsIndex, TypeAlias, cast

RANKS = "A23456789TJQK"
SUITS = "CDHS"
SUIT_SYMBOLS = "♣♦♥♠"

NUM_RANKS = 13
NUM_SUITS = 4
NUM_CARDS = NUM_RANKS * NUM_SUITS

CardLike: TypeAlias = SupportsIndex | str
"""One card: an id (Python or NumPy integer) or text such as ``"5H"``."""

CardsLike: TypeAlias = CardLike | Iterable[CardLike]
"""Any number of cards: one card, text such as ``"5H JD"``, or a sequence of ids and texts."""

_NAMES = tuple(rank + suit for rank, suit in product(RANKS, SUITS))


def _accepted_spellings() -> dict[str, int]:
    """Map every text that names a card to its id."""
    spellings = {}
    for rank, suit in product(range(NUM_RANKS), range(NUM_SUITS)):
        ranks = {RANKS[rank], RANKS[rank].lower()} | ({"10"} if RANKS[rank] == "T" else set())
        suits = {SUITS[suit], SUITS[suit].lower(), SUIT_SYMBOLS[suit]}
        for written in product(ranks, suits):
            spellings["".join(written)] = NUM_SUITS * rank + suit
    return spellings


_CARD_OF_TEXT = _accepted_spellings()

# Phones and browsers put this invisible mark behind a suit symbol to ask for its colour picture.
_EMOJI_MARK = "\ufe0f"


def parse_card(card: CardLike) -> int:
    """Return the id 0..51 of one card given as text or as an id.

    Text is rank then suit (``5H``, ``TD``); ``10d``, lower case and ♣♦♥♠ are understood too.

    Raises:
        ValueError: the text names no card, or the id is not 0..51.
        TypeError: ``card`` is neither text nor an integer (a bool is not one).

    >>> parse_card("5H"), parse_card("10d"), parse_card("k♠"), parse_card(18)
    (18, 37, 51, 18)
    """
    if type(card) is int and 0 <= card < NUM_CARDS:
        return card  # by far the most frequent case; the checks below take several times as long
    if isinstance(card, str):
        card_id = _CARD_OF_TEXT.get(card)
        return _parse_untidy_text(card) if card_id is None else card_id
    if isinstance(card, bool) or not isinstance(card, Integral):
        raise TypeError(
            f"a card must be text such as '5H' or an id 0..{NUM_CARDS - 1}, "
            f"not {card!r} of type {type(card).__name__}"
        )
    card_id = operator.index(card)
    if not 0 <= card_id < NUM_CARDS:
        raise ValueError(f"card id {card_id} is outside 0..{NUM_CARDS - 1}")
    return card_id


def _parse_untidy_text(text: str) -> int:
    card_id = _CARD_OF_TEXT.get(text.replace(_EMOJI_MARK, "").strip())
    if card_id is None:
        raise ValueError(
            f"{text!r} is not a card: write a rank from {RANKS} (or 10) "
            f"and then a suit from {SUITS} (or {SUIT_SYMBOLS})"
        )
    return card_id


def parse_cards(cards: CardsLike) -> list[int]:
    """Return the ids of any number of cards, in the order given.

    Text separates cards by blanks or commas; one card alone gives a list of one.

    Raises:
        ValueError: a text names no card, or an id is not 0..51.
        TypeError: ``cards`` or one of them is neither text nor an integer.

    >>> parse_cards("5H JD")
    [18, 41]
    >>> parse_cards(["5h", 41])
    [18, 41]
    """
    if isinstance(cards, str):
        return [parse_card(text) for text in cards.replace(",", " ").split()]
    # An array of no dimension counts as iterable, and yet it can't be iterated over.
    if isinstance(cards, Integral) or getattr(cards, "shape", None) == ():
        return [parse_card(cast("CardLike", cards))]
    # The items of bytes are integers, so that b"5H" would quietly become two wrong ids.
    if isinstance(cards, (bytes, bytearray)) or not isinstance(cards, Iterable):
        raise TypeError(
            f"cards must be text such as '5H JD' or a sequence of texts and ids, "
            f"not {cards!r} of type {type(cards).__name__}"
        )
    return [parse_card(card) for card in cards]


def parse_distinct_cards(
    cards: CardsLike, *, count: int | None = None, what: str = "cards"
) -> list[int]:
    """Return the ids of cards of which none may appear twice, in the order given.

    ``count`` is the number of cards required, if any; ``what`` names them in an error.

    Raises:
        ValueError: as `parse_cards`, or a card appears twice, or there are not ``count`` of them.
        TypeError: as `parse_cards`.

    >>> parse_distinct_cards("5H JD 5H", what="the hand")
    Traceback (most recent call last):
        ...
    ValueError: 5H appears twice in the hand: 5H JD 5H
    """
    ids = parse_cards(cards)
    if count is not None and len(ids) != count:
        raise ValueError(
            f"{what} must be {count} {'card' if count == 1 else 'cards'}, "
            f"not {len(ids)}: {format_cards(ids) or 'none'}"
        )
    if len(set(ids)) != len(ids):
        twice = next(card for place, card in enumerate(ids) if card in ids[:place])
        raise ValueError(f"{format_card(twice)} appears twice in {what}: {format_cards(ids)}")
    return ids


def format_card(card: CardLike) -> str:
    """Return a card as rank and suit.

    Raises:
        ValueError: as `parse_card`.
        TypeError: as `parse_card`.

    >>> format_card(18), format_card("10♦")
    ('5H', 'TD')
    """
    return _NAMES[parse_card(card)]


def format_cards(cards: CardsLike) -> str:
    """Return cards as text, blank-separated, in the order given.

    Raises:
        ValueError: as `parse_cards`.
        TypeError: as `parse_cards`.

    >>> format_cards([18, 41])
    '5H JD'
    """
    return " ".join([_NAMES[card] for card in parse_cards(cards)])


def rank_of(card: CardLike) -> int:
    """Return the rank 0..12 of a card, ace to king.

    >>> rank_of("AC"), rank_of("KS")
    (0, 12)
    """
    return parse_card(card) // NUM_SUITS


def suit_of(card: CardLike) -> int:
    """Return the suit 0..3 of a card: clubs, diamonds, hearts, spades.

    >>> suit_of("AC"), suit_of("KS")
    (0, 3)
    """
    return parse_card(card) % NUM_SUITS


def value_of(card: CardLike) -> int:
    """Return what a card adds to a fifteen or to the count: ace 1, jack, queen and king 10 (R1).

    >>> [value_of(card) for card in ("AC", "9D", "TH", "KS")]
    [1, 9, 10, 10]
    """
    return min(rank_of(card) + 1, 10)
