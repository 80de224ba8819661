"""Lean kernels count no references: what is made around them must still be freed."""

from __future__ import annotations

from collections.abc import Iterator

import numba
import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys

from cribbage_env.engine.compile import kernel, lean_kernel
from cribbage_env.lanes import Lanes
from cribbage_env.policy import make_policy

pytestmark = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="nothing is compiled, Python itself frees"
)


@pytest.fixture
def counted() -> Iterator[None]:
    """Let numba count what it allocates and frees."""
    was_counted = _nrt_python.memsys_stats_enabled()
    _nrt_python.memsys_enable_stats()
    yield
    if not was_counted:
        _nrt_python.memsys_disable_stats()


def kept_since(before: tuple[int, int]) -> int:
    """Return how many arrays were made and not freed since the count stood so."""
    now = rtsys.get_allocation_stats()
    return (now.alloc - before[0]) - (now.free - before[1])


@pytest.mark.parametrize(
    "player", ["random", "greedy", "club", "expert:worlds=4", "expert:worlds=4,habits=true"]
)
def test_games_free_all_that_they_make(counted: None, player: str) -> None:
    lanes = Lanes(4, [make_policy(player)])
    lanes.seats[:] = 0
    seeds, games = np.full(4, 7, np.uint64), np.arange(4)
    start = rtsys.get_allocation_stats()
    lanes.begin(games, seeds, games, np.full(4, -1), np.zeros((4, 2), np.int64), 31)
    lanes.play_on()
    made = rtsys.get_allocation_stats().alloc - start.alloc
    assert (lanes.states["winner"] >= 0).all()
    assert made > 4
    assert kept_since((start.alloc, start.free)) == 0


@pytest.mark.parametrize("observation", ["cards", "features", "lookahead"])
def test_observing_frees_all_that_it_makes(counted: None, observation: str) -> None:
    lanes = Lanes(4)
    every = np.arange(4)
    lanes.begin(every, np.full(4, 7, np.uint64), every, every % 2, np.zeros((4, 2), np.int64), 121)
    start = rtsys.get_allocation_stats()
    lanes.observe(every, every % 2, observation)
    assert kept_since((start.alloc, start.free)) == 0


def test_the_count_would_see_an_array_that_is_kept(counted: None) -> None:
    @numba.njit
    def made() -> np.ndarray:  # type: ignore[type-arg]
        return np.zeros(3)

    made()
    start = rtsys.get_allocation_stats()
    kept = made()
    assert kept_since((start.alloc, start.free)) == 1
    assert kept.sum() == 0


def test_a_lean_kernel_can_make_no_array() -> None:
    @lean_kernel
    def total(size: int) -> float:
        return float(np.zeros(size).sum())

    with pytest.raises(numba.core.errors.TypingError):
        total(3)


def test_a_kernel_may_make_arrays_whoever_calls_it_first() -> None:
    @kernel
    def total(size: int) -> float:
        return float(np.ones(size).sum())

    @lean_kernel
    def twice(size: int) -> float:
        return 2 * total(size)

    assert twice(3) == 6.0
    assert total(3) == 3.0
