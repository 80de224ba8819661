"""A picture to draw on, in pixels at scale 1 whatever the scale; shapes are smooth at each."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw

from cribbage_env.rendering import palette
from cribbage_env.rendering.board import MARGIN, board_image, peg_image
from cribbage_env.rendering.faces import CARD_SIZES, CORNER, SHADOW, card_image
from cribbage_env.rendering.lettering import text_width, write
from cribbage_env.rendering.palette import Colour
from cribbage_env.rendering.size import HEIGHT, WIDTH

__all__ = ["Canvas"]

OVERSAMPLING = 4


class Canvas:
    """An RGB image of WIDTH by HEIGHT times the scale; places and lengths are those of scale 1."""

    def __init__(self, scale: int) -> None:
        """Begin with the bare felt."""
        self.scale = scale
        self.image = _felt(scale).copy()

    @classmethod
    def on(cls, background: Image.Image, scale: int) -> Canvas:
        """Return a canvas that begins with a copy of an image."""
        canvas = cls.__new__(cls)
        canvas.scale = scale
        canvas.image = background.copy()
        return canvas

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: int,
        colour: Colour = palette.CHALK,
        *,
        bold: bool = False,
        align: float = 0.0,
        red: Colour = palette.RED_ON_DARK,
    ) -> float:
        """Write a line with its baseline at y and return its width."""
        place = (x * self.scale, y * self.scale)
        write(self.image, place, text, size * self.scale, colour, bold=bold, align=align, red=red)
        return self.width_of(text, size, bold=bold)

    def width_of(self, text: str, size: int, *, bold: bool = False) -> float:
        """Return the width of a line."""
        return text_width(text, size * self.scale, bold=bold) / self.scale

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        colour: Colour,
        *,
        radius: float = 0.0,
        opacity: float = 1.0,
        outline: float = 0.0,
    ) -> None:
        """Fill a rounded box, or with `outline` draw its edge so thick."""
        scale = self.scale
        size = (round(width * scale), round(height * scale))
        mask = _box_mask(*size, radius * scale, outline * scale, round(255 * opacity))
        self.image.paste(colour, (round(x * scale), round(y * scale)), mask)

    def disc(self, x: float, y: float, radius: float, colour: Colour) -> None:
        """Fill a disc around a place."""
        side = 2 * radius
        self.box(x - radius, y - radius, side, side, colour, radius=radius)

    def card(self, x: float, y: float, card: int | None, size: str, *, shade: float = 0.0) -> None:
        """Draw a card, None face down, with its upper left corner at a place; shaded or not."""
        image = card_image(card, size, self.scale)
        corner = (round((x - SHADOW) * self.scale), round((y - SHADOW) * self.scale))
        self.image.paste(image, corner, image)
        if shade:
            width, height = CARD_SIZES[size]
            radius = CORNER * width / CARD_SIZES["hand"][0]
            self.box(x, y, width, height, palette.FELT_DARK, radius=radius, opacity=shade)

    def board(self, x: float, y: float, target: int) -> None:
        """Draw the board with its upper left corner at a place."""
        image = board_image(target, self.scale)
        corner = (round((x - MARGIN) * self.scale), round((y - MARGIN) * self.scale))
        self.image.paste(image, corner, image)

    def peg(self, x: float, y: float, seat: int, *, is_rear: bool) -> None:
        """Draw a peg in the hole around the pixel at a place."""
        image = peg_image(seat, self.scale, is_rear=is_rear)
        middle = self.scale // 2 - image.width // 2
        corner = (round(x * self.scale) + middle, round(y * self.scale) + middle)
        self.image.paste(image, corner, image)


@lru_cache(maxsize=4)
def _felt(scale: int) -> Image.Image:
    """Return green felt, lit in the middle of the table."""
    width, height = WIDTH * scale, HEIGHT * scale
    x = (np.arange(width) / width - 0.36)[None, :] * 1.25
    y = (np.arange(height) / height - 0.5)[:, None] * 1.05
    light = np.exp(-2.4 * (x * x + y * y))[:, :, None]
    dark, bright = np.array(palette.FELT_DARK), np.array(palette.FELT_LIGHT)
    return Image.fromarray(np.round(dark + (bright - dark) * light).astype(np.uint8))


@lru_cache(maxsize=256)
def _box_mask(width: int, height: int, radius: float, outline: float, level: int) -> Image.Image:
    mask = Image.new("L", (width * OVERSAMPLING, height * OVERSAMPLING), 0)
    box = [0, 0, mask.width - 1, mask.height - 1]
    draw = ImageDraw.Draw(mask)
    if outline:
        thickness = round(outline * OVERSAMPLING)
        draw.rounded_rectangle(box, radius * OVERSAMPLING, outline=level, width=thickness)
    else:
        draw.rounded_rectangle(box, radius * OVERSAMPLING, fill=level)
    return mask.reduce(OVERSAMPLING)
