"""How the win table is solved: near the end from deals played for the game, with any threads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env.bots.expert import solve as module
from cribbage_env.bots.expert.solve import solve
from cribbage_env.engine.tables import load_book

KNOWN = ("win", "hand_chance", "crib_chance")


@pytest.fixture(autouse=True)
def _the_book_stays_as_it_was() -> Iterator[None]:
    book = load_book()
    before = {name: book[name].copy() for name in KNOWN}
    yield
    for name, values in before.items():
        book[name] = values


def solved(monkeypatch: pytest.MonkeyPatch, error: float, **settings: Any) -> NDArray[np.float64]:
    """Solve with few deals, and with two holes to go at most as near the end."""
    monkeypatch.setattr(module, "BATCH", 50)
    monkeypatch.setattr(module, "LAST", 2)
    monkeypatch.setattr(module, "LATE", 2)
    return solve(600, error, seed=3, **settings)[1]


def test_threads_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = solved(monkeypatch, 0.05, threads=1)
    np.testing.assert_array_equal(solved(monkeypatch, 0.05, threads=3), alone)
    np.testing.assert_allclose(alone[0, 1:, 1:], 1 - alone[1, 1:, 1:].T, atol=1e-12)


def test_near_the_end_the_table_is_that_of_play_for_the_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """All deals played again from each of these scores come to the table that is shipped."""
    shipped = load_book()["win"][0].copy()
    found = solved(monkeypatch, 1e-9)
    near = np.abs(found[1, 1:3, 1:3] - shipped[1, 1:3, 1:3])
    assert (near < 0.08).all()  # four standard errors of 600 deals
    # Far from the end nothing is known of the score, but that a hole is a hole.
    assert np.abs(found - shipped)[1, 1:, 1:].mean() < 0.03


def test_what_was_lucky_is_corrected_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control takes a part of the error away, and so fewer deals are played."""
    numbers = []
    walk = module._walk

    def counted(*arguments: Any) -> None:
        numbers.append(len(arguments[2]))
        walk(*arguments)

    monkeypatch.setattr(module, "_walk", counted)
    solved(monkeypatch, 0.03)
    # Four pairs of needs, with chances of 0.6 to 0.75: 0.25 / 0.03² is 230 to 270 without it.
    assert 4 * 50 < sum(numbers) < 4 * 270
