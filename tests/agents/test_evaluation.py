"""Matches in parts: played by one process or several, in any order, they add up to the same."""

from __future__ import annotations

import os
import random
import time
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from typing import Any

import pytest

from agents.evaluation import Evaluation, Match
from agents.executors import PlayerError, Processes, SameProcess, describe_failure
from agents.parts import PlayedPart, play_part
from cribbage_env import make_policy, register_opponent
from cribbage_env.bots import CompiledPolicy
from cribbage_env.match import MatchSettings, MatchTotals, play_match, play_pairs
from cribbage_env.policy import unregister_opponent

PLAYERS = ("greedy", "club", "random")


class Shuffling:
    """Plays parts in threads, each of which dawdles as it likes."""

    at_once = 6

    def __init__(self, seed: int) -> None:
        self.inner = SameProcess({name: make_policy(name) for name in PLAYERS})
        self.pool = ThreadPoolExecutor(4)
        self.rng = random.Random(seed)
        self.asked: list[tuple[str, str, int]] = []

    def submit(self, a: str, b: str, first: int, stop: int, settings: Any) -> Future[PlayedPart]:
        self.asked.append((a, b, first))
        return self.pool.submit(self.play, self.rng.random() * 0.03, (a, b, first, stop, settings))

    def play(self, delay: float, part: Any) -> PlayedPart:
        time.sleep(delay)
        return self.inner.submit(*part).result()

    def close(self) -> None:
        self.pool.shutdown(cancel_futures=True)


class Fragile:
    """Breaks in the way that its number says, wherever it plays."""

    observation = "cards"

    def __init__(self, way: str) -> None:
        self.way = way
        self.asked = 0

    def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
        self.asked += len(keys)
        if self.asked > 3000 and self.way == "death":
            os._exit(3)
        if self.asked > 3000 and self.way == "odd":
            raise OddError("one", "two")
        return CompiledPolicy("greedy").act(observations, action_masks, keys)

    def __reduce__(self) -> Any:
        raise TypeError("it holds a lock")


