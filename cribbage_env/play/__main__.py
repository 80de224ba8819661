"""``python -m cribbage_env.play``: a game in the terminal or, with --serve, in the browser."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from cribbage_env.command_line import OneLineParser
from cribbage_env.game import Game
from cribbage_env.play.coach import judge
from cribbage_env.play.saves import SaveFile, newest_unfinished, to_text
from cribbage_env.play.session import TARGETS, OpponentError, Session, ask
from cribbage_env.policy import Policy, opponent_names

__all__ = ["main", "make_file", "make_session", "warm_up"]

OPPONENT, TARGET = "champion", 121
COACH_MODES = ("off", "before", "after")
MISSING = "{} is not installed, which playing needs: pip install 'cribbage-env[play]'"


def _make_parser() -> OneLineParser:
    parser = OneLineParser(
        prog="python -m cribbage_env.play",
        description="Play cribbage in the terminal, or in the browser with --serve. The game is "
        "saved after every action.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    names = ", ".join(opponent_names())
    parser.add_argument(
        "--opponent",
        help=f"{names}, each with options, ppo:PATH or package.module:factory; without it "
        f"{OPPONENT}",
        default=argparse.SUPPRESS,
    )
    parser.add_argument(
        "--target",
        type=int,
        help=f"holes to play to, such as 121 or 61; without it {TARGET}",
        default=argparse.SUPPRESS,
    )
    parser.add_argument(
        "--seed",
        type=int,
        help="the same seed brings the same cards; without it one is drawn",
        default=argparse.SUPPRESS,
    )
    parser.add_argument(
        "--coach",
        choices=COACH_MODES,
        default="after",
        help="when the coach says what each choice is worth: before or after each decision",
    )
    parser.add_argument(
        "--save",
        "--record",
        type=Path,
        metavar="FILE",
        help="the game's file, a new one; without it one in your data folder",
        default=argparse.SUPPRESS,
    )
    parser.add_argument(
        "--resume",
        nargs="?",
        const=None,
        type=Path,
        metavar="FILE",
        help="go on with the game of a file, against its opponent; without FILE with the one in "
        "your data folder that was played last and isn't over",
        default=argparse.SUPPRESS,
    )
    parser.add_argument(
        "--pace",
        type=float,
        default=0.8,
        help="seconds that the opponent takes at least",
    )
    parser.add_argument("--serve", action="store_true", help="play in the browser")
    parser.add_argument(
        "--port", type=int, default=8000, help="where --serve listens, on this machine alone"
    )
    return parser


def make_session(given: argparse.Namespace) -> Session:
    """Begin or resume the game that the arguments ask for; a new one has no file yet.

    Raises:
        ValueError: a bad value, or --resume together with what the file says.
        OSError: the file to resume can't be read.
    """
    chosen = vars(given)
    if "resume" in chosen:
        for name in ("opponent", "target", "seed", "save"):
            if name in chosen:
                raise ValueError(f"--{name} and --resume: a game that is resumed has its own")
        return Session.resume(given.resume or newest_unfinished())
    target = chosen.get("target", TARGET)
    if target not in TARGETS:
        raise ValueError(f"--target {target} is outside {TARGETS[0]}..{TARGETS[-1]}")
    return Session(Game(chosen.get("seed"), target=target), chosen.get("opponent", OPPONENT))


def make_file(given: argparse.Namespace, session: Session) -> SaveFile:
    """Make the file of a new game.

    Raises:
        ValueError: the file exists.
        OSError: it can't be written.
    """
    if "save" not in vars(given):
        return SaveFile.claim_default(session.game)
    try:
        return SaveFile.claim(given.save, to_text(session.game))
    except FileExistsError as error:
        raise ValueError(
            f"--save {given.save} exists and is not overwritten; --resume {given.save} goes on "
            "with the game in it"
        ) from error


def warm_up(policy: Policy) -> None:
    """Let the player and the coach compile what they need, so that nobody waits at the table.

    Raises:
        OpponentError: the player fails.
    """
    game = Game(seed=0)
    while game.turn is not None and game.deals == 1:
        ask(policy, game, game.turn)
        if len(game.actions) in (0, 2):
            judge(game)
        game.step(game.legal_actions()[0])


def has_terminal() -> bool:
    """Tell whether keys come from a terminal, and what is drawn goes to one.

    Textual draws on standard error, but on Windows on standard output.
    """
    return all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr))


def main(arguments: Sequence[str] | None = None) -> int:
    """Play; return the exit status."""
    parser = _make_parser()
    given = parser.parse_args(arguments)
    for module, package in (("textual", "Textual"), ("textual_serve", "textual-serve")):
        if find_spec(module) is None:
            parser.error(MISSING.format(package))
    if not 0.0 <= given.pace <= 60.0:
        parser.error(f"--pace {given.pace} is outside 0..60 seconds")
    if not 1 <= given.port <= 65535:
        parser.error(f"--port {given.port} is outside 1..65535")
    is_web = "TEXTUAL_DRIVER" in os.environ  # the browser's own process
    if not (given.serve or is_web or has_terminal()):
        parser.error("this is no terminal to play in; --serve plays in the browser")
    try:
        session = make_session(given)
        if "save" in vars(given) and given.save.exists():
            make_file(given, session)  # says so before the long work
        warm_up(session.policy)
        session.file = session.file or make_file(given, session)
    except (ImportError, OSError, OpponentError, TypeError, ValueError) as error:
        parser.error(str(error))
    if given.serve:
        return _serve(parser, given, session)
    from cribbage_env.play.app import PlayApp

    app = PlayApp(session, given.coach, given.pace)
    goodbye = app.run()
    if goodbye and not is_web:  # there, what is printed goes to the browser as if drawn
        sys.stdout.write(f"{goodbye}\n")
    return app.return_code or 0


def _serve(parser: OneLineParser, given: argparse.Namespace, session: Session) -> int:
    """Serve the game to the browser until Ctrl-C."""
    from cribbage_env.play.serving import serve

    assert session.file is not None
    try:
        serve(session.file.path, given.coach, given.pace, given.port)
    except OSError as error:
        parser.error(f"--port {given.port}: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
