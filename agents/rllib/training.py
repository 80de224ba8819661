"""A training run with RLlib: from a configuration, or a checkpoint, to a trained policy."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import torch
from numpy.typing import NDArray
from ray.rllib.algorithms.algorithm import Algorithm
from tqdm import tqdm

from agents.cluster import connected
from agents.ppo.candidates import PolicyNetwork
from agents.ppo.checkpoint import Checkpoint, write_checkpoint
from agents.ppo.clock import BESIDES, LEARNING, PLAYING, Clock
from agents.ppo.config import POOL, Config
from agents.ppo.evaluation import EVALUATIONS, append_line, figures_against, final_table
from agents.ppo.export import player_of, policy_files, versions
from agents.ppo.runs import initial_checkpoint
from agents.ppo.stopping import StopRequest
from agents.rllib.learning import (
    export_state,
    import_state,
    make_algorithm,
    play_with,
    set_learning_rate,
)
from agents.rllib.selfplay import LEARNER, POOL_SIZE, past_self
from cribbage_env.policy import Policy

__all__ = ["RllibRun"]

PARAMETER: Final = "parameter/"
POLICY: Final = "policy_network."
MOST_FAILURES: Final = 20
"""Updates in a row without a decision, after which a run is given up."""

logger = logging.getLogger("agents.rllib")


class RllibRun:
    """A training run in its folder; the same files as those of `agents.ppo.training.Run`.

    A process that plays and dies is started again, and so are its games; the others go on. The
    cards of a game follow from the seed, but not which process plays it when: two runs with one
    seed differ.
    """

    def __init__(
        self, config: Config, run_dir: Path, command: str, resumed: Checkpoint | None = None
    ) -> None:
        """Connect to Ray and start all that plays and learns, anew or as a checkpoint has it.

        Raises:
            ValueError: there is no cluster at the address; or the checkpoint, or the run to begin
                with, doesn't fit the configuration or this version.
        """
        self.config = config
        self.run_dir = run_dir
        self.origin = {"command": command, "versions": versions()}
        self.decisions = resumed.decisions if resumed else 0
        self.clock = Clock(resumed.facts["clock"] if resumed else None)
        self._seconds_before = float(resumed.facts["seconds"]) if resumed else 0.0
        self._began = time.monotonic()
        self._pool: list[dict[str, NDArray[Any]]] = []
        self._network = PolicyNetwork(config.observation, config.state_layers, config.action_layers)
        torch.set_num_threads(config.threads)
        with contextlib.ExitStack() as stack:
            stack.enter_context(connected(config.address, config.num_env_runners + 1))
            self.algorithm: Algorithm = make_algorithm(config, self._first_seed)
            stack.callback(self.algorithm.stop)
            self._begin(resumed)
            self._open = stack.pop_all()

    @property
    def _first_seed(self) -> int:
        """The seed of the first game from here on; RLlib seeds NumPy with it too, so 32 bits."""
        return (self.config.seed * 1_000_003 + self.decisions) % (1 << 31)

    @property
    def seconds(self) -> float:
        """Time spent on learning so far, before a resume too."""
        return self._seconds_before + time.monotonic() - self._began

    def close(self) -> None:
        """End all processes of the run, and leave the cluster."""
        self._open.close()

    def learn(self, request: StopRequest) -> str:
        """Learn until the last update, or until asked to stop, with a checkpoint at the end.

        Returns the reason why it stopped before the last update, if it did.

        Raises:
            OSError: a checkpoint or a log can't be written, or nothing plays any more; checkpoints
                that exist are whole.
        """
        config = self.config
        self._began = time.monotonic()
        failures = 0
        if self.decisions == 0:
            self.save()
        with tqdm(
            total=config.timesteps, initial=self.decisions, unit=" decisions", disable=None
        ) as bar:
            while self.decisions < config.timesteps:
                before = self.decisions
                self._update()
                bar.update(self.decisions - before)
                failures = failures + 1 if self.decisions == before else 0
                if failures > MOST_FAILURES:
                    raise ConnectionError("no process that plays has answered for many updates")
                is_last = self.decisions >= config.timesteps
                self.clock.turn_to(BESIDES)
                if is_last or self._is_due(before, config.evaluate_every):
                    self.evaluate()
                if self._is_due(before, config.pool_every):
                    self.remember()
                if config.time_limit and time.monotonic() - self._began >= config.time_limit:
                    request.reason = request.reason or "the time limit is reached"
                stops = bool(request.reason) and not is_last
                if is_last or stops or self._is_due(before, config.checkpoint_every):
                    self.save()
                self.clock.turn_to("")
                if stops:
                    return request.reason
        return ""

    def _update(self) -> None:
        """Play and learn once, and count the decisions that were learnt from."""
        remaining = 1 - self.decisions / self.config.timesteps
        set_learning_rate(self.algorithm, self.config.learning_rate * remaining)
        results = self.algorithm.train()
        steps = results.get("env_runners", {}).get("num_module_steps_sampled", {})
        timers = results.get("timers", {})
        if "learners" in results:
            self.decisions += int(steps.get(LEARNER, 0))
        self.clock.seconds[PLAYING] += float(timers.get("env_runner_sampling_timer", 0))
        self.clock.seconds[LEARNING] += float(timers.get("learner_update_timer", 0))

    def _is_due(self, before: int, every: int) -> bool:
        return self.decisions // every > before // every

    def player(self) -> Policy:
        """Return the policy as it is now, as a player."""
        return player_of(self._current_network(), self.config)

    def _current_network(self) -> PolicyNetwork:
        weights = _policy_weights(export_state(self.algorithm))
        self._network.load_state_dict(
            {name.removeprefix(POLICY): torch.from_numpy(array) for name, array in weights.items()}
        )
        return self._network

    def evaluate(self) -> None:
        """Play duplicate games against each opponent, and note and log how they went."""
        player, speed = self.player(), self.clock.figures(self.decisions)
        rates = []
        for name in self.config.evaluate_opponents:
            figures = figures_against(player, name, self.config)
            origin = {"decisions": self.decisions, "seconds": round(self.seconds, 1)}
            append_line(
                self.run_dir / EVALUATIONS, {**origin, "opponent": name, **figures, **speed}
            )
            rates.append(f"{figures['win_rate']:.1%} of games against {name}")
        logger.info(
            "%9d decisions, %4.0f s, %.0f a second (%.0f %% of it playing): wins %s",
            self.decisions,
            self.seconds,
            speed.get("decisions_per_second", 0),
            100 * speed.get("playing_share", 0),
            ", ".join(rates),
        )

    def remember(self) -> None:
        """Put the policy as it is into the pool of past selves."""
        if POOL in self.config.opponent:
            self._fill_pool([*self._pool, _policy_weights(export_state(self.algorithm))])

    def final_table(self) -> str:
        """Play the duplicate games of the final table; return it, and keep it in the run."""
        text = final_table(self.player(), self.config)
        (self.run_dir / f"table-{self.decisions:09d}.txt").write_text(text + "\n", "utf-8")
        return text

    def save(self) -> None:
        """Write a checkpoint of this moment between two updates."""
        origin = {"decisions": self.decisions, **self.origin}
        facts = {
            **origin,
            "seconds": round(self.seconds, 1),
            "clock": dict(self.clock.seconds),
            "pool": len(self._pool),
        }
        arrays = export_state(self.algorithm)
        for number, weights in enumerate(self._pool):
            arrays |= {f"pool/{number}/{name}": array for name, array in weights.items()}
        policy = policy_files(self._current_network(), self.config, origin)
        write_checkpoint(self.run_dir, self.config, facts, arrays, policy)

    def _begin(self, resumed: Checkpoint | None) -> None:
        """Begin as a checkpoint has it, with the networks of another run, or anew."""
        source = resumed
        if resumed is None and self.config.initial is not None:
            source = initial_checkpoint(self.config)[0]
        if source is None:
            arrays = export_state(self.algorithm)
        else:
            kept = source.arrays.items()
            arrays = {
                name: array
                for name, array in kept
                if name.startswith(PARAMETER) or resumed is not None
            }
        try:
            import_state(self.algorithm, arrays)
            pool = [
                {
                    name.removeprefix(f"pool/{number}/"): array
                    for name, array in arrays.items()
                    if name.startswith(f"pool/{number}/")
                }
                for number in range(int(resumed.facts["pool"]) if resumed else 0)
            ]
            self._fill_pool(pool or [_policy_weights(arrays)])
        except (KeyError, RuntimeError, ValueError) as error:
            raise ValueError(f"{source.folder if source else ''} doesn't fit: {error}") from error

    def _fill_pool(self, pool: list[dict[str, NDArray[Any]]]) -> None:
        """Let the newest of these sit in the seats of past selves, each once or more."""
        self._pool = pool[-POOL_SIZE:]
        for number in range(POOL_SIZE if POOL in self.config.opponent else 0):
            play_with(self.algorithm, past_self(number), self._pool[number % len(self._pool)])


def _policy_weights(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the weights of the policy alone, by their names in its module."""
    return {
        name.removeprefix(PARAMETER): array
        for name, array in arrays.items()
        if name.startswith(PARAMETER + POLICY)
    }
