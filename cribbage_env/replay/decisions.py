"""What each choice of a recorded game was worth, and what the one that was taken lost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cribbage_env.actions import NUM_DISCARDS
from cribbage_env.analysis import DiscardAnalysis, PlayAnalysis, analyze_discard, analyze_play
from cribbage_env.cards import rank_of
from cribbage_env.game import Game
from cribbage_env.replay.frames import Frame
from cribbage_env.scoring import PlayScore

__all__ = ["NOTHING", "Choice", "Decision", "Losses", "judge"]

NOTHING = 1e-9
"""Below this a loss is one of rounding: equal choices."""
MISTAKE_WIN, MISTAKE_POINTS = 0.005, 0.3
"""A chance of winning and points, about worth each other far from the end."""


@dataclass(frozen=True)
class Choice:
    """One of the things that a seat could do.

    Attributes:
        action: the action, 0..18.
        cards: ids of the two cards thrown or of the one laid.
        points: own points less the opponent's that it is worth.
        win: chance of winning the game, None for targets above 121.
        hand, crib, pegging: what the points of a discard are made of.
        now: what a card scores at once.
    """

    action: int
    cards: tuple[int, ...]
    points: float
    win: float | None
    hand: float | None = None
    crib: float | None = None
    pegging: float | None = None
    now: PlayScore | None = None


@dataclass(frozen=True)
class Decision:
    """A choice between at least two things that differ, judged by what the seat knew then.

    Attributes:
        seat: who chose.
        is_discard: two cards for the crib, else a card to lay.
        choices: all that was legal, the best first.
        chosen: where in `choices` the one taken stands.
    """

    seat: int
    is_discard: bool
    choices: tuple[Choice, ...]
    chosen: int

    @property
    def points_lost(self) -> float:
        """Points by which the best choice was worth more; negative where it gave some away."""
        return self.choices[0].points - self.choices[self.chosen].points

    @property
    def win_lost(self) -> float | None:
        """What the chance of winning lost, 0..1; None where there is none."""
        best, taken = self.choices[0].win, self.choices[self.chosen].win
        return None if best is None or taken is None else best - taken

    @property
    def loss(self) -> float:
        """What was lost in the measure that counts: the chance of winning, else points."""
        return self.points_lost if self.win_lost is None else self.win_lost

    @property
    def is_mistake(self) -> bool:
        """Whether enough was lost to be worth a look."""
        if self.win_lost is None:
            return self.points_lost >= MISTAKE_POINTS
        return self.win_lost >= MISTAKE_WIN


def judge(frame: Frame) -> Decision | None:
    """Return the decision that led to a frame; None where there was no choice.

    >>> from cribbage_env.replay.frames import make_frames
    >>> game = Game(dealer=0, deck="AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC")
    >>> game.discard("AC JC")
    >>> decision = judge(make_frames(game)[-1])
    >>> decision.seat, len(decision.choices), decision.loss > 0
    (1, 15, True)
    """
    before, action = frame.before, frame.action
    if before is None or before.turn is None:
        return None
    seat, is_discard = before.turn, before.phase == "discard"
    if is_discard:
        choices = tuple(_discard(one, before.dealer == seat) for one in _discards(before, seat))
    else:
        kept = before.kept(seat)
        cards = [kept[legal - NUM_DISCARDS] for legal in before.legal_actions()]
        if len({rank_of(card) for card in cards}) == 1:
            return None
        choices = tuple(_play(one) for one in analyze_play(before, seat))
    chosen = next(place for place, choice in enumerate(choices) if choice.action == action)
    return Decision(seat, is_discard, choices, chosen)


def _discards(game: Game, seat: int) -> list[DiscardAnalysis]:
    scores = game.scores if seat == 0 else game.scores[::-1]
    return analyze_discard(
        game.hand(seat), is_dealer=game.dealer == seat, scores=scores, target=game.target
    )


def _discard(one: DiscardAnalysis, is_dealer: bool) -> Choice:
    crib = one.crib if is_dealer else -one.crib
    return Choice(one.action, one.discard, one.total, one.win, one.hand, crib, one.pegging)


def _play(one: PlayAnalysis) -> Choice:
    return Choice(one.action, (one.card,), one.net, one.win, now=one.now)


@dataclass(frozen=True)
class Losses:
    """What a seat's decisions lost together.

    Attributes:
        decisions: how many there were.
        best: how many of them were the best, or as good.
        points: points lost.
        win: chance of winning lost, summed over decisions; None where there is none.
    """

    decisions: int
    best: int
    points: float
    win: float | None

    @classmethod
    def of(cls, decisions: Iterable[Decision], seat: int) -> Losses:
        """Add up the decisions of a seat."""
        own = [decision for decision in decisions if decision.seat == seat]
        wins = [decision.win_lost for decision in own]
        return cls(
            decisions=len(own),
            best=sum(decision.loss < NOTHING for decision in own),
            points=sum(decision.points_lost for decision in own),
            win=None if None in wins else sum(win for win in wins if win is not None),
        )
