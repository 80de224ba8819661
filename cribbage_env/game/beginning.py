"""What a game begins from, checked: seed, number, first dealer, scores, target and given cards."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from cribbage_env.cards import CardsLike, parse_distinct_cards
from cribbage_env.engine.layout import MAX_TARGET

__all__ = [
    "DECK_DEALT",
    "Beginning",
    "check_name",
    "check_pair",
    "check_seat",
    "check_seed",
    "make_beginning",
    "make_deck",
    "new_seed",
]

DECK_DEALT = 13
"""Cards of a deck that a deal uses: six for each seat and the starter (R4, R5)."""


@dataclass(frozen=True)
class Beginning:
    """All that a game's cards and first scores follow from; with the actions it is the game."""

    seed: int
    number: int = 0
    dealer: int | None = None
    scores: tuple[int, int] = (0, 0)
    target: int = 121
    decks: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """Deals whose 13 cards are given: (number of the deal, cards)."""
    reseeds: tuple[tuple[int, int], ...] = ()
    """Deals from which on another seed gives the cards: (number of the deal, seed)."""
    is_one_deal: bool = False
    """Whether the game ends with its first deal."""
    names: tuple[str, str] | None = field(default=None, compare=False)
    """Who plays in seat 0 and in seat 1, for readers alone: no card and no comparison of games
    depends on it."""


def make_beginning(
    seed: int | None,
    dealer: int | None,
    scores: Sequence[int],
    target: int,
    deck: CardsLike | None,
    number: int = 0,
    *,
    is_one_deal: bool = False,
    names: tuple[str, str] | None = None,
) -> Beginning:
    """Return a checked beginning; a seed of None is drawn from the operating system.

    Raises:
        ValueError: a value out of range, a card twice, fewer than 13 cards, no name to be seen.
        TypeError: a value of the wrong type.

    >>> make_beginning(7, None, (0, 121), 121, None)
    Traceback (most recent call last):
        ...
    ValueError: score 121 is outside 0..120 (the target is 121)
    """
    target = _whole(target, "target")
    if not 1 <= target <= MAX_TARGET:
        raise ValueError(f"target {target} is outside 1..{MAX_TARGET}")
    decks: tuple[tuple[int, tuple[int, ...]], ...] = ()
    if deck is not None:
        cards = parse_distinct_cards(deck, what="the deck")
        if len(cards) < DECK_DEALT:
            raise ValueError(f"a deck needs at least {DECK_DEALT} cards, not {len(cards)}")
        decks = ((1, tuple(cards[:DECK_DEALT])),)
    return Beginning(
        new_seed() if seed is None else check_seed(seed),
        _check_number(number),
        None if dealer is None else check_seat(dealer, "dealer"),
        _check_scores(scores, target),
        target,
        decks,
        is_one_deal=is_one_deal,
        names=None if names is None else _check_names(names),
    )


def make_deck(pone: Sequence[int], dealer: Sequence[int], starter: int) -> list[int]:
    """Return the 13 cards that deal these six to pone, these six to the dealer (R4), and turn this.

    >>> make_deck([0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11], 12)
    [0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11, 12]
    """
    return [*(card for pair in zip(pone, dealer, strict=True) for card in pair), starter]


def new_seed() -> int:
    """Return a seed from the operating system's entropy, 0 to 2**32 - 1."""
    return int(np.random.SeedSequence().generate_state(1)[0])


def check_seed(seed: Any) -> int:
    """Return a seed as an int.

    Raises:
        ValueError: outside 0 to 2**64 - 1.
        TypeError: not an integer.
    """
    whole = _whole(seed, "seed")
    if not 0 <= whole < 2**64:
        raise ValueError(f"seed {whole} is outside 0..2**64 - 1")
    return whole


def check_seat(seat: Any, what: str = "seat") -> int:
    """Return a seat as an int.

    Raises:
        ValueError: neither 0 nor 1.
        TypeError: not an integer.
    """
    whole = _whole(seat, what)
    if whole not in (0, 1):
        raise ValueError(f"{what} {whole} is not a seat: seats are 0 and 1")
    return whole


def check_pair(pair: Any, what: str) -> tuple[Any, Any]:
    """Return something given for seat 0 and for seat 1 as a tuple.

    Raises:
        ValueError: not two of them.
        TypeError: no sequence, or a text.
    """
    if isinstance(pair, (str, bytes)) or not hasattr(pair, "__len__"):
        raise TypeError(f"{what} must be a pair, seat 0's and seat 1's, not {pair!r}")
    if len(pair) != 2:
        raise ValueError(f"{what} must be two, seat 0's and seat 1's, not {len(pair)}: {pair!r}")
    first, second = pair
    return first, second


def check_name(name: Any) -> str:
    """Return a player's name, with single blanks between its words.

    Raises:
        ValueError: nothing to be seen, or a sign that can't be printed.
        TypeError: not text.

    >>> check_name(" expert:lookahead=2 ")
    'expert:lookahead=2'
    """
    if not isinstance(name, str):
        raise TypeError(f"a name is text, not {name!r}")
    words = " ".join(name.split())
    if not words or not words.isprintable():
        raise ValueError(f"a name has one sign or more, all of which can be printed: not {name!r}")
    return words


def _check_names(names: Any) -> tuple[str, str]:
    first, second = check_pair(names, "names")
    return check_name(first), check_name(second)


def _check_number(number: Any) -> int:
    whole = _whole(number, "number")
    if not 0 <= whole < 2**62:
        raise ValueError(f"number {whole} of the game is outside 0..2**62 - 1")
    return whole


def _check_scores(scores: Any, target: int) -> tuple[int, int]:
    first, second = (_whole(score, "a score") for score in check_pair(scores, "scores"))
    for score in (first, second):
        if not 0 <= score < target:
            raise ValueError(f"score {score} is outside 0..{target - 1} (the target is {target})")
    return first, second


def _whole(number: Any, what: str) -> int:
    if isinstance(number, (bool, np.bool_)):
        raise TypeError(f"{what} must be an integer, not {number!r}")
    try:
        whole: int = operator.index(number)
    except TypeError:
        raise TypeError(f"{what} must be an integer, not {number!r}") from None
    return whole
