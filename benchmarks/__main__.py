"""``python -m benchmarks``: one process, one core, everything and its peers in one run."""

from __future__ import annotations

import argparse
import itertools
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import gymnasium
import numpy as np

import cribbage_env
from agents.reports import ResultFile
from benchmarks import peers
from benchmarks.lanes import ObservedLanes
from benchmarks.measure import Contender, Figure, race, repeat, stay_on_one_core
from cribbage_env.command_line import OneLineParser
from cribbage_env.match import measure_losses, play_match

PEER = "OpenSpiel cribbage, from Python, random"
EXAMPLE = "the same, chance drawn as in its examples"
BATCH = "1,024 lanes, random, cards and mask for every decision"
SINGLE = "gym.make against random, default wrappers"

SLOW = ("expert", "champion")
"""Players of which a turn takes a few games only."""

DECISIONS: dict[str, float] = {}
"""Decisions a game in the last match of each player against itself."""

FIRST_GAME = """
import time
begun = time.perf_counter()
import gymnasium
import cribbage_env
gymnasium.make("Cribbage-v0").reset(seed=1)
print(time.perf_counter() - begun)
"""


def single_environment() -> Contender:
    """Return the single environment, stepped with the first legal action."""
    env = gymnasium.make("Cribbage-v0", opponent="random")
    now = {"info": env.reset(seed=1)[1]}

    def once() -> int:
        info = now["info"]
        for _ in range(500):
            _, _, is_over, _, info = env.step(int(info["action_mask"].argmax()))
            if is_over:
                info = env.reset()[1]
        now["info"] = info
        return 500

    return Contender(SINGLE, "steps", lambda seconds: repeat(once, seconds))


def vector_environment() -> Contender:
    """Return the vector environment, stepped with the first legal actions."""
    envs = cribbage_env.CribbageVectorEnv(1024, opponent="random")
    now = {"masks": envs.reset(seed=1)[1]["action_mask"]}

    def once() -> int:
        now["masks"] = envs.step(now["masks"].argmax(axis=1))[4]["action_mask"]
        return len(now["masks"])

    return Contender(
        "vector environment of 1,024 against random", "steps", lambda seconds: repeat(once, seconds)
    )


def match(name: str, games: int) -> Contender:
    """Return matches of a player against itself."""
    seeds = iter(range(1_000_000))

    def once() -> int:
        played = play_match(name, name, games=games, seed=next(seeds))
        DECISIONS[name] = played.totals.decisions / games
        return games

    return Contender(f"match, {name} against itself", "games", lambda s: repeat(once, s))


def pictures() -> Contender:
    """Return pictures of every decision of two random games, one after the other."""
    from cribbage_env.rendering.picture import render_picture

    games = []
    for seed in range(2):
        game = cribbage_env.Game(seed=seed)
        actions = np.random.default_rng(seed)
        while game.turn is not None:
            games.append(game.copy())
            game.step(int(actions.choice(game.legal_actions())))
    turns = itertools.cycle(games)

    def once() -> int:
        render_picture(next(turns), viewer=0)
        return 1

    return Contender("rgb_array, 960 by 640", "pictures", lambda seconds: repeat(once, seconds))


def analyses() -> list[Contender]:
    """Return the analysis of a discard and of a lead, the largest of all plays, in one game."""
    hands = ("4H 5H 6S TD JC QC", "5D 6D 7C 9S KD KH")
    game = cribbage_env.Game.from_position(
        dealer=1, hands=hands, starter="JH", discards=("JC QC", "KD KH"), scores=(88, 92)
    )

    def discard() -> int:
        cribbage_env.analyze_discard(hands[0], is_dealer=False, scores=(88, 92))
        return 1

    def play() -> int:
        cribbage_env.analyze_play(game, 0)
        return 1

    return [
        Contender("analyze_discard, 88 to 92", "hands", lambda seconds: repeat(discard, seconds)),
        Contender("analyze_play, the lead", "plays", lambda seconds: repeat(play, seconds)),
    ]


