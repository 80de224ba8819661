"""The screen: keys and presses go to the session, what it says goes to the widgets."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ClassVar, TypeVar

from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.events import Click
from textual.screen import Screen
from textual.widgets import Footer, Static

from cribbage_env.decisions import Decision
from cribbage_env.game import Game
from cribbage_env.play.coach import COACH_MODES, Coach, Review
from cribbage_env.play.dialogs import HELP, Dialog, SlowDialog, show_text
from cribbage_env.play.saves import SaveConflictError, SaveFile, to_text
from cribbage_env.play.session import OPPONENT, PERSON, OpponentError, Session, ask
from cribbage_env.play.widgets import CardView, CoachView, Line, TrackView, story_text
from cribbage_env.play.words import (
    hint_for,
    mistake_lines,
    prompt,
    result_line,
    show_lines,
    story,
    summary_lines,
)
from cribbage_env.rendering.scene import see
from cribbage_env.rendering.words import cards_in_words

__all__ = ["PlayApp", "TableScreen"]

MOST_CARDS = 6

Result = TypeVar("Result")


class PlayApp(App[str]):
    """A game against a player; what it returns is a line to say goodbye with.

    Attributes:
        session: the game.
        coach_mode: when the coach speaks: ``"off"``, ``"before"`` or ``"after"`` each decision.
        pace: seconds that the opponent takes at least to answer.
    """

    TITLE = "Cribbage"
    CSS_PATH = "play.tcss"
    ENABLE_COMMAND_PALETTE = False
    # Textual takes them for no class variables.
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (80, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (14, "-short"), (22, "-tall")]  # noqa: RUF012

    def __init__(self, session: Session, coach_mode: str = "after", pace: float = 0.8) -> None:
        """Make the app; `run` shows it.

        Raises:
            ValueError: a mode of the coach that there isn't, or a negative pace.
        """
        super().__init__()
        if coach_mode not in COACH_MODES:
            raise ValueError(f"coach {coach_mode!r} is none of {', '.join(COACH_MODES)}")
        if not pace >= 0.0:
            raise ValueError(f"pace {pace} is negative")
        self.session = session
        self.coach_mode = coach_mode
        self.pace = pace
        self.coach = Coach()
        # One thread each, so that a player is never asked twice at once and the coach's long work,
        # the review, holds up neither the advice nor the opponent.
        self._threads = {name: ThreadPoolExecutor(1, name) for name in ("ask", "judge", "review")}

    def on_mount(self) -> None:
        """Show the table."""
        self.push_screen(TableScreen())

    def on_unmount(self) -> None:
        """Let the threads end."""
        for threads in self._threads.values():
            threads.shutdown(wait=False, cancel_futures=True)

    async def in_thread(self, name: str, function: Callable[..., Result], *given: object) -> Result:
        """Return what a function returns, called away from the screen's thread."""
        return await asyncio.get_running_loop().run_in_executor(
            self._threads[name], function, *given
        )


