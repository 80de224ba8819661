"""The colours of the table."""

from __future__ import annotations

Colour = tuple[int, int, int]

FELT_LIGHT: Colour = (38, 104, 84)
FELT_DARK: Colour = (13, 48, 42)
PANEL: Colour = (10, 38, 34)
CHALK: Colour = (240, 236, 222)
MUTED: Colour = (150, 176, 162)
FAINT: Colour = (92, 128, 112)
GOLD: Colour = (244, 200, 96)
SHADE: Colour = (6, 24, 20)

PAPER: Colour = (253, 250, 241)
PAPER_EDGE: Colour = (196, 186, 164)
INK: Colour = (28, 30, 38)
RED: Colour = (200, 32, 44)
RED_ON_DARK: Colour = (255, 128, 120)
RED_MUTED: Colour = (206, 124, 112)
GILT: Colour = (222, 170, 62)
SKIN: Colour = (246, 214, 182)

BACK: Colour = (122, 30, 44)
BACK_LIGHT: Colour = (196, 112, 104)

WOOD_LIGHT: Colour = (196, 142, 88)
WOOD: Colour = (150, 97, 56)
WOOD_DARK: Colour = (84, 50, 28)
MAPLE: Colour = (236, 208, 162)
HOLE: Colour = (62, 38, 22)

SEATS: tuple[Colour, Colour] = ((222, 74, 56), (44, 120, 204))
"""The pegs and tracks of seat 0 and seat 1, told apart by colour-blind people too."""
SEATS_LIGHT: tuple[Colour, Colour] = ((255, 150, 128), (138, 196, 255))
"""The same where they stand as text on the dark table."""
