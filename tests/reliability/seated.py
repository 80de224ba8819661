"""What the machines of the environments share: settings to draw, and what an answer must fulfil."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies

from cribbage_env import CribbageEnv
from cribbage_env.game import Game
from cribbage_env.lanes import Lanes
from cribbage_env.observation import KINDS
from tests.envs.players import Keyed, Plain
from tests.reliability.drawn import SEATS, scores_below
from tests.umpire import Umpire

REWARDS = strategies.sampled_from(("score_diff", "win", "skunk"))
OBSERVATIONS = strategies.sampled_from(("cards", "cards", "features"))
MODES = strategies.sampled_from(("forfeit", "random", "raise"))
TARGETS = strategies.sampled_from((121, 61, 31, 9, 1))


class Balky:
    """A player that may be told to fail; it plays like `random` otherwise."""

    observation = "cards"

    def __init__(self) -> None:
        self.fails = False
        self.inner = Plain("random")

    def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
        if self.fails:
            raise RuntimeError("told to fail")
        return self.inner.act(observations, action_masks, keys)


OPPONENTS = strategies.sampled_from(
    (
        lambda: None,
        lambda: "random",
        lambda: "greedy",
        lambda: ["random", "club", Keyed()],
        Balky,
    )
)


@strategies.composite
def environment_settings(draw: Any) -> dict[str, Any]:
    """Draw the arguments of an environment."""
    return {
        "opponent": draw(OPPONENTS)(),
        "target": draw(TARGETS),
        "reward": draw(REWARDS),
        "observation": draw(OBSERVATIONS),
        "illegal_action": draw(MODES),
        "is_one_deal": draw(strategies.sampled_from((False, False, True))),
    }


@strategies.composite
def reset_options(draw: Any, target: int) -> dict[str, Any] | None:
    """Draw the options of a reset."""
    options: dict[str, Any] = {}
    if draw(strategies.booleans()):
        options["dealer"] = draw(SEATS | strategies.none())
    if draw(strategies.booleans()):
        options["scores"] = draw(scores_below(target))
    if draw(strategies.sampled_from((False, False, True))):
        options["deck"] = draw(strategies.permutations(range(52)))[:13]
    return options or None


def check_observation(env: CribbageEnv, observation: Any, game: Game, seat: int) -> None:
    """Check that an observation is in its space and follows from the game.

    The game is read again from its record: nothing but the game decides what is seen.
    """
    assert observation in env.observation_space
    lanes = Lanes(1)
    lanes.states = Game.from_record(game.to_record()).state
    kind = KINDS[env.settings.observation]
    expected, masks, _ = lanes.observe(np.zeros(1, np.int64), np.array([seat]), kind)
    assert observation.tobytes() == expected.tobytes()
    is_to_act = game.turn == seat
    assert np.flatnonzero(masks[0]).tolist() == (game.legal_actions() if is_to_act else [])


def standing(game: Game) -> tuple[Any, ...]:
    """Return how a game stands; rows of the log that count no more are left out."""
    return game.state.tobytes(), int(game.log[0, 0]), game.events, game.actions, game.beginning


def check_info(info: dict[str, Any], game: Game, umpire: Umpire) -> None:
    """Check what `info` says against the referee."""
    assert np.flatnonzero(info["action_mask"]).tolist() == umpire.legal_actions()
    assert info["action_mask"].dtype == np.int8
    assert info["scores"].tolist() == list(game.scores)
    assert info["dealer"] == game.dealer
    assert info["phase"] == game.phase
    assert "episode" not in info
    assert ("winner" in info) == ("is_success" in info) == (game.turn is None)
    if game.turn is None:
        margin = game.scores[0] - game.scores[1]
        assert info["margin"] == margin
        winner = None if margin == 0 else int(margin < 0)
        assert info["winner"] == winner
        assert info["is_success"] == (winner == 0)
        assert info["deals"] == game.deals
        assert info["skunk"] == game.skunk


def expected_total(name: str, game: Game, margin_at_reset: int) -> float:
    """Return what the rewards of a game that is over must add up to."""
    margin = game.scores[0] - game.scores[1]
    if name == "score_diff":
        return margin - margin_at_reset
    sign = float(np.sign(margin))
    return sign * (1 + game.skunk) if name == "skunk" else sign
