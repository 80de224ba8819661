"""The benchmarks: who is timed, how turns are counted, and that the work is what it says."""

from __future__ import annotations

import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from benchmarks import __main__ as program
from benchmarks import peers
from benchmarks.lanes import ObservedLanes
from benchmarks.measure import Contender, Figure, race, repeat


def test_contenders_take_turns_and_the_best_counts() -> None:
    calls: list[str] = []

    def contender(name: str, rates: list[int]) -> Contender:
        left = iter(rates)

        def work(seconds: float) -> tuple[int, float]:
            calls.append(name)
            return next(left), 2.0

        return Contender(name, "steps", work)

    slow, fast = race([contender("slow", [0, 2, 6, 4]), contender("fast", [0, 20, 8, 40])], turns=3)
    assert "".join(name[0] for name in calls) == "sf" * 4
    assert (slow.turns, slow.best, slow.median) == ((1.0, 3.0, 2.0), 3.0, 2.0)
    assert (fast.best, fast.median) == (20.0, 10.0)


def test_a_ratio_is_that_of_the_turns() -> None:
    figures = [
        Figure(program.PEER, "decisions", (1.0, 2.0, 4.0)),
        Figure(program.BATCH, "decisions", (20.0, 44.0, 76.0)),
        Figure(program.SINGLE, "steps", (1.0, 1.0, 2.0)),
    ]
    assert program.ratios(figures) == [
        (program.BATCH, program.PEER, 20.0),
        (program.SINGLE, program.PEER, 0.5),
    ]


def test_work_is_repeated_until_the_time_is_up() -> None:
    assert repeat(lambda: 7, 0.0)[0] == 7
    units, took = repeat(lambda: 7, 0.01)
    assert units % 7 == 0
    assert took >= 0.01


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="many decisions, slow uncompiled")
@pytest.mark.parametrize("observation", ["cards", "features"])
def test_an_observation_and_a_mask_for_every_decision(observation: str) -> None:
    lanes = ObservedLanes("random", observation, seed=3)
    decisions, _ = lanes.work(0.0)
    assert decisions == 1024 * 32
    assert (lanes._masks.sum(axis=1) > 0).all()
    assert ((lanes._observations >= 0) & (lanes._observations <= 1)).all()
    assert (lanes._observations.sum(axis=1) > 5).all()
    assert len(np.unique(lanes._observations, axis=0)) == 1024
    assert (lanes._states["deals"] >= 3).all()  # 32 decisions, at most ten a deal


@pytest.mark.parametrize("is_from_outcomes", [False, True])
def test_the_peer_counts_cards_thrown_and_laid(is_from_outcomes: bool) -> None:
    pytest.importorskip("pyspiel")
    games = peers.RandomGames(1, is_from_outcomes=is_from_outcomes)
    # Ten decisions a deal, or fewer where a card laid ends the game, and some twelve deals a game;
    # with the forced passes counted there would be over 160.
    counts = [games.play_one() for _ in range(20)]
    assert any(count % 10 == 0 for count in counts)
    assert 110 < np.mean(counts) < 140


def test_a_file_that_exists_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "figures.json"
    path.write_text("kept", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--json", str(path)])
    monkeypatch.setattr(program, "race", None)
    with pytest.raises(SystemExit) as leaving:
        program.main()
    assert leaving.value.code == 2
    assert "figures.json exists" in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == "kept"
