"""Rewards: over an episode they are what they promise, however the game ends."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from cribbage_env import CribbageEnv, CribbageVectorEnv, skunk
from cribbage_env.engine.layout import DEAL_OVER, DISCARD, GAME_OVER, PLAY, STATE
from cribbage_env.rewards import REWARDS, margin_of, reward_code, reward_of, skunk_of
from tests.envs.players import choose, chosen

GAMES = 1000


def play(env: CribbageEnv, seed: int, forfeit_at: int | None = None, **options: Any) -> Any:
    """Play a game; return the rewards, the last info, and the scores at reset."""
    _, info = env.reset(seed=seed, options=options or None)
    first = info["scores"]
    rewards: list[float] = []
    is_over = False
    while not is_over:
        action = choose(info["action_mask"], seed + len(rewards))
        if len(rewards) == forfeit_at:
            action = int((info["action_mask"] == 0).argmax())
        _, reward, is_over, _, info = env.step(action)
        rewards.append(reward)
    return rewards, info, first


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("scores", "graded"),
    [
        ((121, 91), 1),
        ((121, 90), 2),
        ((121, 60), 3),
        ((91, 121), -1),
        ((90, 121), -2),
        ((0, 121), -3),
    ],
)
def test_the_end_of_a_game_is_graded_by_the_loser_s_score(
    scores: tuple[int, int], graded: int
) -> None:
    """R20; a forfeit is no skunk, a deal is won by who is ahead, and before the end nothing is."""
    lane = np.zeros(1, STATE)[0]
    lane.target, lane.scores, lane.phase = 121, scores, GAME_OVER
    score_diff, win, by_skunk = (reward_code(name) for name in REWARDS)
    sign = np.sign(graded)
    assert reward_of(lane, win, 0, False) == sign
    assert reward_of(lane, by_skunk, 0, False) == graded
    assert reward_of(lane, by_skunk, 0, True) == sign
    assert reward_of(lane, score_diff, 7, False) == scores[0] - scores[1] - 7
    lane.phase = DEAL_OVER
    assert reward_of(lane, by_skunk, 0, False) == sign
    lane.phase = PLAY
    assert reward_of(lane, by_skunk, 0, False) == reward_of(lane, win, 0, False) == 0
    lane.scores, lane.phase = (60, 60), DEAL_OVER
    assert reward_of(lane, win, 0, False) == 0


@pytest.mark.kernels
@pytest.mark.parametrize("target", [1, 31, 32, 61, 62, 121])
def test_every_score_and_phase_pays_what_is_promised(target: int) -> None:
    """The losers' scores are all those possible, the targets lie about the marks of R20."""
    lane = np.zeros(1, STATE)[0]
    lane.target = target
    for loser, is_ahead in product(range(target), (True, False)):
        lane.scores = (target, loser) if is_ahead else (loser, target)
        grade = sum(mark > 0 and loser <= mark for mark in (target - 31, target - 61))
        sign = 1 if is_ahead else -1
        lead = sign * (target - loser)
        assert margin_of(lane) == lead
        assert skunk_of(lane) == grade
        for phase, is_forfeit in product((DISCARD, PLAY, DEAL_OVER, GAME_OVER), (False, True)):
            lane.phase = phase
            is_over = phase in (DEAL_OVER, GAME_OVER)
            win = sign if is_over else 0
            by_skunk = win * (1 + grade) if phase == GAME_OVER and not is_forfeit else win
            paid = [reward_of(lane, code, 3, is_forfeit) for code in range(3)]
            assert paid == [lead - 3, win, by_skunk]


def test_score_differences_add_up_to_the_margin_of_a_thousand_games() -> None:
    env = CribbageEnv(opponent="greedy")
    rng = np.random.default_rng(1)
    seen = set()
    for seed in range(GAMES):
        options = {} if seed % 2 else {"scores": tuple(rng.integers(0, 121, 2).tolist())}
        forfeit_at = seed % 7 if seed % 5 == 0 else None
        rewards, info, first = play(env, seed, forfeit_at, **options)
        margin = int(info["scores"][0] - info["scores"][1])
        assert info["margin"] == margin
        assert sum(rewards) == margin - (first[0] - first[1])
        assert first.tolist() == list(options.get("scores", (0, 0)))
        won_by_opponent_after_the_last_action = env.game.winner == 1 and rewards[-1] < 0
        seen.add((info["winner"], "forfeit" in info, won_by_opponent_after_the_last_action))
    assert {(0, False, False), (1, False, True), (1, True, True)} <= seen


