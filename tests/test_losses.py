"""Points lost per deal: the same as the analysis says of each choice, however it is cut up."""

from __future__ import annotations

import json
from typing import Any

import numba
import numpy as np
import pytest
from numpy.typing import NDArray

from cribbage_env import Game, Policy, analyze_discard, analyze_play
from cribbage_env.cards import rank_of
from cribbage_env.match import Losses, measure_losses
from cribbage_env.match.losses import MEASURES
from tests.players import Asked

UNCOMPILED = bool(numba.config.DISABLE_JIT)


class LowestLegal:
    observation = "cards"

    def act(self, observations: Any, action_masks: NDArray[np.int8], keys: Any) -> Any:
        return action_masks.argmax(axis=1)


def lost_by_the_analysis(game: Game, seat: int) -> NDArray[np.float64]:
    """Let both seats do the first that is legal in one deal; return what the seat's choices lost.

    The columns are the measures; the rows what was lost, the choices, and the best ones.
    """
    found = np.zeros((3, len(MEASURES)))

    def count(measure: int, worths: dict[int, float], action: int) -> None:
        loss = max(worths.values()) - worths[action]
        found[:, measure] += loss, 1, loss < 1e-9

    while game.deals == 1 and game.phase != "over":
        action = game.legal_actions()[0]
        if game.turn == seat and game.phase == "discard":
            analysis = analyze_discard(game.hand(seat), is_dealer=game.dealer == seat)
            count(0, {one.action: one.total - one.pegging for one in analysis}, action)
            count(1, {one.action: one.total for one in analysis}, action)
        elif game.turn == seat:
            plays = analyze_play(game, seat)
            if len({rank_of(one.card) for one in plays}) > 1:
                count(2, {one.action: one.net for one in plays}, action)
        game.step(action)
    return found


@pytest.mark.parametrize("seed", range(6))
def test_it_is_what_the_analysis_says_of_every_choice(seed: int) -> None:
    found = measure_losses(LowestLegal(), deals=2, seed=seed, opponent=LowestLegal())
    for seat, role in ((0, "dealer"), (1, "pone")):
        lost, choices, best = lost_by_the_analysis(Game(seed=seed, dealer=0), seat)
        for index, measure in enumerate(MEASURES):
            number = ("pone", "dealer").index(role)
            assert found.per_deal(measure, role) == pytest.approx(lost[index], abs=1e-3)
            assert found.choices[index][number] == choices[index]
            assert found.best[index][number] == best[index]


def test_parts_add_up_exactly_whatever_the_batch() -> None:
    whole = measure_losses("greedy", deals=60, seed=4)
    steps: list[Losses] = []
    assert measure_losses("greedy", deals=60, seed=4, batch_size=14, progress=steps.append) == whole
    assert [part.deals for part in steps] == [14, 28, 42, 56, 60]
    assert measure_losses("greedy", deals=14, seed=4) == steps[0]
    assert steps[0] + Losses() == steps[0]


def test_a_sample_of_worlds_is_the_same_every_time_and_close_to_all() -> None:
    whole = measure_losses("club", deals=300, seed=2)
    sampled = measure_losses("club", deals=300, seed=2, worlds=128)
    assert measure_losses("club", deals=300, seed=2, worlds=128, batch_size=100) == sampled
    assert sampled != whole
    assert sampled.per_deal("play") == pytest.approx(whole.per_deal("play"), abs=0.05)
    # The best of noisy numbers is too high, so a sample counts a little too much.
    expert = [measure_losses("expert", deals=100, seed=2, worlds=worlds) for worlds in (16, 1820)]
    assert expert[0].per_deal("play") > expert[1].per_deal("play") > 0


@pytest.mark.kernels
@pytest.mark.parametrize("name", ["random", "club"])
def test_a_policy_is_measured_as_its_kernel_is(name: str) -> None:
    asked = Asked(name)
    assert isinstance(asked, Policy)
    deals, batch_size = (2, 2) if UNCOMPILED else (100, 50)
    found = measure_losses(asked, deals=deals, seed=3, worlds=8, batch_size=batch_size)
    assert found == measure_losses(name, deals=deals, seed=3, worlds=8)
    assert len(asked.batches) < 40
    assert max(asked.batches) == batch_size


def test_stronger_players_lose_less() -> None:
    players = ("random", "greedy", "club", "expert")
    found = [measure_losses(name, deals=1000, worlds=0) for name in players]
    lost = [one.per_deal("discard") for one in found]
    assert lost[0] > 3.5
    assert 0.4 < lost[1] < 0.7
    assert 0 < lost[2] < 0.01
    assert lost[3] == 0
    assert found[3].interval("discard") == (0.0, 0.0)
    assert found[3].best_share("discard") == 1.0
    plays = [measure_losses(name, deals=200, worlds=64).per_deal("play") for name in players]
    assert plays[0] > plays[1] > plays[2] > 5 * plays[3] > 0


def test_the_report_is_what_json_holds() -> None:
    found = measure_losses("greedy", deals=200, seed=1, worlds=16)
    report = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert set(report) == {"deals", *MEASURES}
    assert report["deals"] == 200
    for measure in MEASURES:
        dealer, pone, both = (report[measure][name] for name in ("dealer", "pone", "both"))
        assert both["lost"] == pytest.approx((dealer["lost"] + pone["lost"]) / 2)
        assert both["choices"] == dealer["choices"] + pone["choices"]
        for one in (dealer, pone, both):
            assert one["interval"][0] < one["lost"] < one["interval"][1]
            assert 0 < one["best_share"] < 1
    assert report["discard"]["dealer"]["choices"] == 100
    without = measure_losses("greedy", deals=2, worlds=0)
    assert set(without.to_dict()) == {"deals", "discard", "discard_with_pegging"}
    assert without.best_share("play") is None
    assert without.interval("discard") is None


@pytest.mark.parametrize(
    ("settings", "error", "words"),
    [
        ({"deals": 3}, ValueError, "deals must be even.*3"),
        ({"deals": 0}, ValueError, "deals.*0"),
        ({"deals": 2.0}, TypeError, r"deals.*2\.0"),
        ({"deals": 10, "seed": -1}, ValueError, "-1"),
        ({"deals": 10, "worlds": -5}, ValueError, "-5"),
        ({"deals": 10, "worlds": 1.5}, TypeError, r"1\.5"),
        ({"deals": 10, "worlds": True}, TypeError, "True"),
        ({"deals": 10, "batch_size": 1}, ValueError, "1"),
        ({"deals": 10, "opponent": "nobody"}, ValueError, "nobody"),
    ],
)
def test_bad_settings_are_refused(settings: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        measure_losses("greedy", **settings)


def test_bad_questions_are_refused() -> None:
    found = measure_losses("greedy", deals=2, worlds=0)
    with pytest.raises(ValueError, match="pegging"):
        found.per_deal("pegging")
    with pytest.raises(ValueError, match="lead"):
        found.interval("discard", "lead")
    with pytest.raises(ValueError, match="no deal"):
        Losses().per_deal("discard")
