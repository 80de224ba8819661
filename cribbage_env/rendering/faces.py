"""The cards as images: faces with pips and courts, and the back."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from PIL import Image, ImageDraw, ImageFilter

from cribbage_env.cards import RANKS, rank_of, suit_of
from cribbage_env.rendering import palette
from cribbage_env.rendering.lettering import suit_mask, write
from cribbage_env.rendering.palette import Colour
from cribbage_env.rendering.suits import Point

__all__ = ["CARD_SIZES", "CORNER", "SHADOW", "card_image"]

CARD_SIZES = {"hand": (80, 112), "table": (70, 98), "small": (48, 67)}
"""Width and height of a card in pixels at scale 1."""
SHADOW = 5
"""Pixels at scale 1 that a card's image reaches beyond the card on each side, for its shadow."""

CORNER = 6.5
"""The radius of the corners of a card in the hand, in pixels at scale 1."""

OVERSAMPLING = 4
_WIDTH, _HEIGHT = 80, 112  # in which cards are drawn

_LEFT, _MIDDLE, _RIGHT = 0.36, 0.5, 0.64
_PIPS: dict[int, tuple[Point, ...]] = {
    1: ((_MIDDLE, 0.5),),
    2: ((_MIDDLE, 0.2), (_MIDDLE, 0.8)),
    3: ((_MIDDLE, 0.2), (_MIDDLE, 0.5), (_MIDDLE, 0.8)),
    4: ((_LEFT, 0.2), (_RIGHT, 0.2), (_LEFT, 0.8), (_RIGHT, 0.8)),
    6: ((_LEFT, 0.2), (_RIGHT, 0.2), (_LEFT, 0.5), (_RIGHT, 0.5), (_LEFT, 0.8), (_RIGHT, 0.8)),
    8: tuple((x, y) for y in (0.16, 0.387, 0.613, 0.84) for x in (_LEFT, _RIGHT)),
}
_PIPS[5] = (*_PIPS[4], (_MIDDLE, 0.5))
_PIPS[7] = (*_PIPS[6], (_MIDDLE, 0.35))
_PIPS[9] = (*_PIPS[8], (_MIDDLE, 0.5))
_PIPS[10] = (*_PIPS[8], (_MIDDLE, 0.28), (_MIDDLE, 0.72))


# Parts of courts: how far right of the middle, and how far down.
_SHOULDERS = ((-19.3, 56), (-17, 48), (-7, 42.5), (7, 42.5), (17, 48), (19.3, 56))
_CAP = ((-10, 25), (-9, 18.5), (-2, 15), (8, 16.5), (11, 21), (10, 25))
_FEATHER = ((4, 23), (7, 16), (13, 11.5), (17, 12.5), (14.5, 17), (9, 21))


@lru_cache(maxsize=8)
def _deck(scale: int) -> dict[tuple[int | None, str], Image.Image]:
    """Return all cards and the back (None) in all sizes; drawn at once, so that no frame waits."""
    images = {}
    for card in (None, *range(52)):
        large = _draw_back(scale) if card is None else _draw_face(card, scale)
        for name, (width, height) in CARD_SIZES.items():
            drawn = large if card is None or name != "small" else _draw_small_face(card, scale)
            image = drawn.resize((width * scale, height * scale), Image.Resampling.BOX)
            images[card, name] = _with_shadow(image, scale)
    return images


def card_image(card: int | None, size: str, scale: int) -> Image.Image:
    """Return a card, None for a back, with its shadow: RGBA, larger by SHADOW on each side."""
    return _deck(scale)[card, size]


