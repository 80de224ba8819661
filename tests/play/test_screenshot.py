"""The picture of the README: made by a command, with what the coach says in it."""

from __future__ import annotations

import re
import sys
from html import unescape
from pathlib import Path

import pytest

from cribbage_env.play.coach import judge
from cribbage_env.play.screenshot import main, play
from cribbage_env.play.words import coach_lines

ROOT = Path(__file__).resolve().parents[2]


def words(svg: str) -> str:
    """Return the text of a picture."""
    lines = re.findall(r"<text[^>]*>(.*?)</text>", svg, re.DOTALL)
    return unescape(" ".join(lines)).replace("\u00a0", " ")


def test_the_picture_shows_the_coach_and_needs_nothing_from_elsewhere(tmp_path: Path) -> None:
    path = tmp_path / "coach.svg"
    main([str(path), "--opponent", "club", "--moves", "20"])
    svg = path.read_text(encoding="utf-8")
    game = play("club", "club", 7, 20).game
    assert len(game.actions) == 20
    shown = " ".join(words(svg).split())
    for line, _, _ in coach_lines(judge(game)):
        assert " ".join(line.split()) in shown
    assert "@font-face" not in svg
    main([str(path), "--opponent", "club", "--moves", "20", "--overwrite"])
    assert path.read_text(encoding="utf-8") == svg  # the same again


def test_keys_are_pressed_before_the_picture_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "help.svg"
    main([str(path), "--opponent", "club", "--moves", "0", "--keys", "question_mark"])
    assert "choose a card, or put it back" in words(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["coach.png"], "coach.png doesn't end in .svg"),
        (["coach.svg", "--opponent", "nobody"], "unknown player 'nobody'"),
        (["no/such/folder/coach.svg", "--opponent", "club", "--moves", "0"], "can't be written"),
        (["coach.svg", "--moves", "-1"], "--moves -1 is negative"),
        (["coach.svg", "--size", "0", "24"], "--size 0 24 lies outside 1..500"),
        (["coach.svg", "--size", "100", "99999"], "--size 100 99999 lies outside 1..500"),
        (
            ["coach.svg", "--opponent", "random", "--seed", "1", "--moves", "100000"],
            "--moves 100000 is too many: the game of seed 1 is over after ",
        ),
        (["coach.svg", "--moves", "many"], "invalid int value: 'many'"),
        ([str(ROOT / "docs" / "images" / "coach.svg")], "coach.svg exists already"),
    ],
)
def test_bad_arguments_are_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_info:
        main(arguments)
    assert exit_info.value.code == 2
    said = capsys.readouterr().err
    assert message in said
    assert said.startswith("python -m cribbage_env.play.screenshot: ")
    assert said.count("\n") == 1


def test_without_textual_it_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "textual", None)
    with pytest.raises(SystemExit, match="2"):
        main([str(tmp_path / "coach.svg")])
    said = capsys.readouterr().err
    assert "Textual is not installed" in said
    assert "pip install 'cribbage-env[play]'" in said


def test_the_docs_make_the_picture_they_show() -> None:
    page = (ROOT / "docs" / "play.md").read_text(encoding="utf-8")
    assert "python -m cribbage_env.play.screenshot docs/images/coach.svg" in page
    picture = words((ROOT / "docs" / "images" / "coach.svg").read_text(encoding="utf-8"))
    assert "coach: deal" in picture
    assert "(images/coach.svg)" in page