def test_each_reward_is_the_change_since_the_last_decision() -> None:
    env = CribbageEnv(opponent="random")
    _, info = env.reset(seed=3, options={"scores": (11, 4)})
    before = info["scores"]
    while info["phase"] != "over":
        _, reward, _, _, info = env.step(int(info["action_mask"].argmax()))
        change = info["scores"] - before
        assert reward == change[0] - change[1]
        before = info["scores"]


@pytest.mark.parametrize("reward", ["win", "skunk"])
def test_a_game_pays_once_at_its_end(reward: str) -> None:
    env = CribbageEnv(opponent="random", reward=reward)
    paid = set()
    for seed in range(GAMES):
        scores = (seed % 121, seed * 31 % 121)
        rewards, info, _ = play(env, seed, 2 if seed % 50 == 0 else None, scores=scores)
        assert not any(rewards[:-1])
        sign = 1 if info["winner"] == 0 else -1
        size = 1 + (skunk(info["scores"].tolist()) if "forfeit" not in info else 0)
        assert rewards[-1] == sign * (1 if reward == "win" else size)
        assert info["skunk"] == size - 1
        paid.add(rewards[-1])
    assert paid == ({1.0, -1.0} if reward == "win" else {1.0, 2.0, 3.0, -1.0, -2.0, -3.0})


def test_a_forfeit_is_no_skunk_and_pays_the_rest_of_the_margin() -> None:
    for reward, expected in (("score_diff", -121.0), ("win", -1.0), ("skunk", -1.0)):
        rewards, info, _ = play(CribbageEnv(reward=reward), 1, 0)
        assert rewards == [expected]
        assert info["skunk"] == 0
    rewards, info, _ = play(CribbageEnv(), 1, 3, scores=(60, 100))
    assert info["scores"][1] == 121
    assert sum(rewards) == info["scores"][0] - 121 - (60 - 100)


@pytest.mark.parametrize(
    ("target", "scores", "size"),
    [
        (121, (90, 120), 2),
        (121, (91, 120), 1),
        (121, (60, 120), 3),
        (121, (61, 120), 2),
        (61, (30, 60), 2),
        (61, (31, 60), 1),
        (61, (0, 60), 2),
        (31, (0, 30), 1),
        (62, (1, 61), 3),
    ],
)
def test_skunks_by_the_target(target: int, scores: tuple[int, int], size: int) -> None:
    """The dealer turns a jack and wins before anyone else scores (R5, R20)."""
    env = CribbageEnv(opponent=None, target=target, reward="skunk")
    deck = "AC 2C 3C 4C 5C 6C 7C 8C 9C TC QC KC JH"
    for seat in (0, 1):
        own = scores if seat == 1 else scores[::-1]
        env.reset(seed=1, options={"dealer": seat, "scores": own, "deck": deck})
        assert env.step(0)[1] == 0.0
        _, reward, is_over, _, info = env.step(0)
        assert is_over
        assert reward == (size if seat == 0 else -size)
        assert info["skunk"] == size - 1


@pytest.mark.parametrize("reward", REWARDS)
def test_with_both_seats_moved_rewards_are_seat_0s(reward: str) -> None:
    env = CribbageEnv(opponent=None, reward=reward)
    for seed in range(30):
        rewards, info, _ = play(env, seed)
        margin = info["margin"]
        expected = {
            "score_diff": margin,
            "win": np.sign(margin),
            "skunk": np.sign(margin) * (1 + info["skunk"]),
        }
        assert sum(rewards) == expected[reward]


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_batched_rewards_add_up_to_the_margin(mode: str) -> None:
    envs = CribbageVectorEnv(64, opponent=["random", "club"], autoreset_mode=mode)
    _, infos = envs.reset(seed=1, options={"scores": (20, 50)})
    sums = np.full(64, 20.0 - 50.0)
    games = np.zeros(64, int)
    for step in range(250):
        _, rewards, terminated, _, infos = envs.step(chosen(infos["action_mask"], step))
        sums += rewards
        final = infos.get("final_info", infos)
        for lane in np.flatnonzero(terminated):
            assert sums[lane] == final["margin"][lane]
        sums[terminated] = 0
        games += terminated
    assert games.min() > 2


def test_names_of_rewards() -> None:
    assert [reward_code(name) for name in REWARDS] == [0, 1, 2]
    with pytest.raises(ValueError, match="'score_diff', 'win', 'skunk', not 'points'"):
        reward_code("points")
