"""The cheat's search, its choice and its match, each beside a plain one."""

from __future__ import annotations

import time
from dataclasses import fields
from inspect import signature
from typing import Any

import numba
import numpy as np
import pytest

from cribbage_env import Game
from cribbage_env.bots import peek
from cribbage_env.bots.club import choose_club
from cribbage_env.bots.expert.winning import MOST_NEED
from cribbage_env.bots.greedy import choose_greedy
from cribbage_env.bots.peek import choose_peek
from cribbage_env.cards import rank_of
from cribbage_env.engine.deal import begin_deal, begin_game
from cribbage_env.engine.flow import step
from cribbage_env.engine.layout import DEAL_OVER, DISCARD, GAME_OVER, NO_LOG, NOBODY, PLAY, STATE
from cribbage_env.engine.tables import load_book
from cribbage_env.game import Beginning
from cribbage_env.match import play_against_peek
from cribbage_env.match.play import MatchSettings
from tests.players import Asked
from tests.positions import BOOK, legal_actions, position, random_states, view_of

pytestmark = pytest.mark.kernels

UNCOMPILED = bool(numba.config.DISABLE_JIT)
NUMBER = 60 if UNCOMPILED else 150
LEAST = 5 if UNCOMPILED else 3
"""Cards that are laid at least where the search begins: one earlier takes far longer."""


def after(lane: Any, action: int) -> Any:
    lane = lane.copy()
    step(lane, action, BOOK, NO_LOG)
    return lane


def outcome(lane: Any, seat: int) -> float:
    """Return what the end of a deal is worth to a seat."""
    if lane.winner != NOBODY:
        return float(lane.winner == seat)
    own, other = (int(lane.target - lane.scores[who]) for who in (seat, 1 - seat))
    if max(own, other) > MOST_NEED:
        return 0.5 + (other - own) / 2000
    return float(BOOK.win[0 if lane.dealer == seat else 1, own, other])


def worth(lane: Any, seat: int) -> float:
    """Return what a position is worth when both know everything, by trying all."""
    if lane.turn == NOBODY:
        return outcome(lane, seat)
    legal = legal_actions(view_of(lane, lane.turn))
    ranks = {rank_of(int(lane.kept[lane.turn, action - 15])): action for action in legal}
    worths = [worth(after(lane, action), seat) for action in ranks.values()]
    return max(worths) if lane.turn == seat else min(worths)


def late_states() -> list[Any]:
    """Return positions of the play with a few cards left; at 31 many games end in it."""
    states = [
        lane for target in (31, 121, 250) for lane in random_states(NUMBER, 31 + target, target)
    ]
    return [lane for lane in states if lane.phase == PLAY and lane.plays_made >= LEAST]


def searched(lane: Any, seat: int, low: float, high: float) -> float:
    line = np.zeros(peek.LONGEST_LINE, STATE)
    line[0] = lane
    bounds = np.empty((peek.LONGEST_LINE, 2))
    bounds[0] = low, high
    slots = np.empty(peek.LONGEST_LINE, np.int64)
    return float(peek._search(line, bounds, slots, 0, seat, BOOK, NO_LOG))


def chosen(lane: Any, *, in_discard: bool = True, in_play: bool = True) -> int:
    """Return what the cheat does in a lane that isn't the first."""
    states = np.zeros(3, STATE)
    states[1] = lane
    before = states.tobytes()
    action = choose_peek(states, 1, in_discard, in_play, load_book(), NO_LOG)
    assert states.tobytes() == before
    return int(action)


def test_the_search_finds_the_worth_or_a_bound_of_it() -> None:
    for lane in late_states()[:: 3 if UNCOMPILED else 1]:
        for seat in (0, 1):
            found = worth(lane, seat)
            assert searched(lane, seat, -1.0, peek.CERTAIN) == found
            assert searched(lane, seat, found, peek.CERTAIN) <= found
            assert searched(lane, seat, -1.0, found) >= found


def test_it_lays_the_first_of_the_best_cards() -> None:
    lengths = set()
    for lane in late_states():
        legal = legal_actions(view_of(lane, lane.turn))
        worths = [worth(after(lane, action), lane.turn) for action in legal]
        best = legal[worths.index(max(worths))]
        assert chosen(lane, in_discard=False) == best
        line = np.full(peek.LONGEST_LINE, lane)
        slots, bounds = np.full(peek.LONGEST_LINE, 4), np.full((peek.LONGEST_LINE, 2), 5.0)
        assert peek._best_slot(line, bounds, slots, lane.turn, BOOK, NO_LOG) == best - 15
        lengths.add(len(set(worths)))
    assert lengths >= {1, 2}


def test_what_the_end_of_a_deal_is_worth() -> None:
    lane = position(pone="AC 2C 3C 4C 5C 6C", dealer="AD 2D 3D 4D 5D 6D", starter="KH")
    for target in (121, 122, 200):
        lane.target = target
        for dealer in (0, 1):
            for scores in ((0, 0), (1, 0), (0, 1), (120, 60), (60, 120), (79, 78), (78, 79)):
                lane.dealer, lane.scores[:] = dealer, scores
                for winner in (NOBODY, 0, 1):
                    lane.winner = winner
                    lane.phase = DEAL_OVER if winner == NOBODY else GAME_OVER
                    for seat in (0, 1):
                        assert peek._outcome(lane, seat, BOOK) == outcome(lane, seat)


def discards_worth(lane: Any) -> list[float]:
    """Return what each discard is worth; pone's after the one that `club` would make then."""
    seat, worths = lane.turn, []
    for action in range(15):
        thrown = after(lane, action)
        if seat != lane.dealer:
            thrown = after(thrown, choose_club(view_of(lane, lane.dealer), BOOK))
        worths.append(worth(thrown, seat))
    return worths


