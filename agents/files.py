"""The file that an evaluation keeps its results in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from cribbage_env.files import OutputFile

__all__ = ["ResultFile"]


class ResultFile:
    """An `OutputFile` that holds JSON."""

    def __init__(self, path: Path, *, overwrite: bool = False) -> None:
        """Make sure that the file can be written.

        Raises:
            ValueError: it exists and may not be overwritten, or it can't be written.
        """
        self.path = path
        self._file = OutputFile(path, overwrite=overwrite)

    def write(self, content: dict[str, Any]) -> None:
        """Write what the file is to hold from now on.

        Raises:
            OSError: the disk is full or the folder is gone; the file is as it was before.
        """
        text = json.dumps(content, indent=1, allow_nan=False) + "\n"
        self._file.write(text.encode())
