"""Memory while the vector environment is stepped for long: ``python -m tests.endurance``.

Prints the resident memory after the first tenth of a percent of the decisions, by which everything
is compiled and every game has been begun, and at the end. The exit status is 1 where it has grown
by more than ``--allowed`` megabytes. Only on Linux, whose ``/proc`` says what a process holds now.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from cribbage_env import CribbageVectorEnv
from cribbage_env.command_line import OneLineParser

STATM = Path("/proc/self/statm")
PAGE = 4096


class Measured(NamedTuple):
    """What one run came to; memory in megabytes."""

    decisions: int
    games: int
    at_start: float
    at_end: float
    most: float


def resident() -> float:
    """Return the megabytes that the process holds in memory."""
    gc.collect()
    return int(STATM.read_text().split()[1]) * PAGE / 2**20


def endure(decisions: int, *, lanes: int, opponent: str, seed: int, reports: int = 10) -> Measured:
    """Step lanes until so many decisions are made, by a random learner."""
    envs = CribbageVectorEnv(lanes, opponent=opponent)
    rng = np.random.default_rng(seed)
    _, infos = envs.reset(seed=seed)
    steps = -(-decisions // lanes)
    warm, every = max(50, steps // 1000), max(1, steps // reports)
    games, at_start, most = 0, 0.0, 0.0
    for step in range(steps):
        actions = np.where(infos["action_mask"] == 1, rng.random((lanes, 19)), -1.0).argmax(axis=1)
        _, _, terminated, _, infos = envs.step(actions)
        games += int(terminated.sum())
        if step == warm:
            at_start = most = resident()
            say(f"{step * lanes:>12,} decisions {at_start:8.1f} MB")
        elif step > warm and step % every == 0:
            now = resident()
            most = max(most, now)
            say(f"{step * lanes:>12,} decisions {now:8.1f} MB")
    return Measured(steps * lanes, games, at_start, resident(), most)


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure as the command line says; return the exit status."""
    parser = OneLineParser(prog="python -m tests.endurance", description=__doc__)
    add = parser.add_argument
    add("--decisions", type=int, default=10_000_000, help="decisions of the learners")
    add("--lanes", type=int, default=512, help="games side by side")
    add("--opponent", default="greedy", help="who plays against the random learners")
    add("--seed", type=int, default=0, help="seed of cards and learners")
    add("--allowed", type=float, default=2.0, metavar="MB", help="growth that is no leak")
    given = parser.parse_args(arguments)
    if not STATM.exists():
        parser.error("there is no /proc here to read the memory from")
    if given.decisions < 1:
        parser.error(f"--decisions {given.decisions} must be 1 or more")
    try:
        found = endure(given.decisions, lanes=given.lanes, opponent=given.opponent, seed=given.seed)
    except (TypeError, ValueError) as error:
        parser.error(str(error))
    say(
        f"{found.decisions:,} decisions, {found.games:,} games: {found.at_start:.1f} MB at the "
        f"start, {found.at_end:.1f} MB at the end, {found.most:.1f} MB at most"
    )
    return 1 if found.at_end - found.at_start > given.allowed else 0


if __name__ == "__main__":
    sys.exit(main())
