"""What an evaluation writes down: JSON that it can go on from, and CSV of one line a result."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import numpy as np

from agents.evaluation import Evaluation, Match
from agents.losses import PointsLost, measured
from agents.parts import PlayedPart
from agents.ratings import PairWins, Rating, rate
from agents.reports import by_player
from cribbage_env import __version__
from cribbage_env.bots.champion import SearchingChampion
from cribbage_env.bots.network import NetworkPolicy
from cribbage_env.files import parse_json
from cribbage_env.match import MatchResult, MatchTotals, PointCounts

__all__ = ["make_csv", "make_document", "rate_players", "resume"]

CSV_COLUMNS = (
    "player",
    "opponent",
    "games",
    "wins",
    "win_rate",
    "win_rate_low",
    "win_rate_high",
    "margin",
    "skunks",
    "double_skunks",
    "elo",
    "elo_low",
    "elo_high",
)


def rate_players(evaluation: Evaluation) -> list[Rating]:
    """Rate the players that have played, the strongest first; nobody while two groups are apart."""
    pairs = [
        PairWins(match.a, match.b, _digits(match.played.pair_wins))
        for match in evaluation.matches
        if match.games
    ]
    try:
        return rate(pairs)
    except ValueError:
        return []


def make_document(
    evaluation: Evaluation, lost: PointsLost, command: str, points: PointCounts | None = None
) -> dict[str, Any]:
    """Return what the JSON file holds; ``docs/evaluation.md`` describes it."""
    return {
        "matches": [result.to_dict() for result in evaluation.results],
        "ratings": [rating.to_dict() for rating in rate_players(evaluation)],
        "points_lost": [{"player": name, **losses} for name, losses in lost.items()],
        **({} if points is None else {"first_deals": points.to_dict()}),
        "is_complete": evaluation.is_complete,
        "settings": _settings(evaluation),
        "command": command,
        "version": __version__,
        "progress": [
            {
                "totals": asdict(match.played.totals),
                "seconds": match.played.seconds,
                "pair_wins": match.played.pair_wins,
            }
            for match in evaluation.matches
        ],
    }


def make_csv(results: Sequence[MatchResult], ratings: Sequence[Rating]) -> str:
    """Return a line for each player against each opponent, with the player's rating on it."""
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow(CSV_COLUMNS)
    rating_of = {rating.player: rating for rating in ratings}
    for (player, opponent), match in by_player(results).items():
        rating = rating_of.get(player)
        lines.writerow(
            (
                player,
                opponent,
                match.games,
                match.totals.wins_a,
                match.win_rate_a,
                *match.interval,
                match.margin_a,
                match.totals.skunks[0],
                match.totals.double_skunks[0],
                *(("", "", "") if rating is None else (rating.elo, *rating.interval)),
            )
        )
    return text.getvalue()


# ---- going on with what was written ------------------------------------------------------------


def resume(evaluation: Evaluation, path: Path) -> PointsLost:
    """Take over what was played in an earlier run with the same players and settings.

    Returns the points lost that were measured in it. Only `games` may be more than they were, and
    `batch_size` different.

    Raises:
        ValueError: the file can't be read, is damaged, or is that of another evaluation; says how
            they differ. Nothing is taken over then.
    """
    try:
        document = parse_json(path.read_bytes())
    except OSError as error:
        raise ValueError(f"{path} can't be read: {error.strerror}") from error
    except ValueError as error:
        raise ValueError(f"{path} holds no JSON: {error}") from error
    if not isinstance(document, dict) or not {"settings", "version", "progress"} <= set(document):
        raise ValueError(f"{path} holds no evaluation that could be gone on with")
    if document["version"] != __version__:
        raise ValueError(
            f"{path} was written by version {document['version']}, and this is {__version__}: "
            "their games may differ"
        )
    _check_settings(path, document["settings"], _settings(evaluation))
    progress = document["progress"]
    if not isinstance(progress, list) or len(progress) != len(evaluation.matches):
        raise ValueError(f"{path} is damaged: its progress isn't that of its matches")
    parts = [
        _read_part(path, match, entry)
        for match, entry in zip(evaluation.matches, progress, strict=True)
    ]
    lost = _read_points_lost(path, evaluation, document.get("points_lost"))
    for match, part in zip(evaluation.matches, parts, strict=True):
        match.played = part
    return lost


