"""The cribbage board: a track for each seat in three lanes, streets of five, two pegs a seat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import sin

from PIL import Image, ImageDraw, ImageFilter

from cribbage_env.rendering import palette
from cribbage_env.rendering.lettering import write
from cribbage_env.rendering.palette import Colour
from cribbage_env.scoring import DOUBLE_SKUNK_MARGIN, SKUNK_MARGIN

__all__ = ["BOARD_HEIGHT", "BOARD_WIDTH", "MARGIN", "Track", "board_image", "peg_image"]

BOARD_WIDTH, BOARD_HEIGHT = 172, 612
MARGIN = 8
"""Pixels at scale 1 that the image reaches beyond the board on each side, for its shadow."""

LANES, LANE = 3, 40
"""Lanes, and holes in each: 120 in all, as on every board; the last hole stands apart."""
STREET = 5
LANE_AT = (36, 86, 136)
BOTTOM, TOP = 559, 49
STEP, STREET_GAP = 12, 6
TRACK = 8
"""How far a seat's track runs from the middle of its lane."""
OVERSAMPLING = 4


@dataclass(frozen=True)
class Track:
    """Where the holes of a board for a target are, in pixels at scale 1.

    Up to a target of 121 every hole is drawn; in a longer game a place stands for several.
    """

    target: int

    @property
    def holes_a_place(self) -> int:
        """The number of holes that a place stands for."""
        return max(1, -(-(self.target - 1) // (LANES * LANE)))

    @property
    def places(self) -> int:
        """The number of places before the last hole."""
        return -(-(self.target - 1) // self.holes_a_place)

    def at(self, seat: int, hole: int, *, is_rear: bool = False) -> tuple[int, int]:
        """Return where a seat's peg stands: at the start, in a hole, or in the last one.

        >>> track = Track(121)
        >>> track.at(0, 1), track.at(1, 1), track.at(0, 121) == track.at(1, 121)
        ((28, 559), (44, 559), True)
        """
        if hole >= self.target:
            return self._finish()
        if hole <= 0:
            return LANE_AT[0] - TRACK + 2 * TRACK * seat, BOTTOM + (29 if is_rear else 17)
        return self.place_at(seat, (hole - 1) // self.holes_a_place)

    def place_at(self, seat: int, place: int) -> tuple[int, int]:
        """Return where a place of a seat's track is; tracks change sides in every bend."""
        lane, number = divmod(place, LANE)
        side = TRACK if (seat + lane) % 2 else -TRACK
        return LANE_AT[lane] + side, self._height(lane, number)

    def _height(self, lane: int, number: int) -> int:
        number = LANE - 1 - number if lane % 2 else number
        return BOTTOM - STEP * number - STREET_GAP * (number // STREET)

    def _finish(self) -> tuple[int, int]:
        lane, number = divmod(max(self.places - 1, 0), LANE)
        away = STEP + STREET_GAP
        return LANE_AT[lane], self._height(lane, number) + (away if lane % 2 else -away)

    def numbers(self) -> Iterator[tuple[int, int, int]]:
        """Yield the numbers beside every tenth place: hole, lane, height."""
        for place in range(9, self.places, 10):
            hole = (place + 1) * self.holes_a_place
            if hole < self.target:
                lane, number = divmod(place, LANE)
                yield hole, lane, self._height(lane, number)

    def lines(self) -> Iterator[tuple[str, int, int, int]]:
        """Yield the skunk lines (R20): name, lane, height, and 1 or -1, the way to the end."""
        for name, margin in (("skunk", SKUNK_MARGIN), ("double skunk", DOUBLE_SKUNK_MARGIN)):
            mark = self.target - margin
            if mark <= 0:
                continue
            place = (mark - 1) // self.holes_a_place
            lane, number = divmod(place, LANE)
            way = 1 if lane % 2 else -1
            gap = STREET_GAP if (number + 1) % STREET == 0 else 0
            yield name, lane, self._height(lane, number) + way * (STEP + gap) // 2, way


def _mixed(first: Colour, second: Colour, share: float) -> Colour:
    """Return a colour between two; `share` is the second's."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(first, second, strict=True))
    return red, green, blue


@lru_cache(maxsize=16)
def board_image(target: int, scale: int) -> Image.Image:
    """Return a board without pegs: RGBA, larger by MARGIN on each side."""
    track = Track(target)
    factor = OVERSAMPLING * scale
    large = _plank(factor)
    draw = ImageDraw.Draw(large)
    for lane in range(-(-track.places // LANE)):
        for seat in (0, 1):
            _draw_stripe(draw, factor, track, lane, seat)
    for seat in (0, 1):
        for rear in (False, True):
            _draw_hole(draw, factor, *track.at(seat, 0, is_rear=rear))
        for place in range(track.places):
            _draw_hole(draw, factor, *track.place_at(seat, place))
    x, y = track.at(0, target)
    _draw_disc(draw, factor, x, y, 8.5, palette.GOLD)
    _draw_disc(draw, factor, x, y, 7.2, palette.WOOD_DARK)
    _draw_hole(draw, factor, x, y)
    for _, lane, height, _ in track.lines():
        middle = LANE_AT[lane]
        box = (middle - 17.5, height - 0.4, middle + 17.5, height + 1.4)
        draw.rectangle([length * factor for length in box], fill=palette.CHALK)
    board = large.reduce(OVERSAMPLING)
    _write_on(board, track, scale)
    return _with_shadow(board, scale)


def _plank(factor: int) -> Image.Image:
    """Return a plank of wood with its grain, rounded and bevelled."""
    width, height = BOARD_WIDTH * factor, BOARD_HEIGHT * factor
    wood = Image.new("RGB", (BOARD_WIDTH, 1))
    for x in range(BOARD_WIDTH):
        grain = 0.5 + 0.22 * sin(x / 3.1 + 2.5 * sin(x / 17)) + 0.28 * sin(x / 29 + 1)
        wood.putpixel((x, 0), _mixed(palette.WOOD, palette.WOOD_DARK, 0.12 + 0.26 * grain))
    plank = wood.resize((width, height), Image.Resampling.BICUBIC)
    mask = Image.new("L", (width, height), 0)
    box = [0, 0, width - 1, height - 1]
    ImageDraw.Draw(mask).rounded_rectangle(box, 12 * factor, fill=255)
    plank.putalpha(mask)
    draw = ImageDraw.Draw(plank)
    for inset, colour, thickness in (
        (0.0, palette.WOOD_DARK, 1.2),
        (1.2, palette.WOOD_LIGHT, 0.8),
        (6.0, _mixed(palette.WOOD, palette.MAPLE, 0.4), 0.6),
    ):
        edge = inset * factor
        draw.rounded_rectangle(
            [edge, edge, width - 1 - edge, height - 1 - edge],
            (12 - inset) * factor,
            outline=colour,
            width=round(thickness * factor),
        )
    return plank


def _draw_stripe(
    draw: ImageDraw.ImageDraw, factor: int, track: Track, lane: int, seat: int
) -> None:
    """Draw the stripe under a seat's holes in a lane, and the bend to the next lane."""
    wide = 6
    colour = _mixed(palette.SEATS[seat], palette.WOOD, 0.36)
    last = min(track.places, (lane + 1) * LANE) - 1
    x, start = track.place_at(seat, lane * LANE)
    _, end = track.place_at(seat, last)
    low, high = sorted((start, end))
    is_bent_in, is_bent_out = lane > 0, track.places > (lane + 1) * LANE
    is_down = lane % 2 == 1
    if not (is_bent_out if is_down else is_bent_in):
        high += 9
    if not (is_bent_in if is_down else is_bent_out):
        low -= 9
    draw.rounded_rectangle(
        [(x - wide) * factor, low * factor, (x + wide) * factor, high * factor],
        3 * factor if not is_bent_out and not is_bent_in else 0,
        fill=colour,
    )
    if is_bent_out:
        middle = (LANE_AT[lane] + LANE_AT[lane + 1]) / 2
        radius = abs(x - middle) + wide
        box = [middle - radius, end - radius, middle + radius, end + radius]
        angles = (0, 180) if is_down else (180, 360)
        scaled = [length * factor for length in box]
        draw.arc(scaled, *angles, fill=colour, width=2 * wide * factor)


def _draw_disc(
    draw: ImageDraw.ImageDraw, factor: int, x: float, y: float, radius: float, colour: Colour
) -> None:
    """Draw a disc around the middle of a pixel."""
    box = (x + 0.5 - radius, y + 0.5 - radius, x + 0.5 + radius, y + 0.5 + radius)
    left, top, right, bottom = (length * factor for length in box)
    draw.ellipse([left, top, right - 1, bottom - 1], fill=colour)


def _draw_hole(draw: ImageDraw.ImageDraw, factor: int, x: int, y: int) -> None:
    _draw_disc(draw, factor, x, y + 0.5, 3.0, _mixed(palette.WOOD, palette.MAPLE, 0.5))
    _draw_disc(draw, factor, x, y, 2.8, palette.HOLE)


def _write_on(board: Image.Image, track: Track, scale: int) -> None:
    """Write the numbers, the names of the lines, start and finish on a board."""
    for hole, lane, height in track.numbers():
        place = ((LANE_AT[lane] - 17) * scale, (height + 3.5) * scale)
        write(board, place, str(hole), 8 * scale, palette.MAPLE, align=1)
    for name, lane, height, way in track.lines():
        if track.holes_a_place > 1:
            break  # there is no room between the numbers
        label = Image.new("RGBA", (60 * scale, 12 * scale), (*palette.MAPLE, 0))
        write(label, (30 * scale, 9 * scale), name, 8 * scale, palette.MAPLE, align=0.5)
        label = label.crop(label.getbbox()).rotate(90, expand=True)
        left = (LANE_AT[lane] - 21) * scale - label.width // 2
        top = (height + way * 6) * scale - (label.height if way < 0 else 0)
        board.alpha_composite(label, (left, top))
    x, y = track.at(0, 0, is_rear=True)
    write(
        board, ((x + TRACK) * scale, (y + 16) * scale), "START", 8 * scale, palette.MAPLE, align=0.5
    )
    x, y = track.at(0, track.target)
    write(
        board,
        ((x - 12) * scale, (y + 4) * scale),
        str(track.target),
        9 * scale,
        palette.GOLD,
        align=1,
    )


def _with_shadow(board: Image.Image, scale: int) -> Image.Image:
    margin = MARGIN * scale
    size = (board.width + 2 * margin, board.height + 2 * margin)
    shadow = Image.new("L", size, 0)
    shadow.paste(150, (margin, margin + 2 * scale), board.getchannel("A"))
    image = Image.new("RGBA", size, (*palette.SHADE, 0))
    image.putalpha(shadow.filter(ImageFilter.GaussianBlur(2.5 * scale)))
    image.alpha_composite(board, (margin, margin))
    return image


@lru_cache(maxsize=16)
def peg_image(seat: int, scale: int, *, is_rear: bool) -> Image.Image:
    """Return a peg from above, RGBA; the middle of the image goes where its hole is."""
    colour = palette.SEATS[seat]
    factor = OVERSAMPLING * scale
    side = 17
    large = Image.new("RGBA", (side * factor, side * factor), (*palette.HOLE, 0))
    draw = ImageDraw.Draw(large)
    middle = side // 2
    radius = 4.6 if is_rear else 5.4
    _draw_disc(draw, factor, middle + 0.8, middle + 1.4, radius, palette.HOLE)
    _draw_disc(draw, factor, middle, middle, radius, palette.CHALK if not is_rear else palette.HOLE)
    _draw_disc(draw, factor, middle, middle, radius - (0.9 if is_rear else 1.2), colour)
    light = palette.SEATS_LIGHT[seat]
    _draw_disc(draw, factor, middle - 1.2, middle - 1.3, radius * 0.28, light)
    return large.reduce(OVERSAMPLING)
