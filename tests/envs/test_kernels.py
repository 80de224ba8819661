"""The environments' kernels, compiled or as plain Python: the same games on every machine."""

from __future__ import annotations

import numpy as np
import pytest

from cribbage_env import CribbageEnv, CribbageVectorEnv, Game
from tests.envs.players import Plain, chosen, run, same

pytestmark = pytest.mark.kernels

MARGINS = [[4, -18], [-21, 13], [13, -12]]


@pytest.mark.parametrize("observation", ["cards", "features"])
def test_the_first_games_of_seeds_1_to_3_end_as_they_always_did(observation: str) -> None:
    envs = CribbageVectorEnv(
        3,
        opponent=["random", "greedy"],
        target=31,
        observation=observation,
        autoreset_mode="SameStep",
    )
    _, infos = envs.reset(seed=1)
    margins: list[list[int]] = [[], [], []]
    for answer in run(envs, infos, 48):
        assert answer[0] in envs.observation_space
        for lane in np.flatnonzero(answer[2]):
            margins[lane].append(int(answer[4]["final_info"]["margin"][lane]))
    assert [lane[:2] for lane in margins] == MARGINS


def test_every_way_to_end_and_to_go_on() -> None:
    for illegal_action in ("forfeit", "random", "raise"):
        for opponent in ("greedy", Plain("greedy"), None):
            envs = CribbageVectorEnv(2, opponent=opponent, illegal_action=illegal_action)
            env = CribbageEnv(opponent=opponent, illegal_action=illegal_action)
            _, infos = envs.reset(seed=5)
            _, info = env.reset(seed=5)
            for step in range(6):
                actions = chosen(infos["action_mask"], step)
                assert same(infos["action_mask"][0], info["action_mask"])
                _, rewards, _, _, infos = envs.step(actions)
                _, reward, _, _, info = env.step(int(actions[0]))
                assert rewards[0] == reward
            assert env.game == Game.replay(env.game.beginning, env.game.actions)
            illegal = np.array([int((mask == 0).argmax()) for mask in infos["action_mask"]])
            if illegal_action == "raise":
                with pytest.raises(ValueError, match="illegal in lane 0"):
                    envs.step(illegal)
                continue
            _, _, terminated, _, infos = envs.step(illegal)
            assert terminated.all() == (illegal_action == "forfeit")
            assert infos["illegal_action"].tolist() == illegal.tolist()
