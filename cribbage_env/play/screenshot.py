"""``python -m cribbage_env.play.screenshot coach.svg``: a picture of the app at a decision."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from textual.pilot import Pilot
from textual.worker import WorkerCancelled

from cribbage_env.files import OutputFile
from cribbage_env.game import Game
from cribbage_env.play.app import COACH_MODES, PlayApp, TableScreen
from cribbage_env.play.session import PERSON, Session, ask
from cribbage_env.policy import make_policy

__all__ = ["draw", "main"]

SURELY_QUIET: Final = 3
"""Looks in a row at which nothing is under way, before the picture is taken."""


def play(player: str, opponent: str, seed: int, moves: int) -> Session:
    """Return the session of a seed after so many moves; a player moves the person's seat."""
    session = Session(Game(seed), opponent)
    person = make_policy(player)
    for _ in range(moves):
        turn = session.game.turn
        if turn is None:
            break
        policy = person if turn == PERSON else session.policy
        session.game.step(ask(policy, session.game, turn))
    return session


async def draw(
    session: Session, coach_mode: str, keys: Sequence[str], size: tuple[int, int]
) -> str:
    """Return the app as SVG after some keys, when it has nothing left to do."""
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
    parser = argparse.ArgumentParser(
        prog="python -m cribbage_env.play.screenshot",
        description="Draw the app as it looks in a terminal, with the coach.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("file", type=Path, help="the picture to write; its name ends in .svg")
    parser.add_argument("--player", default="club", help="who plays your seat up to there")
    parser.add_argument("--opponent", default="champion", help="whom the game is against")
    parser.add_argument("--seed", type=int, default=7, help="seed of the cards")
    parser.add_argument("--moves", type=int, default=40, help="cards thrown and laid so far")
    parser.add_argument("--coach", choices=COACH_MODES, default="before", help="when it speaks")
    parser.add_argument("--keys", nargs="*", default=[], help="keys pressed then")
    parser.add_argument("--size", type=int, nargs=2, default=(100, 28), help="columns and lines")
    parser.add_argument("--overwrite", action="store_true", help="replace a file that exists")
    given = parser.parse_args(arguments)
    if given.file.suffix.lower() != ".svg":
        parser.error(f"{given.file} doesn't end in .svg")
    if given.moves < 0:
        parser.error(f"--moves {given.moves} is negative")
    if min(given.size) < 1:
        parser.error(f"--size {given.size[0]} {given.size[1]} has no room for anything")
    try:
        file = OutputFile(given.file, overwrite=given.overwrite)
        session = play(given.player, given.opponent, given.seed, given.moves)
    except (TypeError, ValueError) as error:
        parser.error(str(error))
    picture = asyncio.run(draw(session, given.coach, given.keys, tuple(given.size)))
    try:
        file.write(picture.encode())
    except OSError as error:
        parser.error(f"can't write {given.file}: {error}")


if __name__ == "__main__":
    main()
