"""What whole games hardly show: the edges of kernels, and what a used lane keeps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cribbage_env.actions import parse_action
from cribbage_env.cards import parse_cards
from cribbage_env.engine.chance import draw, stream_of
from cribbage_env.engine.deal import begin_deal, begin_game
from cribbage_env.engine.flow import (
    ALREADY_OVER,
    ILLEGAL,
    decision_number,
    is_legal,
    step,
    write_mask,
)
from cribbage_env.engine.layout import (
    DEAL_OVER,
    DISCARD,
    DISCARDED,
    DONE,
    FORFEIT,
    GAME_OVER,
    LOG_CAPACITY,
    LOG_CARDS,
    LOG_ROW,
    NO_CARD,
    NO_LOG,
    NOBODY,
    PLAY,
    STARTER,
    STATE,
    VIEW,
    WIN,
)
from cribbage_env.engine.pegging import forfeit
from cribbage_env.game import Game
from tests.positions import BOOK, DEALER, PONE, position, random_states, view_of

pytestmark = pytest.mark.kernels

HANDS = {"pone": "AC 2C 3C 4C 9D 9H", "dealer": "AD 2D 3D 4D TC JC", "starter": "KH"}
DISCARDS = ("discard 9D 9H", "discard TC JC")


def dealt(lane: Any, first_dealer: int) -> bytes:
    """Return a lane after a game's first deal."""
    begin_game(lane, np.uint64(3), 5, first_dealer, 17, 90, 121, NO_LOG)
    begin_deal(lane, NO_LOG)
    return bytes(lane.tobytes())


@pytest.mark.parametrize("first_dealer", [-1, 0, 1])
@pytest.mark.parametrize("rubbish", [1, 77, 255])
def test_a_lane_keeps_nothing_of_what_it_was_used_for(first_dealer: int, rubbish: int) -> None:
    used = np.frombuffer(bytes([rubbish]) * STATE.itemsize, np.uint8).copy().view(STATE)[0]
    assert dealt(used, first_dealer) == dealt(np.zeros(1, STATE)[0], first_dealer)


def test_what_a_lane_holds_before_its_first_deal() -> None:
    lane = np.zeros(1, STATE)[0]
    lane.deals, lane.turn, lane.winner, lane.rear[:] = 4, 1, 1, (7, 8)
    begin_game(lane, np.uint64(3), 5, 1, 17, 90, 121, NO_LOG)
    assert (lane.deals, lane.turn, lane.winner, lane.rear.tolist()) == (0, NOBODY, NOBODY, [0, 0])
    assert (lane.first_dealer, lane.dealer) == (1, 0)  # the deal alternates before the first too


@pytest.mark.parametrize("first_dealer", [0, 1])
def test_what_a_lane_holds_after_the_deal(first_dealer: int) -> None:
    lane = np.zeros(1, STATE)[0]
    dealt(lane, first_dealer)
    held = {name: lane[name].tolist() for name in STATE.names or ()}
    hands, starter = held.pop("dealt"), held.pop("starter")
    assert hands == [sorted(hand) for hand in hands]
    assert len({*hands[0], *hands[1], starter} & {*range(52)}) == 13
    assert held == {
        "seed": 3,
        "game": 5,
        "deals": 1,
        "target": 121,
        "scores": [17, 90],
        "rear": [0, 0],
        "dealer": first_dealer,
        "first_dealer": first_dealer,
        "turn": 1 - first_dealer,
        "phase": DISCARD,
        "winner": NOBODY,
        "go_seat": NOBODY,
        "points": [[0] * 4] * 2,
        "discards": [[NO_CARD] * 2] * 2,
        "kept": [[NO_CARD] * 4] * 2,
        "held": [[0] * 4] * 2,
        "plays": [NO_CARD] * 8,
        "play_seats": [NOBODY] * 8,
        "go_after": [NOBODY] * 8,
        "plays_made": 0,
        "pile_start": 0,
        "count": 0,
    }


