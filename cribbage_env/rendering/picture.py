"""The table as a picture: hands, crib, starter, the play or the last show, the board, the story.

Needs Pillow, which the extra `render` brings.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from cribbage_env.game import Event, Game
from cribbage_env.rendering import palette
from cribbage_env.rendering.board import Track
from cribbage_env.rendering.canvas import Canvas
from cribbage_env.rendering.faces import CARD_SIZES
from cribbage_env.rendering.scene import FACE_DOWN, Scene, see
from cribbage_env.rendering.size import check_scale
from cribbage_env.rendering.story import draw_story, draw_story_panel, outcome
from cribbage_env.rendering.words import does, name_of, seats_from_top
from cribbage_env.scoring import HandScore

__all__ = ["draw_table", "render_picture"]

# Where things lie, in pixels at scale 1.
BOARD_X, BOARD_Y = 776, 14
TABLE_X, TABLE_WIDTH = 16, 532
PLATE_HEIGHT = 32
TOP_PLATE_Y, TOP_HAND_Y = 12, 52
BOTTOM_PLATE_Y, BOTTOM_HAND_Y = 474, 514
SIDE_X = 22
"""The starter and the crib lie in a column at the left."""
SIDE_Y = (190, 330)
CENTRE_X, CENTRE_WIDTH = 172, 372
"""The play, or the last show, lies right of them."""
POINTS_Y = 424

POINTS_KINDS = ("starter", "play", "last", "hand", "crib")


def render_picture(game: Game, viewer: int | None = None, *, scale: int = 1) -> NDArray[np.uint8]:
    """Return the table as a seat sees it, or with None as a spectator who sees all cards.

    RGB, uint8 of shape ``(640 * scale, 960 * scale, 3)``, fresh at every call.

    Raises:
        ValueError: no such seat, or a scale outside 1..4.
        TypeError: not an integer.

    >>> render_picture(Game(seed=1), viewer=0).shape
    (640, 960, 3)
    """
    return np.array(draw_table(see(game, viewer), scale))


def draw_table(scene: Scene, scale: int = 1) -> Image.Image:
    """Return a scene as a Pillow image.

    Raises:
        ValueError: a scale outside 1..4.
        TypeError: not an integer.
    """
    scale = check_scale(scale)
    canvas = Canvas.on(_background(scene.target, scale), scale)
    top, bottom = seats_from_top(scene)
    _draw_seat(canvas, scene, top, TOP_PLATE_Y, TOP_HAND_Y, "table")
    _draw_seat(canvas, scene, bottom, BOTTOM_PLATE_Y, BOTTOM_HAND_Y, "hand")
    _draw_side(canvas, scene)
    show = _last_show(scene)
    if show is not None:
        _draw_show(canvas, scene, show)
    elif scene.phase == "discard":
        _draw_cut(canvas, scene)
    else:
        _draw_play(canvas, scene)
    _draw_points(canvas, scene)
    _draw_pegs(canvas, scene)
    draw_story(canvas, scene)
    if scene.turn is None and not scene.hands[bottom]:
        _draw_outcome(canvas, scene)
    return canvas.image


@lru_cache(maxsize=8)
def _background(target: int, scale: int) -> Image.Image:
    """Return what is the same in every picture of games to a target."""
    canvas = Canvas(scale)
    canvas.board(BOARD_X, BOARD_Y, target)
    draw_story_panel(canvas)
    return canvas.image


# The seats --------------------------------------------------------------------------------------


def _draw_seat(
    canvas: Canvas, scene: Scene, seat: int, plate_y: int, hand_y: int, size: str
) -> None:
    """Draw a seat's plate and the cards that it still holds."""
    _draw_plate(canvas, scene, seat, plate_y)
    hand = scene.hands[seat]
    width, _ = CARD_SIZES[size]
    step = width + 6
    x = TABLE_X + (TABLE_WIDTH - (step * len(hand) - 6)) / 2
    playable = {card for _, cards in scene.choices for card in cards}
    is_choosing = bool(playable) and seat == scene.turn
    for place, card in enumerate(hand):
        can_be_laid = not is_choosing or card in playable
        canvas.card(x + place * step, hand_y, card, size, shade=0.0 if can_be_laid else 0.45)


