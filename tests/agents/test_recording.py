"""``evaluate.py --record``: the games of a match as records, each as it was counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evaluate
from agents.evaluation import Evaluation
from agents.records import games_to_record, record_evaluation
from cribbage_env.game import Game, read_records
from cribbage_env.match import MatchSettings, play_match


class _Moody:
    """Chooses by how often it was asked, and so by more than its observation and key."""

    observation = "cards"

    def __init__(self) -> None:
        self.asked = 0

    def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
        self.asked += len(keys)
        if self.asked < 3000:
            return np.argmax(action_masks, axis=1)
        return 18 - np.argmax(action_masks[:, ::-1], axis=1)


def make_moody() -> Any:
    return _Moody()


MOODY = f"{__name__}:make_moody"


def run(capsys: pytest.CaptureFixture[str], *arguments: Any) -> tuple[int, list[str]]:
    """Return the exit status and the lines of what was said besides the tables."""
    try:
        status = evaluate.main([*map(str, arguments), "--quiet"])
    except SystemExit as leaving:
        status = int(leaving.code or 0)
    return status, capsys.readouterr().err.splitlines()


def winners(games: list[Game]) -> list[str]:
    return [(game.beginning.names or ("", ""))[game.winner or 0] for game in games]


def test_all_games_of_all_matches_are_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, results = tmp_path / "games.txt", tmp_path / "results.json"
    players = ("club", "greedy", "random")
    options = ("--games", 6, "--seed", 3, "--target", 61)
    assert run(capsys, *players, *options, "--record", file, "--json", results) == (0, [])
    games = read_records(file.read_text(encoding="utf-8"))
    assert len(games) == 18
    matches = json.loads(results.read_text())["matches"]
    for place, match in enumerate(matches):
        played = games[6 * place : 6 * place + 6]
        assert winners(played).count(match["a"]) == match["wins_a"]
        assert sum(game.deals for game in played) == match["deals"]
        assert {(game.seed, game.target) for game in played} == {(3, 61)}
        names = (match["a"], match["b"])
        assert [game.beginning.names for game in played] == [names, names[::-1]] * 3
        assert [game.number for game in played] == [0, 0, 1, 1, 2, 2]


def test_only_the_first_games_where_that_is_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few, all_ = tmp_path / "few.txt", tmp_path / "all.txt"
    options = ("club", "greedy", "--games", 4, "--target", 31)
    assert run(capsys, *options, "--record", all_, "--record-games", 9) == (0, [])
    assert run(capsys, *options, "--record", few, "--record-games", 3) == (0, [])
    games = read_records(all_.read_text(encoding="utf-8"))
    assert len(games) == 4
    assert read_records(few.read_text(encoding="utf-8")) == games[:3]


def test_the_results_are_those_without_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = tmp_path / "results.json"
    options = ("club", "greedy", "--games", 4, "--seed", 2, "--json", results)
    assert run(capsys, *options, "--record", tmp_path / "games.txt")[0] == 0
    (match,) = json.loads(results.read_text())["matches"]
    assert match["wins_a"] == play_match("club", "greedy", games=4, seed=2).totals.wins_a


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (
            ["--record", "{file}"],
            "games.txt exists already: name another file, or give --overwrite",
        ),
        (["--record", "{folder}/no/games.txt"], "can't be written"),
        (["--record", "{folder}/a", "--json", "{folder}/a"], "need files of their own"),
        (
            ["--record", "{folder}/a", "--record-games", "0"],
            "--record-games must be 1 or more, not 0",
        ),
        (["--record-games", "5"], "--record-games says how many games go into --record"),
    ],
)
def test_bad_options_are_refused_before_a_game_is_played(
    options: list[str], match: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "games.txt"
    file.write_text("kept")
    given = [option.format(file=file, folder=tmp_path) for option in options]
    status, lines = run(capsys, "club", "greedy", *given)
    assert status == 2
    assert len(lines) == 1
    assert match in lines[0]
    assert [path.name for path in tmp_path.iterdir()] == ["games.txt"]
    assert file.read_text() == "kept"


def test_a_player_that_cannot_be_recorded_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "games.txt"
    status, lines = run(capsys, MOODY, "greedy", "--games", 40, "--record", file)
    assert status == 2
    (line,) = lines
    assert f"{MOODY} against greedy: the games of pair " in line
    assert "depend on more than its observation and key" in line
    assert not file.exists()


def test_what_is_recorded_of_a_match_that_was_broken_off() -> None:
    evaluation = Evaluation(("club", "greedy", "random"), MatchSettings(games=8, target=31))
    assert games_to_record(evaluation, None) == 0
    assert list(record_evaluation(evaluation, None)) == []
    evaluation.play()
    assert games_to_record(evaluation, None) == 24
    assert games_to_record(evaluation, 5) == 15
    told: list[int] = []
    assert len(list(record_evaluation(evaluation, 5, told.append))) == len(told) == 15
