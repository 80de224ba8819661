"""The outlines of the four suits, as polygons in a box of side 1 (y grows downwards)."""

from __future__ import annotations

from math import cos, pi, sin

__all__ = ["Point", "Polygon", "outlines"]

Point = tuple[float, float]
Polygon = tuple[Point, ...]

_STEPS = 24
"""Straight pieces to a curve; no corner shows at any size that is drawn."""


def outlines(suit: int) -> tuple[Polygon, ...]:
    """Return the polygons that make up a suit (0 clubs, 1 diamonds, 2 hearts, 3 spades).

    >>> [len(outlines(suit)) for suit in range(4)]
    [4, 1, 1, 2]
    """
    return (_CLUB, _DIAMOND, _HEART, _SPADE)[suit]


def _curve(start: Point, *pieces: tuple[Point, Point, Point]) -> Polygon:
    """Return cubic Bézier curves in a row; each piece has two control points and its end."""
    points = [start]
    for first, second, end in pieces:
        origin = points[-1]
        for step in range(1, _STEPS + 1):
            t = step / _STEPS
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            controls = (origin, first, second, end)
            points.append(
                (
                    sum(w * x for w, (x, _) in zip(weights, controls, strict=True)),
                    sum(w * y for w, (_, y) in zip(weights, controls, strict=True)),
                )
            )
    return tuple(points)


def _mirrored(half: Polygon) -> Polygon:
    """Return a left half, from its top to its bottom on the axis, closed by its mirror image."""
    return half + tuple((1 - x, y) for x, y in reversed(half))


def _circle(x: float, y: float, radius: float) -> Polygon:
    angles = (2 * pi * step / (2 * _STEPS) for step in range(2 * _STEPS))
    return tuple((x + radius * cos(angle), y + radius * sin(angle)) for angle in angles)


_HEART = (
    _mirrored(
        _curve(
            (0.5, 0.27),
            ((0.45, 0.13), (0.36, 0.06), (0.26, 0.06)),
            ((0.11, 0.06), (0.03, 0.18), (0.03, 0.32)),
            ((0.03, 0.56), (0.32, 0.72), (0.5, 0.96)),
        )
    ),
)
_STEM = _mirrored(
    _curve(
        (0.5, 0.58),
        ((0.48, 0.76), (0.42, 0.88), (0.29, 0.95)),
        ((0.4, 0.95), (0.5, 0.95), (0.5, 0.95)),
    )
)
_SPADE = (
    _mirrored(
        _curve(
            (0.5, 0.03),
            ((0.33, 0.26), (0.05, 0.39), (0.05, 0.6)),
            ((0.05, 0.73), (0.14, 0.8), (0.25, 0.8)),
            ((0.36, 0.8), (0.46, 0.74), (0.5, 0.63)),
        )
    ),
    _STEM,
)
_DIAMOND = (
    _mirrored(
        _curve(
            (0.5, 0.02),
            ((0.41, 0.2), (0.27, 0.37), (0.12, 0.5)),
            ((0.27, 0.63), (0.41, 0.8), (0.5, 0.98)),
        )
    ),
)
_CLUB = (
    _circle(0.5, 0.255, 0.215),
    _circle(0.245, 0.595, 0.215),
    _circle(0.755, 0.595, 0.215),
    _mirrored(
        _curve(
            (0.5, 0.36),
            ((0.44, 0.4), (0.44, 0.5), (0.36, 0.58)),
            ((0.46, 0.6), (0.45, 0.84), (0.29, 0.95)),
            ((0.4, 0.95), (0.5, 0.95), (0.5, 0.95)),
        )
    ),
)
