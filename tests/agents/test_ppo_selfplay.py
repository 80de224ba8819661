"""Self-play, deal by deal: whose decisions are learnt from, the pool, and how games are counted."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from agents.ppo.config import Config
from agents.ppo.deals import DealsBuffer
from agents.ppo.export import player_of
from agents.ppo.network import CandidatePolicy, PolicyNetwork
from agents.ppo.selfplay import POOL_SIZE, Decisions, PastSelf, SelfPlayGames
from cribbage_env.lanes import CALLER
from tests.networks import random_policy

SMALL = Config(
    observation="features",
    credit="win",
    opponent=("self", "club"),
    num_envs=48,
    num_deals=1,
    state_layers=(16,),
    action_layers=(8,),
    value_layers=(8,),
    threads=1,
)


@pytest.fixture(autouse=True)
def _global_random_numbers_stay() -> Iterator[None]:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        yield


def games_for(config: Config, seed: int = 1) -> SelfPlayGames:
    games = SelfPlayGames(config)
    games.begin(seed)
    return games


def play(games: SelfPlayGames, policy: CandidatePolicy, deals: int, seed: int = 0) -> Decisions:
    """Collect deals with the same random numbers at each call."""
    torch.manual_seed(seed)
    return games.collect(policy, deals)


def same(a: Decisions, b: Decisions) -> bool:
    return all(getattr(a, name).tobytes() == getattr(b, name).tobytes() for name in vars(a))


def test_decisions_have_a_choice_and_what_was_chosen_is_legal() -> None:
    decisions = play(games_for(SMALL), random_policy(SMALL, scale=100), 4)
    choices = decisions.masks.sum(axis=1)
    assert choices.min() == 2
    assert decisions.masks[np.arange(len(choices)), decisions.actions].all()
    is_discard = decisions.actions < 15
    assert (choices[is_discard] == 15).all()
    assert (choices[~is_discard] <= 4).all()
    assert np.isfinite(decisions.advantages).all()
    assert np.isfinite(decisions.returns).all()
    assert 0 < np.exp(decisions.log_probs).min() <= np.exp(decisions.log_probs).max() <= 1 + 1e-6


def test_both_seats_of_the_learner_decide_and_the_opponents_never_does() -> None:
    games, policy = games_for(SMALL), random_policy(SMALL, scale=100)
    for deal in range(6):
        is_self = games.opponent_of == 0
        assert 0 < is_self.sum() < len(is_self)
        decisions = play(games, policy, 1, seed=deal)
        for seat in (0, 1):
            rows = (decisions.seats == seat) & (decisions.actions < 15)
            discards = np.bincount(decisions.lanes[rows], minlength=SMALL.num_envs)
            # Each seat of the learner discards once a deal, and the opponent's not at all.
            assert (discards == (is_self if seat else 1)).all()
        assert is_self[decisions.lanes[decisions.seats == 1]].all()


def test_the_score_of_a_decision_is_the_own_one_first() -> None:
    games, policy = games_for(SMALL), random_policy(SMALL, scale=100)
    play(games, policy, 3)
    scores = games.lanes.states["scores"].astype(np.int64)
    decisions = play(games, policy, 1)
    is_discard = decisions.actions < 15
    lanes, seats = decisions.lanes[is_discard], decisions.seats[is_discard]
    expected = np.stack([scores[lanes, seats], scores[lanes, 1 - seats]], axis=1)
    assert (decisions.scores[is_discard] == expected).all()
    assert (expected[:, 0] != expected[:, 1]).any()


@pytest.mark.parametrize("observation", ["features", "lookahead"])
def test_a_past_self_chooses_as_the_exported_player(observation: str) -> None:
    config = dataclasses.replace(SMALL, observation=observation)
    network = random_policy(config, seed=3, scale=100).policy_network
    decisions = play(games_for(config), random_policy(config, scale=100), 6)
    observations, masks = decisions.observations, decisions.masks.astype(np.int8)
    keys = np.zeros(len(masks), np.uint64)
    with torch.no_grad():
        logits = network(torch.from_numpy(observations)).numpy()
    ordered = np.sort(np.where(masks == 1, logits, -np.inf), axis=1)
    is_clear = ordered[:, -1] - ordered[:, -2] > 1e-4
    assert is_clear.mean() > 0.9
    choices = PastSelf(network, observation).act(observations, masks, keys)
    exported = player_of(network, config).act(observations, masks, keys)
    assert (choices == exported)[is_clear].all()
    assert masks[np.arange(len(masks)), choices].all()
    assert len(np.unique(choices)) > 6


def recorded(games: SelfPlayGames) -> Counter[tuple[str, bool]]:
    """Return what will count the games that end, by the opponent's name and who won."""
    found: Counter[tuple[str, bool]] = Counter()
    begin = games._begin

    def begin_and_count(lanes: Any, seeds: Any, numbers: Any) -> None:
        for lane in lanes:
            name = games.opponents[games.opponent_of[lane]]
            found[name, bool(games.lanes.states["winner"][lane] == 0)] += 1
        begin(lanes, seeds, numbers)

    games._begin = begin_and_count  # type: ignore[method-assign]
    return found


def test_the_games_against_each_opponent_are_counted() -> None:
    config = dataclasses.replace(SMALL, opponent=("self", "club", "self", "random", "club"))
    games, policy = games_for(config), random_policy(config, scale=100)
    found = recorded(games)
    play(games, policy, 24)
    results = games.take_results()
    assert set(results) == {"self", "club", "random"}
    for name, (number, rate) in results.items():
        assert number == found[name, True] + found[name, False] > 5
        assert rate == pytest.approx(found[name, True] / number)
    assert results["random"][1] > results["club"][1]
    assert games.take_results() == {}


