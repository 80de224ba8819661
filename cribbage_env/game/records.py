"""Games as text: readable, complete at any moment, and refused when cut short or edited.

A record names what the cards come from, then every action with the score after it, and closes with
the number of actions, how the game stands, and a check of all lines above. Reading one plays the
game again, writes its record, and compares. A file may hold several, one after the other, and
comments, lines that begin with ``#``, above each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256

from cribbage_env.cards import format_cards, parse_distinct_cards
from cribbage_env.game.beginning import (
    DECK_DEALT,
    Beginning,
    check_name,
    check_seed,
    make_beginning,
)
from cribbage_env.game.events import Event
from cribbage_env.game.game import Game

__all__ = ["RECORD_VERSION", "read_record", "read_records", "write_record", "write_records"]

RECORD_VERSION = 1
_TITLE = f"cribbage record {RECORD_VERSION}"
SEATS = ("seat 0", "seat 1")

Line = tuple[int, str]
"""The number of a line, from 1, and its text without blanks around it."""


def write_record(game: Game) -> str:
    """Return the record of a game."""
    lines = [*_head(game.beginning), *_body(game.events)]
    return "\n".join([*lines, f"{_ending(game)}, check {_check(lines)}"]) + "\n"


def write_records(games: Iterable[Game]) -> str:
    """Return the records of some games, above each a comment that says how it stands.

    >>> print(write_records([Game(seed=1), Game(seed=2)]).splitlines()[0])
    # game 1: seat 0 0, seat 1 0: seat 0 to discard
    """
    return "\n".join(
        f"# game {number}: {_summary(game)}\n{write_record(game)}"
        for number, game in enumerate(games, 1)
    )


def _summary(game: Game) -> str:
    names = game.beginning.names or SEATS
    first, second = (f"{name} {score}" for name, score in zip(names, game.scores, strict=True))
    skunk = ("", ", a skunk", ", a double skunk")[game.skunk]
    forfeit = ", by forfeit" if game.is_forfeit else ""
    return f"{first}, {second}: {_state(game, names)}{skunk}{forfeit}"


def _head(beginning: Beginning) -> Iterator[str]:
    yield _TITLE
    yield f"seed {beginning.seed}"
    yield f"number {beginning.number}"
    yield f"target {beginning.target}"
    yield f"scores {beginning.scores[0]}-{beginning.scores[1]}"
    yield f"dealer {'cut' if beginning.dealer is None else beginning.dealer}"
    if beginning.is_one_deal:
        yield "one deal"
    for seat, name in enumerate(beginning.names or ()):
        yield f"player {seat}: {name}"
    for number, deck in beginning.decks:
        yield f"deck {number}: {format_cards(deck)}"
    for number, seed in beginning.reseeds:
        yield f"reseed {number}: {seed}"


def _body(events: tuple[Event, ...]) -> Iterator[str]:
    """Yield a line for each deal and for each action with all that it brought about."""
    deals = 0
    words, scores = "", (0, 0)  # of the action that goes on
    for event in events:
        if event.kind in ("deal", "discard", "play", "forfeit") and words:
            yield f"{words} ({scores[0]}-{scores[1]})"
            words = ""
        if event.kind == "deal":
            deals += 1
            yield f"deal {deals}, dealer seat {event.player}"
        elif event.kind in ("discard", "play", "forfeit"):
            words = f"  seat {event.player}: {event.kind} {format_cards(event.cards)}".rstrip()
        elif event.kind == "starter":
            words += f", starter {format_cards(event.cards)}"
        scores = event.scores
    if words:
        yield f"{words} ({scores[0]}-{scores[1]})"


def _ending(game: Game) -> str:
    score = f"{game.scores[0]}-{game.scores[1]}"
    return f"end {len(game.actions)} actions, {score}, {_state(game)}"


def _state(game: Game, names: tuple[str, str] = SEATS) -> str:
    """Return what is to come next, or how the game ended."""
    if game.turn is not None:
        return f"{names[game.turn]} to {game.phase}"
    if game.winner is None:
        return "the deal is over"
    return f"{names[game.winner]} has won"


def _check(lines: list[str]) -> str:
    """Return a check of lines that changes with any of them: 8 hexadecimal digits."""
    return sha256("\n".join(line.strip() for line in lines).encode()).hexdigest()[:8]


def read_record(text: str) -> Game:
    """Return the game of a record; comments may stand above it.

    Raises:
        ValueError: names the line and what is wrong with it.
        TypeError: not text.
    """
    return _read(_lines(text))


def read_records(text: str) -> list[Game]:
    """Return the games of one record or more; lines are counted from the beginning of the text.

    Raises:
        ValueError: names the line and what is wrong with it.
        TypeError: not text.

    >>> games = [Game(seed=1), Game(seed=2)]
    >>> read_records(write_records(games)) == games
    True
    """
    lines = _lines(text)
    titles = [place for place, (_, line) in enumerate(lines) if line == _TITLE]
    starts = [0]
    for title in titles[1:]:
        start = title
        while _is_comment(lines[start - 1]):
            start -= 1
        starts.append(start)
    return [
        _read(lines[start:stop]) for start, stop in zip(starts, [*starts[1:], None], strict=True)
    ]


def _lines(text: str) -> list[Line]:
    """Return the lines that aren't blank."""
    if not isinstance(text, str):
        raise TypeError(f"a record is text, not {text!r} of type {type(text).__name__}")
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    return [(number, line) for number, line in lines if line]


