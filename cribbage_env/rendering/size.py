"""How large pictures are; for those too who only ask for one."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["HEIGHT", "MAX_SCALE", "WIDTH", "check_scale"]

WIDTH, HEIGHT = 960, 640
"""The size of a picture in pixels at scale 1."""
MAX_SCALE = 4


def check_scale(scale: Any, what: str = "scale") -> int:
    """Return how many times larger a picture is to be.

    Raises:
        ValueError: outside 1..4.
        TypeError: not an integer.
    """
    if isinstance(scale, bool) or not isinstance(scale, (int, np.integer)):
        raise TypeError(f"{what} must be an integer, not {scale!r}")
    if not 1 <= scale <= MAX_SCALE:
        raise ValueError(f"{what} {scale} is outside 1..{MAX_SCALE}")
    return int(scale)