def _draw_plate(canvas: Canvas, scene: Scene, seat: int, y: int) -> None:
    """Draw a seat's name, the dealer's button, the score and what is still needed."""
    is_on_turn = scene.turn == seat
    canvas.box(TABLE_X, y, TABLE_WIDTH, PLATE_HEIGHT, palette.PANEL, radius=9, opacity=0.62)
    if is_on_turn:
        canvas.box(TABLE_X, y, TABLE_WIDTH, PLATE_HEIGHT, palette.GOLD, radius=9, outline=1.5)
    middle = y + PLATE_HEIGHT / 2
    canvas.disc(TABLE_X + 18, middle, 7, palette.CHALK)
    canvas.disc(TABLE_X + 18, middle, 5.6, palette.SEATS[seat])
    name = name_of(scene, seat).capitalize()
    x = TABLE_X + 34.0
    x += canvas.text(x, middle + 6, name, 17, bold=True) + 12
    if scene.dealer == seat:
        canvas.box(x, middle - 9, 58, 18, palette.CHALK, radius=9)
        canvas.text(x + 29, middle + 4.5, "dealer", 12, palette.INK, bold=True, align=0.5)
    right = TABLE_X + TABLE_WIDTH - 14
    score = str(scene.scores[seat])
    canvas.text(right, middle + 9, score, 26, palette.SEATS_LIGHT[seat], bold=True, align=1)
    needed = scene.target - scene.scores[seat]
    note = f"{needed} to go" if needed else "out"
    room = max(
        40, canvas.width_of(score, 26, bold=True)
    )  # notes of one, two or three figures align
    canvas.text(right - room - 14, middle + 5, note, 12, palette.MUTED, align=1)


def _draw_outcome(canvas: Canvas, scene: Scene) -> None:
    """Write how the game ended where the viewer's hand was."""
    title, words = outcome(scene)
    middle, y = TABLE_X + TABLE_WIDTH / 2, BOTTOM_HAND_Y
    canvas.text(middle, y + 56, title, 34, palette.GOLD, bold=True, align=0.5)
    canvas.text(middle, y + 86, words, 18, align=0.5)


# The left column --------------------------------------------------------------------------------


def _draw_side(canvas: Canvas, scene: Scene) -> None:
    """Draw the pack with the starter, and the crib on its owner's side."""
    top, _ = seats_from_top(scene)
    crib_y, pack_y = SIDE_Y if scene.dealer == top else SIDE_Y[::-1]
    width, height = CARD_SIZES["table"]
    canvas.text(SIDE_X, pack_y - 9, "starter", 12, palette.MUTED)
    for offset in (4, 2, 0):
        canvas.card(SIDE_X + offset / 2, pack_y + offset / 2 - 1, FACE_DOWN, "table")
    if scene.starter is not None:
        canvas.card(SIDE_X + 46, pack_y, scene.starter, "table")
    owner = name_of(scene, scene.dealer)
    owner = "your" if owner == "you" else f"{owner}'s"
    canvas.text(SIDE_X, crib_y - 9, f"{owner} crib", 12, palette.MUTED)
    if not scene.crib:
        canvas.box(SIDE_X, crib_y, width, height, palette.FAINT, radius=6, outline=1.2)
    for place, card in enumerate(scene.crib):
        canvas.card(SIDE_X + 19 * place, crib_y, card, "table")


# The middle: the play, the show or the cut ------------------------------------------------------


@dataclass(frozen=True)
class _Show:
    deal: int
    starter: int
    counts: tuple[Event, ...]


def _last_show(scene: Scene) -> _Show | None:
    """Return the show to be looked at: this deal's, or before the discards the last deal's."""
    deal, starter = 0, 0
    found: dict[int, _Show] = {}
    for event in scene.events:
        if event.kind == "deal":
            deal += 1
        elif event.kind == "starter":
            starter = event.cards[0]
        elif event.kind in ("hand", "crib"):
            before = found[deal].counts if deal in found else ()
            found[deal] = _Show(deal, starter, (*before, event))
    if deal in found:
        return found[deal]
    return found.get(deal - 1) if scene.phase == "discard" else None


def _draw_show(canvas: Canvas, scene: Scene, show: _Show) -> None:
    """Draw the hands that were counted, with the starter, their points and what they are for."""
    width, _ = CARD_SIZES["small"]
    for row, event in enumerate(show.counts):
        y = 170 + 80 * row
        for place, card in enumerate(event.cards):
            canvas.card(CENTRE_X + 38 * place, y, card, "small")
        x = CENTRE_X + 38 * 3 + width + 10
        canvas.card(x, y, show.starter, "small")
        x += width + 14
        name = name_of(scene, event.player)
        whose = "your" if name == "you" else f"{name}'s"
        canvas.text(
            x, y + 15, f"{whose} {event.kind}", 12, palette.SEATS_LIGHT[event.player], bold=True
        )
        right = CENTRE_X + CENTRE_WIDTH
        canvas.text(right, y + 42, str(event.points), 26, palette.GOLD, bold=True, align=1)
        assert isinstance(event.detail, HandScore)
        for place, part in enumerate(_parts(event.detail)):
            canvas.text(x, y + 31 + 14 * place, part, 12)


