"""Who sits in a seat of RLlib's: nobody acts illegally, and a policy stays what it is."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import numpy as np
import pytest

pytest.importorskip("ray")

import torch
from ray.rllib.core.columns import Columns

from agents.ppo.config import Config
from agents.ppo.export import policy_files
from agents.rllib.modules import LearnerModule, PastSelfModule, ScriptedModule
from agents.rllib.selfplay import seat_by_game
from cribbage_env import make_policy
from cribbage_env.rllib import AGENTS, CribbageMultiAgentEnv

SPACES = CribbageMultiAgentEnv(observation="features")
CONFIG = Config(
    engine="rllib",
    observation="features",
    opponent=("self", "club"),
    state_layers=(32, 16),
    action_layers=(16,),
    value_layers=(8,),
)


def positions(number: int) -> dict[str, Any]:
    """Return what is seen before decisions of several games, as a batch of RLlib's."""
    rng = np.random.default_rng(5)
    env = CribbageMultiAgentEnv(observation="features")
    rows = []
    while len(rows) < number:
        observations, _ = env.reset(seed=len(rows))
        is_over = False
        while not is_over:
            ((agent, seen),) = observations.items()
            rows.append(seen)
            action = rng.choice(np.flatnonzero(seen["action_mask"]))
            observations, _, terminateds, _, _ = env.step({agent: action})
            is_over = terminateds["__all__"]
        rows.append(observations["player_0"])  # after the end, without a legal action
    return {
        Columns.OBS: {
            name: torch.from_numpy(np.stack([row[name] for row in rows])) for name in rows[0]
        }
    }


def make(kind: Any, **settings: Any) -> Any:
    return kind(
        observation_space=SPACES.observation_spaces["player_0"],
        action_space=SPACES.action_spaces["player_0"],
        model_config=settings,
    )


def make_learner(kind: Any = LearnerModule) -> Any:
    torch.manual_seed(1)
    layers = {"state_layers": CONFIG.state_layers, "action_layers": CONFIG.action_layers}
    return make(kind, observation="features", value_layers=CONFIG.value_layers, **layers)


@pytest.mark.parametrize("way", ["exploration", "inference", "train"])
def test_an_illegal_action_has_no_chance(way: str) -> None:
    learner, batch = make_learner(), positions(300)
    logits = getattr(learner, f"forward_{way}")(batch)[Columns.ACTION_DIST_INPUTS]
    masks = batch[Columns.OBS]["action_mask"].bool()
    assert torch.isfinite(logits).all()
    distribution = learner.get_exploration_action_dist_cls().from_logits(logits)
    rows = masks.any(1)
    chances = torch.softmax(logits, 1)
    assert (chances[rows][~masks[rows]] == 0).all()
    assert (chances[masks] > 0).all()
    for _ in range(20):
        actions = distribution.sample()[rows]
        assert masks[rows].gather(1, actions[:, None]).all()


def test_gradients_stay_finite_where_no_action_is_legal() -> None:
    learner, batch = make_learner(), positions(100)
    logits = learner.forward_train(batch)[Columns.ACTION_DIST_INPUTS]
    distribution = learner.get_train_action_dist_cls().from_logits(logits)
    actions = logits.argmax(1)
    values = learner.compute_values(batch)
    assert values.shape == (len(logits),)
    (distribution.logp(actions).sum() + distribution.entropy().sum() + values.sum()).backward()
    assert all(torch.isfinite(weight.grad).all() for weight in learner.parameters())


def test_the_exported_policy_chooses_as_the_module(tmp_path: Path) -> None:
    learner, batch = make_learner(), positions(400)
    for name, content in policy_files(learner.policy_network, CONFIG, {"decisions": 0}).items():
        (tmp_path / name).write_bytes(content)
    player = make_policy(f"ppo:{tmp_path}")
    seen = {name: tensor.numpy() for name, tensor in batch[Columns.OBS].items()}
    rows = seen["action_mask"].any(1)
    chosen = player.act(
        seen["observations"][rows], seen["action_mask"][rows], np.zeros(rows.sum(), np.uint64)
    )
    logits = learner.forward_inference(batch)[Columns.ACTION_DIST_INPUTS]
    assert (chosen == logits.argmax(1).numpy()[rows]).all()


def test_a_past_self_takes_the_learners_weights() -> None:
    learner, past, batch = make_learner(), make_learner(PastSelfModule), positions(50)
    state = learner.state_dict()
    past.load_state_dict({name: state[name] for name in past.state_dict()})
    expected = learner.forward_inference(batch)[Columns.ACTION_DIST_INPUTS]
    assert torch.equal(past.forward_inference(batch)[Columns.ACTION_DIST_INPUTS], expected)


@pytest.mark.parametrize("name", ["random", "greedy", "club"])
def test_scripted_players_play_as_they_do(name: str) -> None:
    module, batch = make(ScriptedModule, player=name), positions(200)
    rows = batch[Columns.OBS]["action_mask"].any(1)
    batch[Columns.OBS] = {what: tensor[rows] for what, tensor in batch[Columns.OBS].items()}
    actions = module.forward_exploration(batch)[Columns.ACTIONS]
    again = module.forward_inference(batch)[Columns.ACTIONS]
    assert (actions == again).all()
    assert batch[Columns.OBS]["action_mask"].numpy()[np.arange(len(actions)), actions].all()
    with pytest.raises(NotImplementedError, match="doesn't learn"):
        module.forward_train(batch)


def test_a_player_that_reads_more_than_the_learner_is_refused() -> None:
    spaces = CribbageMultiAgentEnv()
    with pytest.raises(ValueError, match="champion reads 'features' observations"):
        ScriptedModule(
            observation_space=spaces.observation_spaces["player_0"],
            action_space=spaces.action_spaces["player_0"],
            model_config={"player": "champion"},
        )


def test_who_sits_where() -> None:
    opponents = ("self", "pool", "club", "club")
    seated = seat_by_game(opponents)
    tables: Counter[tuple[str, ...]] = Counter()
    for number in range(4000):
        game = SimpleNamespace(id_=UUID(int=number**7).hex)
        tables[tuple(seated(agent, game) for agent in AGENTS)] += 1
    assert tables["learner", "learner"] == pytest.approx(1000, rel=0.15)
    for name, number in (("past_3", 125), ("past_0", 125), ("scripted_2", 500)):
        assert tables["learner", name] == pytest.approx(number, rel=0.35)
        assert tables[name, "learner"] == pytest.approx(number, rel=0.35)
    assert len(tables) == 1 + 2 * (4 + 2)
