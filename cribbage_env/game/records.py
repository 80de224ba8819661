"""Games as text: readable, complete at any moment, and refused when cut short or edited.

A record names what the cards come from, then every action with the score after it, and closes with
the number of actions and how the game stands. Reading one plays it again and compares.
"""

from __future__ import annotations

import re
from dataclasses import replace

from cribbage_env.actions import NUM_DISCARDS, describe_action
from cribbage_env.cards import format_cards, parse_distinct_cards
from cribbage_env.game.game import DECK_DEALT, Beginning, Game, make_beginning

__all__ = ["RECORD_VERSION", "read_record", "write_record"]

RECORD_VERSION = 1
_TITLE = "cribbage record"


def write_record(game: Game) -> str:
    """Return the record of a game."""
    beginning = game.beginning
    dealer = "cut" if beginning.dealer is None else str(beginning.dealer)
    lines = [
        f"{_TITLE} {RECORD_VERSION}",
        f"seed {beginning.seed}",
        f"number {beginning.number}",
        f"target {beginning.target}",
        f"scores {beginning.scores[0]}-{beginning.scores[1]}",
        f"dealer {dealer}",
    ]
    if beginning.is_one_deal:
        lines.append("one deal")
    lines += [f"deck {number}: {format_cards(deck)}" for number, deck in beginning.decks]
    lines += [f"reseed {number}: {seed}" for number, seed in beginning.reseeds]
    twin = Game.replay(beginning)
    deal = 0
    for action in game.actions:
        if twin.deals != deal:
            deal = twin.deals
            lines.append(_deal_line(twin))
        lines.append(_take(twin, action))
    lines.append(_closing_line(twin))
    return "\n".join(lines) + "\n"


def read_record(text: str) -> Game:
    """Return the game of a record.

    Raises:
        ValueError: names the line and what is wrong with it.
        TypeError: not text.
    """
    if not isinstance(text, str):
        raise TypeError(f"a record is text, not {type(text).__name__}")
    lines = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1)]
    lines = [(number, line) for number, line in lines if line]
    if not lines:
        raise ValueError("line 1: the record is empty")
    beginning, body = _read_head(lines)
    game = _replay_or_refuse(beginning, body[0] if body else lines[-1])
    deal = 0
    for number, line in body:
        if line.startswith("end "):
            _expect(number, line, _closing_line(game))
            if (number, line) != body[-1]:
                raise ValueError(f"line {number}: the record goes on after its end")
            return game
        if game.deals != deal:
            deal = game.deals
            _expect(number, line, _deal_line(game))
            continue
        _expect(number, line, _take(game, _read_action(game, number, line)).strip())
    raise ValueError(f"line {lines[-1][0]}: the record is cut short: it has no closing line 'end'")


def _deal_line(game: Game) -> str:
    return f"deal {game.deals}, dealer seat {game.dealer}"


def _closing_line(game: Game) -> str:
    if game.turn is not None:
        state = f"seat {game.turn} to {game.phase}"
    elif game.winner is None:
        state = "the deal is over"
    else:
        state = f"seat {game.winner} has won"
    return f"end {len(game.actions)} actions, {game.scores[0]}-{game.scores[1]}, {state}"


def _take(game: Game, action: int) -> str:
    """Take an action and return its line."""
    if action < 0:
        seat, words = -1 - action, "forfeit"
        game.forfeit(seat)
    else:
        seat = game.state[0].turn
        lane = game.state[0]
        hand = lane.dealt[seat] if action < NUM_DISCARDS else lane.kept[seat]
        words = describe_action(action, [int(card) for card in hand])
        game.step(action)
    return f"  seat {seat}: {words} ({game.scores[0]}-{game.scores[1]})"


_ACTION = re.compile(r"seat ([01]): (discard (\S+ \S+)|play (\S+)|forfeit) \(\d+-\d+\)")


def _read_action(game: Game, number: int, line: str) -> int:
    """Return the action of a line, checked against the game but not yet taken."""
    match = _ACTION.fullmatch(line)
    if match is None:
        raise ValueError(f"line {number}: {line!r} is no action of a seat with the score after it")
    seat = int(match[1])
    if game.turn is None:
        raise ValueError(f"line {number}: the game is over, yet {line!r} follows")
    if match[2] == "forfeit":
        return -1 - seat
    if seat != game.turn:
        raise ValueError(f"line {number}: it is seat {game.turn}'s turn, not seat {seat}'s")
    twin = game.copy()
    try:
        if match[3]:
            twin.discard(match[3])
        else:
            twin.play(match[4])
    except ValueError as error:
        raise ValueError(f"line {number}: {error}") from error
    return twin.actions[-1]


def _expect(number: int, line: str, expected: str) -> None:
    if line != expected:
        raise ValueError(f"line {number}: {line!r} does not fit the game, which has {expected!r}")


def _replay_or_refuse(beginning: Beginning, line: tuple[int, str]) -> Game:
    try:
        return Game.replay(beginning)
    except ValueError as error:  # pragma: no cover - the head has been checked
        raise ValueError(f"line {line[0]}: {error}") from error


_HEAD = {
    "seed": re.compile(r"seed (\d+)"),
    "number": re.compile(r"number (\d+)"),
    "target": re.compile(r"target (\d+)"),
    "scores": re.compile(r"scores (\d+)-(\d+)"),
    "dealer": re.compile(r"dealer (cut|[01])"),
}
_DECK = re.compile(r"deck (\d+): (.+)")
_RESEED = re.compile(r"reseed (\d+): (\d+)")


def _read_head(lines: list[tuple[int, str]]) -> tuple[Beginning, list[tuple[int, str]]]:
    """Return the beginning and the lines that follow the head."""
    number, line = lines[0]
    if line != f"{_TITLE} {RECORD_VERSION}":
        raise ValueError(f"line {number}: {line!r} is not '{_TITLE} {RECORD_VERSION}'")
    values: dict[str, re.Match[str]] = {}
    for place, (name, pattern) in enumerate(_HEAD.items(), 1):
        if place >= len(lines):
            raise ValueError(f"line {lines[-1][0]}: the record is cut short before '{name}'")
        number, line = lines[place]
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
        raise ValueError(f"line {lines[1][0]} to {number}: {error}") from error
    return _read_options(beginning, lines[len(_HEAD) + 1 :])


def _read_options(
    beginning: Beginning, lines: list[tuple[int, str]]
) -> tuple[Beginning, list[tuple[int, str]]]:
    """Read the lines of the head that a record need not have."""
    for place, (number, line) in enumerate(lines):
        deck, reseed = _DECK.fullmatch(line), _RESEED.fullmatch(line)
        if line == "one deal":
            beginning = replace(beginning, is_one_deal=True)
        elif deck:
            try:
                cards = parse_distinct_cards(deck[2], count=DECK_DEALT, what="the deck")
            except ValueError as error:
                raise ValueError(f"line {number}: {error}") from error
            entry = (int(deck[1]), tuple(cards))
            beginning = replace(beginning, decks=(*beginning.decks, entry))
        elif reseed:
            pair = (int(reseed[1]), int(reseed[2]))
            if pair[1] >= 2**64:
                raise ValueError(f"line {number}: seed {pair[1]} is outside 0..2**64 - 1")
            beginning = replace(beginning, reseeds=(*beginning.reseeds, pair))
        else:
            return beginning, lines[place:]
    return beginning, []
