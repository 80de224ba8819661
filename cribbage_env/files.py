"""Files: new ones replace none by accident, and foreign ones can do nothing but be refused."""

from __future__ import annotations

import io
import json
import os
import shutil
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "DataFiles",
    "OutputFile",
    "is_taken",
    "pack_array",
    "pack_arrays",
    "parse_arrays",
    "parse_json",
    "write_whole",
]

MOST_UNPACKED: Final = 100
"""How many times its own size an archive may unpack to."""


def parse_json(content: bytes) -> Any:
    """Return what JSON in UTF-8 holds.

    Raises:
        ValueError: it is none, or nested so deeply that it can't be read.

    >>> parse_json(b'{"deals": [1, 2]}')
    {'deals': [1, 2]}
    """
    try:
        return json.loads(content.decode())
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def parse_arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays of an ``.npz`` file by name. Nothing in it is executed.

    Raises:
        ValueError: it is no such file, is damaged, holds pickled objects, or would unpack to a
            hundred times its size.

    >>> parse_arrays(b"PK")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: ...
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
        if unpacked > MOST_UNPACKED * len(content):
            raise ValueError(f"its {len(content)} bytes would unpack to {unpacked}")
        with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
            found = {name: arrays[name] for name in arrays.files}
    except Exception as error:  # zipfile and NumPy raise whatever their parsers run into
        raise ValueError(str(error) or type(error).__name__) from error
    for name, array in found.items():
        if not isinstance(array, np.ndarray):  # NumPy hands on what is no array as bytes
            raise ValueError(f"{name!r} is no array")
    return found


def pack_array(array: NDArray[Any]) -> bytes:
    """Return an ``.npy`` file of an array.

    >>> len(pack_array(np.zeros(3)))
    152
    """
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()


def pack_arrays(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return a compressed ``.npz`` file of arrays by name.

    >>> parse_arrays(pack_arrays({"wins": np.array([2, 1])}))
    {'wins': array([2, 1])}
    """
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)  # type: ignore[arg-type]
    return content.getvalue()


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


def is_taken(path: Path) -> bool:
    """Tell whether something has this name; what can't be looked at hasn't."""
    try:
        return path.exists()
    except OSError:
        return False


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
        if is_taken(path):
            if path.is_dir():
                raise ValueError(f"{path} is a folder, not a file")
            if not path.is_file():
                raise ValueError(f"{path} is no file that could be overwritten")
            if not overwrite:
                raise ValueError(f"{path} exists already: name another file, or give --overwrite")
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


class DataFiles:
    """Data that a command makes, and beside it how it was made: a ``.json`` of the same name.

    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> DataFiles(folder / "wins.npy").write(pack_array(np.array([2, 1])), {"games": 3})
    >>> sorted(path.name for path in folder.iterdir())
    ['wins.json', 'wins.npy']
    """

    def __init__(self, path: Path, *, overwrite: bool = False) -> None:
        """Make sure that both can be written, before anything is computed for them.

        Raises:
            ValueError: one exists and may not be overwritten, or can't be written.
        """
        self.path, self.description = path, path.with_suffix(".json")
        self._data = OutputFile(self.path, overwrite=overwrite)
        self._facts = OutputFile(self.description, overwrite=overwrite)

    def write(self, content: bytes, facts: Mapping[str, Any]) -> None:
        """Write the data and what is said of it.

        Raises:
            OSError: the disk is full or the folder is gone; each file is the old or the new one.
        """
        self._data.write(content)
        self._facts.write((json.dumps(facts, indent=2) + "\n").encode())
