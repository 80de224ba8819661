"""The picture of a match: how often a deal brings how many points, beside what is published."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from agents.plots import DOTS_PER_INCH, short_name
from agents.published import ANY_CRIB, ANY_HAND, DEALS, MEANS
from cribbage_env.match import PointCounts

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SIZE", "Panel", "draw_deals", "make_panels", "title_of"]

SIZE = (14.0, 6.5)
"""Width and height in inches."""
ROWS, COLUMNS = ("dealer", "pone"), ("hand", "crib", "play", "total")
WORDS = {"play": "pegging", "total": "whole deal"}
COLOURS = ("#2166ac", "#d6604d")
STRONG, ANY = "strong play, published", "any four cards"
MOST_SHOWN = 45
"""Points at which a picture ends; a deal in some ten thousand brings more."""

Shares = NDArray[np.float64]


@dataclass(frozen=True)
class Panel:
    """One of the distributions.

    Attributes:
        role: ``"dealer"`` or ``"pone"``.
        source: ``"hand"``, ``"crib"``, ``"play"`` or ``"total"``.
        players: of a and of b, the shares of deals with 0, 1, 2, … points.
        published: the same as published, and what it is of; None where nothing is.
        mean_range: the published range of strong players' means.
    """

    role: str
    source: str
    players: tuple[Shares, Shares]
    published: tuple[str, Shares] | None
    mean_range: tuple[float, float]

    @property
    def means(self) -> tuple[float, float]:
        """Mean points of a and of b."""
        first, second = (float(shares @ np.arange(len(shares))) for shares in self.players)
        return first, second


def make_panels(counts: PointCounts) -> list[Panel]:
    """Return all that the picture shows, in numbers.

    >>> from cribbage_env.match import count_points
    >>> panels = make_panels(count_points("club", "club", games=200, seed=1))
    >>> panels[0].role, panels[0].source, round(float(panels[0].players[0].sum()), 6)
    ('dealer', 'hand', 1.0)
    """
    return [
        Panel(
            role,
            source,
            (
                _shares(counts.of(0, role, source)),
                _shares(counts.of(1, role, source)),
            ),
            _published(role, source),
            MEANS[role, source],
        )
        for role in ROWS
        for source in COLUMNS
        if (role, source) in MEANS  # pone has no crib
    ]


def _published(role: str, source: str) -> tuple[str, Shares] | None:
    if source == "total":
        return STRONG, _shares(DEALS[role])
    if source == "play":
        return None
    return ANY, _shares(ANY_CRIB if source == "crib" else ANY_HAND)


def _shares(counts: Sequence[int] | NDArray[np.int64]) -> Shares:
    number = np.asarray(counts, np.float64)
    return number / max(number.sum(), 1.0)


def title_of(counts: PointCounts) -> str:
    """Return what the picture is of, with the number of deals.

    >>> from cribbage_env.match import count_points
    >>> title_of(count_points("greedy", "random", games=2000, seed=1))
    'Points of the first deals of 2,000 games, in % of the 1,000 of each player in each role'
    """
    pone, dealer = (int(counts.of(0, role, "total").sum()) for role in ("pone", "dealer"))
    return (
        f"Points of the first deals of {pone + dealer:,} games, in % of the {dealer:,} of each "
        "player in each role"
    )


def draw_deals(counts: PointCounts, a: str, b: str) -> bytes:
    """Return a PNG of the distributions of two players' points, by role and source.

    Raises:
        ImportError: matplotlib isn't installed.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=SIZE, dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    every = figure.subplots(2, 4)
    names = f"a: {short_name(a)}", f"b: {short_name(b)}"
    for panel in make_panels(counts):
        row, column = ROWS.index(panel.role), COLUMNS.index(panel.source)
        _draw(every[row][column], panel, names)
    legend = every[1][1]  # pone has no crib
    legend.axis("off")
    shown = {
        text: line
        for axes in every.flatten()
        for line, text in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    for text in legend.legend(shown.values(), shown.keys(), loc="center").get_texts():
        text.set_parse_math(False)
    figure.suptitle(title_of(counts), fontsize=11)
    content = io.BytesIO()
    figure.savefig(content, format="png", metadata={"Software": None})
    return content.getvalue()


def _draw(axes: Axes, panel: Panel, names: tuple[str, str]) -> None:
    from matplotlib.ticker import MaxNLocator

    most = max(int(np.flatnonzero(shares).max(initial=0)) for shares in panel.players)
    if panel.published is not None:
        label, shares = panel.published
        if panel.source == "total":
            axes.plot(100 * shares, "k.", markersize=4, label=label)
            most = max(most, int(np.flatnonzero(shares).max()))
        else:
            axes.bar(range(len(shares)), 100 * shares, width=0.9, color="#dddddd", label=label)
    axes.axvspan(
        *panel.mean_range, color="#f2d16b", alpha=0.6, lw=0, label="published range of the mean"
    )
    for shares, mean, name, colour in zip(panel.players, panel.means, names, COLOURS, strict=True):
        axes.stairs(
            100 * shares, np.arange(len(shares) + 1) - 0.5, color=colour, lw=1.4, label=name
        )
        axes.axvline(mean, color=colour, lw=1, ls=":")
    axes.set_xlim(-0.5, min(most, MOST_SHOWN) + 0.5)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    low, high = panel.mean_range
    first, second = panel.means
    axes.set_title(
        f"{panel.role}'s {WORDS.get(panel.source, panel.source)}: mean {first:.2f}, {second:.2f}"
        f"\npublished {low:g} to {high:g}",
        fontsize=9,
    )
    axes.grid(axis="y", alpha=0.3)
