"""The single environment: its spaces, infos and resets, copies, and how games end."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import gymnasium
import numpy as np
import pytest

import cribbage_env
from cribbage_env import CribbageEnv, Game
from cribbage_env.game import IllegalActionError
from tests.envs.players import Faulty, Plain, choose, same

ALWAYS = {"action_mask", "scores", "dealer", "phase"}
AT_END = {"winner", "margin", "skunk", "deals", "is_success"}


def play_out(env: Any, info: dict[str, Any], seed: int = 0) -> list[tuple[Any, ...]]:
    """Play a game to its end with legal actions; return every step's answer."""
    steps: list[tuple[Any, ...]] = []
    is_over = False
    while not is_over:
        steps.append(env.step(choose(info["action_mask"], seed + len(steps))))
        _, _, is_over, truncated, info = steps[-1]
        assert truncated is False
    return steps


def test_importing_registers_both_environments() -> None:
    for name in ("Cribbage-v0", "CribbageDeal-v0"):
        env = gymnasium.make(name)
        assert env.action_space == gymnasium.spaces.Discrete(19)
        assert env.observation_space == gymnasium.spaces.Box(0, 1, (384,), np.float32)
        assert isinstance(env.unwrapped, CribbageEnv)


@pytest.mark.parametrize("observation", ["cards", "features", "lookahead"])
def test_infos_and_observations_have_the_promised_form(observation: str) -> None:
    env = CribbageEnv(observation=observation)
    first, info = env.reset(seed=3)
    answers = [(first, 0.0, False, False, info), *play_out(env, info)]
    for number, (obs, reward, is_over, _, infos) in enumerate(answers, start=1):
        assert obs in env.observation_space
        assert type(reward) is float
        assert is_over is (number == len(answers))
        assert set(infos) == ALWAYS | (AT_END if is_over else set())
        assert (infos["action_mask"].dtype, infos["action_mask"].shape) == (np.int8, (19,))
        assert (infos["scores"].dtype, infos["scores"].shape) == (np.int64, (2,))
        assert type(infos["dealer"]) is int
    info = answers[-1][4]
    assert not info["action_mask"].any()
    assert not env.action_masks().any()
    assert info["phase"] == "over"
    assert info["winner"] in (0, 1)
    assert info["is_success"] is (info["winner"] == 0)
    assert info["margin"] == info["scores"][0] - info["scores"][1]
    assert info["deals"] == env.game.deals
    assert info["skunk"] == env.game.skunk
    assert info["scores"].max() == 121


def test_info_says_what_the_game_says_at_every_decision() -> None:
    env = CribbageEnv(opponent=None)
    _, info = env.reset(seed=8)
    is_over = False
    number = 0
    while not is_over:
        game = env.game
        assert info["seat"] == game.turn
        assert info["dealer"] == game.dealer
        assert info["phase"] == game.phase
        assert tuple(info["scores"]) == game.scores
        assert np.flatnonzero(info["action_mask"]).tolist() == game.legal_actions()
        masks = env.action_masks()
        assert masks.dtype == np.bool_
        assert (masks == (info["action_mask"] == 1)).all()
        _, _, is_over, _, info = env.step(choose(info["action_mask"], number))
        number += 1
    assert "seat" not in info


def test_with_an_opponent_the_learner_is_seat_0_and_always_on_turn() -> None:
    env = CribbageEnv(opponent="random")
    _, info = env.reset(seed=5)
    assert env.game.turn == 0
    while info["phase"] != "over":
        assert env.game.turn == 0
        *_, info = env.step(int(info["action_mask"].argmax()))


def test_every_array_is_fresh_at_every_call() -> None:
    env = CribbageEnv()
    obs, info = env.reset(seed=1)
    kept = [obs, info["action_mask"], info["scores"]]
    before = [array.copy() for array in kept]
    for step in play_out(env, info):
        arrays = [step[0], step[4]["action_mask"], step[4]["scores"]]
        for array in arrays:
            assert not any(np.shares_memory(array, old) for old in kept)
        for old, values in zip(kept, before, strict=True):
            assert (old == values).all()
        kept, before = arrays, [array.copy() for array in arrays]
    kept[1][:] = 1
    assert not env.action_masks().any()


# ---- resets ----------------------------------------------------------------------------------


def test_game_k_after_a_seeded_reset_depends_on_seed_and_k_alone() -> None:
    one, other = CribbageEnv(opponent=None), CribbageEnv(opponent="greedy")
    for seed in (0, 7, 2**64 - 1):
        for number in range(3):
            given = seed if number == 0 else None
            one.reset(seed=given)
            _, info = other.reset(seed=given)
            if number != 1:  # a game that is left in the middle counts as well
                play_out(other, info)
            game = Game(seed=seed, number=number)
            assert one.game == game
            assert (one.game.number, other.game.number) == (number, number)
            assert one.game.state["dealt"].tolist() == game.state["dealt"].tolist()
            assert other.game.beginning == game.beginning


