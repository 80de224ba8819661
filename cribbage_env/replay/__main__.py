"""``python -m cribbage_env.replay games.txt``: look at recorded games."""

from __future__ import annotations

import argparse
import io
import os
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from cribbage_env.command_line import OneLineParser
from cribbage_env.files import OutputFile
from cribbage_env.game import Game, read_records
from cribbage_env.replay.decisions import judge
from cribbage_env.replay.keys import read_keys
from cribbage_env.replay.page import make_page
from cribbage_env.replay.terminal import Stepper, in_colour
from cribbage_env.replay.transcript import Judge, make_transcript

INTERRUPTED = 130
MOST_ON_A_PAGE = 100
"""Games on a page, which takes about a tenth of a megabyte for each."""
CLEAR = "\x1b[H\x1b[2J"
RANGE = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


def main(arguments: Sequence[str] | None = None) -> int:
    """Show games as the command line says; return the exit status."""
    parser = _make_parser()
    given = parser.parse_args(arguments)
    judge_frame = judge if given.analysis else None
    try:
        games = _read(given.file, given.games)
        if given.html is None:
            _show(games, given.seat, judge_frame)
        else:
            if given.html.resolve() == given.file.resolve():
                raise ValueError(
                    f"--html {given.html} would replace the records: name another file"
                )
            file = _page_file(given.html, len(games), overwrite=given.overwrite)
            progress = _progress(len(games))
            page = make_page(games, given.seat, judge_frame=judge_frame, progress=progress)
            file.write(page.encode())
    except ValueError as error:
        parser.error(str(error))
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read this has seen enough, and nothing more can be flushed to them.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        parser.error(f"{given.html} can't be written: {error.strerror}")
    return 0


def _read(path: Path, asked: str | None) -> list[Game]:
    """Return the games of a file that were asked for.

    Raises:
        ValueError: it can't be read, isn't a file of records, or has no such games.
    """
    try:
        # Some editors put a mark of the encoding first.
        games = read_records(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ValueError(f"{path} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no text in UTF-8: {error.reason}") from error
    except ValueError as error:
        raise ValueError(f"{path}, {error}") from error
    if asked is None:
        return games
    return [games[number - 1] for number in _numbers(asked, len(games))]


def _numbers(asked: str, number: int) -> list[int]:
    """Return the numbers of games in a text such as ``2,5-7``."""
    found: list[int] = []
    for part in asked.split(","):
        match = RANGE.fullmatch(part.strip())
        if match is None:
            raise ValueError(f"--games takes numbers and ranges such as 2,5-7, not {asked!r}")
        first, last = int(match[1]), int(match[2] or match[1])
        if not 1 <= first <= last <= number:
            raise ValueError(f"--games {part.strip()}: the file has games 1 to {number}")
        found += range(first, last + 1)
    return found


def _show(games: list[Game], viewer: int | None, judge_frame: Judge | None) -> None:
    """Step through games on a terminal; elsewhere print them from beginning to end."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        for number, game in enumerate(games, 1):
            if len(games) > 1:
                sys.stdout.write(("\n\n" if number > 1 else "") + f"game {number}: ")
            for line in make_transcript(game, viewer, judge_frame=judge_frame):
                sys.stdout.write(line + "\n")
        sys.stdout.flush()
        return
    if os.name == "nt":
        os.system("")  # lets older consoles of Windows know the usual sequences
    has_colour = "NO_COLOR" not in os.environ

    def show(screen: str) -> None:
        sys.stdout.write(f"{CLEAR}{in_colour(screen) if has_colour else screen}\n")
        sys.stdout.flush()

    stepper = Stepper(games, viewer, judge_frame=judge_frame)
    with read_keys() as keys:
        stepper.follow(keys, show, _size)


def _size() -> tuple[int, int]:
    """Return the columns and lines of the terminal, less the line that the cursor stands in."""
    columns, lines = shutil.get_terminal_size()
    return columns, lines - 1


def _page_file(path: Path, games: int, *, overwrite: bool) -> OutputFile:
    """Return the file of a page, made sure of before the work begins.

    Raises:
        ValueError: too many games, the file exists, or it can't be written.
    """
    if games > MOST_ON_A_PAGE:
        raise ValueError(
            f"{games} games are too many for one page: choose {MOST_ON_A_PAGE} at most, "
            f"as with --games 1-{MOST_ON_A_PAGE}"
        )
    return OutputFile(path, overwrite=overwrite)


def _progress(games: int) -> Callable[[int], None] | None:
    """Return what tells on a terminal how many games have been analysed."""
    if games == 1 or not sys.stderr.isatty():
        return None

    def tell(number: int) -> None:
        sys.stderr.write(f"\rgame {number} of {games}" + ("\n" if number == games else ""))
        sys.stderr.flush()

    return tell


def _make_parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="python -m cribbage_env.replay",
        description="Step through recorded games on a terminal, print them where there is none, or "
        "write a page for a browser.",
        epilog="Records are written by Game.to_record and by evaluate.py --record.",
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("file", type=Path, metavar="FILE", help="one record or more")
    add("--games", metavar="LIST", help="only these, such as 2,5-7 (default: all)")
    add(
        "--seat",
        type=int,
        choices=(0, 1),
        help="begin with the view of a seat: the other's cards are hidden until they were shown",
    )
    add("--html", type=Path, metavar="PAGE", help="write a page that needs nothing but itself")
    add("--overwrite", action="store_true", help="let a page that exists be replaced")
    add(
        "--no-analysis",
        dest="analysis",
        action="store_false",
        help="leave out what each choice was worth, which takes about half a second a game",
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
