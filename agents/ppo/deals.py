"""MaskablePPO that learns from whole deals of self-play."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBufferSamples
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from agents.ppo.selfplay import Decisions, SelfPlayGames
from cribbage_env.actions import NUM_DISCARDS

__all__ = ["DealsBuffer", "DealsPPO"]


class DealsBuffer:
    """The decisions of an update; takes the place of stable-baselines3's rollout buffer."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self._tensors: tuple[torch.Tensor, ...] = ()
        self.values = self.returns = np.empty(0, np.float32)

    def fill(self, decisions: Decisions) -> None:
        """Take over decisions; advantages of discards and of plays are normalised apart."""
        self.values, self.returns = decisions.values, decisions.returns
        advantages = decisions.advantages.copy()
        is_discard = decisions.actions < NUM_DISCARDS
        for rows in (is_discard, ~is_discard):
            if rows.any():
                advantages[rows] -= advantages[rows].mean()
                advantages[rows] /= advantages[rows].std() + 1e-8
        self._tensors = tuple(
            torch.from_numpy(array)
            for array in (
                decisions.observations,
                decisions.actions,
                decisions.values,
                decisions.log_probs,
                advantages,
                decisions.returns,
                decisions.masks,
            )
        )

    def get(self, batch_size: int) -> Generator[MaskableRolloutBufferSamples, None, None]:
        """Yield all decisions once, in an order drawn from torch, in minibatches."""
        order = torch.randperm(len(self.returns))
        for first in range(0, len(order), batch_size):
            rows = order[first : first + batch_size]
            yield MaskableRolloutBufferSamples(*(tensor[rows] for tensor in self._tensors))


class DealsPPO(MaskablePPO):
    """MaskablePPO that learns from whole deals of `SelfPlayGames`, `num_deals` an update."""

    num_deals = 2

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: Any,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play the deals of an update."""
        assert isinstance(env, SelfPlayGames)
        self.policy.set_training_mode(False)
        callback.on_rollout_start()
        decisions = env.collect(self.policy, self.num_deals)  # type: ignore[arg-type]
        self.num_timesteps += len(decisions.actions)
        rollout_buffer.fill(decisions)
        callback.update_locals(locals())
        keep_on = callback.on_step()
        callback.on_rollout_end()
        return keep_on
