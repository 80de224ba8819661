"""Play every pair of some players in duplicate and print tables: ``python evaluate.py --help``."""

from __future__ import annotations

import argparse
import contextlib
import shlex
import sys
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor
from pathlib import Path

from agents.cluster import check_ray
from agents.evaluation import Evaluation
from agents.executors import Executor, Processes, SameProcess, describe_failure
from agents.files import ResultFile
from agents.losses import PointsLost, check_deals, deals_missing, measure_players
from agents.records import check_record_games, games_to_record, record_evaluation
from cribbage_env import opponent_names
from cribbage_env.command_line import BAD_INPUT, OneLineParser, imports_of, one_line
from cribbage_env.extras import require
from cribbage_env.files import OutputFile, is_taken
from cribbage_env.game import write_records
from cribbage_env.match import MatchResult, MatchSettings, PointCounts, count_points

with imports_of("evaluate.py", ".[train]"):
    from tqdm import tqdm

    from agents.reports import print_losses, print_matches, print_ratings
    from agents.results import make_csv, make_document, rate_players, resume

INTERRUPTED = 130
DEFAULTS = MatchSettings(games=2000, batch_size=250)
RAY = "ray"
SAVE_EVERY = 2.0
"""Seconds between two writes of the file while games are played."""


class _Files:
    """The files that a run is asked to write.

    `lost` are the points lost by player, as far as they are measured; `points` those of the single
    deals of a match, once they are counted.
    """

    def __init__(self, given: argparse.Namespace, evaluation: Evaluation, command: str) -> None:
        """Take over what --resume names, and make sure that all can be written.

        Raises:
            ValueError: a file exists and may not be overwritten, can't be written, or is that of
                another evaluation.
        """
        asked = (given.json, given.csv, given.plot, given.record)
        paths = [path for path in asked if path is not None]
        if len({path.resolve() for path in paths}) < len(paths):
            raise ValueError("--json, --csv, --plot and --record need files of their own")
        if given.record is None and given.record_games is not None:
            raise ValueError("--record-games says how many games go into --record: name a file")
        if given.resume and given.json is None:
            raise ValueError("--resume goes on with the file that --json names: name one")
        if given.plot is not None and not given.plot.name.lower().endswith(".png"):
            raise ValueError(f"--plot draws a PNG: name a file that ends in .png, not {given.plot}")
        if given.plot is not None:
            require("--plot", ".[train]", "matplotlib")
        goes_on = given.resume and is_taken(given.json)
        self.lost: PointsLost = resume(evaluation, given.json) if goes_on else {}
        self.points: PointCounts | None = None
        may = given.overwrite
        for path in (given.csv, given.plot, given.record):
            if goes_on and not may and path is not None and path.is_file():
                raise ValueError(
                    f"{path} exists already: name another file, or give --overwrite too, which "
                    f"replaces it and goes on with {given.json}"
                )
        self.json = given.json and ResultFile(given.json, overwrite=may or goes_on)
        self.csv = given.csv and OutputFile(given.csv, overwrite=may)
        self.plot = given.plot and OutputFile(given.plot, overwrite=may)
        self.record = given.record and OutputFile(given.record, overwrite=may)
        self.evaluation = evaluation
        self.command = command

    def save(self) -> None:
        """Write what has been played so far.

        Raises:
            OSError: it can't be written.
        """
        if self.json is not None and self.evaluation.games:
            self.json.write(make_document(self.evaluation, self.lost, self.command, self.points))

    def keep(self) -> None:
        """Write what has been played so far, if that is possible now; the last write will say."""
        with contextlib.suppress(OSError):
            self.save()

    def write_at_end(self) -> None:
        """Write table and picture, unless a run that goes on with this one will.

        The picture is that of the deals of a match, or else that of the tournament.

        Raises:
            OSError: one can't be written.
        """
        is_last = self.evaluation.is_complete or self.json is None
        if not is_last or not self.evaluation.games:
            return
        results, ratings = self.evaluation.results, rate_players(self.evaluation)
        if self.csv is not None:
            self.csv.write(make_csv(results, ratings).encode())
        if self.plot is not None and self.points is not None:
            from agents.deal_plots import draw_deals

            self.plot.write(draw_deals(self.points, *self.evaluation.players))
        elif self.plot is not None and ratings:
            from agents.plots import draw_tournament

            self.plot.write(draw_tournament(results, ratings))


