"""The commands of the long runs, for a short while; `docs/reliability.md` has the long ones."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from cribbage_env.game import Game
from tests import endurance, soak

on_linux = pytest.mark.skipif(not endurance.STATM.exists(), reason="there is no /proc")


@on_linux
def test_memory_stays_flat_for_a_while(capsys: pytest.CaptureFixture[str]) -> None:
    assert endurance.main(["--decisions", "200000", "--lanes", "256"]) == 0
    assert "200,192 decisions" in capsys.readouterr().out


@on_linux
def test_growing_memory_is_noticed() -> None:
    before = endurance.resident()
    kept = np.ones(400_000_000, np.uint8)  # more than is given back meanwhile
    assert endurance.resident() - before > 200
    del kept


@on_linux
@pytest.mark.slow
def test_memory_stays_flat_for_ten_million_decisions() -> None:
    assert endurance.main([]) == 0


def test_a_short_soak_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["--seed", "3", "--games", "400", "--players", "random", "greedy", "club"]
    assert soak.main(line) == 0
    assert "all agreed: 400 games" in capsys.readouterr().out


@pytest.mark.slow
def test_a_soak_of_some_thousand_deals_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    assert soak.main(["--seed", "4", "--deals", "5000"]) == 0
    assert "all agreed" in capsys.readouterr().out


def test_a_soak_goes_on_where_another_ended(capsys: pytest.CaptureFixture[str]) -> None:
    line = ["--seed", "5", "--no-spiel", "--players", "random"]
    counts = []
    for part in (["--games", "4"], ["--games", "2"], ["--first", "2", "--games", "2"]):
        assert soak.main([*line, *part]) == 0
        counts.append(int(capsys.readouterr().out.split(" deals")[0].split()[-1]))
    assert counts[0] == counts[1] + counts[2]


def test_a_difference_is_told_with_its_record(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soak.Referee, "legal_actions", lambda _: [])
    assert soak.main(["--seed", "1", "--first", "7", "--no-spiel", "--players", "random"]) == 1
    out = capsys.readouterr().out
    assert out.startswith("game 7 of seed 1, random against random: ")
    assert Game.from_record(out[out.index("cribbage record") :]).number == 7


@pytest.mark.parametrize("line", ["--seed -1", "--players nobody", "--first -1"])
def test_bad_input_of_the_soak(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        soak.main([*line.split(), "--games", "1"])
    assert stop.value.code == 2
    assert sys.exc_info() == (None, None, None)
