"""Timing that stands a busy machine: contenders take turns, and each counts by its best turn."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

__all__ = ["Contender", "Figure", "race", "stay_on_one_core"]


@dataclass(frozen=True)
class Contender:
    """Something to be timed: `work` is called with a share of the time and says what it did."""

    name: str
    unit: str
    work: Callable[[float], tuple[int, float]]
    """``work(seconds)`` works about so long; returns the units done and the seconds they took."""


@dataclass(frozen=True)
class Figure:
    """What was measured: units a second, in each turn."""

    name: str
    unit: str
    turns: tuple[float, ...]

    @property
    def best(self) -> float:
        """The best turn: what the others lack was taken by other programs."""
        return max(self.turns)

    @property
    def median(self) -> float:
        """The turn in the middle."""
        return median(self.turns)

    def __str__(self) -> str:
        """Return one line with both."""
        return f"{self.name:<58} {self.best:>13,.0f} {self.unit}/s (median {self.median:,.0f})"


def race(contenders: Sequence[Contender], *, turns: int = 5, seconds: float = 1.0) -> list[Figure]:
    """Let each contender work in turn, `turns` times over, about `seconds` a turn."""
    for contender in contenders:
        contender.work(0.0)  # what happens only once is not timed
    rates: list[list[float]] = [[] for _ in contenders]
    for _ in range(turns):
        for contender, own in zip(contenders, rates, strict=True):
            units, took = contender.work(seconds)
            own.append(units / took)
    return [
        Figure(contender.name, contender.unit, tuple(own))
        for contender, own in zip(contenders, rates, strict=True)
    ]


def repeat(once: Callable[[], int], seconds: float) -> tuple[int, float]:
    """Call `once`, which returns the units it did, until the time is up; at least one time."""
    units = 0
    begun = time.perf_counter()
    while True:
        units += once()
        took = time.perf_counter() - begun
        if took >= seconds:
            return units, took


def stay_on_one_core() -> bool:
    """Keep this process and its children on the first core it may use; False where it can't."""
    if not hasattr(os, "sched_setaffinity"):
        return False
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    return True
