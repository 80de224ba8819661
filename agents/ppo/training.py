"""A training run: from a configuration, or a checkpoint, to a trained policy and its table."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.logger import configure

from agents.ppo.callbacks import (
    ClockHand,
    Every,
    ProgressBar,
    Stopper,
    StopRequest,
    StopTraining,
)
from agents.ppo.checkpoint import Checkpoint, write_checkpoint
from agents.ppo.clock import BESIDES, LEARNING, PLAYING, Clock
from agents.ppo.config import POOL, Config
from agents.ppo.deals import DealsBuffer, DealsPPO
from agents.ppo.environment import make_games
from agents.ppo.evaluation import EVALUATIONS, append_line, figures_against, final_table
from agents.ppo.export import player_of, policy_files, versions
from agents.ppo.network import CandidatePolicy
from agents.ppo.runs import initial_checkpoint
from agents.ppo.selfplay import SelfPlayGames
from cribbage_env.policy import Policy

__all__ = ["Run"]

TENSORBOARD: Final = "tensorboard"

logger = logging.getLogger("agents.ppo")


class Run:
    """A training run in its folder.

    Making one seeds the global random numbers of torch and NumPy, from which
    stable-baselines3 draws; a program makes one run.
    """

    def __init__(
        self, config: Config, run_dir: Path, command: str, resumed: Checkpoint | None = None
    ) -> None:
        """Make the games and the model, anew or as a checkpoint has them.

        Raises:
            ValueError: the checkpoint, or the run to begin with, doesn't fit the configuration or
                this version.
        """
        self.config = config
        self.run_dir = run_dir
        self.origin = {"command": command, "versions": versions()}
        self._seconds_before = 0.0
        self._began = time.monotonic()
        self.clock = Clock()
        torch.set_num_threads(config.threads)
        self.games = make_games(config)
        self.model = _make_model(config, self.games)
        self.games.begin(_first_seed(config))
        if resumed is not None:
            self._restore(resumed)
        elif config.initial is not None:
            self._begin_with(initial_checkpoint(config)[0])
        self.progress = ProgressBar(config.num_updates * config.update_size)

    @property
    def decisions(self) -> int:
        """Decisions of the learner so far."""
        return int(self.model.num_timesteps)

    @property
    def seconds(self) -> float:
        """Time spent on learning so far, before a resume too."""
        return self._seconds_before + time.monotonic() - self._began

    def learn(self, request: StopRequest) -> str:
        """Learn until the last update, or until asked to stop, with a checkpoint at the end.

        Returns the reason why it stopped before the last update, if it did.

        Raises:
            OSError: a checkpoint or a log can't be written; those that exist are whole.
        """
        config = self.config
        self.model.set_logger(configure(str(self.run_dir / TENSORBOARD), ["tensorboard"]))
        self._began = time.monotonic()
        remaining = config.num_updates * config.update_size - self.decisions
        reason = ""
        try:
            if remaining > 0:
                self.model.learn(
                    remaining,
                    callback=[
                        ClockHand(self.clock, before_play=BESIDES),
                        self.progress,
                        Every(config.evaluate_every, self.evaluate),
                        # Before a checkpoint, which is to hold the pool as it goes on.
                        Every(config.pool_every, self.remember, is_at_end=False),
                        Every(config.checkpoint_every, self.save, is_from_start=True),
                        Stopper(request, config.time_limit, self.save),
                        ClockHand(self.clock, before_play=PLAYING, after_play=LEARNING),
                    ],
                    reset_num_timesteps=False,
                )
        except StopTraining as stop:
            reason = str(stop)
        finally:
            self.clock.turn_to("")
            self.progress.close()
            self.model.logger.close()
        return reason

    def player(self) -> Policy:
        """Return the policy as it is now, as a player."""
        return player_of(self._policy.policy_network, self.config)

    @property
    def _policy(self) -> CandidatePolicy:
        return cast("CandidatePolicy", self.model.policy)

    def evaluate(self) -> None:
        """Play duplicate games against each opponent, and note and log how they went."""
        config, player = self.config, self.player()
        speed = self.clock.figures(self.decisions)
        for title, figure in speed.items():
            self.model.logger.record(f"time/{title}", figure)
        rates: dict[str, str] = {}
        for name in config.evaluate_opponents:
            figures = figures_against(player, name, config)
            for title, figure in figures.items():
                self.model.logger.record(f"against_{name}/{title}", figure)
            origin = {"decisions": self.decisions, "seconds": round(self.seconds, 1)}
            append_line(
                self.run_dir / EVALUATIONS, {**origin, "opponent": name, **figures, **speed}
            )
            rates[name] = f"{figures['win_rate']:.1%}"
        self.model.logger.dump(self.decisions)
        self.progress.note(**rates)
        wins = ", ".join(f"{rate} of games against {name}" for name, rate in rates.items())
        logger.info("%9d decisions, %4.0f s: wins %s", self.decisions, self.seconds, wins)

    def remember(self) -> None:
        """Put the policy as it is into the pool of past selves, and log how the games went."""
        if not isinstance(self.games, SelfPlayGames):
            return
        for name, (games, rate) in self.games.take_results().items():
            self.model.logger.record(f"training_games/{name}_wins", rate)
            logger.info("%9d games against %s: wins %.1f %%", games, name, 100 * rate)
        if POOL in self.config.opponent:
            self.games.add_to_pool(self._policy.policy_network)

    def final_table(self) -> str:
        """Play the duplicate games of the final table; return it, and keep it in the run."""
        text = final_table(self.player(), self.config)
        (self.run_dir / f"table-{self.decisions:09d}.txt").write_text(text + "\n", "utf-8")
        return text

    def save(self) -> None:
        """Write a checkpoint of this moment between two updates."""
        model = self.model
        numpy_state = np.random.get_state(legacy=False)  # noqa: NPY002 (what stable-baselines3 uses)
        origin = {"decisions": self.decisions, **self.origin}
        facts = {
            **origin,
            "updates": model._n_updates,
            "seconds": round(self.seconds, 1),
            "clock": dict(self.clock.seconds),
            "random": {
                "pos": int(numpy_state["state"]["pos"]),
                "has_gauss": int(numpy_state["has_gauss"]),
                "gauss": float(numpy_state["gauss"]),
            },
        }
        arrays: dict[str, NDArray[Any]] = {
            "random/numpy": numpy_state["state"]["key"],
            "random/torch": torch.get_rng_state().numpy(),
            "games/starts": np.asarray(model._last_episode_starts),
        }
        arrays |= {f"games/{name}": array for name, array in self.games.in_progress().items()}
        parameters = model.policy.state_dict()
        arrays |= {f"parameter/{name}": tensor.numpy() for name, tensor in parameters.items()}
        for index, entries in model.policy.optimizer.state_dict()["state"].items():
            for key, tensor in entries.items():
                arrays[f"optimiser/{index}/{key}"] = tensor.numpy()
        policy = policy_files(self._policy.policy_network, self.config, origin)
        write_checkpoint(self.run_dir, self.config, facts, arrays, policy)

    def _begin_with(self, checkpoint: Checkpoint) -> None:
        """Take the networks of another run, and nothing else of it."""
        try:
            self.model.policy.load_state_dict(_tensors(checkpoint.arrays, "parameter/"))
        except RuntimeError as error:
            raise ValueError(f"{checkpoint.folder} has another network: {error}") from error

    def _restore(self, checkpoint: Checkpoint) -> None:
        model, arrays, facts = self.model, checkpoint.arrays, checkpoint.facts
        try:
            model.policy.load_state_dict(_tensors(arrays, "parameter/"))
            model.policy.optimizer.load_state_dict(
                {
                    "state": _optimiser_state(arrays),
                    "param_groups": model.policy.optimizer.state_dict()["param_groups"],
                }
            )
            model._last_obs = self.games.go_on_with(
                {
                    name.removeprefix("games/"): array
                    for name, array in arrays.items()
                    if name.startswith("games/")
                }
            )
            model._last_episode_starts = arrays["games/starts"]
            model.num_timesteps = checkpoint.decisions
            model._n_updates = int(facts["updates"])
            self._seconds_before = float(facts["seconds"])
            self.clock = Clock(facts["clock"])
            random = facts["random"]
            if not 0 <= int(random["pos"]) <= len(arrays["random/numpy"]):  # NumPy would read there
                raise ValueError(f"no random numbers stand at {random['pos']}")
            np.random.set_state(  # noqa: NPY002 (what stable-baselines3 uses)
                {
                    "bit_generator": "MT19937",
                    "state": {"key": arrays["random/numpy"], "pos": random["pos"]},
                    "has_gauss": random["has_gauss"],
                    "gauss": random["gauss"],
                }
            )
            torch.set_rng_state(torch.from_numpy(arrays["random/torch"]))
        except (KeyError, RuntimeError, TypeError, ValueError) as error:
            raise ValueError(f"{checkpoint.folder} doesn't fit: {error}") from error


def _make_model(config: Config, games: Any) -> MaskablePPO:
    num_updates = config.num_updates

    def learning_rate(remaining: float) -> float:
        # stable-baselines3 asks after the decisions of an update are made: the last has 0 left.
        return config.learning_rate * min(1.0, max(0.0, remaining) + 1 / num_updates)

    own: dict[str, Any] = {}
    if config.credit != "rewards":
        own = {"rollout_buffer_class": DealsBuffer, "normalize_advantage": False}
    model = (DealsPPO if own else MaskablePPO)(
        CandidatePolicy,
        games,
        learning_rate=learning_rate,
        n_steps=config.num_steps,
        batch_size=config.batch_size,
        n_epochs=config.epochs,
        gamma=config.gamma,
        gae_lambda=config.gae_lambda,
        clip_range=config.clip_range,
        ent_coef=config.entropy,
        vf_coef=config.value_weight,
        max_grad_norm=config.max_grad_norm,
        stats_window_size=2000,
        policy_kwargs={
            "state_layers": config.state_layers,
            "action_layers": config.action_layers,
            "value_layers": config.value_layers,
        },
        seed=config.seed,
        device="cpu",
        **own,
    )
    if isinstance(model, DealsPPO):
        model.num_deals = config.num_deals
    return model


def _first_seed(config: Config) -> int:
    """Return the seed of lane 0: runs of different seeds share no cards."""
    return config.seed << 20


def _tensors(arrays: Any, prefix: str) -> dict[str, torch.Tensor]:
    return {
        name.removeprefix(prefix): torch.from_numpy(array)
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def _optimiser_state(arrays: Any) -> dict[int, dict[str, torch.Tensor]]:
    state: dict[int, dict[str, torch.Tensor]] = {}
    for name, tensor in _tensors(arrays, "optimiser/").items():
        index, key = name.split("/")
        state.setdefault(int(index), {})[key] = tensor
    return state