class TableScreen(Screen[None]):
    """The table: the board, the cards, the story, the coach."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(str(slot + 1), f"choose({slot})", show=False) for slot in range(MOST_CARDS)),
        Binding("enter", "confirm", "throw / lay"),
        Binding("escape", "clear", show=False),
        Binding("u", "undo", "undo"),
        Binding("c", "coach", "coach"),
        Binding("s", "summary", "summary"),
        Binding("n", "another", "new game"),
        Binding("question_mark,h", "help", "help", key_display="?"),
        Binding("pageup", "scroll(-10)", show=False),
        Binding("pagedown", "scroll(10)", show=False),
        Binding("q", "quit_game", "quit"),
    ]

    app: PlayApp

    def __init__(self) -> None:
        """Make the table of the app's session."""
        super().__init__()
        self._seen = 0  # events that have been shown
        self._trouble = ""  # why the game isn't saved

    @property
    def session(self) -> Session:
        """The game at the table."""
        return self.app.session

    def compose(self) -> ComposeResult:
        """Make the parts."""
        yield Line(id="title", markup=False)
        yield TrackView("opponent", is_own=False)
        yield TrackView("you", is_own=True)
        with Horizontal(id="body"):
            with Vertical(id="table"):
                with Horizontal(id="theirs", classes="row"):
                    yield from (CardView() for _ in range(MOST_CARDS))
                with Horizontal(id="middle", classes="row"):
                    yield CardView()
                    yield Line(id="play", markup=False)
                with Horizontal(id="hand", classes="row"):
                    yield from (CardView(slot) for slot in range(MOST_CARDS))
                yield Line(id="prompt", markup=False)
                yield Line(id="hint", markup=False)
            with Vertical(id="side"):
                with VerticalScroll(id="story", can_focus=False):
                    yield Static(id="events", markup=False)
                yield CoachView(id="coach", classes="-silent")
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        """Show the game as it stands."""
        self._seen = len(self.session.game.events)
        self._show_board()
        self._go_on()

    # What is shown ----------------------------------------------------------------------------

    def _show_board(self) -> None:
        """Show the title, the tracks and the story."""
        game = self.session.game
        title = f" Cribbage to {game.target} against {self.session.opponent}, seed {game.seed}, "
        title += f"deal {game.deals}, coach {self.app.coach_mode}"
        if self._trouble:
            title = f" NOT SAVED: {self._trouble}"
        self.query_one("#title", Line).say(title)
        theirs, own = self.query(TrackView)
        theirs.show_pegs(game.pegs[OPPONENT], game.target, is_dealer=game.dealer == OPPONENT)
        own.show_pegs(game.pegs[PERSON], game.target, is_dealer=game.dealer == PERSON)
        lines = story(see(game, PERSON))
        self.query_one("#events", Static).update(story_text(lines, PERSON))
        self._scroll_to_end()

    def _scroll_to_end(self) -> None:
        """Show what happened last."""
        self.query_one("#story").scroll_end(animate=False)

    def _show_table(self) -> None:
        """Show the cards, and what the person is to do."""
        session = self.session
        scene = see(session.game, PERSON)
        held, laid = len(scene.hands[OPPONENT]), scene.laid[OPPONENT]
        for place, card in enumerate(self.query("#theirs CardView").results(CardView)):
            if held <= place < held + len(laid):
                card.show_card(laid[place - held], is_laid=True)
            else:
                card.show_card(None, is_back=place < held)
        self.query_one("#middle CardView", CardView).show_card(
            scene.starter, is_back=scene.starter is None
        )
        owner = "yours" if scene.dealer == PERSON else "theirs"
        turned = "the starter" if scene.starter is not None else "the starter, to be turned"
        self.query_one("#play", Line).say(
            f"count {scene.count}: {cards_in_words(scene.pile) or 'no card'}\n"
            f"crib, {owner}: {cards_in_words(scene.crib) or 'empty'}\n"
            f"{turned}"
        )
        cards = session.cards
        hand = scene.hands[PERSON]
        for place, card in enumerate(self.query("#hand CardView").results(CardView)):
            shown = cards[place] if place < len(cards) else None
            card.show_card(
                shown,
                is_laid=shown is not None and shown not in hand,
                is_selected=place in session.selected,
                is_playable=session.is_playable(place),
            )
        self._show_prompt()

    def _show_prompt(self, hint: str | None = None) -> None:
        self.query_one("#prompt", Line).say(prompt(self.session))
        self.query_one("#hint", Line).say(hint_for(self.session) if hint is None else hint)

    # What happens -----------------------------------------------------------------------------

    def _changed(self) -> None:
        """Show what an action brought about: the show in a dialog, then the table."""
        game = self.session.game
        if game.is_over:
            self.refresh_bindings()
        news = game.events[self._seen :]
        self._seen = len(game.events)
        self._show_board()
        scene = see(game, PERSON)
        counted = show_lines(scene, news)
        if not counted:
            self._go_on()
            return
        # The table stays as it was until the dialog is sent away: the next hand is dealt already.
        starter = next(event for event in reversed(game.events) if event.kind == "starter")
        deal = game.deals if game.is_over else game.deals - 1
        own, other = game.scores
        self.app.push_screen(
            Dialog(
                f"The show of deal {deal}: you {own}, opponent {other}",
                show_text(cards_in_words(starter.cards), counted),
            ),
            lambda _: self._go_on(),
        )

    def _go_on(self) -> None:
        """Show the table, and whoever is to act may."""
        self._show_table()
        self._advise()
        if self.session.game.is_over:
            if self.app.coach_mode != "off":
                self.action_summary()
        elif self.session.is_opponents_turn:
            self._answer()

    @work(group="answer")
    async def _answer(self) -> None:
        """Let the opponent act, not before its time."""
        session = self.session
        game = session.game.copy()
        try:
            action, _ = await asyncio.gather(
                self.app.in_thread("ask", ask, session.policy, game), asyncio.sleep(self.app.pace)
            )
            if session.game != game:
                return  # it has been taken back meanwhile
            self._saving(lambda: session.answer(action))
        except OpponentError as error:
            self.app.exit(f"{error}{self._where()}", return_code=1)
            return
        self._changed()

    @work(exclusive=True, group="advise")
    async def _advise(self) -> None:
        """Show what the coach says, as soon as it has worked it out."""
        mode, game = self.app.coach_mode, self.session.game.copy()
        decision: Decision | None = None
        coach = self.app.coach
        if mode == "before" and game.turn == PERSON:
            decision = await self.app.in_thread("judge", coach.judge, game)
        elif mode != "off":
            decision = await self.app.in_thread("judge", coach.last_decision, game, PERSON)
        self.query_one(CoachView).show_decision(decision)
        self.call_after_refresh(self._scroll_to_end)  # the panel leaves the story another height

    def _saving(self, action: Callable[[], object]) -> None:
        """Do what ends in a save; a file that can't be written doesn't end the game."""
        try:
            action()
            self._trouble = ""
        except SaveConflictError as error:
            self._save_elsewhere(str(error))
        except OSError as error:
            self._trouble = str(error)

    def _save_elsewhere(self, reason: str) -> None:
        """Go on in another file, as somebody else is using the one so far."""
        file = self.session.file
        if file is None:
            return
        try:
            self.session.file = SaveFile.claim_near(file.path, to_text(self.session.game))
        except OSError as error:
            self._trouble = str(error)
            return
        self._trouble = ""
        self.notify(f"{reason}; this game is now saved in {self.session.file.path}", timeout=15)

    # Keys and presses -------------------------------------------------------------------------

    def on_card_view_pressed(self, message: CardView.Pressed) -> None:
        """Choose the card that was pressed."""
        self.action_choose(message.slot)

    def on_click(self, event: Click) -> None:
        """Throw or lay what is chosen where the words below the hand are pressed."""
        if event.widget is not None and event.widget.id == "prompt":
            self.action_confirm()

    def action_choose(self, slot: int) -> None:
        """Choose a card, or put it back."""
        reason = self.session.toggle(slot)
        self._show_table()
        if reason is not None:
            self._show_prompt(reason)

    def action_confirm(self) -> None:
        """Throw or lay what is chosen."""
        session = self.session
        if session.choice is None:
            number = len(session.cards)
            self._show_prompt(
                f"choose with 1 to {number}, or press a card" if session.is_own_turn else ""
            )
            return
        self._saving(session.confirm)
        self._changed()

    def action_clear(self) -> None:
        """Put all chosen cards back."""
        self.session.clear()
        self._show_table()

    def action_undo(self) -> None:
        """Take back what may be taken back."""
        session = self.session
        number = len(session.game.actions)
        reasons: list[str | None] = []
        self._saving(lambda: reasons.append(session.undo()))
        if len(session.game.actions) < number:
            self.workers.cancel_group(self, "answer")
            self._seen = len(session.game.events)
            self._show_board()
            self._advise()
        self._show_table()
        if reasons and reasons[0]:
            self._show_prompt(reasons[0])

    def action_coach(self) -> None:
        """Let the coach speak before each decision, after it, or not at all."""
        place = COACH_MODES.index(self.app.coach_mode)
        self.app.coach_mode = COACH_MODES[(place + 1) % len(COACH_MODES)]
        self._show_board()
        self._advise()

    def action_summary(self) -> None:
        """Show where the chance of winning came from, and the biggest mistakes."""
        game = self.session.game
        title = result_line(see(game, PERSON)) if game.is_over else "The deals so far"
        foot = "↑ ↓: scroll, Enter: back to the table"
        foot += ", then n: another game, q: quit" if game.is_over else ""
        self.app.push_screen(SlowDialog(title, self._summary, foot))

    async def _summary(self) -> str:
        game = self.session.game.copy()
        review: Review = await self.app.in_thread("review", self.app.coach.review, game, PERSON)
        if not review.deals:
            return "No deal is over yet."
        mistakes = mistake_lines(review)
        return "\n".join(
            [
                "Your chance of winning, and what changed it",
                *summary_lines(review),
                "",
                "Biggest mistakes" if mistakes else "No mistakes",
                *mistakes,
            ]
        )

    def action_another(self) -> None:
        """Begin another game under the same seed, in a file of its own."""
        session = self.session
        old = session.game
        game = Game(old.seed, number=old.number + 1, target=old.target)
        self.app.session = Session(game, session.opponent)
        if session.file is not None:
            try:
                self.session.file = SaveFile.claim_near(session.file.path, to_text(game))
                self._trouble = ""
            except OSError as error:
                self._trouble = str(error)
        self._seen = len(game.events)
        self._show_board()
        self._go_on()
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Show the key for another game only where there can be one."""
        return action != "another" or self.session.game.is_over

    def action_help(self) -> None:
        """Show what the keys do."""
        self.app.push_screen(Dialog("Keys", HELP))

    def action_scroll(self, lines: int) -> None:
        """Scroll the story."""
        self.query_one("#story").scroll_relative(y=lines, animate=False)

    def action_quit_game(self) -> None:
        """Leave; the game is saved."""
        self.app.exit(f"{self._how_it_stands()}{self._where()}")

    def _how_it_stands(self) -> str:
        game = self.session.game
        if game.is_over:
            return result_line(see(game, PERSON))
        return f"You have {game.scores[PERSON]}, the opponent {game.scores[OPPONENT]}"

    def _where(self) -> str:
        """Return where the game is saved and how to go on."""
        if self._trouble:
            return f"; not saved: {self._trouble}"
        file = self.session.file
        if file is None:
            return ""
        if self.session.game.is_over:
            return f"; saved in {file.path}"
        command = shlex.join(["python", "-m", "cribbage_env.play", "--resume", str(file.path)])
        return f"; saved, and goes on with\n{command}"
