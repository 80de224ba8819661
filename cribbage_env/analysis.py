"""What each choice is worth, in points and in the chance of winning, and why.

``python -m cribbage_env.analysis 5H 6H 7C JD QS KD --dealer --scores 88 92`` prints the table for a
discard. The numbers are the expert's: hands exact over the unseen starters, the crib from the cards
seen, pegging from its tables, the chance of winning in the true order of counting.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribbage_env.actions import DISCARDS, NUM_DISCARDS
from cribbage_env.bots import expert_policy
from cribbage_env.bots.expert.discard import write_discard_worths
from cribbage_env.bots.expert.play import ILLEGAL, write_play_worths
from cribbage_env.bots.expert.winning import MOST_NEED
from cribbage_env.bots.players import Players
from cribbage_env.cards import CardsLike, format_card, format_cards, parse_distinct_cards
from cribbage_env.command_line import OneLineParser
from cribbage_env.engine.compile import kernel
from cribbage_env.engine.layout import DISCARD, VIEW, States, Views
from cribbage_env.engine.show import hand_points
from cribbage_env.engine.tables import load_book
from cribbage_env.engine.view import write_view
from cribbage_env.game import Game, make_beginning
from cribbage_env.scoring import PlayScore, score_play

__all__ = ["DiscardAnalysis", "PlayAnalysis", "analyze_discard", "analyze_play", "main"]

OUT_OF_REACH = 1000
"""Holes by which the target is moved away where points count for themselves."""
ALL_DISCARDS = 100.0
"""A margin in points that leaves no discard out."""


@dataclass(frozen=True)
class DiscardAnalysis:
    """What one of the 15 discards is worth.

    Attributes:
        action: the action, 0..14.
        discard: the two cards thrown.
        kept: the four kept.
        hand: mean points of the hand over the 46 unseen starters.
        spread: their standard deviation.
        worst: the least that the hand counts; `worst_starter` a starter that does it.
        best: the most; `best_starter` a starter that does it.
        crib: mean points of the crib, the own or the opponent's.
        pegging: net points expected in the play.
        total: hand, plus the crib (dealer) or less it (pone), plus pegging.
        win: chance of winning the game; None for targets that the table doesn't reach.
    """

    action: int
    discard: tuple[int, int]
    kept: tuple[int, int, int, int]
    hand: float
    spread: float
    worst: int
    worst_starter: int
    best: int
    best_starter: int
    crib: float
    pegging: float
    total: float
    win: float | None

    def __str__(self) -> str:
        """Return one line: the throw and its worth."""
        win = "" if self.win is None else f", wins {self.win:.1%}"
        return f"discard {format_cards(self.discard)}: {self.total:.2f} points{win}"


@dataclass(frozen=True)
class PlayAnalysis:
    """What laying one card is worth.

    Attributes:
        action: the action, 15..18.
        card: the card.
        now: what it scores at once (R8).
        net: points to the end of the deal's play, own less the opponent's, over its likely hands;
            as if nobody could win before.
        win: chance of winning the game; None for targets that the table doesn't reach.
    """

    action: int
    card: int
    now: PlayScore
    net: float
    win: float | None

    def __str__(self) -> str:
        """Return one line: the card and its worth."""
        win = "" if self.win is None else f", wins {self.win:.1%}"
        return f"play {format_card(self.card)}: {self.now}; {self.net:+.2f} points{win}"


def analyze_discard(
    hand: CardsLike,
    *,
    is_dealer: bool,
    scores: Sequence[int] = (0, 0),
    target: int = 121,
) -> list[DiscardAnalysis]:
    """Return what each of the 15 discards from six cards is worth, the best first.

    `scores` are (own, opponent). Sorted by the chance of winning, or by points where the target is
    out of the table's reach.

    Raises:
        ValueError: not six different cards, a score outside 0..target-1.
        TypeError: a value of the wrong type.

    >>> best = analyze_discard("5H 6H 7C JD QS KD", is_dealer=True)[0]
    >>> format_cards(best.discard)
    '6H 7C'
    """
    if not isinstance(is_dealer, (bool, np.bool_)):
        raise TypeError(f"is_dealer must be a bool, not {is_dealer!r}")
    cards = sorted(parse_distinct_cards(hand, count=6, what="the hand"))
    checked = make_beginning(0, None, scores, target, None)
    views = np.zeros(1, VIEW)
    views["is_dealer"], views["is_on_turn"], views["phase"] = int(is_dealer), 1, DISCARD
    views["target"], views["scores"], views["dealt"] = checked.target, checked.scores, cards
    has_win = max(checked.target - score for score in checked.scores) <= MOST_NEED
    worths, starters = np.empty((NUM_DISCARDS, 5)), np.empty((NUM_DISCARDS, 52), np.int64)
    player = expert_policy(pegging=1.0).player
    _analyze_discards(player, views, has_win, load_book(), worths, starters)
    found = [
        _discard_analysis(action, cards, worths[action], starters[action], has_win)
        for action in range(NUM_DISCARDS)
    ]
    return sorted(found, key=lambda one: (one.win or 0.0, one.total), reverse=True)


def _discard_analysis(
    action: int,
    cards: list[int],
    worths: NDArray[np.float64],
    starters: NDArray[np.int64],
    has_win: bool,
) -> DiscardAnalysis:
    unseen = np.flatnonzero(starters >= 0)
    points = starters[unseen]
    first, second = DISCARDS[action]
    kept = [card for place, card in enumerate(cards) if place not in (first, second)]
    return DiscardAnalysis(
        action=action,
        discard=(cards[first], cards[second]),
        kept=(kept[0], kept[1], kept[2], kept[3]),
        hand=float(worths[0]),
        spread=float(points.std()),
        worst=int(points.min()),
        worst_starter=int(unseen[points.argmin()]),
        best=int(points.max()),
        best_starter=int(unseen[points.argmax()]),
        crib=float(worths[1]),
        pegging=float(worths[2]),
        total=float(worths[3]),
        win=float(worths[4]) if has_win else None,
    )


def analyze_play(game: Game, seat: int) -> list[PlayAnalysis]:
    """Return what each legal card is worth to the seat to act, the best first.

    Only what the seat knows is used: the opponent's hand is weighed over all that it may be.

    Raises:
        ValueError: no such seat, or it isn't that seat's turn to play.
        TypeError: not a game or not a seat.

    >>> game = Game.from_position(
    ...     dealer=1,
    ...     hands=("5H 6C 7D JS AC 2D", "4C 9D TH KC QC 3H"),
    ...     starter="8S",
    ...     discards=("AC 2D", "QC 3H"),
    ...     plays="5H",
    ... )
    >>> print(analyze_play(game, 1)[0].now)
    fifteen two
    """
    if not isinstance(game, Game):
        raise TypeError(f"a Game is analysed, not {game!r}")
    if game.phase != "play" or game.turn != seat:
        raise ValueError(f"seat {seat} is not to play now: {game!r}")
    lane = game.state[0]
    has_win = max(game.target - score for score in game.scores) <= MOST_NEED
    worths = np.empty((2, 4))
    player = expert_policy(worlds=1820).player
    _analyze_plays(player, game.state, seat, has_win, load_book(), worths)
    found = [
        PlayAnalysis(
            action=NUM_DISCARDS + slot,
            card=int(lane.kept[seat, slot]),
            now=score_play([*game.pile, int(lane.kept[seat, slot])]),
            net=float(worths[0, slot]),
            win=float(worths[1, slot]) if has_win else None,
        )
        for slot in range(4)
        if worths[0, slot] != ILLEGAL
    ]
    return sorted(found, key=lambda one: (one.win or 0.0, one.net), reverse=True)


@kernel
def _analyze_discards(
    players: Players,
    views: Views,
    has_win: bool,
    book: NDArray[Any],
    worths: NDArray[np.float64],
    starters: NDArray[np.int64],
) -> None:
    write_discard_worths(players[0], views[0], has_win, ALL_DISCARDS, book[0], worths)
    kept = np.empty(4, np.int16)
    for action in range(NUM_DISCARDS):
        slot = 0
        starters[action, :] = 0
        for place in range(6):
            starters[action, views[0].dealt[place]] = -1
            if place not in (
                book[0].discard_slots[action, 0],
                book[0].discard_slots[action, 1],
            ):
                kept[slot] = views[0].dealt[place]
                slot += 1
        for starter in range(52):
            if starters[action, starter] >= 0:
                starters[action, starter] = hand_points(kept, starter, False, book[0])


@kernel
def _analyze_plays(
    players: Players,
    states: States,
    seat: int,
    has_win: bool,
    book: NDArray[Any],
    worths: NDArray[np.float64],
) -> None:
    views = np.zeros(1, VIEW)
    key = np.uint64(0)
    for kind in range(2):  # in points, then in the chance of winning
        write_view(states[0], seat, views[0])
        if kind == 0:
            views[0].target += OUT_OF_REACH
        if kind == 0 or has_win:
            write_play_worths(players[0], views[0], kind == 1, key, book[0], worths[kind])


def format_discards(found: Sequence[DiscardAnalysis], *, is_dealer: bool) -> str:
    """Return the table of a discard's choices as text."""
    crib = "own crib" if is_dealer else "their crib"
    head = (
        f"{'discard':<8}  {'kept':<11}  {'hand':>5}  {'±':>4}  {'worst':>8}  {'best':>8}  "
        f"{crib:>10}  {'pegging':>7}  {'total':>6}  {'win':>6}"
    )
    lines = [head]
    for one in found:
        win = "" if one.win is None else f"{one.win:.2%}"
        lines.append(
            f"{format_cards(one.discard):<8}  {format_cards(one.kept):<11}  {one.hand:5.2f}  "
            f"{one.spread:4.2f}  {one.worst:>3} ({format_card(one.worst_starter)})  "
            f"{one.best:>3} ({format_card(one.best_starter)})  {one.crib:10.2f}  "
            f"{one.pegging:+7.2f}  {one.total:6.2f}  {win:>6}"
        )
    return "\n".join([*lines, "", _reason(found, is_dealer=is_dealer)])