def _settings(evaluation: Evaluation) -> dict[str, Any]:
    """Return all that decides what the results are."""
    settings = evaluation.settings
    return {
        "players": list(evaluation.players),
        "games": settings.games,
        "seed": settings.seed,
        "target": settings.target,
        "until_half_width": settings.until_half_width,
        # A run under training has other weights tomorrow.
        "weights": {
            name: str(policy.facts["sha256"])
            for name, policy in evaluation.policies.items()
            if isinstance(policy, (NetworkPolicy, SearchingChampion)) and "sha256" in policy.facts
        },
    }


def _check_settings(path: Path, found: Any, asked: Mapping[str, Any]) -> None:
    if not isinstance(found, dict) or set(found) != set(asked):
        raise ValueError(f"{path} is damaged: its settings aren't those of an evaluation")
    for name, value in asked.items():
        before = found[name]
        if before == value or (name == "games" and isinstance(before, int) and before <= value):
            continue
        if name == "players" and isinstance(before, list):
            change = f"it is of {' '.join(map(str, before))}, not of {' '.join(value)}"
        elif name == "weights":
            change = "the weights of a player have changed since"
        else:
            option = f"--{name.replace('_', '-')}"
            was = "wasn't given" if before is None else f"was {before}"
            may = ", and may be that or more" if name == "games" else ""
            now = "is left out" if value is None else f"is {value}"
            change = f"{option} {was}{may}; now it {now}"
        raise ValueError(f"{path} can't be gone on with: {change}")


def _read_points_lost(path: Path, evaluation: Evaluation, written: Any) -> PointsLost:
    """Return the points lost by player.

    Raises:
        ValueError: they can't have been written by `make_document`.
    """
    try:
        lost = {
            entry["player"]: {name: entry[name] for name in entry if name != "player"}
            for entry in written
        }
        is_sound = set(lost) <= set(evaluation.players) and all(
            type(losses["deals"]) is int
            and all(_is_number(losses[measure]["both"]["lost"]) for measure in measured(losses))
            for losses in lost.values()
        )
    except (AttributeError, KeyError, TypeError):
        is_sound = False
    if not is_sound:
        raise ValueError(f"{path} is damaged: its points lost")
    return lost


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < float("inf")


def _read_part(path: Path, match: Match, entry: Any) -> PlayedPart:
    """Return what was played of a match.

    Raises:
        ValueError: it can't have been written by `make_document`.
    """
    try:
        totals = _read_totals(entry["totals"])
        wins, seconds = entry["pair_wins"], float(entry["seconds"])
        counts = tuple(wins.count(digit) for digit in "012")
        is_sound = (
            counts == totals.pair_wins
            and sum(counts) == len(wins)
            and totals.games <= match.settings.games
            and 0 <= seconds < float("inf")
        )
    except (AttributeError, KeyError, TypeError, ValueError):
        is_sound = False
    if not is_sound:
        raise ValueError(f"{path} is damaged: the progress of {match.a} against {match.b}")
    return PlayedPart(totals, wins, seconds)


def _read_totals(written: Any) -> MatchTotals:
    """Return totals from lists of lists of whole numbers, shaped as they are in `MatchTotals`."""
    empty = asdict(MatchTotals())
    if set(written) != {field.name for field in fields(MatchTotals)}:
        raise ValueError("the totals lack a count, or have one too many")
    return MatchTotals(**{name: _like(empty[name], written[name]) for name in empty})


def _like(shape: Any, written: Any) -> Any:
    if isinstance(shape, tuple):
        if not isinstance(written, list) or len(written) != len(shape):
            raise ValueError(f"there should be {len(shape)} counts, not {written!r}")
        return tuple(_like(*both) for both in zip(shape, written, strict=True))
    if type(written) is not int:
        raise ValueError(f"a count is a whole number, not {written!r}")
    return written


def _digits(text: str) -> Any:
    return np.frombuffer(text.encode("ascii"), np.int8) - ord("0")
