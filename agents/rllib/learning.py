"""What RLlib is told of a run, and how weights get into its learner and players and out again."""

from __future__ import annotations

import logging
import math
import tempfile
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from agents.ppo.config import POOL, SELF, Config
from agents.rllib.modules import LearnerModule, PastSelfModule, ScriptedModule
from agents.rllib.selfplay import (
    LEARNER,
    POOL_SIZE,
    TrainingEnv,
    past_self,
    scripted,
    seat_by_game,
)

__all__ = ["export_state", "import_state", "make_algorithm", "play_with", "set_learning_rate"]

Arrays = dict[str, NDArray[Any]]

SAMPLE_SECONDS: Final = 600.0
"""How long RLlib waits for decisions; a process that dies is noticed at once."""


class Learning(PPO):  # type: ignore[misc]
    """PPO that makes no folder in the user's home, as RLlib would: a run has its own."""

    def _setup_logdir(self) -> None:
        self._logdir = tempfile.gettempdir()  # and nothing is written to it


def make_algorithm(config: Config, first_seed: int) -> Algorithm:
    """Start the processes of a run; connect to Ray before, and call ``stop()`` in the end.

    `first_seed` is the seed of the first game of the first process.
    """
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # its settings' log level comes later
    runners = max(1, config.num_env_runners)
    settings = (
        PPOConfig(algo_class=Learning)
        .environment(
            TrainingEnv,
            env_config={
                "reward": config.reward,
                "observation": config.observation,
                "reward_scale": config.reward_scale,
            },
        )
        .env_runners(
            num_env_runners=config.num_env_runners,
            num_envs_per_env_runner=math.ceil(config.num_envs / runners),
            sample_timeout_s=SAMPLE_SECONDS,
        )
        .learners(num_learners=0)
        .training(
            train_batch_size_per_learner=config.update_size,
            minibatch_size=min(config.batch_size, config.update_size),
            num_epochs=config.epochs,
            lr=config.learning_rate,
            gamma=config.gamma,
            lambda_=config.gae_lambda,
            clip_param=config.clip_range,
            entropy_coeff=config.entropy,
            vf_loss_coeff=config.value_weight,
            vf_clip_param=math.inf,
            grad_clip=config.max_grad_norm,
            grad_clip_by="global_norm",
            use_kl_loss=False,
        )
        .multi_agent(
            policies=set(_specs(config)),
            policies_to_train=[LEARNER],
            policy_mapping_fn=seat_by_game(config.opponent),
        )
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=_specs(config)))
        .fault_tolerance(restart_failed_env_runners=True)
        .debugging(seed=first_seed, log_level="ERROR")
    )
    return settings.build_algo()


def _specs(config: Config) -> dict[str, RLModuleSpec]:
    """Return who takes part: the learner, past selves if they are met, scripted players."""
    layers = {
        "observation": config.observation,
        "state_layers": config.state_layers,
        "action_layers": config.action_layers,
        "value_layers": config.value_layers,
    }
    specs = {LEARNER: RLModuleSpec(module_class=LearnerModule, model_config=layers)}
    for number in range(POOL_SIZE if POOL in config.opponent else 0):
        specs[past_self(number)] = RLModuleSpec(module_class=PastSelfModule, model_config=layers)
    for number, player in enumerate(config.opponent):
        if player not in (SELF, POOL):
            specs[scripted(number)] = RLModuleSpec(
                module_class=ScriptedModule, model_config={"player": player}
            )
    return specs


def set_learning_rate(algorithm: Algorithm, rate: float) -> None:
    """Let the next update learn at a rate."""

    def change(learner: Any) -> None:
        for _, optimizer in learner.get_optimizers_for_module(LEARNER):
            for group in optimizer.param_groups:
                group["lr"] = rate

    _ask_learner(algorithm, change)


def export_state(algorithm: Algorithm) -> Arrays:
    """Return the weights of the learner's networks and the state of its optimiser."""

    def read(learner: Any) -> Arrays:
        state = learner.module[LEARNER].state_dict()
        arrays = {f"parameter/{name}": tensor.cpu().numpy() for name, tensor in state.items()}
        ((_, optimizer),) = learner.get_optimizers_for_module(LEARNER)
        for index, entries in optimizer.state_dict()["state"].items():
            for key, value in entries.items():
                arrays[f"optimiser/{index}/{key}"] = np.asarray(torch.as_tensor(value).cpu())
        return arrays

    arrays: Arrays = _ask_learner(algorithm, read)
    return {name: array.copy() for name, array in arrays.items()}


def import_state(algorithm: Algorithm, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Put back what `export_state` returned, and let all play with it.

    Weights without a state of the optimiser begin a new one.

    Raises:
        KeyError, RuntimeError: it is that of another network.
    """
    weights = _below("parameter/", arrays)
    moments = _below("optimiser/", arrays)

    def write(learner: Any) -> None:
        learner.module[LEARNER].load_state_dict(_tensors(weights))
        ((_, optimizer),) = learner.get_optimizers_for_module(LEARNER)
        state: dict[int, dict[str, torch.Tensor]] = {}
        for name, tensor in _tensors(moments).items():
            index, key = name.split("/")
            state.setdefault(int(index), {})[key] = tensor
        if state:
            optimizer.load_state_dict(
                {"state": state, "param_groups": optimizer.state_dict()["param_groups"]}
            )

    _ask_learner(algorithm, write)
    play_with(algorithm, LEARNER, weights)


def play_with(algorithm: Algorithm, module: str, weights: Mapping[str, NDArray[Any]]) -> None:
    """Give a module these weights wherever it is, as far as it has such there."""

    def take(holder: Any) -> None:
        target = holder.module[module]
        tensors = _tensors({name: weights[name] for name in target.state_dict()})
        target.load_state_dict(tensors)

    # RLlib now and then sends the learner's modules to all that play, past selves among them; and
    # the player of this process hands its own on to those that are started again.
    _ask_learner(algorithm, take)
    algorithm.env_runner_group.foreach_env_runner(take)


def _ask_learner(algorithm: Algorithm, question: Any) -> Any:
    return next(iter(algorithm.learner_group.foreach_learner(question))).get()


def _below(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> Arrays:
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }


def _tensors(arrays: Mapping[str, NDArray[Any]]) -> dict[str, torch.Tensor]:
    return {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}
