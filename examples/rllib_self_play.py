"""Self-play with RLlib, one policy in both seats: python examples/rllib_self_play.py --help.

`train.py --engine rllib` does more: a network that scores candidates, past selves and scripted
players in the other seat, checkpoints, evaluations, resuming.
"""

from __future__ import annotations

import argparse
import logging
from typing import Any

from cribbage_env.rllib import CribbageMultiAgentEnv  # first: it says what installs Ray

# isort: split
import numpy as np
import ray
import torch
from numpy.typing import NDArray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from cribbage_env.match import play_match

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--updates", type=int, default=9)
parser.add_argument("--num-env-runners", type=int, default=0, help="processes that play")
args = parser.parse_args()

logging.getLogger("ray.rllib").setLevel(logging.ERROR)
ray.init(
    "local",
    num_cpus=args.num_env_runners + 1,
    include_dashboard=False,
    object_store_memory=200 << 20,
    logging_level=logging.ERROR,
    log_to_driver=False,
)
algorithm = (
    PPOConfig()
    .environment(CribbageMultiAgentEnv, env_config={"observation": "features"})
    .env_runners(num_env_runners=args.num_env_runners, num_envs_per_env_runner=32)
    .training(
        train_batch_size_per_learner=4096,
        minibatch_size=512,
        num_epochs=4,
        lr=1e-3,
        gamma=1.0,  # every point counts alike
        lambda_=0.9,
        vf_clip_param=1e6,
        use_kl_loss=False,
    )
    .multi_agent(policies={"both"}, policy_mapping_fn=lambda agent, episode, **_: "both")  # noqa: ARG005
    .rl_module(
        rl_module_spec=RLModuleSpec(
            module_class=ActionMaskingTorchRLModule,
            model_config=DefaultModelConfig(fcnet_hiddens=[128, 128]),
        )
    )
    .debugging(seed=1)
    .build_algo()
)


class Learner:
    """The module as a player: the legal action that it thinks best."""

    observation = "features"

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        keys: NDArray[np.uint64],  # noqa: ARG002 (it plays without chance)
    ) -> NDArray[np.int64]:
        """Return one legal action for each row."""
        seen = {
            "observations": torch.tensor(observations),
            "action_mask": torch.tensor(action_masks),
        }
        outputs = algorithm.get_module("both").forward_inference({Columns.OBS: seen})
        return outputs[Columns.ACTION_DIST_INPUTS].numpy().argmax(axis=1)


for update in range(args.updates + 1):
    if update % max(1, args.updates // 3) == 0:
        rates = [play_match(Learner(), name, games=500).win_rate_a for name in ("random", "greedy")]
        print(
            f"after {update:3} updates: wins {rates[0]:.1%} against random, "
            f"{rates[1]:.1%} against greedy"
        )
    if update < args.updates:
        results: dict[str, Any] = algorithm.train()
algorithm.stop()
ray.shutdown()
