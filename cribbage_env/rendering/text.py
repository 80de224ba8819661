"""The table in plain text: the board, the cards that the viewer may see, what happened last."""

from __future__ import annotations

from textwrap import wrap

from cribbage_env.game import Game
from cribbage_env.rendering.scene import Scene, see
from cribbage_env.rendering.words import (
    cards_in_words,
    does,
    ending,
    name_of,
    score_in_words,
    seats_from_top,
    task,
    tell,
    who,
)
from cribbage_env.scoring import DOUBLE_SKUNK_MARGIN, SKUNK_MARGIN

__all__ = ["render_scene", "render_text"]

WIDTH = 80
ROW = 60
"""Holes in a row of the board."""
NAME_WIDTH = 9
LAST_EVENTS = 7

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
    return "\n".join([*render_scene(scene), _next(scene)])


def render_scene(scene: Scene, last_events: int = LAST_EVENTS) -> list[str]:
    """Return the lines of a table, down to what happened last, without what is next."""
    story = _story(scene, last_events)
    return [_title(scene), "", *_board(scene), "", *_table(scene), "", *story]


def _title(scene: Scene) -> str:
    left = f"Cribbage to {scene.target}, deal {scene.deals}"
    right = f"{does(scene, scene.dealer, 'deal')}, {score_in_words(scene, scene.scores)}"
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
        for seat in seats_from_top(scene):
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
            lines.append(f"{_label(scene, seat)}{line.rstrip()}")
    return [*lines, " " * (NAME_WIDTH + 2) + LEGEND]


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
    top, bottom = seats_from_top(scene)
    owner = who(scene, scene.dealer)
    owner = "yours" if owner == "you" else f"{owner}'s"
    crib = f"{cards_in_words(scene.crib) or 'empty'} ({owner})"
    starter = "not yet turned" if scene.starter is None else cards_in_words([scene.starter])
    pile = f"{cards_in_words(scene.pile)} = {scene.count}" if scene.pile else "empty, count 0"
    return [
        _seat_row(scene, top),
        _row("starter", starter, f"crib {crib}"),
        _row("pile", pile),
        _seat_row(scene, bottom),
    ]


def _seat_row(scene: Scene, seat: int) -> str:
    laid = f"laid {cards_in_words(scene.laid[seat])}" if scene.laid[seat] else ""
    return _row(_label(scene, seat), cards_in_words(scene.hands[seat]) or "no cards left", laid)


def _label(scene: Scene, seat: int) -> str:
    """Return a seat's name as wide as all labels; a long one loses its end."""
    return f"{name_of(scene, seat)[: NAME_WIDTH - 1]:{NAME_WIDTH}}"


def _row(start: str, left: str, right: str = "") -> str:
    return f"{start:{NAME_WIDTH}}{left:24}{right}".rstrip()


# The story --------------------------------------------------------------------------------------


def _story(scene: Scene, last_events: int) -> list[str]:
    """Return the last events, each with its reason and the score after it."""
    lines = []
    turned = ""
    for place, event in enumerate(scene.events):
        if event.kind == "starter":
            turned = cards_in_words(event.cards)
        if place < len(scene.events) - last_events:
            continue
        told = wrap(tell(scene, event, turned), WIDTH - NAME_WIDTH - 8)
        told[-1] = f"{told[-1]:{WIDTH - NAME_WIDTH - 8}}{score_in_words(scene, event.scores):>8}"
        lines += [" " * NAME_WIDTH + line for line in told]
    return lines


def _next(scene: Scene) -> str:
    """Return who is to do what, or how the game ended."""
    if scene.turn is None:
        return f"game over: {ending(scene)}" if scene.winner is not None else ending(scene)
    return "\n".join([": ".join(task(scene)), *_choices(scene)])


def _choices(scene: Scene) -> list[str]:
    """Return the legal actions with their numbers, five to a line."""
    items = [f"{action:>2} {cards_in_words(cards):8}" for action, cards in scene.choices]
    rows = ("".join(items[start : start + 5]) for start in range(0, len(items), 5))
    return [(" " * NAME_WIDTH + row).rstrip() for row in rows]