def _is_comment(line: Line) -> bool:
    return line[1].startswith("#")


def _read(lines: list[Line]) -> Game:
    """Return the game of a record's lines."""
    comments = next((place for place, line in enumerate(lines) if not _is_comment(line)), 0)
    lines = lines[comments:]
    if not lines:
        raise ValueError("line 1: the record is empty")
    if lines[0][1] != _TITLE:
        raise ValueError(f"line {lines[0][0]}: {lines[0][1]!r} is not the title {_TITLE!r}")
    ends = [place for place, (_, line) in enumerate(lines) if line.startswith("end ")]
    if not ends:
        raise ValueError(f"line {lines[-1][0]}: the record is cut short: no closing line 'end …'")
    if ends[0] != len(lines) - 1:
        number, line = lines[ends[0] + 1]
        raise ValueError(f"line {number}: the record goes on after its end: {line!r}")
    beginning, body = _read_head(lines)
    game = Game.replay(beginning)
    for number, line in body[:-1]:
        if not _DEAL.fullmatch(line):
            _take(game, number, line)
    _refuse_unless_same(lines, write_record(game).splitlines())
    return game


_DEAL = re.compile(r"deal \d+, dealer seat [01]")
_ACTION = re.compile(
    r"seat ([01]): (?:discard (\S+ [^\s,]+)|play (\S+)|forfeit)(?:, starter \S+)? \(\d+-\d+\)"
)


def _take(game: Game, number: int, line: str) -> None:
    """Take the action of a line."""
    match = _ACTION.fullmatch(line)
    if match is None:
        raise ValueError(f"line {number}: {line!r} is no action of a seat with the score after it")
    seat, discarded, laid = int(match[1]), match[2], match[3]
    is_forfeit = not discarded and not laid
    if game.turn not in (None, seat) and not is_forfeit:
        raise ValueError(f"line {number}: it is seat {game.turn}'s turn, not seat {seat}'s")
    try:
        if discarded:
            game.discard(discarded)
        elif laid:
            game.play(laid)
        else:
            game.forfeit(seat)
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from error


def _refuse_unless_same(lines: list[Line], expected: list[str]) -> None:
    """Compare the lines of a record with those of the game that it led to."""
    for place, (number, line) in enumerate(lines):
        should = expected[place].strip() if place < len(expected) else "no such line"
        if line != should:
            raise ValueError(f"line {number}: {line!r} does not fit the game, which has {should!r}")


_HEAD = {
    "seed": re.compile(r"seed (\d+)"),
    "number": re.compile(r"number (\d+)"),
    "target": re.compile(r"target (\d+)"),
    "scores": re.compile(r"scores (\d+)-(\d+)"),
    "dealer": re.compile(r"dealer (cut|[01])"),
}
_DECK = re.compile(r"deck (\d+): (.+)")
_RESEED = re.compile(r"reseed (\d+): (\d+)")
_PLAYER = re.compile(r"player ([01]): (.*)")


def _read_head(lines: list[Line]) -> tuple[Beginning, list[Line]]:
    """Return the beginning and the lines that follow the head."""
    values: dict[str, re.Match[str]] = {}
    for (name, pattern), (number, line) in zip(_HEAD.items(), lines[1:], strict=False):
        match = pattern.fullmatch(line)
        if match is None:
            raise ValueError(f"line {number}: {line!r} is not a line '{name} …'")
        values[name] = match
    dealer = values["dealer"][1]
    try:
        beginning = make_beginning(
            int(values["seed"][1]),
            None if dealer == "cut" else int(dealer),
            (int(values["scores"][1]), int(values["scores"][2])),
            int(values["target"][1]),
            None,
            int(values["number"][1]),
        )
    except ValueError as error:
        raise ValueError(f"line {lines[1][0]} to {lines[len(_HEAD)][0]}: {error}") from error
    return _read_options(beginning, lines[len(_HEAD) + 1 :])


def _read_options(beginning: Beginning, lines: list[Line]) -> tuple[Beginning, list[Line]]:
    """Read the lines of the head that a record need not have."""
    names: list[str] = []
    for place, (number, line) in enumerate(lines):
        deck, reseed, player = (pattern.fullmatch(line) for pattern in (_DECK, _RESEED, _PLAYER))
        try:
            if line == "one deal":
                beginning = replace(beginning, is_one_deal=True)
            elif deck:
                cards = parse_distinct_cards(deck[2], count=DECK_DEALT, what="the deck")
                decks = (*beginning.decks, (int(deck[1]), tuple(cards)))
                beginning = replace(beginning, decks=decks)
            elif reseed:
                pair = (int(reseed[1]), check_seed(int(reseed[2])))
                beginning = replace(beginning, reseeds=(*beginning.reseeds, pair))
            elif player and int(player[1]) == len(names):
                names.append(check_name(player[2]))
                beginning = replace(beginning, names=(names[0], names[-1]))
            elif len(names) == 1:
                raise ValueError(f"{line!r} stands where player 1 is to be named")
            else:
                return beginning, lines[place:]
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
    return beginning, []