def main(arguments: list[str] | None = None) -> int:
    """Evaluate as the command line says, or as these arguments do; return the exit status."""
    arguments = sys.argv[1:] if arguments is None else arguments
    parser = _make_parser()
    given = parser.parse_args(arguments)
    try:
        settings = MatchSettings(
            given.games, given.seed, given.target, given.batch_size, given.until_half_width
        )
        if given.points_lost is not None:
            check_deals(given.points_lost)
        if given.record is not None:
            check_record_games(given.record_games, tuple(given.players))
        evaluation = Evaluation(given.players, settings)
        files = _Files(given, evaluation, shlex.join(["python", "evaluate.py", *arguments]))
        executor = _make_executor(evaluation, given.workers, given.address)
    except Exception as error:  # noqa: BLE001 (a user's own player may raise anything)
        parser.error(describe_failure(error))
    status, problems = _play(evaluation, executor, files, given)
    if evaluation.games and not given.quiet:
        _print(evaluation, files.lost)
    for write in (files.save, files.write_at_end):
        try:
            write()
        except OSError as error:
            status = BAD_INPUT
            problems.append(f"a file can't be written: {one_line(error)}")
    for problem in [*problems, *_doubts(evaluation)]:
        print(f"{parser.prog}: {one_line(problem)}", file=sys.stderr)
    return status


def _make_executor(evaluation: Evaluation, workers: int | str, address: str | None) -> Executor:
    """Return where the games are played.

    Raises:
        ValueError: there are no such workers, no such cluster, or a player can't be sent there.
    """
    if workers == RAY:
        check_ray("--workers ray")
        from agents.ray_workers import RayWorkers

        return RayWorkers(evaluation.policies, address=address)
    if address is not None:
        raise ValueError("--address is that of a Ray cluster: give --workers ray too")
    if workers == 1:
        return SameProcess(evaluation.policies)
    return Processes(int(workers), evaluation.policies)


def _play(
    evaluation: Evaluation, executor: Executor, files: _Files, given: argparse.Namespace
) -> tuple[int, list[str]]:
    """Play and measure what is missing; return the exit status and what went wrong."""
    try:
        _follow(evaluation, executor, files.keep, is_quiet=given.quiet)
        if files.plot is not None and len(evaluation.matches) == 1:
            files.points = _count_points(evaluation)
        if given.points_lost is not None:
            _measure(evaluation, files, given.points_lost, is_quiet=given.quiet)
        if files.record is not None:
            _record(evaluation, files.record, given.record_games, is_quiet=given.quiet)
    except KeyboardInterrupt:
        return INTERRUPTED, [f"interrupted; {_played(evaluation)}"]
    except BrokenExecutor:
        return BAD_INPUT, [f"a worker process died; {_played(evaluation)}"]
    except Exception as error:  # noqa: BLE001 (a user's own player may raise anything)
        return BAD_INPUT, [f"{describe_failure(error)}; {_played(evaluation)}"]
    finally:
        executor.close()
    return 0, []


def _follow(
    evaluation: Evaluation, executor: Executor, keep: Callable[[], None], *, is_quiet: bool
) -> None:
    """Play with a progress bar on a terminal, and save every few seconds."""
    saved = time.monotonic()
    # None: tqdm itself finds out whether there is a terminal.
    bar = tqdm(
        total=evaluation.most_games,
        initial=evaluation.games,
        unit="game",
        disable=is_quiet or None,
    )

    def follow() -> None:
        nonlocal saved
        bar.total = evaluation.most_games
        bar.update(evaluation.games - bar.n)
        if time.monotonic() - saved > SAVE_EVERY:
            keep()
            saved = time.monotonic()

    def finish(match: MatchResult) -> None:
        bar.set_postfix_str(f"{match.a} wins {match.win_rate_a:.1%} against {match.b}")

    with bar:
        evaluation.play(executor, progress=follow, finished=finish)


