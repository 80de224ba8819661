"""The file of a game: written whole after every action, and never over anything else's content.

It is the game's record (`Game.to_record`), which names the players, below a comment; so everything
that reads records reads it.
"""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

from cribbage_env.files import write_whole
from cribbage_env.game import Game, read_records

__all__ = [
    "SaveConflictError",
    "SaveFile",
    "default_folder",
    "newest_unfinished",
    "opponent_of",
    "read_game",
    "to_text",
]


class SaveConflictError(OSError):
    """The file no longer holds what was written last: somebody else has changed it."""


def to_text(game: Game) -> str:
    """Return what a game's file is to hold."""
    comment = (
        "# python -m cribbage_env.play --resume and this file's name: goes on with this game\n"
    )
    return comment + game.to_record()


def read_game(text: str) -> Game:
    """Return the game of a file's text, whose record names the player in seat 1.

    Raises:
        ValueError: no record or several, or one that doesn't say whom the game is against.

    >>> from cribbage_env.game import make_beginning
    >>> names = ("you", "champion")
    >>> game = Game.replay(make_beginning(7, None, (0, 0), 121, None, names=names))
    >>> opponent_of(read_game(to_text(game)))
    'champion'
    """
    game, *others = read_records(text)
    if others:
        raise ValueError(
            f"it holds {1 + len(others)} games, and one is gone on with: copy it into a file of "
            "its own (python -m cribbage_env.replay shows them all)"
        )
    opponent_of(game)
    return game


def opponent_of(game: Game) -> str:
    """Return the name of the player in seat 1.

    Raises:
        ValueError: the game doesn't name its players.
    """
    if game.beginning.names is None:
        raise ValueError("the record names no players: a line 'player 1: NAME' says whom to play")
    return game.beginning.names[1]


def default_folder() -> Path:
    """Return the folder for games whose file the user didn't name."""
    from platformdirs import user_data_path

    return user_data_path("cribbage-env", appauthor=False) / "games"


def newest_unfinished(folder: Path | None = None) -> Path:
    """Return the file of the game in the user's folder, or another, that was played last.

    Games that are over and files that hold none are passed over.

    Raises:
        ValueError: there is none to go on with.
    """
    folder = folder or default_folder()
    files = sorted(folder.glob("*.txt"), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in files:
        with suppress(OSError, ValueError):
            if not read_game(_read(file)).is_over:
                return file
    raise ValueError(f"{folder} holds no game that could be gone on with")


class SaveFile:
    """A file that one session writes.

    Attributes:
        path: where it is.
    """

    def __init__(self, path: Path, text: str) -> None:
        """Take over a file that holds this text (see `claim` and `open`)."""
        self.path = path.resolve()  # what a link points to is written, the link stays
        self._text = text

    @classmethod
    def claim(cls, path: Path, text: str) -> SaveFile:
        """Make a new file.

        Raises:
            FileExistsError: there is one.
            OSError: it can't be written.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
        return cls(path, text)

    @classmethod
    def claim_near(cls, path: Path, text: str) -> SaveFile:
        """Make a new file under this name or, if it is taken, under the next free one.

        Raises:
            OSError: it can't be written.
        """
        number, name = 1, path
        while True:
            try:
                return cls.claim(name, text)
            except FileExistsError:
                number += 1
                name = path.with_name(f"{path.stem}-{number}{path.suffix}")

    @classmethod
    def claim_default(cls, game: Game, folder: Path | None = None) -> SaveFile:
        """Make a new file in the user's folder, or another, named after the game.

        Raises:
            ValueError: the game doesn't name its players.
            OSError: the file can't be written.
        """
        opponent = re.sub(r"[^A-Za-z0-9.]+", "-", opponent_of(game)).strip("-.")[:40] or "opponent"
        name = f"{opponent}-{game.target}-seed{game.seed}"
        name += f"-game{game.number}" if game.number else ""
        return cls.claim_near((folder or default_folder()) / f"{name}.txt", to_text(game))

    @classmethod
    def open(cls, path: Path) -> tuple[SaveFile, Game]:
        """Read a file to go on with it.

        Raises:
            ValueError: it holds no game; says which line is wrong.
            OSError: it can't be read.
        """
        text = _read(path)
        return cls(path, text), read_game(text)

    def write(self, text: str) -> None:
        """Write the file anew: whoever reads it finds the old text or the new, never a part.

        Raises:
            SaveConflictError: it holds something that wasn't written here.
            OSError: it can't be written.
        """
        with suppress(FileNotFoundError):
            try:
                found = _read(self.path)
            except ValueError:
                found = ""
            if found != self._text:
                raise SaveConflictError(f"{self.path} has been changed by another program")
        write_whole(self.path, text.encode())
        self._text = text


def _read(path: Path) -> str:
    try:
        # Some editors put a mark of the encoding first.
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError("it is no text in UTF-8") from error