def test_unseeded_environments_play_different_games_and_say_which() -> None:
    seeds = set()
    for _ in range(3):
        env = CribbageEnv()
        env.reset()
        seeds.add(env.game.seed)
        assert env.game.number == 0
        env.reset()
        assert env.game.number == 1
    assert len(seeds) == 3


def test_reset_options_set_dealer_scores_and_deck() -> None:
    deck = "AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC"
    env = CribbageEnv(opponent=None)
    for dealer in (0, 1):
        options = {"dealer": dealer, "scores": (100, 90), "deck": deck}
        given = copy.deepcopy(options)
        _, info = env.reset(seed=2, options=options)
        assert options == given
        assert info["dealer"] == dealer
        assert info["scores"].tolist() == [100, 90]
        assert env.game.state["dealt"][0, 1 - dealer].tolist() == [0, 8, 16, 24, 32, 40]
        assert env.game.state["dealt"][0, dealer].tolist() == [4, 12, 20, 28, 36, 44]
    _, info = env.reset(options={"dealer": None, "deck": range(13), "scores": np.array([3, 4])})
    assert info["scores"].tolist() == [3, 4]
    _, info = env.reset()
    assert info["scores"].tolist() == [0, 0]
    assert env.game == Game(seed=2, number=2)


def test_a_lone_deal_is_the_episode_and_a_tie_has_no_winner() -> None:
    env = gymnasium.make("CribbageDeal-v0", opponent="random", reward="win")
    results = set()
    for number in range(120):
        _, info = env.reset(seed=number)
        *_, last = play_out(env, info, number)
        _, reward, _, _, info = last
        assert info["deals"] == 1
        assert info["phase"] == "over"
        margin = int(info["scores"][0] - info["scores"][1])
        assert info["margin"] == margin
        expected = None if margin == 0 else int(margin < 0)
        assert info["winner"] == expected
        assert reward == np.sign(margin)
        assert info["is_success"] is (margin > 0)
        assert info["skunk"] == 0
        results.add(info["winner"])
    assert results == {0, 1, None}


def test_a_lone_deal_ends_when_the_target_is_reached_in_it() -> None:
    env = gymnasium.make("CribbageDeal-v0", opponent="greedy")
    _, info = env.reset(seed=4, options={"scores": (119, 119)})
    *_, last = play_out(env, info)
    assert last[4]["scores"].max() == 121
    assert last[4]["winner"] == int(last[4]["scores"][1] == 121)


# ---- illegal actions -------------------------------------------------------------------------


def test_forfeit_ends_the_game_with_the_target_for_the_opponent() -> None:
    env = CribbageEnv(reward="skunk")
    env.reset(seed=1)
    obs, reward, is_over, truncated, info = env.step(15)
    assert (is_over, truncated, reward) == (True, False, -1.0)
    assert info["forfeit"] is True
    assert info["illegal_action"] == 15
    assert info["scores"].tolist() == [0, 121]
    assert (info["winner"], info["skunk"], info["margin"]) == (1, 0, -121)
    assert [event.kind for event in env.game.events[-2:]] == ["forfeit", "win"]
    assert obs in env.observation_space
    _, info = env.reset()
    assert "forfeit" not in info


def test_random_plays_a_legal_action_by_the_key_and_says_so() -> None:
    chosen = set()
    for seed in range(40):
        traces = []
        for _ in range(2):
            env = CribbageEnv(illegal_action="random")
            env.reset(seed=seed, options={"dealer": 1})
            _, _, is_over, _, info = env.step(18)
            assert not is_over
            assert info["illegal_action"] == 18
            traces.append(env.game.actions)
            _, _, _, _, info = env.step(int(info["action_mask"].argmax()))
            assert "illegal_action" not in info
        assert traces[0] == traces[1]
        chosen.add(traces[0][0])
    assert len(chosen) > 8


def test_raise_refuses_and_names_the_rule() -> None:
    env = CribbageEnv(illegal_action="raise")
    env.reset(seed=1)
    before = env.game.to_record()
    with pytest.raises(IllegalActionError, match="action 16: R4"):
        env.step(16)
    assert env.game.to_record() == before
    *_, info = env.step(0)
    assert "illegal_action" not in info


def test_with_both_seats_moved_a_forfeit_is_the_one_who_acted() -> None:
    env = CribbageEnv(opponent=None)
    _, info = env.reset(seed=1, options={"dealer": 0})
    assert info["seat"] == 1
    _, reward, is_over, _, info = env.step(17)
    assert is_over
    assert (reward, info["winner"]) == (121.0, 0)


