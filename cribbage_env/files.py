"""Files of results, which never replace another by accident and are never seen half written."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["OutputFile"]


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
        self._draft = path.with_name(f".{path.name}.{os.getpid()}.draft")
        if path.exists() and not overwrite:
            raise ValueError(f"{path} exists already: name another file, or give --overwrite")
        if path.exists() and not path.is_file():
            raise ValueError(f"{path} is no file that could be overwritten")
        try:
            self._draft.touch(exist_ok=False)
            self._draft.unlink()
        except OSError as error:
            raise ValueError(f"{path} can't be written: {error.strerror}") from error

    def write(self, content: bytes) -> None:
        """Write what the file is to hold from now on.

        Raises:
            OSError: the disk is full or the folder is gone; the file is as it was before.
        """
        try:
            with self._draft.open("wb") as draft:
                draft.write(content)
                draft.flush()
                os.fsync(draft.fileno())
            self._draft.replace(self.path)
        finally:
            self._draft.unlink(missing_ok=True)
