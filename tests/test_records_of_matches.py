"""Files of several records, the names in them, and the records of a match's games."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from cribbage_env.game import Game, make_beginning, read_records, write_records
from cribbage_env.match import play_match, record_games
from cribbage_env.match.records import ROWS_A_DEAL
from cribbage_env.policy import make_policy
from tests.games import check_events, played_out, snapshot
from tests.players import Asked

NAMES = ("club", "expert:lookahead=2,score_aware=false")


def named(game: Game, names: tuple[str, str] = NAMES) -> Game:
    return Game.replay(replace(game.beginning, names=names), game.actions)


@cache
def games() -> tuple[Game, ...]:
    """Return one game that is over, one that has a name for each seat, one that goes on."""
    started = Game(seed=3)
    started.step(4)
    over = played_out(Game(seed=1, target=31), 1)
    return over, named(played_out(Game(seed=2, target=31), 2)), started


# Names


def test_names_stand_in_the_head_and_come_back() -> None:
    game = named(Game(seed=7, dealer=0))
    lines = game.to_record().splitlines()
    assert lines[5:8] == ["dealer 0", f"player 0: {NAMES[0]}", f"player 1: {NAMES[1]}"]
    read = Game.from_record(game.to_record())
    assert read.beginning.names == NAMES
    assert read.to_record() == game.to_record()


def test_names_change_neither_cards_nor_comparisons() -> None:
    game = played_out(Game(seed=7, target=31), 1)
    other = named(game)
    assert other == game
    assert other.events == game.events
    assert other.copy().beginning.names == NAMES


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("player 0: club", "player 0: clubs", r"line \d+: 'end .* does not fit"),
        ("player 0: club", "player 0:", "line 7: 'player 0:' is no action"),
        ("player 0: club", "player 0:  club", "line 7: .* does not fit the game, which has"),
        ("player 0: club", "player 1: club", "line 7: 'player 1: club' is no action of a seat"),
        ("player 0: club", "player 0: cl\x1bub", "line 7: a name has one sign or more, .* printed"),
        (f"player 1: {NAMES[1]}", "player 0: x", "line 8: 'player 0: x' stands where player 1 is"),
        (f"player 1: {NAMES[1]}\n", "", "line 8: 'deal 1, .* stands where player 1 is to be named"),
    ],
)
def test_an_edited_name_is_refused(old: str, new: str, match: str) -> None:
    record = named(Game(seed=7, dealer=0)).to_record()
    assert record.count(old) == 1
    with pytest.raises(ValueError, match=f"^{match}"):
        Game.from_record(record.replace(old, new))


@pytest.mark.parametrize("name", ["", "  ", "a\x1b[2Jb", "a\u202eb", "\ud800"])
def test_names_that_cannot_be_shown_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="a name has one sign or more, all of which can be print"):
        make_beginning(1, None, (0, 0), 121, None, names=("club", name))


def test_names_have_single_blanks() -> None:
    beginning = make_beginning(1, None, (0, 0), 121, None, names=(" a\n b", "c"))
    assert beginning.names == ("a b", "c")
    for names in (("a", 1), "ab", ("a", None)):
        with pytest.raises(TypeError):
            make_beginning(1, None, (0, 0), 121, None, names=names)  # type: ignore[arg-type]


# Several records in one text


def test_files_of_records_come_back_with_their_names() -> None:
    text = write_records(games())
    found = read_records(text)
    assert found == list(games())
    assert [game.beginning.names for game in found] == [None, NAMES, None]
    assert [snapshot(game) for game in found] == [snapshot(game) for game in games()]
    assert write_records(found) == text
    assert read_records(games()[0].to_record()) == [games()[0]]


def test_a_comment_above_each_record_says_how_it_ended() -> None:
    comments = [line for line in write_records(games()).splitlines() if line.startswith("#")]
    over, other, _ = games()
    assert comments == [
        f"# game 1: seat 0 {over.scores[0]}, seat 1 {over.scores[1]}: seat {over.winner} has won",
        (
            f"# game 2: {NAMES[0]} {other.scores[0]}, {NAMES[1]} {other.scores[1]}: "
            f"{NAMES[other.winner or 0]} has won"
        ),
        f"# game 3: seat 0 0, seat 1 0: seat {games()[2].turn} to discard",
    ]


def test_comments_may_stand_above_a_record_alone() -> None:
    record = games()[0].to_record()
    assert Game.from_record(f"# a\n\n#b\n{record}") == games()[0]
    assert read_records(f"#\n{record}# b\n# c\n{record}") == [games()[0]] * 2
    lines = record.splitlines()
    for place in range(1, len(lines) + 1):
        text = "\n".join([*lines[:place], "# so", *lines[place:]])
        with pytest.raises(ValueError, match=rf"^line {place + 1}: "):
            read_records(text)


def test_lines_are_counted_from_the_beginning_of_the_text() -> None:
    lines = write_records(games()).splitlines()
    titles = [place for place, line in enumerate(lines) if line.startswith("cribbage record")]
    second = titles[1]
    edited = lines.copy()
    edited[second + 3] = "target 0"
    with pytest.raises(ValueError, match=rf"^line {second + 2} to {second + 6}: target 0 is out"):
        read_records("\n".join(edited))
    edited = lines.copy()
    edited[second] = "cribbage record 2"  # so it belongs to the record before, whose end it follows
    with pytest.raises(
        ValueError, match=rf"^line {second}: the record goes on after its end: '# g"
    ):
        read_records("\n".join(edited))


def test_a_file_without_any_one_line_is_refused() -> None:
    lines = write_records(games()).splitlines()
    for place, line in enumerate(lines):
        text = "\n".join(lines[:place] + lines[place + 1 :])
        if line and not line.startswith("#"):
            with pytest.raises(ValueError, match=r"^line \d+"):
                read_records(text)


def test_a_file_cut_short_is_refused_unless_whole_records_are_left() -> None:
    text = write_records(games())
    ends = {match.end() for match in re.finditer(r"\nend .*, check \w{8}", text)}
    for length in range(0, len(text), 17):
        whole = max((end for end in ends if end <= length), default=None)
        if whole is not None and not text[whole:length].strip():
            assert len(read_records(text[:length])) <= len(games())
        else:
            with pytest.raises(ValueError, match=r"^line \d+"):
                read_records(text[:length])


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "# a\n# b", "1. e4 e5"])
def test_a_text_without_records_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^line 1: "):
        read_records(text)


# The games of a match


def test_recorded_games_end_as_the_match_says() -> None:
    result = play_match("club", "greedy", games=30, seed=9)
    recorded = list(record_games("club", "greedy", games=30, seed=9))
    winners = [(game.beginning.names or ("", ""))[game.winner or 0] for game in recorded]
    totals = result.totals
    assert winners.count("club") == totals.wins_a
    assert sum(game.deals for game in recorded) == totals.deals
    assert sum(len(game.actions) for game in recorded) == totals.decisions
    margins = [
        game.scores[place % 2] - game.scores[1 - place % 2] for place, game in enumerate(recorded)
    ]
    assert sum(margins) == totals.margin
    first_dealers = [next(e.player for e in game.events if e.kind == "deal") for game in recorded]
    pairs = zip(recorded, first_dealers, strict=True)
    assert sum(game.winner == dealer for game, dealer in pairs) == totals.first_dealer_wins


def test_a_pair_has_the_same_deals_with_the_seats_swapped() -> None:
    first, second, third = record_games("club", "random", games=3, seed=4)
    assert (first.number, second.number, third.number) == (0, 0, 1)
    assert first.beginning.names == ("club", "random") == third.beginning.names
    assert second.beginning.names == ("random", "club")
    assert first.beginning == second.beginning
    fresh = Game(seed=4, number=0)
    assert first.events[: len(fresh.events)] == fresh.events == second.events[: len(fresh.events)]


def test_players_in_python_are_recorded_as_compiled_ones_are() -> None:
    plain = list(record_games(Asked("greedy"), "club", games=2, seed=1))
    assert plain == list(record_games("greedy", "club", games=2, seed=1))
    assert plain[0].beginning.names == ("Asked('greedy')", "club")
    given = next(record_games(Asked("greedy"), "club", games=1, names=("ann", "ben")))
    assert given.beginning.names == ("ann", "ben")


def test_a_player_meets_itself() -> None:
    player = make_policy("club")
    first, second = record_games(player, player, games=2, seed=1)
    assert first == second


def test_no_game_outgrows_its_log() -> None:
    for game in record_games("random", "random", games=2, seed=3, target=1000):
        assert game.winner is not None
        deals: list[int] = []
        for event in game.events:
            if event.kind == "deal":
                deals.append(0)
            if deals:
                deals[-1] += 1
        assert max(deals) <= ROWS_A_DEAL


@pytest.mark.parametrize(
    ("given", "error", "match"),
    [
        ({"games": 0}, ValueError, "games must be 1 or more, not 0"),
        ({"games": 1.0}, TypeError, "games must be an integer, not 1.0"),
        ({"games": True}, TypeError, "games must be an integer, not True"),
        ({"seed": -1}, ValueError, "seed -1 is outside"),
        ({"target": 0}, ValueError, "target 0 is outside"),
        ({"names": ("a", "\n")}, ValueError, "a name has one sign or more"),
        ({"a": "nobody"}, ValueError, "unknown player 'nobody'"),
    ],
)
def test_bad_input_is_refused_at_once(given: dict[str, Any], error: type, match: str) -> None:
    players = {"a": "club", "b": "greedy", "games": 2}
    with pytest.raises(error, match=match):
        record_games(**{**players, **given})


def round_trips(number: int) -> Iterator[Game]:
    rng = random.Random(number)
    kinds = ("random", "greedy", "club")
    while number > 0:
        games = min(number, rng.choice((1, 2, 5)))
        target = rng.choice((121, 121, 61, 31))
        seed = int(np.uint64(rng.getrandbits(64)))
        yield from record_games(
            rng.choice(kinds), rng.choice(kinds), games=games, seed=seed, target=target
        )
        number -= games


def check_round_trips(number: int) -> None:
    played = list(round_trips(number))
    assert len(played) == number
    text = write_records(played)
    read = read_records(text)
    for one, other in zip(played, read, strict=True):
        assert snapshot(other) == snapshot(one)
        assert other.beginning.names == one.beginning.names
        check_events(other)
    assert write_records(read) == text


def test_records_of_games_round_trip() -> None:
    check_round_trips(40)


@pytest.mark.slow
def test_records_of_a_thousand_games_round_trip() -> None:
    check_round_trips(1000)
