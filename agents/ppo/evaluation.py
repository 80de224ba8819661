"""How the results of duplicate games are noted, read again and shown."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, TypeAlias

from agents.ppo.config import Config
from cribbage_env.files import parse_json
from cribbage_env.match import Losses, MatchResult, measure_losses, play_match
from cribbage_env.policy import Policy

__all__ = [
    "EVALUATIONS",
    "Curves",
    "append_line",
    "figures_against",
    "final_table",
    "is_figure",
    "loss_figures",
    "match_figures",
    "read_curves",
    "table",
]

EVALUATIONS: Final = "evaluations.jsonl"
"""The file of a run that has a line for each evaluation and opponent."""
EVALUATION_SEED: Final = 1 << 63
"""Added to the run's seed; the training's games have seeds below it."""
LOSS_WORLDS: Final = 128
"""Hands of the opponent over which a play of an evaluation is compared."""
MEASURES: Final = ("discard", "play")
"""What is followed of `Losses`, by its own names."""

LARGEST: Final = 1e15
"""No figure of an evaluation comes near; what can't be drawn was never measured."""

Curves: TypeAlias = dict[str, list[dict[str, float]]]
"""For each opponent the figures of every evaluation, by rising ``decisions``."""


def figures_against(player: Policy, opponent: str, config: Config) -> dict[str, float]:
    """Return the figures of a player against one opponent, measured as a run is to be."""
    seed = EVALUATION_SEED + config.seed
    match = play_match(player, opponent, games=config.evaluate_games, seed=seed)
    figures = match_figures(match)
    if config.evaluate_deals:
        losses = measure_losses(
            player,
            deals=config.evaluate_deals,
            seed=seed,
            opponent=opponent,
            worlds=LOSS_WORLDS,
        )
        figures |= loss_figures(losses)
    return figures


def final_table(player: Policy, config: Config) -> str:
    """Play the duplicate games that end a run, and return their table."""
    seed = EVALUATION_SEED + config.seed
    matches = {
        name: play_match(player, name, games=config.final_games, seed=seed)
        for name in config.final_opponents
    }
    return table(matches)


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


def loss_figures(losses: Losses) -> dict[str, float]:
    """Return the points that a deal lost, by measure, each with its 95 % interval."""
    figures: dict[str, float] = {}
    for measure in MEASURES:
        figures[f"{measure}_loss"] = losses.per_deal(measure)
        interval = losses.interval(measure)
        if interval is not None:
            figures[f"{measure}_loss_low"], figures[f"{measure}_loss_high"] = interval
    return figures


def append_line(file: Path, values: Mapping[str, Any]) -> None:
    """Append one line of JSON to a file; a line that a crash left unfinished stays for itself.

    Raises:
        OSError: it can't be written.
    """
    text = json.dumps(values) + "\n"
    try:
        with file.open("ab+") as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - 1))
            if size and stream.read() != b"\n":
                text = "\n" + text
            stream.write(text.encode())
    except OSError as error:
        error.filename = error.filename or str(file)
        raise


def read_curves(file: Path) -> tuple[Curves, int]:
    """Return what a file of evaluations holds, and how many of its lines can't be read.

    A run that went on from a checkpoint may have been evaluated there before: the later lines count
    from there on.

    Raises:
        OSError: the file is there, but can't be read.
    """
    curves: Curves = {}
    unreadable = 0
    for line in file.read_text("utf-8", "replace").splitlines() if file.exists() else []:
        values = _read_line(line)
        if values is None:
            unreadable += 1
            continue
        figures = {name: value for name, value in values.items() if is_figure(value)}
        before = curves.get(values["opponent"], [])
        earlier = [one for one in before if one["decisions"] < figures["decisions"]]
        curves[values["opponent"]] = [*earlier, figures]
    return curves, unreadable


def _read_line(line: str) -> dict[str, Any] | None:
    try:
        values = parse_json(line.encode())
    except ValueError:
        return None
    if not isinstance(values, dict) or not isinstance(values.get("opponent"), str):
        return None
    return values if is_figure(values.get("decisions")) else None


def is_figure(value: Any) -> bool:
    """Tell whether a value may be a figure of an evaluation: a number that can be drawn."""
    return type(value) in (int, float) and -LARGEST < value < LARGEST


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
