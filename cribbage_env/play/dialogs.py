"""Screens that lie over the table until they are sent away: the show, the summary, the help."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from cribbage_env.play.widgets import GOLD

__all__ = ["HELP", "Dialog", "SlowDialog", "show_text"]

HELP = """\
1 to 6      choose a card, or put it back
Enter       throw the two chosen, or lay the one chosen
Escape      put the chosen cards back
u           undo: put back what is chosen; if nothing is, take back your
            last action, as long as it has shown you nothing hidden
c           coach: off, before each decision, after it
s           summary of the deals that are over: luck and mistakes
n           another game, once this one is over
PgUp PgDn   scroll what has happened
q           quit: the game is saved and can be resumed

With the mouse: press a card to choose it, then the words below the hand.

The coach shows for each discard what the hand and the crib will count on average (the opponent's \
crib with a minus), the net points of the pegging, the chance of winning the game in percent and \
what it loses against the best choice. For a card to lay: what it scores now, net points to the \
end of the deal's play, and the same chances."""


class Dialog(ModalScreen[None]):
    """A text with a title; Enter, Space, Escape or a press of the mouse sends it away."""

    BINDINGS: ClassVar[list[BindingType]] = [
        ("enter", "dismiss_dialog", "go on"),
        ("space", "dismiss_dialog", "go on"),
        ("escape", "dismiss_dialog", "go on"),
        ("q", "dismiss_dialog", "go on"),
        ("up", "scroll(-1)", ""),
        ("down", "scroll(1)", ""),
        ("pageup", "scroll(-10)", ""),
        ("pagedown", "scroll(10)", ""),
    ]

    def __init__(self, title: str, text: str | Text, foot: str = "Enter: go on") -> None:
        """Make a dialog that shows a text."""
        super().__init__()
        self.heading = title
        self.text = text
        self.foot = foot

    def compose(self) -> ComposeResult:
        """Make the parts."""
        with VerticalScroll(id="dialog", can_focus=False) as dialog:
            yield Static(self.text, id="text", markup=False)
        dialog.border_title = self.heading
        dialog.border_subtitle = self.foot

    def on_click(self) -> None:
        """Go on."""
        self.action_dismiss_dialog()

    def action_dismiss_dialog(self) -> None:
        """Go on."""
        if self.is_current:
            self.dismiss()

    def action_scroll(self, lines: int) -> None:
        """Scroll the text."""
        self.query_one("#dialog").scroll_relative(y=lines, animate=False)


class SlowDialog(Dialog):
    """A dialog whose text is still being worked out when it opens."""

    def __init__(self, title: str, text: Callable[[], Awaitable[str]], foot: str) -> None:
        """Make a dialog that awaits its text."""
        super().__init__(title, "one moment: working it out …", foot)
        self.work_out = text

    def on_mount(self) -> None:
        """Begin to work it out."""
        self.run_worker(self._fill(), exclusive=True)

    async def _fill(self) -> None:
        self.text = await self.work_out()
        self.query_one("#text", Static).update(self.text)


def show_text(starter: str, lines: Sequence[tuple[str, str, str, int]]) -> Text:
    """Return the hands and the crib with their counts (`words.show_lines`)."""
    text = Text(f"starter  {starter}\n")
    for owner, cards, words, points in lines:
        text.append(f"\n{owner:<9}{cards}  ", "bold")
        text.append(f"{points:>2}\n", GOLD)
        text.append(f"         {words}\n")
    text.rstrip()
    return text
