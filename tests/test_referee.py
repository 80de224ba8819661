"""The slow referee against the collected cases, a deal checked by hand, and itself."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import pytest

from tests.referee import (
    DISCARD_PAIRS,
    FIRST_PLAY_ACTION,
    Event,
    Referee,
    play_out,
    read_card,
    read_cards,
    score_hand,
    score_pile,
    skunk,
    write_cards,
)

GOLDEN_DATA = Path(__file__).parent / "golden"
NO_END = 10**6  # A target nobody reaches.


def cases(file: str) -> list[Any]:
    lines = (GOLDEN_DATA / "cases" / file).read_text(encoding="utf-8").splitlines()
    return [pytest.param(json.loads(line), id=json.loads(line)["id"]) for line in lines]


def deck(pone: list[int], dealer: list[int], starter: int) -> list[int]:
    """Return the order of the pack that deals these six and six and turns this starter (R4)."""
    return [card for pair in zip(pone, dealer, strict=True) for card in pair] + [starter]


def throw(referee: Referee, cards: list[int]) -> None:
    """Discard two cards for the seat to act."""
    assert referee.turn is not None
    six = referee.hands[referee.turn]
    first, second = sorted(six.index(card) for card in cards)
    referee.step(DISCARD_PAIRS.index((first, second)))


def lay(referee: Referee, card: int) -> None:
    """Lay a card for the seat to act."""
    assert referee.turn is not None
    referee.step(FIRST_PLAY_ACTION + referee.kept[referee.turn].index(card))


def at_discards(
    kept: tuple[list[int], list[int]],
    crib: list[int],
    starter: int,
    *,
    dealer: int,
    scores: tuple[int, int] = (0, 0),
    target: int = NO_END,
) -> Referee:
    """Deal such that seats 0 and 1 can keep these cards, and throw the crib given.

    Pone throws the first two cards of the crib. The deals that follow are the same again.
    """
    six = [kept[0] + crib[2:], kept[1] + crib[2:]]
    pone = 1 - dealer
    six[pone] = kept[pone] + crib[:2]
    cards = deck(six[pone], six[dealer], starter)
    referee = Referee(dealer=dealer, deck_for_deal=lambda _: cards, scores=scores, target=target)
    throw(referee, crib[:2])
    throw(referee, crib[2:])
    return referee


def at_first_play(
    kept: tuple[list[int], list[int]],
    dealer: int,
    scores: tuple[int, int] = (0, 0),
    target: int = NO_END,
) -> Referee:
    """Let these cards be kept, and fill the crib and turn the starter from the rest (no heels)."""
    rest = [card for card in range(40) if card not in kept[0] + kept[1]]  # Aces to tens.
    return at_discards(kept, rest[:4], rest[4], dealer=dealer, scores=scores, target=target)


def play_first_legal(referee: Referee) -> None:
    """Lay the first card that fits until the deal or the game is over."""
    deals = referee.deals
    while referee.phase == "play" and referee.deals == deals:
        referee.step(referee.legal_actions()[0])


def of_kind(referee: Referee, *kinds: str) -> list[Event]:
    return [event for event in referee.events if event.kind in kinds]


# The collected cases


@pytest.mark.parametrize("case", cases("hand.jsonl"))
def test_hand_case(case: dict[str, Any]) -> None:
    given = case["input"]
    hand = [read_card(card) for card in given["hand"]]
    points = score_hand(hand, read_card(given["starter"]), given["is_crib"])
    assert points._asdict() | {"total": points.total} == case["expected"]


@pytest.mark.parametrize("dealer", [0, 1])
@pytest.mark.parametrize("case", cases("pegging.jsonl"))
def test_pegging_case(case: dict[str, Any], dealer: int) -> None:
    given, expected = case["input"], case["expected"]
    assert given["dealer"] == "D"
    seats = {"P": 1 - dealer, "D": dealer}
    hands = {seats[who]: [read_card(card) for card in hand] for who, hand in given["hands"].items()}
    referee = at_first_play((hands[0], hands[1]), dealer)
    points, counts = [], []
    for who, card in given["plays"]:
        assert referee.turn == seats[who]
        count_before, before = referee.count, len(referee.events)
        lay(referee, read_card(card))
        happened = {event.kind: event for event in reversed(referee.events[before:])}
        last = happened["last"].points if "last" in happened else 0
        points.append([happened["play"].points, last])
        assert happened["play"].player == seats[who]
        assert last == 0 or happened["last"].player == seats[who]
        counts.append(count_before + min(read_card(card) // 4 + 1, 10))
        if last == 0 and counts[-1] < 31:
            assert referee.count == counts[-1]
    assert points == expected["points"]
    assert counts == expected["count_after"]
    pegged = of_kind(referee, "play", "last")
    for who, total in expected["totals"].items():
        assert sum(event.points for event in pegged if event.player == seats[who]) == total
    if expected["next"] is None:
        assert of_kind(referee, "hand")
    else:
        assert referee.turn == seats[expected["next"]]


def referee_of_game_case(given: dict[str, Any], dealer: int) -> Referee:
    """Return the referee after what the case describes, its scores and target raised by 100.

    The show can't be reached without a play, which scores too: the deal begins that much lower,
    and the raise keeps the start above 0.
    """
    what = given["event"]
    seats = {"P": 1 - dealer, "D": dealer}
    raised = {seats[who]: score + 100 for who, score in given["scores"].items()}
    scores = (raised[0], raised[1])
    if what["type"] == "starter":
        starter = read_card(what["starter"])
        kept = (read_cards("2C 4C 6C 8C"), read_cards("2D 4D 6D 8D"))
        return at_discards(
            kept, read_cards("AH 3H 7H 9H"), starter, dealer=dealer, scores=scores, target=221
        )
    if what["type"] == "pegging":
        hands = {
            seats[who]: [read_card(card) for card in hand] for who, hand in what["hands"].items()
        }
        referee = at_first_play((hands[0], hands[1]), dealer, scores, 221)
        for who, card in what["plays"]:
            assert referee.turn == seats[who]
            lay(referee, read_card(card))
        return referee
    assert what["type"] == "show"
    shown = {seats[who]: [read_card(card) for card in what[who]] for who in "PD"}
    crib = [read_card(card) for card in what["crib"]]
    position = ((shown[0], shown[1]), crib, read_card(what["starter"]))
    rehearsal = at_discards(*position, dealer=dealer)
    play_first_legal(rehearsal)
    pegged = of_kind(rehearsal, "play", "last", "starter")[-1].scores
    begin = (scores[0] - pegged[0], scores[1] - pegged[1])
    referee = at_discards(*position, dealer=dealer, scores=begin, target=221)
    play_first_legal(referee)
    return referee


@pytest.mark.parametrize("dealer", [0, 1])
@pytest.mark.parametrize("case", cases("game.jsonl"))
def test_game_case(case: dict[str, Any], dealer: int) -> None:
    given, expected = case["input"], case["expected"]
    if given["event"]["type"] == "final":
        names = ["none", "single", "double"]
        scores = given["scores"]
        assert names[skunk((scores["P"], scores["D"]))] == expected["skunk"]
        assert scores == expected["final"]
        return
    referee = referee_of_game_case(given, dealer)
    seats = {"P": 1 - dealer, "D": dealer}
    winner = None if expected["winner"] is None else seats[expected["winner"]]
    assert referee.winner == winner
    assert {who: referee.scores[seat] - 100 for who, seat in seats.items()} == expected["final"]
    start = of_kind(referee, "deal")[0].scores
    uncapped = {
        who: start[seat] - 100 + sum(e.points for e in referee.events if e.player == seat)
        for who, seat in seats.items()
    }
    assert uncapped == expected["final_uncapped"]
    assert [e.kind for e in referee.events].count("win") == (winner is not None)
    assert referee.phase == ("over" if winner is not None else referee.phase)


# A game of two deals, checked by hand

# Pone leads 4, 6, 5 (fifteen and a run of three), 7 (run of four), 6 (run 5-7-6 of three): 28.
# Dealer holds 9 and 5 and says go, pone holds a ten: last for pone, dealer leads 9, ten, 5: last.
# Pone shows 5+T, 5+J, 4+5+6 and a run: 9. Dealer shows 6+9, 5+J and a run: 7. The crib is a double
# double run J-J-Q-K-K: 12 and two pairs: 16.
# Second deal: J, T, Q is a run, dealer says go at 30, the ace makes 31. Dealer leads T, 3, 2 for
# fifteen; pone has no cards, so there is no go, and dealer lays on and takes last. Pone shows
# A+4+J, A+4+Q and nobs: 5, which is more than the four that were missing to 39.
DEALS = [
    deck(read_cards("4H 5H 6S TD JC QC"), read_cards("5D 6D 7C 9S KD KH"), read_card("JH")),
    deck(read_cards("KS AC 3C JD QH 9D"), read_cards("TC TH KC 2S 8H 9H"), read_card("4D")),
]
MOVES = [
    ("JC QC", "KD KH", "4H 6D 5H 7C 6S 9S TD 5D"),
    ("KS 9D", "9H 8H", "JD TC QH AC TH 3C 2S KC"),
]
GOLDEN = """
deal    1  0   0-0
discard 0  0   0-0   JC QC
discard 1  0   0-0   KD KH
starter 1  2   0-2   JH
play    0  0   0-2   4H
play    1  0   0-2   6D
play    0  5   5-2   5H
play    1  4   5-6   7C
play    0  3   8-6   6S
go      1  0   8-6
last    0  1   9-6   4H 6D 5H 7C 6S
play    1  0   9-6   9S
play    0  0   9-6   TD
play    1  0   9-6   5D
last    1  1   9-7   9S TD 5D
hand    0  9  18-7   4H 5H 6S TD
hand    1  7  18-14  5D 6D 7C 9S
crib    1 16  18-30  JC QC KD KH
deal    0  0  18-30
discard 1  0  18-30  9D KS
discard 0  0  18-30  8H 9H
starter 0  0  18-30  4D
play    1  0  18-30  JD
play    0  0  18-30  TC
play    1  3  18-33  QH
go      0  0  18-33
play    1  2  18-35  AC
play    0  0  18-35  TH
play    1  0  18-35  3C
play    0  2  20-35  2S
play    0  0  20-35  KC
last    0  1  21-35  TH 3C 2S KC
hand    1  5  21-39  AC 3C JD QH
win     1  0  21-39
"""


def line(event: Event) -> str:
    own, other = event.scores
    text = f"{event.kind:8}{event.player} {event.points:2} {own:3}-{other:<3} "
    return (text + write_cards(event.cards)).rstrip()


def play_golden(target: int) -> Referee:
    referee = Referee(dealer=1, deck_for_deal=lambda deal: DEALS[deal - 1], target=target)
    for pone_throws, dealer_throws, laid in MOVES:
        for cards in (pone_throws, dealer_throws):
            if referee.winner is None:
                throw(referee, read_cards(cards))
        for card in read_cards(laid):
            if referee.winner is None:
                lay(referee, card)
    return referee


def test_golden_game() -> None:
    referee = play_golden(target=39)
    assert "\n".join(line(event) for event in referee.events) == GOLDEN.strip()
    assert (referee.phase, referee.turn, referee.winner) == ("over", None, 1)
    assert (referee.scores, referee.deals, referee.dealer) == ([21, 39], 2, 0)
    assert referee.legal_actions() == []
    assert referee.crib == read_cards("8H 9D 9H KS")


@pytest.mark.parametrize("target", range(1, 40))
def test_game_stops_at_the_target_wherever_it_falls(target: int) -> None:
    whole = play_golden(target=40).events  # 40 is the number the 5 points reach without a cap.
    stop = next(index for index, event in enumerate(whole) if max(event.scores) >= target)
    referee = play_golden(target=target)
    first, second = whole[stop].scores
    capped = (min(first, target), min(second, target))
    winner = whole[stop].player
    assert referee.events[:stop] == whole[:stop]
    assert referee.events[stop:] == [
        whole[stop]._replace(scores=capped),
        ("win", winner, (), 0, capped),
    ]
    assert (referee.winner, referee.phase, referee.turn) == (winner, "over", None)
    with pytest.raises(ValueError, match="not legal"):
        referee.step(0)


# Go, last card and the lead


def log(referee: Referee) -> list[tuple[str, int]]:
    return [(e.kind, e.player) for e in of_kind(referee, "play", "go", "last")]


def test_go_is_said_once_a_count_while_the_other_lays_on() -> None:
    referee = at_first_play((read_cards("KC KD KH KS"), read_cards("9C AC 2D AD")), dealer=1)
    for card in read_cards("KC 9C KD AC"):
        lay(referee, card)
    assert referee.count == 30
    assert log(referee)[-2:] == [("play", 1), ("go", 0)]
    assert referee.turn == 1
    assert referee.legal_actions() == [FIRST_PLAY_ACTION + 1]  # AD in slot 1 of AC AD 2D 9C.
    lay(referee, read_card("AD"))
    assert log(referee)[-2:] == [("go", 0), ("play", 1)]  # 31: no go, no last.
    assert (referee.count, referee.pile, referee.turn) == (0, [], 0)


def test_both_are_stuck_go_then_last() -> None:
    referee = at_first_play((read_cards("KC KD KH KS"), read_cards("9C 8C 7D 6D")), dealer=1)
    for card in read_cards("KC 9C KD"):
        lay(referee, card)
    assert log(referee)[-3:] == [("play", 0), ("go", 1), ("last", 0)]
    assert referee.events[-1].cards == tuple(read_cards("KC 9C KD"))
    assert (referee.count, referee.turn) == (0, 1)


def test_thirty_one_brings_neither_go_nor_last() -> None:
    referee = at_first_play((read_cards("KC QD 2H 3S"), read_cards("5C 6D 9C 9D")), dealer=1)
    for card in read_cards("KC 5C QD 6D"):
        lay(referee, card)
    assert log(referee) == [("play", 0), ("play", 1), ("play", 0), ("play", 1)]
    assert (referee.count, referee.pile, referee.turn) == (0, [], 0)


def test_go_is_said_anew_at_the_next_count() -> None:
    referee = at_first_play((read_cards("KC KD KH 9S"), read_cards("KS QC QD QH")), dealer=1)
    for card in read_cards("KC KS KD QC KH QD"):
        lay(referee, card)
    first = [("play", 0), ("play", 1), ("play", 0), ("go", 1), ("last", 0)]
    second = [("play", 1), ("play", 0), ("play", 1), ("go", 0), ("last", 1)]
    assert log(referee) == first + second
    assert referee.turn == 0


def test_a_seat_without_cards_says_no_go_and_the_other_leads_on() -> None:
    referee = at_first_play((read_cards("KS QD JS 9S"), read_cards("6H 2C AC AD")), dealer=1)
    for card in read_cards("KS 6H QD 2C AC AD"):
        lay(referee, card)
    assert log(referee)[-5:] == [("play", 1), ("go", 0), ("play", 1), ("play", 1), ("last", 1)]
    assert referee.turn == 0
    lay(referee, read_card("JS"))
    assert log(referee)[-1] == ("play", 0)
    assert (referee.turn, referee.count) == (0, 10)


# The show


def test_flush_of_four_counts_in_the_hand_and_not_in_the_crib() -> None:
    kept = (read_cards("AC 3C 8C TC"), read_cards("AD 2H 8D TD"))
    referee = at_discards(kept, read_cards("2S 4S 6S 8S"), read_card("QH"), dealer=1)
    play_first_legal(referee)
    shown = [(event.kind, event.points) for event in of_kind(referee, "hand", "crib")]
    assert shown == [("hand", 4), ("hand", 0), ("crib", 0)]


# What it shows, and what it refuses


def test_attributes_through_a_deal() -> None:
    pone, dealer, starter = DEALS[0][0:12:2], DEALS[0][1:12:2], DEALS[0][12]
    referee = Referee(dealer=1, deck_for_deal=lambda _: DEALS[0], scores=(3, 5))
    assert (referee.phase, referee.turn, referee.dealer, referee.deals) == ("discard", 0, 1, 1)
    assert referee.events == [("deal", 1, (), 0, (3, 5))]
    assert referee.hands == referee.held == [sorted(pone), sorted(dealer)]
    assert (referee.kept, referee.crib, referee.starter) == ([[], []], [], None)
    assert referee.legal_actions() == list(range(15))
    referee.step(14)
    assert (referee.turn, referee.crib, referee.starter) == (1, read_cards("JC QC"), None)
    referee.step(14)
    assert (referee.phase, referee.turn, referee.starter) == ("play", 0, starter)
    assert referee.kept == referee.held == [read_cards("4H 5H 6S TD"), read_cards("5D 6D 7C 9S")]
    assert referee.legal_actions() == [15, 16, 17, 18]
    referee.step(16)
    referee.step(18)
    assert referee.legal_actions() == [15, 17, 18]  # Slots stay when cards leave.
    assert referee.kept[0] == read_cards("4H 5H 6S TD")
    assert referee.held == [read_cards("4H 6S TD"), read_cards("5D 6D 7C")]
    assert (referee.count, referee.pile) == (14, read_cards("5H 9S"))


@pytest.mark.parametrize("action", [-1, 15, 18, 19])
def test_illegal_discard_changes_nothing(action: int) -> None:
    referee = Referee(dealer=0, deck_for_deal=lambda _: DEALS[0])
    with pytest.raises(ValueError, match=f"action {action} is not legal"):
        referee.step(action)
    assert (len(referee.events), referee.turn, referee.crib) == (1, 1, [])


def test_illegal_play_changes_nothing() -> None:
    referee = at_first_play((read_cards("KC KD KH 2S"), read_cards("9C 8C 7D AD")), dealer=1)
    for card in read_cards("KC 9C KD"):
        lay(referee, card)
    assert (referee.count, referee.turn) == (29, 1)
    before = len(referee.events)
    for action in (0, 16, 17, 18):  # Only the ace in slot 0 fits; 18 is the nine just laid.
        with pytest.raises(ValueError, match=re.escape("legal now: [15]")):
            referee.step(action)
    assert (len(referee.events), referee.count, referee.turn) == (before, 29, 1)


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"dealer": 2}, "dealer 2"),
        ({"scores": (0, 121)}, "scores"),
        ({"scores": (-1, 0)}, "scores"),
        ({"deck_for_deal": lambda _: list(range(12))}, "13 or more"),
        ({"deck_for_deal": lambda _: [0, *range(12)]}, "different"),
        ({"deck_for_deal": lambda _: list(range(40, 53))}, "from 0 to 51"),
    ],
)
def test_bad_start_is_refused(wrong: dict[str, Any], match: str) -> None:
    right: dict[str, Any] = {"dealer": 0, "deck_for_deal": lambda _: DEALS[0]}
    with pytest.raises(ValueError, match=match):
        Referee(**(right | wrong))


# Scoring


def test_four_cards_without_a_starter() -> None:
    hand = read_cards("2H 6H 8H QH")
    assert score_hand(hand, None) == (0, 0, 0, 4, 0)
    assert score_hand(hand, None, is_crib=True).total == 0
    assert score_hand(read_cards("5H 5S 5D JC"), None).total == 14


def test_the_best_hand() -> None:
    assert score_hand(read_cards("5H 5S 5D JC"), read_card("5C")) == (16, 12, 0, 0, 1)


@pytest.mark.parametrize(
    ("pile", "points"),
    [
        ("5H", (0, 0, 0, 0)),
        ("7C 8D", (2, 0, 0, 0)),
        ("5C 5D 5H", (2, 0, 6, 0)),
        ("7C 7D 7H 7S", (0, 0, 12, 0)),
        ("7C 7D 8C 8D", (0, 0, 2, 0)),
        ("9C 9D 7C 6D", (0, 2, 0, 0)),
        ("4C 6D 5H", (2, 0, 0, 3)),
        ("AC 2C KD", (0, 0, 0, 0)),
        ("JC QC KD AD", (0, 2, 0, 0)),
        ("AC 2C 3C 4C 5C 6C 7C", (0, 0, 0, 7)),
        ("2C 3C 3D 4C 2D", (0, 0, 0, 3)),
    ],
)
def test_score_pile(pile: str, points: tuple[int, int, int, int]) -> None:
    assert score_pile(read_cards(pile)) == points
    assert score_pile(read_cards(pile)).total == sum(points)


@pytest.mark.parametrize(
    ("scores", "target", "expected"),
    [
        ((121, 91), 121, 0),
        ((121, 90), 121, 1),
        ((61, 121), 121, 1),
        ((60, 121), 121, 2),
        ((90, 0), 121, 0),
        ((61, 31), 61, 0),
        ((61, 30), 61, 1),
        ((61, 0), 61, 1),
        ((31, 0), 31, 0),
    ],
)
def test_skunk(scores: tuple[int, int], target: int, expected: int) -> None:
    assert skunk(scores, target) == expected


def hands_apart_from_suit_names() -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield one of the four-card hands that differ by the names of suits only, and their number."""
    renamings = list(permutations(range(4)))
    for hand in combinations(range(52), 4):
        suits = list(dict.fromkeys(card % 4 for card in hand))
        if suits != list(range(len(suits))):
            continue  # Only to be quick: naming the suits as they come would give a lower hand.
        alike = {
            tuple(sorted(card - card % 4 + names[card % 4] for card in hand)) for names in renamings
        }
        if hand == min(alike):
            yield hand, len(alike)


