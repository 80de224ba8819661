"""The nineteen actions: their numbers, and the words for them.

======  ==================================================================================
0..14   discard a pair of the six cards dealt, `DISCARDS` in order
15..18  lay the card in slot 0..3 of the four cards kept
======  ==================================================================================

Slots number a hand sorted by card id. A slot stays what it is when cards leave the hand.
"""

from __future__ import annotations

import operator
from itertools import combinations
from typing import SupportsIndex

import numpy as np

from cribbage_env.cards import (
    CardLike,
    CardsLike,
    format_card,
    format_cards,
    parse_card,
    parse_distinct_cards,
)

NUM_DEALT = 6
NUM_KEPT = 4

DISCARDS: tuple[tuple[int, int], ...] = tuple(combinations(range(NUM_DEALT), 2))
"""The two slots of the six dealt that each of the actions 0..14 discards."""

NUM_DISCARDS = len(DISCARDS)
NUM_ACTIONS = NUM_DISCARDS + NUM_KEPT


def describe_action(action: SupportsIndex, hand: CardsLike) -> str:
    """Return an action in words, such as ``"discard 5H JD"`` or ``"play 7C"``.

    ``hand`` is the six cards dealt for a discard, the four kept for a play, in any order.

    Raises:
        ValueError: the action isn't 0..18, or the hand isn't the right number of distinct cards.
        TypeError: the action isn't an integer, or the hand isn't cards.

    >>> describe_action(1, "5H JD 2S 9C 9D KS")
    'discard 2S 9C'
    >>> describe_action(16, "7C 2S 9C KS")
    'play 7C'
    """
    number = parse_action_number(action)
    if number < NUM_DISCARDS:
        dealt = _sorted_hand(hand, NUM_DEALT)
        return f"discard {format_cards(dealt[slot] for slot in DISCARDS[number])}"
    return f"play {format_card(_sorted_hand(hand, NUM_KEPT)[number - NUM_DISCARDS])}"


def parse_action(text: str, hand: CardsLike) -> int:
    """Return the action 0..18 that words such as ``"discard 5H JD"`` or ``"play 7C"`` name.

    ``hand`` is as for `describe_action`; case and the order of the two discards don't matter.

    Raises:
        ValueError: the first word is neither discard nor play, the number of cards is wrong, or a
            card isn't in the hand.
        TypeError: ``text`` isn't text, or the hand isn't cards.

    >>> parse_action("discard 9C 2S", "5H JD 2S 9C 9D KS")
    1
    >>> parse_action("Play 7♣", "7C 2S 9C KS")
    16
    """
    if not isinstance(text, str):
        raise TypeError(f"an action in words must be text, not {text!r}")
    verb, cards = [*text.split(maxsplit=1), "", ""][:2]
    if verb.lower() == "discard":
        return discard_action(cards, hand)
    if verb.lower() == "play":
        return play_action(cards, hand)
    raise ValueError(f"{text!r} is no action: write 'discard' and two cards, or 'play' and one")


def discard_action(cards: CardsLike, hand: CardsLike) -> int:
    """Return the action 0..14 that discards two of the six cards dealt, in any order.

    Raises:
        ValueError: not two distinct cards, not six, or a discard that isn't among the six.
        TypeError: something isn't a card.

    >>> discard_action("JD 5H", "5H JD 2S 9C 9D KS")
    7
    """
    dealt = _sorted_hand(hand, NUM_DEALT)
    pair = parse_distinct_cards(cards, count=2, what="discard")
    first, second = sorted(_slot_of(card, dealt) for card in pair)
    return DISCARDS.index((first, second))


def play_action(card: CardsLike, hand: CardsLike) -> int:
    """Return the action 15..18 that lays a card of the four kept.

    Raises:
        ValueError: not one card, not four kept, or a card that isn't among them.
        TypeError: something isn't a card.

    >>> play_action("7C", "7C 2S 9C KS")
    16
    """
    kept = _sorted_hand(hand, NUM_KEPT)
    (laid,) = parse_distinct_cards(card, count=1, what="play")
    return NUM_DISCARDS + _slot_of(laid, kept)


def parse_action_number(action: SupportsIndex) -> int:
    """Return an action as a Python integer 0..18.

    Raises:
        ValueError: the action is outside 0..18.
        TypeError: the action isn't a Python or NumPy integer, nor a NumPy array of no dimension
            that holds one (a bool is not an integer).

    >>> parse_action_number(19)
    Traceback (most recent call last):
        ...
    ValueError: action 19 is outside 0..18
    """
    try:
        number = None if isinstance(action, (bool, np.bool_)) else operator.index(action)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(
            f"an action must be an integer 0..{NUM_ACTIONS - 1}, "
            f"not {action!r} of type {type(action).__name__}"
        )
    if not 0 <= number < NUM_ACTIONS:
        raise ValueError(f"action {number} is outside 0..{NUM_ACTIONS - 1}")
    return number


def _sorted_hand(hand: CardsLike, count: int) -> list[int]:
    what = "the hand to discard from" if count == NUM_DEALT else "the hand to play from, as kept,"
    return sorted(parse_distinct_cards(hand, count=count, what=what))


def _slot_of(card: CardLike, hand: list[int]) -> int:
    card_id = parse_card(card)
    if card_id not in hand:
        raise ValueError(f"{format_card(card_id)} is not in the hand {format_cards(hand)}")
    return hand.index(card_id)