def _parts(score: HandScore) -> list[str]:
    """Return what a hand's points are for, part by part."""
    parts = {
        "fifteens": score.fifteens,
        "pairs": score.pairs,
        "runs": score.runs,
        "flush": score.flush,
        "nobs": score.nobs,
    }
    return [f"{name} {points}" for name, points in parts.items() if points] or ["nothing"]


def _draw_cut(canvas: Canvas, scene: Scene) -> None:
    """Draw the cards cut for the first deal (R3), if there was a cut."""
    cuts = {event.player: event.cards[0] for event in scene.events if event.kind == "cut"}
    middle = CENTRE_X + CENTRE_WIDTH / 2
    width, _ = CARD_SIZES["table"]
    for seat, x in zip(
        seats_from_top(scene)[::-1], (middle - width - 20, middle + 20), strict=True
    ):
        if seat in cuts:
            canvas.card(x, 230, cuts[seat], "table")
            words = does(scene, seat, "cut").removeprefix("the ")
            canvas.text(x + width / 2, 350, words, 13, palette.MUTED, align=0.5)
    words = f"{does(scene, scene.dealer, 'deal')} first" if scene.deals == 1 else ""
    canvas.text(middle, 210 if cuts else 300, words, 15, palette.CHALK, align=0.5)


def _draw_play(canvas: Canvas, scene: Scene) -> None:
    """Draw the cards laid in order, those of each seat nearer to it, and the count."""
    top, _ = seats_from_top(scene)
    middle = CENTRE_X + CENTRE_WIDTH / 2
    canvas.text(middle - 10, 206, "count", 15, palette.MUTED, align=1)
    canvas.text(middle, 212, str(scene.count), 36, palette.GOLD, bold=True)
    deal = max(place for place, event in enumerate(scene.events) if event.kind == "deal")
    laid: list[tuple[int, int]] = []
    goes: list[tuple[int, int]] = []
    for event in scene.events[deal:]:
        if event.kind == "play":
            laid.append((event.player, event.cards[0]))
        elif event.kind == "go":
            goes.append((event.player, len(laid)))
    width, height = CARD_SIZES["table"]
    step = min(width + 8, (CENTRE_WIDTH - width) / max(1, len(laid) - 1))
    x = CENTRE_X + (CENTRE_WIDTH - width - step * (len(laid) - 1)) / 2
    in_pile = len(scene.pile)
    for place, (seat, card) in enumerate(laid):
        y = 250 if seat == top else 278
        is_turned = place < len(laid) - in_pile
        canvas.card(x + step * place, y, card, "table", shade=0.5 if is_turned else 0.0)
        mark = y - 7 if seat == top else y + height + 4
        canvas.box(x + step * place + 4, mark, 28, 3, palette.SEATS[seat], radius=1.5)
    for seat, number in goes:
        y = 240 if seat == top else 396
        canvas.text(x + step * number - 8, y, "go", 13, palette.SEATS_LIGHT[seat], bold=True)


def _draw_points(canvas: Canvas, scene: Scene) -> None:
    """Draw the last points that were scored, by whom and what for."""
    event = next((e for e in reversed(scene.events) if e.kind in POINTS_KINDS and e.points), None)
    if event is None:
        return
    why = {
        "starter": "two for his heels",
        "last": "one for last card",
        "hand": "the hand",
        "crib": "the crib",
    }.get(event.kind, str(event.detail))
    text = f"{name_of(scene, event.player)}: {why}"
    size = 14 if canvas.width_of(text, 14) < CENTRE_WIDTH - 90 else 12
    points = f"+{event.points}"
    wide = 28 + canvas.width_of(text, size) + 12 + canvas.width_of(points, 17, bold=True) + 14
    x = CENTRE_X + (CENTRE_WIDTH - wide) / 2
    canvas.box(x, POINTS_Y, wide, 30, palette.PANEL, radius=15, opacity=0.72)
    canvas.disc(x + 16, POINTS_Y + 15, 5, palette.SEATS[event.player])
    canvas.text(x + 28, POINTS_Y + 20, text, size)
    canvas.text(x + wide - 14, POINTS_Y + 21, points, 17, palette.GOLD, bold=True, align=1)


# The board --------------------------------------------------------------------------------------


def _draw_pegs(canvas: Canvas, scene: Scene) -> None:
    track = Track(scene.target)
    for seat in (0, 1):
        rear, front = scene.pegs[seat]
        x, y = track.at(seat, rear, is_rear=True)
        canvas.peg(BOARD_X + x, BOARD_Y + y, seat, is_rear=True)
        x, y = track.at(seat, front)
        canvas.peg(BOARD_X + x, BOARD_Y + y, seat, is_rear=False)
