"""The games of an evaluation as records: each is played again, and has to end as it was counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from agents.evaluation import Evaluation, Match
from cribbage_env.game import Game
from cribbage_env.game.beginning import check_name
from cribbage_env.match import record_games

__all__ = ["check_record_games", "games_to_record", "record_evaluation"]


def check_record_games(games: int | None, players: tuple[str, ...]) -> None:
    """Make sure that so many games a match can be recorded, with these names.

    Raises:
        ValueError: no game at all, or a name that can't be printed.

    >>> check_record_games(0, ("club", "greedy"))
    Traceback (most recent call last):
    ValueError: --record-games must be 1 or more, not 0
    """
    if games is not None and games < 1:
        raise ValueError(f"--record-games must be 1 or more, not {games}")
    for player in players:
        check_name(player)


def games_to_record(evaluation: Evaluation, games: int | None) -> int:
    """Return how many games are to be recorded, at most `games` a match or (None) all."""
    return sum(_number(match, games) for match in evaluation.matches)


def _number(match: Match, games: int | None) -> int:
    return match.games if games is None else min(games, match.games)


def record_evaluation(
    evaluation: Evaluation,
    games: int | None,
    progress: Callable[[int], object] = lambda _: None,
) -> Iterator[Game]:
    """Yield the first games of each match; `progress` is called with 1 after each.

    Raises:
        ValueError: a game came out otherwise than in the match, since a player's choices depend on
            more than its observation and key.
        TypeError: a player's answer is not integers.

    >>> from cribbage_env.match import MatchSettings
    >>> evaluation = Evaluation(("club", "random"), MatchSettings(games=4))
    >>> evaluation.play()
    >>> [game.beginning.names for game in record_evaluation(evaluation, 2)]
    [('club', 'random'), ('random', 'club')]
    """
    for match in evaluation.matches:
        if match.games:
            for game in _record_match(evaluation, match, _number(match, games)):
                yield game
                progress(1)


def _record_match(evaluation: Evaluation, match: Match, games: int) -> Iterator[Game]:
    settings, wins = evaluation.settings, 0
    recorded = record_games(
        evaluation.policies[match.a],
        evaluation.policies[match.b],
        games=games,
        seed=settings.seed,
        target=settings.target,
        names=(match.a, match.b),
    )
    for number, game in enumerate(recorded):
        pair, is_second = divmod(number, 2)
        wins = (wins if is_second else 0) + (game.winner == is_second)
        if is_second and wins != int(match.played.pair_wins[pair]):
            raise ValueError(
                f"{match.a} against {match.b}: the games of pair {pair} came out otherwise when "
                "they were played again, so a player's choices depend on more than its "
                "observation and key"
            )
        yield game
