"""Results as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import IO, Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agents.files import ResultFile
from agents.losses import PointsLost
from agents.ratings import ANCHOR, Rating, expected_score
from cribbage_env.match import MatchResult
from cribbage_env.match.losses import MEASURES

__all__ = ["ResultFile", "by_player", "print_losses", "print_matches", "print_ratings"]

WIDE = 240
"""Columns for a table that goes into a file or a pipe: nothing is cut there."""


_LONG_TITLES = ("first dealer wins", "deals a game")


def print_matches(matches: Sequence[MatchResult], file: IO[str]) -> None:
    """Print the results of matches, then the points by role and source."""
    console = _console(file)
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


def print_ratings(matches: Sequence[MatchResult], ratings: Sequence[Rating], file: IO[str]) -> None:
    """Print the cross table, then the ratings and how far they are from telling the results."""
    console = _console(file)
    console.print(cross_table(matches, [rating.player for rating in ratings]))
    console.print(rating_table(ratings))
    match, expected = worst_told(matches, ratings)
    console.print(
        Text(
            f"By their ratings {match.a} would win {expected:.1%} against {match.b}, and won "
            f"{match.win_rate_a:.1%}: no other match differs more."
        )
    )


def print_losses(lost: PointsLost, file: IO[str]) -> None:
    """Print the points that each player lost."""
    _console(file).print(loss_table(lost))


def loss_table(lost: PointsLost) -> Table:
    """Return the table of points lost a deal, with the share of choices that were the best."""
    table = _table("Points lost a deal by choices that weren't the best by the analysis")
    table.add_column("player", overflow="fold")
    for title in ("deals", *(word for name in MEASURES for word in (_words(name), "best"))):
        table.add_column(title, justify="right", overflow="fold")
    for player, losses in lost.items():
        cells = [
            cell
            for name in MEASURES
            for cell in (_loss_cells(losses[name]["both"]) if name in losses else ("", ""))
        ]
        table.add_row(Text(player), str(losses["deals"]), *cells)
    return table


def _words(measure: str) -> str:
    return measure.replace("_", " ")


def _loss_cells(losses: dict[str, Any]) -> tuple[str, str]:
    text = f"{losses['lost']:.3f}"
    if losses["interval"] is not None:
        low, high = losses["interval"]
        text += f" \u00b1{(high - low) / 2:.3f}"
    share = losses["best_share"]
    return text, "" if share is None else f"{share:.1%}"


def by_player(matches: Sequence[MatchResult]) -> dict[tuple[str, str], MatchResult]:
    """Return the matches by (player, opponent), each from both sides.

    Of a player that is named twice there are matches with the same games; the first one counts.
    """
    found: dict[tuple[str, str], MatchResult] = {}
    for match in matches:
        found.setdefault((match.a, match.b), match)
        found.setdefault((match.b, match.a), match.swapped())
    return found


def cross_table(matches: Sequence[MatchResult], players: Sequence[str]) -> Table:
    """Return the table of win rates, those of the row's player against the column's."""
    table = _table("Cross table: wins of the row against the column, with the 95% interval")
    table.add_column("", overflow="fold")
    found = by_player(matches)
    for name in players:
        table.add_column(Text(name), justify="right", overflow="fold")
    for player in players:
        row = [Text(player)]
        for opponent in players:
            match = found.get((player, opponent))
            row.append(Text("" if match is None else _cell(match)))
        table.add_row(*row)
    return table


def _cell(match: MatchResult) -> str:
    low, high = match.interval
    return f"{match.win_rate_a:.1%}\n{100 * low:.1f}-{100 * high:.1f}"


def rating_table(ratings: Sequence[Rating]) -> Table:
    """Return the table of ratings, the strongest player first."""
    zero = ANCHOR if any(rating.player == ANCHOR for rating in ratings) else "the mean"
    table = _table(f"Ratings: Elo by Bradley-Terry, {zero} = 0")
    table.add_column("", justify="right")
    table.add_column("player", overflow="fold")
    for title in ("Elo", "95% interval", "games", "wins"):
        table.add_column(title, justify="right", no_wrap=True)
    for place, rating in enumerate(ratings, start=1):
        low, high = rating.interval
        table.add_row(
            str(place),
            Text(rating.player),
            f"{rating.elo:.0f}",
            f"{low:.0f} to {high:.0f}",
            str(rating.games),
            f"{rating.win_rate:.1%}",
        )
    return table


def worst_told(
    matches: Sequence[MatchResult], ratings: Sequence[Rating]
) -> tuple[MatchResult, float]:
    """Return the match whose result is farthest from what the ratings say, and what they say."""
    elo = {rating.player: rating.elo for rating in ratings}
    told = [
        (match, expected_score(elo[match.a], elo[match.b]))
        for match in matches
        if match.a != match.b
    ]
    return max(told, key=lambda one: abs(one[0].win_rate_a - one[1]))


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


def _console(file: IO[str]) -> Console:
    console = Console(file=file, highlight=False)
    return console if console.is_terminal else Console(file=file, highlight=False, width=WIDE)