def test_a_card_that_lets_the_other_win_is_worse_than_one_before_it() -> None:
    plays = (f"play {card}" for card in ("6D", "9C", "4S", "9D", "2H"))
    deeds = "discard 4D KC", "discard 6C KD", *plays
    hands = {"pone": "2H 4D 4S 6D JH KC", "dealer": "4C 5S 6C 9C 9D KD", "starter": "TC"}
    lane = position(*deeds, **hands, target=31, deals=0)
    lane.scores[:] = 21, 29
    worths = [worth(after(lane, action), 0) for action in legal_actions(view_of(lane, 0))]
    assert worths[0] > worths[1] == 0.0
    assert chosen(lane, in_discard=False) == 15


@pytest.mark.parametrize(
    ("pone", "dealer", "starter", "scores", "deals", "best"),
    [
        ("5C 5D 5H 5S QC QD", "4C 4D 4H 4S 9C 9D", "AC", (0, 0), 1, (14, 14)),
        ("3C 3D 3H 3S QC QD", "2C 2D KC KD KH KS", "5C", (119, 120), 1, (0, 1)),
        # What club throws from pone's cards, action 11, would be answered by another discard.
        ("4H 6H 7S QC QD KD", "3D 5C 5D 6C 8D QH", "8H", (120, 120), 0, (13, 0)),
        # The dealer throws the first two.
        ("AD 3C 4D 7S 9H QD", "2H 3D 5H 7H JS KH", "4S", (120, 120), 1, (5, 7)),
    ],
)
def test_it_throws_the_first_of_the_best_discards(
    pone: str,
    dealer: str,
    starter: str,
    scores: tuple[int, int],
    deals: int,
    best: tuple[int, int],
) -> None:
    lane = position(pone=pone, dealer=dealer, starter=starter, scores=scores, deals=deals)
    for found in best:
        worths = discards_worth(lane)
        assert worths.index(max(worths)) == found
        assert chosen(lane, in_play=False) == found
        lane = after(lane, found)


def test_where_it_may_not_look_it_does_what_club_does() -> None:
    states = [lane for lane in random_states(24, seed=8) if lane.turn != NOBODY]
    for lane in states:
        expected = choose_club(view_of(lane, lane.turn), BOOK)
        is_discard = lane.phase == DISCARD
        assert chosen(lane, in_discard=not is_discard, in_play=is_discard) == expected
    assert {int(lane.phase) for lane in states} == {DISCARD, PLAY}


# ---- the match -------------------------------------------------------------------------------


def played_out(seed: int, pair: int, seat: int, target: int, looks: tuple[bool, bool]) -> Any:
    """Return the end of a game of the cheat in a seat against `greedy`."""
    states = np.zeros(1, STATE)
    lane = states[0]
    begin_game(lane, np.uint64(seed), pair, NOBODY, 0, 0, target, NO_LOG)
    while lane.phase != GAME_OVER:
        if lane.turn == NOBODY:
            begin_deal(lane, NO_LOG)
        elif lane.turn == seat:
            step(lane, choose_peek(states, 0, *looks, load_book(), NO_LOG), BOOK, NO_LOG)
        else:
            step(lane, choose_greedy(view_of(lane, lane.turn), BOOK), BOOK, NO_LOG)
    return lane


# With this seed both games of a batch once throw the first pair, which is action 0.
@pytest.mark.parametrize(
    ("looks", "target", "pairs", "batch_size"),
    [
        ((False, False), 21, 3, 4),
        ((False, False), 21, 3, 2),
        ((False, True), 11, 1, 1024),
        ((True, False), 2, 1, 1024),
    ],
)
def test_its_match_adds_up_games_played_alone(
    looks: tuple[bool, bool], target: int, pairs: int, batch_size: int
) -> None:
    where = dict(zip(("in_discard", "in_play"), looks, strict=True))
    begun = time.perf_counter()
    result = play_against_peek(
        "greedy", games=2 * pairs, seed=5, target=target, batch_size=batch_size, **where
    )
    assert 0 < result.seconds < time.perf_counter() - begun
    assert (result.a, result.b, result.seed, result.target) == ("peek", "greedy", 5, target)
    wins, margin = [0, 0, 0], 0
    for pair in range(pairs):
        ends = [played_out(5, pair, seat, target, looks) for seat in (0, 1)]
        wins[sum(int(lane.winner == seat) for seat, lane in enumerate(ends))] += 1
        margin += sum(int(lane.scores[s] - lane.scores[1 - s]) for s, lane in enumerate(ends))
    assert (result.totals.pair_wins, result.totals.margin) == ((*wins,), margin)


def test_nobody_is_asked_but_in_the_games_of_the_match() -> None:
    opponent = Asked("greedy")
    play_against_peek(opponent, games=2, seed=5, target=11, in_discard=False, in_play=False)
    asked = 0
    for seat in (0, 1):
        lane = played_out(5, 0, seat, 11, (False, False))
        game = Game.replay(Beginning(5, 0, target=11, scores=(0, 0)))
        while game.turn is not None:
            view = view_of(game.state[0], game.turn)
            asked += game.turn != seat
            game.step(int((choose_club if game.turn == seat else choose_greedy)(view, BOOK)))
        assert game.scores == tuple(lane.scores)
    assert sum(opponent.batches) == asked


def test_the_settings_of_its_match_are_those_of_any() -> None:
    given = {name: one.default for name, one in signature(play_against_peek).parameters.items()}
    usual = {field.name: field.default for field in fields(MatchSettings)}
    for name in ("seed", "target", "batch_size"):
        assert given[name] == usual[name]
    assert (given["in_discard"], given["in_play"]) == (True, True)
