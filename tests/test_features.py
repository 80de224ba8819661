"""The features against slow recomputation in plain Python: every hand the opponent may hold."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import numba
import numpy as np
import pytest

from cribbage_env.cards import format_cards, parse_card, parse_cards, value_of
from cribbage_env.engine.layout import DISCARD, PLAY
from cribbage_env.engine.reply import (
    NUM_REPLY_VALUES,
    REPLY_WORK,
    chance_of_none,
    count_pool,
    work_out_reply,
)
from cribbage_env.observation import ACTION_FEATURES, size, view, write_features
from cribbage_env.scoring import score_hand, score_play
from tests.positions import (
    BOOK,
    DEALER,
    PONE,
    legal_actions,
    position,
    random_states,
    view_of,
)

pytestmark = pytest.mark.kernels

NUMBER = 80 if numba.config.DISABLE_JIT else 600
ENOUGH = 1 if numba.config.DISABLE_JIT else 5
FEW_HANDS, MOST_HANDS = 1_000, 20_000
"""Trying every hand of the opponent is fast up to the first number and hopeless from the second."""


def features_of(seen: Any) -> dict[str, Any]:
    out = np.full(size("features"), np.nan, np.float32)
    write_features(seen, BOOK, out)
    assert (out >= 0).all()
    assert (out <= 1).all()
    return view(out)


def action_numbers(seen: Any, action: int) -> dict[str, float]:
    row = features_of(seen)["actions"][action].tolist()
    return dict(zip(ACTION_FEATURES, row, strict=True))


def clip(number: float) -> float:
    return min(max(number, 0.0), 1.0)


def decisions(phase: int, number: int, seed: int) -> Iterator[Any]:
    """Yield views of the seat to act, in one phase of random games."""
    for lane in random_states(number, seed):
        if lane.phase == phase:
            yield view_of(lane, lane.turn)


# ---- plain Python ----------------------------------------------------------------------------


def own_held(seen: Any) -> list[int]:
    return [card for card, held in zip(seen.kept.tolist(), seen.held, strict=True) if held]


def pile_of(seen: Any) -> list[int]:
    return seen.plays[seen.pile_start : seen.plays_made].tolist()


def possible_cards(seen: Any) -> list[int]:
    """Return the cards that the opponent may hold: unseen, and laid nowhere that it had to be."""
    laid = seen.plays[: seen.plays_made].tolist()
    known = {*seen.dealt.tolist(), int(seen.starter), *laid}
    cards = {card for card in range(52) if card not in known}
    counts: list[int] = []  # after each card laid
    for card in laid:
        before = counts[-1] if counts else 0
        is_new = before + value_of(card) > 31
        if is_new:
            cards = {card for card in cards if before + value_of(card) > 31}
        counts.append(value_of(card) if is_new else before + value_of(card))
    for count, said in zip(counts, seen.go_after, strict=False):
        if said == 2:
            cards = {card for card in cards if count + value_of(card) > 31}
    if laid and not pile_of(seen):
        cards = {card for card in cards if counts[-1] + value_of(card) > 31}
    return sorted(cards)


def fitting(cards: list[int], count: int) -> list[int]:
    return [card for card in cards if count + value_of(card) <= 31]


def best_points(pile: list[int], cards: list[int]) -> int | None:
    """Return what the best of the cards scores on a pile, None if none fits."""
    fits = fitting(cards, sum(map(value_of, pile)))
    return max((score_play([*pile, card]).total for card in fits), default=None)


def reply_values(seen: Any, slot: int) -> list[float]:
    """Return points, reply, chances and answer over every hand that the opponent may hold."""
    card = int(seen.kept[slot])
    others = [held for held in own_held(seen) if held != card]
    pile = [*pile_of(seen), card]
    count = sum(map(value_of, pile))
    pool = possible_cards(seen)
    worth = {c: score_play([*pile, c]).total for c in fitting(pool, count)}
    answers = {c: best_points([*pile, c], others) or 0 for c in worth}
    own_next = best_points(pile, others)
    after_go = own_next if own_next is not None else int(count < 31)
    needed = seen.target - seen.scores[1]
    sums = np.zeros(5)
    hands = 0
    for hand in combinations(pool, seen.opponent_cards):
        hands += 1
        replies = [c for c in hand if c in worth]
        if not replies:
            sums += [0, 0, 1, after_go, 0]
            continue
        best = max(worth[c] for c in replies)
        tied = [answers[c] for c in replies if worth[c] == best]
        sums += [best, best > 0, 0, sum(tied) / len(tied), best >= needed]
    return [score_play(pile).total, *(sums / hands).tolist()]


def number_of_hands(seen: Any) -> int:
    pool, number = len(possible_cards(seen)), 1
    for place in range(seen.opponent_cards):
        number = number * (pool - place) // (place + 1)
    return number


# ---- the state -------------------------------------------------------------------------------


def test_numbers_of_the_state() -> None:
    for lane in random_states(NUMBER, seed=21):
        for seat in (PONE, DEALER):
            check_state(view_of(lane, seat))


def check_state(seen: Any) -> None:
    parts = features_of(seen)
    has_discarded = seen.kept[0] >= 0
    held = own_held(seen) if has_discarded else seen.dealt.tolist()
    ranks = np.bincount([card // 4 for card in held], minlength=13) / 4
    assert parts["held_ranks"].tolist() == ranks.tolist()
    ranks = np.bincount([card // 4 for card in possible_cards(seen)], minlength=13) / 4
    assert parts["opponent_ranks"].tolist() == ranks.tolist()
    for player in (0, 1):
        needed = int(seen.target - seen.scores[player])
        assert parts["holes_left"][player].tolist() == [float(needed > k) for k in range(30)]
    own_hand = score_hand(seen.kept, seen.starter).total if seen.starter >= 0 else 0
    assert parts["own_hand"] == np.float32(own_hand / 29)
    crib = 0.0
    if has_discarded:
        low, high = sorted(seen.discards // 4)
        is_suited = int(seen.discards[0] % 4 == seen.discards[1] % 4)
        crib = BOOK.crib_value[seen.is_dealer, low, high, is_suited] / 10
    assert parts["crib"] == np.float32(crib)


def test_the_opponents_true_cards_are_always_possible() -> None:
    ruled_out = 0
    for lane in random_states(NUMBER, seed=22):
        for seat in (PONE, DEALER):
            seen = view_of(lane, seat)
            pool = np.zeros(13, np.int64)
            pool_size = count_pool(seen, pool)
            assert pool_size == pool.sum()
            truth = np.zeros(13, int)
            for card, held in zip(lane.kept[1 - seat], lane.held[1 - seat], strict=True):
                truth[card // 4] += held
            assert (truth <= pool).all()
            laid = seen.plays_made - seen.play_is_own.sum()
            ruled_out += pool_size < 52 - 6 - (seen.starter >= 0) - laid
    assert ruled_out > 10


def test_goes_and_counts_that_ended_rule_cards_out() -> None:
    lane = position(
        "discard AC 4D",
        "discard 2C 3D",
        *("play QS", "play TC", "play KS", "play 9C", "play JD", "play 8S"),
        pone="AC 4D 5H JD QS KS",
        dealer="2C 3D 7H 8S 9C TC",
        starter="6D",
    )
    pool = np.zeros(13, np.int64)
    # The dealer said go at 30, and could lay nothing on the 27 on which pone said go.
    assert count_pool(view_of(lane, PONE), pool) == 28
    assert pool.tolist() == [0, 0, 0, 0, 3, 3, 4, 3, 3, 3, 3, 3, 3]
    # Of pone the dealer knows that it could lay nothing on 30 and on 27 either.
    assert count_pool(view_of(lane, DEALER), pool) == 28
    assert pool.tolist() == [0, 0, 0, 0, 4, 3, 3, 3, 3, 3, 3, 3, 3]


# ---- discards --------------------------------------------------------------------------------


def test_features_of_every_discard() -> None:
    for seen in decisions(DISCARD, NUMBER // 10, seed=23):
        check_discards(seen)


def check_discards(seen: Any) -> None:
    rows = features_of(seen)["actions"]
    assert not rows[15:].any()
    dealt = seen.dealt.tolist()
    needed = seen.target - seen.scores[0]
    starters = [card for card in range(52) if card not in dealt]
    hands, cribs, thrown = [], [], list(combinations(dealt, 2))
    for pair in thrown:
        kept = [card for card in dealt if card not in pair]
        hands.append([score_hand(kept, starter).total for starter in starters])
        suited = int(pair[0] % 4 == pair[1] % 4)
        cribs.append(BOOK.crib_value[seen.is_dealer, pair[0] // 4, pair[1] // 4, suited])
    means = [sum(points) / 46 for points in hands]
    sign = 1 if seen.is_dealer else -1
    totals = [mean + sign * crib for mean, crib in zip(means, cribs, strict=True)]
    for action, pair in enumerate(thrown):
        ranks = [sum(card // 4 == rank for card in pair) / 2 for rank in range(13)]
        kept = [card for card in dealt if card not in pair]
        expected = {
            "legal": 1.0,
            **{f"rank_{'A23456789TJQK'[rank]}": ranks[rank] for rank in range(13)},
            "total": clip((totals[action] + 10) / 40),
            "regret": clip((max(totals) - totals[action]) / 4),
            "reaches_target": sum(points >= needed for points in hands[action]) / 46,
            "hand_mean": means[action] / 29,
            "hand_best": max(hands[action]) / 29,
            "hand_worst": min(hands[action]) / 29,
            "hand_regret": clip((max(means) - means[action]) / 4),
            "own_crib": clip(cribs[action] / 10) if seen.is_dealer else 0.0,
            "opponent_crib": 0.0 if seen.is_dealer else clip(cribs[action] / 10),
            "thrown_suited": float(pair[0] % 4 == pair[1] % 4),
            "kept_low": sum(card // 4 < 4 for card in kept) / 4,
        }
        numbers = dict(zip(ACTION_FEATURES, rows[action].tolist(), strict=True))
        got = {name: numbers.pop(name) for name in expected}
        assert got == pytest.approx(expected, abs=1e-6), format_cards(pair)
        assert not any(numbers.values())


# ---- plays -----------------------------------------------------------------------------------


def test_features_of_every_play() -> None:
    checked = np.zeros(5, int)
    for seen in decisions(PLAY, NUMBER, seed=24):
        hands = number_of_hands(seen)
        if hands > MOST_HANDS or (hands > FEW_HANDS and checked[seen.opponent_cards] == ENOUGH):
            continue
        checked[seen.opponent_cards] += 1
        check_plays(seen)
    assert (checked[:4] >= ENOUGH).all()


def test_features_of_a_first_play() -> None:
    if numba.config.DISABLE_JIT:
        pytest.skip("every hand of four cards takes long to try")
    lane = position(
        "discard AC KD",
        "discard TH TD",
        pone="AC 4D 4H 5H 6S KD",
        dealer="2C 3D 7H 8S TH TD",
        starter="JC",
        scores=(30, 119),
    )
    check_plays(view_of(lane, PONE))


def check_plays(seen: Any) -> None:
    rows = features_of(seen)["actions"]
    legal = [action - 15 for action in legal_actions(seen)]
    values = {slot: reply_values(seen, slot) for slot in legal}
    totals = {
        slot: points - reply + answer for slot, (points, reply, _, _, answer, _) in values.items()
    }
    assert not np.delete(rows, [15 + slot for slot in legal], axis=0).any()
    for slot in legal:
        points, reply, scores, go, answer, reaches = values[slot]
        card = int(seen.kept[slot])
        count = int(seen.count) + value_of(card)
        others = [held for held in own_held(seen) if held != card]
        expected = {
            "legal": 1.0,
            **{f"rank_{rank}": 0.5 * (rank == format_cards(card)[0]) for rank in "A23456789TJQK"},
            "total": clip((totals[slot] + 10) / 40),
            "regret": clip((max(totals.values()) - totals[slot]) / 4),
            "reaches_target": float(points >= seen.target - seen.scores[0]),
            "points": points / 14,
            "count": count / 31,
            "makes_15": float(count == 15),
            "makes_31": float(count == 31),
            "makes_5_or_21": float(count in (5, 21)),
            "reply": clip(reply / 6),
            "reply_scores": scores,
            "reply_reaches_target": reaches,
            "go": go,
            "answer": clip(answer / 6),
            "fits_after": len(fitting(others, count)) / 3,
        }
        numbers = dict(zip(ACTION_FEATURES, rows[15 + slot].tolist(), strict=True))
        got = {name: numbers.pop(name) for name in expected}
        assert got == pytest.approx(expected, abs=1e-6), format_cards(card)
        assert not any(numbers.values())


def test_the_best_play_there_is_stays_in_bounds() -> None:
    # 7 and four sixes make 31: twelve for the sixes and two, the most that a card can score.
    assert score_play("7C 6C 6D 6H 6S").total == 14
    lane = position(
        "discard AC 2C",
        "discard KC KD",
        "play 7C",
        "play 6C",
        "play 6D",
        "play 6H",
        pone="AC 2C 6D 6S 7C KH",
        dealer="6C 6H TC TD KC KD",
        starter="3S",
    )
    seen = view_of(lane, PONE)
    numbers = action_numbers(seen, 15 + seen.kept.tolist().index(parse_card("6S")))
    assert numbers["points"] == numbers["makes_31"] == numbers["go"] == 1.0
    assert numbers["reply"] == numbers["answer"] == 0.0


def test_the_last_card_of_all_is_worth_its_point() -> None:
    deeds = ("discard AC 2C", "discard 3C 4C")
    lane = position(
        *deeds,
        *("play KH", "play KS", "play TH", "play QS", "play QH", "play JS"),
        pone="AC 2C 9H TH QH KH",
        dealer="3C 4C 9S JS QS KS",
        starter="5D",
    )
    seen = view_of(lane, PONE)
    assert own_held(seen) == parse_cards("9H")
    numbers = action_numbers(seen, 15)
    assert numbers["go"] < 1.0  # the dealer still holds a card, which fits unless it has a ten
    lane = position(
        *deeds,
        *("play KH", "play KS", "play TH", "play QS", "play QH", "play JS", "play 9H"),
        pone="AC 2C 9H TH QH KH",
        dealer="3C 4C 9S JS QS KS",
        starter="5D",
    )
    numbers = action_numbers(view_of(lane, DEALER), 15)
    assert numbers["go"] == 1.0
    assert numbers["answer"] == pytest.approx(1 / 6)  # last card


def test_nobody_on_turn_means_no_action() -> None:
    for lane in random_states(NUMBER // 10, seed=25):
        for seat in (PONE, DEALER):
            rows = features_of(view_of(lane, seat))["actions"]
            assert rows.any() == (lane.turn == seat)
            assert np.flatnonzero(rows[:, 0]).tolist() == legal_actions(view_of(lane, seat))


# ---- the parts -------------------------------------------------------------------------------


@pytest.mark.parametrize("drawn", range(5))
def test_chance_of_none_counts_hands(drawn: int) -> None:
    for pool_size in range(drawn, 9):
        for marked in range(pool_size + 1):
            hands = list(combinations(range(pool_size), drawn))
            expected = sum(all(card >= marked for card in hand) for hand in hands) / len(hands)
            assert chance_of_none(marked, pool_size, drawn) == pytest.approx(expected)


def test_laying_a_card_in_thought_changes_nothing() -> None:
    for seen in decisions(PLAY, NUMBER // 10, seed=26):
        before = seen.copy()
        pool = np.zeros(13, np.int64)
        pool_size = count_pool(seen, pool)
        work, values = np.zeros(1, REPLY_WORK), np.zeros(NUM_REPLY_VALUES)
        for action in legal_actions(seen):
            work_out_reply(seen, action - 15, pool, pool_size, work[0], values)
        assert seen.tobytes() == before.tobytes()
        assert pool.sum() == pool_size
