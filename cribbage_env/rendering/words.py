"""What a viewer is told: the seats by name, events as sentences, who is to do what."""

from __future__ import annotations

from collections.abc import Iterable

from cribbage_env.cards import RANKS, SUIT_SYMBOLS, rank_of, suit_of
from cribbage_env.game import Event
from cribbage_env.rendering.scene import FACE_DOWN, Scene

__all__ = [
    "cards_in_words",
    "does",
    "ending",
    "name_of",
    "score_in_words",
    "seats_from_top",
    "task",
    "tell",
    "who",
]

BACK = "▒▒"


def name_of(scene: Scene, seat: int) -> str:
    """Return a seat's name as it stands alone."""
    if scene.names is not None:
        return scene.names[seat]
    if scene.viewer is None:
        return f"seat {seat}"
    return "you" if seat == scene.viewer else "opponent"


def who(scene: Scene, seat: int) -> str:
    """Return a seat's name as it stands in a sentence."""
    name = name_of(scene, seat)
    return "the opponent" if name == "opponent" and scene.names is None else name


def does(scene: Scene, seat: int, verb: str) -> str:
    """Return a seat and what it does: ``you lay``, ``seat 1 lays``."""
    is_you = seat == scene.viewer and scene.names is None
    return f"{who(scene, seat)} {verb if is_you else verb + 's'}"


def seats_from_top(scene: Scene) -> tuple[int, int]:
    """Return the seats from the top to the bottom: the viewer sits at the bottom."""
    return (0, 1) if scene.viewer in (None, 1) else (1, 0)


def score_in_words(scene: Scene, scores: tuple[int, int]) -> str:
    """Return both scores, the viewer's first."""
    own, other = scores if scene.viewer != 1 else scores[::-1]
    return f"{own}-{other}"


def cards_in_words(cards: Iterable[int | None]) -> str:
    """Return cards by rank and suit, those face down as backs."""
    return " ".join(
        BACK if card is FACE_DOWN else RANKS[rank_of(card)] + SUIT_SYMBOLS[suit_of(card)]
        for card in cards
    )


def tell(scene: Scene, event: Event, starter: str) -> str:
    """Return an event as a sentence; hands are counted with the starter."""
    cards = cards_in_words(event.cards)
    verb, what = {
        "cut": ("cut", f" {cards}"),
        "deal": ("deal", ""),
        "discard": ("throw", f" {cards or 'two cards'} into the crib"),
        "play": ("lay", f" {cards}"),
        "go": ("say", " go"),
        "last": ("score", " one for last card"),
        "hand": ("count", f" {cards} with {starter}: {event.detail}"),
        "crib": ("count", f" the crib {cards} with {starter}: {event.detail}"),
        "win": ("win", ""),
        "forfeit": ("forfeit", " by an illegal action"),
        "starter": ("score", " two for his heels"),
    }[event.kind]
    sentence = does(scene, event.player, verb) + what
    if event.kind == "starter":
        return f"the starter is {cards}" + (f": {sentence}" if event.points else "")
    if event.kind == "play" and event.points:
        return f"{sentence}: {event.detail}"
    return sentence


def task(scene: Scene) -> tuple[str, str]:
    """Return whose turn it is and what that seat is to do."""
    assert scene.turn is not None
    is_you = scene.turn == scene.viewer and scene.names is None
    whose = "your" if is_you else f"{who(scene, scene.turn)}'s"
    return f"{whose} turn", "discard two cards" if scene.phase == "discard" else "lay a card"


def ending(scene: Scene) -> str:
    """Return how a game that is over has ended."""
    score = score_in_words(scene, scene.scores)
    if scene.winner is None:
        return f"the deal is over at {score}"
    skunk = ("", ", a skunk", ", a double skunk")[scene.skunk]
    forfeit = ", by forfeit" if scene.is_forfeit else ""
    return f"{does(scene, scene.winner, 'win')} {score}{skunk}{forfeit}"
