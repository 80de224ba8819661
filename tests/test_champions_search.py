"""The champion's search: what it shows its network, and the card that it needs none for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env import Game, format_card, observation
from cribbage_env.bots.champion import SEARCHED_WORLDS, SearchingChampion, champion_policy
from cribbage_env.bots.expert.observe import write_lookahead
from cribbage_env.lanes import Lanes
from tests.games import DISCARDS, POSITION
from tests.positions import BOOK, view_of

pytestmark = pytest.mark.kernels


class Recorder:
    """Stands in for the network: keeps what it is shown, lays the last card that it may or one."""

    observation = "lookahead"
    facts: dict[str, Any] = {"made": "by hand"}  # noqa: RUF012

    def __init__(self, lays: int | None = None) -> None:
        self.shown = np.zeros((0, 0), np.float32)
        self.lays = lays

    def act(
        self, observations: NDArray[np.float32], action_masks: NDArray[np.int8], keys: Any
    ) -> NDArray[np.int64]:
        self.shown = observations.copy()
        if self.lays is not None:
            return np.full(len(observations), self.lays)
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


def test_only_a_play_that_is_sure_to_win_overrules_the_network() -> None:
    """Each row has one legal action, so that nothing is looked ahead, and a chance for each."""
    cases = [
        # legal, chance of reaching the target by action, what is laid; the network says 3
        (16, {16: 1.0}, 16),
        (15, {15: 1.0}, 15),
        (18, {18: 1.0}, 18),
        (17, {17: 0.99, 18: 1.0}, 3),
        (14, {14: 1.0, 2: 1.0}, 3),
        (16, {}, 3),
    ]
    actions = observation.LAYOUT["actions"]
    rows = np.zeros((len(cases), observation.size("features")), np.float32)
    masks = np.zeros((len(cases), 19), np.int8)
    for row, mask, (legal, chances, _) in zip(rows, masks, cases, strict=True):
        mask[legal] = 1
        numbers = row[actions.offset : actions.stop].reshape(actions.shape)
        for action, chance in chances.items():
            numbers[action, [*observation.ACTION_FEATURES].index("reaches_target")] = chance
    rows[:, 0] = 0.5
    recorder = Recorder(lays=3)
    champion = SearchingChampion(recorder)  # type: ignore[arg-type]
    laid = champion.act(rows, masks, np.zeros(len(cases), np.uint64))
    assert laid.tolist() == [expected for _, _, expected in cases]
    size = observation.size("lookahead")
    assert recorder.shown.shape == (len(cases), size)
    assert (recorder.shown[:, : rows.shape[1]] == rows).all()
    assert not recorder.shown[:, rows.shape[1] :].any()


def test_as_many_hands_are_searched_as_its_strength_was_measured_with() -> None:
    assert SEARCHED_WORLDS == 64


def test_the_search_may_be_left_out() -> None:
    searching, network = champion_policy(), champion_policy(search=False)
    assert isinstance(searching, SearchingChampion)
    assert repr(searching) == "make_policy('champion')"
    assert searching.observation == "features"
    assert network is champion_policy(False)
    assert network.observation == "lookahead"
    assert searching.facts is network.facts  # type: ignore[attr-defined]
    for search in (1, 0, None, "false"):
        with pytest.raises(ValueError, match=f"search is true or false, not {search!r}$"):
            champion_policy(search)  # type: ignore[arg-type]
