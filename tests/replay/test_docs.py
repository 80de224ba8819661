"""docs/replays.md says what is so."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cribbage_env.game import Game, read_records, write_records
from cribbage_env.match import record_games
from cribbage_env.replay.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "replays.md").read_text(encoding="utf-8")


def test_the_record_is_one() -> None:
    (record,) = re.findall(r"```\n(#.*?)```", TEXT, re.DOTALL)
    (game,) = read_records(record)
    assert write_records([game]) == record
    whole = next(record_games("club", "greedy", games=1, seed=5))
    assert Game.replay(whole.beginning, whole.actions[: len(game.actions)]) == game


def test_the_example_runs(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names: dict[str, object] = {}
    exec(example, names)  # our own page
    assert capsys.readouterr().out == "('club', 'greedy') (121, 112)\n"


def test_every_option_is_described(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--help"])
    options = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help", "--record"}
    assert options >= {"--games", "--seat", "--html", "--overwrite", "--no-analysis"}
    assert {option for option in options if option not in TEXT} == set()
