"""How the crib table is made, with made-up estimates, and how its command writes it."""

from __future__ import annotations

import io
import json
import runpy
import sys
import warnings
from contextlib import redirect_stderr
from dataclasses import FrozenInstanceError
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env.cards import rank_of, suit_of
from cribbage_env.engine import crib_values
from cribbage_env.engine.crib_values import CribTable, build_crib_values
from cribbage_env.engine.tables import DATA, load_book

pytestmark = pytest.mark.kernels

PONE, DEALER = 0, 1
SHAPE = (13, 13, 2)


@pytest.mark.parametrize("role", [PONE, DEALER])
def test_every_pair_of_ranks_is_estimated_by_two_cards(role: int) -> None:
    book = load_book()
    pairs = set()

    def estimate(first: int, second: int, is_dealer: bool, *rest: Any) -> tuple[float, float]:
        assert rest[:2] == (8, 30)
        assert rest[2].crib_value.tobytes() == book[0].crib_value.tobytes()
        assert is_dealer is (role == DEALER)
        assert first != second
        assert (suit_of(first), suit_of(second)) in {(0, 0), (0, 1)}
        is_suited = suit_of(first) == suit_of(second)
        pairs.add((rank_of(first), rank_of(second), is_suited))
        value = 100.0 * rank_of(first) + rank_of(second) + is_suited / 2
        return value, -value

    with patch.object(crib_values, "estimate_crib", estimate):
        means, errors = crib_values._estimate_role(role, 8, 30, book)
    assert means.shape == errors.shape == SHAPE
    assert len(pairs) == 91 + 78
    for low in range(13):
        for high in range(low, 13):
            for is_suited in (0, 1):
                value = 100 * low + high + (is_suited / 2 if low != high else 0)
                assert means[low, high, is_suited] == means[high, low, is_suited] == value
                assert errors[low, high, is_suited] == errors[high, low, is_suited] == -value


def test_both_players_answer_each_other_round_by_round() -> None:
    shipped = load_book()["crib_value"].copy()
    rng = np.random.default_rng(2)
    answers = rng.uniform(3, 7, (6, *SHAPE))
    errors = rng.uniform(0, 1, (6, *SHAPE))
    errors[1, 2, 3, 1] = 3.0  # the largest of all is that of a round before the last
    errors[4, 5, 6, 0], errors[5, 7, 8, 1] = 1.5, 2.5
    calls: list[tuple[int, Any, int, NDArray[np.float64]]] = []

    def estimate(role: int, seed: Any, deals: int, book: Any) -> Any:
        calls.append((role, seed, deals, book["crib_value"][0].copy()))
        return answers[len(calls) - 1], errors[len(calls) - 1]

    with patch.object(crib_values, "_estimate_role", estimate):
        table = build_crib_values(deals=12, rounds=3, seed=2**64 - 1)
    assert [call[:3] for call in calls] == [(role, 2**64 - 1, 12) for role in (DEALER, PONE)] * 3
    assert all(isinstance(call[1], np.uint64) for call in calls)
    # The dealer goes all the way to the answer; pone half of it, but for the first time.
    pone = np.stack([np.zeros(SHAPE), answers[1], np.empty(SHAPE), np.empty(SHAPE)])
    for number in (2, 3):
        pone[number] = (pone[number - 1] + answers[2 * number - 1]) / 2
    before = [np.zeros(SHAPE), *answers[::2]]
    for number in range(3):
        asked_dealer, asked_pone = calls[2 * number][3], calls[2 * number + 1][3]
        np.testing.assert_allclose(asked_dealer, [pone[number], before[number]], rtol=1e-12)
        np.testing.assert_allclose(asked_pone, [pone[number], before[number + 1]], rtol=1e-12)
    np.testing.assert_allclose(table.values, [pone[3], answers[4]], rtol=1e-12)
    change = max(abs(pone[3] - pone[2]).max(), abs(answers[4] - answers[2]).max())
    assert table.last_change == pytest.approx(change)
    assert table.largest_error == 2.5
    assert (type(table.last_change), type(table.largest_error)) == (float, float)
    assert np.array_equal(load_book()["crib_value"], shipped)
    with pytest.raises(FrozenInstanceError):
        table.last_change = 0.0  # type: ignore[misc]


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ((1, 1, 0), ""),
        ((1, 1, 2**64 - 1), ""),
        ((0, 1, 1), "deals must be 1 or more, not 0"),
        ((1, 0, 1), "rounds must be 1 or more, not 0"),
        ((1, 1, -1), "seed must be 0..2\\*\\*64-1, not -1"),
        ((1, 1, 2**64), f"seed must be 0..2\\*\\*64-1, not {2**64}"),
        ((1, 1, 2**64 + 1), f"seed must be 0..2\\*\\*64-1, not {2**64 + 1}"),
    ],
)
def test_numbers_of_a_run_are_looked_at_first(numbers: tuple[int, int, int], words: str) -> None:
    deals, rounds, seed = numbers
    nothing = np.zeros((2, *SHAPE))
    with patch.object(crib_values, "_estimate_role", lambda *_: nothing):
        if words:
            with pytest.raises(ValueError, match=f"^{words}$"):
                build_crib_values(deals=deals, rounds=rounds, seed=seed)
        else:
            table = build_crib_values(deals=deals, rounds=rounds, seed=seed)
            assert not table.values.any()


