"""Command lines and result files from strangers: exit status 2 with a clear line, nothing written.

What is accepted is not carried out here: training and matches are replaced.
"""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies

pytest.importorskip("torch")

import evaluate
import train
from agents.ppo import report
from agents.ppo.config import Config, parse_duration
from agents.ppo.evaluation import read_curves
from cribbage_env import analysis
from cribbage_env.files import OutputFile
from cribbage_env.rendering import __main__ as rendering
from cribbage_env.replay import __main__ as replay
from tests.reliability.damage import (
    JSON_VALUES,
    NUMBERS,
    TEXTS,
    damaged_bytes,
    damaged_json,
    fuzz_settings,
)

BAD_INPUT = 2
WORDS = strategies.sampled_from(
    ("greedy", "club", "self", "pool", "features", "cards", "points", "win", "nan", "inf", "1e9")
)
VALUES = NUMBERS.map(str) | TEXTS.map(lambda text: text.replace("\x00", "")) | WORDS


@strategies.composite
def command_line(draw: Any, options: tuple[str, ...]) -> list[str]:
    """Draw options, each with values that may make sense or not."""
    given_options = draw(strategies.lists(strategies.sampled_from(options), max_size=3))
    line: list[str] = []
    for option in given_options:
        line += [option, *draw(strategies.lists(VALUES, max_size=2))]
    return line


TRAINING = tuple(f"--{name.replace('_', '-')}" for name in Config().to_json())
EVALUATION = (
    *("--games", "--seed", "--target", "--until-half-width", "--points-lost", "--batch-size"),
    *("--json", "--csv", "--plot", "--record", "--record-games"),
    *("--resume", "--overwrite", "--quiet", "--no-such-option"),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Work in a folder of its own, where nothing is trained, played or drawn."""
    inside = tmp_path / "inside"
    inside.mkdir()
    monkeypatch.chdir(inside)
    monkeypatch.setattr(train, "_train", lambda plan, command: 0)  # noqa: ARG005
    monkeypatch.setattr(evaluate, "_play", lambda *_: (0, []))
    yield inside
    assert [path.name for path in tmp_path.iterdir()] == ["inside"]


def status_of(main: Callable[[list[str]], int | None], line: list[str]) -> int:
    """Return the exit status of a command."""
    try:
        return main(line) or 0
    except SystemExit as stop:
        return int(stop.code or 0)


# Neither one fixture for all examples nor a busy machine is a fault.
TOGETHER = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@settings(fuzz_settings(200), suppress_health_check=TOGETHER)
@given(line=command_line((*TRAINING, "--resume", "--no-such-option")))
def test_train(folder: Path, capsys: pytest.CaptureFixture[str], line: list[str]) -> None:
    before = {path.name for path in folder.rglob("*")}
    status = status_of(train.main, line)
    out, error = capsys.readouterr()
    assert status in (0, BAD_INPUT)
    assert out == "" or "usage" in out
    if status == BAD_INPUT:
        assert error.startswith("train.py: ")
        assert error.count("\n") == 1
        assert {path.name for path in folder.rglob("*")} == before


def test_more_than_the_memory_holds_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(train, "_train", lambda plan, _: np.empty(plan.config.num_envs))
    assert train.main(["--num-envs", str(10**15), "--run-dir", "large"]) == train.FAILED
    error = capsys.readouterr().err
    assert error.startswith("train.py: Unable to allocate ")
    assert error.count("\n") == 1


@settings(fuzz_settings(200), suppress_health_check=TOGETHER)
@given(
    players=strategies.lists(VALUES | strategies.sampled_from(("greedy", "club")), max_size=3),
    line=command_line(EVALUATION),
)
def test_evaluate(
    folder: Path, capsys: pytest.CaptureFixture[str], players: list[str], line: list[str]
) -> None:
    before = {path.name for path in folder.rglob("*")}
    status = status_of(evaluate.main, [*players, *line])
    _, error = capsys.readouterr()
    assert status in (0, BAD_INPUT)
    if status == BAD_INPUT:
        assert error.startswith("evaluate.py: ")
        assert error.count("\n") == 1
    assert {path.name for path in folder.rglob("*")} == before  # no game, no file


@settings(fuzz_settings(100), suppress_health_check=TOGETHER)
@given(
    cards=strategies.lists(strategies.sampled_from(("5H", "6H", "7C", "JD", "QS", "KD")) | VALUES),
    line=command_line(("--dealer", "--pone", "--scores", "--target")),
)
def test_analysis(
    folder: Path, capsys: pytest.CaptureFixture[str], cards: list[str], line: list[str]
) -> None:
    status = status_of(analysis.main, [*cards, *line])
    assert status in (0, BAD_INPUT)
    error = capsys.readouterr().err
    assert error.count("\n") == (1 if status == BAD_INPUT else 0)
    assert error.startswith("python -m cribbage_env.analysis: " if status == BAD_INPUT else "")


@settings(fuzz_settings(100), suppress_health_check=TOGETHER)
@given(
    file=strategies.sampled_from(("table.txt", "no/such/folder.png", ".png")) | VALUES,
    line=command_line(("--player", "--seed", "--moves", "--viewer", "--scale")),
)
def test_rendering(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    file: str,
    line: list[str],
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(OutputFile, "write", lambda *_: None)
        status = status_of(rendering.main, [file, *line])  # type: ignore[arg-type]
    assert status in (0, BAD_INPUT)
    assert capsys.readouterr().err.count("\n") == (1 if status == BAD_INPUT else 0)
    assert not list(folder.rglob("*"))


@settings(fuzz_settings(100), suppress_health_check=TOGETHER)
@given(
    file=VALUES, line=command_line(("--games", "--seat", "--html", "--overwrite", "--no-analysis"))
)
def test_replay(
    folder: Path, capsys: pytest.CaptureFixture[str], file: str, line: list[str]
) -> None:
    status = status_of(replay.main, [file, *line])
    assert status == BAD_INPUT
    error = capsys.readouterr().err
    assert error.startswith("python -m cribbage_env.replay: ")
    assert error.count("\n") == 1
    assert not list(folder.rglob("*"))


# ---- configurations and result files ---------------------------------------------------------


@fuzz_settings(300)
@given(values=damaged_json(Config().to_json()))
def test_configurations_are_taken_or_refused(values: Any) -> None:
    with suppress(TypeError, ValueError):
        config = Config.from_json(values)
        for option in dataclasses.fields(config):  # what is taken has the type that it should have
            kinds = (type(option.default), option.metadata["type"], int, type(None))
            assert type(getattr(config, option.name)) in kinds
        assert Config.from_json(json.loads(json.dumps(config.to_json()))) == config


@fuzz_settings(200)
@given(text=TEXTS | NUMBERS.map(str) | strategies.text("0123456789.-smhe", max_size=8))
def test_durations_are_read_or_refused(text: str) -> None:
    with suppress(ValueError):
        assert 0 < parse_duration(text) < float("inf")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Return what an evaluation wrote."""
    file = tmp_path_factory.mktemp("results") / "results.json"
    line = ["greedy", "random", "--games", "2", "--json", str(file)]
    assert evaluate.main([*line, "--quiet"]) == 0
    return file.read_bytes()


@settings(fuzz_settings(200), suppress_health_check=TOGETHER)
@given(data=strategies.data())
def test_results_are_gone_on_with_or_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], results: bytes, data: Any
) -> None:
    file = folder / "results.json"
    content = data.draw(
        damaged_bytes(results)
        | damaged_json(json.loads(results)).map(lambda value: json.dumps(value).encode())
    )
    file.write_bytes(content)
    line = ["greedy", "random", "--games", "2", "--json", "results.json", "--resume", "--quiet"]
    status = status_of(evaluate.main, line)
    error = capsys.readouterr().err
    if status == BAD_INPUT:
        assert error.count("\n") == 1
        assert file.read_bytes() == content
    else:
        assert status == 0
    assert os.listdir(folder) == ["results.json"]  # noqa: PTH208