class OddError(Exception):
    """Can't be unpickled, as its arguments aren't kept."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(f"{one} and {two}")


def make_odd() -> Fragile:
    return Fragile("odd")


def make_dying() -> Fragile:
    return Fragile("death")


def make_sound() -> Fragile:
    return Fragile("none")


def outcome(evaluation: Evaluation) -> list[tuple[MatchTotals, str]]:
    return [(match.played.totals, match.played.pair_wins) for match in evaluation.matches]


def played(settings: MatchSettings, executor: Any = None, players: Any = PLAYERS) -> Evaluation:
    evaluation = Evaluation(players, settings)
    evaluation.play(executor)
    assert evaluation.is_complete
    assert evaluation.games == evaluation.most_games
    return evaluation


# ---- parts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("a", "b"), [("club", "random"), ("greedy", "club"), ("club", "club")])
def test_a_part_is_what_play_pairs_plays(a: str, b: str) -> None:
    one, other = make_policy(a), make_policy(b)
    if a == b:
        other = one
    settings = MatchSettings(games=100, seed=4, target=61)
    part = play_part(one, other, 7, 31, settings)
    assert part.totals == play_pairs(one, other, 7, 31, seed=4, target=61)
    each = [play_pairs(one, other, k, k + 1, seed=4, target=61).wins_a for k in range(7, 31)]
    assert part.pair_wins == "".join(map(str, each))
    assert part.seconds > 0


def test_parts_add_up() -> None:
    club, greedy = make_policy("club"), make_policy("greedy")
    settings = MatchSettings(games=40, seed=1)
    whole = play_part(club, greedy, 0, 20, settings)
    parts = [play_part(club, greedy, k, k + 5, settings) for k in (0, 5, 10, 15)]
    total = sum(parts, PlayedPart())
    assert (total.totals, total.pair_wins) == (whole.totals, whole.pair_wins)
    assert total.seconds == sum(part.seconds for part in parts)


def test_a_match_is_cut_at_fixed_places() -> None:
    match = Match("a", "b", MatchSettings(games=2020, batch_size=600))
    assert list(match.parts()) == [(0, 300), (300, 600), (600, 900), (900, 1010)]
    # A look at the interval is the end of a part.
    match = Match("a", "b", MatchSettings(games=2020, batch_size=600, until_half_width=0.001))
    assert list(match.parts()) == [(0, 300), (300, 500), (500, 800), (800, 1000), (1000, 1010)]
    match.played = PlayedPart(MatchTotals(pair_wins=(100, 500, 110)))
    assert list(match.parts()) == [(710, 1000), (1000, 1010)]


def test_parts_are_added_in_order() -> None:
    match = Match("a", "b", MatchSettings(games=8))
    parts = [PlayedPart(MatchTotals(pair_wins=(0, 0, 1)), digit, 1.0) for digit in "2101"]
    for place, expected in ((2, ""), (1, ""), (0, "210"), (3, "2101")):
        match.take(place, parts[place])
        assert match.played.pair_wins == expected
    assert match.is_over


# ---- one process, several, any order -----------------------------------------------------------


def test_an_evaluation_is_the_matches_of_play_match() -> None:
    evaluation = played(MatchSettings(games=60, seed=2, batch_size=14))
    for match in evaluation.results:
        assert match.totals == play_match(match.a, match.b, games=60, seed=2).totals
        assert (match.seed, match.target) == (2, 121)


@pytest.mark.parametrize(("seed", "width"), [(0, None), (1, None), (2, 0.02)])
def test_the_order_in_which_parts_come_changes_nothing(seed: int, width: float | None) -> None:
    settings = MatchSettings(games=4000 if width else 600, batch_size=100, until_half_width=width)
    executor = Shuffling(seed)
    evaluation = played(settings, executor)
    executor.close()
    expected = played(settings)
    assert outcome(evaluation) == outcome(expected)
    for match, same in zip(evaluation.results, expected.results, strict=True):
        assert (match.games, match.interval) == (same.games, same.interval)
        limit = {"until_half_width": width, "games": settings.games}
        assert match.totals == play_match(match.a, match.b, **limit).totals
    if width:
        # Of what lies behind the end of a match at most a few parts are asked for.
        assert evaluation.games < 100 * len(executor.asked) <= evaluation.games + 3 * 600
        assert max(first for _, _, first in executor.asked) < 1500


def test_two_processes_play_what_one_plays() -> None:
    register_opponent("by-name", lambda: CompiledPolicy("club"))
    players = ("random", "by-name", f"{__name__}:make_sound")
    settings = MatchSettings(games=1400, seed=3, batch_size=100, until_half_width=0.015)
    seen: list[int] = []
    executor: Processes | None = None
    try:
        expected = played(settings, players=players)
        executor = Processes(2, expected.policies)
        evaluation = Evaluation(players, settings)
        evaluation.play(executor, progress=lambda: seen.append(evaluation.games))
    finally:
        unregister_opponent("by-name")
        if executor is not None:
            executor.close()
    assert outcome(evaluation) == outcome(expected)
    assert evaluation.is_complete
    assert [match.games for match in evaluation.results] == [1000, 1000, 1400]
    assert seen == sorted(seen)
    assert len(set(seen)) > 10


@pytest.mark.parametrize(
    ("factory", "error", "words"),
    [
        ("make_odd", PlayerError, r"OddError\('one and two'\) \(test_evaluation.py, line \d+\)"),
        ("make_dying", BrokenExecutor, "process"),
    ],
)
def test_what_goes_wrong_in_a_worker_is_raised_here(
    factory: str, error: type[Exception], words: str
) -> None:
    settings = MatchSettings(games=400, batch_size=20)
    evaluation = Evaluation(("random", "club", f"{__name__}:{factory}"), settings)
    executor = Processes(1, evaluation.policies)
    try:
        with pytest.raises(error, match=words) as raised:
            evaluation.play(executor)
    finally:
        executor.close()
    assert not evaluation.is_complete
    assert evaluation.matches[0].is_over
    assert 0 < evaluation.matches[1].games < 400
    assert evaluation.results[1].totals.games == len(evaluation.matches[1].played.pair_wins) * 2
    assert "\n" not in describe_failure(raised.value)


def test_processes_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="workers must be 1 or more, not 0"):
        Processes(0, {})
    register_opponent("locked", lambda: Fragile("none"))
    try:
        players = {"locked": make_policy("locked")}
    finally:
        unregister_opponent("locked")
    Processes(1, players).close()  # not registered any more: made by its name, if it is asked for
    register_opponent("locked", lambda: Fragile("none"))
    try:
        with pytest.raises(ValueError, match=r"'locked' is registered in this process only.*lock"):
            Processes(1, players)
    finally:
        unregister_opponent("locked")


# ---- gone on with ------------------------------------------------------------------------------


class Stopping:
    """Is interrupted at one of its parts."""

    at_once = 1

    def __init__(self, evaluation: Evaluation, part: int) -> None:
        self.inner = SameProcess(evaluation.policies)
        self.left = part

    def submit(self, *part: Any) -> Future[PlayedPart]:
        self.left -= 1
        if self.left < 0:
            raise KeyboardInterrupt
        return self.inner.submit(*part)

    def close(self) -> None:
        pass


@pytest.mark.parametrize("part", [0, 1, 9, 20])
@pytest.mark.parametrize("width", [None, 0.012])
def test_an_interrupted_evaluation_goes_on(part: int, width: float | None) -> None:
    settings = MatchSettings(games=1500, seed=8, batch_size=150, until_half_width=width)
    evaluation = Evaluation(PLAYERS, settings)
    with pytest.raises(KeyboardInterrupt):
        evaluation.play(Stopping(evaluation, part))
    assert not evaluation.is_complete
    assert evaluation.games < evaluation.most_games
    finished: list[str] = []
    evaluation.play(finished=lambda match: finished.append(match.b))
    assert outcome(evaluation) == outcome(played(settings))
    assert finished[-1] == "random"
    evaluation.play(Stopping(evaluation, 0))  # nothing is left to play


def test_failures_in_one_line() -> None:
    assert describe_failure(ValueError("what\n  it is")) == "what it is"
    assert describe_failure(KeyError("x")) == "KeyError('x')"
