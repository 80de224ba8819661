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
from typing import TypeAlias

from cribbage_env.analysis import (
    DiscardAnalysis,
    PlayAnalysis,
    analyze_discard,
    analyze_play,
)
from cribbage_env.cards import rank_of
from cribbage_env.engine.layout import MAX_TARGET
from cribbage_env.engine.tables import load_book
from cribbage_env.game import Game

__all__ = [
    "NOTHING",
    "Choice",
    "Coach",
    "DealReview",
    "Decision",
    "Review",
    "chance_before_cut",
    "chance_of_winning",
    "judge",
    "points_of",
]

NOTHING = 1e-9
"""Below this a loss is one of rounding."""
MOST_PEGS = 31
"""The most points that the analysis takes a player to peg in one deal."""

Choice: TypeAlias = DiscardAnalysis | PlayAnalysis


def points_of(choice: Choice) -> float:
    """Return what a choice is worth in points."""
    return choice.total if isinstance(choice, DiscardAnalysis) else choice.net


def _win_of(choice: Choice) -> float:
    assert choice.win is not None  # for targets up to 121 (`session.TARGETS`)
    return choice.win


@dataclass(frozen=True)
class Decision:
    """A decision and what each choice was worth; scores are (own, opponent).

    Attributes:
        number: how many actions came before it in the game.
        deal: number of the deal.
        seat: who was to act.
        is_dealer: whether that seat dealt.
        phase: ``"discard"`` or ``"play"``.
        scores: the scores then.
        hand: the cards held.
        pile: the cards laid since the last reset, with their `count`.
        starter: the starter, None before the cut.
        choices: what there was to choose, the best first.
        action: what was chosen, None while it isn't.
    """

    number: int
    deal: int
    seat: int
    is_dealer: bool
    phase: str
    scores: tuple[int, int]
    hand: tuple[int, ...]
    pile: tuple[int, ...]
    count: int
    starter: int | None
    choices: tuple[Choice, ...]
    action: int | None = None

    @property
    def best(self) -> Choice:
        """The best choice."""
        return self.choices[0]

    @property
    def made(self) -> Choice:
        """The choice made.

        Raises:
            ValueError: none has been made yet.
        """
        for choice in self.choices:
            if choice.action == self.action:
                return choice
        raise ValueError(f"nothing has been chosen among {len(self.choices)} choices")

    @property
    def rank(self) -> int:
        """The place of the choice made, 1 for the best."""
        return 1 + self.choices.index(self.made)

    @property
    def is_forced(self) -> bool:
        """Whether there was nothing to choose: one card, or cards of one rank."""
        cards = [choice.card for choice in self.choices if isinstance(choice, PlayAnalysis)]
        return self.phase == "play" and len({rank_of(card) for card in cards}) == 1

    def lost_by(self, choice: Choice) -> float:
        """Return the chance of winning that a choice gives away."""
        return _win_of(self.best) - _win_of(choice)

    def points_lost_by(self, choice: Choice) -> float:
        """Return the points that a choice gives away; negative where points aren't what wins."""
        return points_of(self.best) - points_of(choice)

    @property
    def lost(self) -> float:
        """The chance of winning that the choice made gave away, at least 0."""
        return self.lost_by(self.made)

    @property
    def points_lost(self) -> float:
        """The points that the choice made gave away."""
        return self.points_lost_by(self.made)


def judge(game: Game, action: int | None = None) -> Decision:
    """Return what the seat to act can choose, judged from its view alone.

    Raises:
        ValueError: the game is over, or its target isn't 1 to 121.

    >>> decision = judge(Game(seed=7, dealer=1))
    >>> len(decision.choices), decision.lost_by(decision.best)
    (15, 0.0)
    """
    seat = game.turn
    if seat is None:
        raise ValueError(f"nobody is to act: {game!r}")
    scores = (game.scores[seat], game.scores[1 - seat])
    choices: tuple[Choice, ...]
    if game.phase == "discard":
        is_dealer = game.dealer == seat
        hand = game.hand(seat)
        choices = tuple(
            analyze_discard(hand, is_dealer=is_dealer, scores=scores, target=game.target)
        )
    else:
        choices = tuple(_analyze_play(game, seat))
    if choices[0].win is None:
        raise ValueError(f"the chance of winning isn't known for the target {game.target}")
    return Decision(
        number=len(game.actions),
        deal=game.deals,
        seat=seat,
        is_dealer=game.dealer == seat,
        phase=game.phase,
        scores=scores,
        hand=tuple(game.hand(seat)),
        pile=tuple(game.pile),
        count=game.count,
        starter=game.starter,
        choices=choices,
        action=action,
    )


def _analyze_play(game: Game, seat: int) -> list[PlayAnalysis]:
    """Return the analysis of a play, with plain points even where pegging may win the game.

    There the analysis counts a win as very many points, which says nothing beside the chance of
    winning; the points are those of the same position in a game that doesn't end.
    """
    choices = analyze_play(game, seat)
    if game.target - game.scores[seat] > MOST_PEGS:
        return choices
    endless = Game.replay(replace(game.beginning, target=MAX_TARGET), game.actions)
    points = {choice.action: choice.net for choice in analyze_play(endless, seat)}
    return [replace(choice, net=points[choice.action]) for choice in choices]


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
        return sum(decision.lost for decision in self.own)

    @property
    def other_lost(self) -> float:
        """The chance that the opponent's decisions gave away."""
        return sum(decision.lost for decision in self.other)

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
        lossy = [decision for decision in self.decisions if decision.lost > NOTHING]
        return sorted(lossy, key=lambda decision: decision.lost, reverse=True)[:most]


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
