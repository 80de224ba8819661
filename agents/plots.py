"""The picture of a tournament: a heat map of the cross table and the ratings beside it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from agents.ratings import ANCHOR, Rating
from agents.reports import by_player
from cribbage_env.match import MatchResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DOTS_PER_INCH", "draw_tournament", "figure_size", "short_name"]

DOTS_PER_INCH = 120
LONGEST_NAME = 24
"""Letters of a name in the picture; of a longer one the middle is left out."""


def figure_size(players: int) -> tuple[float, float]:
    """Return width and height in inches for so many players.

    >>> figure_size(4)
    (11.0, 4.7)
    """
    side = 0.75 * max(players, 3)
    return round(2 * side + 5.0, 2), round(side + 1.7, 2)


def draw_tournament(results: Sequence[MatchResult], ratings: Sequence[Rating]) -> bytes:
    """Return a PNG of what players won against each other, and of their ratings.

    Raises:
        ValueError: nobody is rated.
        ImportError: matplotlib isn't installed.
    """
    if not ratings:
        raise ValueError("there is nothing to draw: nobody is rated")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # A figure of its own, not pyplot's: nothing of it stays behind in the process.
    figure = Figure(figsize=figure_size(len(ratings)), dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    left, right = figure.subplots(1, 2)
    _draw_cross_table(left, results, ratings)
    _draw_ratings(right, ratings)
    content = io.BytesIO()
    figure.savefig(content, format="png", metadata={"Software": None})
    return content.getvalue()


def _draw_cross_table(
    axes: Axes, results: Sequence[MatchResult], ratings: Sequence[Rating]
) -> None:
    names = [rating.player for rating in ratings]
    found = by_player(results)
    rates = [
        [
            found[player, opponent].win_rate_a if (player, opponent) in found else float("nan")
            for opponent in names
        ]
        for player in names
    ]
    axes.imshow(rates, cmap="RdBu", vmin=0, vmax=1)
    for row, line in enumerate(rates):
        for column, rate in enumerate(line):
            match = found.get((names[row], names[column]))
            if match is None:
                continue
            text = f"{rate:.1%}\n\N{PLUS-MINUS SIGN}{100 * match.half_width:.1f}"
            colour = "white" if abs(rate - 0.5) > 0.3 else "black"
            axes.text(column, row, text, ha="center", va="center", color=colour, fontsize=9)
    labels = [short_name(name) for name in names]
    axes.set_xticks(range(len(names)), labels, rotation=30, ha="right", parse_math=False)
    axes.set_yticks(range(len(names)), labels, parse_math=False)
    axes.set_title("wins of the row against the column", fontsize=10)


def _draw_ratings(axes: Axes, ratings: Sequence[Rating]) -> None:
    places = range(len(ratings))
    elos = [rating.elo for rating in ratings]
    errors: list[list[float]] = [
        [rating.elo - rating.interval[0] for rating in ratings],
        [rating.interval[1] - rating.elo for rating in ratings],
    ]
    axes.errorbar(elos, places, xerr=errors, fmt="o", color="#2166ac", capsize=4)
    for place, rating in zip(places, ratings, strict=True):
        axes.annotate(
            f"{rating.elo:.0f}",
            (rating.elo, place),
            textcoords="offset points",
            xytext=(0, 7),
            ha="center",
            fontsize=9,
        )
    labels: list[Any] = [short_name(rating.player) for rating in ratings]
    axes.set_yticks(places, labels, parse_math=False)
    axes.set_ylim(len(ratings) - 0.5, -0.6)  # the strongest on top, as in the table
    axes.margins(x=0.1)
    axes.grid(axis="x", alpha=0.3)
    zero = f"{ANCHOR} = 0" if ANCHOR in [rating.player for rating in ratings] else "mean = 0"
    axes.set_title(f"Elo ({zero}) with 95 % intervals", fontsize=10)


def short_name(name: str) -> str:
    """Return a name that fits, the middle left out if need be.

    >>> short_name("ppo:runs/2026-01-31-001/checkpoints/000300000")
    'ppo:runs/202…s/000300000'
    """
    if len(name) <= LONGEST_NAME:
        return name
    half = (LONGEST_NAME - 1) // 2
    return f"{name[: LONGEST_NAME - 1 - half]}…{name[-half:]}"
