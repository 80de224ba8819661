"""How the commands refuse what they are given: in one line, with status 2."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

from cribbage_env.extras import NotInstalledError, needed

__all__ = ["BAD_INPUT", "OneLineParser", "imports_of", "one_line"]

BAD_INPUT = 2
"""Exit status after bad input."""


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        """Leave with the message."""
        self.exit(BAD_INPUT, f"{self.prog}: {one_line(message)}\n")


@contextmanager
def imports_of(prog: str, source: str) -> Iterator[None]:
    """Leave a command whose imports fail: with what is missing, and what pip is to install."""
    try:
        with needed(prog, source):
            yield
    except NotInstalledError as error:
        OneLineParser(prog=prog).error(str(error))


def one_line(text: object) -> str:
    r"""Return a text, or what an error says, without breaks of lines.

    Of an error of the system that is the file and the reason, without its number.

    >>> one_line("no\n such card")
    'no such card'
    >>> one_line(FileNotFoundError(2, "No such file or directory", "games.txt"))
    'games.txt: No such file or directory'
    """
    if isinstance(text, OSError) and text.strerror:
        text = text.strerror if text.filename is None else f"{text.filename}: {text.strerror}"
    return " ".join(str(text).split())