LINE = {"decisions": 10, "seconds": 1.5, "opponent": "greedy", "win_rate": 0.5}


@settings(fuzz_settings(100), suppress_health_check=TOGETHER)
@given(
    config=JSON_VALUES | damaged_json({"config": {"seed": 1}, "command": "x", "versions": {}}),
    facts=JSON_VALUES | damaged_json({"decisions": 5, "seconds": 2, "clock": {"playing": 1.0}}),
    lines=strategies.lists(damaged_json(LINE), max_size=3),
    table=strategies.binary(max_size=20),
)
def test_reports_of_damaged_runs(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    config: Any,
    facts: Any,
    lines: Any,
    table: bytes,
) -> None:
    checkpoint = tmp_path / "checkpoints" / "000000005"
    checkpoint.mkdir(parents=True, exist_ok=True)
    (tmp_path / "config.json").write_text(json.dumps(config))
    (checkpoint / "training.json").write_text(json.dumps(facts))
    text = "\n".join(map(json.dumps, lines))
    (tmp_path / "evaluations.jsonl").write_text(text)
    (tmp_path / "table-000000005.txt").write_bytes(table)
    curves, unreadable = read_curves(tmp_path / "evaluations.jsonl")
    assert sum(map(len, curves.values())) + unreadable <= len(lines)
    with suppress(ValueError):
        report.page_of(report.read_story(tmp_path), b"")
