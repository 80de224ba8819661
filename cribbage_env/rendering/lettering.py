"""Text on a picture: one font, drawn large and brought down to size, with drawn suits in it."""

from __future__ import annotations

from functools import lru_cache

from PIL import Image, ImageDraw, ImageFont

from cribbage_env.cards import SUIT_SYMBOLS
from cribbage_env.rendering.palette import Colour
from cribbage_env.rendering.suits import outlines

__all__ = ["break_lines", "suit_mask", "text_mask", "text_width", "write"]

OVERSAMPLING = 4
BOLD = 0.035
"""How much a bold letter is thickened on each side, as a fraction of its size."""
TRACKING = 0.03
"""Space after a bold letter, which needs more of it, as a fraction of its size."""
SUIT_SIZE = 0.74
"""The side of a suit within text, as a fraction of the text's size."""


@lru_cache(maxsize=256)
def suit_mask(suit: int, side: int) -> Image.Image:
    """Return a suit as a mask of `side` by `side` pixels."""
    large = Image.new("L", (side * OVERSAMPLING,) * 2, 0)
    pen = ImageDraw.Draw(large)
    for outline in outlines(suit):
        pen.polygon([(x * large.width, y * large.height) for x, y in outline], fill=255)
    return large.reduce(OVERSAMPLING)


@lru_cache(maxsize=32)
def _font(size: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise TypeError("this Pillow was built without FreeType, which pictures need for text")
    # The other engine spaces letters a little differently and isn't there on every machine.
    return font.font_variant(layout_engine=ImageFont.Layout.BASIC)


@lru_cache(maxsize=4096)
def _placed(text: str, size: int, bold: bool) -> tuple[tuple[tuple[float, str], ...], float]:
    """Return where the pieces of a line begin, and its width, in oversampled pixels."""
    large = size * OVERSAMPLING
    place = BOLD * large if bold else 0.0
    placed = []
    for piece in _pieces(text, is_cut_up=bold):
        placed.append((place, piece))
        if piece in SUIT_SYMBOLS:
            place += SUIT_SIZE * large
        else:
            place += _font(large).getlength(piece) + (TRACKING * large if bold else 0.0)
    return tuple(placed), place


def text_width(text: str, size: int, *, bold: bool = False) -> float:
    """Return the width of a line in pixels."""
    return _placed(text, size, bold)[1] / OVERSAMPLING


@lru_cache(maxsize=2048)
def text_mask(
    text: str, size: int, *, bold: bool = False
) -> tuple[Image.Image, Image.Image | None]:
    """Return masks of a line's letters and black suits, and of its red suits if there are any.

    Both are as high as the text with its ascent and descent and begin where the line does.
    """
    large = size * OVERSAMPLING
    stroke = round(BOLD * large) if bold else 0
    width = int(text_width(text, size, bold=bold)) + 2
    height = int(size * 1.3) + 1
    masks = [Image.new("L", (width * OVERSAMPLING, height * OVERSAMPLING), 0) for _ in range(2)]
    for place, piece in _placed(text, size, bold)[0]:
        if piece in SUIT_SYMBOLS:
            suit = SUIT_SYMBOLS.index(piece)
            ink = suit_mask(suit, round(SUIT_SIZE * large))
            top = round(large - 0.86 * ink.height)
            masks[suit in (1, 2)].paste(255, (round(place), top), ink)
        else:
            ImageDraw.Draw(masks[0]).text(
                (place, large), piece, fill=255, font=_font(large), anchor="ls", stroke_width=stroke
            )
    reds = masks[1].reduce(OVERSAMPLING) if masks[1].getbbox() else None
    return masks[0].reduce(OVERSAMPLING), reds


def write(
    image: Image.Image,
    place: tuple[float, float],
    text: str,
    size: int,
    colour: Colour,
    *,
    red: Colour | None = None,
    bold: bool = False,
    align: float = 0.0,
) -> None:
    """Write a line on an image, its baseline at `place`.

    `align` 0 begins it there, 0.5 centres it, 1 ends it there; red suits are written in `red`.
    """
    letters, reds = text_mask(text, size, bold=bold)
    left = round(place[0] - align * text_width(text, size, bold=bold))
    top = round(place[1]) - size
    image.paste(colour, (left, top), letters)
    if reds is not None:
        image.paste(red or colour, (left, top), reds)


def break_lines(text: str, size: int, width: float) -> list[str]:
    """Return a text broken into lines of at most `width` pixels where words allow it."""
    lines: list[str] = []
    for word in text.split():
        if lines and text_width(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _pieces(text: str, *, is_cut_up: bool) -> list[str]:
    """Return a text cut into suit symbols and what stands between them, or into letters."""
    pieces = [""]
    for letter in text:
        if letter in SUIT_SYMBOLS or is_cut_up:
            pieces += [letter, ""]
        else:
            pieces[-1] += letter
    return [piece for piece in pieces if piece]
