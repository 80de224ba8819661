"""Lanes in several threads: the same games and the same observations as in one."""

from __future__ import annotations

import copy

import numpy as np
import pytest

from cribbage_env.lanes import CALLER, Lanes
from cribbage_env.policy import make_policy


def begun(threads: int, number: int) -> Lanes:
    lanes = Lanes(number, [make_policy("expert:worlds=4")], threads=threads)
    every = np.arange(number)
    lanes.seats[:, 1] = 0
    lanes.seats[: number // 2, 0] = 0
    seeds, nobody = np.full(number, 9, np.uint64), np.full(number, -1)
    lanes.begin(every, seeds, every, nobody, np.zeros((number, 2), np.int64), 31)
    return lanes


@pytest.mark.parametrize(("threads", "number"), [(3, 40), (4, 2)])
def test_threads_change_nothing(threads: int, number: int) -> None:
    one, several = begun(1, number), copy.deepcopy(begun(threads, number))
    assert several.threads == threads
    for lanes in (one, several):
        lanes.play_on()
    assert (one.states == several.states).all()
    assert (one.tally == several.tally).all()
    waiting = np.flatnonzero((one.seats[:, 0] == CALLER) & (one.states["turn"] == 0))
    assert len(waiting)
    found = [
        lanes.observe(waiting, np.zeros_like(waiting), "lookahead") for lanes in (one, several)
    ]
    for first, second in zip(*found, strict=True):
        assert first.tobytes() == second.tobytes()
