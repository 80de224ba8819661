"""Players by name: the registry, options in the text, a user's own, and what they are handed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cribbage_env import (
    CribbageEnv,
    CribbageVectorEnv,
    Policy,
    make_policy,
    opponent_names,
    register_opponent,
)
from cribbage_env.bots import CompiledPolicy
from cribbage_env.engine.chance import decision_key, stream_of
from cribbage_env.policy import parse_options, unregister_opponent


class Lowest:
    """Takes the lowest legal action."""

    def __init__(self, observation: str = "cards", bonus: float = 0, name: str = "") -> None:
        self.observation = observation
        self.bonus = bonus
        self.name = name
        self.keys: list[int] = []

    def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
        self.keys += [int(key) for key in keys]
        return action_masks.argmax(axis=1)


NOT_CALLABLE = 3


def broken() -> Any:
    return "no policy"


@pytest.fixture
def registered() -> Iterator[str]:
    register_opponent("lowest", Lowest)
    yield "lowest"
    unregister_opponent("lowest")


# ---- names -----------------------------------------------------------------------------------


def test_the_scripted_players_are_registered_weakest_first() -> None:
    names = opponent_names()
    assert names[:3] == ["random", "greedy", "club"]
    assert "peek" not in names
    for name in names:
        policy = make_policy(name)
        assert isinstance(policy, Policy)
        assert policy.observation in ("cards", "features", "lookahead")


@pytest.mark.parametrize("name", ["random", "greedy", "club"])
def test_compiled_players_have_a_kernel_and_act(name: str) -> None:
    policy = make_policy(name)
    assert isinstance(policy, CompiledPolicy)
    assert repr(policy) == f"CompiledPolicy({name!r})"
    assert make_policy(policy) is policy
    assert make_policy(f"{name}:") is not policy


def test_a_registered_name_is_known_wherever_a_player_is_asked_for(registered: str) -> None:
    assert opponent_names()[-1] == "lowest"
    policy = make_policy("lowest:observation=features,bonus=2")
    assert isinstance(policy, Lowest)
    assert (policy.observation, policy.bonus) == ("features", 2)
    for opponent in ("lowest", "lowest:bonus=1.5", ["greedy", "lowest"]):
        env = CribbageEnv(opponent=opponent, target=31)
        _, info = env.reset(seed=1)
        while info["phase"] != "over":
            *_, info = env.step(int(info["action_mask"].argmax()))
        CribbageVectorEnv(3, opponent=opponent).reset(seed=1)


@pytest.mark.parametrize("name", ["", "two words", "a:b", "a,b", "tab\t"])
def test_names_that_could_not_be_read_back_are_refused(name: str) -> None:
    before = opponent_names()
    with pytest.raises(ValueError, match="colon, comma or blank"):
        register_opponent(name, Lowest)
    assert opponent_names() == before


def test_what_is_refused_at_registration(registered: str) -> None:
    before = opponent_names()
    for name in ("greedy", "lowest", "ppo"):
        with pytest.raises(ValueError, match=f"'{name}' is taken"):
            register_opponent(name, Lowest)
    with pytest.raises(TypeError, match="3"):
        register_opponent(3, Lowest)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="'Lowest'"):
        register_opponent("mine", "Lowest")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no opponent 'mine'"):
        unregister_opponent("mine")
    assert opponent_names() == before


# ---- options ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("", {}),
        ("lookahead=2", {"lookahead": 2}),
        ("lookahead=2,score_aware=false", {"lookahead": 2, "score_aware": False}),
        ("a=True,b=FALSE", {"a": True, "b": False}),
        ("a=1.5,b=-3,c=1e3", {"a": 1.5, "b": -3, "c": 1000.0}),
        (" a = x , b = y ", {"a": "x", "b": "y"}),
        ("path=runs/a=b", {"path": "runs/a=b"}),
    ],
)
def test_options_are_read_as_bools_numbers_and_texts(text: str, options: dict[str, Any]) -> None:
    found = parse_options("player", text)
    assert found == options
    assert [type(value) for value in found.values()] == [type(v) for v in options.values()]


@pytest.mark.parametrize("text", ["x", "=1", "x=", "1x=2", "a b=1", ",", "x=1,", "x=1,,y=2"])
def test_options_of_another_form_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"'lowest:.*name=value"):
        parse_options("lowest:" + text, text)


def test_options_that_a_player_does_not_have_are_refused(registered: str) -> None:
    with pytest.raises(ValueError, match=r"'greedy:depth=3'.*its options are: none"):
        make_policy("greedy:depth=3")
    with pytest.raises(ValueError, match=r"'lowest:depth=3'.*observation, bonus, name"):
        make_policy("lowest:depth=3")
    with pytest.raises(ValueError, match="'bonus' is given twice"):
        make_policy("lowest:bonus=3,bonus=4")


# ---- a user's own ----------------------------------------------------------------------------


def test_a_users_own_factory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_players.py").write_text(
        "class Lowest:\n"
        "    observation = 'cards'\n"
        "    def act(self, observations, action_masks, keys):\n"
        "        return action_masks.argmax(axis=1)\n"
        "def make():\n"
        "    return Lowest()\n"
        "def needs(depth):\n"
        "    return Lowest()\n"
        "nothing = 3\n"
        "def fails():\n"
        "    raise RuntimeError('the file of weights is gone')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("my_players:make", "my_players:Lowest"):
        assert type(make_policy(name)).__name__ == "Lowest"
        CribbageEnv(opponent=name).reset(seed=1)
    with pytest.raises(ValueError, match="no function 'absent'"):
        make_policy("my_players:absent")
    with pytest.raises(ValueError, match="no function 'nothing'"):
        make_policy("my_players:nothing")
    with pytest.raises(ValueError, match="depth"):
        make_policy("my_players:needs")
    with pytest.raises(RuntimeError, match="the file of weights is gone"):
        make_policy("my_players:fails")


@pytest.mark.parametrize(
    "name", ["no_such_module:make", "cribbage_env.none:make", "greedi", ":x", ".a:b", "a.:b"]
)
def test_unknown_players_are_named_with_what_is_known(name: str) -> None:
    with pytest.raises(ValueError, match=rf"unknown player '{name}'; known are random, greedy"):
        make_policy(name)


def test_what_is_no_policy_is_refused() -> None:
    class NoAct:
        observation = "cards"

    for thing in (None, 3, NoAct(), Lowest, object(), b"greedy"):
        with pytest.raises(TypeError, match="is no player"):
            make_policy(thing)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="reads the observation 'pixels'"):
        make_policy(Lowest("pixels"))
    register_opponent("broken", broken)
    try:
        with pytest.raises(TypeError, match="broken is no player"):
            make_policy("broken")
    finally:
        unregister_opponent("broken")


# ---- what a policy is handed -----------------------------------------------------------------


def test_keys_depend_on_seed_game_deal_seat_and_decision_alone() -> None:
    def keys(action: int, **settings: Any) -> list[int]:
        """Return the keys of the first decisions of games in which the learner throws `action`."""
        player = Lowest()
        env = CribbageEnv(opponent=player, **settings)
        for seed in (3, None, 4):
            env.reset(seed=seed, options={"dealer": 0, "scores": (action, 0)})
            env.step(action)
        return player.keys

    first = [int(decision_key(np.uint64(s), game, 1, 1, 0)) for s, game in ((3, 0), (3, 1), (4, 0))]
    for action in (0, 7, 14):
        for settings in ({}, {"target": 61}, {"observation": "features"}, {"reward": "win"}):
            found = keys(action, **settings)
            assert [key for key in found if key in first] == first
            assert len(set(found)) == len(found)


def test_keys_are_not_the_streams_that_cards_come_from() -> None:
    keys = {
        int(decision_key(np.uint64(seed), game, deal, seat, decision))
        for seed in range(4)
        for game in range(3)
        for deal in range(1, 4)
        for seat in range(2)
        for decision in range(5)
    }
    streams = {
        int(stream_of(np.uint64(seed), game, deal))
        for seed in range(4)
        for game in range(3)
        for deal in range(4)
    }
    assert len(keys) == 4 * 3 * 3 * 2 * 5
    assert not keys & streams


def test_an_illegal_policy_is_named() -> None:
    class Stubborn(Lowest):
        def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
            return np.full(len(keys), 18)

        def __repr__(self) -> str:
            return "Stubborn()"

    with pytest.raises(ValueError, match=r"Stubborn\(\) chose the illegal action 18; legal were"):
        CribbageEnv(opponent=Stubborn()).reset(seed=1, options={"dealer": 0})
    with pytest.raises(ValueError, match=r"Stubborn\(\) chose the illegal action 18; legal were"):
        CribbageVectorEnv(4, opponent=Stubborn()).reset(seed=1)
