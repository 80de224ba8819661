"""Keys from a terminal, one at a time where it can, else line by line."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

__all__ = ["read_keys"]

NAMES = {
    "\x1b[C": "right",
    "\x1b[D": "left",
    "\x1b[A": "left",
    "\x1b[B": "right",
    "\x1b[H": "home",
    "\x1b[F": "end",
    "\x1b[1~": "home",
    "\x1b[4~": "end",
    "\x1b[5~": "page up",
    "\x1b[6~": "page down",
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\b": "backspace",
    "\x04": "q",
}
WINDOWS_NAMES = {
    "M": "right",
    "K": "left",
    "H": "left",
    "P": "right",
    "G": "home",
    "O": "end",
    "I": "page up",
    "Q": "page down",
}
SEQUENCE = re.compile(r"\x1b[\[O][0-9;]*[A-Za-z~]|.", re.DOTALL)


@contextmanager
def read_keys(stream: TextIO | None = None) -> Iterator[Iterator[str]]:
    """Give keys as signs or by name: ``right left home end``, ``page up``, ``enter`` and so on.

    Where keys can't be read one by one, lines give their signs, and ``enter`` where they are empty
    or a number. Keys end with the input. A terminal is afterwards as it was before.
    """
    stream = sys.stdin if stream is None else stream
    if stream.isatty() and os.name == "nt":
        yield _windows_keys()
    elif stream.isatty() and importlib.util.find_spec("termios") is not None:
        terminal = stream.fileno()
        termios: Any = importlib.import_module("termios")
        tty: Any = importlib.import_module("tty")
        before = termios.tcgetattr(terminal)
        # Keys that were pressed too early are kept.
        tty.setcbreak(terminal, termios.TCSADRAIN)
        try:
            yield _unix_keys(terminal)
        finally:
            termios.tcsetattr(terminal, termios.TCSADRAIN, before)
    else:
        yield _line_keys(stream)


def _line_keys(stream: TextIO) -> Iterator[str]:
    for line in stream:
        signs = line.strip()
        yield from signs
        if not signs or signs.isdecimal():
            yield "enter"


def split_keys(text: str) -> Iterator[str]:
    r"""Yield the keys of what a terminal sent.

    >>> list(split_keys("a\x1b[C\x1bOH1\r"))
    ['a', 'right', 'home', '1', 'enter']
    """
    for sequence in SEQUENCE.findall(text):
        yield NAMES.get(sequence.replace("\x1bO", "\x1b["), sequence)


def _unix_keys(terminal: int) -> Iterator[str]:
    while sent := os.read(terminal, 1024):
        yield from split_keys(sent.decode(errors="replace"))


def _windows_keys() -> Iterator[str]:
    msvcrt: Any = importlib.import_module("msvcrt")
    while True:
        sign = msvcrt.getwch()
        if sign == "\x03":
            raise KeyboardInterrupt
        if sign in ("\x00", "\xe0"):
            yield WINDOWS_NAMES.get(msvcrt.getwch(), "")
        else:
            yield NAMES.get(sign, sign)
