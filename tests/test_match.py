"""Duplicate matches: replayed by hand, cut up, swapped, and the intervals."""

from __future__ import annotations

from itertools import product
from math import comb
from typing import Any

import numba
import numpy as np
import pytest

from cribbage_env.bots import CompiledPolicy
from cribbage_env.engine.chance import decision_key
from cribbage_env.envs.single import CribbageEnv
from cribbage_env.match import MatchSettings, MatchTotals, play_match, play_pairs
from cribbage_env.match.intervals import games_interval, mean_interval, pairs_interval
from cribbage_env.match.result import MatchResult
from cribbage_env.policy import Policy, make_policy
from cribbage_env.scoring import skunk
from tests.players import Asked

GAMES = 4 if numba.config.DISABLE_JIT else 40
SEED = 5

SOURCE_OF = {"hand": "hand", "crib": "crib", "play": "play", "last": "play", "starter": "heels"}


class Stubborn:
    """Answers the same to everything."""

    observation = "features"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act(self, observations: Any, action_masks: Any, keys: Any) -> Any:
        return self.answer if isinstance(self.answer, str) else np.full(len(keys), self.answer)

    def __repr__(self) -> str:
        return "Stubborn()"


def replay(players: tuple[Policy, Policy], games: int, seed: int, target: int) -> dict[str, Any]:
    """Play a match decision by decision through the environment, and count its events."""
    out: dict[str, Any] = {
        **dict.fromkeys(("wins_a", "margin", "deals", "first_dealer_wins"), 0),
        "skunks": [0, 0],
        "double_skunks": [0, 0],
    }
    points: dict[tuple[str, str, str], int] = {}
    tallied = {(player, role): 0 for player in "ab" for role in ("pone", "dealer")}
    for swapped in (False, True):
        env = CribbageEnv(opponent=None, target=target)
        for number in range(games // 2):
            game = play_game(env, players[::-1] if swapped else players, seed, number)
            names = "ba" if swapped else "ab"
            winner, scores = names[game.winner], dict(zip(names, game.scores, strict=True))
            out["wins_a"] += winner == "a"
            out["margin"] += scores["a"] - scores["b"]
            out["deals"] += game.deals
            grade = skunk(game.scores, target)
            out["skunks"]["ab".index(winner)] += grade > 0
            out["double_skunks"]["ab".index(winner)] += grade == 2
            deal, dealer = 0, -1
            for event in game.events:
                if event.kind == "deal":
                    deal, dealer = deal + 1, event.player
                    if deal == 1:
                        out["first_dealer_wins"] += dealer == game.winner
                    if deal <= 4:
                        tallied[names[dealer], "dealer"] += 1
                        tallied[names[1 - dealer], "pone"] += 1
                elif deal <= 4 and event.kind in SOURCE_OF:
                    role = "dealer" if event.player == dealer else "pone"
                    place = names[event.player], role, SOURCE_OF[event.kind]
                    points[place] = points.get(place, 0) + event.points
    out["points"] = {place: total / tallied[place[:2]] for place, total in points.items()}
    return out


def play_game(env: CribbageEnv, seated: tuple[Policy, Policy], seed: int, number: int) -> Any:
    observation, info = env.reset(seed=seed if number == 0 else None)
    decisions = {}
    terminated = False
    while not terminated:
        game, seat = env.game, info["seat"]
        place = game.deals, seat
        decisions[place] = decisions.get(place, -1) + 1
        key = decision_key(np.uint64(seed), number, game.deals, seat, decisions[place])
        rows = observation[None], info["action_mask"][None], np.array([key], np.uint64)
        observation, _, terminated, _, info = env.step(int(seated[seat].act(*rows)[0]))
    return env.game


# ---- counts ------------------------------------------------------------------------------------


@pytest.mark.kernels
@pytest.mark.parametrize(
    ("a", "b", "target"),
    [("club", "random", 121), ("greedy", "club", 61), ("random", "greedy", 7)],
)
def test_a_match_replayed_one_decision_at_a_time(a: str, b: str, target: int) -> None:
    result = play_match(a, b, games=GAMES, seed=SEED, target=target)
    expected = replay((make_policy(a), make_policy(b)), GAMES, SEED, target)
    totals = result.totals
    assert result.games == GAMES
    assert totals.wins_a == expected["wins_a"]
    assert totals.margin == expected["margin"]
    assert totals.deals == expected["deals"]
    assert totals.first_dealer_wins == expected["first_dealer_wins"]
    assert list(totals.skunks) == expected["skunks"]
    assert list(totals.double_skunks) == expected["double_skunks"]
    means = result.points_per_deal
    for player, role in product("ab", ("pone", "dealer")):
        for source, mean in means[player][role].items():
            if source != "total":
                assert mean == expected["points"].get((player, role, source), 0), (player, source)
        assert means[player][role]["total"] == pytest.approx(
            sum(mean for source, mean in means[player][role].items() if source != "total")
        )


def test_the_replayed_match_has_skunks_of_both_kinds() -> None:
    totals = play_match("club", "random", games=GAMES, seed=SEED).totals
    assert 0 < totals.double_skunks[0] < totals.skunks[0] < totals.wins_a


def test_what_is_written_down_is_the_contract() -> None:
    written = play_match("club", "random", games=200, seed=SEED).to_dict()
    assert {
        "a", "b", "games", "wins_a", "win_rate_a", "interval", "margin_a", "deals",
        "first_dealer_wins", "skunks_a", "skunks_b", "games_per_second", "points_per_deal",
    } <= set(written)  # fmt: skip
    assert (written["a"], written["b"], written["games"]) == ("club", "random", 200)
    assert written["win_rate_a"] == written["wins_a"] / 200
    assert 0 <= written["double_skunks_a"] <= written["skunks_a"] <= written["wins_a"]
    low, high = written["interval"]
    assert 0 <= low < written["win_rate_a"] <= high <= 1
    assert written["games_per_second"] == pytest.approx(200 / written["seconds"])
    for player in "ab":
        assert list(written["points_per_deal"][player]) == ["dealer", "pone"]
        assert list(written["points_per_deal"][player]["dealer"]) == [
            "hand", "crib", "play", "heels", "total",
        ]  # fmt: skip
        assert list(written["points_per_deal"][player]["pone"]) == ["hand", "play", "total"]
    # Nobody's play changes the starter, and both players deal the same deals.
    heels = [written["points_per_deal"][player]["dealer"]["heels"] for player in "ab"]
    assert heels[0] == heels[1] > 0


def test_decisions_are_those_the_players_were_asked_for() -> None:
    a, b = Asked("club"), Asked("random")
    totals = play_match(a, b, games=20, seed=2).totals
    assert totals.decisions == sum(a.batches) + sum(b.batches)


# ---- the same games, played in other ways ------------------------------------------------------


@pytest.mark.parametrize("batch_size", [2, 3, 14, 1000])
def test_the_batch_size_changes_nothing(batch_size: int) -> None:
    options: dict[str, Any] = {"games": 30, "seed": 9}
    expected = play_match("club", "random", **options).totals
    assert play_match("club", "random", **options, batch_size=batch_size).totals == expected
    plain = Asked("club"), Asked("random")
    assert play_match(*plain, **options, batch_size=batch_size).totals == expected


@pytest.mark.kernels
def test_kernels_and_policies_play_the_same_match() -> None:
    games = 2 if numba.config.DISABLE_JIT else 100
    expected = play_match("random", "club", games=games, seed=4).totals
    for a, b in (("random", Asked("club")), (Asked("random"), "club")):
        assert play_match(a, b, games=games, seed=4).totals == expected


def test_parts_add_up_to_the_whole() -> None:
    a, b = make_policy("greedy"), make_policy("random")
    whole = play_pairs(a, b, 0, 50, seed=1)
    parts = [play_pairs(a, b, first, first + 10, seed=1) for first in range(40, -1, -10)]
    assert sum(parts, MatchTotals()) == whole
    assert whole.games == 100
    assert play_match("greedy", "random", games=100, seed=1).totals == whole
    assert len({part.margin for part in parts}) > 1


def test_swapped_players_mirror_the_match() -> None:
    match = play_match("club", "random", games=60, seed=3)
    mirrored = play_match("random", "club", games=60, seed=3)
    assert match.swapped().totals == mirrored.totals
    assert match.swapped().swapped() == match
    assert (mirrored.a, mirrored.b) == ("random", "club")
    assert mirrored.win_rate_a == pytest.approx(1 - match.win_rate_a)
    assert mirrored.margin_a == -match.margin_a
    assert mirrored.points_per_deal["a"] == match.points_per_deal["b"]


def test_the_seed_decides_the_match() -> None:
    totals = [play_match("club", "greedy", games=40, seed=seed).totals for seed in (1, 1, 2)]
    assert totals[0] == totals[1] != totals[2]


@pytest.mark.parametrize("name", ["greedy", "random"])
def test_a_player_against_itself_plays_each_pair_twice_the_same(name: str) -> None:
    one = Asked(name)
    for a, b in ((name, name), (one, one), (make_policy(name), Asked(name))):
        match = play_match(a, b, games=40, seed=1)
        assert match.to_dict()["distinct_games"] == 20
        assert match.totals.pair_wins == (0, 20, 0)
        assert match.totals.margin_squares == 0
        assert match.margin_interval == (0.0, 0.0)
    # In both seats at once it is asked once for all lanes: half as often as two players.
    assert one.batches[0] == 40


def test_games_of_different_players_are_distinct() -> None:
    assert play_match("club", "random", games=40, seed=1).totals.distinct_games == 40


def test_progress_tells_of_ever_more_games() -> None:
    seen: list[MatchTotals] = []
    match = play_match("greedy", "random", games=50, batch_size=20, progress=seen.append)
    assert [totals.games for totals in seen] == [20, 40, 50]
    assert seen[-1] == match.totals


def test_names_of_the_result() -> None:
    match = play_match(CompiledPolicy("greedy"), "random", games=2)
    assert (match.a, match.b) == ("CompiledPolicy('greedy')", "random")
    match = play_match(CompiledPolicy("greedy"), "random", games=2, names=("x", "y"))
    assert (match.a, match.b) == ("x", "y")


def test_a_match_ends_when_its_interval_is_narrow() -> None:
    seen: list[int] = []
    options: dict[str, Any] = {"games": 6000, "until_half_width": 0.012, "seed": 1}
    match = play_match(
        "greedy", "random", **options, progress=lambda totals: seen.append(totals.games)
    )
    assert match.games == 1000
    assert match.half_width <= 0.012
    match = play_match("greedy", "random", **{**options, "until_half_width": 0.006})
    assert match.games in (2000, 3000, 4000)
    assert match.half_width <= 0.006
    other = play_match("greedy", "random", **{**options, "until_half_width": 0.006}, batch_size=300)
    assert other.totals == match.totals
    match = play_match("greedy", "random", **{**options, "games": 1200, "until_half_width": 0.001})
    assert match.games == 1200
    assert match.half_width > 0.001


# ---- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"games": 3}, ValueError, "games must be even.* not 3"),
        ({"games": 0}, ValueError, "games must be even.* not 0"),
        ({"games": -2}, ValueError, "games must be even.* not -2"),
        ({"games": 2.0}, TypeError, "games must be an integer, not 2.0"),
        ({"games": True}, TypeError, "games must be an integer, not True"),
        ({"seed": -1}, ValueError, "-1"),
        ({"seed": 2**64}, ValueError, "seed"),
        ({"seed": None}, TypeError, "seed must be an integer, not None"),
        ({"target": 0}, ValueError, "target 0"),
        ({"target": 121.5}, TypeError, "121.5"),
        ({"batch_size": 1}, ValueError, "batch_size must be 2 or more, not 1"),
        ({"batch_size": "2"}, TypeError, "batch_size must be an integer, not '2'"),
        ({"until_half_width": 0.0}, ValueError, "until_half_width .* 0.0"),
        ({"until_half_width": float("nan")}, ValueError, "until_half_width .* nan"),
    ],
)
def test_bad_settings_are_refused(
    options: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        play_match("greedy", "random", **{"games": 2, **options})
    with pytest.raises(error, match=words):
        MatchSettings(**{"games": 2, **options})


def test_unknown_players_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown player 'nobody'"):
        play_match("greedy", "nobody", games=2)
    with pytest.raises(TypeError, match="no player"):
        play_match(7, "greedy", games=2)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (18, ValueError, r"Stubborn\(\) chose the illegal action 18"),
        (-1, ValueError, r"Stubborn\(\) chose the illegal action -1"),
        (1.0, TypeError, r"Stubborn\(\) returned float64"),
        ("no", TypeError, r"Stubborn\(\) returned"),
    ],
)
def test_a_player_at_fault_is_named(answer: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        play_match("greedy", Stubborn(answer), games=2)


@pytest.mark.parametrize(("first", "stop"), [(-1, 3), (3, 2)])
def test_pairs_that_do_not_exist(first: int, stop: int) -> None:
    greedy = make_policy("greedy")
    with pytest.raises(ValueError, match=f"no pairs {first} to {stop} - 1"):
        play_pairs(greedy, greedy, first, stop, seed=0)


# ---- intervals ---------------------------------------------------------------------------------


def test_an_interval_holds_the_rate_and_has_a_width() -> None:
    for size in (1, 2, 3, 10, 40):
        for none, one in product(range(size + 1), repeat=2):
            if none + one <= size:
                wins = none, one, size - none - one
                low, high = pairs_interval(wins)
                rate = (wins[1] / 2 + wins[2]) / size
                assert 0 <= low <= rate <= high <= 1
                assert high - low > 0
                mirrored = pairs_interval((wins[2], wins[1], wins[0]))
                assert mirrored == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize("size", [15, 60])
@pytest.mark.parametrize(
    "shares",
    [
        (0.25, 0.5, 0.25),  # equal players, independent games
        (0.4, 0.2, 0.4),  # the deals decide
        (0.1, 0.8, 0.1),  # the seats decide
        (0.09, 0.42, 0.49),
        (0.0025, 0.095, 0.9025),  # close to the end
        (0.05, 0.0, 0.95),
    ],
)
def test_an_interval_holds_the_truth_as_often_as_it_says(
    shares: tuple[float, float, float], size: int
) -> None:
    truth = shares[1] / 2 + shares[2]
    coverage = 0.0
    for none in range(size + 1):
        for one in range(size + 1 - none):
            two = size - none - one
            low, high = pairs_interval((none, one, two))
            if low <= truth <= high:
                ways = comb(size, none) * comb(size - none, one)
                coverage += ways * shares[0] ** none * shares[1] ** one * shares[2] ** two
    assert coverage > 0.925


def test_an_interval_of_many_games_is_the_usual_one() -> None:
    wins = 1000, 5000, 4000
    rates = np.repeat([0, 0.5, 1], wins)
    half_width = 1.959964 * rates.std(ddof=1) / 100
    assert pairs_interval(wins) == pytest.approx(
        (rates.mean() - half_width, rates.mean() + half_width), abs=1e-4
    )
    half_width = 1.959964 * np.sqrt(0.65 * 0.35 / 20_000)
    assert games_interval(13_000, 20_000) == pytest.approx(
        (0.65 - half_width, 0.65 + half_width), abs=1e-4
    )


def test_pairs_tell_more_than_games_where_the_deals_decide() -> None:
    totals = MatchTotals(pair_wins=(10, 980, 10))
    match = MatchResult("a", "b", 0, 121, totals, 1.0)
    assert match.half_width < 0.2 * (match.naive_interval[1] - match.naive_interval[0])


def test_the_interval_of_a_mean() -> None:
    margins = np.array([3.0, -10.5, 7.0, 22.0, 0.5])
    half_width = 1.959964 * margins.std(ddof=1) / np.sqrt(5)
    interval = mean_interval(margins.sum(), (margins**2).sum(), 5)
    assert interval == pytest.approx((margins.mean() - half_width, margins.mean() + half_width))
    assert mean_interval(3.0, 9.0, 1) is None
    assert play_match("greedy", "random", games=2).to_dict()["margin_interval"] is None
    # Rounding must not take the root of a negative number.
    assert mean_interval(0.3, 3 * 0.1**2 - 1e-18, 3) == pytest.approx((0.1, 0.1))


def test_the_margin_of_a_match_from_its_pairs() -> None:
    a, b = make_policy("club"), make_policy("greedy")
    margins = [play_pairs(a, b, pair, pair + 1, seed=1).margin / 2 for pair in range(30)]
    match = play_match(a, b, games=60, seed=1)
    assert match.margin_a == pytest.approx(np.mean(margins))
    half_width = 1.959964 * np.std(margins, ddof=1) / np.sqrt(30)
    assert match.margin_interval == pytest.approx(
        (np.mean(margins) - half_width, np.mean(margins) + half_width)
    )
