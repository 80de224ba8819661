"""Results as tables for a terminal and as a file that never replaces another by accident."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from cribbage_env.match import MatchResult

__all__ = ["ResultFile", "print_matches"]

WIDE = 240
"""Columns for a table that goes into a file or a pipe: nothing is cut there."""


_LONG_TITLES = ("first dealer wins", "deals a game")


class ResultFile:
    """A JSON file that is new, unless it may be overwritten; each write replaces it as a whole.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "results.json"
    >>> ResultFile(path).write({"matches": []})
    >>> ResultFile(path)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: ...results.json exists already...
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

    def write(self, content: dict[str, Any]) -> None:
        """Write what the file is to hold from now on.

        Raises:
            OSError: the disk is full or the folder is gone; the file is as it was before.
        """
        try:
            text = json.dumps(content, indent=1, allow_nan=False) + "\n"
            self._draft.write_text(text, encoding="utf-8")
            self._draft.replace(self.path)
        finally:
            self._draft.unlink(missing_ok=True)


def print_matches(matches: Sequence[MatchResult], file: IO[str]) -> None:
    """Print the results of matches, then the points by role and source."""
    console = Console(file=file, highlight=False)
    if not console.is_terminal:
        console = Console(file=file, highlight=False, width=WIDE)
    console.print(match_table(matches))
    console.print(points_table(matches))
    for match in matches:
        repeated = match.games - match.totals.distinct_games
        if repeated:
            console.print(
                Text(
                    f"{match.a} against {match.b}: {repeated} of {match.games} games repeated the "
                    "other game of their pair, card by card."
                )
            )


def match_table(matches: Sequence[MatchResult]) -> Table:
    """Return the table of win rates, margins and skunks, a line a match."""
    table = _table("Matches: a against b, each deal played twice with the seats swapped")
    for title in ("a", "b"):
        table.add_column(title, overflow="fold")
    for title in (
        "games",
        "a wins",
        "95% interval",
        "margin",
        "skunks",
        "double",
        "first dealer wins",
        "deals a game",
        "games/s",
    ):
        table.add_column(title, justify="right", no_wrap=title not in _LONG_TITLES)
    for match in matches:
        totals = match.totals
        table.add_row(
            Text(match.a),
            Text(match.b),
            str(match.games),
            f"{match.win_rate_a:.2%}",
            "{:.2%}-{:.2%}".format(*match.interval),
            _margin(match),
            "{}:{}".format(*totals.skunks),
            "{}:{}".format(*totals.double_skunks),
            f"{totals.first_dealer_wins / match.games:.1%}",
            f"{totals.deals / match.games:.2f}",
            f"{match.games_per_second:.0f}",
        )
    return table


def _margin(match: MatchResult) -> str:
    text = f"{match.margin_a:+.2f}"
    if match.margin_interval is not None:
        low, high = match.margin_interval
        text += f" \u00b1{(high - low) / 2:.2f}"
    return text


def points_table(matches: Sequence[MatchResult]) -> Table:
    """Return the table of mean points a deal, two lines for each player of a match."""
    table = _table("Points a deal, in the first four deals of each game")
    for title in ("player", "against", "as"):
        table.add_column(title, overflow="fold" if title != "as" else "ellipsis")
    sources = ("hand", "crib", "play", "heels", "total")
    for title in sources:
        table.add_column(title, justify="right")
    for match in matches:
        for player, opponent, side in ((match.a, match.b, "a"), (match.b, match.a, "b")):
            for role, points in match.points_per_deal[side].items():
                figures = [f"{points[name]:.3f}" if name in points else "" for name in sources]
                table.add_row(Text(player), Text(opponent), role, *figures)
    return table


def _table(title: str) -> Table:
    return Table(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False
    )
