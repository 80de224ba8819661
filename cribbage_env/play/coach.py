"""What each choice is worth, what a decision lost, and how much of a game was luck.

All in chances of winning, as `cribbage_env.analysis` works them out from what the seat knows. What
a decision lost is the chance of the best choice less that of the choice made. What neither side's
decisions explain is luck: over a deal

    luck = chance after it - chance before it + own losses - the opponent's losses

where the chances between deals come from the expert's table (both needs, who deals). The game
begins at the chance before the cut and ends at 0 or 1, so luck and losses add up to the result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from cribbage_env import decisions
from cribbage_env.decisions import NOTHING, Choice, Decision
from cribbage_env.engine.tables import load_book
from cribbage_env.game import Game

__all__ = [
    "COACH_MODES",
    "Coach",
    "DealReview",
    "Review",
    "chance_before_cut",
    "chance_of_winning",
    "judge",
]

COACH_MODES = ("off", "before", "after")
"""When the coach says what each choice is worth: never, before a decision, or after it."""


def judge(game: Game, action: int | None = None) -> Decision:
    """Return what the seat to act can choose, with the chance of winning of each choice.

    Raises:
        ValueError: the game is over, or its target isn't 1 to 121.
    """
    decision = decisions.judge(game, action)
    if decision.best.win is None:
        raise ValueError(f"the chance of winning isn't known for the target {game.target}")
    return decision


def _win_of(choice: Choice) -> float:
    assert choice.win is not None  # for targets up to 121 (`session.TARGETS`)
    return choice.win


def chance_of_winning(game: Game, seat: int) -> float:
    """Return a seat's chance before any card of a deal is seen, or the result of a finished game.

    >>> chance_of_winning(Game(seed=7, dealer=0), 0) > 0.5
    True
    """
    if game.winner is not None:
        return float(game.winner == seat)
    own, other = (game.target - game.scores[who] for who in (seat, 1 - seat))
    return _table(game.dealer == seat, own, other)


def chance_before_cut(game: Game, seat: int) -> float:
    """Return a seat's chance before the game began: half where both are to cut for the deal."""
    beginning = game.beginning
    own, other = (beginning.target - beginning.scores[who] for who in (seat, 1 - seat))
    if beginning.dealer is not None:
        return _table(beginning.dealer == seat, own, other)
    return (_table(False, own, other) + _table(True, own, other)) / 2


def _table(is_dealer: bool, own: int, other: int) -> float:
    return float(load_book()["win"][0, int(is_dealer), own, other])


@dataclass(frozen=True)
class DealReview:
    """A deal that is over, from one seat: chances of winning, and where they came from.

    Attributes:
        number: number of the deal.
        is_dealer: whether the seat dealt.
        before: the chance before the deal.
        after: the chance after it.
        own_cards: what the own six cards changed: the best discard's chance less `before`.
        other_cards: what the opponent's six cards changed, judged likewise by what it knew.
        own: the own decisions.
        other: the opponent's.
    """

    number: int
    is_dealer: bool
    before: float
    after: float
    own_cards: float
    other_cards: float
    own: tuple[Decision, ...]
    other: tuple[Decision, ...]

    @property
    def own_lost(self) -> float:
        """The chance that the own decisions gave away."""
        return sum(decision.loss for decision in self.own)

    @property
    def other_lost(self) -> float:
        """The chance that the opponent's decisions gave away."""
        return sum(decision.loss for decision in self.other)

    @property
    def luck(self) -> float:
        """What no decision explains."""
        return self.after - self.before + self.own_lost - self.other_lost

    @property
    def rest(self) -> float:
        """The luck that is in neither six cards: the starter, and how the hands met."""
        return self.luck - self.own_cards - self.other_cards


