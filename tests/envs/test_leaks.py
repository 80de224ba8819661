"""Nothing hidden leaks: what a seat can't know may change, and nothing that it is told does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env import CribbageEnv, CribbageVectorEnv, Game, make_policy, opponent_names
from cribbage_env.engine.layout import STATE
from cribbage_env.lanes import Lanes
from cribbage_env.observation import KINDS
from tests.envs.players import choose, same

DEALS = 12
REDEALS = 3


def decisions(seed: int, scores: tuple[int, int], target: int = 121) -> list[Game]:
    """Return the game at every decision of a deal, and at its end if the game is won in it."""
    game = Game(seed, scores=scores, target=target)
    met = []
    while game.deals == 1 and not game.is_over:
        met.append(game.copy())
        game.step(choose(game.action_mask(), seed + len(met)))
    return [*met, game] if game.is_over else met


def told(game: Game, seat: int, kind: str) -> list[NDArray[Any]]:
    """Return the observation and the mask of a seat."""
    lanes = Lanes(1)
    lanes.states = game.state.copy()
    observations, masks, _ = lanes.observe(np.zeros(1, np.int64), np.array([seat]), kind)
    return [observations, masks]


POSITIONS = [
    game
    for seed in range(DEALS)
    for game in decisions(seed, (110, 112) if seed % 3 == 0 else (0, 20 * (seed % 3)))
]


@pytest.mark.parametrize("seat", [0, 1])
def test_redealing_changes_what_is_hidden(seat: int) -> None:
    """The other tests would pass in vain if the redeal changed nothing."""
    changed = 0
    for number, game in enumerate(POSITIONS):
        other = game.redeal_hidden(seat, number)
        assert other.hand(seat) == game.hand(seat)
        assert other.scores == game.scores
        changed += other.hand(1 - seat) != game.hand(1 - seat)
    assert changed > 0.8 * len(POSITIONS)


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_observations_and_masks_of_both_seats_tell_nothing_hidden(seat: int, kind: str) -> None:
    for number, game in enumerate(POSITIONS):
        expected = told(game, seat, kind)
        for redeal in range(REDEALS):
            assert same(
                told(game.redeal_hidden(seat, number + 1000 * redeal), seat, kind), expected
            )


def placed(game: Game, **settings: Any) -> tuple[CribbageEnv, CribbageVectorEnv]:
    """Return both environments with this game in progress."""
    env = CribbageEnv(**settings)
    env.reset(seed=0)
    env._game = game.copy()
    env._lanes.states = env.game.state
    env._margins[0] = game.scores[0] - game.scores[1]
    envs = CribbageVectorEnv(1, **settings)
    envs.reset(seed=0)
    envs.lanes.states[:] = game.state
    envs._margins[0] = game.scores[0] - game.scores[1]
    return env, envs


@pytest.mark.parametrize("kind", KINDS)
def test_every_answer_of_an_environment_tells_nothing_hidden(kind: str) -> None:
    for number, game in enumerate(POSITIONS):
        seat = 0 if game.turn is None else game.turn
        answers = []
        for redeal in range(REDEALS):
            hidden = game if redeal == 0 else game.redeal_hidden(seat, number + 1000 * redeal)
            env, envs = placed(hidden, opponent=None, observation=kind)
            _, masks, _, terminated = envs._report()
            answers.append((env._report(), envs._report(), envs._infos(masks, terminated)))
        assert all(same(answer, answers[0]) for answer in answers)


@pytest.mark.parametrize("name", opponent_names())
def test_every_registered_player_chooses_the_same_whatever_is_hidden(name: str) -> None:
    policy = make_policy(name)
    games = [game for game in POSITIONS if game.turn is not None]
    keys = np.arange(len(games), dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    chosen = []
    for redeal in range(REDEALS):
        lanes = Lanes(len(games))
        lanes.states = np.concatenate(
            [
                game.state if redeal == 0 else game.redeal_hidden(int(game.turn or 0), redeal).state
                for game in games
            ]
        )
        seats = lanes.states["turn"].astype(np.int64)
        observations, masks, _ = lanes.observe(np.arange(len(games)), seats, policy.observation)
        chosen.append(policy.act(observations, masks, keys).tolist())
    assert chosen[0] == chosen[1] == chosen[2]


@pytest.mark.parametrize("name", opponent_names())
def test_a_player_inside_the_kernel_chooses_the_same_whatever_is_hidden(name: str) -> None:
    for number, game in enumerate(POSITIONS):
        if game.turn is None:
            continue
        firsts = set()
        for redeal in range(REDEALS):
            hidden = game if redeal == 0 else game.redeal_hidden(game.turn, number + redeal)
            lanes = Lanes(1, [make_policy(name)], is_one_deal=True)
            lanes.states = hidden.state.copy()
            lanes.states["seed"] = game.state["seed"]  # keys come from the seed
            lanes.seats[0, game.turn] = 0
            lanes.play_on()
            firsts.add(first_move(hidden.state, lanes.states, game.turn))
        assert len(firsts) == 1


def first_move(before: NDArray[Any], after: NDArray[Any], seat: int) -> tuple[int, ...]:
    """Return the cards that a seat threw or laid first between two states of one deal."""
    if before["discards"][0, seat, 0] < 0:
        return tuple(after["discards"][0, seat].tolist())
    place = int(before["plays_made"][0])
    assert after["play_seats"][0, place] == seat
    return (int(after["plays"][0, place]),)


def test_the_last_answer_of_a_game_won_in_the_play_tells_nothing_hidden() -> None:
    met = 0
    for seed in range(120):
        env = CribbageEnv(opponent="greedy")
        _, info = env.reset(seed=seed, options={"scores": (118, 119)})
        answer: Any = None
        while info["phase"] != "over":
            answer = env.step(choose(info["action_mask"], seed))
            info = answer[4]
        if not env.game.hand(1):
            continue
        met += 1
        give_other_cards(env.game)
        env._margins[0] -= int(answer[1])
        assert same(env._report(), (*answer[:3], info))
        arrays = {name for name, value in info.items() if np.ndim(value) > 0}
        assert arrays == {"action_mask", "scores"}
    assert met > 30


def give_other_cards(game: Game) -> None:
    """Change the cards that seat 1 still holds, and those it threw, in a game that is over."""
    lane = game.state[0]
    held = lane["held"][1] == 1
    seen = {*lane["dealt"].ravel().tolist(), *lane["plays"].tolist(), int(lane["starter"])}
    unseen = [card for card in range(52) if card not in seen]
    lane["kept"][1, held] = unseen[: int(held.sum())]
    lane["discards"][1] = unseen[-2:]
    lane["dealt"][1] = sorted([*lane["kept"][1].tolist(), *unseen[-2:]])


def test_a_forfeit_before_the_cut_reveals_no_starter() -> None:
    for dealer in (0, 1):
        answers = []
        for starter in ("KC", "JH"):
            deck = f"AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC {starter}"
            env = CribbageEnv(opponent="random")
            env.reset(seed=1, options={"dealer": dealer, "deck": deck})
            answers.append(env.step(18))
        assert same(answers[0], answers[1])


def test_no_field_of_the_state_is_in_an_info() -> None:
    env = CribbageEnv()
    _, info = env.reset(seed=1)
    assert not {"dealt", "kept", "starter", "discards", "seed"} & info.keys()
    assert STATE.names is not None
    assert set(STATE.names) & info.keys() == {"scores", "dealer", "phase"}
