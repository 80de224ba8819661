"""A recorded game as text from the first event to the last."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from textwrap import wrap

from cribbage_env.decisions import Decision
from cribbage_env.game import Game
from cribbage_env.rendering.words import cards_in_words, name_of, seats_from_top
from cribbage_env.replay.decisions import Losses, judge
from cribbage_env.replay.frames import Frame, as_seen, make_frames, names_of
from cribbage_env.replay.words import (
    decision_in_words,
    event_in_words,
    losses_in_words,
    outcome_in_words,
    title_of,
)

__all__ = ["Judge", "make_transcript"]

WIDTH = 80

Judge = Callable[[Frame], "Decision | None"]


def make_transcript(
    game: Game, viewer: int | None = None, *, judge_frame: Judge | None = judge
) -> Iterator[str]:
    """Yield the lines of a game: every event with the score after it, and what choices lost.

    A viewer sees of the other's cards what was shown. Without `judge_frame` choices aren't judged.

    >>> game = Game(0, dealer=0, deck="AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC")
    >>> for line in make_transcript(game, 1, judge_frame=None):
    ...     print(line.rstrip())
    seat 0 against seat 1, to 121: not over: 0-0
    seed 0, game 0
    <BLANKLINE>
    deal 1: seat 0 deals                                                         0-0
      seat 0 holds ▒▒ ▒▒ ▒▒ ▒▒ ▒▒ ▒▒
      seat 1 holds A♣ 3♣ 5♣ 7♣ 9♣ J♣
    """
    yield f"{title_of(game)}: {outcome_in_words(game)}"
    yield f"seed {game.seed}, game {game.number}"
    decisions = []
    for frame in make_frames(game):
        scene = as_seen(frame.scene, viewer)
        score = f"{scene.scores[0]}-{scene.scores[1]}"
        is_deal = frame.event.kind == "deal"
        start = f"deal {scene.deals}: " if is_deal else "  "
        if is_deal:
            yield ""
        *lines, last = wrap(
            event_in_words(scene), WIDTH - 8, initial_indent=start, subsequent_indent="    "
        )
        yield from lines
        yield f"{last:{WIDTH - 8}}{score:>8}"
        if is_deal:
            for seat in seats_from_top(scene):
                yield f"  {name_of(scene, seat)} holds {cards_in_words(scene.hands[seat])}"
        decision = None if judge_frame is None else judge_frame(frame)
        if decision is not None:
            decisions.append(decision)
            if viewer in (None, decision.seat):
                yield f"      {decision_in_words(decision)}"
    if decisions:
        yield ""
        for seat, name in enumerate(names_of(game)):
            if viewer in (None, seat):
                yield f"{name}: {losses_in_words(Losses.of(decisions, seat))}"
