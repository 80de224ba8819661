"""Stepping through recorded games in the terminal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from cribbage_env.decisions import Decision
from cribbage_env.game import Game
from cribbage_env.rendering.text import render_scene
from cribbage_env.replay.frames import Frame, as_seen, make_frames
from cribbage_env.replay.transcript import Judge
from cribbage_env.replay.words import (
    choices_in_words,
    decision_in_words,
    outcome_in_words,
    title_of,
)

__all__ = ["Stepper", "in_colour"]

HELP = "→ ← step  PgDn PgUp deal  Home End  m next mistake  a analysis  v view  q quit"
GAMES_HELP = "n p another game, or its number and Enter   l list"
MOST_EVENTS = 7
LISTED = 15


class Stepper:
    """Where somebody is in some games, and what they see there.

    Attributes:
        place: the game, from 0.
        step: the frame of it, from 0.
        viewer: the seat whose cards are seen, or None for all.
    """

    def __init__(
        self, games: Sequence[Game], viewer: int | None = None, *, judge_frame: Judge | None = None
    ) -> None:
        """Begin with the first event of the first game; `judge_frame` None leaves choices alone."""
        self.games = games
        self.viewer = viewer
        self.place = 0
        self.step = 0
        self.shows_choices = True
        self.shows_list = False
        self.typed = ""
        self._judge = judge_frame
        self._open(0)

    def _open(self, place: int) -> None:
        """Go to the beginning of a game."""
        self.place, self.step = place, 0
        self.frames = make_frames(self.games[place])
        self._decisions: dict[int, Decision | None] = {}

    def follow(
        self,
        keys: Iterator[str],
        show: Callable[[str], None],
        size: Callable[[], tuple[int, int]],
    ) -> None:
        """Show the table after each key until ``q`` or the end of the keys.

        `size` is asked for the columns and lines that there are.
        """
        show(self.screen(*size()))
        for key in keys:
            if key == "q":
                return
            self.press(key)
            show(self.screen(*size()))

    def press(self, key: str) -> None:
        """Do what a key asks for; one that asks for nothing is passed over."""
        if key.isdecimal() and len(self.games) > 1:
            self.typed = (self.typed + key)[-9:]
            return
        typed, self.typed = self.typed, ""
        was_list, self.shows_list = self.shows_list, key == "l" and not self.shows_list
        if typed:
            if key == "enter" and 1 <= int(typed) <= len(self.games):
                self._open(int(typed) - 1)
        elif key in ("right", "enter", " ", "f") and not was_list:
            self._go(self.step + 1)
        elif key in ("left", "backspace", "b"):
            self._go(self.step - 1)
        elif key in ("home", "end"):
            self._go(0 if key == "home" else len(self.frames) - 1)
        elif key in ("page down", "d", "page up", "u"):
            self._go_to_deal(1 if key in ("page down", "d") else -1)
        elif key in ("n", "p"):
            self._open((self.place + (1 if key == "n" else -1)) % len(self.games))
        elif key == "m":
            self._go_to_mistake()
        elif key == "a":
            self.shows_choices = not self.shows_choices
        elif key == "v":
            self.viewer = {None: 0, 0: 1, 1: None}[self.viewer]

    def _go(self, step: int) -> None:
        self.step = min(max(step, 0), len(self.frames) - 1)

    def _go_to_deal(self, way: int) -> None:
        """Go to the next deal, or to the beginning of this one and then to the one before."""
        deals = [step for step, frame in enumerate(self.frames) if frame.event.kind == "deal"]
        if way > 0:
            self._go(next((deal for deal in deals if deal > self.step), len(self.frames) - 1))
        else:
            self._go(next((deal for deal in reversed(deals) if deal < self.step), 0))

    def _go_to_mistake(self) -> None:
        for step in range(self.step + 1, len(self.frames)):
            decision = self._decision(step)
            if decision is not None and decision.is_mistake:
                self._go(step)
                return

    def _decision(self, step: int) -> Decision | None:
        """Return the decision of a frame that the viewer may see."""
        if self._judge is None:
            return None
        if step not in self._decisions:
            self._decisions[step] = self._judge(self.frames[step])
        decision = self._decisions[step]
        return decision if decision and self.viewer in (None, decision.seat) else None

    @property
    def game(self) -> Game:
        """The game that is seen."""
        return self.games[self.place]

    @property
    def frame(self) -> Frame:
        """The frame that is seen."""
        return self.frames[self.step]

    def screen(self, columns: int = 80, height: int = 40) -> str:
        """Return what is seen, in no more lines than these if it can be."""
        lines = list(self._list()) if self.shows_list else self._lines(height)
        return "\n".join(
            line if len(line) <= columns else f"{line[: columns - 1]}…" for line in lines
        )

    def _lines(self, height: int) -> list[str]:
        """Return the table with as many of the last events as there is room for."""
        head = [f"{self._number()}{title_of(self.game)}: {outcome_in_words(self.game)}"]
        below = [""]
        decision = self._decision(self.step) if self.shows_choices else None
        if decision is not None:
            below += [decision_in_words(decision), *choices_in_words(decision), ""]
        view = "" if self.viewer is None else f"   seat {self.viewer}'s view"
        below += [f"step {self.step + 1} of {len(self.frames)}{view}", HELP]
        if len(self.games) > 1:
            below.append(f"game {self.typed}" if self.typed else GAMES_HELP)
        scene = as_seen(self.frame.scene, self.viewer)
        lines: list[str] = []
        for has_gaps in (True, False):
            for events in range(MOST_EVENTS, 0, -1):
                lines = [*head, *render_scene(scene, events), *below]
                lines = lines if has_gaps else [line for line in lines if line]
                if len(lines) <= height:
                    return lines
        return lines

    def _number(self) -> str:
        return f"game {self.place + 1} of {len(self.games)}: " if len(self.games) > 1 else ""

    def _list(self) -> Iterator[str]:
        """Yield the games around this one."""
        first = max(0, min(self.place - LISTED // 2, len(self.games) - LISTED))
        for place in range(first, min(first + LISTED, len(self.games))):
            game = self.games[place]
            mark = ">" if place == self.place else " "
            yield f"{mark}{place + 1:>4}  {title_of(game)}: {outcome_in_words(game)}"
        yield ""
        yield f"game {self.typed}" if self.typed else "Type a number and Enter, or any other key."


RED = re.compile(r"(?:10|[A2-9TJQK])[♥♦]")


def in_colour(text: str) -> str:
    r"""Return a text with its red cards in red, for terminals that know the usual sequences.

    >>> in_colour("5♥ 6♣")
    '\x1b[31m5♥\x1b[0m 6♣'
    """
    return RED.sub(lambda card: f"\x1b[31m{card[0]}\x1b[0m", text)
