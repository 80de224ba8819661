"""Recorded games in words: who plays whom, what happened, what a choice lost."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cribbage_env.decisions import NOTHING, Choice, Decision
from cribbage_env.game import Game
from cribbage_env.rendering.scene import Scene, see
from cribbage_env.rendering.words import cards_in_words, ending, tell
from cribbage_env.replay.decisions import Losses
from cribbage_env.replay.frames import names_of

__all__ = [
    "choices_in_words",
    "decision_in_words",
    "event_in_words",
    "losses_in_words",
    "outcome_in_words",
    "title_of",
]

SHOWN = 4
"""Choices of a decision that are listed in the terminal, besides the one taken."""


def title_of(game: Game) -> str:
    """Return who plays whom to what.

    >>> title_of(Game(seed=3, target=61))
    'seat 0 against seat 1, to 61'
    """
    first, second = names_of(game)
    return f"{first} against {second}, to {game.target}"


def outcome_in_words(game: Game) -> str:
    """Return how a game ended, or how it stands.

    >>> outcome_in_words(Game(seed=3))
    'not over: 0-0'
    """
    if game.turn is not None:
        return f"not over: {game.scores[0]}-{game.scores[1]}"
    return ending(replace(see(game), names=names_of(game)))


def event_in_words(scene: Scene) -> str:
    """Return what has just happened, as whoever looks at the scene may know it."""
    turned = "" if scene.starter is None else cards_in_words([scene.starter])
    return tell(scene, scene.events[-1], turned)


def decision_in_words(decision: Decision) -> str:
    """Return how good a choice was."""
    number = len(decision.choices)
    if decision.loss < NOTHING:
        return f"the best of {number}" if decision.rank == 1 else f"as good as any of {number}"
    best = f"{'throw' if decision.is_discard else 'lay'} {cards_in_words(decision.best.cards)}"
    return f"number {decision.rank} of {number}, {_loss(decision)}; best is to {best}"


def _loss(decision: Decision) -> str:
    points = f"{decision.points_lost:.2f} points"
    if decision.win_lost is None:
        return f"loses {points}"
    return f"loses {decision.win_lost:.2%} to win and {points}"


def losses_in_words(losses: Losses) -> str:
    """Return what a seat lost in all."""
    if not losses.decisions:
        return "no decision"
    lost = f"{losses.points:.2f} points"
    if losses.win is not None:
        lost = f"{losses.win:.1%} to win, {lost}"
    return f"{losses.best} of {losses.decisions} decisions the best; lost in all: {lost}"


def choices_in_words(decision: Decision) -> Iterator[str]:
    """Yield a line for each of the best choices, and for the one taken."""
    for rank, choice in enumerate(decision.choices, 1):
        is_made = rank == decision.rank
        if rank <= SHOWN or is_made:
            yield f"{'>' if is_made else ' '}{rank:>3}  {_choice(choice)}"


def _choice(choice: Choice) -> str:
    cards = f"{cards_in_words(choice.cards):6}"
    win = "" if choice.win is None else f"  {choice.win:7.2%} to win"
    if choice.now is not None:
        return f"{cards} {choice.points:+6.2f} points{win}  now {choice.now}"
    return (
        f"{cards} {choice.points:+6.2f} points{win}  "
        f"hand {choice.hand:.2f}, crib {choice.crib:+.2f}, pegging {choice.pegging:+.2f}"
    )
