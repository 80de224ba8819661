"""``python -m cribbage_env.play.screenshot coach.svg``: a picture of the app at a decision."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from cribbage_env.extras import require
from cribbage_env.play.coach import COACH_MODES
from cribbage_env.play.session import Session
from cribbage_env.policy import make_policy
from cribbage_env.rendering import moment

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from cribbage_env.play.app import PlayApp

__all__ = ["draw", "main", "play"]

MOST_SIGNS: Final = 500
"""Columns and lines that a picture may have."""
SURELY_QUIET: Final = 3
"""Looks in a row at which nothing is under way, before the picture is taken."""


def play(player: str, opponent: str, seed: int, moves: int) -> Session:
    """Return the session of a seed after so many moves; a player moves the person's seat.

    Raises:
        ValueError: a bad seed, an unknown player, or the game is over before.
    """
    players = make_policy(player), make_policy(opponent)  # the person has seat 0
    return Session(moment.play(players, seed, moves), opponent)


async def draw(
    session: Session, coach_mode: str, keys: Sequence[str], size: tuple[int, int]
) -> str:
    """Return the app as SVG after some keys, when it has nothing left to do."""
    from cribbage_env.play.app import PlayApp, TableScreen

    app = PlayApp(session, coach_mode, pace=0.0)
    async with app.run_test(size=size) as pilot:
        for key in ("", *keys):
            if key:
                await pilot.press(key)
            await _settle(app, pilot)
        table = app.screen_stack[1]
        assert isinstance(table, TableScreen)
        # The fonts' addresses would make who looks at the picture fetch them.
        return re.sub(r"\s*@font-face\s*\{.*?\}", "", app.export_screenshot(), flags=re.DOTALL)


async def _settle(app: PlayApp, pilot: Pilot[str]) -> None:
    """Wait until nothing is worked out any more, nor what was shown last begins other work."""
    from textual.worker import WorkerCancelled

    quiet = 0
    while quiet < SURELY_QUIET:
        await pilot.pause()
        running = [worker for worker in app.workers if not worker.is_finished]
        quiet = 0 if running else quiet + 1
        for worker in running:
            with contextlib.suppress(WorkerCancelled):  # another has taken its place
                await worker.wait()


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the picture into a file."""
    parser = moment.PictureParser(
        "python -m cribbage_env.play.screenshot",
        "Draw the app as it looks in a terminal, with the coach.",
        ".svg",
        seed=7,
        moves=40,
    )
    add = parser.add_argument
    add("--player", default="club", help="who plays your seat up to there")
    add("--opponent", default="champion", help="whom the game is against")
    add("--coach", choices=COACH_MODES, default="before", help="when it speaks")
    add("--keys", nargs="*", default=[], help="keys pressed then")
    add("--size", type=int, nargs=2, default=(100, 28), help="columns and lines")
    given = parser.parse_args(arguments)
    try:
        file = parser.file_of(given)
        if not all(1 <= side <= MOST_SIGNS for side in given.size):
            raise ValueError(
                f"--size {given.size[0]} {given.size[1]} lies outside 1..{MOST_SIGNS} columns and "
                "lines"
            )
        require("drawing the app", "cribbage-env[play]", "textual")
        session = play(given.player, given.opponent, given.seed, given.moves)
    except (ImportError, TypeError, ValueError) as error:
        parser.error(str(error))
    picture = asyncio.run(draw(session, given.coach, given.keys, tuple(given.size)))
    parser.write(file, picture.encode())


if __name__ == "__main__":
    main()
