"""Texts from strangers: cards, decks, positions, actions, players and records.

Whatever is given, it is read or refused by ValueError or TypeError, and a refused one changes
nothing.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies

from cribbage_env import CribbageEnv
from cribbage_env.actions import describe_action, parse_action
from cribbage_env.cards import format_card, format_cards, parse_card, parse_cards
from cribbage_env.game import Game, read_records, write_records
from cribbage_env.policy import make_policy, opponent_names
from cribbage_env.scoring import score_hand, score_play, skunk
from tests.games import played_out, snapshot
from tests.reliability.damage import NUMBERS, TEXTS, damaged_bytes, fuzz_settings
from tests.umpire import check_by_itself

REFUSALS = (TypeError, ValueError)
SIGNS = "A23456789TJQKCDHS♣♦♥♠cdhs10 ,\ufe0f\n\t\u200b5"
CARD_TEXTS = strategies.text(SIGNS, max_size=12) | TEXTS
CARD_IDS = strategies.integers(-2, 60) | strategies.sampled_from(
    (np.int8(5), np.uint64(51), np.float32(5), True, 5.0, None, b"5H", 2**70)
)
CARDS = (
    CARD_TEXTS
    | strategies.lists(CARD_TEXTS | CARD_IDS, max_size=14)
    | strategies.lists(strategies.integers(0, 51), max_size=14).map(np.array)
    | strategies.lists(strategies.integers(0, 51), unique=True, min_size=5, max_size=14)
    | CARD_IDS
    | strategies.none()
)


@fuzz_settings(500)
@given(text=CARD_TEXTS | CARD_IDS)
@example("5H5H")
@example("\uff110H")
@example("5H\x00")
def test_a_card_is_read_or_refused(text: Any) -> None:
    with suppress(*REFUSALS):
        card = parse_card(text)
        assert type(card) is int
        assert 0 <= card < 52
        assert parse_card(format_card(card)) == card


@fuzz_settings(500)
@given(cards=CARDS)
def test_cards_are_read_or_refused(cards: Any) -> None:
    with suppress(*REFUSALS):
        ids = parse_cards(cards)
        assert all(type(card) is int and 0 <= card < 52 for card in ids)
        assert parse_cards(format_cards(ids)) == ids


@fuzz_settings(300)
@given(hand=CARDS, starter=CARDS, is_crib=strategies.booleans(), numbers=CARDS)
def test_hands_are_counted_or_refused(hand: Any, starter: Any, is_crib: bool, numbers: Any) -> None:
    with suppress(*REFUSALS):
        assert 0 <= score_hand(hand, starter, is_crib=is_crib).total <= 29
    with suppress(*REFUSALS):
        assert score_play(hand).total >= 0
    with suppress(*REFUSALS):
        assert skunk(numbers) in (0, 1, 2)


@fuzz_settings(300)
@given(
    seed=NUMBERS | strategies.none(),
    dealer=CARD_IDS,
    scores=strategies.lists(NUMBERS, max_size=3) | TEXTS,
    target=NUMBERS | strategies.sampled_from((121, 61)),
    deck=CARDS,
)
def test_games_begin_or_are_refused(**given_values: Any) -> None:
    with suppress(*REFUSALS):
        check_by_itself(Game(**given_values))
    for name, value in given_values.items():
        with suppress(*REFUSALS):
            check_by_itself(Game(**({"seed": 1} | {name: value})))


@fuzz_settings(300)
@given(
    hands=strategies.tuples(CARDS, CARDS) | CARDS,
    starter=CARDS,
    discards=strategies.tuples(CARDS, CARDS) | CARDS,
    plays=CARDS,
    dealer=strategies.sampled_from((0, 1, 1, 2, None)),
)
def test_positions_are_set_up_or_refused(**given_values: Any) -> None:
    sound = {
        "hands": ("4H 5H 6S TD JC QC", "5D 6D 7C 9S KD KH"),
        "starter": "JH",
        "discards": ("JC QC", "KD KH"),
        "plays": (),
        "dealer": 1,
    }
    for name, value in given_values.items():
        with suppress(*REFUSALS):
            check_by_itself(Game.from_position(**(sound | {name: value})))


@fuzz_settings(300)
@given(text=CARD_TEXTS, verb=strategies.sampled_from(("", "discard ", "play ", "PLAY\t")))
def test_actions_in_words_are_read_or_refused(text: str, verb: str) -> None:
    hand = "5H JD 2S 9C 9D KS"
    for held in (hand, hand[:11]):
        with suppress(*REFUSALS):
            action = parse_action(verb + text, held)
            assert parse_action(describe_action(action, held), held) == action
    game = Game(seed=3)
    before = snapshot(game)
    for act in (game.discard, game.play):
        try:
            act(text)
        except REFUSALS:
            assert snapshot(game) == before


@fuzz_settings(200)
@given(
    options=strategies.dictionaries(
        strategies.sampled_from(("dealer", "scores", "deck")) | TEXTS, CARDS | NUMBERS, max_size=3
    )
    | CARDS
)
def test_reset_options_are_taken_or_refused(options: Any) -> None:
    env = CribbageEnv(opponent=None)
    env.reset(seed=1)
    before = snapshot(env.game)
    try:
        env.reset(options=options)
    except REFUSALS:
        assert snapshot(env.game) == before
    else:
        check_by_itself(env.game)


OPTION = strategies.builds(
    "{}={}".format,
    strategies.sampled_from(("lookahead", "search", "score_aware", "worlds", "pegging")) | TEXTS,
    TEXTS | NUMBERS.map(str) | strategies.sampled_from(("true", "1e999", "nan", "-1", "1_0")),
)
NAMES = strategies.sampled_from((*opponent_names(), "ppo", "peek", "cribbage_env.cards", "no.such"))


@fuzz_settings(400)
@given(
    name=NAMES | TEXTS,
    options=strategies.lists(OPTION, max_size=2).map(",".join) | TEXTS,
    colon=strategies.sampled_from((":", ":", "", "::")),
)
def test_players_are_made_or_refused(name: str, options: str, colon: str) -> None:
    with suppress(*REFUSALS):
        player = make_policy(name + colon + options)
        assert player.observation in ("cards", "features", "lookahead")


@pytest.mark.parametrize(
    "option",
    [
        "lookahead=2.5",
        "lookahead=1e20",
        "worlds=99999999999999999999",
        "worlds=true",
        "model=2",
        "score_aware=no",
        "pegging=nan",
        "pegging=1e999",
        "pegging=much",
    ],
)
def test_the_experts_options_are_checked(option: str) -> None:
    with pytest.raises(ValueError, match=f"expert: {option.partition('=')[0]} is"):
        make_policy(f"expert:{option}")


@fuzz_settings(100)
@given(player=CARDS | NUMBERS)
def test_what_is_no_player_is_refused(player: Any) -> None:
    with suppress(*REFUSALS):
        make_policy(player)


# ---- records ---------------------------------------------------------------------------------

RECORDS = write_records([played_out(Game(seed=1, target=61)), Game(seed=2, dealer=0)]).encode()


@fuzz_settings(400)
@given(content=damaged_bytes(RECORDS))
def test_damaged_files_of_records_are_refused_or_read_as_they_are(content: bytes) -> None:
    text = content.decode("utf-8", "replace")
    with suppress(ValueError):
        for game in read_records(text):
            check_by_itself(game)
            assert Game.from_record(game.to_record()) == game


def lines_with(old: str, new: str) -> str:
    text = RECORDS.decode()
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seed 1", "seed " + "9" * 5000),
        ("number 0", "number ٣"),
        ("target 61", "target 99999"),
        ("target 61", "target 0"),
        ("scores 0-0", "scores 61-61"),
        ("dealer cut", "dealer 7"),
        ("dealer cut", "dealer cut\nreseed 1: " + "9" * 50),
        ("dealer cut", "dealer cut\ndeck 1: " + "5H " * 13),
        (
            "dealer cut",
            "dealer cut\ndeck 99999999999999999999: AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC",
        ),
        ("dealer cut", "dealer cut\nplayer 0: \x1b[2J\nplayer 1: b"),
    ],
)
def test_hostile_heads_of_records(old: str, new: str) -> None:
    with pytest.raises(ValueError, match="line"):
        read_records(lines_with(old, new))


def test_a_long_text_that_is_no_record_is_refused_at_once() -> None:
    for text in ("a" * 10**7, "\n" * 10**6, "#\n" * 10**6, "end \n" * 10**5):
        with pytest.raises(ValueError, match="line"):
            read_records(text)


@fuzz_settings(60)
@given(content=damaged_bytes(RECORDS) | strategies.binary(max_size=50), data=strategies.data())
def test_replay_reads_or_refuses_a_file(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, data: Any
) -> None:
    from cribbage_env.replay.__main__ import main

    folder = tmp_path_factory.mktemp("replay")
    file: Path = folder / "games.txt"
    file.write_bytes(content)
    asked = data.draw(strategies.sampled_from(([], ["--games", "1"], ["--games", "2,1-9"])))
    with suppress(SystemExit):
        assert main([str(file), "--no-analysis", *asked]) == 0
    assert [path.name for path in folder.iterdir()] == ["games.txt"]
