"""Files of games: whole at any moment, never over anything else, resumed exactly."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest

from cribbage_env.game import Game, make_beginning, write_records
from cribbage_env.play import saves
from cribbage_env.play.saves import (
    SaveConflictError,
    SaveFile,
    newest_unfinished,
    read_game,
    to_text,
)
from cribbage_env.play.session import Session, ask
from tests.games import played_out


def begun(path: Path, seed: int = 3, opponent: str = "club") -> Session:
    session = Session(Game(seed, target=61), opponent)
    session.file = SaveFile.claim(path, to_text(session.game))
    return session


def move(session: Session, rng: random.Random) -> None:
    """Make the next action, the person's at random."""
    if session.is_opponents_turn:
        session.answer(ask(session.policy, session.game))
    else:
        session._take(rng.choice(session.game.legal_actions()))


def test_a_saved_game_is_a_record_with_comments(tmp_path: Path) -> None:
    session = begun(tmp_path / "game.txt")
    text = (tmp_path / "game.txt").read_text(encoding="utf-8")
    assert text.startswith("# python -m cribbage_env.play --resume")
    assert "\nplayer 0: you\nplayer 1: club\n" in text
    assert Game.from_record(text) == session.game


@pytest.mark.parametrize("opponent", ["random", "club"])
def test_a_killed_session_goes_on_as_it_would_have(tmp_path: Path, opponent: str) -> None:
    """After every action the game is loaded again and the old session forgotten."""
    path = tmp_path / "game.txt"
    session, rng = begun(path, opponent=opponent), random.Random(4)
    while not session.game.is_over:
        move(session, rng)
        resumed = Session.resume(path)
        assert resumed.game == session.game
        assert resumed.game.events == session.game.events
        session = resumed
    whole, rng = Session(Game(3, target=61), opponent), random.Random(4)
    while not whole.game.is_over:
        move(whole, rng)
    assert whole.game.events == session.game.events
    assert list(tmp_path.iterdir()) == [path]


def test_an_undone_action_is_undone_in_the_file(tmp_path: Path) -> None:
    session = Session(Game(3, dealer=1), "club")
    session.file = SaveFile.claim(tmp_path / "game.txt", to_text(session.game))
    session.toggle(0)
    session.toggle(1)
    session.confirm()
    session.undo()
    assert Session.resume(tmp_path / "game.txt").game.actions == ()


def test_a_file_that_exists_is_never_claimed(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("my own notes", encoding="utf-8")
    with pytest.raises(FileExistsError):
        SaveFile.claim(path, "anything")
    file = SaveFile.claim_near(path, "one")
    assert file.path.name == "mine-2.txt"
    assert SaveFile.claim_near(path, "two").path.name == "mine-3.txt"
    assert path.read_text(encoding="utf-8") == "my own notes"


def test_default_names_tell_the_game(tmp_path: Path) -> None:
    def named(opponent: str, number: int = 0) -> Game:
        names = ("you", opponent)
        return Game.replay(make_beginning(7, None, (0, 0), 121, None, number, names=names))

    saved = named("ppo:runs/my run", 2)
    file = SaveFile.claim_default(saved, tmp_path / "new" / "folder")
    assert file.path.name == "ppo-runs-my-run-121-seed7-game2.txt"
    assert SaveFile.claim_default(saved, file.path.parent).path != file.path
    assert SaveFile.claim_default(named("::"), tmp_path).path.name == "opponent-121-seed7.txt"


def test_the_default_folder_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if sys.platform == "linux":
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
        assert saves.default_folder() == tmp_path / "cribbage-env" / "games"
    assert saves.default_folder().parts[-1] == "games"


def test_what_somebody_else_wrote_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    one = begun(path)
    other = Session.resume(path)
    move(one, random.Random(0))
    with pytest.raises(SaveConflictError, match="changed by another program"):
        move(other, random.Random(1))
    assert Session.resume(path).game == one.game
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(SaveConflictError):
        one.save()
    path.unlink()  # nothing is lost by writing it again
    one.save()
    assert Session.resume(path).game == one.game


def test_the_newest_game_that_is_not_over_is_found(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="holds no game that could be gone on with"):
        newest_unfinished(tmp_path / "nothing")
    for number, name in enumerate(("old.txt", "new.txt", "over.txt", "notes.txt")):
        path = tmp_path / name
        if name == "notes.txt":
            path.write_text("eggs", encoding="utf-8")
        else:
            begun(path, seed=number)
        os.utime(path, (number, number))
    over = Session(played_out(Game(2, target=15)), "random").game
    (tmp_path / "over.txt").write_text(to_text(over), encoding="utf-8")
    assert newest_unfinished(tmp_path).name == "new.txt"


def test_a_write_that_fails_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "game.txt"
    session = begun(path)
    before = path.read_bytes()

    def fail(number: int) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="the disk is full"):
        move(session, random.Random(0))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    monkeypatch.undo()
    session.save()  # the next one works
    assert Session.resume(path).game == session.game


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions and links")
def test_a_link_and_permissions_stay(tmp_path: Path) -> None:
    path, link = tmp_path / "game.txt", tmp_path / "link.txt"
    begun(path)
    path.chmod(0o640)
    link.symlink_to(path)
    session = Session.resume(link)
    move(session, random.Random(0))
    assert link.is_symlink()
    assert path.stat().st_mode & 0o777 == 0o640
    assert Session.resume(path).game == session.game


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the record is empty"),
        (Game(seed=1).to_record(), "the record names no players"),
        (f"# a comment\n{Game(seed=1).to_record()[:-30]}", "line 9: "),
        (f"# a comment\n{Game(seed=1).to_record()}end", "line 10: the record goes on"),
        (write_records([Game(seed=1), Game(seed=2)]), "it holds 2 games, and one is gone on with"),
    ],
)
def test_what_is_no_game_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "game.txt").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        Session.resume(tmp_path / "game.txt")


def test_text_is_utf_8_with_or_without_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "game.txt"
    text = to_text(Session(Game(seed=1), "club").game).encode()
    path.write_bytes(b"\xef\xbb\xbf" + text)
    session = Session.resume(path)
    move(session, random.Random(0))
    assert Session.resume(path).game == session.game
    path.write_bytes(b"\xff" + text)
    with pytest.raises(ValueError, match="it is no text in UTF-8"):
        Session.resume(path)


def test_a_record_against_nobody_known_is_refused(tmp_path: Path) -> None:
    names = ("you", "nobody")
    game = Game.replay(make_beginning(1, None, (0, 0), 121, None, names=names))
    (tmp_path / "game.txt").write_text(to_text(game), encoding="utf-8")
    with pytest.raises(ValueError, match="unknown player 'nobody'"):
        Session.resume(tmp_path / "game.txt")


def test_a_finished_game_is_read_too() -> None:
    game = Session(played_out(Game(seed=9, target=31)), "club").game
    assert read_game(to_text(game)) == game


def test_a_game_of_a_match_can_be_gone_on_with(tmp_path: Path) -> None:
    """Any record that names the player in seat 1 will do."""
    names = ("greedy", "club")
    game = Game.replay(make_beginning(1, None, (0, 0), 61, None, names=names), (3, 4))
    (tmp_path / "game.txt").write_text(game.to_record(), encoding="utf-8")
    session = Session.resume(tmp_path / "game.txt")
    assert (session.game, session.opponent) == (game, "club")
    move(session, random.Random(0))
    assert Session.resume(tmp_path / "game.txt").game == session.game
