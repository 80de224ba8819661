"""PettingZoo: its own checks, and what they don't look at: masks, turns, rewards, copies, leaks."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils.wrappers import AssertOutOfBoundsWrapper, TerminateIllegalWrapper

import cribbage_env
from cribbage_env import CribbageEnv, Game, cribbage_v0
from cribbage_env.game import IllegalActionError
from tests.envs.players import choose, same
from tests.envs.processes import run_python

PLAYERS = ["player_0", "player_1"]

# The two that every environment with dict observations gets, but for a list of PettingZoo's own.
DICT_WARNINGS = {
    "Observation is not a NumPy array",
    (
        "Observation space for each agent probably should be gymnasium.spaces.box or "
        "gymnasium.spaces.discrete"
    ),
}


def steps(env: Any, number: int = 10**6) -> Any:
    """Take legal actions; yield (agent, action) after each."""
    for step in range(number):
        if any(env.terminations.values()):
            return
        agent = env.agent_selection
        action = choose(env.observe(agent)["action_mask"], step)
        env.step(action)
        yield agent, action


# PettingZoo's own checks ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "settings", [{}, {"observation": "features", "reward": "win"}, {"is_one_deal": True}]
)
def test_the_api_test_has_but_the_two_warnings_of_dict_observations(settings: Any) -> None:
    for make in (cribbage_v0.env, cribbage_v0.raw_env):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            api_test(make(**settings), num_cycles=300)
        assert {str(warning.message) for warning in caught} == DICT_WARNINGS


def test_the_seed_test() -> None:
    seed_test(cribbage_v0.env, 500)
    seed_test(lambda: cribbage_v0.env(observation="features", is_one_deal=True), 500)


def test_it_is_in_the_registry_where_the_version_has_one() -> None:
    if not hasattr(pettingzoo, "make"):
        pytest.skip("this version of PettingZoo has no registry")
    env = pettingzoo.make("aec", "cribbage_v0", target=61)
    assert isinstance(env.unwrapped, cribbage_v0.raw_env)
    env.reset(seed=1)
    assert env.unwrapped.game.target == 61
    assert str(env) == "cribbage_v0"


def test_it_is_an_attribute_of_the_package_without_an_import() -> None:
    program = """
