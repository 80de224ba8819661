"""The picture of a match: the numbers that it shows, and what ``evaluate.py --plot`` writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.deal_plots import SIZE, draw_deals, make_panels, title_of
from agents.plots import DOTS_PER_INCH
from agents.published import ANY_CRIB, ANY_HAND, DEALS, MEANS
from cribbage_env.match import count_points
from tests.agents.test_results import png_size
from tests.test_evaluate import read, run

GOLDEN = Path(__file__).parent.parent / "golden"


def test_any_hand_and_crib_are_the_published_histogram() -> None:
    golden = np.loadtxt(GOLDEN / "hand_distribution.tsv", dtype=np.int64, skiprows=2)
    assert golden[:, 1].tolist() == list(ANY_HAND)
    assert golden[:, 2].tolist() == list(ANY_CRIB)


def test_the_published_deals_agree_with_the_published_means() -> None:
    for role, deals in DEALS.items():
        assert sum(deals) == 20_000
        low, high = MEANS[role, "total"]
        assert low <= np.dot(deals, np.arange(len(deals))) / 20_000 <= high


def test_a_panel_has_the_shares_and_the_means_of_the_counts() -> None:
    counts = count_points("club", "random", games=400, seed=1)
    panels = {(panel.role, panel.source): panel for panel in make_panels(counts)}
    assert set(panels) == set(MEANS)
    for (role, source), panel in panels.items():
        assert panel.mean_range == MEANS[role, source]
        for player in (0, 1):
            deals = counts.of(player, role, source)
            assert panel.players[player] == pytest.approx(deals / 200)
            assert panel.means[player] == pytest.approx(deals @ np.arange(len(deals)) / 200)
        if panel.published is not None:
            assert panel.published[1].sum() == pytest.approx(1.0)
    assert panels["dealer", "total"].published[1][15] == 1563 / 20_000  # type: ignore[index]
    assert panels["pone", "play"].published is None
    assert title_of(counts) == (
        "Points of the first deals of 400 games, in % of the 200 of each player in each role"
    )


def test_strong_play_is_as_published() -> None:
    """Club's whole deals: no share of points is far from the published one."""
    counts = count_points("club", "club", games=4000, seed=1)
    for panel in make_panels(counts):
        low, high = panel.mean_range
        assert low - 0.3 <= panel.means[0] <= high + 0.3
        if panel.source == "total":
            assert panel.published is not None
            published = np.zeros_like(panel.players[0])
            published[: len(panel.published[1])] = panel.published[1]
            gap = np.abs(np.cumsum(panel.players[0]) - np.cumsum(published))
            assert gap.max() < 0.06
        elif panel.source == "hand":
            assert panel.means[0] > np.dot(ANY_HAND, np.arange(30)) / sum(ANY_HAND) + 2


def test_the_picture_is_a_png_of_its_size() -> None:
    counts = count_points("club", "random", games=4, seed=1)
    width, height = (round(side * DOTS_PER_INCH) for side in SIZE)
    picture = draw_deals(counts, "club", "_my:$\\x$")
    assert png_size(picture) == (width, height)
    assert draw_deals(counts, "club", "club") != picture


def test_two_players_are_drawn_with_their_counts(capsys: Any, tmp_path: Path) -> None:
    plot, results = tmp_path / "match.png", tmp_path / "match.json"
    arguments = ("club", "greedy", "--games", 8, "--seed", 2, "--json", results, "--plot", plot)
    assert run(capsys, *arguments)[0] == 0
    counts = count_points("club", "greedy", games=8, seed=2)
    assert plot.read_bytes() == draw_deals(counts, "club", "greedy")
    assert read(results)["first_deals"] == counts.to_dict()
    again = ("club", "greedy", "--games", 10, "--seed", 2, "--json", results, "--resume")
    assert run(capsys, *again)[0] == 0
    assert "first_deals" not in read(results)
