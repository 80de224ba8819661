"""The expert's chances of winning against games played out: how they are compared, and that."""

from __future__ import annotations

import pytest
from scipy.stats import chi2

from benchmarks.win_table import POSITIONS, Comparison, compare, main


def test_a_comparison_says_how_far_apart_both_are() -> None:
    found = Comparison((113, 113, "pone"), table=0.5, wins=60, games=100)
    assert found.rate == 0.6
    assert found.z == pytest.approx(2.0)
    assert str(found) == "| 113–113, pone | 50.00% | 60.00% | +10.00% | +2.0 |"


def test_positions_are_played_from_their_scores_and_share_no_deals() -> None:
    """With one hole to go a game is as good as won; with 121 to go against two, lost."""
    assert len(set(POSITIONS)) == 20
    first = compare((120, 60, "pone"), games=30, player="club")
    assert first.wins == 30
    assert compare((120, 60, "pone"), games=30, player="club") == first
    assert compare((0, 119, "dealer"), games=30, player="club").wins < 5
    with pytest.raises(ValueError, match="lead"):
        compare((0, 0, "lead"), games=2, player="club")


def test_no_games_and_no_threads_are_refused_in_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for option in ("--games", "--threads"):
        with pytest.raises(SystemExit, match="2"):
            main([option, "0"])
        error = capsys.readouterr().err
        assert error == f"python -m benchmarks.win_table: {option} is 1 or more, not 0\n"


@pytest.mark.slow
def test_the_table_is_close_to_games_played_out() -> None:
    """With 10,000 games each it agrees (docs/ladder.md: chi-square 22.3 with 20 degrees).

    Of 400 games a position the error is 2.5 %, so that only a gross fault can be seen here.
    """
    found = [compare(position, games=400, seed=3) for position in POSITIONS]
    assert all(abs(one.rate - one.table) < 0.1 for one in found)
    chi_square = sum(one.z**2 for one in found)
    assert chi2.sf(chi_square, len(found)) > 0.001
