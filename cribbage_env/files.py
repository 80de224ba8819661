"""Files of results, which never replace another by accident and are never seen half written."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

__all__ = ["OutputFile", "write_whole"]


def write_whole(path: Path, content: bytes) -> None:
    """Write a file aside and put it into its place: who reads it finds the old content or the new.

    The permissions of a file that is replaced stay.

    Raises:
        OSError: the disk is full or the folder is gone; the file is as it was before.
    """
    draft = _draft_of(path)
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            shutil.copymode(path, draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _draft_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.draft")


class OutputFile:
    """A file that is new, unless it may be overwritten; each write replaces it as a whole.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "ratings.csv"
    >>> OutputFile(path).write(b"player,elo")
    >>> OutputFile(path)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: ...ratings.csv exists already...
    """

    def __init__(self, path: Path, *, overwrite: bool = False) -> None:
        """Make sure that the file can be written, before anything is played for it.

        Raises:
            ValueError: it exists and may not be overwritten, or it can't be written.
        """
        self.path = path
        if path.exists() and not overwrite:
            raise ValueError(f"{path} exists already: name another file, or give --overwrite")
        if path.exists() and not path.is_file():
            raise ValueError(f"{path} is no file that could be overwritten")
        try:
            _draft_of(path).touch(exist_ok=False)
            _draft_of(path).unlink()
        except OSError as error:
            raise ValueError(f"{path} can't be written: {error.strerror}") from error

    def write(self, content: bytes) -> None:
        """Write what the file is to hold from now on.

        Raises:
            OSError: the disk is full or the folder is gone; the file is as it was before.
        """
        write_whole(self.path, content)