import sys, cribbage_env
assert not [name for name in sys.modules if "pettingzoo" in name]
print(cribbage_env.cribbage_v0.env())
"""
    assert run_python(program).strip() == "cribbage_v0"
    with pytest.raises(AttributeError, match="cribbage_v1"):
        cribbage_env.cribbage_v1  # noqa: B018


def test_pettingzoos_wrappers_go_on_top() -> None:
    env = AssertOutOfBoundsWrapper(TerminateIllegalWrapper(cribbage_v0.raw_env(), -1))
    env.reset(seed=1)
    for _ in steps(env, 30):
        pass
    offender = env.agent_selection
    illegal = int(env.observe(offender)["action_mask"].argmin())
    env.step(illegal)
    assert env.rewards[offender] == -1
    assert all(env.terminations.values())


# Masks, turns, infos ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("is_one_deal", [False, True])
def test_it_plays_what_game_and_the_single_environment_play(seed: int, is_one_deal: bool) -> None:
    env = cribbage_v0.raw_env(is_one_deal=is_one_deal)
    single = CribbageEnv(None, is_one_deal=is_one_deal)
    for number in range(2):
        given = seed if number == 0 else None
        env.reset(seed=given)
        observation, info = single.reset(seed=given)
        game = Game(seed, number=number)
        total = 0.0
        for agent, action in steps(env):
            seen = env.observe(agent)  # afterwards: of a seat that may have to wait
            assert seen in env.observation_space(agent)
            assert agent == PLAYERS[info["seat"]]
            observation, reward, is_over, _, info = single.step(action)
            assert env.rewards == {"player_0": reward, "player_1": -reward}
            assert set(env.terminations.values()) == {is_over}
            assert not any(env.truncations.values())
            total += reward
            if not is_one_deal:
                game.step(action)
            if not is_over:
                assert env.agent_selection == PLAYERS[info["seat"]]
                acting = env.observe(env.agent_selection)
                assert (acting["observation"] == observation).all()
                assert (acting["action_mask"] == info["action_mask"]).all()
        assert env.game == single.game
        assert total == env.game.scores[0] - env.game.scores[1]
        if not is_one_deal:
            assert env.game.events == game.events


def test_only_the_agent_to_act_has_legal_actions() -> None:
    env = cribbage_v0.env()
    env.reset(seed=3)
    in_a_row = 0
    last = None
    for agent, _ in steps(env):
        in_a_row += agent == last
        last = agent
        masks = [env.observe(player)["action_mask"] for player in PLAYERS]
        assert [(mask.dtype, mask.shape) for mask in masks] == [(np.int8, (19,))] * 2
        if any(env.terminations.values()):
            break
        acting = PLAYERS.index(env.agent_selection)
        assert np.flatnonzero(masks[acting]).tolist() == env.unwrapped.game.legal_actions()
        assert not masks[1 - acting].any()
    assert not any(mask.any() for mask in masks)
    assert in_a_row > 3  # turns don't strictly alternate


def test_a_seat_goes_on_alone_after_a_go() -> None:
    env = cribbage_v0.env()
    deck = "TC 5C TD 5D TH 5H KC 5S KD AC KH AD 2C"
    env.reset(seed=1, options={"dealer": 1, "deck": deck})
    for words in ("KH KD", "AC AD", "TC", "5C", "TD", "5D"):  # 10 15 25 30, then pone says go
        game = env.unwrapped.game
        assert env.agent_selection == PLAYERS[game.turn]
        hand = game.hand(game.turn)
        deed = "discard" if game.phase == "discard" else "play"
        held = hand if deed == "discard" else game.kept(game.turn)
        env.step(cribbage_env.parse_action(f"{deed} {words}", held))
    kinds = [event.kind for event in env.unwrapped.game.events[-3:]]
    assert kinds == ["play", "go", "last"]
    assert env.agent_selection == "player_0"


def test_arrays_and_infos_are_fresh_and_from_the_agents_side() -> None:
    env = cribbage_v0.raw_env()
    env.reset(seed=4, options={"scores": (40, 30)})
    assert env.infos["player_0"]["scores"].tolist() == [40, 30]
    assert env.infos["player_1"]["scores"].tolist() == [30, 40]
    for _ in steps(env):
        one, other = (env.infos[player] for player in PLAYERS)
        assert one["scores"].tolist() == list(env.game.scores)
        assert one["scores"].tolist() == other["scores"][::-1].tolist()
        first, second = env.observe("player_0"), env.observe("player_0")
        for name in first:
            assert not np.shares_memory(first[name], second[name])
        first["action_mask"][:] = 1
        env.infos["player_0"]["scores"][:] = 7
    assert one["winner"] == other["winner"] == env.game.winner
    assert one["margin"] == -other["margin"] == env.game.scores[0] - env.game.scores[1]
    assert [one["is_success"], other["is_success"]] == [one["winner"] == 0, one["winner"] == 1]
    assert {type(info["is_success"]) for info in (one, other)} == {bool}
    assert one["skunk"] == other["skunk"] == env.game.skunk


# Rewards ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("reward", ["score_diff", "win", "skunk"])
def test_what_each_agent_is_told_adds_up_to_its_result(reward: str) -> None:
    enders = set()
    for seed in range(6):
        env = cribbage_v0.env(reward=reward)
        env.reset(seed=seed)
        told = dict.fromkeys(PLAYERS, 0.0)
        acted = ""
        for number, agent in enumerate(env.agent_iter()):
            observation, gain, is_over, _, _ = env.last()
            told[agent] += gain
            if is_over:
                env.step(None)
            else:
                acted = agent
                env.step(choose(observation["action_mask"], number))
        game = env.unwrapped.game
        enders.add(acted == PLAYERS[game.winner])
        margin = game.scores[0] - game.scores[1]
        expected = {
            "score_diff": margin,
            "win": np.sign(margin),
            "skunk": np.sign(margin) * (1 + game.skunk),
        }[reward]
        assert told == {"player_0": expected, "player_1": -expected}
        assert env.agents == []
    assert enders == {True, False}  # some games ended while the loser acted


# Illegal actions --------------------------------------------------------------------------------


def test_a_forfeit_pays_the_other_agent_and_is_told_to_the_offender_alone() -> None:
    env = cribbage_v0.env(reward="score_diff")
    env.reset(seed=1, options={"dealer": 0, "scores": (30, 50)})
    env.step(18)
    assert env.rewards == {"player_0": 91.0, "player_1": -91.0}  # 30-50 becomes 121-50
    assert all(env.terminations.values())
    assert env.infos["player_1"]["illegal_action"] == 18
    assert "illegal_action" not in env.infos["player_0"]
    assert env.infos["player_0"]["forfeit"]
    assert env.infos["player_0"]["winner"] == 0
    assert env.infos["player_0"]["is_success"]


def test_a_legal_action_is_played_instead_and_the_offender_hears_of_it_at_its_turn() -> None:
    env = cribbage_v0.env(illegal_action="random")
    env.reset(seed=1, options={"dealer": 0})
    env.step(18)  # player_1 is pone
    assert env.agent_selection == "player_0"
    assert "illegal_action" not in env.last()[4]
    env.step(0)
    assert env.agent_selection == "player_1"
    assert env.last()[4]["illegal_action"] == 18
    env.step(int(env.last()[0]["action_mask"].argmax()))
    assert "illegal_action" not in env.infos["player_1"]


def test_a_refused_action_changes_nothing() -> None:
    env = cribbage_v0.env(illegal_action="raise")
    env.reset(seed=1)
    before = env.unwrapped.game.to_record(), env.agent_selection, copy.deepcopy(env.infos)
    for action, error in ((18, IllegalActionError), (19, ValueError), (None, TypeError)):
        with pytest.raises(error):
            env.step(action)
    assert same(
        (env.unwrapped.game.to_record(), env.agent_selection, copy.deepcopy(env.infos)), before
    )


def test_bad_calls_are_named() -> None:
    with pytest.raises(ValueError, match="'points'"):
        cribbage_v0.env(reward="points")
    with pytest.raises(ValueError, match="'svg'"):
        cribbage_v0.env(render_mode="svg")
    env = cribbage_v0.raw_env()
    for call in (lambda: env.step(0), lambda: env.observe("player_0"), lambda: env.game):
        with pytest.raises(ValueError, match="reset"):
            call()
    env.reset(seed=1, options={"options": 1, "dealer": 1})
    assert env.game.dealer == 1
    for options, error in (({"dealer": 2}, ValueError), ("dealer", TypeError)):
        with pytest.raises(error):
            env.reset(options=options)
    assert env.game.seed == 1
    assert env.game.number == 0
    with pytest.raises(ValueError, match="'player_2'"):
        env.observe("player_2")
    for _ in steps(env):
        pass
    with pytest.raises(ValueError, match="None"):
        env.step(3)
    env.step(None)
    env.step(None)
    with pytest.raises(ValueError, match="reset"):
        env.step(None)


# Copies, leaks ----------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [cribbage_v0.env, cribbage_v0.raw_env])
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_keep_the_game(make: Any, duplicate: Any) -> None:
    env = make(observation="features")
    env.reset(seed=8)
    for _ in steps(env, 23):
        pass
    before = env.unwrapped.game.to_record()
    twin = duplicate(env)
    traces: list[list[Any]] = []
    for one in (twin, env):
        trace = []
        for step in steps(one):
            seen = [one.observe(agent) for agent in PLAYERS]
            trace.append((step, seen, dict(one.rewards), copy.deepcopy(one.infos)))
        traces.append(trace)
        if one is twin:
            assert env.unwrapped.game.to_record() == before
    assert same(traces[0], traces[1])
    assert twin.unwrapped.game == env.unwrapped.game


@pytest.mark.parametrize("observation", ["cards", "features"])
def test_nothing_hidden_is_observed(observation: str) -> None:
    """Whatever a seat can't know may change, and nothing that it is told does."""
    env = cribbage_v0.raw_env(observation=observation)
    env.reset(seed=5, options={"scores": (95, 95)})
    changed = decisions = 0
    for _ in steps(env):
        for seat, agent in enumerate(PLAYERS):
            other = copy.deepcopy(env)
            redealt = env.game.redeal_hidden(seat, decisions)
            other._both_seats._game = redealt
            changed += redealt.hand(1 - seat) != env.game.hand(1 - seat)
            decisions += 1
            assert same(other.observe(agent), env.observe(agent))
    assert changed > decisions / 2


# Rendering --------------------------------------------------------------------------------------


def test_text_is_the_table_as_the_agent_to_act_sees_it() -> None:
    env = cribbage_v0.env(render_mode="ansi")
    env.reset(seed=1, options={"dealer": 0})
    assert "your turn: discard two cards" in env.render()
    assert env.render().count("▒▒") == 6
    env.close()


def test_the_render_test_where_there_is_no_display(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It asks for ``"human"`` first, which is then text."""
    monkeypatch.setattr("cribbage_env.rendering.display.may_have_display", lambda: False)
    render_test(cribbage_v0.env)
    assert capsys.readouterr().out.count("your turn") == 9
    env = cribbage_v0.env(render_mode="rgb_array", render_scale=2)
    env.reset(seed=1)
    assert env.render().shape == (1280, 1920, 3)
