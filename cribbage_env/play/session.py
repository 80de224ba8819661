"""A game between a person in seat 0 and a player in seat 1: choosing, answering, undoing, saving.

Nothing here knows of screens. The opponent is asked as environments ask theirs: in a batch of one,
with its seat's observation, mask and key, so that a game that is resumed goes on as it would have.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from cribbage_env.actions import DISCARDS, NUM_DISCARDS
from cribbage_env.game import Event, Game, IllegalActionError
from cribbage_env.game.beginning import check_name
from cribbage_env.lanes import Lanes
from cribbage_env.play.saves import SaveFile, opponent_of, to_text
from cribbage_env.policy import Policy, make_policy

__all__ = ["OPPONENT", "PERSON", "TARGETS", "OpponentError", "Session", "ask", "may_take_back"]

PERSON, OPPONENT = 0, 1
YOU = "you"
"""The person's name in records."""
TARGETS = range(1, 122)
"""The holes to play to: those for which the chance of winning is known."""
MOST_THAT_ALWAYS_FITS = 21
"""Up to this count no card is too high, so that going on says nothing of a hand (R6, R7)."""


class OpponentError(RuntimeError):
    """The opponent failed, or answered with something that is no legal action."""


class Session:
    """A game in progress, saved after every action.

    Attributes:
        game: the game; read it, and change it through the session alone.
        opponent: the name of the player in seat 1.
        policy: that player.
        file: where the game is saved, or None.
        selected: the slots of the person's hand that are chosen, not yet thrown or laid.
    """

    def __init__(self, game: Game, opponent: str, file: SaveFile | None = None) -> None:
        """Take over a game at any moment.

        Raises:
            ValueError: an unknown opponent, a target above 121, a game of one deal or a forfeit.
            TypeError: not a game, or the opponent's factory returns no player.

        >>> session = Session(Game(seed=7, dealer=1), "greedy")
        >>> session.toggle(0), session.toggle(5)
        (None, None)
        >>> session.confirm()
        True
        >>> session.is_own_turn, len(session.game.hand(0))
        (False, 4)
        """
        if not isinstance(game, Game):
            raise TypeError(f"a session is about a Game, not {game!r}")
        if game.target not in TARGETS:
            raise ValueError(f"target {game.target} is outside {TARGETS[0]}..{TARGETS[-1]}")
        if game.is_forfeit or game.beginning.is_one_deal:
            raise ValueError("only whole games can be played here: no single deal and no forfeit")
        self.game = game
        self.opponent = opponent
        self.policy = make_policy(opponent)
        if check_name(opponent) != opponent:
            raise ValueError(f"opponent {opponent!r} has blanks that a record wouldn't keep")
        game.beginning = replace(game.beginning, names=(YOU, opponent))
        self.file = file
        self.selected: tuple[int, ...] = ()

    @classmethod
    def resume(cls, path: Path) -> Session:
        """Go on with the game of a file, which is saved there.

        Raises:
            ValueError: the file holds no game, or its opponent isn't known.
            OSError: it can't be read.
        """
        file, game = SaveFile.open(path)
        return cls(game, opponent_of(game), file)

    @property
    def is_own_turn(self) -> bool:
        """Whether the person is to act."""
        return self.game.turn == PERSON

    @property
    def is_opponents_turn(self) -> bool:
        """Whether the opponent is to act."""
        return self.game.turn == OPPONENT

    # Choosing ---------------------------------------------------------------------------------

    @property
    def cards(self) -> list[int]:
        """The person's cards by slot: the six dealt, or the four kept, laid ones included."""
        return self.game.kept(PERSON) or self.game.hand(PERSON)

    def is_playable(self, slot: int) -> bool:
        """Tell whether the card in a slot can be chosen now."""
        if not self.is_own_turn or not 0 <= slot < len(self.cards):
            return False
        return self.game.phase == "discard" or NUM_DISCARDS + slot in self.game.legal_actions()

    def toggle(self, slot: int) -> str | None:
        """Choose the card in a slot, or put it back; return why not, or None.

        In the play choosing another card puts the first one back.
        """
        if not self.is_own_turn:
            return "it is not your turn"
        if not 0 <= slot < len(self.cards):
            return f"there is no card {slot + 1}"
        if slot in self.selected:
            self.selected = tuple(other for other in self.selected if other != slot)
        elif self.game.phase == "discard":
            if len(self.selected) == 2:
                return "two cards are chosen: put one back first"
            self.selected = tuple(sorted((*self.selected, slot)))
        elif not self.is_playable(slot):
            return self.game.why_not(NUM_DISCARDS + slot).split(": ", 1)[1]
        else:
            self.selected = (slot,)
        return None

    def clear(self) -> None:
        """Put all chosen cards back."""
        self.selected = ()

    @property
    def choice(self) -> int | None:
        """The action that the chosen cards make, or None if they make none."""
        if not self.is_own_turn:
            return None
        if self.game.phase == "discard":
            return DISCARDS.index(_pair(self.selected)) if len(self.selected) == 2 else None
        legal = self.game.legal_actions()
        if not self.selected and len(legal) == 1:
            return legal[0]  # nothing to choose
        return NUM_DISCARDS + self.selected[0] if self.selected else None

    def confirm(self) -> bool:
        """Throw or lay the chosen cards; return whether there were any.

        Raises:
            OSError: the action is taken, but it can't be saved.
        """
        action = self.choice
        if action is None:
            return False
        self.selected = ()
        self._take(action)
        return True

    # Answering, undoing, saving ---------------------------------------------------------------

    def answer(self, action: int) -> None:
        """Take the opponent's action (see `ask`).

        Raises:
            OpponentError: it is illegal.
            OSError: the action is taken, but it can't be saved.
        """
        if not self.is_opponents_turn:
            raise OpponentError(f"{self.opponent} is not to act")
        self.selected = ()
        try:
            self._take(action)
        except IllegalActionError as error:
            raise OpponentError(f"{self.opponent} acted illegally: {error}") from error

    def _take(self, action: int) -> None:
        self.game.step(action)
        self.save()

    @property
    def can_undo(self) -> bool:
        """Whether the person's last action may be taken back."""
        return self._before_undo() is not None

    def _before_undo(self) -> Game | None:
        if not self.game.actions:
            return None
        before = Game.replay(self.game.beginning, self.game.actions[:-1])
        return before if may_take_back(before, self.game, PERSON) else None

    def undo(self) -> str | None:
        """Put chosen cards back or else take back the last action; return why not, or None.

        Raises:
            OSError: it is taken back, but that can't be saved.
        """
        if self.selected:
            self.clear()
            return None
        before = self._before_undo()
        if before is None:
            return "nothing can be taken back: a hidden card, or a go, has been seen since"
        self.game = before
        self.save()
        return None

    def save(self) -> None:
        """Write the file, if there is one.

        Raises:
            SaveConflictError: it holds something that wasn't written here.
            OSError: it can't be written.
        """
        if self.file is not None:
            self.file.write(to_text(self.game))