def _measure(evaluation: Evaluation, files: _Files, deals: int, *, is_quiet: bool) -> None:
    """Measure the points lost with a progress bar on a terminal, and save after each player."""
    missing = deals_missing(evaluation, files.lost, deals)
    with tqdm(total=missing, unit="deal", disable=is_quiet or None) as bar:
        measure_players(evaluation, files.lost, deals, progress=bar.update, finished=files.keep)


def _count_points(evaluation: Evaluation) -> PointCounts:
    """Count the points of single deals of a match that is over, for its picture."""
    a, b = (evaluation.policies[name] for name in evaluation.players)
    (match,), settings = evaluation.matches, evaluation.settings
    return count_points(
        a,
        b,
        games=match.games,
        seed=settings.seed,
        target=settings.target,
        batch_size=settings.batch_size,
    )


def _record(evaluation: Evaluation, file: OutputFile, games: int | None, *, is_quiet: bool) -> None:
    """Write the records of games, with a progress bar on a terminal."""
    number = games_to_record(evaluation, games)
    with tqdm(total=number, unit="record", disable=is_quiet or None) as bar:
        file.write(write_records(record_evaluation(evaluation, games, bar.update)).encode())


def _print(evaluation: Evaluation, lost: PointsLost) -> None:
    results, ratings = evaluation.results, rate_players(evaluation)
    print_matches(results, sys.stdout)
    if len(ratings) > 2:
        print_ratings(results, ratings, sys.stdout)
    if lost:
        print_losses(lost, sys.stdout)


def _played(evaluation: Evaluation) -> str:
    number = len(evaluation.matches)
    matches = "1 match" if number == 1 else f"{number} matches"
    return f"{evaluation.games} games of {matches} were played"


def _doubts(evaluation: Evaluation) -> list[str]:
    """Return a line for each match that ended before its interval was as narrow as was asked."""
    asked = evaluation.settings.until_half_width
    return [
        f"{match.a} against {match.b}: after {match.games} games the half width is still "
        f"{match.half_width:.2%}"
        for match in evaluation.results
        if asked is not None and match.half_width > asked
    ]


def _make_parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
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
    add(
        "--points-lost",
        type=int,
        metavar="DEALS",
        help="also measure what each player's choices lose a deal by the analysis",
    )
    add("--json", type=Path, metavar="FILE", help="write the results to a new file")
    add("--csv", type=Path, metavar="FILE", help="write a line for each player and opponent")
    add(
        "--plot",
        type=Path,
        metavar="FILE",
        help="draw a PNG: of two players how often a deal brings how many points, beside published "
        "figures; of more the cross table and the ratings",
    )
    add(
        "--record",
        type=Path,
        metavar="FILE",
        help="write records of the games, for python -m cribbage_env.replay, at the end",
    )
    add("--record-games", type=int, metavar="N", help="record the first games a match (all)")
    add(
        "--resume",
        action="store_true",
        help="go on with the evaluation in the --json file, if it exists; --games may be more",
    )
    add(
        "--overwrite",
        action="store_true",
        help="let files that exist be replaced, but for what --resume goes on with",
    )
    add(
        "--workers",
        type=_workers,
        default=1,
        metavar="N",
        help="processes that play; 'ray' plays on all processors of a Ray cluster",
    )
    add(
        "--address",
        help="the cluster of --workers ray, as HOST:6379, or auto for one that runs here; without "
        "it this machine is the cluster",
    )
    add(
        "--batch-size",
        type=int,
        default=DEFAULTS.batch_size,
        metavar="N",
        help="games side by side, kept together; the results don't depend on it",
    )
    add("--quiet", action="store_true", help="no tables and no progress bar")
    return parser


def _share(text: str) -> float:
    """Read a share, as a fraction or in percent."""
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a share, as 0.5% or 0.005, not {text!r}") from None


def _workers(text: str) -> int | str:
    """Read a number of processes, or the word for Ray's."""
    if text == RAY:
        return RAY
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"a number of processes, or {RAY}, not {text!r}") from None


if __name__ == "__main__":
    sys.exit(main())
