"""How the results of duplicate games are noted and shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cribbage_env.match import MatchResult

__all__ = ["append_line", "match_figures", "table"]


def match_figures(match: MatchResult) -> dict[str, float]:
    """Return the figures that a training is followed by, from the first player's side."""
    low, high = match.interval
    return {
        "games": match.games,
        "win_rate": match.win_rate_a,
        "win_rate_low": low,
        "win_rate_high": high,
        "margin": match.margin_a,
        "points_per_deal": points_ahead(match),
    }


def points_ahead(match: MatchResult) -> float:
    """Return how many points a deal the first player makes more than the second."""
    a, b = (
        sum(match.points_per_deal[side][role]["total"] for role in ("dealer", "pone"))
        for side in ("a", "b")
    )
    return (a - b) / 2


def append_line(file: Path, values: Mapping[str, Any]) -> None:
    """Append one line of JSON to a file.

    Raises:
        OSError: it can't be written.
    """
    with file.open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(values) + "\n")


def table(matches: Mapping[str, MatchResult]) -> str:
    """Return a table of matches by the opponent's name, from the first player's side."""
    rows = [("opponent", "games", "wins", "95 % interval", "margin", "points per deal")]
    for name, match in matches.items():
        low, high = match.interval
        rows.append(
            (
                name,
                str(match.games),
                f"{match.win_rate_a:.1%}",
                f"{low:.1%} to {high:.1%}",
                f"{match.margin_a:+.1f}",
                f"{points_ahead(match):+.2f}",
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if column == 0 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
