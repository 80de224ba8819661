"""The engine beside the slow referee and OpenSpiel, game after game, until told to stop.

``python -m tests.soak`` plays games between players drawn for each of them and compares every
decision and every event. Game n of a seed is always the same, so that a run goes on with
``--first`` where another ended, and a difference is found again alone with ``--games 1``. The exit
status is 0 when all agreed, 1 at the first difference, whose record is printed, and 2 for bad
input. Ctrl-C ends it like ``--deals``.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cribbage_env.command_line import OneLineParser
from cribbage_env.engine.layout import NOBODY
from cribbage_env.game import Game, make_beginning
from cribbage_env.game.events import decode_actions
from cribbage_env.lanes import Lanes
from cribbage_env.match.records import _make_log
from cribbage_env.policy import Policy, make_policy
from tests.referee import Referee, suit
from tests.umpire import check_by_itself, check_cuts, read_rows

PLAYERS = ("random", "random", "greedy", "club", "expert")
"""One sits in each seat; twice random, whose games go to odder places than strong ones."""
TARGETS = (121, 121, 121, 61, 31)
THOROUGH = 16
"""Each game of so many is also looked at after every action, recorded and read again."""
REPORT_EVERY = 60.0


class DifferenceError(AssertionError):
    """The engine and another implementation don't tell the same."""


@dataclass
class Tally:
    """What has been compared so far."""

    games: int = 0
    deals: int = 0
    decisions: int = 0
    spiel_games: int = 0
    spiel_refused: int = 0

    def __str__(self) -> str:
        return (
            f"{self.games} games, {self.deals} deals, {self.decisions} decisions; OpenSpiel: "
            f"{self.spiel_games} games, {self.spiel_refused} of other rules"
        )


class Soak:
    """Games of one seed, each compared as it is played."""

    def __init__(self, seed: int, players: Sequence[str], *, has_spiel: bool = True) -> None:
        self.seed = seed
        self.players = [make_policy(player) for player in players]
        self.names = list(players)
        self.has_spiel = has_spiel and _is_there("pyspiel")
        self.tally = Tally()

    def compare(self, number: int) -> None:
        """Play one game and compare it.

        Raises:
            DifferenceError: says where, with the record of the game.
        """
        rng = random.Random(f"{self.seed} {number}")
        seats = [rng.randrange(len(self.players)) for _ in range(2)]
        target = rng.choice(TARGETS)
        scores = tuple(rng.choice((0, 0, rng.randrange(target))) for _ in range(2))
        game = play([self.players[seat] for seat in seats], self.seed, number, target, scores)
        try:
            self._compare(game)
            if number % THOROUGH == 0:
                look_closely(game)
            if self.has_spiel and game.target == 121 and game.beginning.scores == (0, 0):
                self._compare_with_spiel(game)
        except AssertionError as error:
            names = " against ".join(self.names[seat] for seat in seats)
            raise DifferenceError(
                f"game {number} of seed {self.seed}, {names}: {error!r}\n{game.to_record()}"
            ) from error

    def _compare(self, game: Game) -> None:
        """Let the engine and the referee go through a game side by side."""
        replayed = Game.replay(game.beginning)
        rows = replayed._rows[0]
        cuts = [event for event in read_rows(rows) if event.kind == "cut"]
        first_dealer = check_cuts(cuts)

        def deck_for_deal(deal: int) -> list[int]:
            dealt = replayed.state["dealt"][0].tolist()
            dealer = (first_dealer + deal - 1) % 2
            pairs = zip(dealt[1 - dealer], dealt[dealer], strict=True)
            return [*(card for pair in pairs for card in pair), int(replayed.state["starter"][0])]

        referee = Referee(
            dealer=first_dealer,
            deck_for_deal=deck_for_deal,
            scores=game.beginning.scores,
            target=game.target,
        )
        for action in game.actions:
            assert referee.turn == replayed.turn
            assert referee.legal_actions() == replayed.legal_actions()
            replayed.step(action)
            referee.step(action)
        told = [event for rows in replayed._rows for event in read_rows(rows)]
        assert told[len(cuts) :] == referee.events
        assert replayed.state.tobytes() == game.state.tobytes()
        assert referee.phase == "over"
        self.tally.games += 1
        self.tally.deals += referee.deals
        self.tally.decisions += len(game.actions)

    def _compare_with_spiel(self, game: Game) -> None:
        from cribbage_env.open_spiel import to_state

        try:
            to_state(game)
        except ValueError as error:
            check_refusal(game, str(error))
            self.tally.spiel_refused += 1
        else:
            self.tally.spiel_games += 1


