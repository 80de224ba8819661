"""`CribbageVecEnv`: the batched engine as a stable-baselines3 vector environment.

Masks come as one array: ``env_method("action_masks")`` returns bool ``(N, 19)``, which is what
sb3-contrib's MaskablePPO asks for. Importing this module needs stable-baselines3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from cribbage_env.envs.vector import CribbageVectorEnv
from cribbage_env.extras import needed

with needed("cribbage_env.sb3", "cribbage-env[train]"):
    from stable_baselines3.common.vec_env import VecEnv
    from stable_baselines3.common.vec_env.base_vec_env import (
        VecEnvIndices,
        VecEnvObs,
        VecEnvStepReturn,
    )

__all__ = ["CribbageVecEnv"]

INFO_AT_END = ("winner", "margin", "skunk", "deals", "is_success", "forfeit")


class CribbageVecEnv(VecEnv):
    """N games in step for stable-baselines3; a lane whose game ends begins the next at once.

    The arguments are those of `CribbageVectorEnv` but for the autoreset mode, which is what
    stable-baselines3 expects: the observation after an end is the next game's first, and
    ``info["terminal_observation"]`` the last one of the game that ended. An info has no
    ``action_mask``: all masks together are one array.

    Raises:
        ValueError: a value that is not allowed; names it and says what is.
        TypeError: a value of the wrong type.

    >>> env = CribbageVecEnv(4, opponent="random")
    >>> _ = env.seed(1)
    >>> env.reset().shape, env.env_method("action_masks").shape
    ((4, 384), (4, 19))
    """

    def __init__(self, num_envs: int = 1, **kwargs: Any) -> None:
        """Make the lanes."""
        if "autoreset_mode" in kwargs:
            raise ValueError("stable-baselines3 has one autoreset mode; autoreset_mode isn't given")
        self.envs = CribbageVectorEnv(num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **kwargs)
        self._masks = np.zeros((num_envs, 19), np.bool_)
        self._actions: NDArray[np.int64] = np.zeros(num_envs, np.int64)
        super().__init__(
            num_envs, self.envs.single_observation_space, self.envs.single_action_space
        )

    def reset(self) -> VecEnvObs:
        """Begin a game in every lane: game 0 of the seeds given, else the next.

        Raises:
            ValueError: a bad option, or options that differ from lane to lane.
            TypeError: an option of the wrong type.
        """
        given = self._seeds if any(seed is not None for seed in self._seeds) else None
        options = self._options[0]
        for lane, others in enumerate(self._options):
            if others is not options and repr(others) != repr(options):
                raise ValueError(
                    f"lane {lane} has the options {others!r} and lane 0 {options!r}; "
                    "all lanes are reset with the same"
                )
        observations, infos = self.envs.reset(seed=given, options=options or None)
        self._masks = infos["action_mask"].astype(np.bool_)
        self.reset_infos = _listed(infos)
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take note of the actions, one a lane."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Take the actions; rewards are float32, the rest as stable-baselines3 has it."""
        observations, rewards, terminated, _, infos = self.envs.step(self._actions)
        self._masks = infos["action_mask"].astype(np.bool_)
        listed = _listed(infos)
        if terminated.any():
            final = infos["final_info"]
            for lane, info in zip(
                np.flatnonzero(terminated), _listed(final, terminated), strict=True
            ):
                self.reset_infos[lane] = listed[lane]
                for name in INFO_AT_END:
                    if name in final and final[f"_{name}"][lane]:
                        info[name] = _plain(final[name], lane)
                info["terminal_observation"] = infos["final_obs"][lane]
                info["TimeLimit.truncated"] = False
                listed[lane] = info
        return observations, rewards.astype(np.float32), terminated, listed

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal in each lane: bool ``(N, 19)``."""
        return self._masks.copy()

    def env_method(
        self,
        method_name: str,
        *method_args: Any,
        indices: VecEnvIndices = None,
        **method_kwargs: Any,
    ) -> Any:
        """Call a method; ``action_masks`` answers for the lanes of `indices` in one array.

        Any other method is called once, and what it returns is the answer of every lane.

        Raises:
            ValueError: another method for some lanes only.
        """
        if method_name == "action_masks":
            return self.action_masks()[self._lanes(indices)]
        self._refuse_some(indices, f"call {method_name!r}")
        answer = getattr(self.envs, method_name)(*method_args, **method_kwargs)
        return [answer] * self.num_envs

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute, the same for each lane of `indices`."""
        source = self if attr_name == "action_masks" else self.envs
        return [getattr(source, attr_name) for _ in self._lanes(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of all lanes together.

        Raises:
            ValueError: for some lanes only.
        """
        self._refuse_some(indices, f"set {attr_name!r}")
        setattr(self.envs, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:  # noqa: ARG002
        """Return that no lane is wrapped."""
        return [False for _ in self._lanes(indices)]

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Return a picture of each lane with ``render_mode="rgb_array"``, else None for each."""
        if self.envs.render_mode != "rgb_array":
            return [None] * self.num_envs
        return list(self.envs.render() or ())

    def close(self) -> None:
        """Close the lanes."""
        self.envs.close()

    def _lanes(self, indices: VecEnvIndices) -> Sequence[int]:
        return list(self._get_indices(indices))

    def _refuse_some(self, indices: VecEnvIndices, what: str) -> None:
        lanes = self._lanes(indices)
        if sorted(lanes) != list(range(self.num_envs)):
            raise ValueError(
                f"the lanes are one object: {what} for all of them (indices=None), not for {lanes}"
            )


def _listed(
    infos: dict[str, Any], is_asked: NDArray[np.bool_] | None = None
) -> list[dict[str, Any]]:
    """Return what stands in the infos at every step, a dictionary for each lane asked for."""
    lanes = slice(None) if is_asked is None else is_asked
    listed = [
        {"scores": scores, "dealer": dealer, "phase": phase}
        for scores, dealer, phase in zip(
            infos["scores"][lanes],
            infos["dealer"][lanes].tolist(),
            infos["phase"][lanes].tolist(),
            strict=True,
        )
    ]
    for name in ("seat", "illegal_action"):
        if name in infos:
            is_given = infos[f"_{name}"][lanes]
            for row in np.flatnonzero(is_given):
                listed[row][name] = _plain(infos[name][lanes], row)
    return listed


def _plain(values: NDArray[Any], place: SupportsIndex) -> Any:
    """Return an entry as a plain Python value."""
    value = values[place]
    return value.item() if isinstance(value, np.generic) else value