def losses() -> list[Contender]:
    """Return the measuring of the club player's discards, and of its discards and plays."""

    def measured(worlds: int, deals: int) -> Callable[[], int]:
        def once() -> int:
            measure_losses("club", deals=deals, worlds=worlds)
            return deals

        return once

    discards, all_choices = measured(0, 1000), measured(1820, 100)
    return [
        Contender("points lost in discards, club", "deals", lambda s: repeat(discards, s)),
        Contender("points lost in all choices, club", "deals", lambda s: repeat(all_choices, s)),
    ]


def contenders() -> list[Contender]:
    """Return all that is timed, the peer first if it is there."""
    found = []
    if peers.is_installed():
        games = peers.RandomGames(seed=1)
        found.append(Contender(PEER, "decisions", lambda s: repeat(games.play_one, s)))
        examples = peers.RandomGames(seed=1, is_from_outcomes=True)
        found.append(Contender(EXAMPLE, "decisions", lambda s: repeat(examples.play_one, s)))
    return [
        *found,
        Contender(BATCH, "decisions", ObservedLanes("random").work),
        Contender("the same with features", "decisions", ObservedLanes("random", "features").work),
        single_environment(),
        vector_environment(),
        *([pictures()] if find_spec("PIL") else []),
        *analyses(),
        *losses(),
        *(match(name, 4 if name in SLOW else 400) for name in cribbage_env.opponent_names()),
    ]


def first_game() -> float:
    """Return the seconds of import, first make and reset in a fresh process, caches warm."""
    times = []
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", FIRST_GAME], capture_output=True, text=True, check=True
        )
        times.append(float(done.stdout))
    return min(times)


def ratios(figures: list[Figure]) -> list[tuple[str, str, float]]:
    """Return (ours, the peer's, the rate of ours over the peer's, turn by turn, the median)."""
    turns = {figure.name: np.array(figure.turns) for figure in figures}
    return [
        (own, peer, float(np.median(turns[own] / turns[peer])))
        for own, peer in ((BATCH, PEER), (BATCH, EXAMPLE), (SINGLE, PEER))
        if peer in turns
    ]


def main() -> None:
    """Run all and print the table."""
    parser = OneLineParser(
        prog="python -m benchmarks",
        description="Time the engine, the environments and the players, beside their peers.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--turns", type=int, default=5, help="turns that each takes")
    parser.add_argument("--seconds", type=float, default=1.0, help="about so long a turn")
    parser.add_argument("--json", type=Path, help="also write the figures to this new file")
    parser.add_argument("--overwrite", action="store_true", help="let --json replace a file")
    settings = parser.parse_args()
    try:
        file = ResultFile(settings.json, overwrite=settings.overwrite) if settings.json else None
    except ValueError as error:
        parser.error(str(error))
    begun = time.perf_counter()
    is_pinned = stay_on_one_core()
    figures = race(contenders(), turns=settings.turns, seconds=settings.seconds)
    start = first_game()
    found = ratios(figures)
    lines = [str(figure) for figure in figures]
    lines += [f"{own}: {ratio:.2f} times {peer}" for own, peer, ratio in found]
    lines += [f"{name}: {number:.1f} decisions a game" for name, number in DECISIONS.items()]
    lines.append(f"import, first make and reset in a fresh process: {start:.2f} s")
    lines.append(
        f"{'one core' if is_pinned else 'not pinned'}, {time.perf_counter() - begun:.0f} s in all"
    )
    sys.stdout.write("\n".join(lines) + "\n")
    if file is not None:
        report = {
            "figures": {one.name: {"unit": one.unit, "turns": one.turns} for one in figures},
            "ratios": [{"own": own, "peer": peer, "ratio": ratio} for own, peer, ratio in found],
            "decisions_per_game": DECISIONS,
            "first_game_seconds": start,
        }
        file.write(report)


if __name__ == "__main__":
    main()