def _pair(slots: tuple[int, ...]) -> tuple[int, int]:
    first, second = slots
    return first, second


def ask(policy: Policy, game: Game, seat: int = OPPONENT) -> int:
    """Return the action of a player for the seat to act, from its view alone; the game stays.

    Raises:
        OpponentError: the player failed or returned no integer.

    >>> game = Game(seed=7)
    >>> ask(make_policy("greedy"), game, game.turn) in game.legal_actions()
    True
    """
    lanes = Lanes(1)
    lanes.states = game.state.copy()
    try:
        given = lanes.observe(np.array([0]), np.array([seat]), policy.observation)
        answer = np.asarray(policy.act(*given))
    except Exception as error:  # whatever a user's own player does, the game is kept
        raise OpponentError(f"{policy!r} failed: {type(error).__name__}: {error}") from error
    if answer.shape != (1,) or not np.issubdtype(answer.dtype, np.integer):
        raise OpponentError(f"{policy!r} returned {answer!r}, not one integer in an array")
    return int(answer[0])


def may_take_back(before: Game, after: Game, seat: int) -> bool:
    """Tell whether a seat's action showed nothing that the seat couldn't have known before it.

    `after` is `before` with one action of the seat. What shows something: the starter, a card or a
    go of the opponent, hands and crib counted, a new deal; and the opponent's not saying go, where
    it might have had to (R7). The end of the game is final.

    >>> before = Game(seed=7, dealer=1)
    >>> after = before.copy()
    >>> after.step(0)  # pone throws; the dealer, who throws next, shows nothing
    >>> may_take_back(before, after, seat=0)
    True
    >>> after.step(0)  # the starter is turned
    >>> may_take_back(before, after, seat=0)
    False
    """
    if before.turn != seat or after.is_over or len(after.actions) != len(before.actions) + 1:
        return False
    news = after.events[len(before.events) :]
    if not all(_is_known(event, seat) for event in news):
        return False
    if before.phase == "discard":
        return True
    is_unsure = MOST_THAT_ALWAYS_FITS < after.count < 31 and after.turn == 1 - seat
    return not is_unsure


def _is_known(event: Event, seat: int) -> bool:
    """Tell whether an event of a seat's own action follows from what the seat knows."""
    return event.kind == "last" or (
        event.player == seat and event.kind in ("discard", "play", "go")
    )
