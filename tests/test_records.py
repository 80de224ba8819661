"""Records: readable, whole at any moment, and refused when cut short or edited."""

from __future__ import annotations

import random
import re
from functools import cache
from itertools import dropwhile
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cribbage_env.game import Beginning, Game
from tests.games import DISCARDS, POSITION, play_at_random, played_out, snapshot

WHOLE = """\
cribbage record 1
seed 5
number 0
target 121
scores 0-100
dealer 1
deck 1: 4H 5D 5H 6D 6S 7C TD 9S JC KD QC KH JH
deal 1, dealer seat 1
  seat 0: discard JC QC (0-100)
  seat 1: discard KD KH, starter JH (0-102)
  seat 0: play 4H (0-102)
  seat 1: play 6D (0-102)
  seat 0: play 5H (5-102)
  seat 1: play 7C (5-106)
  seat 0: play 6S (9-106)
end 7 actions, 9-106, seat 1 to play, check {check}
"""


@cache
def games() -> tuple[Game, ...]:
    """Return games of every kind, each at some moment."""
    over = played_out(Game(seed=1), 1)
    forfeited = Game(seed=2, number=7)
    for _ in range(5):
        forfeited.step(forfeited.legal_actions()[0])
    forfeited.forfeit(1)
    single = played_out(Game.replay(Beginning(seed=3, is_one_deal=True)), 3)
    position = Game.from_position(**POSITION, discards=DISCARDS, plays="4H 6D 5H", scores=(3, 5))
    return (
        Game(seed=4),
        Game(dealer=0, scores=(7, 9), target=61, seed=2**64 - 1),
        over,
        forfeited,
        single,
        position,
        position.redeal_hidden(0, seed=9),
        over.redeal_hidden(1, seed=2),
    )


def test_a_record_reads_like_a_score_sheet() -> None:
    game = Game.from_position(
        **POSITION, discards=DISCARDS, plays="4H 6D 5H 7C 6S", scores=(0, 100), seed=5
    )
    record = game.to_record()
    check = re.search(r"check ([0-9a-f]{8})\n$", record)
    assert check is not None
    assert record == WHOLE.format(check=check[1])


@pytest.mark.parametrize("seed", range(3))
def test_a_game_goes_on_from_its_record_at_any_moment(seed: int) -> None:
    whole = played_out(Game(seed=seed, target=61), seed)
    for number, game in enumerate(play_at_random(Game(seed=seed, target=61), seed)):
        read = Game.from_record(game.to_record())
        assert read == game
        assert snapshot(read) == snapshot(game)
        assert read.to_record() == game.to_record()
        if number % 10 == 0:  # the same actions from here on meet the same cards
            for action in whole.actions[number:]:
                read.step(action)
            assert snapshot(read) == snapshot(whole)


@pytest.mark.parametrize("kind", range(8))
def test_every_kind_of_game_has_a_record(kind: int) -> None:
    game = games()[kind]
    read = Game.from_record(game.to_record())
    assert read == game
    assert (read.events, read.scores, read.pegs) == (game.events, game.scores, game.pegs)
    assert (read.phase, read.turn, read.winner) == (game.phase, game.turn, game.winner)
    assert (read.is_forfeit, read.skunk, read.seed) == (game.is_forfeit, game.skunk, game.seed)
    assert read.number == game.number
    assert snapshot(Game.replay(game.beginning, game.actions)) == snapshot(game)


def test_the_cards_to_come_of_a_redealt_game_are_kept() -> None:
    game = Game.from_position(**POSITION, discards=DISCARDS).redeal_hidden(0, seed=4)
    read = Game.from_record(game.to_record())
    for one in (game, read):
        while one.deals < 4 and one.turn is not None:
            one.step(one.legal_actions()[-1])
    assert snapshot(read) == snapshot(game)
    assert Game.from_record(read.to_record()) == game