@dataclass(frozen=True)
class Review:
    """A game so far, from one seat, deal by deal; what lies in a deal that goes on isn't in it.

    Attributes:
        seat: whose review it is.
        start: the chance before the cut.
        cut: what the cut for the deal changed.
        deals: the deals that are over.
    """

    seat: int
    start: float
    cut: float
    deals: tuple[DealReview, ...]

    @property
    def now(self) -> float:
        """The chance after the last of the deals; 0 or 1 where the game is over."""
        return self.deals[-1].after if self.deals else self.start + self.cut

    @property
    def luck(self) -> float:
        """The luck of the game, the cut included."""
        return self.cut + sum(deal.luck for deal in self.deals)

    @property
    def own_lost(self) -> float:
        """The chance that all own decisions gave away."""
        return sum(deal.own_lost for deal in self.deals)

    @property
    def other_lost(self) -> float:
        """The chance that all the opponent's decisions gave away."""
        return sum(deal.other_lost for deal in self.deals)

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """All own decisions at which there was something to choose."""
        own = (decision for deal in self.deals for decision in deal.own)
        return tuple(decision for decision in own if not decision.is_forced)

    def mistakes(self, most: int = 5) -> list[Decision]:
        """Return the own decisions that gave away most, the worst first."""
        lossy = [decision for decision in self.decisions if decision.loss > NOTHING]
        return sorted(lossy, key=lambda decision: decision.loss, reverse=True)[:most]


class Coach:
    """Judges the decisions of games, and remembers what it has judged."""

    def __init__(self) -> None:
        self._known: dict[tuple[object, ...], Decision] = {}

    def judge(self, game: Game) -> Decision:
        """Return what `judge` says of the seat to act.

        Raises:
            ValueError: the game is over, or its target isn't 1 to 121.
        """
        place = (game.beginning, *game.actions)
        if place not in self._known:
            self._known[place] = judge(game)
        return self._known[place]

    def last_decision(self, game: Game, seat: int) -> Decision | None:
        """Return the last decision that a seat made, None before its first."""
        before = Game.replay(game.beginning)
        found = None
        for action in game.actions:
            if before.turn == seat:
                found = (before.copy(), action)
            before.step(action)
        return None if found is None else _with_action(self.judge(found[0]), found[1])

    def review(self, game: Game, seat: int) -> Review:
        """Return a seat's review of all deals that are over.

        Raises:
            ValueError: a target above 121, or a forfeit, which ends a game outside its rules.
        """
        if game.is_forfeit:
            raise ValueError("a game that ended by forfeit has no review")
        start = chance_before_cut(game, seat)
        first = Game.replay(game.beginning)
        cut = chance_of_winning(first, seat) - start
        deals = tuple(self._deals(game, seat))
        return Review(seat, start, cut, deals)

    def _deals(self, game: Game, seat: int) -> Iterator[DealReview]:
        now = Game.replay(game.beginning)
        before = chance_of_winning(now, seat)
        decisions: list[tuple[Game, int]] = []
        for action in game.actions:
            decisions.append((now.copy(), action))
            number, is_dealer = now.deals, now.dealer == seat
            now.step(action)
            if now.deals == number and not now.is_over:
                continue
            after = chance_of_winning(now, seat)
            judged = [_with_action(self.judge(then), taken) for then, taken in decisions]
            yield _review_deal(number, is_dealer, before, after, judged, seat)
            before, decisions = after, []


def _with_action(decision: Decision, action: int) -> Decision:
    return replace(decision, action=action)


def _review_deal(
    number: int,
    is_dealer: bool,
    before: float,
    after: float,
    judged: list[Decision],
    seat: int,
) -> DealReview:
    """Put the decisions of a deal together."""
    own = tuple(decision for decision in judged if decision.seat == seat)
    other = tuple(decision for decision in judged if decision.seat != seat)
    return DealReview(
        number,
        is_dealer,
        before,
        after,
        own_cards=_win_of(own[0].best) - before,
        other_cards=(1.0 - before) - _win_of(other[0].best),
        own=own,
        other=other,
    )
