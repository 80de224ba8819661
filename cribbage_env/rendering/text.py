"""The table in plain text: the board, the cards that the viewer may see, what happened last."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap

from cribbage_env.cards import RANKS, SUIT_SYMBOLS, rank_of, suit_of
from cribbage_env.game import Event, Game
from cribbage_env.rendering.scene import FACE_DOWN, Scene, see
from cribbage_env.scoring import DOUBLE_SKUNK_MARGIN, SKUNK_MARGIN

__all__ = ["render_text"]

WIDTH = 80
ROW = 60
"""Holes in a row of the board."""
NAME_WIDTH = 9
LAST_EVENTS = 7

BACK = "▒▒"
FRONT_PEG, REAR_PEG, HOLE = "●", "○", "·"
SKUNK_LINE, DOUBLE_SKUNK_LINE = "│", "║"
LEGEND = (
    f"{FRONT_PEG} front peg  {REAR_PEG} rear peg  "
    f"{SKUNK_LINE} skunk line  {DOUBLE_SKUNK_LINE} double skunk line"
)


def render_text(game: Game, viewer: int | None = None) -> str:
    """Return the table as a seat sees it, or with None as a spectator who sees all cards.

    At most 80 columns, without colours and without a line's end after the last line.

    Raises:
        ValueError: no such seat.
        TypeError: not an integer.

    >>> game = Game.from_position(
    ...     dealer=1,
    ...     hands=("5H 6C 7D JS AC 2D", "4C 9D TH KC QC 3H"),
    ...     starter="8S",
    ...     discards=("AC 2D", "QC 3H"),
    ...     plays="5H TH",
    ... )
    >>> for line in render_text(game, viewer=0).splitlines()[10:14]:
    ...     print(line)
    opponent ▒▒ ▒▒ ▒▒                laid T♥
    starter  8♠                      crib A♣ 2♦ ▒▒ ▒▒ (the opponent's)
    pile     5♥ T♥ = 15
    you      6♣ 7♦ J♠                laid 5♥
    """
    scene = see(game, viewer)
    return "\n".join([_title(scene), "", *_board(scene), "", *_table(scene), "", *_story(scene)])


# Words ------------------------------------------------------------------------------------------


def _name(scene: Scene, seat: int) -> str:
    """Return a seat's name as it stands before a row."""
    if scene.viewer is None:
        return f"seat {seat}"
    return "you" if seat == scene.viewer else "opponent"


def _who(scene: Scene, seat: int) -> str:
    """Return a seat's name as it stands in a sentence."""
    name = _name(scene, seat)
    return "the opponent" if name == "opponent" else name


def _does(scene: Scene, seat: int, verb: str) -> str:
    """Return a seat and what it does: ``you lay``, ``seat 1 lays``."""
    return f"{_who(scene, seat)} {verb if seat == scene.viewer else verb + 's'}"


def _score(scene: Scene, scores: tuple[int, int]) -> str:
    """Return both scores, the viewer's first."""
    own, other = scores if scene.viewer != 1 else scores[::-1]
    return f"{own}-{other}"


def _cards(cards: Iterable[int | None], between: str = " ") -> str:
    return between.join(
        BACK if card is FACE_DOWN else RANKS[rank_of(card)] + SUIT_SYMBOLS[suit_of(card)]
        for card in cards
    )


def _title(scene: Scene) -> str:
    left = f"Cribbage to {scene.target}, deal {scene.deals}"
    right = f"{_does(scene, scene.dealer, 'deal')}, {_score(scene, scene.scores)}"
    return f"{left}{right:>{WIDTH - len(left)}}"


# The board --------------------------------------------------------------------------------------


def _board(scene: Scene) -> list[str]:
    """Return the lines of the board: for each row of holes a scale and both seats' pegs.

    Up to a target of 121 every hole is drawn; a longer game has several holes to a place.
    """
    holes = scene.target - 1  # the last hole stands apart
    holes_a_place = max(1, -(-holes // (2 * ROW)))
    places = -(-holes // holes_a_place)
    lines = []
    for start in range(0, max(places, 1), ROW):
        row = range(start, min(start + ROW, places))
        is_last = row.stop == places
        lines.append(_scale(scene, row, holes_a_place).rstrip())
        for seat in _order(scene):
            rear, front = scene.pegs[seat]
            pegs = {_place(rear, holes_a_place): REAR_PEG, _place(front, holes_a_place): FRONT_PEG}
            if front == scene.target:
                pegs = {_place(rear, holes_a_place): REAR_PEG}
            line = pegs.get(-1, HOLE) if start == 0 else " "
            line += " " + "".join(
                pegs.get(place, HOLE) + _gap(scene, place, holes_a_place) for place in row
            )
            if is_last:
                line = line.rstrip() + " " + (FRONT_PEG if front == scene.target else HOLE)
            lines.append(f"{_name(scene, seat):{NAME_WIDTH}}{line.rstrip()}")
    return [*lines, " " * (NAME_WIDTH + 2) + LEGEND]


def _order(scene: Scene) -> tuple[int, int]:
    """Return the seats from the top to the bottom: the viewer sits at the bottom."""
    return (0, 1) if scene.viewer in (None, 1) else (1, 0)


def _place(hole: int, holes_a_place: int) -> int:
    """Return the place of a hole, -1 for the start."""
    return (hole - 1) // holes_a_place if hole > 0 else -1


def _gap(scene: Scene, place: int, holes_a_place: int) -> str:
    """Return what stands after a place: a skunk line (R20), a gap after ten, or nothing."""
    for margin, line in ((DOUBLE_SKUNK_MARGIN, DOUBLE_SKUNK_LINE), (SKUNK_MARGIN, SKUNK_LINE)):
        mark = scene.target - margin
        if mark > 0 and _place(mark, holes_a_place) == place:
            return line
    return " " if (place + 1) % 10 == 0 else ""


def _scale(scene: Scene, row: range, holes_a_place: int) -> str:
    """Return the numbers over every tenth place of a row."""
    line = " " * (NAME_WIDTH + 2)
    width = len(line)
    for place in row:
        width += 1
        if (place + 1) % 10 == 0:
            line += f"{(place + 1) * holes_a_place:>{width - len(line)}}"
        width += len(_gap(scene, place, holes_a_place))
    return line


# The table --------------------------------------------------------------------------------------


def _table(scene: Scene) -> list[str]:
    top, bottom = _order(scene)
    owner = _who(scene, scene.dealer)
    owner = "yours" if owner == "you" else f"{owner}'s"
    crib = f"{_cards(scene.crib) or 'empty'} ({owner})"
    starter = "not yet turned" if scene.starter is None else _cards([scene.starter])
    pile = f"{_cards(scene.pile)} = {scene.count}" if scene.pile else "empty, count 0"
    return [
        _seat_row(scene, top),
        _row("starter", starter, f"crib {crib}"),
        _row("pile", pile),
        _seat_row(scene, bottom),
    ]


def _seat_row(scene: Scene, seat: int) -> str:
    laid = f"laid {_cards(scene.laid[seat])}" if scene.laid[seat] else ""
    return _row(_name(scene, seat), _cards(scene.hands[seat]) or "no cards left", laid)


def _row(name: str, left: str, right: str = "") -> str:
    return f"{name:{NAME_WIDTH}}{left:24}{right}".rstrip()


# The story --------------------------------------------------------------------------------------


def _story(scene: Scene) -> list[str]:
    """Return the last events, each with its reason and the score after it, and what is next."""
    lines = []
    turned = ""
    for place, event in enumerate(scene.events):
        if event.kind == "starter":
            turned = _cards(event.cards)
        if place < len(scene.events) - LAST_EVENTS:
            continue
        told = wrap(_tell(scene, event, turned), WIDTH - NAME_WIDTH - 8)
        told[-1] = f"{told[-1]:{WIDTH - NAME_WIDTH - 8}}{_score(scene, event.scores):>8}"
        lines += [" " * NAME_WIDTH + line for line in told]
    return [*lines, _next(scene)]


def _tell(scene: Scene, event: Event, starter: str) -> str:
    """Return an event as a sentence; hands are counted with the starter."""
    cards = _cards(event.cards)
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
    sentence = _does(scene, event.player, verb) + what
    if event.kind == "starter":
        return f"the starter is {cards}" + (f": {sentence}" if event.points else "")
    if event.kind == "play" and event.points:
        return f"{sentence}: {event.detail}"
    return sentence


def _next(scene: Scene) -> str:
    """Return who is to do what, or how the game ended."""
    if scene.turn is None:
        if scene.winner is None:
            return f"the deal is over at {_score(scene, scene.scores)}"
        skunk = ("", ", a skunk", ", a double skunk")[scene.skunk]
        forfeit = ", by forfeit" if scene.is_forfeit else ""
        won = _does(scene, scene.winner, "win")
        return f"game over: {won} {_score(scene, scene.scores)}{skunk}{forfeit}"
    whose = "your" if scene.turn == scene.viewer else f"{_who(scene, scene.turn)}'s"
    what = "discard two cards" if scene.phase == "discard" else "lay a card"
    return "\n".join([f"{whose} turn: {what}", *_choices(scene)])


def _choices(scene: Scene) -> list[str]:
    """Return the legal actions with their numbers, five to a line."""
    items = [f"{action:>2} {_cards(cards):8}" for action, cards in scene.choices]
    rows = ("".join(items[start : start + 5]) for start in range(0, len(items), 5))
    return [(" " * NAME_WIDTH + row).rstrip() for row in rows]
