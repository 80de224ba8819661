"""``python -m cribbage_env.replay``: what it prints, writes and refuses."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cribbage_env.game import write_records
from cribbage_env.replay import __main__ as replay_command
from cribbage_env.replay import make_page, make_transcript
from cribbage_env.replay.__main__ import main
from tests.replay.recorded import games

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    path = tmp_path / "games.txt"
    path.write_text(write_records(games()), encoding="utf-8")
    return path


@pytest.fixture(autouse=True)
def no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())


def test_without_a_terminal_all_is_printed(recorded: Path, capsys: pytest.CaptureFixture) -> None:
    assert main([str(recorded), "--no-analysis"]) == 0
    printed = capsys.readouterr().out
    for number, game in enumerate(games(), 1):
        lines = "\n".join(make_transcript(game, judge_frame=None))
        assert f"game {number}: {lines}\n" in printed


def test_one_game_of_a_file_with_what_choices_lost(
    recorded: Path, capsys: pytest.CaptureFixture
) -> None:
    assert main([str(recorded), "--games", "5", "--seat", "1"]) == 0
    assert capsys.readouterr().out == "\n".join([*make_transcript(games()[4], 1), ""])


def test_a_page_is_written(recorded: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    command = [str(recorded), "--games", "2-3, 1", "--html", str(page), "--no-analysis"]
    assert main([*command, "--seat", "0"]) == 0
    chosen = [games()[place] for place in (1, 2, 0)]
    assert page.read_bytes().decode() == make_page(chosen, 0, judge_frame=None)
    with pytest.raises(SystemExit):
        main(command)
    assert main([*command, "--overwrite"]) == 0
    assert page.read_bytes().decode() == make_page(chosen, judge_frame=None)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["games.txt", "page.html"]


def test_a_terminal_is_told_how_far_a_page_is(
    recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    command = [str(recorded), "--html", str(tmp_path / "page.html"), "--overwrite"]
    for games_asked, told in (("1-3", "".join(f"\rgame {n} of 3" for n in (1, 2, 3))), ("1", "")):
        monkeypatch.setattr(sys, "stderr", Terminal())
        assert main([*command, "--games", games_asked, "--no-analysis"]) == 0
        assert sys.stderr.getvalue().strip("\n") == told  # type: ignore[attr-defined]


def test_ctrl_c_ends_it_quietly(recorded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(replay_command, "_show", interrupted)
    assert main([str(recorded)]) == 130


@pytest.mark.skipif(os.name == "nt", reason="pipes are closed otherwise there")
def test_a_reader_who_has_seen_enough_ends_it_quietly(recorded: Path) -> None:
    """As ``| head -1`` does: there is more to say than a pipe holds."""
    command = [sys.executable, "-m", "cribbage_env.replay", str(recorded), "--no-analysis"]
    command += ["--games", ",".join(["1-7"] * 60)]
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"game 1")
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_a_mark_of_the_encoding_is_no_fault(recorded: Path, capsys: pytest.CaptureFixture) -> None:
    recorded.write_bytes(b"\xef\xbb\xbf" + recorded.read_bytes())
    assert main([str(recorded), "--games", "7", "--no-analysis"]) == 0


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (["--games", "8"], "--games 8: the file has games 1 to 7"),
        (["--games", "0-1"], "--games 0-1: the file has games 1 to 7"),
        (["--games", "3-2"], "--games 3-2: the file has games 1 to 7"),
        (["--games", "all"], "--games takes numbers and ranges such as 2,5-7, not 'all'"),
        (["--seat", "2"], "invalid choice: 2"),
        (["--html", "{folder}"], "is a folder, not a file"),
        (["--html", "{file}", "--overwrite"], "would replace the records: name another file"),
        (["--html", "{folder}", "--overwrite"], "is a folder, not a file"),
        (["--html", "{folder}/no/page.html"], "page.html can't be written: No such file"),
        (
            ["--html", "{folder}/p.html", "--games", ",".join(["1-7"] * 15)],
            "105 games are too many",
        ),
    ],
)
def test_bad_options_are_refused_in_one_line(
    options: list[str], match: str, recorded: Path, capsys: pytest.CaptureFixture
) -> None:
    given = [option.format(folder=recorded.parent, file=recorded) for option in options]
    check_refusal([str(recorded), *given], match, capsys)
    assert [path.name for path in recorded.parent.iterdir()] == ["games.txt"]


def check_refusal(command: list[str], match: str, capsys: pytest.CaptureFixture) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(command)
    assert exit_.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert match in printed.err


def test_files_that_are_no_records_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    path = tmp_path / "games.txt"
    check_refusal([str(path)], f"{path} can't be read: No such file", capsys)
    check_refusal([str(tmp_path)], f"{tmp_path} can't be read: ", capsys)
    for content, match in (
        (b"", "line 1: the record is empty"),
        (b"1. e4 e5\n", "line 1: '1. e4 e5' is not the title 'cribbage record 1'"),
        (b"\xff\xfe\x00", "is no text in UTF-8"),
        (write_records(games()).encode()[:-20], "does not fit the game, which has 'end 0 actions"),
    ):
        path.write_bytes(content)
        check_refusal([str(path)], match, capsys)


@pytest.mark.parametrize("number", [0, 40, -1])
def test_an_edited_file_is_refused_with_its_line(
    number: int, recorded: Path, capsys: pytest.CaptureFixture
) -> None:
    lines = recorded.read_text(encoding="utf-8").splitlines()
    actions = [place for place, line in enumerate(lines) if line.startswith("  seat")]
    place = actions[number]
    lines[place] = lines[place].replace("seat", "saet")
    recorded.write_text("\n".join(lines), encoding="utf-8")
    check_refusal([str(recorded)], f"{recorded}, line {place + 1}: ", capsys)


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are Unix's")
def test_keys_on_a_real_terminal(recorded: Path) -> None:
    import pty
    import select

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "cribbage_env.replay", str(recorded), "--no-analysis"],
        cwd=ROOT,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**os.environ, "COLUMNS": "80", "LINES": "40", "PYTHONIOENCODING": "utf-8"},
    )
    os.close(theirs)

    def read_until(text: str) -> None:
        screen = ""
        while text not in screen:
            assert select.select([ours], [], [], 120)[0], screen
            screen += os.read(ours, 65536).decode(errors="replace")

    last = len(games()[0].events)
    try:
        read_until(f"step 1 of {last}")
        for key, step in (
            (b"\x1b[C", 2),
            (b"\n", 3),
            (b"\x1b[D", 2),
            (b"\x1b[F", last),
            (b"\x1b[H", 1),
        ):
            os.write(ours, key)
            read_until(f"step {step} of {last}")
        os.write(ours, b"3\n")
        read_until("game 3 of 7: ")
        os.write(ours, b"q")
        assert process.wait(timeout=120) == 0
    finally:
        process.kill()
        process.wait()
        os.close(ours)
