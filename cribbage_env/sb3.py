"""`CribbageVecEnv`: the batched engine as a stable-baselines3 vector environment.

Masks come as one array: ``env_method("action_masks")`` returns bool ``(N, 19)``, which is what
sb3-contrib's MaskablePPO asks for. Importing this module needs stable-baselines3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from cribbage_env.envs.vector import CribbageVectorEnv

__all__ = ["CribbageVecEnv"]

INFO_AT_END = ("winner", "margin", "skunk", "deals", "is_success", "forfeit")


class CribbageVecEnv(VecEnv):
    """N games in step for stable-baselines3; a lane whose game ends begins the next at once.

    The arguments are those of `CribbageVectorEnv` but for the autoreset mode, which is what
    stable-baselines3 expects: the observation after an end is the next game's first, and
    ``info["terminal_observation"]`` the last one of the game that ended.

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
        """Begin a game in every lane: game 0 of the seeds given, else the next."""
        given = self._seeds if any(seed is not None for seed in self._seeds) else None
        options = self._options[0] if self._options and self._options[0] else None
        observations, infos = self.envs.reset(seed=given, options=options)
        self._masks = infos["action_mask"].astype(np.bool_)
        self.reset_infos = self._info_list(infos)
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
        listed: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._note_seats(infos, listed)
        if terminated.any():
            final = infos["final_info"]
            for lane in np.flatnonzero(terminated):
                info = {
                    name: final[name][lane].item()
                    for name in INFO_AT_END
                    if name in final and final[f"_{name}"][lane]
                }
                info.setdefault("winner", None)
                info["scores"] = final["scores"][lane].copy()
                info["terminal_observation"] = infos["final_obs"][lane]
                info["TimeLimit.truncated"] = False
                listed[lane] |= info
        return observations, rewards.astype(np.float32), terminated, listed

    def _info_list(self, infos: dict[str, Any]) -> list[dict[str, Any]]:
        listed: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._note_seats(infos, listed)
        return listed

    def _note_seats(self, infos: dict[str, Any], listed: list[dict[str, Any]]) -> None:
        """Where the caller moves both seats, say who is to act."""
        if "seat" in infos:
            for info, seat in zip(listed, infos["seat"].tolist(), strict=True):
                info["seat"] = seat

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
        """Call a method; ``action_masks`` answers for the lanes of `indices` in one array."""
        if method_name == "action_masks":
            return self.action_masks()[self._lanes(indices)]
        method = getattr(self.envs, method_name)
        return [method(*method_args, **method_kwargs) for _ in self._lanes(indices)]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """Return an attribute, the same for each lane of `indices`."""
        source = self if attr_name == "action_masks" else self.envs
        return [getattr(source, attr_name) for _ in self._lanes(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute of all lanes together.

        Raises:
            ValueError: for some lanes only.
        """
        if indices is not None and len(list(self._lanes(indices))) != self.num_envs:
            raise ValueError("lanes share their attributes; set them for all (indices=None)")
        setattr(self.envs, attr_name, value)

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:  # noqa: ARG002
        """Return that no lane is wrapped."""
        return [False for _ in self._lanes(indices)]

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """Return no pictures."""
        return [None] * self.num_envs

    def close(self) -> None:
        """Close the lanes."""
        self.envs.close()

    def _lanes(self, indices: VecEnvIndices) -> Sequence[int]:
        return list(self._get_indices(indices))
