"""A decision of a game: what each choice was worth to its seat, and what the one made lost."""

from __future__ import annotations

from dataclasses import dataclass

from cribbage_env.actions import NUM_DISCARDS
from cribbage_env.analysis import DiscardAnalysis, PlayAnalysis, analyze_discard, analyze_play
from cribbage_env.cards import rank_of
from cribbage_env.game import Game
from cribbage_env.scoring import PlayScore

__all__ = ["NOTHING", "Choice", "Decision", "has_choice", "judge"]

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
    """What a seat can choose, judged by what it knows; scores are (own, opponent).

    Attributes:
        number: how many actions came before it in the game.
        deal: number of the deal.
        seat: who is to act.
        is_dealer: whether that seat deals.
        is_discard: two cards for the crib, else a card to lay.
        scores: the scores.
        hand: the cards held.
        pile: the cards laid since the last reset, with their `count`.
        starter: the starter, None before the cut.
        choices: all that is legal, the best first.
        action: what was chosen, None while it isn't.
    """

    number: int
    deal: int
    seat: int
    is_dealer: bool
    is_discard: bool
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
        return not self.is_discard and len({rank_of(one.cards[0]) for one in self.choices}) == 1

    @property
    def points_lost(self) -> float:
        """Points by which the best choice was worth more; negative where it gave some away."""
        return self.best.points - self.made.points

    @property
    def win_lost(self) -> float | None:
        """What the chance of winning lost, 0..1; None where there is none."""
        best, made = self.best.win, self.made.win
        return None if best is None or made is None else best - made

    @property
    def loss(self) -> float:
        """What was lost in the measure that counts: the chance of winning, else points."""
        return self.loss_by(self.made)

    def loss_by(self, choice: Choice) -> float:
        """Return what a choice gives away in the measure that counts, at least 0."""
        if self.best.win is None or choice.win is None:
            return self.best.points - choice.points
        return self.best.win - choice.win

    @property
    def is_mistake(self) -> bool:
        """Whether enough was lost to be worth a look."""
        return self.loss >= (MISTAKE_POINTS if self.best.win is None else MISTAKE_WIN)


def judge(game: Game, action: int | None = None) -> Decision:
    """Return what the seat to act can choose, from its view alone; `action` is what it chose.

    Raises:
        ValueError: the game is over.

    >>> decision = judge(Game(seed=7, dealer=1), action=0)
    >>> len(decision.choices), decision.loss_by(decision.best)
    (15, 0.0)
    """
    seat = game.turn
    if seat is None:
        raise ValueError(f"nobody is to act: {game!r}")
    scores = (game.scores[seat], game.scores[1 - seat])
    is_dealer, is_discard = game.dealer == seat, game.phase == "discard"
    hand = game.hand(seat)
    if is_discard:
        found = analyze_discard(hand, is_dealer=is_dealer, scores=scores, target=game.target)
        choices = tuple(_discard(one, is_dealer) for one in found)
    else:
        choices = tuple(_play(one) for one in analyze_play(game, seat))
    return Decision(
        number=len(game.actions),
        deal=game.deals,
        seat=seat,
        is_dealer=is_dealer,
        is_discard=is_discard,
        scores=scores,
        hand=tuple(hand),
        pile=tuple(game.pile),
        count=game.count,
        starter=game.starter,
        choices=choices,
        action=action,
    )


def has_choice(game: Game) -> bool:
    """Tell whether the seat to act can do at least two things that differ.

    >>> has_choice(Game(seed=7))
    True
    """
    if game.turn is None or game.phase == "discard":
        return game.turn is not None
    kept = game.kept(game.turn)
    return len({rank_of(kept[action - NUM_DISCARDS]) for action in game.legal_actions()}) > 1


def _discard(one: DiscardAnalysis, is_dealer: bool) -> Choice:
    crib = one.crib if is_dealer else -one.crib
    return Choice(one.action, one.discard, one.total, one.win, one.hand, crib, one.pegging)


def _play(one: PlayAnalysis) -> Choice:
    return Choice(one.action, (one.card,), one.net, one.win, now=one.now)