@pytest.mark.slow
def test_every_hand_has_the_published_score() -> None:
    hands: Counter[int] = Counter()
    cribs: Counter[int] = Counter()
    for hand, alike in hands_apart_from_suit_names():
        is_one_suit = len({card % 4 for card in hand}) == 1
        for starter in set(range(52)) - set(hand):
            total = score_hand(hand, starter).total
            hands[total] += alike
            # A crib differs by its flush only; to count all of them again would take twice as long.
            cribs[score_hand(hand, starter, is_crib=True).total if is_one_suit else total] += alike
    table = (GOLDEN_DATA / "hand_distribution.tsv").read_text(encoding="utf-8").splitlines()
    assert table[1].split("\t") == ["score", "hand_count", "crib_count"]
    published = [[int(number) for number in row.split("\t")] for row in table[2:]]
    assert [[score, hands[score], cribs[score]] for score in range(30)] == published


# Lines of play


@pytest.mark.parametrize(
    ("hands", "leader", "lines", "points"),
    [
        (("5H", "5D"), 0, 1, (0, 3)),  # A pair and last.
        (("5H", "5D"), 1, 1, (3, 0)),
        (("KC KD", "KH KS"), 0, 4, (28, 12)),  # A line: 6 and last for 0; 2, then last for 1.
        (("AC AD 2C 2D", "3C 3D 4C 4D"), 0, 576, None),  # All eight fit: 4! times 4!.
    ],
)
def test_play_out(
    hands: tuple[str, str], leader: int, lines: int, points: tuple[int, int] | None
) -> None:
    tree = play_out([read_cards(hand) for hand in hands], leader)
    assert tree.lines == lines
    assert points is None or tree.points == points


