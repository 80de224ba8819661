"""Play every pair of some players in duplicate and print tables: ``python evaluate.py --help``."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import Any, NoReturn

from tqdm import tqdm

from agents.evaluation import Evaluation
from agents.reports import ResultFile, print_matches
from cribbage_env import __version__, opponent_names
from cribbage_env.match import MatchResult, MatchSettings, MatchTotals

BAD_INPUT, INTERRUPTED = 2, 130
DEFAULTS = MatchSettings(games=2000)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(BAD_INPUT, f"{self.prog}: {_one_line(message)}\n")


def main(arguments: list[str] | None = None) -> int:
    """Evaluate as the command line says, or as these arguments do; return the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = _make_parser()
    given = parser.parse_args(arguments)
    try:
        settings = MatchSettings(
            given.games, given.seed, given.target, given.batch_size, given.until_half_width
        )
        evaluation = Evaluation(given.players, settings)
        file = ResultFile(given.json, overwrite=given.overwrite) if given.json else None
    except Exception as error:  # noqa: BLE001 (a user's own player may raise anything)
        parser.error(str(error) if isinstance(error, (TypeError, ValueError)) else repr(error))
    command = shlex.join(["python", "evaluate.py", *arguments])

    def save() -> None:
        if file is not None and evaluation.matches:
            file.write(_document(evaluation, command))

    problems = []
    status = 0
    try:
        _play(evaluation, save, is_quiet=given.quiet)
    except KeyboardInterrupt:
        status = INTERRUPTED
        problems.append(f"interrupted; {_played(evaluation)}")
    except (OSError, TypeError, ValueError) as error:
        status = BAD_INPUT
        problems.append(f"{error}; {_played(evaluation)}")
    if evaluation.matches and not given.quiet:
        print_matches(evaluation.matches, sys.stdout)
    try:
        save()
    except OSError as error:
        status = BAD_INPUT
        problems.append(f"{given.json} can't be written: {error.strerror}")
    for problem in [*problems, *_doubts(evaluation)]:
        print(f"{parser.prog}: {_one_line(problem)}", file=sys.stderr)
    return status


def _play(evaluation: Evaluation, save: Any, *, is_quiet: bool) -> None:
    """Play all matches, with a progress bar on a terminal, and save after each."""
    games = evaluation.settings.games
    # None: tqdm itself finds out whether there is a terminal.
    bar = tqdm(total=games * len(evaluation.pairs), unit="game", disable=is_quiet or None)

    def follow(totals: MatchTotals) -> None:
        bar.n = games * len(evaluation.matches) + totals.games
        bar.refresh()

    def finish(match: MatchResult) -> None:
        bar.set_postfix_str(f"{match.a} wins {match.win_rate_a:.1%} against {match.b}")
        save()

    with bar:
        evaluation.play(progress=follow, finished=finish)


def _document(evaluation: Evaluation, command: str) -> dict[str, Any]:
    return {
        "matches": [match.to_dict() for match in evaluation.matches],
        "is_complete": evaluation.is_complete,
        "command": command,
        "version": __version__,
    }


def _played(evaluation: Evaluation) -> str:
    games = sum(match.games for match in evaluation.matches)
    return f"{games} games of {len(evaluation.pairs)} matches were played"


def _doubts(evaluation: Evaluation) -> list[str]:
    """Return a line for each match that ended before its interval was as narrow as was asked."""
    asked = evaluation.settings.until_half_width
    return [
        f"{match.a} against {match.b}: after {match.games} games the half width is still "
        f"{match.half_width:.2%}"
        for match in evaluation.matches
        if asked is not None and match.half_width > asked
    ]


def _make_parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="evaluate.py",
        description="Play every pair of some players in duplicate: each deal twice, with the "
        "seats swapped.",
        epilog=f"Players: {', '.join(opponent_names())}; ppo:PATH is a run or checkpoint of "
        "train.py; package.module:factory makes your own. Ctrl-C ends with what has been played "
        "(status 130).",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("players", nargs="+", metavar="PLAYER", help="two or more")
    add = parser.add_argument
    add("--games", type=int, default=DEFAULTS.games, metavar="N", help="games a match, even")
    add("--seed", type=int, default=DEFAULTS.seed, metavar="S", help="seed of all cards")
    add("--target", type=int, default=DEFAULTS.target, metavar="T", help="points to win")
    add(
        "--until-half-width",
        type=_share,
        metavar="W",
        help="end a match when the 95%% interval of its win rate is so narrow to both sides, as "
        "0.5%% or 0.005; --games is then the most that are played",
    )
    add("--json", type=Path, metavar="FILE", help="write the results to a new file")
    add("--overwrite", action="store_true", help="let --json replace a file that exists")
    add(
        "--batch-size",
        type=int,
        default=DEFAULTS.batch_size,
        metavar="N",
        help="games side by side; the results don't depend on it",
    )
    add("--quiet", action="store_true", help="no tables and no progress bar")
    return parser


def _share(text: str) -> float:
    """Read a share, as a fraction or in percent."""
    if text.endswith("%"):
        return float(text[:-1]) / 100
    return float(text)


def _one_line(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    sys.exit(main())
