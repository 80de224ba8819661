"""Resets of the vector environment: by the mode, by a mask, with options and seeds."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from cribbage_env import CribbageVectorEnv
from tests.envs.players import chosen, run

MODES = list(AutoresetMode)


def test_next_step_ignores_the_action_of_a_game_that_is_over_and_begins_the_next() -> None:
    envs = CribbageVectorEnv(4, opponent="random", target=31)
    _, infos = envs.reset(seed=1)
    over = np.zeros(4, np.bool_)
    begun = 0
    for step in range(120):
        _, rewards, terminated, _, infos = envs.step(chosen(infos["action_mask"], step))
        for lane in np.flatnonzero(over):
            begun += 1
            assert rewards[lane] == 0.0
            assert not terminated[lane]
            assert infos["scores"][lane].tolist() == [0, 0]
            assert infos["phase"][lane] == "discard"
            assert envs.lanes.states["deals"][lane] == 1
        over = terminated
    assert begun > 5


def test_disabled_refuses_to_step_a_game_that_is_over() -> None:
    envs = CribbageVectorEnv(3, opponent="random", autoreset_mode=AutoresetMode.DISABLED)
    _, infos = envs.reset(seed=1)
    answer = envs.step(np.where(np.arange(3) == 1, 15, chosen(infos["action_mask"], 0)))
    assert answer[2].tolist() == [False, True, False]
    before = envs.lanes.states.copy()
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"lanes \[1\]"):
        envs.step(chosen(answer[4]["action_mask"], 1))
    assert (envs.lanes.states == before).all()


@pytest.mark.parametrize("mode", MODES)
def test_reset_mask_resets_these_lanes_alone_and_is_the_callers(mode: AutoresetMode) -> None:
    envs = CribbageVectorEnv(4, opponent="greedy", autoreset_mode=mode)
    _, infos = envs.reset(seed=10)
    infos = run(envs, infos, 6)[-1][4]
    observations, _, _, _ = envs._report()
    before = envs.lanes.states.copy()
    mask = np.array([True, False, True, False])
    options = {"reset_mask": mask, "scores": (7, 5), "dealer": 1}
    given = dict(options)
    observations_after, infos_after = envs.reset(options=options)
    assert options.keys() == given.keys()
    assert all(options[name] is given[name] for name in options)
    assert mask.tolist() == [True, False, True, False]
    after = envs.lanes.states
    assert (after[~mask] == before[~mask]).all()
    assert after["game"][mask].tolist() == [1, 1]
    assert after["deals"][mask].tolist() == [1, 1]
    assert infos_after["scores"][mask].tolist() == [[7, 5], [7, 5]]
    assert infos_after["dealer"][mask].tolist() == [1, 1]
    assert (observations_after[~mask] == observations[~mask]).all()
    assert (infos_after["action_mask"][~mask] == infos["action_mask"][~mask]).all()
    # The margin of a lane that was not reset is still measured from its last report.
    _, rewards, _, _, infos_next = envs.step(chosen(infos_after["action_mask"], 7))
    margins = infos_next["scores"][:, 0] - infos_next["scores"][:, 1]
    earlier = infos_after["scores"][:, 0] - infos_after["scores"][:, 1]
    assert (rewards == margins - earlier).all()


def test_a_reset_mask_of_nothing_changes_nothing() -> None:
    envs = CribbageVectorEnv(2)
    envs.reset(seed=1)
    before = envs.lanes.states.copy()
    envs.reset(options={"reset_mask": np.zeros(2, np.bool_)})
    assert (envs.lanes.states == before).all()


def test_options_apply_to_every_lane_and_to_this_reset_alone() -> None:
    envs = CribbageVectorEnv(3, opponent=None, target=31, autoreset_mode="SameStep")
    deck = "AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC"
    _, infos = envs.reset(seed=4, options={"dealer": 0, "scores": (30, 30), "deck": deck})
    assert infos["dealer"].tolist() == [0, 0, 0]
    assert (infos["scores"] == 30).all()
    assert (envs.lanes.states["dealt"][:, 1] == [0, 8, 16, 24, 32, 40]).all()
    answers = run(envs, infos, 40)
    assert any(answer[2].any() for answer in answers)
    assert envs.lanes.states["game"].min() > 0
    for answer in answers:
        for lane in np.flatnonzero(answer[2]):
            assert answer[4]["scores"][lane].tolist() == [0, 0]


def test_seeds_one_for_all_or_one_a_lane() -> None:
    envs = CribbageVectorEnv(4)
    envs.reset(seed=2**64 - 2)
    assert envs.lanes.states["seed"].tolist() == [2**64 - 2, 2**64 - 1, 0, 1]
    for seeds in ([5, None, 3, 2**64 - 1], np.array([5, 6, 3, 9]), (0, 0, 0, 0)):
        before = envs.lanes.states[["seed", "game"]].copy()
        envs.reset(seed=seeds)  # type: ignore[arg-type]
        for lane, seed in enumerate(seeds):
            old_seed, old_game = before[lane].tolist()
            expected = (old_seed, old_game + 1) if seed is None else (seed, 0)
            assert envs.lanes.states[lane][["seed", "game"]].tolist() == tuple(map(int, expected))
    envs.reset()
    assert envs.lanes.states["game"].tolist() == [1, 1, 1, 1]
    # With a mask a seed counts for the lanes that are reset.
    envs.reset(seed=50, options={"reset_mask": np.array([False, True, False, True])})
    assert envs.lanes.states["seed"].tolist() == [0, 51, 0, 53]
    assert envs.lanes.states["game"].tolist() == [1, 0, 1, 0]


def test_lanes_without_a_seed_draw_one_and_differ() -> None:
    envs = CribbageVectorEnv(3)
    envs.reset()
    first = envs.lanes.states["seed"].tolist()
    assert len(set(first)) == 3
    other = CribbageVectorEnv(3)
    other.reset(seed=[None, 7, None])
    assert other.lanes.states["seed"][1] == 7
    assert set(first).isdisjoint(other.lanes.states["seed"].tolist())


def test_the_first_reset_begins_every_lane() -> None:
    envs = CribbageVectorEnv(2)
    assert not envs.action_masks().any()
    with pytest.raises(gymnasium.error.ResetNeeded, match="reset"):
        envs.step(np.zeros(2, np.int64))
    with pytest.raises(ValueError, match="leave out reset_mask"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    envs.reset(seed=1, options={"reset_mask": np.array([True, True])})
