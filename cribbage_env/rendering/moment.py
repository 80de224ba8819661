"""What the commands share that draw a game after some moves."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from cribbage_env.command_line import OneLineParser
from cribbage_env.files import OutputFile
from cribbage_env.game import Game
from cribbage_env.lanes import Lanes
from cribbage_env.policy import Policy

__all__ = ["PictureParser", "play"]


class PictureParser(OneLineParser):
    """Takes the file of a picture, the game that it shows, and how far that has gone."""

    def __init__(self, prog: str, description: str, suffix: str, *, seed: int, moves: int) -> None:
        """Declare these options, with the defaults of a seed and a number of moves."""
        super().__init__(
            prog=prog,
            description=description,
            formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        )
        self._suffix = suffix
        add = self.add_argument
        add("file", type=Path, help=f"the picture to write; its name ends in {suffix}")
        add("--seed", type=int, default=seed, help="seed of the cards")
        add("--moves", type=int, default=moves, help="moves so far: discards, and cards laid")
        add("--overwrite", action="store_true", help="replace a file that exists")

    def file_of(self, given: argparse.Namespace) -> OutputFile:
        """Return the picture's file, made sure of before anything is played.

        Raises:
            ValueError: another kind of file, one that exists or can't be written; moves below 0.
        """
        if not given.file.name.lower().endswith(self._suffix):
            raise ValueError(f"{given.file} doesn't end in {self._suffix}")
        if given.moves < 0:
            raise ValueError(f"--moves {given.moves} is negative")
        return OutputFile(given.file, overwrite=given.overwrite)

    def write(self, file: OutputFile, content: bytes) -> None:
        """Write the picture, or leave with the reason why it can't be."""
        try:
            file.write(content)
        except OSError as error:
            self.error(f"{file.path} can't be written: {error.strerror or error}")


def play(players: tuple[Policy, Policy], seed: int, moves: int) -> Game:
    """Return the game of a seed after so many moves of the players in both seats.

    Raises:
        ValueError: a bad seed, or the game is over before; says after how many moves.

    >>> from cribbage_env.policy import make_policy
    >>> greedy = make_policy("greedy")
    >>> play((greedy, greedy), seed=1, moves=10**9)
    Traceback (most recent call last):
    ValueError: --moves 1000000000 is too many: the game of seed 1 is over after 90
    """
    game = Game(seed)
    lanes = Lanes(1)
    for number in range(moves):
        if game.turn is None:
            raise ValueError(
                f"--moves {moves} is too many: the game of seed {seed} is over after {number}"
            )
        policy = players[game.turn]
        lanes.states = game.state
        observations, masks, keys = lanes.observe(
            np.array([0]), np.array([game.turn]), policy.observation
        )
        game.step(int(policy.act(observations, masks, keys)[0]))
    return game