def play(
    players: Sequence[Policy], seed: int, number: int, target: int, scores: tuple[Any, ...]
) -> Game:
    """Return a whole game, whose players move in the kernels or are asked."""
    lanes = Lanes(1, players)
    lanes.seats[0] = (0, 1)
    lanes.begin(
        np.array([0]),
        np.array([seed], np.uint64),
        np.array([number]),
        np.array([NOBODY]),
        np.array([scores]),
        target,
    )
    log = _make_log(target)
    lanes.play_on(log)
    beginning = make_beginning(seed, None, scores, target, None, number)
    game = Game.replay(beginning, decode_actions(log[1 : int(log[0, 0]) + 1]))
    assert game.state.tobytes() == lanes.states.tobytes()
    return game


def check_refusal(game: Game, reason: str) -> None:
    """Check that OpenSpiel goes another way for one of the two reasons that are known."""
    if "(R16)" in reason:
        deal = int(reason.removeprefix("deal ").split(":")[0])
        shown = [event.cards for event in game.events if event.kind == "crib"][deal - 1]
        starters = [event.cards[0] for event in game.events if event.kind == "starter"]
        assert len({suit(card) for card in shown}) == 1, reason
        assert suit(starters[deal - 1]) != suit(shown[0]), reason
        return
    assert "(R12, R19)" in reason, reason
    # Once all cards are laid it counts on after the other's end, and then its player 0 wins: here
    # the first dealer.
    assert game.winner == 1 - int(game.state["first_dealer"][0]), reason
    start = max(place for place, event in enumerate(game.events) if event.kind == "deal")
    assert sum(event.kind == "play" for event in game.events[start:]) == 8, reason


def look_closely(game: Game) -> None:
    """Check a game after every action, and its record."""
    copy = Game.replay(game.beginning)
    for action in game.actions:
        copy.step(action)
        check_by_itself(copy)
    again = Game.from_record(game.to_record())
    assert again == game
    assert again.events == game.events


def _is_there(module: str) -> bool:
    try:
        __import__(module)
    except ImportError:
        return False
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare as the command line says; return the exit status."""
    parser = OneLineParser(prog="python -m tests.soak", description=__doc__)
    add = parser.add_argument
    add("--seed", type=int, default=0, help="seed of all games")
    add("--first", type=int, default=0, metavar="N", help="number of the first game")
    add("--games", type=int, metavar="N", help="end after so many games")
    add("--deals", type=int, metavar="N", help="end after so many deals")
    add("--players", nargs="+", default=PLAYERS, metavar="PLAYER", help="who is drawn from")
    add("--no-spiel", action="store_true", help="leave OpenSpiel out")
    given = parser.parse_args(arguments)
    try:
        soak = Soak(given.seed, given.players, has_spiel=not given.no_spiel)
        make_beginning(given.seed, None, (0, 0), 121, None, given.first)
    except (TypeError, ValueError) as error:
        parser.error(str(error))
    number, told = given.first, time.monotonic()
    tally = soak.tally
    try:
        while not _is_done(tally, given):
            soak.compare(number)
            number += 1
            if time.monotonic() - told > REPORT_EVERY:
                told = time.monotonic()
                _say(f"seed {given.seed}: {tally}; next is --first {number}")
    except DifferenceError as error:
        _say(str(error))
        return 1
    except KeyboardInterrupt:
        pass
    _say(f"seed {given.seed}: all agreed: {tally}; next is --first {number}")
    return 0


def _is_done(tally: Tally, given: argparse.Namespace) -> bool:
    games_done = given.games is not None and tally.games >= given.games
    return games_done or (given.deals is not None and tally.deals >= given.deals)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
