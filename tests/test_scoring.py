"""The show (R13-R18), the play (R8) and skunks (R20), case by case and by brute force."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cribbage_env.cards import parse_cards, value_of
from cribbage_env.scoring import HandScore, PlayScore, score_hand, score_play, skunk

GOLDEN = Path(__file__).parent / "golden"
JACK = 10


def read_cases(name: str) -> list[dict[str, Any]]:
    lines = (GOLDEN / "cases" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def by_id(cases: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(case["input"], case["expected"], id=case["id"]) for case in cases]


def cases_of_event(kind: str) -> list[dict[str, Any]]:
    return [case for case in read_cases("game") if case["input"]["event"]["type"] == kind]


# ---- golden cases ----------------------------------------------------------------------------


@pytest.mark.parametrize(("given_cards", "expected"), by_id(read_cases("hand")))
def test_hand_cases(given_cards: dict[str, Any], expected: dict[str, int]) -> None:
    score = score_hand(**given_cards)
    parts = {name: getattr(score, name) for name in expected}
    assert parts == expected


@pytest.mark.parametrize(("given_cards", "expected"), by_id(read_cases("pegging")))
def test_points_of_each_card_in_the_pegging_cases(
    given_cards: dict[str, Any], expected: dict[str, Any]
) -> None:
    pile: list[str] = []
    count = 0
    for (_, card), points, count_after in zip(
        given_cards["plays"], expected["points"], expected["count_after"], strict=True
    ):
        if count + value_of(card) != count_after:
            pile, count = [], 0
        pile.append(card)
        count += value_of(card)
        assert count == count_after
        assert score_play(pile).total == points[0], pile


@pytest.mark.parametrize(("position", "expected"), by_id(cases_of_event("show")))
def test_show_cases(position: dict[str, Any], expected: dict[str, Any]) -> None:
    show, scores = position["event"], dict(position["scores"])
    for player, cards in (("P", "P"), ("D", "D"), ("D", "crib")):
        if max(scores.values()) < 121:
            score = score_hand(show[cards], show["starter"], is_crib=cards == "crib")
            scores[player] += score.total
    assert scores == expected["final_uncapped"]


@pytest.mark.parametrize(("position", "expected"), by_id(cases_of_event("final")))
def test_skunk_cases(position: dict[str, Any], expected: dict[str, Any]) -> None:
    names = {0: None, 1: "single", 2: "double"}
    scores = position["scores"]
    assert names[skunk((scores["P"], scores["D"]))] == expected.get("skunk")
    assert names[skunk((scores["D"], scores["P"]))] == expected.get("skunk")


def test_hand_and_play_in_the_api_cases() -> None:
    cases = {case["id"]: case for case in read_cases("api")}
    no_starter = cases["a057"]
    score = score_hand(**no_starter["input"])
    assert (score.flush, score.total) == (4, 4)
    face_card = cases["a003"]
    pile = ["AS", "KH", "TC", *face_card["input"]["hand"]]
    assert score_play(pile).total == face_card["expected"]["points"]


# ---- famous hands ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "starter", "score"),
    [
        ("5C 5D 5S JH", "5H", HandScore(fifteens=16, pairs=12, nobs=1)),  # 29, the best
        ("5C 5D 5S 5H", "JH", HandScore(fifteens=16, pairs=12)),  # 28: the jack is the starter
        ("5C 5D 5S KH", "5H", HandScore(fifteens=16, pairs=12)),
        ("4C 4D 5C 6D", "5H", HandScore(fifteens=8, pairs=4, runs=12)),  # 24
        ("4C 5D 6C 6D", "6H", HandScore(fifteens=6, pairs=6, runs=9)),  # 21
        ("7C 7D 8C 8D", "9H", HandScore(fifteens=8, pairs=4, runs=12)),  # 24
        ("7C 7D 7H 7S", "AD", HandScore(fifteens=12, pairs=12)),  # 24
        ("3C 3D 3H 3S", "9D", HandScore(fifteens=12, pairs=12)),  # 24
        ("5C 5D JC QD", "KH", HandScore(fifteens=12, pairs=2, runs=3)),
        ("JH 5D 5C 5S", "JC", HandScore(fifteens=14, pairs=8)),
        ("AC 2D 3C 4D", "5H", HandScore(fifteens=2, runs=5)),
        ("9C TD JH QS", "KC", HandScore(runs=5)),
        ("AC QD KH 2S", "7C", HandScore()),  # round the corner is no run
        ("2C 4D 6H 8S", "TC", HandScore()),
        ("KC QD 9H 7S", "8C", HandScore(fifteens=2, runs=3)),
        ("5H 6H 7H 8H", "9H", HandScore(fifteens=4, runs=5, flush=5)),
        ("5H 6H 7H 8H", "9C", HandScore(fifteens=4, runs=5, flush=4)),
        ("2H 4H 6H 8C", "QH", HandScore()),  # three in the hand and the starter are no flush
        ("2H 4H 6H JH", "8H", HandScore(flush=5, nobs=1)),
        ("TC JD QH 2S", "6D", HandScore(runs=3, nobs=1)),
    ],
)
def test_known_hands(hand: str, starter: str, score: HandScore) -> None:
    assert score_hand(hand, starter) == score
    parts = (score.fifteens, score.pairs, score.runs, score.flush, score.nobs)
    assert score.total == sum(parts)


def test_flush_in_the_crib_needs_all_five() -> None:
    assert score_hand("2H 4H 6H 8H", "QH", is_crib=True).flush == 5
    assert score_hand("2H 4H 6H 8H", "QC", is_crib=True).flush == 0
    assert score_hand("2H 4H 6H 8H", "QC").flush == 4


def test_four_cards_alone() -> None:
    assert score_hand("5H 6H 7H 8H", None) == HandScore(fifteens=2, runs=4, flush=4)
    assert score_hand("5H 6H 7H 8H", None, is_crib=True).flush == 0
    assert score_hand("JH JC JD JS", None) == HandScore(pairs=12)  # nobs needs a starter


def test_four_jacks_always_hold_nobs() -> None:
    assert [score_hand("JC JD JH JS", starter).nobs for starter in ("2C", "5D", "9H", "KS")] == [
        1,
        1,
        1,
        1,
    ]


def test_ids_and_texts_are_the_same_to_score_hand() -> None:
    as_text = score_hand("5H 5S 5D JC", "5C")
    assert score_hand(np.array([18, 19, 17, 40]), np.int64(16)) == as_text
    assert score_hand(["5h", 19, "5♦", "jc"], 16) == as_text


# ---- the play, by hand -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pile", "score"),
    [
        ("5H", PlayScore()),
        ("7H 8C", PlayScore(fifteen=2)),
        ("KS KD", PlayScore(pair=2)),
        ("KS QD JS AC", PlayScore(thirty_one=2)),
        ("QS JS TS AC", PlayScore(thirty_one=2)),
        ("7S 7H 7D", PlayScore(pair=6)),
        ("7S 7H 7D 7C", PlayScore(pair=12)),
        ("5S 5H 5D", PlayScore(fifteen=2, pair=6)),
        ("7S 8D 7H", PlayScore()),  # the pair is broken
        ("4S 6H 5D", PlayScore(fifteen=2, run=3)),
        ("4S 6H 5D 3C", PlayScore(run=4)),
        ("4S 6H 5D 5C", PlayScore(pair=2)),
        ("4S 6H 5D 5C 4D", PlayScore()),
        ("4S 6H 5D 5C 6D", PlayScore()),
        ("4S 6H 5D 5C 6D 4C", PlayScore(run=3)),  # only the last three have no rank twice
        ("2S 3D 4H 5C 6D 7S", PlayScore(run=6)),
        ("AS 2D 3H 4C 5D 6S 7D", PlayScore(run=7)),
        ("QC KD AH", PlayScore()),
        ("AS AD AC KD 9C 9S", PlayScore(thirty_one=2, pair=2)),
        ("TH JD AC QS", PlayScore(thirty_one=2)),
        ("8S 8D 7C 8H", PlayScore(thirty_one=2)),
        ("9C TD JH 2S", PlayScore(thirty_one=2)),
    ],
)
def test_known_piles(pile: str, score: PlayScore) -> None:
    assert score_play(pile) == score
    assert score.total == score.fifteen + score.thirty_one + score.pair + score.run


# ---- the scores aloud ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "starter", "aloud"),
    [
        ("2C 4D 6H 8S", "TC", "nothing"),
        ("5C JD 3H 8S", "TC", "fifteen two, fifteen four"),
        ("5C JD 3H 3S", "TC", "fifteen two, fifteen four, and a pair is six"),
        ("2C 2D 4H 6S", "KC", "a pair for two"),
        ("TC TD 2H 2S", "8C", "a pair for two, and another pair is four"),
        ("JC 3D 6S 8D", "KC", "nobs for one"),
        (
            "5C 5D 5S JH",
            "5H",
            (
                "fifteen two, fifteen four, fifteen six, fifteen eight, fifteen ten, "
                "fifteen twelve, fifteen fourteen, fifteen sixteen, "
                "four of a kind is twenty-eight, and nobs is twenty-nine"
            ),
        ),
        (
            "7H 8S 8D 8C",
            "9H",
            (
                "fifteen two, fifteen four, fifteen six, three of a kind is twelve, "
                "and a triple run of three is twenty-one"
            ),
        ),
        ("2H 4H 6H JH", "8H", "a flush of five for five, and nobs is six"),
        ("TC JD QH 2S", "6C", "a run of three for three"),
        ("TC JD QH KS", "4C", "a run of four for four"),
        ("TC TD JH QS", "3C", "a pair for two, and a double run of three is eight"),
        ("TC JD QH 2S", "6D", "a run of three for three, and nobs is four"),
        ("AC TC AH TS", "AD", "three of a kind for six, and a pair is eight"),
        ("9C TD JH QS", "KC", "a run of five for five"),
        ("TS JH QD QC", "KC", "a pair for two, and a double run of four is ten"),
        (
            "TS TC JD QD",
            "QC",
            "a pair for two, another pair is four, and a double double run is sixteen",
        ),
    ],
)
def test_hand_aloud(hand: str, starter: str, aloud: str) -> None:
    assert str(score_hand(hand, starter)) == aloud


@pytest.mark.parametrize(
    ("pile", "aloud"),
    [
        ("5H", "nothing"),
        ("7H 8C", "fifteen two"),
        ("4S 6H 5D", "fifteen two, and a run of three is five"),
        ("KS QD JS AC", "thirty-one for two"),
        ("AS AD AC KD 9C 9S", "thirty-one for two, and a pair is four"),
        ("7S 7H 7D", "three of a kind for six"),
        ("2S 3D 4H 5C 6D 7S", "a run of six for six"),
    ],
)
def test_play_aloud(pile: str, aloud: str) -> None:
    assert str(score_play(pile)) == aloud


@pytest.mark.parametrize("score", [HandScore(pairs=2), PlayScore(pair=2)])
def test_scores_are_frozen(score: HandScore | PlayScore) -> None:
    with pytest.raises(FrozenInstanceError):
        score.fifteens = 2  # type: ignore[misc]
    assert len({score, replace(score)}) == 1


def test_scores_that_no_cards_make_can_still_be_said() -> None:
    assert str(HandScore(pairs=10, runs=7)) == "pairs for ten, and runs is seventeen"
    assert str(HandScore(pairs=2, nobs=-2)) == "a pair for two, and nobs is zero"
    assert str(HandScore(nobs=-1)) == "nobs for -1"
    assert str(PlayScore(pair=30)) == "a pair for 30"
    assert str(PlayScore(pair=40)) == "a pair for 40"


# ---- refusals --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "starter", "is_crib", "message"),
    [
        ("5H 5S 5D", "5C", False, "hand must be 4 cards, not 3: 5H 5S 5D"),
        ("5H 5S 5D JC 2C", "5C", False, "hand must be 4 cards, not 5"),
        ("5H 5S 5D", None, True, "crib must be 4 cards, not 3"),
        ("5H 5S 5H JC", "5C", False, "5H appears twice in hand: 5H 5S 5H JC"),
        ("5H 5S 5D JC", "5D", False, "starter 5D is in the hand 5H 5S 5D JC"),
        ("5H 5S 5D JX", "5C", False, "'JX' is not a card"),
        ("5H 5S 5D JC", "", False, "'' is not a card"),
        ("5H 5S 5D JC", 52, False, "card id 52 is outside"),
    ],
)
def test_hands_refused(hand: str, starter: Any, is_crib: bool, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        score_hand(hand, starter, is_crib=is_crib)


def test_a_starter_is_one_card() -> None:
    with pytest.raises(TypeError, match="a card must be text"):
        score_hand("5H 5S 5D JC", ["5C"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pile", "message"),
    [
        ("", "pile is empty"),
        ([], "pile is empty"),
        ("KS QS JS 2S", "pile KS QS JS 2S adds up to 32: the count may not pass 31"),
        ("5S 5S", "5S appears twice in pile"),
        ("5S 5X", "'5X' is not a card"),
    ],
)
def test_piles_refused(pile: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        score_play(pile)


# ---- skunks ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "loser", "expected"),
    [
        (121, 120, 0),
        (121, 91, 0),
        (121, 90, 1),
        (121, 61, 1),
        (121, 60, 2),
        (121, 0, 2),
        (61, 31, 0),
        (61, 30, 1),
        (61, 0, 1),  # a mark of 0 for a double skunk doesn't exist
        (62, 1, 2),
        (62, 2, 1),
        (31, 0, 0),
        (32, 1, 1),
        (5, 0, 0),
        (1, 0, 0),
    ],
)
def test_skunk_marks(target: int, loser: int, expected: int) -> None:
    assert skunk((target, loser), target) == skunk((loser, target), target=target) == expected
    assert skunk(np.array([loser, target]), np.int64(target)) == expected
    assert skunk([loser, target + 5], target) == expected  # an uncapped winner changes nothing


@pytest.mark.parametrize(
    ("scores", "target", "message"),
    [
        ((100, 90), 121, r"\[100, 90\] must have exactly one that has reached 121"),
        ((121, 121), 121, r"\[121, 121\] must have exactly one"),
        ((125, 122), 121, r"\[125, 122\] must have exactly one"),
        ((121, -1), 121, r"\[121, -1\] must be two numbers, zero or more"),
        ((121,), 121, "must be two numbers"),
        ((), 121, "must be two numbers"),
        ((121, 90, 3), 121, "must be two numbers"),
        ((0, 0), 0, "target 0 must be positive"),
        ((0, 0), -1, "target -1 must be positive"),
    ],
)
def test_skunk_refuses_what_is_no_finished_game(
    scores: tuple[int, ...], target: int, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        skunk(scores, target)


@pytest.mark.parametrize(
    ("scores", "target"),
    [((121, 90.0), 121), ((121, True), 121), ((121, "90"), 121), ((121, 90), 121.0), (121, 121)],
)
def test_skunk_refuses_what_is_no_integer(scores: Any, target: Any) -> None:
    with pytest.raises(TypeError, match=r"must be an integer, not|must be a pair of integers"):
        skunk(scores, target)


# ---- by brute force, in other words than the module's ----------------------------------------


def hand_by_counting(held: list[int], starter: int) -> HandScore:
    """Score by counting ranks: fifteens as sums built up, runs as products over a streak."""
    cards = [*held, starter]
    ranks = Counter(card // 4 for card in cards)
    ways = Counter({0: 1})
    for card in cards:
        for amount, number in list(ways.items()):
            ways[amount + min(card // 4 + 1, 10)] += number
    runs, streak, ways_to_pick = 0, 0, 1
    for rank in range(14):  # rank 13 never occurs and ends the last streak
        if ranks[rank]:
            streak, ways_to_pick = streak + 1, ways_to_pick * ranks[rank]
        else:
            runs += streak * ways_to_pick if streak >= 3 else 0
            streak, ways_to_pick = 0, 1
    same_suit = len({card % 4 for card in held}) == 1
    return HandScore(
        fifteens=2 * ways[15],
        pairs=sum(number * (number - 1) for number in ranks.values()),
        runs=runs,
        flush=4 * same_suit + (same_suit and starter % 4 == held[0] % 4),
        nobs=int(4 * JACK + starter % 4 in held),
    )


def play_by_looking_back(pile: list[int]) -> PlayScore:
    """Score by looking back from the last card, with a run as a span of ranks without repeats."""
    ranks = [card // 4 for card in reversed(pile)]
    count = sum(min(rank + 1, 10) for rank in ranks)
    alike = next((place for place, rank in enumerate(ranks) if rank != ranks[0]), len(ranks))
    runs = [
        length
        for length in range(3, len(ranks) + 1)
        if len(set(ranks[:length])) == length
        and max(ranks[:length]) - min(ranks[:length]) == length - 1
    ]
    return PlayScore(
        fifteen=2 * (count == 15),
        thirty_one=2 * (count == 31),
        pair=alike * (alike - 1),
        run=max(runs, default=0),
    )


five_cards = st.lists(st.integers(0, 51), min_size=5, max_size=5, unique=True)


@settings(deadline=None)
@given(five_cards)
def test_hands_by_brute_force(cards: list[int]) -> None:
    *held, starter = cards
    assert score_hand(held, starter) == hand_by_counting(held, starter)


@settings(deadline=None)
@given(five_cards, st.randoms(use_true_random=False), st.booleans())
def test_the_order_of_a_hand_does_not_matter(cards: list[int], random: Any, is_crib: bool) -> None:
    *held, starter = cards
    shuffled = random.sample(held, 4)
    assert score_hand(shuffled, starter, is_crib=is_crib) == score_hand(
        held, starter, is_crib=is_crib
    )
    assert shuffled == parse_cards(shuffled)


@st.composite
def piles(draw: st.DrawFn) -> list[int]:
    """Draw a pile whose ranks lie near each other, so that runs and pairs are common."""
    low = draw(st.integers(0, 12))
    near = list(range(4 * low, min(52, 4 * low + 4 * draw(st.integers(1, 13)))))
    pile: list[int] = []
    for card in draw(st.permutations(near)):
        if sum(map(value_of, [*pile, card])) > 31:
            break
        pile.append(card)
    return pile[: draw(st.integers(1, len(pile)))]


@settings(deadline=None, max_examples=400)
@given(piles())
def test_piles_by_brute_force(pile: list[int]) -> None:
    before = list(pile)
    assert score_play(pile) == play_by_looking_back(pile)
    assert pile == before
