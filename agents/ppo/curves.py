"""The curves of a run as a picture: how strong its player was after so many decisions."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final, NamedTuple

from agents.ppo.evaluation import Curves
from cribbage_env.extras import require

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["draw_curves"]

DOTS_PER_INCH: Final = 120
PANEL_SIZE: Final = (4.6, 3.6)
"""Inches."""


class Panel(NamedTuple):
    """One figure over the decisions, by its name in the evaluations."""

    figure: str
    title: str
    level: float
    """Where a thin line says what an equal, or a perfect, player would have."""
    is_share: bool = False


PANELS: Final = (
    Panel("win_rate", "games won", 0.5, is_share=True),
    Panel("points_per_deal", "points a deal more than the opponent", 0.0),
    Panel("discard_loss", "points lost a deal by the discard", 0.0),
    Panel("play_loss", "points lost a deal by the play", 0.0),
)


def draw_curves(curves: Curves) -> bytes:
    """Return a PNG with a panel for each figure that was measured; bands are 95 % intervals.

    Raises:
        ValueError: nothing was measured.
        NotInstalledError: matplotlib isn't there; names what installs it.
    """
    panels = [
        panel
        for panel in PANELS
        if any(panel.figure in one for points in curves.values() for one in points)
    ]
    if not panels:
        raise ValueError("there is nothing to draw: no evaluation can be read")
    require("the report", ".[train]", "matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    # A figure of its own, not pyplot's: nothing of it stays behind in the process.
    columns = min(2, len(panels))
    rows = -(-len(panels) // columns)
    size = (columns * PANEL_SIZE[0], rows * PANEL_SIZE[1] + 0.4)
    figure = Figure(figsize=size, dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    every = figure.subplots(rows, columns, squeeze=False).flatten()
    for axes, panel in zip(every, panels, strict=False):
        _draw_panel(axes, panel, curves)
    for axes in every[len(panels) :]:
        axes.remove()
    handles, labels = every[0].get_legend_handles_labels()
    legend = figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    for text in legend.get_texts():
        text.set_parse_math(False)  # a name may hold a dollar sign
    content = io.BytesIO()
    figure.savefig(content, format="png", metadata={"Software": None})
    return content.getvalue()


def _draw_panel(axes: Axes, panel: Panel, curves: Curves) -> None:
    from matplotlib.ticker import EngFormatter, PercentFormatter

    low, high = f"{panel.figure}_low", f"{panel.figure}_high"
    for opponent, points in curves.items():
        measured = [one for one in points if panel.figure in one]
        decisions = [one["decisions"] for one in measured]
        values = [one[panel.figure] for one in measured]
        (line,) = axes.plot(decisions, values, marker=".", label=f"against {opponent}")
        if all(low in one and high in one for one in measured):
            axes.fill_between(
                decisions,
                [one[low] for one in measured],
                [one[high] for one in measured],
                color=line.get_color(),
                alpha=0.2,
                linewidth=0,
            )
    axes.axhline(panel.level, color="grey", linewidth=0.8)
    axes.set_title(panel.title, fontsize=10)
    axes.set_xlabel("decisions", fontsize=9)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))
    if panel.is_share:
        axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.grid(alpha=0.3)