class _Pen:
    """Draws on a large card in the units of a card of `_WIDTH` by `_HEIGHT`."""

    def __init__(self, scale: int, paper: Colour) -> None:
        self.factor = OVERSAMPLING * scale
        size = (_WIDTH * self.factor, _HEIGHT * self.factor)
        self.image = Image.new("RGBA", size, (*palette.PAPER_EDGE, 0))
        self.draw = ImageDraw.Draw(self.image)
        edge = (*palette.PAPER_EDGE, 255)
        self.draw.rounded_rectangle(self.scaled((0, 0, _WIDTH, _HEIGHT)), self.f(CORNER), edge)
        inner = self.scaled((0.6, 0.6, _WIDTH - 0.6, _HEIGHT - 0.6))
        self.draw.rounded_rectangle(inner, self.f(CORNER - 0.6), (*paper, 255))

    def f(self, length: float) -> int:
        """Return a length in pixels of the large card."""
        return round(length * self.factor)

    def scaled(self, numbers: Sequence[float]) -> list[float]:
        """Return a box, whose far edges count themselves in, in pixels of the large card."""
        left, top, right, bottom = (number * self.factor for number in numbers)
        return [left, top, right - 1, bottom - 1]

    def polygon(self, points: Sequence[Point], colour: Colour) -> None:
        self.draw.polygon([(x * self.factor, y * self.factor) for x, y in points], fill=colour)

    def circle(self, x: float, y: float, radius: float, colour: Colour) -> None:
        self.ellipse(x, y, radius, radius, colour)

    def ellipse(self, x: float, y: float, wide: float, high: float, colour: Colour) -> None:
        self.draw.ellipse(self.scaled((x - wide, y - high, x + wide, y + high)), fill=colour)

    def box(self, box: Sequence[float], colour: Colour, radius: float = 0) -> None:
        self.draw.rounded_rectangle(self.scaled(box), self.f(radius), fill=colour)

    def suit(self, suit: int, x: float, y: float, side: float, colour: Colour) -> None:
        """Draw a suit with its middle at a place."""
        mask = suit_mask(suit, self.f(side))
        corner = (self.f(x) - mask.width // 2, self.f(y) - mask.height // 2)
        self.image.paste(colour, corner, mask)

    def turn_upper_half(self) -> None:
        """Make the lower half the upper one turned around."""
        half = self.image.crop((0, 0, self.image.width, self.image.height // 2))
        self.image.paste(half.rotate(180), (0, self.image.height // 2))


def _draw_face(card: int, scale: int) -> Image.Image:
    rank, suit = rank_of(card), suit_of(card)
    colour = palette.RED if suit in (1, 2) else palette.INK
    pen = _Pen(scale, palette.PAPER)
    if rank >= RANKS.index("J"):
        _draw_court(pen, rank, suit, colour)
    index = "10" if RANKS[rank] == "T" else RANKS[rank]
    # Two figures stand where one does, so they are smaller.
    size = 17 if len(index) > 1 else 21
    write(pen.image, (pen.f(11), pen.f(20)), index, pen.f(size), colour, bold=True, align=0.5)
    pen.suit(suit, 10.6, 30, 13, colour)
    pen.turn_upper_half()
    side = {1: 38.0}.get(rank + 1, 15.0)
    for x, y in _PIPS.get(rank + 1, ()):
        if y <= 0.5:
            pen.suit(suit, x * _WIDTH, y * _HEIGHT, side, colour)
    if any(y > 0.5 for _, y in _PIPS.get(rank + 1, ())):
        _turn_lower_pips(pen, rank, suit, side, colour)
    return pen.image


def _draw_small_face(card: int, scale: int) -> Image.Image:
    """Draw a face to be read at half the size: its rank over its suit."""
    rank, suit = rank_of(card), suit_of(card)
    colour = palette.RED if suit in (1, 2) else palette.INK
    pen = _Pen(scale, palette.PAPER)
    index = "10" if RANKS[rank] == "T" else RANKS[rank]
    place = (pen.f(_WIDTH / 2), pen.f(46))
    write(pen.image, place, index, pen.f(46), colour, bold=True, align=0.5)
    pen.suit(suit, _WIDTH / 2, 78, 44, colour)
    return pen.image


def _turn_lower_pips(pen: _Pen, rank: int, suit: int, side: float, colour: Colour) -> None:
    """Draw the pips of the lower half, which stand on their heads."""
    mask = suit_mask(suit, pen.f(side)).rotate(180)
    for x, y in _PIPS[rank + 1]:
        if y > 0.5:
            corner = (
                pen.f(x * _WIDTH) - mask.width // 2,
                pen.f(y * _HEIGHT) - mask.height // 2,
            )
            pen.image.paste(colour, corner, mask)


def _draw_court(pen: _Pen, rank: int, suit: int, colour: Colour) -> None:
    """Draw the upper half of a court: a figure in a frame."""
    name = RANKS[rank]
    middle = _WIDTH / 2
    left, right, top, line = 20.0, _WIDTH - 20.0, 9.0, 0.7
    pen.box((left, top, right, _HEIGHT), colour)
    pen.box((left + line, top + line, right - line, _HEIGHT), (250, 241, 218))
    robe = (176, 38, 46) if suit in (1, 2) else (40, 54, 98)
    hair = {"J": (166, 98, 40), "Q": (108, 62, 30), "K": (92, 84, 78)}[name]
    _draw_robe(pen, middle, robe)
    if name == "Q":
        pen.ellipse(middle, 34, 10.5, 12.5, hair)
    if name == "J":
        pen.ellipse(middle, 31.5, 9.2, 9.6, hair)
    pen.box((middle - 2.6, 36, middle + 2.6, 44), (232, 194, 160))
    pen.ellipse(middle, 31.5, 6.9, 8.4, palette.SKIN)
    if name == "K":
        pen.ellipse(middle, 37.6, 6.6, 6.6, hair)
        pen.ellipse(middle, 33.2, 5.6, 4.4, palette.SKIN)
        pen.ellipse(middle, 37.8, 2.2, 0.8, (178, 92, 84))
        pen.ellipse(middle, 36.2, 3.8, 1.1, hair)
    else:
        pen.ellipse(middle, 36.6, 1.9, 0.8, (196, 84, 84))
    for side in (-1, 1):
        pen.ellipse(middle + side * 2.9, 31.2, 0.85, 1.0, palette.INK)
    {"J": _draw_cap, "Q": _draw_coronet, "K": _draw_crown}[name](pen, middle, robe)
    pen.suit(suit, left + 6.6, top + 7.2, 9, colour)


def _draw_robe(pen: _Pen, middle: float, robe: Colour) -> None:
    """Draw shoulders, a gilt collar and the band on which the two halves meet."""
    pen.polygon(
        [(middle + x, y) for x, y in _SHOULDERS],
        robe,
    )
    pen.polygon([(middle - 7.5, 42), (middle, 52.5), (middle + 7.5, 42)], palette.GILT)
    pen.polygon([(middle - 4.6, 42), (middle, 48.5), (middle + 4.6, 42)], (250, 241, 218))
    for side in (-1, 1):
        pen.circle(middle + side * 12.5, 50.5, 1.5, palette.GILT)
    pen.box((middle - 19.3, 54.2, middle + 19.3, 56), palette.GILT)


def _draw_crown(pen: _Pen, middle: float, robe: Colour) -> None:
    spikes = [(-9.5, 14.0), (-6.3, 19.5), (-4.6, 12.0), (-2.2, 19.0), (0, 10.2)]
    outline = [(-8.0, 26.0), *spikes]
    pen.polygon(
        [(middle + x, y) for x, y in outline]
        + [(middle - x, y) for x, y in reversed(outline[:-1])],
        palette.GILT,
    )
    for x, y in ((-9.5, 14.0), (-4.6, 12.0), (0.0, 10.8), (4.6, 12.0), (9.5, 14.0)):
        pen.circle(middle + x, y + 0.4, 1.4, palette.GILT)
    pen.box((middle - 8.2, 23.2, middle + 8.2, 26.4), robe)
    for x in (-5.0, 0.0, 5.0):
        pen.circle(middle + x, 24.8, 0.95, palette.GILT)


def _draw_coronet(pen: _Pen, middle: float, robe: Colour) -> None:
    outline = [(-7.6, 25.4), (-9.0, 17.5), (-5.2, 20.6), (-3.4, 15.6), (-1.6, 20.0), (0, 13.6)]
    pen.polygon(
        [(middle + x, y) for x, y in outline]
        + [(middle - x, y) for x, y in reversed(outline[:-1])],
        palette.GILT,
    )
    for x, y in ((-9.0, 17.3), (-3.4, 15.4), (0.0, 13.4), (3.4, 15.4), (9.0, 17.3)):
        pen.circle(middle + x, y, 1.5, (250, 250, 244))
    pen.box((middle - 7.7, 23.6, middle + 7.7, 25.8), robe)


def _draw_cap(pen: _Pen, middle: float, robe: Colour) -> None:
    pen.polygon(
        [(middle + x, y) for x, y in _CAP],
        robe,
    )
    pen.box((middle - 10, 23.4, middle + 10, 26), palette.GILT, radius=1)
    pen.polygon(
        [(middle + x, y) for x, y in _FEATHER],
        palette.GILT,
    )


def _draw_back(scale: int) -> Image.Image:
    pen = _Pen(scale, palette.PAPER)
    box = (4.5, 4.5, _WIDTH - 4.5, _HEIGHT - 4.5)
    pattern = _Pen(scale, palette.BACK)
    pattern.box(box, palette.BACK, 3.5)
    step, width = 7.1, pen.f(0.75)
    for offset in range(-20, 40):
        x = offset * step
        for slant in (_HEIGHT, -_HEIGHT):
            start = (pen.f(x), 0 if slant > 0 else pen.f(_HEIGHT))
            end = (pen.f(x + _HEIGHT), pen.f(_HEIGHT) if slant > 0 else 0)
            pattern.draw.line([start, end], fill=palette.BACK_LIGHT, width=width)
    pattern.circle(_WIDTH / 2, _HEIGHT / 2, 15.5, palette.PAPER)
    pattern.circle(_WIDTH / 2, _HEIGHT / 2, 14.3, palette.BACK)
    for suit, (x, y) in enumerate(((0, -7.4), (7.4, 0), (0, 7.4), (-7.4, 0))):
        pattern.suit((0, 1, 3, 2)[suit], _WIDTH / 2 + x, _HEIGHT / 2 + y, 8.6, palette.PAPER)
    mask = Image.new("L", pen.image.size, 0)
    ImageDraw.Draw(mask).rounded_rectangle(pen.scaled(box), pen.f(3.5), fill=255)
    pen.image.paste(pattern.image, (0, 0), mask)
    return pen.image


def _with_shadow(card: Image.Image, scale: int) -> Image.Image:
    """Return a card on a soft shadow that falls down and to the right."""
    margin = SHADOW * scale
    size = (card.width + 2 * margin, card.height + 2 * margin)
    shadow = Image.new("L", size, 0)
    shadow.paste(120, (margin, margin + round(1.2 * scale)), card.getchannel("A"))
    shadow = shadow.filter(ImageFilter.GaussianBlur(1.7 * scale))
    image = Image.new("RGBA", size, (*palette.SHADE, 0))
    image.putalpha(shadow)
    image.alpha_composite(card, (margin, margin))
    return image