@pytest.mark.parametrize("leader", [0, 1])
@pytest.mark.parametrize("hands", [("KS QD JS 9S", "6H 2C AC AD"), ("4H 5H 6S TD", "5D 6D 7C 9S")])
def test_play_out_counts_what_the_referee_allows(hands: tuple[str, str], leader: int) -> None:
    # A line is a pair of orders in which each seat lays its cards, all of them legal in turn.
    kept = (read_cards(hands[0]), read_cards(hands[1]))
    lines, points = 0, [0, 0]
    for orders in product(permutations(kept[0]), permutations(kept[1])):
        referee = at_first_play(kept, dealer=1 - leader)
        waiting = [list(order) for order in orders]
        while waiting[0] or waiting[1]:
            assert referee.turn is not None
            card = waiting[referee.turn].pop(0)
            slot = referee.kept[referee.turn].index(card)
            if FIRST_PLAY_ACTION + slot not in referee.legal_actions():
                break
            lay(referee, card)
        else:
            lines += 1
            pegged = of_kind(referee, "play", "last")[-1].scores
            points = [points[0] + pegged[0], points[1] + pegged[1]]
    assert play_out(kept, leader) == (lines, tuple(points))


# Random games


def random_game(seed: int, target: int) -> Referee:
    rng = random.Random(seed)
    referee = Referee(
        dealer=seed % 2, deck_for_deal=lambda _: rng.sample(range(52), 52), target=target
    )
    while referee.phase != "over":
        referee.step(rng.choice(referee.legal_actions()))
    return referee