def test_blanks_and_ends_of_lines_do_not_matter() -> None:
    record = games()[3].to_record()
    wordy = "\n\n" + record.replace("  seat", "\tseat").replace("\n", " \r\n") + "\n \n"
    assert Game.from_record(wordy) == games()[3]
    assert Game.from_record(record.rstrip()) == games()[3]


# Cut short or edited


@pytest.mark.parametrize("kind", range(8))
def test_a_record_cut_short_anywhere_is_refused(kind: int) -> None:
    record = games()[kind].to_record()
    for length in {*range(0, len(record) - 1, 7), *range(len(record) - 60, len(record) - 1)}:
        with pytest.raises(ValueError, match=r"^line \d+"):
            Game.from_record(record[:length])


def test_a_record_without_any_one_line_is_refused() -> None:
    for game in games():
        lines = game.to_record().splitlines()
        for place in range(len(lines)):
            with pytest.raises(ValueError, match=r"^line \d+"):
                Game.from_record("\n".join(lines[:place] + lines[place + 1 :]))


def test_a_record_with_any_line_twice_or_swapped_is_refused() -> None:
    lines = games()[5].to_record().splitlines()
    for place in range(len(lines)):
        with pytest.raises(ValueError, match=r"^line \d+"):
            Game.from_record("\n".join(lines[: place + 1] + lines[place:]))
        if place:
            swapped = lines.copy()
            swapped[place - 1 : place + 1] = lines[place], lines[place - 1]
            with pytest.raises(ValueError, match=r"^line \d+"):
                Game.from_record("\n".join(swapped))


def test_a_record_with_any_character_changed_is_refused() -> None:
    rng = random.Random(0)
    for game in games():
        record = game.to_record().rstrip()
        for _ in range(60):
            place = rng.randrange(len(record))
            other = rng.choice("0123456789ACDHKQ ,x")
            edited = record[:place] + other + record[place + 1 :]
            if edited.split() == record.split() or record[place].isspace() or other == " ":
                continue
            with pytest.raises(ValueError, match=r"^line \d+"):
                Game.from_record(edited)


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("cribbage record 1", "cribbage record 2", "line 1: 'cribbage record 2' is not the title"),
        ("seed 5", "seed -5", "line 2: 'seed -5' is not a line 'seed …'"),
        ("seed 5", "seed 6", "line 16: .* does not fit the game, which has 'end 7 actions"),
        ("seed 5", f"seed {2**64}", "line 2 to 6: seed 18446744073709551616 is outside"),
        ("number 0", "game 0", "line 3: 'game 0' is not a line 'number …'"),
        ("target 121", "target 120", "line 16: .* does not fit"),
        ("target 121", "target 100", "line 2 to 6: score 100 is outside"),
        ("scores 0-100", "scores 0-99", r"line 9: .*\(0-100\)' does not fit .*\(0-99\)'"),
        ("dealer 1", "dealer 0", "line 9: it is seat 1's turn, not seat 0's"),
        ("dealer 1", "dealer 2", "line 6: 'dealer 2' is not a line 'dealer …'"),
        ("4H 5D", "4H 4H", "line 7: 4H appears twice in the deck"),
        ("4H 5D", "5D", "line 7: the deck must be 13 cards, not 12"),
        ("4H 5D", "4H 5X", "line 7: '5X' is not a card"),
        ("deal 1, dealer seat 1", "deal 2, dealer seat 1", "line 8: .* which has 'deal 1, dealer"),
        ("discard JC QC", "discard JC KD", "line 9: .*R4: KD is not among the cards of seat 0"),
        ("discard JC QC", "throw JC QC", "line 9: .* is no action of a seat"),
        ("starter JH", "starter JS", "line 10: .* which has 'seat 1: discard KD KH, starter JH"),
        ("play 4H", "play JC", "line 11: .*R6: JC is not among the cards of seat 0"),
        ("seat 1: play 6D", "seat 0: play 5H", "line 12: it is seat 1's turn, not seat 0's"),
        ("(5-106)", "(5-105)", "line 14: .* does not fit the game, which has .*5-106"),
        ("end 7", "end 8", "line 16: 'end 8 .*' does not fit the game, which has 'end 7"),
        ("seat 1 to play", "seat 0 to play", "line 16: .* does not fit"),
        ("check", "czeck", "line 16: .* does not fit"),
        ("end 7", "fin 7", "line 16: the record is cut short: no closing line"),
    ],
)
def test_an_edited_record_is_refused_with_line_and_reason(old: str, new: str, match: str) -> None:
    game = Game.from_position(
        **POSITION, discards=DISCARDS, plays="4H 6D 5H 7C 6S", scores=(0, 100), seed=5
    )
    record = game.to_record()
    assert record.count(old) == 1
    with pytest.raises(ValueError, match=f"^{match}"):
        Game.from_record(record.replace(old, new))