def _reason(found: Sequence[DiscardAnalysis], *, is_dealer: bool) -> str:
    """Return in words why the first discard is ahead of the second."""
    first, second = found[0], found[1]
    sign = 1 if is_dealer else -1
    parts = {
        "the hand": first.hand - second.hand,
        "the crib": sign * (first.crib - second.crib),
        "the pegging": first.pegging - second.pegging,
    }
    words = ", ".join(f"{points:+.2f} in {name}" for name, points in parts.items())
    return (
        f"{format_cards(first.discard)} against {format_cards(second.discard)}: {words}: "
        f"{first.total - second.total:+.2f} points"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table for a discard; return the exit status."""
    parser = OneLineParser(
        prog="python -m cribbage_env.analysis",
        description="What each discard from six cards is worth, the best first.",
    )
    parser.add_argument("cards", nargs="+", help="six cards, such as 5H 6H 7C JD QS KD")
    role = parser.add_mutually_exclusive_group(required=True)
    role.add_argument("--dealer", action="store_true", help="the crib is yours")
    role.add_argument("--pone", action="store_true", help="the crib is your opponent's")
    parser.add_argument(
        "--scores",
        nargs=2,
        type=int,
        default=(0, 0),
        metavar=("OWN", "OPPONENT"),
        help="both scores (default: 0 0)",
    )
    parser.add_argument("--target", type=int, default=121, help="holes to reach (default: 121)")
    settings = parser.parse_args(argv)
    try:
        found = analyze_discard(
            " ".join(settings.cards),
            is_dealer=settings.dealer,
            scores=settings.scores,
            target=settings.target,
        )
    except ValueError as error:
        parser.error(str(error))
    sys.stdout.write(format_discards(found, is_dealer=settings.dealer) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
