"""What an evaluation writes, and how it goes on from there."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evaluate
from agents import executors
from agents import losses as losses_module
from agents.parts import play_part
from agents.plots import DOTS_PER_INCH, draw_tournament, figure_size
from agents.ratings import Rating
from agents.reports import by_player
from agents.results import CSV_COLUMNS
from cribbage_env.bots import CompiledPolicy
from cribbage_env.match import Losses, MatchResult, MatchTotals, measure_losses
from tests.test_evaluate import read, run

ROOT = Path(evaluate.__file__).parent
TOURNAMENT = ("greedy", "random", "club", "--games", 60, "--seed", 5, "--batch-size", 10)
PNG = b"\x89PNG\r\n\x1a\n"


def untimed(document: dict[str, Any]) -> dict[str, Any]:
    """Return what doesn't depend on the clock, the batches and the words of the command."""
    out = {name: value for name, value in document.items() if name != "command"}
    for name in ("matches", "progress"):
        out[name] = [
            {key: value for key, value in entry.items() if "second" not in key}
            for entry in document[name]
        ]
    return out


def png_size(content: bytes) -> tuple[int, int]:
    assert content[:8] == PNG
    assert content[12:16] == b"IHDR"
    return int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")


def make_own() -> CompiledPolicy:
    return CompiledPolicy("random")


class Interrupt:
    """Interrupts the part with a certain number."""

    def __init__(self, part: int) -> None:
        self.left = part

    def __call__(self, *part: Any) -> Any:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return play_part(*part)


# ---- tables, CSV and picture -------------------------------------------------------------------


def test_a_tournament_in_all_its_forms(capsys: Any, tmp_path: Path) -> None:
    path, table, picture = (tmp_path / f"ladder.{kind}" for kind in ("json", "csv", "png"))
    status, out, err = run(capsys, *TOURNAMENT, "--json", path, "--csv", table, "--plot", picture)
    assert (status, err) == (0, [])
    document = read(path)
    ratings = {rating["player"]: rating for rating in document["ratings"]}
    assert list(ratings) == ["club", "greedy", "random"]
    assert (ratings["random"]["elo"], ratings["random"]["interval"]) == (0.0, [0.0, 0.0])
    assert ratings["club"]["interval"][0] < ratings["club"]["elo"] < ratings["club"]["interval"][1]
    assert ratings["club"]["games"] == 120
    assert document["settings"]["players"] == ["greedy", "random", "club"]

    assert "Cross table" in out
    assert "Elo by Bradley-Terry, random = 0" in out
    assert "By their ratings" in out
    for rating in ratings.values():
        assert f"{rating['elo']:.0f}" in out
    for match in document["matches"]:
        assert f"{match['win_rate_a']:.1%}" in out
        assert f"{1 - match['win_rate_a']:.1%}" in out

    lines = list(csv.DictReader(table.read_text(encoding="utf-8").splitlines()))
    assert len(lines) == 6
    assert tuple(lines[0]) == CSV_COLUMNS
    by_names = {(line["player"], line["opponent"]): line for line in lines}
    for match in document["matches"]:
        line = by_names[match["a"], match["b"]]
        mirrored = by_names[match["b"], match["a"]]
        assert int(line["games"]) == int(mirrored["games"]) == match["games"]
        assert int(line["wins"]) == match["wins_a"] == 60 - int(mirrored["wins"])
        assert float(line["win_rate"]) == match["win_rate_a"]
        bounds = float(line["win_rate_low"]), float(line["win_rate_high"])
        assert bounds == tuple(match["interval"])
        assert float(mirrored["win_rate_low"]) == pytest.approx(1 - bounds[1])
        assert float(line["margin"]) == -float(mirrored["margin"]) == match["margin_a"]
        assert int(mirrored["skunks"]) == match["skunks_b"]
        assert int(line["double_skunks"]) == match["double_skunks_a"]
        assert float(line["elo"]) == ratings[match["a"]]["elo"]
        assert [float(line["elo_low"]), float(line["elo_high"])] == ratings[match["a"]]["interval"]

    size = tuple(round(side * DOTS_PER_INCH) for side in figure_size(3))
    assert png_size(picture.read_bytes()) == size
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        "ladder.csv", "ladder.json", "ladder.png",
    ]  # fmt: skip


