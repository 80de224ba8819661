"""``python -m benchmarks.cluster``: what more processes of Ray bring on this machine.

Training by RLlib with some processes that play against none, and a match of the expert on some
workers against one, in turns, start-up apart. Needs the extra ``ray`` (docs/scaling.md).
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import wait

import torch

from agents.cluster import check_ray, connected
from agents.evaluation import Evaluation
from agents.ppo.config import Config
from agents.ray_workers import RayWorkers
from cribbage_env.command_line import OneLineParser, one_line
from cribbage_env.match import MatchSettings

__all__ = ["compare", "play", "train"]

PART = 250
"""Games of a part; a match of 5,000 has twenty of them."""


def train(runners: int, updates: int = 4) -> tuple[float, str]:
    """Train the default network against itself; return decisions a second, and how they went.

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
    return decisions / seconds, f"{playing / (playing + learning):.0%} of the time playing"


def play(workers: int, games: int = 5000) -> tuple[float, str]:
    """Play the expert against club on warm workers; return games a second, and how they went."""
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
    return games / seconds, f"{round(result.win_rate_a * games)} of {games} games won"


def compare(
    what: str, measure: Callable[[int], tuple[float, str]], few: int, many: int, turns: int
) -> None:
    """Measure with few processes and with many, in turns; print each turn, and the middle one."""
    ratios = []
    for _ in range(turns):
        (slow, how), (fast, other_how) = measure(few), measure(many)
        ratios.append(fast / slow)
        print(
            f"{what} a second: {slow:,.0f} with {few} ({how}), {fast:,.0f} with {many} "
            f"({other_how}): {ratios[-1]:.2f} times",
            flush=True,
        )
    print(f"{what}, middle of the turns: {statistics.median(ratios):.2f} times")


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure training and matches as the command line says."""
    parser = OneLineParser(
        prog="python -m benchmarks.cluster",
        description="Measure what more processes of Ray bring.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--processes", type=int, default=2, help="compared with none, and with one")
    parser.add_argument("--turns", type=int, default=3, help="of each, one after the other")
    settings = parser.parse_args(arguments)
    try:
        for name in ("processes", "turns"):
            if getattr(settings, name) < 1:
                raise ValueError(f"--{name} is 1 or more, not {getattr(settings, name)}")
        check_ray("this benchmark")
    except (ImportError, ValueError) as error:
        parser.error(one_line(error))
    compare("decisions of a training", train, 0, settings.processes, settings.turns)
    compare("games of expert against club", play, 1, settings.processes, settings.turns)


if __name__ == "__main__":
    main()
