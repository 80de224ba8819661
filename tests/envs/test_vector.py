"""The vector environment: what it answers in each autoreset mode, faults, copies, wrappers."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from cribbage_env import CribbageVectorEnv
from cribbage_env.game import IllegalActionError
from tests.envs.players import Faulty, Plain, chosen, run, same

ALWAYS = {"action_mask", "scores", "dealer", "phase"}
AT_END = {"winner", "margin", "skunk", "deals", "is_success"}
MODES = list(AutoresetMode)


def test_make_vec_gives_the_batched_environment() -> None:
    envs = gymnasium.make_vec("Cribbage-v0", num_envs=3)
    assert isinstance(envs.unwrapped, CribbageVectorEnv)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    assert envs.single_observation_space == gymnasium.spaces.Box(0, 1, (384,), np.float32)
    assert envs.observation_space.shape == (3, 384)
    assert envs.single_action_space == gymnasium.spaces.Discrete(19)
    assert envs.action_space == gymnasium.spaces.MultiDiscrete([19] * 3)
    assert envs.spec is not None
    for mode in (*MODES, "SameStep"):
        made = gymnasium.make_vec("CribbageDeal-v0", num_envs=2, autoreset_mode=mode)
        assert made.metadata["autoreset_mode"] is AutoresetMode(mode)


@pytest.mark.parametrize("mode", MODES)
def test_every_answer_has_the_promised_form(mode: AutoresetMode) -> None:
    envs = CribbageVectorEnv(5, opponent="random", target=31, autoreset_mode=mode)
    observations, infos = envs.reset(seed=3)
    assert observations in envs.observation_space
    assert {name for name in infos if name[0] != "_"} == ALWAYS
    ended = 0
    for answer in run(envs, infos, 200):
        observations, rewards, terminated, truncated, infos = answer
        assert observations in envs.observation_space
        assert (rewards.dtype, rewards.shape) == (np.float64, (5,))
        assert (terminated.dtype, terminated.shape) == (np.bool_, (5,))
        assert (truncated.dtype, truncated.shape) == (np.bool_, (5,))
        assert not truncated.any()
        assert infos["action_mask"].dtype == np.int8
        assert infos["scores"].dtype == np.int64
        names = {name for name in infos if name[0] != "_"}
        for name in names:
            assert infos[f"_{name}"].dtype == np.bool_
            assert len(infos[f"_{name}"]) == 5
            assert name == "final_info" or len(infos[name]) == 5
        ended += int(terminated.sum())
        if mode == AutoresetMode.SAME_STEP:
            assert names == ALWAYS | ({"final_obs", "final_info"} if terminated.any() else set())
            assert infos["action_mask"].any(axis=1).all()
            if terminated.any():
                check_final(infos, terminated)
        else:
            assert names == ALWAYS | (AT_END if terminated.any() else set())
            assert (infos["action_mask"].any(axis=1) == ~terminated).all()
            assert ((infos["phase"] == "over") == terminated).all()
            for name in AT_END & names:
                assert (infos[f"_{name}"] == terminated).all()
    assert ended > 10


def check_final(infos: dict[str, Any], terminated: NDArray[np.bool_]) -> None:
    final = infos["final_info"]
    assert (infos["_final_obs"] == terminated).all()
    assert (infos["_final_info"] == terminated).all()
    assert {name for name in final if name[0] != "_"} == ALWAYS | AT_END
    for name in ALWAYS | AT_END:
        assert (final[f"_{name}"] == terminated).all()
    for lane, is_over in enumerate(terminated):
        if is_over:
            assert infos["final_obs"][lane].shape == (384,)
            assert infos["final_obs"][lane].dtype == np.float32
            assert final["phase"][lane] == "over"
            assert not final["action_mask"][lane].any()
            assert final["scores"][lane].max() == 31
            assert infos["scores"][lane].tolist() == [0, 0]
        else:
            assert infos["final_obs"][lane] is None


# ---- infos -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_every_array_is_fresh_at_every_call(mode: AutoresetMode) -> None:
    envs = CribbageVectorEnv(3, opponent="random", target=31, autoreset_mode=mode)
    kept, before = arrays_of(envs.reset(seed=2)), []
    _, infos = envs.reset(seed=2)
    for answer in run(envs, infos, 60):
        arrays = arrays_of(answer)
        for place, array in enumerate(arrays):
            assert not np.shares_memory(array, envs.lanes.states)
            for other in arrays[place + 1 :] + kept:
                assert not np.shares_memory(array, other)
        for old, values in zip(kept, before, strict=False):
            assert old.tobytes() == values
        kept, before = arrays, [array.tobytes() for array in arrays]


def arrays_of(answer: Any) -> list[NDArray[Any]]:
    """Return every array in an answer, those inside dictionaries and object arrays included."""
    if isinstance(answer, np.ndarray):
        inner = arrays_of(answer.tolist()) if answer.dtype == object else []
        return [answer, *inner]
    if isinstance(answer, dict):
        return arrays_of(list(answer.values()))
    if isinstance(answer, (list, tuple)):
        return [array for part in answer for array in arrays_of(part)]
    return []


def test_action_masks_are_those_of_the_infos() -> None:
    envs = CribbageVectorEnv(6, opponent=None)
    _, infos = envs.reset(seed=3)
    for step in range(30):
        masks = envs.action_masks()
        assert masks.dtype == np.bool_
        assert (masks == (infos["action_mask"] == 1)).all()
        assert (infos["seat"] == envs.lanes.states["turn"]).all()
        infos = envs.step(chosen(infos["action_mask"], step))[4]


def test_ties_of_lone_deals_have_no_winner() -> None:
    envs = gymnasium.make_vec("CribbageDeal-v0", num_envs=200, opponent="random", reward="win")
    _, infos = envs.reset(seed=1)
    seen = set()
    for answer in run(envs.unwrapped, infos, 7):  # type: ignore[arg-type]
        infos = answer[4]
        for lane in np.flatnonzero(answer[2]):
            margin = infos["scores"][lane, 0] - infos["scores"][lane, 1]
            assert infos["margin"][lane] == margin
            assert infos["winner"][lane] == (None if margin == 0 else int(margin < 0))
            assert answer[1][lane] == np.sign(margin)
            assert infos["is_success"][lane] == (margin > 0)
            assert infos["deals"][lane] == 1
            seen.add(infos["winner"][lane])
    assert seen == {0, 1, None}


# ---- illegal actions and faulty policies -----------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_a_forfeit_ends_its_lane_alone(mode: AutoresetMode) -> None:
    envs = CribbageVectorEnv(3, opponent="greedy", reward="skunk", autoreset_mode=mode)
    _, infos = envs.reset(seed=1)
    actions = chosen(infos["action_mask"], 0)
    actions[2] = 17
    _, rewards, terminated, _, infos = envs.step(actions)
    assert terminated.tolist() == [False, False, True]
    assert rewards.tolist() == [0, 0, -1]
    final = infos["final_info"] if mode == AutoresetMode.SAME_STEP else infos
    for name in ("forfeit", "illegal_action"):
        assert final[f"_{name}"].tolist() == [False, False, True]
    assert final["forfeit"].tolist() == [False, False, True]
    assert final["illegal_action"][2] == 17
    assert (final["winner"][2], final["skunk"][2], final["margin"][2]) == (1, 0, -121)
    if mode == AutoresetMode.SAME_STEP:
        assert "illegal_action" not in infos
    if mode != AutoresetMode.DISABLED:
        infos = envs.step(chosen(infos["action_mask"], 1))[4]
    else:
        _, infos = envs.reset(options={"reset_mask": terminated})
    assert not {"illegal_action", "forfeit", "winner"} & infos.keys()


def test_random_plays_a_legal_action_and_says_so() -> None:
    envs = CribbageVectorEnv(3, opponent="greedy", illegal_action="random")
    envs.reset(seed=1)
    _, _, terminated, _, infos = envs.step(np.array([0, 18, 15]))
    assert not terminated.any()
    assert infos["illegal_action"].tolist() == [0, 18, 15]
    assert infos["_illegal_action"].tolist() == [False, True, True]
    assert (envs.lanes.states["discards"][:, 0] >= 0).all()


def test_raise_moves_no_lane_at_all() -> None:
    envs = CribbageVectorEnv(3, opponent="greedy", illegal_action="raise")
    envs.reset(seed=1)
    before = envs.lanes.states.copy()
    with pytest.raises(IllegalActionError, match="action 18 is illegal in lane 2"):
        envs.step(np.array([0, 1, 18]))
    assert (envs.lanes.states == before).all()
    assert "illegal_action" not in envs.step(np.array([0, 1, 2]))[4]


@pytest.mark.parametrize("mode", MODES)
def test_a_faulty_policy_leaves_every_lane_as_it_was(mode: AutoresetMode) -> None:
    players = ["random", Faulty(RuntimeError("out of order"), 3)]
    envs = CribbageVectorEnv(8, opponent=players, target=31, autoreset_mode=mode)
    smooth = CribbageVectorEnv(8, opponent=["random", "greedy"], target=31, autoreset_mode=mode)
    _, infos = envs.reset(seed=1)
    smooth.reset(seed=1)
    failed = 0
    for step in range(60):
        over = infos["phase"] == "over"
        if mode == AutoresetMode.DISABLED and over.any():
            players[1].good_answers = 99  # type: ignore[attr-defined]
            assert same(
                envs.reset(options={"reset_mask": over}),
                smooth.reset(options={"reset_mask": over}),
            )
        infos["action_mask"] = smooth.action_masks().astype(np.int8)
        actions = chosen(infos["action_mask"], step)
        players[1].good_answers = step % 3  # type: ignore[attr-defined]
        before = envs.lanes.states.copy()
        try:
            answer = envs.step(actions)
        except RuntimeError:
            failed += 1
            assert (envs.lanes.states == before).all()
            players[1].good_answers = 99  # type: ignore[attr-defined]
            answer = envs.step(actions)
        assert same(answer, smooth.step(actions))
        infos = answer[4]
    assert failed > 10


# ---- copies, threads, wrappers ---------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("opponent", ["greedy", ["random", Plain("random")], None])
def test_copies_and_pickles_keep_the_games(mode: AutoresetMode, opponent: Any) -> None:
    envs = CribbageVectorEnv(3, opponent=opponent, target=31, autoreset_mode=mode)
    _, infos = envs.reset(seed=6)
    infos = run(envs, infos, 9)[-1][4]
    twins = copy.deepcopy(envs), pickle.loads(pickle.dumps(envs))
    before = envs.lanes.states.copy()
    played = [run(twin, infos, 40) for twin in twins]
    assert (envs.lanes.states == before).all()
    expected = run(envs, infos, 40)
    assert same(played[0], expected)
    assert same(played[1], expected)


def test_environments_in_two_threads_share_no_state() -> None:
    def games(seed: int) -> list[Any]:
        envs = CribbageVectorEnv(32, opponent=["random", "club", Plain()])
        return run(envs, envs.reset(seed=seed)[1], 60)

    expected = [games(seed) for seed in range(2)]
    found: list[Any] = [None, None]

    def work(seed: int) -> None:
        found[seed] = games(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert same(expected, found)


@pytest.mark.parametrize("mode", MODES)
def test_gymnasiums_vector_wrappers_read_the_infos(mode: AutoresetMode) -> None:
    envs: Any = CribbageVectorEnv(4, opponent="random", target=31, autoreset_mode=mode)
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    envs = gymnasium.wrappers.vector.DictInfoToList(envs)
    _, infos = envs.reset(seed=1)
    assert [set(info) for info in infos] == [ALWAYS] * 4
    returns = []
    for step in range(80):
        masks = np.array([info["action_mask"] for info in infos])
        _, _, terminated, _, infos = envs.step(chosen(masks, step))
        for lane in np.flatnonzero(terminated):
            info = infos[lane]
            final = info["final_info"] if mode == AutoresetMode.SAME_STEP else info
            if mode == AutoresetMode.NEXT_STEP:  # all that Gymnasium 1.2.2 counts rightly
                assert final["margin"] == info["episode"]["r"]
            else:
                assert "r" in info["episode"]
            returns.append(final["margin"])
        if mode == AutoresetMode.DISABLED and terminated.any():
            _, infos = envs.reset(options={"reset_mask": terminated})
    assert len(returns) > 5
