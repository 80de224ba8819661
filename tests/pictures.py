"""The pictures kept in tests/golden; ``python -m tests.pictures`` draws them anew."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
from PIL import Image

from cribbage_env.game import Game
from cribbage_env.rendering import see
from cribbage_env.rendering.picture import draw_table

GOLDEN = Path(__file__).parent / "golden"
BLOCK = 10


def random_game(seed: int, moves: int) -> Game:
    """Return the game of a seed after so many random moves, or its end."""
    game = Game(seed=seed)
    rng = random.Random(seed)
    for _ in range(moves):
        if game.turn is None:
            break
        game.step(rng.choice(game.legal_actions()))
    return game


def play() -> Game:
    """Return a position in the play: 21 on the table, the opponent to lay."""
    return Game.from_position(
        dealer=1,
        hands=("5H 6C 7D JS AC 2D", "4C 9D TH KC QC 3H"),
        starter="8S",
        discards=("AC 2D", "QC 3H"),
        plays="5H TH 6C",
        scores=(85, 31),
    )


def scenes() -> dict[str, tuple[Game, int | None]]:
    """Return the games and viewers of the golden pictures by name."""
    return {
        "table_discard": (random_game(7, 21), 0),
        "table_play": (play(), 1),
        "table_end": (random_game(3, 1000), None),
    }


def halved(image: Image.Image) -> Image.Image:
    """Return a picture at half its size, as the golden ones are kept."""
    return image.reduce(2)


def worst_block(one: Image.Image, other: Image.Image) -> float:
    """Return the mean difference of colours, 0..255, in the block of ten by ten that differs most.

    Other versions of the libraries smooth edges a little differently; another card, number or peg
    changes a block as a whole.
    """
    difference = np.abs(np.asarray(one, np.int16) - np.asarray(other, np.int16)).mean(axis=2)
    height, width = difference.shape
    blocks = difference.reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK)
    return float(blocks.mean(axis=(1, 3)).max())


def main() -> None:
    for name, (game, viewer) in scenes().items():
        halved(draw_table(see(game, viewer))).save(GOLDEN / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
