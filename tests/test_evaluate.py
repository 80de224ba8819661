"""``evaluate.py``: its tables, its file, and every way in which it can be asked wrongly."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evaluate
from agents import executors
from agents.evaluation import Evaluation
from agents.files import ResultFile
from cribbage_env.bots import CompiledPolicy
from cribbage_env.match import MatchSettings, play_match

ROOT = Path(evaluate.__file__).parent


def make_illegal() -> Any:
    return _Ending(lambda number: np.full(number, 18))


def make_interrupting() -> Any:
    def interrupt(number: int) -> Any:
        raise KeyboardInterrupt

    return _Ending(interrupt)


def make_faulty() -> Any:
    def fail(number: int) -> Any:
        raise LookupError("no\nsuch card")

    return _Ending(fail)


def make_broken() -> Any:
    raise RuntimeError("the weights\nare gone")


def make_nothing() -> Any:
    return None


class _Ending:
    """Plays greedily for a hundred decisions, then does something else."""

    observation = "cards"

    def __init__(self, end: Any) -> None:
        self.inner = CompiledPolicy("greedy")
        self.end = end
        self.asked = 0

    def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
        if len(keys) and self.asked > 100:
            return self.end(len(keys))
        self.asked += 1
        return self.inner.act(observations, action_masks, keys)

    def __repr__(self) -> str:
        return "Ending()"


ILLEGAL = f"{__name__}:make_illegal"
INTERRUPTING = f"{__name__}:make_interrupting"
FAULTY = f"{__name__}:make_faulty"


def run(capsys: pytest.CaptureFixture[str], *arguments: Any) -> tuple[int, str, list[str]]:
    """Return the exit status, what was printed, and the lines that were said besides."""
    try:
        status = evaluate.main([str(argument) for argument in arguments])
    except SystemExit as leaving:
        status = int(leaving.code or 0)
    out, err = capsys.readouterr()
    return status, out, err.splitlines()


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


# ---- what it does ------------------------------------------------------------------------------


def test_every_pair_is_played_and_printed(capsys: Any, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    status, out, err = run(
        capsys, "club", "greedy", "random", "--games", 20, "--seed", 3, "--json", path
    )
    assert (status, err) == (0, [])
    document = read(path)
    assert document["is_complete"] is True
    assert [(match["a"], match["b"]) for match in document["matches"]] == [
        ("club", "greedy"),
        ("club", "random"),
        ("greedy", "random"),
    ]
    for match in document["matches"]:
        expected = play_match(match["a"], match["b"], games=20, seed=3).to_dict()
        assert list(match) == list(expected)
        for name in ("seconds", "games_per_second"):
            del match[name], expected[name]
        assert match == expected
        assert f"{match['win_rate_a']:.2%}" in out
        assert f"{match['points_per_deal']['b']['dealer']['crib']:.3f}" in out
    assert "..." not in out
    assert "…" not in out
    assert [entry.name for entry in tmp_path.iterdir()] == ["results.json"]


def test_the_same_seed_gives_the_same_results(capsys: Any, tmp_path: Path) -> None:
    documents = []
    for number, more in enumerate(([], ["--batch-size", 4], ["--seed", 2])):
        path = tmp_path / f"{number}.json"
        arguments = ("club", "random", "--games", 12, "--seed", 1, "--json", path, "--quiet")
        assert run(capsys, *arguments, *more) == (0, "", [])
        (match,) = read(path)["matches"]
        documents.append({name: match[name] for name in match if "second" not in name})
    assert documents[0] == documents[1]
    assert documents[0] != documents[2]


def test_settings_reach_the_match(capsys: Any, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    run(capsys, "greedy", "random", "--games", 6, "--target", 61, "--json", path)
    (match,) = read(path)["matches"]
    assert (match["games"], match["target"], match["seed"]) == (6, 61, 0)


@pytest.mark.parametrize("width", ["2%", "0.02"])
def test_a_match_ends_when_its_interval_is_narrow(capsys: Any, tmp_path: Path, width: str) -> None:
    path = tmp_path / "results.json"
    arguments = ("greedy", "random", "--until-half-width", width, "--json", path)
    assert run(capsys, *arguments, "--games", 100_000)[0] == 0
    (match,) = read(path)["matches"]
    assert match["games"] == 1000
    assert (match["interval"][1] - match["interval"][0]) / 2 <= 0.02


def test_an_interval_that_stays_wide_is_said(capsys: Any) -> None:
    arguments = ("greedy", "random", "--until-half-width", "0.1%", "--games", 40)
    status, _, err = run(capsys, *arguments)
    assert status == 0
    assert len(err) == 1
    assert "greedy against random: after 40 games the half width is still" in err[0]


def test_a_player_against_itself(capsys: Any) -> None:
    status, out, _ = run(capsys, "club", "club", "--games", 10)
    assert status == 0
    assert "50.00%" in out
    assert "5 of 10 games repeated the other game of their pair" in out


def test_a_players_name_is_no_markup(capsys: Any, tmp_path: Path) -> None:
    name = f"{__name__}:make_illegal"
    assert name in run(capsys, name, "greedy", "--games", 2)[1]


def test_a_file_may_be_overwritten(capsys: Any, tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text("old", encoding="utf-8")
    arguments = ("greedy", "random", "--games", 2, "--json", path)
    assert run(capsys, *arguments, "--overwrite")[0] == 0
    assert len(read(path)["matches"]) == 1


def test_help_names_every_option_and_default(capsys: Any) -> None:
    status, out, _ = run(capsys, "--help")
    assert status == 0
    for words in (
        "--games N", "default: 2000", "--seed", "--json", "--until-half-width", "club",
        "--csv FILE", "--plot FILE", "--resume", "--workers N", "(default: 1)",
    ):  # fmt: skip
        assert words in out


def test_the_command_itself(tmp_path: Path) -> None:
    command = [sys.executable, "evaluate.py", "greedy", "nobody"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("evaluate.py: unknown player 'nobody'")


# ---- bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "PLAYER"),
        (["club"], "name two players or more, not only club"),
        (["club", "nobody"], "unknown player 'nobody'"),
        (["club", "greedy:depth=3"], "greedy:depth=3"),
        (["club", "ppo:no/such/run"], "no/such/run"),
        (["club", "no.such.module:factory"], "no.such.module"),
        (["club", f"{__name__}:nothing"], "nothing"),
        (["club", f"{__name__}:make_nothing"], "make_nothing is no player"),
        (["club", f"{__name__}:make_broken"], "the weights"),
        (["club", "greedy", "--games", "3"], "not 3"),
        (["club", "greedy", "--games", "0"], "not 0"),
        (["club", "greedy", "--games", "many"], "many"),
        (["club", "greedy", "--seed", "-1"], "seed -1"),
        (["club", "greedy", "--target", "0"], "target 0"),
        (["club", "greedy", "--batch-size", "1"], "batch_size must be 2 or more, not 1"),
        (["club", "greedy", "--until-half-width", "wide"], "as 0.5% or 0.005, not 'wide'"),
        (["club", "greedy", "--until-half-width", "150%"], "1.5"),
        (["club", "greedy", "--depth", "3"], "--depth"),
        (["club", "greedy", "--points-lost", "5"], "even number of deals, 2 or more, not 5"),
        (["club", "greedy", "--points-lost", "0"], "not 0"),
        (["club", "greedy", "--workers", "0"], "workers must be 1 or more, not 0"),
        (["club", "greedy", "--workers", "two"], "two"),
        (["club", "greedy", "--workers", "9" * 11], "9 workers are more than the system allows"),
        (["club", "greedy", "--address", "auto"], "give --workers ray too"),
        (["club", "greedy", "--resume"], "--json"),
        (["club", "greedy", "--plot", "ladder.pdf"], "ladder.pdf"),
        (["club", "greedy", "--plot", "no/such/ladder.png"], "ladder.png can't be written"),
        (["club", "greedy", "--csv", "x.csv", "--json", "x.csv"], "files of their own"),
        (["club", "greedy", "--csv", "x.csv", "--json", "docs/../x.csv"], "files of their own"),
    ],
)
def test_bad_input_is_one_clear_line(capsys: Any, arguments: list[str], words: str) -> None:
    status, out, err = run(capsys, *arguments)
    assert (status, out) == (2, "")
    assert len(err) == 1
    assert err[0].startswith("evaluate.py: ")
    assert words in err[0]


def test_ray_that_is_not_installed_is_named(capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    status, out, err = run(capsys, "club", "greedy", "--workers", "ray")
    assert (status, out) == (2, "")
    assert err == [
        "evaluate.py: --workers ray needs Ray: pip install -c constraints-ray.txt -e '.[ray]'"
    ]


@pytest.mark.parametrize("where", ["there.json", "missing/results.json", "file/results.json", "."])
def test_a_file_that_cannot_be_is_refused_before_a_game(
    capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setattr(executors, "play_part", None)
    for name in ("there.json", "file"):
        (tmp_path / name).write_text("kept", encoding="utf-8")
    path = tmp_path / where
    status, out, err = run(capsys, "club", "greedy", "--json", path)
    assert (status, out) == (2, "")
    assert len(err) == 1
    assert str(path) in err[0]
    assert (tmp_path / "there.json").read_text(encoding="utf-8") == "kept"
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["file", "there.json"]
    status, _, err = run(capsys, "club", "greedy", "--json", tmp_path, "--overwrite")
    assert status == 2
    assert err == [f"evaluate.py: {tmp_path} is a folder, not a file"]


# ---- what breaks off ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("player", "status", "words"),
    [
        (INTERRUPTING, 130, "interrupted; "),
        (ILLEGAL, 2, "policy Ending() chose the illegal action 18"),
        (FAULTY, 2, "LookupError('no\\nsuch card') (test_evaluate.py, line "),
    ],
)
def test_what_was_played_before_the_end_is_kept(
    capsys: Any, tmp_path: Path, player: str, status: int, words: str
) -> None:
    path = tmp_path / "results.json"
    arguments = ("club", "greedy", player, "--games", 20, "--batch-size", 2, "--json", path)
    left, out, err = run(capsys, *arguments)
    assert left == status
    document = read(path)
    assert document["is_complete"] is False
    whole, part = document["matches"]
    assert (whole["b"], whole["games"]) == ("greedy", 20)
    assert (part["b"], 0 < part["games"] < 20) == (player, True)
    assert part["games"] % 2 == 0
    expected = play_match("club", "greedy", games=part["games"]).to_dict()
    assert part["wins_a"] == expected["wins_a"]
    assert player in out
    assert len(err) == 1
    assert words in err[0]
    assert f"{20 + part['games']} games of 3 matches were played" in err[0]


def test_nothing_played_leaves_no_file(
    capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*arguments: Any, **options: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(executors, "play_part", interrupt)
    status, out, err = run(capsys, "club", "greedy", "--json", tmp_path / "results.json")
    assert (status, out) == (130, "")
    assert err == ["evaluate.py: interrupted; 0 games of 1 match were played"]
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_can_no_longer_be_written(
    capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ResultFile, "write", fail)
    arguments = ("club", "greedy", "--games", 4, "--json", tmp_path / "results.json")
    status, out, err = run(capsys, *arguments)
    assert status == 2
    assert "club" in out
    assert any("No space left on device" in line for line in err)


def test_a_failed_write_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    file = ResultFile(tmp_path / "results.json")
    file.write({"matches": []})
    with pytest.raises(ValueError, match="JSON"):
        file.write({"matches": [float("nan")]})
    assert read(file.path) == {"matches": []}
    assert [entry.name for entry in tmp_path.iterdir()] == ["results.json"]


def test_players_are_made_once() -> None:
    evaluation = Evaluation(("club", "club", "greedy"), MatchSettings(games=2))
    names = [(match.a, match.b) for match in evaluation.matches]
    assert names == [("club", "club"), ("club", "greedy"), ("club", "greedy")]
    evaluation.play()
    assert evaluation.is_complete
    assert evaluation.results[0].totals.distinct_games == 1
