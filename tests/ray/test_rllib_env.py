"""The RLlib environment: the same games, masks that hold, rewards that are complete."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("ray")

from ray.rllib.utils.pre_checks.env import check_multiagent_environments

from agents.rllib.selfplay import TrainingEnv
from cribbage_env import CribbageEnv, Game, IllegalActionError
from cribbage_env.envs.single import NotBegunError
from cribbage_env.observation import size
from cribbage_env.rllib import AGENTS, CribbageMultiAgentEnv


def acting(observations: dict[str, Any]) -> tuple[str, Any]:
    """Return the one agent that sees something, and what it sees."""
    ((agent, seen),) = observations.items()
    return agent, seen


def finish(env: CribbageMultiAgentEnv, seed: int, choose: Any) -> tuple[dict[str, float], Any]:
    """Play a game out; return what each agent got in all, and the last step."""
    observations, _ = env.reset(seed=seed)
    got = dict.fromkeys(AGENTS, 0.0)
    is_over = False
    while not is_over:
        agent, seen = acting(observations)
        step = env.step({agent: choose(seen["action_mask"])})
        observations, rewards, terminateds, _, _ = step
        assert set(rewards) == set(AGENTS)
        assert rewards["player_0"] == -rewards["player_1"]
        got = {who: got[who] + rewards[who] for who in AGENTS}
        is_over = terminateds["__all__"]
    return got, step


def chooser(seed: int) -> Any:
    rng = np.random.default_rng(seed)
    return lambda mask: rng.choice(np.flatnonzero(mask))


@pytest.mark.parametrize("observation", ["cards", "features", "lookahead"])
def test_rllibs_own_check_passes(observation: str) -> None:
    check_multiagent_environments(CribbageMultiAgentEnv({"observation": observation}))


@pytest.mark.parametrize("observation", ["cards", "features"])
def test_it_is_the_game_of_the_seed(observation: str) -> None:
    env = CribbageMultiAgentEnv(observation=observation)
    same = CribbageEnv(None, observation=observation)
    choose = chooser(1)
    for seed in (3, None):  # the game of a seed, and the one that follows it
        observations, _ = env.reset(seed=seed)
        expected, info = same.reset(seed=seed)
        game = Game(seed=3) if seed else same.game.copy()
        is_over = False
        while not is_over:
            agent, seen = acting(observations)
            assert agent == AGENTS[game.turn]
            assert seen["observations"].tobytes() == expected.tobytes()
            assert (seen["action_mask"] == game.action_mask()).all()
            assert env.observation_spaces[agent].contains(seen)
            action = choose(seen["action_mask"])
            game.step(action)
            observations, _, terminateds, truncateds, _ = env.step({agent: action})
            expected, _, is_over, _, info = same.step(action)
            assert terminateds == {**dict.fromkeys(AGENTS, is_over), "__all__": is_over}
            assert not any(truncateds.values())
        assert env.game.events == game.events
        assert info["winner"] == game.winner


@pytest.mark.parametrize("reward", ["score_diff", "win", "skunk"])
def test_rewards_are_complete_whoever_ends_the_game(reward: str) -> None:
    env = CribbageMultiAgentEnv(reward=reward)
    enders = set()
    for seed in range(20):
        got, (observations, _, _, _, infos) = finish(env, seed, chooser(seed))
        winner, margin = infos["player_0"]["winner"], infos["player_0"]["margin"]
        sign = 1 if winner == 0 else -1
        expected = {"score_diff": margin, "win": sign, "skunk": sign * (1 + env_skunk(infos))}
        assert got["player_0"] == expected[reward]
        assert infos["player_1"]["margin"] == -margin
        assert infos["player_1"]["scores"].tolist() == infos["player_0"]["scores"].tolist()[::-1]
        assert infos[AGENTS[winner]]["is_success"] is True
        assert set(observations) == set(AGENTS)
        for agent in AGENTS:
            assert env.observation_spaces[agent].contains(observations[agent])
            assert not observations[agent]["action_mask"].any()
        enders.add(winner)
    assert enders == {0, 1}


def env_skunk(infos: dict[str, Any]) -> int:
    return int(infos["player_0"]["skunk"])


def test_one_deal_and_other_arguments() -> None:
    env = CribbageMultiAgentEnv({"is_one_deal": True, "target": 31}, observation="features")
    assert env.observation_spaces["player_0"]["observations"].shape == (size("features"),)
    _, (_, _, _, _, infos) = finish(env, 1, chooser(1))
    assert infos["player_0"]["deals"] == 1
    observations, _ = env.reset(seed=1, options={"dealer": 0, "scores": (30, 7)})
    assert acting(observations)[0] == "player_1"
    assert env.game.scores == (30, 7)


def test_illegal_actions() -> None:
    observations, _ = (env := CribbageMultiAgentEnv()).reset(seed=1)
    agent, _ = acting(observations)
    observations, rewards, terminateds, _, infos = env.step({agent: 18})
    assert terminateds["__all__"]
    assert rewards[agent] == -121
    assert infos[agent]["illegal_action"] == 18
    other = AGENTS[1 - AGENTS.index(agent)]
    assert "illegal_action" not in infos[other]
    observations, _ = (env := CribbageMultiAgentEnv(illegal_action="raise")).reset(seed=1)
    with pytest.raises(IllegalActionError):
        env.step({agent: 18})
    assert env.game.phase == "discard"


def test_what_is_refused() -> None:
    with pytest.raises(TypeError, match="an agent sits in each seat"):
        CribbageMultiAgentEnv(opponent="greedy")
    with pytest.raises(ValueError, match="'pictures'"):
        CribbageMultiAgentEnv({"observation": "pictures"})
    env = CribbageMultiAgentEnv()
    with pytest.raises(NotBegunError, match="reset"):
        env.step({"player_0": 0})
    observations, _ = env.reset(seed=1)
    agent, seen = acting(observations)
    other = AGENTS[1 - AGENTS.index(agent)]
    for actions in ({}, {other: 0}, {agent: 0, other: 0}):
        with pytest.raises(ValueError, match=f"{agent} alone is to act"):
            env.step(actions)
    with pytest.raises(ValueError, match="19"):
        env.step({agent: 19})
    assert env.step({agent: seen["action_mask"].argmax()})[0]
    finish(env, 2, chooser(2))
    with pytest.raises(NotBegunError, match="reset"):
        env.step({agent: 0})


def test_rewards_in_training_are_scaled() -> None:
    got, (_, _, _, _, infos) = finish(TrainingEnv({"reward_scale": 0.5}), 1, chooser(1))
    assert got["player_0"] == infos["player_0"]["margin"] / 2
