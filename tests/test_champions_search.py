"""The champion's search: what it shows its network, and the card that it needs none for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env import Game, format_card, observation
from cribbage_env.bots.champion import SEARCHED_WORLDS, SearchingChampion
from cribbage_env.bots.expert.observe import write_lookahead
from cribbage_env.lanes import Lanes
from tests.games import DISCARDS, POSITION
from tests.positions import BOOK, view_of

pytestmark = pytest.mark.kernels


class Recorder:
    """Stands in for the network: keeps what it is shown, and lays the last card that it may."""

    observation = "lookahead"
    facts: dict[str, Any] = {"made": "by hand"}  # noqa: RUF012

    def __init__(self) -> None:
        self.shown = np.zeros((0, 0), np.float32)

    def act(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8], keys: Any
    ) -> NDArray[np.int64]:
        self.shown = observations.copy()
        return np.array([np.flatnonzero(mask)[-1] for mask in action_masks])


def asked(games: list[Game]) -> tuple[Recorder, NDArray[np.int64]]:
    """Ask the champion for the seat to act in each game, all at once."""
    lanes = Lanes(len(games))
    for lane, game in enumerate(games):
        lanes.states[lane] = game.state[0]
    recorder = Recorder()
    champion = SearchingChampion(recorder)  # type: ignore[arg-type]
    assert champion.facts == recorder.facts
    turns = lanes.states["turn"].astype(np.int64)
    seen = lanes.observe(np.arange(len(games)), turns, champion.observation)
    return recorder, champion.act(*seen)


def late_game(plays: str, scores: tuple[int, int] = (0, 0)) -> Game:
    return Game.from_position(**POSITION, discards=DISCARDS, plays=plays, scores=scores)


def test_the_network_is_shown_what_follows_by_habit_where_there_is_a_choice() -> None:
    games = [
        late_game("4H 6D 5H 7C 6S"),
        late_game("4H 6D 5H 7C 6S 9S"),
        late_game("6S 9S TD 6D 5H"),
    ]
    recorder, actions = asked(games)
    for game, shown, action in zip(games, recorder.shown, actions, strict=True):
        assert game.turn is not None
        assert action == game.legal_actions()[-1]
        expected = np.zeros(observation.size("lookahead"), np.float32)
        if len(game.legal_actions()) > 1:
            write_lookahead(
                view_of(game.state[0], game.turn), SEARCHED_WORLDS, True, BOOK, expected
            )
        behind = observation.LAYOUT["likely_ranks"].offset
        assert (shown[behind:] == expected[behind:]).all()
        assert shown[:behind].any()


def test_a_card_that_wins_at_once_is_laid_whatever_the_network_says() -> None:
    """The dealer, with two to go, pairs the five; the network would lay the seven."""
    game = late_game("6S 9S TD 6D 5H", scores=(0, 113))
    assert game.scores[1] == 119
    _, (action,) = asked([game])
    assert format_card(game.kept(1)[action - 15]) == "5D"
    game.step(int(action))
    assert game.winner == 1