def test_without_random_the_table_says_what_is_zero(capsys: Any) -> None:
    players = ("greedy", "club", "greedy")
    assert "Ratings" not in run(capsys, *players, "--games", 4)[1]  # two that differ
    out = run(capsys, "greedy", "club", f"{__name__}:make_own", "--games", 4)[1]
    assert "Elo by Bradley-Terry, the mean = 0" in out


def test_by_player_sees_each_match_from_both_sides() -> None:
    match = MatchResult("a", "b", 0, 121, MatchTotals(pair_wins=(1, 2, 3)), 1.0)
    other = MatchResult("b", "a", 0, 121, MatchTotals(pair_wins=(3, 2, 1)), 1.0)
    itself = MatchResult("a", "a", 0, 121, MatchTotals(pair_wins=(0, 6, 0)), 1.0)
    found = by_player([match, other, itself])
    assert found == {("a", "b"): match, ("b", "a"): match.swapped(), ("a", "a"): itself}


@pytest.mark.parametrize("number", [2, 9])
def test_a_picture_grows_with_its_players(number: int) -> None:
    names = [f"ppo:runs/$x_{place}$/<&>/{'long' * place}" for place in range(number)]
    ratings = [
        Rating(name, -10.0 * place, (-10.0 * place - 7, -10.0 * place + 9), 10, 0.5)
        for place, name in enumerate(names)
    ]
    matches = [
        MatchResult(a, b, 0, 121, MatchTotals(pair_wins=(0, place, 5)), 1.0)
        for place, a in enumerate(names)
        for b in names[place + 1 :]
    ]
    width, height = png_size(draw_tournament(matches[:-1], ratings))
    expected = figure_size(number)
    assert (width, height) == tuple(round(side * DOTS_PER_INCH) for side in expected)
    assert figure_size(9) > figure_size(4)


def test_nobody_to_draw() -> None:
    with pytest.raises(ValueError, match="nothing to draw"):
        draw_tournament([], [])