def test_the_second_seat_cuts_from_the_other_51_cards() -> None:
    rounds = set()
    for seed in (*range(20), 54, 72):
        stream = np.uint64(stream_of(np.uint64(seed), 0, 0))
        events = [event for event in Game(seed=seed).events if event.kind == "cut"]
        cuts = [card for event in events for card in event.cards]
        assert len(cuts) == len(events)
        for place in range(0, len(cuts), 2):
            others = [card for card in range(52) if card != cuts[place]]
            assert cuts[place] == draw(stream, place, 52)
            assert cuts[place + 1] == others[draw(stream, place + 1, 51)]
        rounds.add(len(cuts) // 2)
    assert rounds == {1, 2, 3}


@pytest.mark.parametrize("deeds", [(), DISCARDS])
def test_actions_outside_the_space_are_illegal(deeds: tuple[str, ...]) -> None:
    lane = position(*deeds, **HANDS)
    before = lane.tobytes()
    for action in (-100, -5, -4, -1, 19, 20, 100):
        assert not is_legal(lane, action)
        assert step(lane, action, BOOK, NO_LOG) == ILLEGAL
    assert lane.tobytes() == before


@pytest.mark.parametrize("phase", [DEAL_OVER, GAME_OVER])
def test_nothing_is_legal_after_the_end(phase: int) -> None:
    lane = position(*DISCARDS, **HANDS)
    lane.phase = phase
    for action in range(19):
        assert not is_legal(lane, action)
        assert step(lane, action, BOOK, NO_LOG) == ALREADY_OVER


def test_nothing_goes_on_after_a_win_by_last_card() -> None:
    kept = {"pone": "TC 8S QD KH 9D 9H", "dealer": "TD JH QS KC 8D 8H", "starter": "AS"}
    deeds = ("discard 9D 9H", "discard 8D 8H", "play TC", "play JH", "play KH")
    lane = position(*deeds, **kept, scores=(120, 0))
    assert (lane.phase, lane.winner, lane.turn) == (GAME_OVER, PONE, NOBODY)
    assert (lane.count, lane.pile_start, lane.plays_made) == (30, 0, 3)
    assert lane.scores.tolist() == [121, 0]
    assert lane.points.tolist() == [[0, 0, 1, 0], [0, 0, 0, 0]]
    assert lane.play_seats.tolist() == [PONE, DEALER, PONE, *[NOBODY] * 5]
    assert lane.go_after.tolist() == [NOBODY, NOBODY, DEALER, *[NOBODY] * 5]


def test_points_of_a_deal_add_up() -> None:
    """Fifteen for 2, three alike for 6 and last for 1 are 9; the pair between is the other's."""
    hands = {"pone": "TC 5H 8S 7D 9D 9H", "dealer": "5D 5S JH QS 8D 8H", "starter": "KH"}
    deeds = ("discard 9D 9H", "discard 8D 8H", "play TC", "play 5D", "play 5H", "play 5S")
    lane = position(*deeds, **hands)
    assert lane.points[:, 2].tolist() == [{PONE: 2, DEALER: 9}[seat] for seat in (0, 1)]
    assert lane.scores[DEALER] - lane.scores[PONE] == 7


def test_decisions_are_numbered_from_the_discard() -> None:
    """Also where the ace of clubs is thrown, which is card 0."""
    lane = position(**HANDS)
    assert [decision_number(lane, seat) for seat in (PONE, DEALER)] == [0, 0]
    lane = position("discard AC 2C", **HANDS)
    assert [decision_number(lane, seat) for seat in (PONE, DEALER)] == [1, 0]
    lane = position("discard AC 2C", "discard TC JC", "play 9D", "play AD", "play 9H", **HANDS)
    assert [decision_number(lane, seat) for seat in (PONE, DEALER)] == [3, 2]


def test_the_log_of_a_discard_and_the_starter() -> None:
    log = np.zeros((LOG_CAPACITY, LOG_ROW), np.int16)
    used = np.full_like(log, 7)
    used[0, 0] = 0
    for rows in (log, used):
        lane = position(DISCARDS[0], **HANDS)
        action = parse_action(DISCARDS[1], lane.dealt[DEALER])
        assert step(lane, action, BOOK, rows) == DONE
    assert (used[1:3, :LOG_CARDS] == log[1:3, :LOG_CARDS]).all()
    starter, *thrown = parse_cards("KH TC JC")
    nothing = [0] * 6
    assert log[0].tolist() == [2, *[0] * (LOG_ROW - 1)]
    about = [DISCARDED, DEALER, 0, 0, 0, starter, action + 1, len(thrown)]
    assert log[1].tolist() == [*about, *thrown, *nothing]
    assert log[2].tolist() == [STARTER, DEALER, 0, 0, 0, starter, 0, 0, 0, 0, *nothing]
    assert not log[3:].any()


def test_a_view_tells_what_its_seat_knows() -> None:
    phases, goes = set(), set()
    for lane in random_states(60, seed=11, target=31):
        now = {name: lane[name].tolist() for name in STATE.names or ()}
        assert (now["turn"] == NOBODY) == (now["phase"] in (DEAL_OVER, GAME_OVER))
        has_thrown = [pair[0] >= 0 for pair in now["discards"]]
        for seat in (0, 1):
            other = 1 - seat
            view = view_of(lane, seat)
            told = {name: view[name].tolist() for name in VIEW.names or ()}
            said = [{NOBODY: 0, seat: 1, other: 2}[who] for who in now["go_after"]]
            assert told == {
                "is_dealer": int(now["dealer"] == seat),
                "is_on_turn": int(now["turn"] == seat),
                "scores": [now["scores"][seat], now["scores"][other]],
                "starter": now["starter"] if has_thrown[now["dealer"]] else NO_CARD,
                "play_is_own": [int(who == seat) for who in now["play_seats"]],
                "go_after": said,
                "opponent_cards": sum(now["held"][other]) if has_thrown[other] else 6,
                **{name: now[name][seat] for name in ("dealt", "discards", "kept", "held")},
                **{name: now[name] for name in ("phase", "target", "plays", "plays_made")},
                **{name: now[name] for name in ("pile_start", "count")},
            }
            phases.add(now["phase"])
            goes |= {*said}
    assert phases == {DISCARD, PLAY, DEAL_OVER, GAME_OVER}
    assert goes == {0, 1, 2}


def test_a_mask_tells_what_is_legal_on_turn() -> None:
    sizes = set()
    for lane in random_states(80, seed=12, target=61):
        for seat in (0, 1):
            mask = np.full(19, 7, np.int8)
            write_mask(view_of(lane, seat), mask)
            is_on_turn = lane.turn == seat
            assert mask.tolist() == [int(is_on_turn and is_legal(lane, n)) for n in range(19)]
            sizes.add(int(mask.sum()))
    assert sizes == {0, 1, 2, 3, 4, 15}


def test_the_log_of_a_forfeit() -> None:
    lane = position(*DISCARDS, "play AC", **HANDS, scores=(17, 90))
    log = np.zeros((LOG_CAPACITY, LOG_ROW), np.int16)
    forfeit(lane, DEALER, log)
    starter = parse_cards("KH")[0]
    nothing = [0] * 8
    assert log[0].tolist() == [2, *[0] * (LOG_ROW - 1)]
    assert log[1].tolist() == [FORFEIT, DEALER, 0, 17, 90, starter, 0, 0, *nothing]
    assert log[2].tolist() == [WIN, PONE, 0, 121, 90, starter, 0, 0, *nothing]
    assert not log[3:].any()
    assert (lane.phase, lane.turn, lane.winner) == (GAME_OVER, NOBODY, PONE)
    assert (lane.scores.tolist(), lane.rear.tolist()) == ([121, 90], [17, 0])
