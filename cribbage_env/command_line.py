"""How the commands refuse what they are given: in one line, with status 2."""

from __future__ import annotations

import argparse
from typing import NoReturn

__all__ = ["BAD_INPUT", "OneLineParser", "one_line"]

BAD_INPUT = 2
"""Exit status after bad input."""


class OneLineParser(argparse.ArgumentParser):
    """Says what is wrong in one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        """Leave with the message."""
        self.exit(BAD_INPUT, f"{self.prog}: {one_line(message)}\n")


def one_line(text: object) -> str:
    r"""Return a text, or what an error says, without breaks of lines.

    >>> one_line("no\n such card")
    'no such card'
    """
    return " ".join(str(text).split())