def test_matplotlib_is_needed_for_a_picture_only(
    capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "import sys, evaluate; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, _, err = run(capsys, "club", "greedy", "--plot", tmp_path / "x.png")
    assert status == 2
    assert err == [
        "evaluate.py: matplotlib is not installed, which --plot needs: pip install '.[train]'"
    ]


def test_points_lost_are_measured_once(
    capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, asked = tmp_path / "ladder.json", list[Any]()

    def measure(player: Any, **options: Any) -> Losses:
        asked.append((player.kind, options["deals"], options["seed"]))
        if len(asked) == 2:
            raise KeyboardInterrupt
        return measure_losses(player, **options, worlds=0)

    monkeypatch.setattr(losses_module, "measure_losses", measure)
    arguments = ("greedy", "club", "--games", 4, "--seed", 3, "--json", path, "--resume")
    status, out, err = run(capsys, *arguments, "--points-lost", 6)
    assert (status, len(err)) == (130, 1)
    assert [entry["player"] for entry in read(path)["points_lost"]] == ["greedy"]
    status, out, err = run(capsys, *arguments, "--points-lost", 6)
    assert (status, err) == (0, [])
    assert asked == [("greedy", 6, 3), ("club", 6, 3), ("club", 6, 3)]
    expected = [
        {"player": name, **measure_losses(name, deals=6, seed=3, worlds=0).to_dict()}
        for name in ("greedy", "club")
    ]
    assert read(path)["points_lost"] == expected
    assert "Points lost a deal" in out
    assert f"{expected[0]['discard']['both']['lost']:.3f}" in out
    # Kept when they aren't asked for, and measured anew for another number of deals.
    assert "Points lost a deal" in run(capsys, *arguments)[1]
    assert read(path)["points_lost"] == expected
    run(capsys, *arguments, "--points-lost", 8)
    assert asked[3:] == [("greedy", 8, 3), ("club", 8, 3)]
    assert [entry["deals"] for entry in read(path)["points_lost"]] == [8, 8]


def test_points_lost_are_those_of_measure_losses(capsys: Any, tmp_path: Path) -> None:
    path = tmp_path / "ladder.json"
    run(capsys, "random", "greedy", "--games", 2, "--points-lost", 2, "--json", path)
    (entry, _) = read(path)["points_lost"]
    assert entry == {"player": "random", **measure_losses("random", deals=2).to_dict()}
    assert entry["play"]["both"]["choices"] > 0


# ---- files that exist --------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["--csv", "--plot"])
def test_a_file_is_not_overwritten_unasked(
    capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    path = tmp_path / "mine.png"
    path.write_text("kept", encoding="utf-8")
    arguments = ("club", "greedy", "--games", 4, option, path)
    with monkeypatch.context() as patched:
        patched.setattr(executors, "play_part", None)
        for more in ((), ("--json", tmp_path / "new.json", "--resume")):
            status, out, err = run(capsys, *arguments, *more)
            assert (status, out, len(err)) == (2, "", 1)
            assert "mine.png exists already" in err[0]
    assert path.read_text(encoding="utf-8") == "kept"
    assert run(capsys, *arguments, "--overwrite")[0] == 0
    assert path.read_bytes() != b"kept"


# ---- going on ----------------------------------------------------------------------------------


@pytest.mark.parametrize("part", [1, 7, 15])
def test_a_run_that_was_interrupted_goes_on(
    capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    whole, path = tmp_path / "whole.json", tmp_path / "ladder.json"
    assert run(capsys, *TOURNAMENT, "--json", whole)[0] == 0
    files = ("--csv", tmp_path / "ladder.csv", "--plot", tmp_path / "ladder.png")
    arguments = (*TOURNAMENT, "--json", path, *files, "--resume")
    with monkeypatch.context() as patched:
        patched.setattr(executors, "play_part", Interrupt(part))
        status, _, err = run(capsys, *arguments)
    assert status == 130
    assert f"interrupted; {10 * part} games of 3 matches were played" in err[0]
    document = read(path)
    assert document["is_complete"] is False
    assert [entry["games"] for entry in document["matches"]] == [60] * (part // 6) + [
        10 * (part % 6)
    ] * (part % 6 > 0)
    # What goes on will write them.
    assert not (tmp_path / "ladder.csv").exists()
    status, _, err = run(capsys, *arguments, "--batch-size", 14, "--quiet")
    assert (status, err) == (0, [])
    assert untimed(read(path)) == untimed(read(whole))
    assert read(path)["matches"][0]["seconds"] > 0
    assert (tmp_path / "ladder.csv").exists()
    assert (tmp_path / "ladder.png").exists()


def test_without_json_an_interrupted_run_writes_what_it_has(
    capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "play_part", Interrupt(8))
    assert run(capsys, *TOURNAMENT, "--csv", tmp_path / "ladder.csv")[0] == 130
    lines = list(csv.DictReader((tmp_path / "ladder.csv").read_text("utf-8").splitlines()))
    assert [int(line["games"]) for line in lines] == [60, 60, 20, 20]


def test_a_complete_run_has_nothing_to_play(
    capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ladder.json"
    arguments = (*TOURNAMENT, "--json", path, "--resume")
    first = run(capsys, *arguments)
    before = read(path)
    monkeypatch.setattr(executors, "play_part", None)
    assert run(capsys, *arguments) == first
    assert read(path) == before
    assert run(capsys, *arguments, "--plot", tmp_path / "later.png")[0] == 0
    assert png_size((tmp_path / "later.png").read_bytes())
    # And it isn't replaced by a run that doesn't go on with it.
    assert run(capsys, *arguments[:-1])[0] == 2


def test_more_games_may_be_played(capsys: Any, tmp_path: Path) -> None:
    path, whole = tmp_path / "ladder.json", tmp_path / "whole.json"
    players = ("club", "random", "--seed", 2)
    run(capsys, *players, "--games", 30, "--json", path)
    assert run(capsys, *players, "--games", 50, "--json", path, "--resume")[0] == 0
    run(capsys, *players, "--games", 50, "--json", whole)
    assert untimed(read(path)) == untimed(read(whole))
    status, _, err = run(capsys, *players, "--games", 40, "--json", path, "--resume")
    assert status == 2
    assert "--games was 50, and may be that or more; now it is 40" in err[0]


def test_what_was_made_of_fewer_games_is_replaced_when_asked(capsys: Any, tmp_path: Path) -> None:
    path, table = tmp_path / "ladder.json", tmp_path / "ladder.csv"
    arguments = ("club", "random", "--json", path, "--csv", table, "--resume")
    assert run(capsys, *arguments, "--games", 30)[0] == 0
    before = table.read_bytes()
    status, _, err = run(capsys, *arguments, "--games", 50)
    assert status == 2
    assert f"{table} exists already: name another file, or give --overwrite too" in err[0]
    assert err[0].endswith(f"replaces it and goes on with {path}")
    assert table.read_bytes() == before
    assert run(capsys, *arguments, "--games", 50, "--overwrite")[0] == 0
    assert read(path)["matches"][0]["games"] == 50
    assert table.read_bytes() != before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("club", "random"), "it is of greedy random club, not of club random"),
        (("greedy", "club", "random"), "it is of greedy random club, not of greedy club random"),
        (("--seed", 6), "--seed was 5; now it is 6"),
        (("--target", 61), "--target was 121; now it is 61"),
        (("--games", 58), "--games was 60, and may be that or more; now it is 58"),
        (("--until-half-width", "1%"), "--until-half-width wasn't given; now it is 0.01"),
    ],
)
def test_another_evaluation_is_refused(
    capsys: Any, tmp_path: Path, arguments: tuple[Any, ...], words: str
) -> None:
    path = tmp_path / "ladder.json"
    run(capsys, *TOURNAMENT, "--json", path, "--quiet")
    before = path.read_bytes()
    if not str(arguments[0]).startswith("--"):
        arguments = (*arguments, *TOURNAMENT[3:])
    else:
        arguments = (*TOURNAMENT, *arguments)
    for more in ((), ("--overwrite",)):
        status, out, err = run(capsys, *arguments, "--json", path, "--resume", *more)
        assert (status, out, len(err)) == (2, "", 1)
        assert words in err[0]
        assert str(path) in err[0]
    assert path.read_bytes() == before


def _set(place: Any, name: Any, value: Any) -> None:
    place[name] = value


DAMAGE: dict[str, Callable[[Any, Any], Any]] = {
    "no version": lambda document, _: document.pop("version"),
    "no settings": lambda document, _: document.pop("settings"),
    "no progress": lambda document, _: document.pop("progress"),
    "no match": lambda document, _: document["progress"].pop(),
    "another version": lambda document, _: _set(document, "version", "0.0.1"),
    "no seed": lambda document, _: document["settings"].pop("seed"),
    "no players": lambda document, _: _set(document["settings"], "players", None),
    "null": lambda document, _: _set(document["progress"], 0, None),
    "a pair more": lambda _, first: _set(first, "pair_wins", first["pair_wins"] + "2"),
    "an odd pair": lambda _, first: _set(first, "pair_wins", "3" + first["pair_wins"][1:]),
    "a number": lambda _, first: _set(first, "pair_wins", 222),
    "a fraction": lambda _, first: _set(first["totals"], "margin", 0.5),
    "a count less": lambda _, first: first["totals"].pop("margin"),
    "a shape": lambda _, first: _set(first["totals"]["points"], 0, 3),
    "a time": lambda _, first: _set(first, "seconds", float("nan")),
    "no points lost": lambda document, _: document.pop("points_lost"),
    "points of nobody": lambda document, _: document["points_lost"].append(
        {"player": "nobody", "deals": 2}
    ),
    "points of nothing": lambda document, _: document["points_lost"].append(
        {"player": "club", "deals": 2, "discard": {"both": {"lost": None}}}
    ),
    "too many": lambda _, first: first.update(
        totals=first["totals"] | {"pair_wins": [0, 0, 4]}, pair_wins="2222"
    ),
}
TEXTS = {
    "no JSON": b"{",
    "nothing": b"",
    "bytes": b"\xff\xfe",
    "deep": b"[" * 100_000,
    "a list": b"[]",
}


@pytest.mark.parametrize("way", [*DAMAGE, *TEXTS])
def test_a_damaged_file_is_refused(capsys: Any, tmp_path: Path, way: str) -> None:
    path = tmp_path / "ladder.json"
    arguments = ("club", "random", "--games", 6, "--json", path, "--resume")
    run(capsys, *arguments, "--quiet")
    if way in TEXTS:
        path.write_bytes(TEXTS[way])
    else:
        document = read(path)
        DAMAGE[way](document, document["progress"][0])
        path.write_text(json.dumps(document), encoding="utf-8")
    before = path.read_bytes()
    status, out, err = run(capsys, *arguments)
    assert (status, out, len(err)) == (2, "", 1)
    assert err[0].startswith(f"evaluate.py: {path} ")
    assert path.read_bytes() == before


def test_weights_that_changed_are_refused(
    capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ladder.json"
    arguments = ("club", "random", "--games", 6, "--json", path, "--resume", "--quiet")
    run(capsys, *arguments)
    document = read(path)
    document["settings"]["weights"] = {"club": "0" * 64}
    path.write_text(json.dumps(document), encoding="utf-8")
    status, _, err = run(capsys, *arguments)
    assert status == 2
    assert "the weights of a player have changed" in err[0]


# ---- processes ---------------------------------------------------------------------------------


def test_workers_write_what_one_process_writes(capsys: Any, tmp_path: Path) -> None:
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    assert run(capsys, *TOURNAMENT, "--json", one)[0] == 0
    status, out, err = run(capsys, *TOURNAMENT, "--json", two, "--workers", 2)
    assert (status, err) == (0, [])
    assert untimed(read(one)) == untimed(read(two))
    assert "Cross table" in out


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_that_was_killed_goes_on(capsys: Any, tmp_path: Path, workers: int) -> None:
    path, whole = tmp_path / "ladder.json", tmp_path / "whole.json"
    arguments = ("club", "greedy", "random", "--games", 30_000, "--workers", workers, "--resume")
    command = [sys.executable, "evaluate.py", *map(str, arguments), "--json", str(path)]
    running = subprocess.Popen(command, cwd=ROOT)
    while not path.exists() and running.poll() is None:
        time.sleep(0.1)
    running.kill()
    running.wait()
    played = sum(match["games"] for match in read(path)["matches"])
    assert 0 < played < 90_000
    assert run(capsys, *arguments, "--json", path, "--quiet") == (0, "", [])
    assert run(capsys, *arguments, "--json", whole, "--quiet") == (0, "", [])
    assert untimed(read(path)) == untimed(read(whole))
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["ladder.json", "whole.json"]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no process groups to send Ctrl-C to")
def test_ctrl_c_ends_all_processes_without_noise(tmp_path: Path) -> None:
    path = tmp_path / "ladder.json"
    arguments = ("club", "greedy", "--games", "4000000", "--workers", "2", "--json", str(path))
    running = subprocess.Popen(
        [sys.executable, "evaluate.py", *arguments],
        cwd=ROOT,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not path.exists() and running.poll() is None:
        time.sleep(0.1)
    os.killpg(running.pid, signal.SIGINT)  # as a terminal does
    # Both pipes end only when no worker holds them any more.
    out, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "club" in out
    (line,) = [line for line in err.splitlines() if "compiling" not in line]
    assert line.startswith("evaluate.py: interrupted; ")
    document = read(path)
    assert document["is_complete"] is False
    assert f"{document['matches'][0]['games']} games of 1 matches" in line
