"""The champion that is shipped: what its card says, and whether it is still as strong."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from cribbage_env import make_policy
from cribbage_env.bots.network import NetworkPolicy
from cribbage_env.engine.tables import DATA
from cribbage_env.lanes import Lanes
from cribbage_env.match import play_match

CARD: dict[str, Any] = json.loads((DATA / "champion.json").read_text(encoding="utf-8"))


def test_the_card_is_that_of_the_arrays_and_says_where_they_come_from() -> None:
    content = (DATA / "champion.npz").read_bytes()
    assert hashlib.sha256(content).hexdigest() == CARD["sha256"]
    assert len(content) < 3_000_000
    assert CARD["command"].startswith("python train.py ")
    assert set(CARD["versions"]) >= {"cribbage-env", "torch", "sb3-contrib", "numba"}
    assert CARD["decisions"] > 1_000_000
    for opponent in ("random", "greedy", "club", "expert"):
        assert CARD["results"][opponent]["games"] >= 20_000


def test_it_is_an_opponent_like_any_other() -> None:
    champion, plain = make_policy("champion"), make_policy("champion:search=false")
    assert repr(champion) == "make_policy('champion')"
    assert isinstance(plain, NetworkPolicy)
    assert plain is make_policy("champion:search=false")
    env = gym.make("cribbage_env:Cribbage-v0", opponent="champion", target=31)
    _, info = env.reset(seed=1)
    terminated = False
    while not terminated:
        action = int(np.flatnonzero(info["action_mask"])[0])
        _, _, terminated, _, info = env.step(action)
    assert info["winner"] in (0, 1)
    with pytest.raises(ValueError, match="search is true or false, not 3"):
        make_policy("champion:search=3")


def test_the_search_changes_some_plays_and_no_discard() -> None:
    number = 100
    lanes = Lanes(number, [make_policy("club")])
    every = np.arange(number)
    lanes.begin(
        every,
        np.full(number, 3, np.uint64),
        every,
        np.full(number, -1),
        np.full((number, 2), 90),
        121,
    )
    plain, searching = make_policy("champion:search=false"), make_policy("champion")
    alike, decisions = 0, 0
    for _ in range(12):
        lanes.play_on()
        turns = lanes.states["turn"].astype(np.int64)
        waiting = np.flatnonzero(turns >= 0)
        answers = []
        for player in (plain, searching):
            seen = lanes.observe(waiting, turns[waiting], player.observation)
            answers.append(player.act(*seen))
            assert seen[1][np.arange(len(waiting)), answers[-1]].all()
        is_discard = answers[0] < 15
        assert (answers[0] == answers[1])[is_discard].all()
        alike += int((answers[0] == answers[1]).sum())
        decisions += len(waiting)
        actions = np.full(number, -1)
        actions[waiting] = answers[0]
        lanes.step(actions)
    assert 0.85 < alike / decisions < 1


def test_it_beats_greedy_clearly_in_a_few_games() -> None:
    match = play_match("champion", "greedy", games=600, seed=11)
    assert match.win_rate_a > 0.68


@pytest.mark.slow
@pytest.mark.parametrize("opponent", ["random", "greedy", "club", "expert"])
def test_it_is_as_strong_as_its_card_says(opponent: str) -> None:
    match = play_match("champion", opponent, games=6000, seed=987_654)
    said = CARD["results"][opponent]
    _, high = match.interval
    assert high >= said["interval"][0], f"{match.win_rate_a:.3f}, not {said['win_rate']:.3f}"
