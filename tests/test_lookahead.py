"""The ``"lookahead"`` observation against the expert's own look-ahead and the analysis."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env import analyze_discard, observation
from cribbage_env.bots import expert_policy
from cribbage_env.bots.expert.layout import BY_QUICK_RULE
from cribbage_env.bots.expert.observe import NUM_WORLDS, write_lookahead
from cribbage_env.bots.expert.play import ILLEGAL, write_play_worths
from cribbage_env.bots.expert.winning import MOST_NEED
from cribbage_env.bots.expert.worlds import MOST_WORLDS, write_worlds
from cribbage_env.cards import rank_of
from cribbage_env.engine.flow import FIRST_PLAY
from cribbage_env.engine.layout import DISCARD, PLAY, VIEW
from cribbage_env.engine.reply import count_pool
from cribbage_env.game import Game
from cribbage_env.observation import FORECASTS
from cribbage_env.observation.layout import (
    FORECAST_SCALE,
    GAIN_FACTOR,
    LIKELY_SCALE,
    NET_SCALE,
    NET_SHIFT,
    PROSPECT_POINTS,
    REGRET_SCALE,
    WIN_REGRET_FACTOR,
)
from tests.positions import (
    BOOK,
    legal_actions,
    position,
    random_states,
    random_views,
    view_of,
    write_row,
)

UNCOMPILED = bool(numba.config.DISABLE_JIT)
FAR_FROM_HOME = 40
"""Holes that nobody pegs in one deal: the expert takes a win as a thousand points."""
COLUMN = {name: place for place, name in enumerate(FORECASTS)}
SCORES_NEAR_THE_END = (60, 121)


def parts_of(seen: Any) -> dict[str, Any]:
    """Return the segments of a view's observation; what isn't written stays nan."""
    row = np.full(observation.size("lookahead"), np.nan, np.float32)
    write_row(seen, "lookahead", row)
    return observation.view(row)


def to_act(phase: int, number: int, seed: int, target: int = 121) -> Iterator[Any]:
    """Yield views of the seat to act in one phase of random games."""
    for lane in random_states(number, seed, target):
        if lane.phase == phase:
            yield view_of(lane, lane.turn)


def num_worlds(seen: Any) -> int:
    """Return how many hands the opponent may hold."""
    pool = np.empty(13, np.int64)
    count_pool(seen, pool)
    worlds, weights = np.empty((MOST_WORLDS, 4), np.int64), np.empty(MOST_WORLDS)
    return int(write_worlds(seen, pool, BY_QUICK_RULE, BOOK, worlds, weights))


@pytest.mark.kernels
@pytest.mark.parametrize("target", [31, 121, 200])
def test_all_numbers_are_between_0_and_1_and_zero_where_nothing_can_be_done(target: int) -> None:
    own_turns, number = 0, 6 if UNCOMPILED else 250
    for seen in random_views(number, seed=1, target=target):
        parts = parts_of(seen)
        for name in ("likely_ranks", "prospects", "forecasts"):
            assert np.isfinite(parts[name]).all(), name
            assert (parts[name] >= 0).all(), name
            assert (parts[name] <= 1).all(), name
        legal = legal_actions(seen) if seen.is_on_turn else []
        illegal = np.setdiff1d(np.arange(19), legal)
        assert not parts["forecasts"][illegal].any()
        assert all(parts["forecasts"][action].any() for action in legal)
        own_turns += bool(legal)
        if seen.phase != PLAY:
            assert not parts["likely_ranks"].any()
        if seen.phase not in (DISCARD, PLAY):
            assert not parts["prospects"].any()
    assert own_turns > 0.4 * number


def test_what_is_hidden_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    differ = 0
    for seed in range(25):
        game = Game(seed, scores=(int(rng.integers(121)), int(rng.integers(121))))
        while not game.is_over and game.deals == 1:
            seat = int(rng.integers(2))
            other = game.redeal_hidden(seat, int(rng.integers(1 << 30)))
            differ += other.hand(1 - seat) != game.hand(1 - seat)
            before, after = (view_of(one.state[0], seat) for one in (game, other))
            for name, part in parts_of(before).items():
                assert (parts_of(after)[name] == part).all(), name
            game.step(int(rng.choice(game.legal_actions())))
    assert differ > 100


def test_the_opponent_is_expected_to_hold_as_many_cards_as_it_does() -> None:
    exact = 0
    for seen in to_act(PLAY, 300, seed=2):
        likely = parts_of(seen)["likely_ranks"] * LIKELY_SCALE
        assert likely.sum() <= seen.opponent_cards + 1e-4
        if likely.max() < LIKELY_SCALE:  # nothing is clipped
            assert likely.sum() == pytest.approx(seen.opponent_cards, abs=1e-4)
            exact += seen.opponent_cards > 0
    assert exact > 50


@pytest.mark.kernels
def test_prospects_before_the_discard_are_entries_of_the_win_table() -> None:
    def chance(own: int, other: int) -> float:
        if own <= 0:
            return 1.0
        return float(BOOK.win[seen.is_dealer, own, other]) if other > 0 else 0.0

    for seen in to_act(DISCARD, 12 if UNCOMPILED else 300, seed=3):
        own, other = (int(need) for need in seen.target - seen.scores)
        prospects = parts_of(seen)["prospects"]
        now = chance(own, other)
        assert prospects[0] == pytest.approx(now, abs=1e-6)
        for place, points in enumerate(PROSPECT_POINTS):
            gained = chance(own - points, other) - now
            lost = now - chance(own, other - points)
            expected = [min(1.0, GAIN_FACTOR * worth) for worth in (gained, lost)]
            assert prospects[1 + 2 * place : 3 + 2 * place] == pytest.approx(expected, abs=1e-5)


@pytest.mark.kernels
def test_the_net_of_plays_is_the_experts_own_where_every_world_is_followed() -> None:
    player = expert_policy(worlds=MOST_WORLDS, score_aware=False).player[0]
    compared, number = 0, 60 if UNCOMPILED else 1500
    for seen in to_act(PLAY, number, seed=4):
        if num_worlds(seen) > NUM_WORLDS or seen.target - seen.scores[0] <= FAR_FROM_HOME:
            continue
        worths = np.empty(4)
        write_play_worths(player, seen, False, np.uint64(0), BOOK, worths)
        forecasts = parts_of(seen)["forecasts"][FIRST_PLAY:]
        legal = worths != ILLEGAL
        assert (forecasts.any(axis=1) == legal).all()
        expected = np.clip((worths[legal] + NET_SHIFT) / NET_SCALE, 0, 1)
        assert forecasts[legal, COLUMN["net"]] == pytest.approx(expected, abs=1e-6)
        regrets = np.clip((worths[legal].max() - worths[legal]) / REGRET_SCALE, 0, 1)
        assert forecasts[legal, COLUMN["net_regret"]] == pytest.approx(regrets, abs=1e-6)
        compared += legal.sum() > 1
    assert compared > number / 50


def test_a_sample_of_the_worlds_is_close_to_all_of_them() -> None:
    errors = []
    for seen in to_act(PLAY, 300, seed=5):
        legal = legal_actions(seen)
        if num_worlds(seen) <= NUM_WORLDS or len(legal) == 1:
            continue
        whole = np.zeros(observation.size("lookahead"), np.float32)
        write_lookahead(seen, MOST_WORLDS, False, BOOK, whole)
        sampled = parts_of(seen)["forecasts"][legal, COLUMN["net"]]
        errors += list(sampled - observation.view(whole)["forecasts"][legal, COLUMN["net"]])
    assert len(errors) > 100
    assert np.abs(errors).mean() * NET_SCALE < 0.16
    assert abs(np.mean(errors)) * NET_SCALE < 0.03


def test_equal_ranks_are_worth_the_same() -> None:
    twins = 0
    for seen in to_act(PLAY, 1500, seed=6):
        forecasts = parts_of(seen)["forecasts"]
        legal = legal_actions(seen)
        for slot, other in pairwise(legal):
            if rank_of(seen.kept[slot - FIRST_PLAY]) == rank_of(seen.kept[other - FIRST_PLAY]):
                assert (forecasts[slot] == forecasts[other]).all()
                twins += 1
    assert twins > 50


@pytest.mark.kernels
def test_a_last_card_that_is_worked_out_by_hand() -> None:
    lane = position(
        *("discard 2C 3C", "discard AC AD", "play TS", "play JH", "play 9H", "play 2D"),
        *("play KS", "play QH", "play 5S"),
        pone="2C 3C TS 9H KS 5S",
        dealer="AC AD JH 2D QH 6H",
        starter="8C",
    )
    assert lane.turn == 1
    forecasts = parts_of(view_of(lane, 1))["forecasts"]
    (slot,) = legal_actions(view_of(lane, 1))
    # The six makes 31 with KS QH 5S: two points, and nobody has a card left.
    assert forecasts[slot, COLUMN["own_pegs"]] == pytest.approx(2 / FORECAST_SCALE)
    assert forecasts[slot, COLUMN["opponent_pegs"]] == 0
    assert forecasts[slot, COLUMN["net"]] == pytest.approx((2 + NET_SHIFT) / NET_SCALE)


def view_of_six(rng: np.random.Generator, scores: tuple[int, int]) -> NDArray[Any]:
    """Return a view of six cards before the discard."""
    views = np.zeros(1, VIEW)
    views["is_on_turn"], views["phase"], views["target"] = 1, DISCARD, 121
    views["is_dealer"], views["scores"] = rng.integers(2), scores
    views["dealt"] = np.sort(rng.choice(52, 6, replace=False))
    return views


def test_win_chances_of_discards_near_the_end_are_those_of_the_analysis() -> None:
    rng = np.random.default_rng(7)
    lost, errors = [], []
    for _ in range(300):
        own, other = (int(score) for score in rng.integers(*SCORES_NEAR_THE_END, 2))
        views = view_of_six(rng, (own, other))
        found = analyze_discard(
            views["dealt"][0].tolist(),
            is_dealer=bool(views["is_dealer"][0]),
            scores=(own, other),
        )
        exact = {one.action: one.win or 0.0 for one in found}
        wins = parts_of(views[0])["forecasts"][:15, COLUMN["win"]]
        lost.append(found[0].win - exact[int(wins.argmax())])
        errors.append(abs(wins.max() - exact[int(wins.argmax())]))
    assert 0 <= np.mean(lost) < 0.005
    assert np.mean(errors) < 0.02


@pytest.mark.kernels
def test_the_regret_of_a_win_chance_is_the_distance_from_the_best() -> None:
    compared, number = 0, 12 if UNCOMPILED else 120
    for phase in (DISCARD, PLAY):
        for seen in to_act(phase, number, seed=8):
            forecasts = parts_of(seen)["forecasts"][legal_actions(seen)]
            wins = forecasts[:, COLUMN["win"]]
            if wins.max() == 1:  # the best may have been clipped
                continue
            expected = np.minimum(1, (wins.max() - wins) * WIN_REGRET_FACTOR)
            regrets = forecasts[:, COLUMN["win_regret"]]
            assert regrets[wins > 0] == pytest.approx(expected[wins > 0], abs=1e-5)
            assert (regrets >= expected - 1e-5).all()
            compared += 1
    assert compared > number / 4


@pytest.mark.kernels
def test_needs_beyond_the_table_leave_the_chances_even() -> None:
    beyond, number = 0, 6 if UNCOMPILED else 400
    for phase in (DISCARD, PLAY):
        for seen in to_act(phase, number, seed=11, target=200):
            if (seen.target - seen.scores).max() <= MOST_NEED:
                continue
            parts = parts_of(seen)
            legal = legal_actions(seen)
            assert not parts["prospects"].any()
            assert parts["forecasts"][legal, COLUMN["win"]] == pytest.approx(0.5, abs=1e-6)
            assert not parts["forecasts"][legal, COLUMN["win_regret"]].any()
            assert parts["forecasts"][legal, COLUMN["net"]].any()
            beyond += 1
    assert beyond > number / 4
