"""Policies with random weights, for tests of what is learned."""

from __future__ import annotations

import numpy as np
import torch
from gymnasium import spaces

from agents.ppo.config import Config
from agents.ppo.network import CandidatePolicy
from cribbage_env.observation import size


def random_policy(config: Config, seed: int = 0, scale: float = 1.0) -> CandidatePolicy:
    """Return a policy with random weights; scaled up, its logits differ clearly."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        policy = CandidatePolicy(
            spaces.Box(0, 1, (size(config.observation),), np.float32),
            spaces.Discrete(19),
            lambda _: 1e-3,
            state_layers=config.state_layers,
            action_layers=config.action_layers,
            value_layers=config.value_layers,
        )
    with torch.no_grad():
        for name, parameter in policy.policy_network.named_parameters():
            if "logit" in name:
                parameter.mul_(scale)
    return policy