# ---- faulty policies -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fault", "error", "message"),
    [
        (lambda masks: np.full(len(masks), 18), ValueError, r"Faulty\(\) chose the illegal action"),
        (lambda masks: np.full(len(masks), 19), ValueError, "illegal action 19"),
        (lambda masks: np.full(len(masks), 2**63, np.uint64), ValueError, "illegal action"),
        (lambda masks: np.zeros(len(masks)), TypeError, r"Faulty\(\) returned float64"),
        (lambda masks: np.zeros((len(masks), 1), int), ValueError, "shape"),
        (None, TypeError, "not integers"),
        (RuntimeError("out of order"), RuntimeError, "out of order"),
    ],
)
def test_a_faulty_policy_is_named_and_the_game_stands(
    fault: Any, error: type[Exception], message: str
) -> None:
    env = CribbageEnv(opponent=Faulty(fault))
    with pytest.raises(error, match=message):
        env.reset(seed=1, options={"dealer": 0})  # the opponent discards first
    with pytest.raises(ValueError, match="no game yet"):
        _ = env.game
    env.reset(seed=1, options={"dealer": 1})
    record, masks = env.game.to_record(), env.action_masks()
    with pytest.raises(error, match=message):
        env.step(3)
    with pytest.raises(error, match=message):
        env.reset(options={"dealer": 0})
    assert env.game.to_record() == record
    assert (env.action_masks() == masks).all()


def test_a_game_goes_on_after_a_policy_has_failed_once() -> None:
    env, smooth = (CribbageEnv(opponent=Faulty(np.array([99]), answers)) for answers in (3, 999))
    _, info = env.reset(seed=2)
    smooth.reset(seed=2)
    failed = 0
    while info["phase"] != "over":
        action = choose(info["action_mask"], len(env.game.actions))
        try:
            answer = env.step(action)
        except ValueError:
            failed += 1
            env.settings.opponents[0].good_answers = 999  # type: ignore[attr-defined]
            answer = env.step(action)
        assert same(answer[4], smooth.step(action)[4])
        info = answer[4]
    assert failed == 1
    assert env.game == smooth.game


def test_a_policy_that_writes_into_its_mask_changes_no_rule() -> None:
    def write(masks: Any) -> Any:
        masks[:] = 1
        return np.full(len(masks), 18)

    env = CribbageEnv(opponent=Faulty(write))
    with pytest.raises(ValueError, match="illegal action 18"):
        env.reset(seed=1, options={"dealer": 0})


# ---- copies and threads ----------------------------------------------------------------------


@pytest.mark.parametrize("opponent", ["greedy", Plain(), ["random", Plain("random")], None])
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_and_pickles_keep_the_game(opponent: Any, duplicate: Any) -> None:
    env = gymnasium.make("Cribbage-v0", opponent=opponent)
    _, info = env.reset(seed=6)
    for number in range(7):
        *_, info = env.step(choose(info["action_mask"], number))
    twin = duplicate(env)
    assert twin.unwrapped.game == env.unwrapped.game  # type: ignore[attr-defined]
    before = env.unwrapped.game.to_record()  # type: ignore[attr-defined]
    played = play_out(twin, info)
    assert env.unwrapped.game.to_record() == before  # type: ignore[attr-defined]
    assert all(map(same, played, play_out(env, info)))
    assert same(env.reset(), twin.reset())


def test_a_pickle_leaves_out_the_tables() -> None:
    env = CribbageEnv()
    env.reset(seed=1)
    assert len(pickle.dumps(env)) < 20_000


def test_copies_before_the_first_reset() -> None:
    twin = copy.deepcopy(CribbageEnv(opponent=Plain()))
    assert same(twin.reset(seed=1), CribbageEnv().reset(seed=1))


def test_environments_in_two_threads_share_no_state() -> None:
    def games(seed: int) -> list[Any]:
        env = CribbageEnv(opponent=["random", Plain("club")])
        trace: list[Any] = []
        for number in range(4):
            _, info = env.reset(seed=seed if number == 0 else None)
            trace += play_out(env, info, seed)
        return trace

    expected = [games(seed) for seed in range(2)]
    found: list[Any] = [None, None]

    def work(seed: int) -> None:
        found[seed] = games(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(expected, found, strict=True):
        assert len(one) == len(other)
        assert all(map(same, one, other))


def test_opponents_of_a_list_are_drawn_for_each_game() -> None:
    env = CribbageEnv(opponent=["random", "greedy", "club"])
    drawn = []
    for number in range(40):
        env.reset(seed=9 if number == 0 else None)
        drawn.append(int(env._lanes.seats[0, 1]))
    assert set(drawn) == {0, 1, 2}
    env.reset(seed=9)
    assert int(env._lanes.seats[0, 1]) == drawn[0]


def test_a_policy_object_goes_through_gymnasium_make() -> None:
    policy = Plain("greedy", "features")
    env = gymnasium.make("Cribbage-v0", opponent=policy)
    _, info = env.reset(seed=3)
    play_out(env, info)
    assert policy.calls
    assert policy.calls[0][0].shape[1] == cribbage_env.observation.size("features")
