"""One seed, one game: the single environment, the vector environment and `Game` agree."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from cribbage_env import CribbageEnv, CribbageVectorEnv, Game, make_policy
from cribbage_env.engine.chance import decision_key
from cribbage_env.envs.stepping import draw_opponent
from cribbage_env.lanes import Lanes
from tests.envs.players import Keyed, Plain, choose, of_lane, same
from tests.envs.processes import run_python

LIST = ["random", "greedy", "club", Plain("random"), Keyed()]
SETTINGS: list[dict[str, Any]] = [
    {"opponent": "greedy"},
    {"opponent": "random", "observation": "features", "reward": "win"},
    {"opponent": None, "reward": "skunk", "target": 61},
    {"opponent": LIST, "target": 61},
    {"opponent": ["random", "club"], "is_one_deal": True},
    {"opponent": "random", "illegal_action": "random", "target": 61},
]


def action_for(mask: Any, number: int, *, is_careless: bool) -> int:
    """Return an action by a number; a careless learner's is sometimes illegal."""
    return (number * 7) % 19 if is_careless and number % 4 == 0 else choose(mask, number)


def single_run(env: CribbageEnv, seed: int, games: int, *, is_careless: bool) -> list[list[Any]]:
    """Play games one after another; each is the list of its answers, the first from reset."""
    played = []
    for number in range(games):
        obs, info = env.reset(seed=seed if number == 0 else None)
        answers: list[Any] = [(obs, 0.0, False, info)]
        while not answers[-1][2]:
            action = action_for(info["action_mask"], len(answers), is_careless=is_careless)
            obs, reward, is_over, _, info = env.step(action)
            answers.append((obs, reward, is_over, info))
        played.append(answers)
    return played


def vector_run(
    envs: CribbageVectorEnv, seed: int, games: int, *, is_careless: bool
) -> list[list[list[Any]]]:
    """Play until every lane has played its games; return them by lane."""
    number = envs.num_envs
    obs, infos = envs.reset(seed=seed)
    nothing = np.zeros(number), np.zeros(number, np.bool_)
    played: list[list[list[Any]]] = [
        [[of_lane((obs, *nothing, infos), lane)]] for lane in range(number)
    ]
    while any(len(lane) <= games for lane in played):
        actions = [
            0 if lane[-1][-1][2] else action_for(
                lane[-1][-1][3]["action_mask"], len(lane[-1]), is_careless=is_careless
            )
            for lane in played
        ]  # fmt: skip
        over = np.array([lane[-1][-1][2] for lane in played])
        if envs.autoreset_mode == AutoresetMode.DISABLED and over.any():
            obs, infos = envs.reset(options={"reset_mask": over})
            for lane in np.flatnonzero(over):
                played[lane].append([of_lane((obs, *nothing, infos), lane)])
            continue
        obs, rewards, terminated, _, infos = envs.step(np.array(actions))
        answer = obs, rewards, terminated, infos
        for lane in range(number):
            if over[lane]:
                played[lane].append([of_lane(answer, lane)])
            elif terminated[lane] and envs.autoreset_mode == AutoresetMode.SAME_STEP:
                last = infos["final_obs"], rewards, terminated, infos["final_info"]
                played[lane][-1].append(of_lane(last, lane))
                played[lane].append([of_lane((obs, *nothing, infos), lane)])
            else:
                played[lane][-1].append(of_lane(answer, lane))
    return [lane[:games] for lane in played]


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("settings", SETTINGS, ids=range(len(SETTINGS)))
def test_a_lane_plays_what_the_single_environment_plays(
    settings: dict[str, Any], mode: AutoresetMode
) -> None:
    is_careless = settings.get("illegal_action") == "random"
    envs = CribbageVectorEnv(4, autoreset_mode=mode, **settings)
    lanes = vector_run(envs, 40, 3, is_careless=is_careless)
    for lane, games in enumerate(lanes):
        expected = single_run(CribbageEnv(**settings), 40 + lane, 3, is_careless=is_careless)
        assert [len(game) for game in games] == [len(game) for game in expected]
        assert same(games, expected)