def test_the_command_makes_what_it_is_told_and_writes_over_nothing_unasked() -> None:
    asked: list[dict[str, int]] = []

    def build(**numbers: int) -> CribTable:
        asked.append(numbers)
        return CribTable(np.full((2, *SHAPE), float(len(asked))), 0.123456789, 0.987654321)

    with TemporaryDirectory() as name, patch.object(crib_values, "build_crib_values", build):
        folder = Path(name)
        crib_values.main(["--folder", name])
        with pytest.raises(SystemExit, match="2"), redirect_stderr(io.StringIO()) as said:
            crib_values.main(["--folder", name])
        assert "crib_values.npy exists already" in said.getvalue()
        assert (np.load(folder / "crib_values.npy") == 1).all()
        facts = json.loads((folder / "crib_values.json").read_text(encoding="utf-8"))
        assert (facts["deals"], facts["rounds"], facts["seed"]) == (20_000, 6, 1)
        assert facts["largest_standard_error"] == 0.12346
        assert facts["largest_change_in_last_round"] == 0.98765
        told = "--deals 7 --rounds 2 --seed 5"
        crib_values.main([*told.split(), "--folder", name, "--overwrite"])
        assert (np.load(folder / "crib_values.npy") == 2).all()
        facts = json.loads((folder / "crib_values.json").read_text(encoding="utf-8"))
        assert facts["command"] == f"python -m cribbage_env.engine.crib_values {told}"
        assert (facts["deals"], facts["rounds"], facts["seed"]) == (7, 2, 5)
    assert asked == [
        {"deals": 20_000, "rounds": 6, "seed": 1},
        {"deals": 7, "rounds": 2, "seed": 5},
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("", f"{DATA / 'crib_values.npy'} exists already"),
        ("--deals 0", "deals must be 1 or more, not 0"),
        ("--rounds 0", "rounds must be 1 or more, not 0"),
        ("--seed -1", "seed must be 0..2**64-1, not -1"),
        ("--deals many", "invalid int value: 'many'"),
    ],
)
def test_a_bad_command_is_refused_in_a_line(line: str, words: str) -> None:
    for run in (crib_values.main, run_as_a_command):
        said = io.StringIO()
        with redirect_stderr(said), pytest.raises(SystemExit, match="2"):
            run(line.split())
        assert said.getvalue().startswith("python -m cribbage_env.engine.crib_values: ")
        assert words in said.getvalue()
        assert said.getvalue().count("\n") == 1


def run_as_a_command(arguments: list[str]) -> None:
    with patch.object(sys, "argv", ["", *arguments]), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the module is imported already
        runpy.run_module("cribbage_env.engine.crib_values", run_name="__main__")
