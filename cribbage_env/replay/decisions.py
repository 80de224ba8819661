"""The decisions of a recorded game, frame by frame, and what those of a seat lost together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from cribbage_env.decisions import NOTHING, Decision, has_choice
from cribbage_env.decisions import judge as judge_game
from cribbage_env.replay.frames import Frame

__all__ = ["Losses", "judge"]


def judge(frame: Frame) -> Decision | None:
    """Return the decision that led to a frame; None where there was no choice.

    >>> from cribbage_env.game import Game
    >>> from cribbage_env.replay.frames import make_frames
    >>> game = Game(dealer=0, deck="AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC")
    >>> game.discard("AC JC")
    >>> decision = judge(make_frames(game)[-1])
    >>> decision.seat, len(decision.choices), decision.loss > 0
    (1, 15, True)
    """
    if frame.before is None or not has_choice(frame.before):
        return None
    return judge_game(frame.before, frame.action)


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