@pytest.mark.parametrize("seed", range(40))
def test_random_game_is_lawful(seed: int) -> None:
    target = 61 if seed % 4 == 0 else 121
    referee = random_game(seed, target)
    events = referee.events
    scores = [0, 0]
    for event in events:
        scores[event.player] = min(scores[event.player] + event.points, target)
        assert event.scores == tuple(scores)
    assert events[-1].kind == "win"
    assert events[-1].player == referee.winner
    assert referee.winner is not None
    assert referee.scores[referee.winner] == target
    assert max(events[-3].scores) < target
    starts = [index for index, event in enumerate(events) if event.kind == "deal"]
    assert len(starts) == referee.deals
    assert [events[start].player for start in starts] == [
        (seed + deal) % 2 for deal in range(referee.deals)
    ]
    for start, end in zip(starts, [*starts[1:], None], strict=True):
        assert_deal_is_lawful(events[start:end])


def assert_deal_is_lawful(events: list[Event]) -> None:
    dealer = events[0].player
    kinds = " ".join(event.kind for event in events)
    if events[-1].kind != "win":
        pattern = r"deal discard discard starter (play (go )?(last )?){8}hand hand crib"
        assert re.fullmatch(pattern, kinds)
        pone, own, crib = events[-3:]
        assert [event.player for event in events[-3:]] == [1 - dealer, dealer, dealer]
        assert crib.cards == tuple(sorted(events[1].cards + events[2].cards))
        laid = [event for event in events if event.kind == "play"]
        for hand in (pone, own):
            mine = sorted(event.cards[0] for event in laid if event.player == hand.player)
            assert hand.cards == tuple(mine)
    assert [event.player for event in events[1:3]] == [1 - dealer, dealer]
    pile: list[int] = []
    goes = 0
    for event in events:
        if event.kind == "play":
            if sum(min(card // 4 + 1, 10) for card in pile) == 31:
                pile, goes = [], 0
            pile.append(event.cards[0])
            assert sum(min(card // 4 + 1, 10) for card in pile) <= 31
        elif event.kind == "go":
            goes += 1
            assert goes == 1
        elif event.kind == "last":
            assert event.cards == tuple(pile)
            assert sum(min(card // 4 + 1, 10) for card in pile) < 31
            pile, goes = [], 0
