"""Where the time of a training goes: playing, learning, and what happens between two updates."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

__all__ = ["BESIDES", "LEARNING", "PLAYING", "Clock"]

PLAYING: Final = "playing"
LEARNING: Final = "learning"
BESIDES: Final = "besides"
"""Evaluations, checkpoints and what else happens between two updates."""
ACTIVITIES: Final = (PLAYING, LEARNING, BESIDES)


class Clock:
    """Adds up the seconds of each activity.

    >>> clock = Clock({"playing": 2.0, "learning": 3.0, "besides": 5.0})
    >>> clock.figures(50_000)
    {'decisions_per_second': 10000.0, 'playing_share': 0.4}
    """

    def __init__(self, seconds: Mapping[str, float] | None = None) -> None:
        """Begin with what was measured before a resume."""
        self.seconds = dict.fromkeys(ACTIVITIES, 0.0) | dict(seconds or {})
        self._activity = ""
        self._began = 0.0

    def turn_to(self, activity: str) -> None:
        """End what went on until now, and begin an activity; none is an empty name."""
        now = time.perf_counter()
        if self._activity:
            self.seconds[self._activity] += now - self._began
        self._activity, self._began = activity, now

    def figures(self, decisions: int) -> dict[str, float]:
        """Return decisions a second of playing and learning, and the share of it that was play."""
        both = self.seconds[PLAYING] + self.seconds[LEARNING]
        if both <= 0.0:
            return {}
        return {
            "decisions_per_second": round(decisions / both, 1),
            "playing_share": round(self.seconds[PLAYING] / both, 3),
        }
