"""``python -m benchmarks.cluster``: what more processes of Ray bring on this machine.

Training by RLlib with some processes that play against none, and a match of the expert on some
workers against one, in turns, start-up apart. Needs the extra ``ray`` (docs/scaling.md).
"""

from __future__ import annotations

import argparse
import statistics
import time
from concurrent.futures import wait

import torch

from agents.cluster import connected
from agents.evaluation import Evaluation
from agents.ppo.config import Config
from agents.ray_workers import RayWorkers
from cribbage_env.command_line import OneLineParser
from cribbage_env.match import MatchSettings

__all__ = ["play", "train"]

PART = 250
"""Games of a part; a match of 5,000 has twenty of them."""


def train(runners: int, updates: int = 4) -> tuple[float, float]:
    """Train the default network against itself; return decisions per second, share of playing.

    The first update, in which the kernels are compiled or read, is left out.
    """
    from agents.rllib.learning import make_algorithm

    config = Config(
        engine="rllib",
        observation="features",
        opponent=("self",),
        num_envs=128,
        num_steps=64,
        num_env_runners=runners,
        threads=1,
    )
    torch.set_num_threads(1)
    with connected(None, runners + 1):
        algorithm = make_algorithm(config, 5)
        algorithm.train()
        decisions, playing, learning = 0, 0.0, 0.0
        begun = time.perf_counter()
        for _ in range(updates):
            found = algorithm.train()
            decisions += found["env_runners"]["num_module_steps_sampled"]["learner"]
            playing += found["timers"]["env_runner_sampling_timer"]
            learning += found["timers"]["learner_update_timer"]
        seconds = time.perf_counter() - begun
        algorithm.stop()
    return decisions / seconds, playing / (playing + learning)


def play(workers: int, games: int = 5000) -> tuple[float, int]:
    """Play the expert against club on workers that are warm; return the seconds and the wins."""
    settings = MatchSettings(games=games, batch_size=PART, seed=1)
    evaluation = Evaluation(("expert", "club"), settings)
    cluster = RayWorkers(evaluation.policies, num_cpus=workers)
    try:
        wait([cluster.submit("expert", "club", 0, 2, settings) for _ in range(4 * workers)])
        begun = time.perf_counter()
        evaluation.play(cluster)
        seconds = time.perf_counter() - begun
    finally:
        cluster.close()
    (result,) = evaluation.results
    return seconds, round(result.win_rate_a * result.games)


def main() -> None:
    """Measure both in turns and print what each turn gave, with the ratios."""
    parser = OneLineParser(
        prog="python -m benchmarks.cluster",
        description="Measure what more processes of Ray bring.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--processes", type=int, default=2, help="compared with none, and with one")
    parser.add_argument("--turns", type=int, default=3, help="of each, one after the other")
    settings = parser.parse_args()
    many = settings.processes
    ratios = []
    for _ in range(settings.turns):
        (few, share), (more, more_share) = train(0), train(many)
        ratios.append(more / few)
        print(
            f"training: {few:,.0f} decisions a second without processes that play ({share:.0%} of "
            f"it playing), {more:,.0f} with {many} ({more_share:.0%}): {ratios[-1]:.2f} times",
            flush=True,
        )
    print(f"training, middle of the turns: {statistics.median(ratios):.2f} times")
    ratios = []
    for _ in range(settings.turns):
        (one, wins), (seconds, same_wins) = play(1), play(many)
        ratios.append(one / seconds)
        print(
            f"expert against club, 5,000 games: {one:.1f} s with one worker, {seconds:.1f} s with "
            f"{many}: {ratios[-1]:.2f} times as fast; {wins} and {same_wins} games won",
            flush=True,
        )
    print(f"match, middle of the turns: {statistics.median(ratios):.2f} times as fast")


if __name__ == "__main__":
    main()
