"""The parts of the table: a card, a track of the board, the coach's panel."""

from __future__ import annotations

from rich.text import Text
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from cribbage_env.cards import suit_of
from cribbage_env.decisions import Decision
from cribbage_env.play.words import StoryLine, coach_lines, track, verdict
from cribbage_env.rendering.words import cards_in_words

__all__ = ["CardView", "CoachView", "Line", "TrackView", "story_text"]

OWN, OTHER, GOLD, DIM, KEY = "#6fc3ff", "#ffb066", "bold #f2d16b", "#8c9a94", "not bold #6b7a74"
BEST = "bold #9be39b"
RED_SUITS = (1, 2)
SCORE_WIDTH, NAME_WIDTH, WIDE_COACH = 4, 9, 42


class CardView(Static):
    """A card, or the place where one was; pressing it with the mouse chooses it."""

    class Pressed(Message):
        """A card of the hand has been pressed.

        Attributes:
            slot: which one.
        """

        def __init__(self, slot: int) -> None:
            super().__init__()
            self.slot = slot

    def __init__(self, slot: int | None = None) -> None:
        """Make an empty place; one with a slot can be chosen."""
        super().__init__("", markup=False)
        self.slot = slot
        self._shown: tuple[object, ...] = ()

    def show_card(
        self,
        card: int | None,
        *,
        is_back: bool = False,
        is_laid: bool = False,
        is_selected: bool = False,
        is_playable: bool = True,
    ) -> None:
        """Show a card, one that has been laid, a back, or an empty place."""
        shown = (card, is_back, is_laid, is_selected, is_playable)
        if shown == self._shown:
            return
        self._shown = shown
        text = cards_in_words([card]) if card is not None or is_back else ""
        is_red = card is not None and suit_of(card) in RED_SUITS
        has_key = self.slot is not None and bool(text) and not is_laid
        key = (f"{(self.slot or 0) + 1} ", KEY) if has_key else ""
        self.update(Text.assemble(key, text), layout=False)
        self.set_class(not text, "-empty")
        self.set_class(is_back, "-back")
        self.set_class(is_red, "-red")
        self.set_class(is_laid, "-laid")
        self.set_class(is_selected, "-selected")
        self.set_class(not is_playable and not is_laid and bool(text), "-unplayable")

    def on_click(self) -> None:
        """Tell that the card has been pressed."""
        if self.slot is not None:
            self.post_message(self.Pressed(self.slot))


class TrackView(Widget):
    """One player's name, holes with pegs, and score, as wide as there is room."""

    def __init__(self, name: str, *, is_own: bool) -> None:
        """Make a track with no pegs in it."""
        super().__init__()
        self.player_name = name
        self.colour = OWN if is_own else OTHER
        self.pegs, self.target, self.is_dealer = (0, 0), 121, False

    def show_pegs(self, pegs: tuple[int, int], target: int, *, is_dealer: bool) -> None:
        """Show where the pegs stand."""
        self.pegs, self.target, self.is_dealer = pegs, target, is_dealer
        self.refresh()

    def render(self) -> Text:
        """Return the line."""
        name = f"{self.player_name[: NAME_WIDTH - 1]:{NAME_WIDTH}}"
        dealer = "D " if self.is_dealer else "  "
        room = self.size.width - NAME_WIDTH - len(dealer) - SCORE_WIDTH
        line = Text(no_wrap=True, overflow="crop")
        line.append(name, self.colour)
        line.append(dealer, GOLD)
        if room >= 10:
            for sign in track(self.pegs, self.target, room):
                line.append(sign, f"bold {self.colour}" if sign in "●○" else DIM)
        line.append(f"{self.pegs[1]:>{SCORE_WIDTH}}", f"bold {self.colour}")
        return line


class CoachView(Widget):
    """The coach's table and, once the decision is made, the verdict."""

    decision: Decision | None = None

    def show_decision(self, decision: Decision | None) -> None:
        """Show what the coach says of a decision, or nothing."""
        self.decision = decision
        self.set_class(decision is None, "-silent")
        if decision is not None:
            self.border_title = f"coach: deal {decision.deal}"
        self.refresh(layout=True)

    def render(self) -> Text:
        """Return the table, with more columns where there is room."""
        text = Text()
        if self.decision is None:
            return text
        is_wide = self.size.width >= WIDE_COACH
        for number, (line, is_best, is_made) in enumerate(coach_lines(self.decision, is_wide)):
            style = DIM if number == 0 else GOLD if is_made else BEST if is_best else ""
            text.append(line + "\n", style)
        if self.decision.action is not None:
            text.append(verdict(self.decision), GOLD)
        text.rstrip()
        return text


class Line(Static):
    """Some words, drawn anew only when they change."""

    def say(self, text: str) -> None:
        """Show words."""
        if text != self.content:
            self.update(text)


def story_text(lines: list[StoryLine], own_seat: int) -> Text:
    """Return the story with its points and scores, a line for each event."""
    text = Text()
    for number, line in enumerate(lines):
        if number:
            text.append("\n")
        if line.kind == "deal":
            text.append(line.text, f"bold {DIM}")
            continue
        text.append(line.text, OWN if line.player == own_seat else OTHER)
        if line.points:
            text.append(f"  +{line.points}", GOLD)
            text.append(f" ({line.scores[0]}-{line.scores[1]})", DIM)
    return text
