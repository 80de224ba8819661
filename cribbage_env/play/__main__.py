"""``python -m cribbage_env.play``: a game in the terminal or, with --serve, in the browser."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from cribbage_env.command_line import OneLineParser, one_line
from cribbage_env.extras import require
from cribbage_env.game import Game
from cribbage_env.play.coach import COACH_MODES, judge
from cribbage_env.play.saves import SaveFile, newest_unfinished, to_text
from cribbage_env.play.session import TARGETS, OpponentError, Session, ask
from cribbage_env.policy import Policy, opponent_names

__all__ = ["main", "make_file", "make_session", "warm_up"]

OPPONENT, TARGET = "champion", 121


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
        ValueError: a bad value, --resume together with what the file says, or a file with no game
            to go on with.
        TypeError: the opponent's factory returns no player.
        ImportError: its module can't be imported.
    """
    chosen = vars(given)
    if "resume" in chosen:
        for name in ("opponent", "target", "seed", "save"):
            if name in chosen:
                raise ValueError(f"--{name} and --resume: a game that is resumed has its own")
        return _resume(newest_unfinished() if given.resume is None else given.resume)
    target = chosen.get("target", TARGET)
    if target not in TARGETS:
        raise ValueError(f"--target {target} is outside {TARGETS[0]}..{TARGETS[-1]}")
    return Session(Game(chosen.get("seed"), target=target), chosen.get("opponent", OPPONENT))


def _resume(path: Path) -> Session:
    """Go on with the game of a file; whatever is wrong with it is told with its name."""
    try:
        return Session.resume(path)
    except OSError as error:
        raise ValueError(f"--resume {path} can't be read: {error.strerror}") from error
    except (ImportError, TypeError, ValueError) as error:
        raise ValueError(f"--resume {path}: {error}") from error


def make_file(given: argparse.Namespace, session: Session) -> SaveFile:
    """Make the file of a new game.

    Raises:
        ValueError: the file exists, or can't be written.
        OSError: none can be written into the user's folder.
    """
    if "save" not in vars(given):
        return SaveFile.claim_default(session.game)
    check_save(given.save)
    try:
        return SaveFile.claim(given.save, to_text(session.game))
    except OSError as error:
        raise ValueError(f"--save {given.save} can't be written: {error.strerror}") from error


def check_save(path: Path) -> None:
    """Make sure that a new game may have a file of this name.

    Raises:
        ValueError: something has it.
    """
    if path.is_dir():
        raise ValueError(f"--save {path} is a folder, not a file")
    if path.exists():
        raise ValueError(
            f"--save {path} exists and is not overwritten; --resume {path} goes on with the game "
            "in it"
        )


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


def _check_numbers(given: argparse.Namespace) -> None:
    """Make sure of the numbers that are none of a game's.

    Raises:
        ValueError: one is out of range.
    """
    if not 0.0 <= given.pace <= 60.0:
        raise ValueError(f"--pace {given.pace} is outside 0..60 seconds")
    if not 1 <= given.port <= 65535:
        raise ValueError(f"--port {given.port} is outside 1..65535")


def main(arguments: Sequence[str] | None = None) -> int:
    """Play; return the exit status."""
    parser = _make_parser()
    given = parser.parse_args(arguments)
    is_web = "TEXTUAL_DRIVER" in os.environ  # the browser's own process
    try:
        _check_numbers(given)
        require("playing", "cribbage-env[play]", "textual", "textual_serve")
        session = make_session(given)
        if "save" in vars(given):
            check_save(given.save)
        if not (given.serve or is_web or has_terminal()):
            raise ValueError("this is no terminal to play in; --serve plays in the browser")
        warm_up(session.policy)
        session.file = session.file or make_file(given, session)
    except (ImportError, OSError, OpponentError, TypeError, ValueError) as error:
        parser.error(one_line(error))
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
        parser.error(f"--port {given.port}: {one_line(error)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
