"""``python -m cribbage_env.rendering table.png``: a picture of a game after some moves."""

from __future__ import annotations

import argparse
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from cribbage_env.files import OutputFile
from cribbage_env.game import Game
from cribbage_env.lanes import Lanes
from cribbage_env.policy import make_policy
from cribbage_env.rendering.libraries import require
from cribbage_env.rendering.scene import see
from cribbage_env.rendering.size import MAX_SCALE


def play(player: str, seed: int, moves: int) -> Game:
    """Return the game of a seed after so many moves, or its end; one player moves both seats."""
    game = Game(seed=seed)
    policy = make_policy(player)
    lanes = Lanes(1)
    for _ in range(moves):
        if game.turn is None:
            break
        lanes.states = game.state
        seat = np.array([game.turn])
        observations, masks, keys = lanes.observe(np.array([0]), seat, policy.observation)
        game.step(int(policy.act(observations, masks, keys)[0]))
    return game


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the picture into a file."""
    parser = argparse.ArgumentParser(
        prog="python -m cribbage_env.rendering",
        description="Draw the table of a game between two equal players.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("file", type=Path, help="the picture to write; its name ends in .png")
    parser.add_argument("--player", default="club", help="who plays both sides")
    parser.add_argument("--seed", type=int, default=0, help="seed of the cards")
    parser.add_argument("--moves", type=int, default=9, help="cards thrown and laid so far")
    parser.add_argument("--viewer", type=int, choices=(0, 1), help="the seat that looks on, or all")
    parser.add_argument(
        "--scale", type=int, default=2, choices=range(1, MAX_SCALE + 1), help="times 960 by 640"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace a file that exists")
    given = parser.parse_args(arguments)
    if given.file.suffix.lower() != ".png":
        parser.error(f"{given.file} doesn't end in .png")
    if given.moves < 0:
        parser.error(f"--moves {given.moves} is negative")
    try:
        file = OutputFile(given.file, overwrite=given.overwrite)
        require("PIL")
        game = play(given.player, given.seed, given.moves)
    except (ImportError, TypeError, ValueError) as error:
        parser.error(str(error))
    from cribbage_env.rendering.picture import draw_table

    content = io.BytesIO()
    draw_table(see(game, given.viewer), given.scale).save(content, "png", optimize=True)
    try:
        file.write(content.getvalue())
    except OSError as error:
        parser.error(f"can't write {given.file}: {error}")


if __name__ == "__main__":
    main()
