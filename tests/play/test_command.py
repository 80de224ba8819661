"""``python -m cribbage_env.play``: arguments, files, what it needs, and being killed."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from cribbage_env.game import Game, write_records
from cribbage_env.play import __main__ as command
from cribbage_env.play import saves, serving
from cribbage_env.play.app import PlayApp
from cribbage_env.play.saves import to_text
from cribbage_env.play.session import Session
from tests.envs.processes import run_python
from tests.games import played_out


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Have a terminal, and a folder for games that is not the user's."""
    folder = tmp_path / "games"
    monkeypatch.setattr(saves, "default_folder", lambda: folder)
    monkeypatch.delenv("TEXTUAL_DRIVER", raising=False)
    monkeypatch.setattr(command, "has_terminal", lambda: True)
    return folder


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[PlayApp]:
    """Apps that would have been shown."""
    apps: list[PlayApp] = []

    def run(self: PlayApp, **given: Any) -> str:
        apps.append(self)
        return "goodbye"

    monkeypatch.setattr(PlayApp, "run", run)
    return apps


def test_a_new_game_is_saved_in_the_users_folder(
    folder: Path, shown: list[PlayApp], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["--opponent", "greedy", "--target", "61", "--seed", "7"]) == 0
    session = shown[0].session
    assert (session.game.target, session.game.seed, session.opponent) == (61, 7, "greedy")
    assert Session.resume(folder / "greedy-61-seed7.txt").game == session.game
    assert capsys.readouterr().out == "goodbye\n"
    command.main(["--opponent", "greedy", "--target", "61", "--seed", "7"])
    assert (folder / "greedy-61-seed7-2.txt").exists()


def test_the_defaults(shown: list[PlayApp], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "warm_up", lambda _: None)
    command.main([])
    session = shown[0].session
    assert (session.opponent, session.game.target, session.game.number) == ("champion", 121, 0)
    assert (shown[0].coach_mode, shown[0].pace) == ("after", 0.8)


def test_a_game_is_saved_where_asked_and_resumed_with_its_opponent(
    tmp_path: Path, shown: list[PlayApp]
) -> None:
    path = tmp_path / "mine.txt"
    command.main(["--opponent", "random", "--save", str(path), "--coach", "off", "--pace", "0"])
    command.main(["--resume", str(path), "--coach", "before"])
    first, second = (app.session for app in shown)
    assert first.game == second.game
    assert second.opponent == "random"
    assert second.file is not None
    assert second.file.path == path
    assert shown[1].coach_mode == "before"