def test_equal_names_add_up() -> None:
    games = games_for(dataclasses.replace(SMALL, opponent=("self", "club", "self", "random")))
    games.results[:] = [[4, 1], [2, 2], [6, 3], [0, 0]]
    assert games.take_results() == {"self": (10, 0.4), "club": (2, 1.0)}
    assert not games.results.any()


def weights_of(network: PolicyNetwork) -> NDArray[np.float32]:
    return np.concatenate([tensor.numpy().ravel() for tensor in network.state_dict().values()])


def test_the_pool_keeps_the_newest_selves_as_they_were() -> None:
    config = dataclasses.replace(SMALL, opponent=("self", "pool"))
    games = games_for(config)
    networks = [
        random_policy(config, seed, scale=100).policy_network for seed in range(POOL_SIZE + 2)
    ]
    kept = [weights_of(network) for network in networks[2:]]
    for network in networks:
        games.add_to_pool(network)
        assert len(games.pool) <= POOL_SIZE
        with torch.no_grad():
            network.state_logits.bias += 1
    for past, weights in zip(games.pool, kept, strict=True):
        assert (weights_of(past.network) == weights).all()


def test_past_selves_are_seated_as_soon_as_there_are_any() -> None:
    config = dataclasses.replace(SMALL, opponent=("self", "pool", "club", "pool"))
    games, policy = games_for(config), random_policy(config, scale=100)
    in_pool = np.isin(games.opponent_of, (1, 3))
    assert len(np.unique(games.opponent_of)) == 4
    assert (games.lanes.seats[in_pool, 1] == CALLER).all()
    play(games, policy, 16)
    assert set(games.take_results()) == {"self", "club"}  # against itself it plays no past self
    for seed in range(2):
        games.add_to_pool(random_policy(config, seed, scale=100).policy_network)
    games.begin(5)
    seats = games.lanes.seats
    assert (seats[:, 0] == CALLER).all()
    for opponent, players in ((0, {CALLER}), (1, {1, 2}), (2, {0}), (3, {1, 2})):
        assert set(seats[games.opponent_of == opponent, 1].tolist()) == players
    assert games.lanes.players[1:] == games.pool
    play(games, policy, 16)
    assert set(games.take_results()) == {"self", "club", "pool"}


def test_advantages_of_discards_and_plays_are_normalised_apart() -> None:
    decisions = play(games_for(SMALL), random_policy(SMALL, scale=100), 3)
    is_discard = decisions.actions < 15
    decisions.advantages[is_discard] = decisions.advantages[is_discard] * 7 + 3
    before = decisions.advantages.copy()
    buffer = DealsBuffer()
    buffer.fill(decisions)
    (batch,) = buffer.get(len(before))
    actions = batch.actions.numpy()
    for rows in (actions < 15, actions >= 15):
        advantages = batch.advantages.numpy()[rows]
        assert advantages.mean() == pytest.approx(0, abs=1e-5)
        assert advantages.std() == pytest.approx(1, abs=1e-4)
    assert (decisions.advantages == before).all()
    assert (buffer.returns == decisions.returns).all()


def test_minibatches_hold_every_decision_once() -> None:
    decisions = play(games_for(SMALL), random_policy(SMALL, scale=100), 2)
    buffer = DealsBuffer()
    buffer.fill(decisions)
    batches = list(buffer.get(100))
    assert all(len(batch.actions) == 100 for batch in batches[:-1])
    returns = torch.cat([batch.returns for batch in batches]).numpy()
    assert not (returns == decisions.returns).all()
    assert (np.sort(returns) == np.sort(decisions.returns)).all()
    for batch in batches:
        assert batch.action_masks[torch.arange(len(batch.actions)), batch.actions].all()


@pytest.mark.parametrize("threads", [2, 3])
def test_several_threads_observe_what_one_does(threads: int) -> None:
    policy = random_policy(SMALL, scale=100)
    one = play(games_for(SMALL), policy, 2)
    several = play(games_for(dataclasses.replace(SMALL, threads=threads)), policy, 2)
    assert same(one, several)


def test_games_go_on_from_what_was_kept() -> None:
    config = dataclasses.replace(SMALL, opponent=("self", "pool", "club"))
    games, policy = games_for(config), random_policy(config, scale=100)
    for seed in range(2):  # so that some game goes on against the pool as it was before
        games.add_to_pool(random_policy(config, seed, scale=100).policy_network)
        play(games, policy, 6, seed)
    kept = games.in_progress()
    again = SelfPlayGames(config)
    again.go_on_with({name: array.copy() for name, array in kept.items()})
    assert kept.keys() == again.in_progress().keys()
    assert same(play(games, policy, 6), play(again, policy, 6))
    assert games.take_results() == again.take_results() != {}


def test_games_of_another_number_are_refused() -> None:
    kept = games_for(SMALL).in_progress()
    games = SelfPlayGames(dataclasses.replace(SMALL, num_envs=16))
    with pytest.raises(ValueError, match="48 of another engine or number; 16 of this one"):
        games.go_on_with(kept)


def test_single_steps_are_refused() -> None:
    games = games_for(SMALL)
    assert games.reset().shape == (SMALL.num_envs, 1)
    with pytest.raises(NotImplementedError, match="played deal by deal"):
        games.step(np.zeros(SMALL.num_envs, np.int64))
    assert not any(games.env_is_wrapped(object))
    assert games.get_attr("render_mode") == [None] * SMALL.num_envs
    games.close()