@pytest.mark.parametrize("opponent", ["random", "club", Plain("greedy"), Keyed()])
def test_the_environment_plays_what_the_game_plays(opponent: Any) -> None:
    policy = make_policy(opponent)
    env = CribbageEnv(opponent=opponent)
    for number in range(3):
        _, info = env.reset(seed=11 if number == 0 else None)
        game = Game(11, number=number)
        turns = 0
        while game.turn is not None:
            if game.turn == 0:
                action = choose(info["action_mask"], turns)
                assert game.legal_actions() == np.flatnonzero(info["action_mask"]).tolist()
                assert game.scores == tuple(info["scores"])
                *_, info = env.step(action)
            else:
                action = asked(policy, game)
            game.step(action)
            turns += 1
        assert game == env.game
        assert game.events == env.game.events
        assert game.scores == tuple(info["scores"])
        assert (game.winner, game.skunk, game.deals) == (
            info["winner"],
            info["skunk"],
            info["deals"],
        )


def asked(policy: Any, game: Game) -> int:
    """Return what a policy answers for the seat to act of a game."""
    lanes = Lanes(1)
    lanes.states = game.state.copy()
    seats = np.array([game.turn])
    return int(policy.act(*lanes.observe(np.zeros(1, np.int64), seats, policy.observation))[0])


@pytest.mark.parametrize("name", ["random", "greedy", "club"])
def test_a_compiled_player_in_the_kernel_is_the_one_that_is_asked(name: str) -> None:
    inside = CribbageVectorEnv(200, opponent=name)
    outside = CribbageVectorEnv(200, opponent=Plain(name))
    as_features = CribbageVectorEnv(200, opponent=Plain(name, "features"))
    answers = [envs.reset(seed=1) for envs in (inside, outside, as_features)]
    for step in range(150):
        assert same(answers[1], answers[0])
        assert same(answers[2], answers[0])
        masks = inside.action_masks()
        actions = np.where(masks, (np.arange(19) * 7 + step) % 19, -1).argmax(axis=1)
        answers = [envs.step(actions) for envs in (inside, outside, as_features)]  # type: ignore[misc]


@pytest.mark.parametrize("opponent", ["random", Plain("random"), Keyed(), LIST])
def test_the_size_of_the_batch_does_not_matter(opponent: Any) -> None:
    small, large = (
        vector_run(CribbageVectorEnv(number, opponent=opponent, target=61), 5, 2, is_careless=False)
        for number in (3, 40)
    )
    assert same(small, large[:3])


def test_keys_depend_on_seed_game_deal_seat_and_decision_alone() -> None:
    seen = {}
    for number in (1, 7):
        player = Plain("random")
        envs = CribbageVectorEnv(number, opponent=player)
        _, infos = envs.reset(seed=3)
        for step in range(60):
            masks = infos["action_mask"]
            infos = envs.step(np.where(masks, (np.arange(19) * 5 + step) % 19, -1).argmax(axis=1))[
                4
            ]
        seen[number] = {int(key) for _, _, keys in player.calls for key in keys}
    assert seen[1] <= seen[7]
    possible = {
        int(decision_key(np.uint64(3), game, deal, 1, decision))
        for game in range(3)
        for deal in range(1, 40)
        for decision in range(5)
    }
    assert len(possible) == 3 * 39 * 5
    assert seen[1] <= possible


def test_a_decision_has_its_own_key() -> None:
    keys = [
        int(decision_key(np.uint64(seed), game, deal, seat, decision))
        for seed in (0, 1, 2**64 - 1)
        for game in range(4)
        for deal in range(1, 6)
        for seat in range(2)
        for decision in range(5)
    ]
    assert len(set(keys)) == len(keys)
    drawn = [int(draw_opponent(np.uint64(seed), 0, 3)) for seed in range(300)]
    assert min(drawn.count(one) for one in range(3)) > 70


PROGRAM = """
import hashlib
from cribbage_env import CribbageEnv
env = CribbageEnv(opponent=["random", "club"])
observation, info = env.reset(seed=77)
digest = hashlib.sha256(observation.tobytes())
while info["phase"] != "over":
    observation, reward, _, _, info = env.step(int(info["action_mask"].argmax()))
    digest.update(observation.tobytes() + str((reward, info["scores"].tolist())).encode())
print(digest.hexdigest())
"""


def test_a_seed_gives_the_same_game_in_a_fresh_process() -> None:
    env = CribbageEnv(opponent=["random", "club"])
    observation, info = env.reset(seed=77)
    digest = hashlib.sha256(observation.tobytes())
    while info["phase"] != "over":
        observation, reward, _, _, info = env.step(int(info["action_mask"].argmax()))
        digest.update(observation.tobytes() + str((reward, info["scores"].tolist())).encode())
    assert run_python(PROGRAM, PYTHONHASHSEED="1").strip() == digest.hexdigest()
