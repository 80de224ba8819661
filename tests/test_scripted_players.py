"""The players' kernels beside their rules in plain Python, and who asks them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from cribbage_env.actions import DISCARDS
from cribbage_env.bots import CompiledPolicy, expert_policy
from cribbage_env.bots.choose import choose
from cribbage_env.bots.club import NUM_DISCARDS, choose_club
from cribbage_env.bots.expert import choose_expert
from cribbage_env.bots.greedy import choose_greedy, count_four
from cribbage_env.bots.players import PLAYER
from cribbage_env.bots.random import choose_random
from cribbage_env.cards import format_card, parse_cards
from cribbage_env.engine import expectation, reply
from cribbage_env.engine.chance import draw
from cribbage_env.engine.layout import DISCARD, NOBODY, PLAY
from cribbage_env.observation import SIZE_CARDS, write_cards
from cribbage_env.scoring import score_hand, score_play
from tests.positions import BOOK, legal_actions, position, random_states, view_of

pytestmark = pytest.mark.kernels

FLUSHES = {"pone": "2H 4H 8H QH KC AC", "dealer": "3C 3S 7S 9S KS TD", "starter": "4C"}
"""With four cards of a suit that count as much as nothing else that is held, or more."""


def views_on_turn(number: int, seed: int) -> list[Any]:
    """Return the views of the seat to act in random games to 121."""
    states = random_states(number, seed)
    return [view_of(lane, lane.turn) for lane in states if lane.turn != NOBODY]


VIEWS = views_on_turn(140, seed=21)
PLAYS = [view for view in VIEWS if view.phase != DISCARD]
DEALT = position(**FLUSHES)
THROWS = [view for view in VIEWS if view.phase == DISCARD] + [view_of(DEALT, n) for n in (0, 1)]


def first_of_the_best(actions: Sequence[int], worth: Callable[[int], float]) -> int:
    return max(actions, key=lambda action: (worth(action), -action))


def random_key(number: int) -> np.uint64:
    return np.uint64((number + 1) * 0x9E3779B97F4A7C15 % 2**64)


# ---- random ----------------------------------------------------------------------------------


def test_random_takes_the_legal_action_that_its_key_draws() -> None:
    for number, view in enumerate(VIEWS):
        legal = legal_actions(view)
        for key in (random_key(number), np.uint64(2**64 - 1 - number)):
            assert choose_random(view, key) == legal[draw(key, 0, len(legal))]
    assert {len(legal_actions(view)) for view in VIEWS} == {1, 2, 3, 4, 15}


# ---- greedy ----------------------------------------------------------------------------------


def kept_alone(view: Any, action: int) -> int:
    """Return what the four cards that a discard keeps count before the cut."""
    kept = [view.dealt[slot] for slot in range(6) if slot not in DISCARDS[action]]
    return score_hand(kept, None).total


def points_now(view: Any, action: int) -> int:
    """Return what the card of a play action scores at once."""
    pile = view.plays[view.pile_start : view.plays_made].tolist()
    return score_play([*pile, view.kept[action - 15]]).total


def test_greedy_throws_the_first_discard_that_keeps_the_best_four_cards() -> None:
    for view in THROWS:
        expected = first_of_the_best(range(15), lambda action, view=view: kept_alone(view, action))
        assert choose_greedy(view, BOOK) == expected


def test_greedy_lays_the_lowest_of_the_cards_that_score_most() -> None:
    for view in PLAYS:
        before = view.copy()
        expected = first_of_the_best(
            legal_actions(view), lambda action, view=view: points_now(view, action)
        )
        assert choose_greedy(view, BOOK) == expected
        assert view.tobytes() == before.tobytes()


@pytest.mark.parametrize(
    "cards",
    ["2H 4H 8H QH", "2C 4H 8H QH", "2H 4C 8H QH", "2H 4H 8C QH", "2H 4H 8H QC", "5C 5D 5H 5S"],
)
def test_four_cards_count_alone_as_by_the_plain_code(cards: str) -> None:
    held = parse_cards(cards)
    assert count_four(np.array(held, np.int16), BOOK) == score_hand(held, None).total


# ---- club ------------------------------------------------------------------------------------


def test_club_throws_the_first_discard_of_the_best_mean_total() -> None:
    assert len(DISCARDS) == NUM_DISCARDS
    values = np.empty((NUM_DISCARDS, expectation.NUM_VALUES))
    hands = position(pone="7C 7D 7H 8C 8S KD", dealer="2C 4D TC TD TH JD", starter="2H")
    chosen, most = set(), 0
    for view in (*THROWS[-6:], view_of(hands, 0), view_of(hands, 1)):
        expectation.write_discard_values(view.dealt, view.is_dealer == 1, BOOK, values)
        totals = values[:, expectation.TOTAL].tolist()
        best = totals.index(max(totals))
        assert choose_club(view, BOOK) == best
        chosen.add(best)
        most = max(most, totals.count(totals[best]))
    assert 0 in chosen
    assert most > 1


LEADS = ("5H 5S 8H TC JC KS", "3H 5H JC JS QD KC")
"""Hands whose lead hangs on what is held against fives, and against tens."""
LAST_LEADS = ("4H 5H 5S QH 9C 9D", "5H 5S 6H QH 9C 9D")
"""Hands that lead to nobody with a pair of fives, after the queen."""


def leads() -> list[Any]:
    """Return views of seats that lead from hands for which the rules of leading matter."""
    other = "AS AD 8C TD 9S 9H"
    states = [
        *(
            position(f"discard {hand[12:]}", "discard 9S 9H", pone=hand, dealer=other, starter="4S")
            for hand in LEADS
        ),
        *(
            position(
                *("discard 9S 9H", "discard 9C 9D", "play TD", "play QH", "play 8C"),
                *("play AS", "play AD"),
                pone=other,
                dealer=hand,
                starter="4S",
            )
            for hand in LAST_LEADS
        ),
    ]
    assert [lane.count for lane in states] == [0] * 4
    return [view_of(lane, lane.turn) for lane in states]


def club_worths(view: Any) -> dict[int, tuple[float, float]]:
    """Return what each legal card scores at once, and what it is worth to the club player."""
    pool, work = np.empty(13, np.int64), np.empty(1, reply.REPLY_WORK)
    values = np.empty(reply.NUM_REPLY_VALUES)
    size = reply.count_pool(view, pool)
    worths = {}
    for action in legal_actions(view):
        reply.work_out_reply(view, action - 15, pool, size, work[0], values)
        worth = values[reply.POINTS] - values[reply.REPLY] + values[reply.ANSWER]
        if view.count == 0:
            rank = format_card(view.kept[action - 15])[0]
            worth -= {"5": 2.0, "T": 0.5, "J": 0.5, "Q": 0.5, "K": 0.5}.get(rank, 0.0)
        worths[action] = (values[reply.POINTS], worth)
    return worths


def test_club_wins_at_once_or_lays_the_first_card_of_the_best_worth() -> None:
    wins = 0
    for view in (*PLAYS, *leads()):
        legal = legal_actions(view)
        most_now = max(points_now(view, action) for action in legal)
        if len(legal) == 1:
            continue
        worths = club_worths(view)
        for distance in sorted({121, most_now + 1, most_now, 1} - {0}):
            seen = view.copy()
            seen.scores[0] = seen.target - distance
            at_once = [action for action in worths if worths[action][0] >= distance]
            best = first_of_the_best(legal, lambda action, worths=worths: worths[action][1])
            assert choose_club(seen, BOOK) == [*at_once, best][0]
            wins += bool(at_once) and at_once[0] != best
    assert wins


# ---- who asks them ---------------------------------------------------------------------------

KERNELS: dict[str, Callable[[Any, Any], int]] = {
    "random": choose_random,
    "greedy": lambda view, _: choose_greedy(view, BOOK),
    "club": lambda view, _: choose_club(view, BOOK),
}


def expert_alone(policy: CompiledPolicy) -> Callable[[Any, Any], int]:
    return lambda view, key: choose_expert(policy.player[0], view, key, BOOK)


def rows_of(views: Sequence[Any]) -> Any:
    rows = np.empty((len(views), SIZE_CARDS), np.float32)
    for row, view in zip(rows, views, strict=True):
        write_cards(view, row)
    return rows


def check(policy: CompiledPolicy, views: Sequence[Any], kernel: Callable[[Any, Any], int]) -> None:
    """See that a player is the kernel, asked by a kernel or with observations."""
    keys = np.array([random_key(number) for number in range(len(views))])
    expected = [kernel(view, key) for view, key in zip(views, keys, strict=True)]
    asked = zip(views, keys, strict=True)
    assert [choose(policy.player[0], view, key, BOOK) for view, key in asked] == expected
    actions = policy.act(rows_of(views), np.empty((len(views), 19), np.int8), keys)
    assert actions.dtype == np.int64
    assert actions.tolist() == expected


@pytest.mark.parametrize("kind", ["random", "greedy", "club"])
def test_a_compiled_player_is_its_kernel(kind: str) -> None:
    policy = CompiledPolicy(kind)
    assert policy.is_light
    check(policy, VIEWS[::8], KERNELS[kind])


@pytest.mark.parametrize("lookahead", [0, 2])
def test_the_expert_is_its_kernel_but_plays_as_club_without_look_ahead(lookahead: int) -> None:
    policy = expert_policy(lookahead=lookahead, worlds=1, pegging=2.0, score_aware=False)
    assert not policy.is_light
    expert, club = expert_alone(policy), KERNELS["club"]
    late = [view for view in PLAYS if view.plays_made >= 4 and len(legal_actions(view)) > 1]
    views, differ = {DISCARD: THROWS[:2], PLAY: late[:3]}, set()
    for phase, some in views.items():
        for number, view in enumerate(some):
            if expert(view, random_key(number)) != club(view, random_key(number)):
                differ.add(phase)
    assert differ == {DISCARD, PLAY}
    check(policy, views[DISCARD], expert)
    check(policy, views[PLAY], expert if lookahead else club)


def test_what_a_compiled_player_is_made_of() -> None:
    for kind, name in enumerate(("random", "greedy", "club", "expert")):
        policy = CompiledPolicy(name)
        assert (policy.kind, policy.observation, policy.is_light) == (name, "cards", kind < 3)
        assert (policy.player.shape, policy.player.dtype) == ((1,), PLAYER)
        assert policy.player["kind"].tolist() == [kind]
        assert policy.player["options"].tolist() == [[0.0] * 8]
        assert repr(policy) == f"CompiledPolicy({name!r})"
    policy = CompiledPolicy("expert", (2.0, 0.0, 1.0))
    assert policy.player["options"].tolist() == [[2.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
    assert repr(policy) == "CompiledPolicy('expert', (2.0, 0.0, 1.0))"
    assert repr(CompiledPolicy("expert", (0.0, -1.0))) == "CompiledPolicy('expert', (0.0, -1.0))"
    with pytest.raises(
        ValueError, match="unknown compiled player 'peek'; there are random, greedy"
    ):
        CompiledPolicy("peek")
