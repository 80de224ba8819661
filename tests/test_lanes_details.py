"""Lanes beside a plain loop that plays each alone, and the edges of what they refuse."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest

from cribbage_env.engine.deal import begin_deal, begin_game, deal_cards
from cribbage_env.engine.layout import DEAL_OVER, DISCARD, GAME_OVER, NO_LOG, PLAY
from cribbage_env.lanes import (
    CALLER,
    Lanes,
    _checked_actions,
    begin_next_deals,
    play_forced,
    step_lanes,
)
from cribbage_env.observation import CARDS, FEATURES, size
from cribbage_env.policy import Policy, make_policy
from tests.alone import play_alone, states_met, take, told
from tests.players import Asked
from tests.positions import legal_actions, view_of

pytestmark = pytest.mark.kernels

DEEP = "expert:lookahead=1,worlds=1,removal=false,score_aware=false"
"""The quickest player that no light kernel moves and whose cards depend on the key."""
LIGHT_SEATS = (
    (0, 1),
    (1, 0),
    (0, 0),
    (0, CALLER),
    (CALLER, 1),
    (CALLER, CALLER),
    (2, 3),
    (3, CALLER),
    (1, 2),
    (2, 2),
)
DEEP_SEATS = ((0, 1), (1, 0), (0, CALLER), (CALLER, 0))


def begun(players: list[Policy], seats: Any, **options: Any) -> Lanes:
    """Return lanes of which no two have the same game, dealer and score; deals are 1 to 6."""
    lanes = Lanes(len(seats), players, **options)
    every = np.arange(len(seats))
    scores = np.stack([every % 5, every % 3], axis=1)
    seeds = every.astype(np.uint64) + np.uint64(2**63)
    lanes.begin(every, seeds, every * 7, every % 3 - 1, scores, 31)
    lanes.states["deals"] += every % 6
    lanes.seats[:] = seats
    lanes.tally[:] = np.arange(lanes.tally.size).reshape(lanes.tally.shape)
    return lanes


# ---- what lanes are made of --------------------------------------------------------------------


def test_what_lanes_are_before_a_game() -> None:
    lanes = Lanes(3)
    assert lanes.states.shape == (3,)
    assert lanes.states["phase"].tolist() == [DEAL_OVER] * 3
    assert lanes.seats.tolist() == [[-1, -1]] * 3
    assert lanes.tally.shape == (3, 2, 2, 4)
    assert not lanes.tally.any()
    assert lanes.records.shape == (1,)
    assert (lanes.threads, lanes.is_one_deal) == (1, False)
    assert (lanes.has_policies, lanes.has_deep) == (False, False)


@pytest.mark.parametrize(
    ("names", "kinds", "has_deep"),
    [
        (("greedy",), [1], False),
        (("asked", "club"), [-1, 2], False),
        (("random", DEEP, "asked"), [0, 3, -1], True),
    ],
)
def test_players_by_kind(names: tuple[str, ...], kinds: list[int], has_deep: bool) -> None:
    players = [Asked("random") if name == "asked" else make_policy(name) for name in names]
    lanes = Lanes(2, players)
    assert lanes.players == players
    assert lanes.records["kind"].tolist() == kinds
    assert lanes.has_policies == ("asked" in names)
    assert lanes.has_deep == has_deep
    for player, record in zip(players, lanes.records, strict=True):
        if not isinstance(player, Asked):
            assert record == player.player[0]


@pytest.mark.parametrize("threads", [0, 1, 2])
def test_copies_have_tables_and_threads_of_their_own(threads: int) -> None:
    lanes = begun([make_policy("random")], [(0, 0)] * 2, threads=threads, is_one_deal=True)
    assert {"book", "_pool"}.isdisjoint(lanes.__getstate__())
    every = [copy.deepcopy(lanes), pickle.loads(pickle.dumps(lanes)), lanes]
    for other in every:
        assert other.threads == threads
        assert other.book is lanes.book
        running = {*threading.enumerate()}
        other.play_on()
        assert (other.states["phase"] >= DEAL_OVER).all()
        assert bool({*threading.enumerate()} - running) == (threads > 1)


def test_each_thread_has_a_part() -> None:
    rows = np.arange(10)
    parts: list[list[tuple[int, int]]] = []
    Lanes(1, threads=3)._in_parts(
        lambda *some: parts.append([*zip(*(part.tolist() for part in some), strict=True)]),
        rows,
        -rows,
    )
    assert sorted(parts) == [
        [(row, -row) for row in part] for part in ([0, 1, 2], [3, 4, 5], [6, 7, 8, 9])
    ]


# ---- beginning, stepping, observing ------------------------------------------------------------


@pytest.mark.parametrize("deck", [None, (*range(20, 7, -1),)])
def test_games_begin_in_the_lanes_asked_for(deck: tuple[int, ...] | None) -> None:
    lanes = Lanes(5)
    expected = lanes.states.copy()
    rows = [(3, 9, 4, -1, 5, 6), (1, 2**64 - 1, 0, 1, 0, 0), (4, 9, 5, 0, 60, 1)]
    for at, seed, game, dealer, *scores in rows:
        begin_game(expected[at], np.uint64(seed), game, dealer, *scores, 61, NO_LOG)
        if deck is None:
            begin_deal(expected[at], NO_LOG)
        else:
            deal_cards(expected[at], np.array(deck, np.int16), NO_LOG)
    at, seeds, games, dealers, *scores = zip(*rows, strict=True)
    lanes.begin(
        np.array(at),
        np.array(seeds, np.uint64),
        np.array(games),
        np.array(dealers),
        np.stack(scores, axis=1),
        61,
        deck,
    )
    assert lanes.states.tobytes() == expected.tobytes()


def test_lanes_step_where_there_is_an_action() -> None:
    lanes = Lanes(120)
    lanes.states[:] = states_met()
    expected, tally, answers = lanes.states.copy(), lanes.tally.copy(), np.zeros(120, np.int64)
    actions = np.full(120, -1)
    for i, lane in enumerate(expected):
        if lane.phase in (DEAL_OVER, GAME_OVER):
            actions[i], answers[i] = i % 20 - 1, 2 if i % 20 else 0
        elif i % 4 == 3:
            actions[i], answers[i] = 19, 1
        elif i % 4:
            actions[i] = legal_actions(view_of(lane, lane.turn))[0]
            take(lane, int(actions[i]), tally[i], False)
    statuses = np.full(120, 7)
    step_lanes(lanes.states, actions, lanes.book, NO_LOG, lanes.tally, False, statuses)
    assert lanes.states.tobytes() == expected.tobytes()
    assert lanes.tally.tobytes() == tally.tobytes()
    assert statuses.tolist() == answers.tolist()
    assert {*answers.tolist()} == {0, 1, 2}
    assert tally.any()


@pytest.mark.parametrize("is_one_deal", [False, True])
def test_only_what_is_forced_is_laid(is_one_deal: bool) -> None:
    lanes = Lanes(120)
    lanes.states[:] = states_met()
    seats = np.where(np.arange(240).reshape(120, 2) % 5 == 0, 0, CALLER).astype(np.int16)
    expected, tally, number = lanes.states.copy(), lanes.tally.copy(), 0
    for i, lane in enumerate(expected):
        while lane.phase == PLAY and seats[i, lane.turn] == CALLER:
            legal = legal_actions(view_of(lane, lane.turn))
            if len(legal) > 1:
                break
            take(lane, legal[0], tally[i], is_one_deal)
            number += 1
    laid = play_forced(lanes.states, seats, lanes.book, NO_LOG, lanes.tally, is_one_deal)
    assert laid == number > 10
    assert lanes.states.tobytes() == expected.tobytes()
    assert lanes.tally.tobytes() == tally.tobytes()
    begin_next_deals(lanes.states, NO_LOG)
    for lane in expected:
        if lane.phase == DEAL_OVER:
            begin_deal(lane, NO_LOG)
    assert lanes.states.tobytes() == expected.tobytes()


@pytest.mark.parametrize("kind", ["cards", "features"])
def test_every_row_is_that_of_its_lane_and_seat(kind: str) -> None:
    lanes = Lanes(120)
    lanes.states[:] = states_met()
    rows, seats = np.arange(119, -1, -12), np.arange(10) // 2 % 2
    found = lanes.observe(rows, seats, kind)
    expected = [told(lanes.states[row], seat, kind) for row, seat in zip(rows, seats, strict=True)]
    for these, those in zip(found, zip(*expected, strict=True), strict=True):
        assert these.dtype == those[0].dtype
        assert these.tobytes() == np.concatenate(those).tobytes()
    assert lanes.observe(rows, seats)[0].shape == (10, 384)


def test_numbers_are_added_by_kind() -> None:
    lanes = Lanes(1)
    lanes.states[:] = states_met()[:1]
    row = np.full((1, size("lookahead")), np.nan, np.float32)
    lane, seat = np.zeros(1, np.int64), np.ones(1, np.int64)
    for kind, name in ((CARDS, "cards"), (FEATURES, "features")):
        lanes.add_numbers(lane, seat, kind, row)
        behind = ~np.isnan(row[0, size("cards") :])
        assert np.flatnonzero(behind).tolist() == [*range(size(name) - size("cards"))]


# ---- players at fault --------------------------------------------------------------------------


class Answers:
    """Gives one answer, whatever it is asked."""

    observation = "cards"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
        return self.answer

    def __repr__(self) -> str:
        return "Answers()"


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        ([0.0, 1.0], TypeError, "returned float64, not integers"),
        ([True, True], TypeError, "returned bool, not integers"),
        ([0, 0, 0], ValueError, "returned the shape (3,) for 2 decisions"),
        ([[0, 0]], ValueError, "returned the shape (1, 2) for 2 decisions"),
        (0, ValueError, "returned the shape () for 2 decisions"),
    ],
)
def test_an_answer_of_a_wrong_kind_is_told(answer: Any, error: type[Exception], words: str) -> None:
    check_refusal(answer, error, words)


@pytest.mark.parametrize("action", [-20, -5, -1, 15, 18, 19, 1000])
def test_an_illegal_answer_is_told(action: int) -> None:
    discards = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
    words = f"chose the illegal action {action}; legal were {discards}"
    check_refusal([3, action], ValueError, words)
    check_refusal([action, 3], ValueError, words)
    check_refusal([action, 17], ValueError, words)  # the first is told


@pytest.mark.parametrize("kind", [np.uint8, np.int16, np.uint64])
def test_an_answer_may_be_of_any_whole_numbers(kind: Any) -> None:
    masks = np.ones((2, 19), np.int8)
    chosen = _checked_actions(Answers(None), np.array([18, 0], kind), masks)
    assert chosen.dtype == np.int64
    assert chosen.tolist() == [18, 0]


@pytest.mark.parametrize("action", [-19, -1, 19])
def test_no_number_outside_the_mask_is_legal(action: int) -> None:
    with pytest.raises(ValueError, match=f"illegal action {action}; legal were"):
        _checked_actions(Answers(None), np.array([0, action]), np.ones((2, 19), np.int8))


def check_refusal(answer: Any, error: type[Exception], words: str) -> None:
    lanes = begun([Answers(answer)], [(0, 0), (CALLER, CALLER), (0, 0)])
    before = lanes.states.copy()
    with pytest.raises(error) as raised:
        lanes.play_on()
    assert str(raised.value) == f"policy Answers() {words}"
    assert lanes.states.tobytes() == before.tobytes()


# ---- players that move --------------------------------------------------------------------------


def check_beside_lanes_alone(lanes: Lanes) -> None:
    """Play to the end; after every answer of the caller compare all states and points counted."""
    expected, tally, number = lanes.states.copy(), lanes.tally.copy(), len(lanes.states)
    for turn in range(60):
        lanes.play_on()
        actions = np.full(number, -1)
        for i, lane in enumerate(expected):
            play_alone(lane, lanes.seats[i], lanes.players, tally[i], lanes.is_one_deal)
            if lane.phase in (DISCARD, PLAY):
                legal = legal_actions(view_of(lane, lane.turn))
                actions[i] = legal[turn % len(legal)]
        assert lanes.states.tobytes() == expected.tobytes()
        assert lanes.tally.tobytes() == tally.tobytes()
        if (actions < 0).all():
            break
        assert not lanes.step(actions).any()
        for i in np.flatnonzero(actions >= 0):
            take(expected[i], int(actions[i]), tally[i], lanes.is_one_deal)
    assert (expected["phase"] >= DEAL_OVER).all()


@pytest.mark.parametrize("threads", [1, 3])
def test_lanes_play_on_as_each_would_alone(threads: int) -> None:
    players = [make_policy("random"), make_policy("greedy"), Asked("random"), Asked("greedy")]
    lanes = begun(players, LIGHT_SEATS[::threads], threads=threads, is_one_deal=threads > 1)
    check_beside_lanes_alone(lanes)


@pytest.mark.parametrize("has_policies", [False, True])
def test_large_players_play_on_as_each_would_alone(has_policies: bool) -> None:
    """In the kernels, and where another player is asked in between."""
    players = [make_policy(DEEP), Asked("random") if has_policies else make_policy("random")]
    seats = DEEP_SEATS[:2] if has_policies else DEEP_SEATS
    lanes = begun(players, seats, is_one_deal=True)
    in_play = states_met()[states_met()["phase"] == PLAY]
    lanes.states[1:] = in_play[5 :: len(in_play) // len(seats)][: len(seats) - 1]
    check_beside_lanes_alone(lanes)