def test_the_last_game_is_gone_on_with_where_no_file_is_named(shown: list[PlayApp]) -> None:
    for seed in ("3", "4"):
        command.main(["--opponent", "random", "--seed", seed])
    command.main(["--resume"])
    first, second, third = (app.session.file for app in shown)
    assert first is not None
    assert second is not None
    assert third is not None
    assert third.path == second.path != first.path


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Return the line that refuses arguments."""
    with pytest.raises(SystemExit) as exit_info:
        command.main(arguments)
    assert exit_info.value.code == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert said.startswith("python -m cribbage_env.play: ")
    return said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--opponent nobody", "unknown player 'nobody'"),
        ("--opponent expert:speed=2", "player 'expert:speed=2': "),
        ("--opponent ppo:no/such/run", "no/such/run"),
        ("--target 0", "--target 0 is outside 1..121"),
        ("--target 122", "--target 122 is outside 1..121"),
        ("--target many", "invalid int value: 'many'"),
        ("--seed -1", "seed -1 is outside"),
        ("--coach always", "invalid choice: 'always'"),
        ("--pace -1", "--pace -1.0 is outside 0..60"),
        ("--pace nan", "--pace nan is outside 0..60"),
        ("--port 0 --serve", "--port 0 is outside 1..65535"),
        ("--resume no/such/file", "--resume no/such/file can't be read: No such file"),
        ("--resume .", "--resume . can't be read: "),
        ("--save .", "--save . is a folder, not a file"),
        ("--resume", "holds no game that could be gone on with"),
        ("--resume file --seed 3", "--seed and --resume: a game that is resumed has its own"),
        ("--resume file --opponent club", "--opponent and --resume"),
        ("--bogus", "--bogus"),
    ],
)
def test_bad_arguments_are_refused_in_one_line(
    arguments: str,
    message: str,
    capsys: pytest.CaptureFixture[str],
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # They come first: a terminal alone would not help.
    monkeypatch.setattr(command, "has_terminal", lambda: False)
    assert message in refusal(capsys, *arguments.split())
    assert not folder.exists()


def test_a_file_that_exists_is_not_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("my notes", encoding="utf-8")
    assert "exists and is not overwritten" in refusal(capsys, "--save", str(path))
    assert path.read_text(encoding="utf-8") == "my notes"
    said = refusal(capsys, "--resume", str(path))
    assert f"--resume {path}: line 1: 'my notes' is not the title" in said


def test_one_game_of_a_file_of_several_is_not_guessed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "games.txt"
    path.write_text(write_records([Game(seed=1), Game(seed=2)]), encoding="utf-8")
    said = refusal(capsys, "--resume", str(path))
    assert f"--resume {path}: it holds 2 games, and one is gone on with" in said


def test_without_a_terminal_it_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "has_terminal", lambda: False)
    assert "this is no terminal to play in; --serve" in refusal(capsys)


@pytest.mark.parametrize(
    ("module", "package"), [("textual", "Textual"), ("textual_serve", "textual-serve")]
)
def test_a_missing_library_names_the_extra(
    module: str,
    package: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    said = refusal(capsys)
    assert f"{package} is not installed" in said
    assert "pip install 'cribbage-env[play]'" in said


def test_what_needs_no_screen_loads_without_textual() -> None:
    code = """
import sys
import cribbage_env
import cribbage_env.play.__main__, cribbage_env.play.coach, cribbage_env.play.saves
import cribbage_env.play.session, cribbage_env.play.words, cribbage_env.play.serving
print(sorted({"textual", "rich", "platformdirs", "aiohttp"} & set(sys.modules)))
"""
    assert run_python(code).strip() == "[]"


def test_help_tells_the_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_info:
        command.main(["--help"])
    assert exit_info.value.code == 0
    said = " ".join(capsys.readouterr().out.split())
    for words in ("without it champion", "without it 121", "(default: after)", "(default: 8000)"):
        assert words in said


def test_the_browser_resumes_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shown: list[PlayApp]
) -> None:
    served: list[tuple[Any, ...]] = []
    monkeypatch.setattr(serving, "serve", lambda *given: served.append(given))
    path = tmp_path / "my game.txt"
    arguments = ["--serve", "--opponent", "random", "--save", str(path), "--port", "8123"]
    assert command.main([*arguments, "--coach", "before", "--pace", "0"]) == 0
    assert served == [(path, "before", 0.0, 8123)]
    if sys.platform != "win32":
        words = shlex.split(serving.command(path, "before", 0.0))
        assert words[:3] == [sys.executable, "-m", "cribbage_env.play"]
        assert command.main(words[3:]) == 0
        assert shown[0].session.file is not None
        assert shown[0].session.file.path == path


def test_a_port_that_is_taken_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def taken(*given: Any) -> None:
        raise OSError("address already in use")

    monkeypatch.setattr(serving, "serve", taken)
    arguments = ["--serve", "--opponent", "random"]
    assert "--port 8000: address already in use" in refusal(capsys, *arguments)


def test_an_opponent_that_fails_is_found_before_the_game(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    said = refusal(capsys, "--opponent", "tests.play.faulty:make")
    assert "Faulty failed: RuntimeError: no idea" in said
    assert not folder.exists()


def test_a_finished_game_can_be_looked_at(tmp_path: Path, shown: list[PlayApp]) -> None:
    path = tmp_path / "over.txt"
    game = Session(played_out(Game(seed=2, target=15)), "random").game
    path.write_text(to_text(game), encoding="utf-8")
    assert command.main(["--resume", str(path)]) == 0
    assert shown[0].session.game == game