def test_what_follows_the_end_is_refused() -> None:
    record = Game(seed=1).to_record()
    lines = len(record.splitlines())
    for more in ("  seat 0: play 4H (0-0)", "end 0 actions", "thanks"):
        with pytest.raises(
            ValueError, match=rf"^line {lines + 1}: the record goes on after its end"
        ):
            Game.from_record(f"{record}{more}\n")


def test_nothing_is_taken_after_a_forfeit_or_a_win() -> None:
    for game in (games()[2], games()[3]):
        lines = game.to_record().splitlines()
        lines.insert(-1, "  seat 0: play 4H (0-0)")
        with pytest.raises(ValueError, match=rf"^line {len(lines) - 1}: .*the game is over"):
            Game.from_record("\n".join(lines))


@pytest.mark.parametrize("text", ["", "\n \n", "cribbage record 1", "1. e4 e5", "end "])
def test_what_is_no_record_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^line \d+: "):
        Game.from_record(text)


@pytest.mark.parametrize("text", [None, 5, b"cribbage record 1"])
def test_what_is_no_text_is_refused(text: Any) -> None:
    with pytest.raises(TypeError, match="a record is text"):
        Game.from_record(text)


# Anything at all: a ValueError that names the line, and never another error

THREE = "\u0663"  # an Arabic digit, which int() reads
PIECES = st.one_of(
    st.text(max_size=12),
    st.sampled_from(WHOLE.split()),
    st.sampled_from(["\n", " ", "-1", "0", "9" * 30, "9" * 5000, THREE, "seed", "end", "deal 9"]),
)
SETTINGS = settings(derandomize=True, database=None, deadline=None, max_examples=200)


@SETTINGS
@given(st.one_of(st.text(), st.lists(PIECES).map(" ".join), st.lists(PIECES).map("\n".join)))
def test_garbage_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^line \d+"):
        Game.from_record(text)


@SETTINGS
@given(st.integers(0, 7), st.integers(0), st.integers(0, 20), PIECES)
def test_a_record_with_garbage_in_place_of_something_is_refused(
    kind: int, start: int, length: int, piece: str
) -> None:
    record = games()[kind].to_record()
    start %= len(record)
    edited = record[:start] + piece + record[start + length :]
    if lines_of(edited) == lines_of(record):
        assert Game.from_record(edited) == games()[kind]
    else:
        with pytest.raises(ValueError, match=r"^line \d+"):
            Game.from_record(edited)


@SETTINGS
@given(st.integers(0, 7), st.integers(0), st.integers(0), PIECES)
def test_a_record_with_garbage_for_a_word_is_refused(
    kind: int, line: int, word: int, piece: str
) -> None:
    lines = games()[kind].to_record().splitlines()
    words = lines[line % len(lines)].split()
    words[word % len(words)] = piece
    lines[line % len(lines)] = " ".join(words)
    edited = "\n".join(lines)
    if lines_of(edited) == lines_of(games()[kind].to_record()):
        assert Game.from_record(edited) == games()[kind]
    else:
        with pytest.raises(ValueError, match=r"^line \d+"):
            Game.from_record(edited)


def lines_of(text: str) -> list[str]:
    """Return the lines of a record without what doesn't matter."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return list(dropwhile(lambda line: line.startswith("#"), lines))
