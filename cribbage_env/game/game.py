"""`Game`: one readable game over the engine's kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from cribbage_env import actions as action_words
from cribbage_env.cards import (
    NUM_CARDS,
    CardLike,
    CardsLike,
    format_cards,
    parse_distinct_cards,
    value_of,
)
from cribbage_env.engine.chance import decision_key, shuffle
from cribbage_env.engine.deal import begin_deal, begin_game, deal_cards
from cribbage_env.engine.layout import (
    DEAL_OVER,
    DONE,
    LOG_CAPACITY,
    LOG_ROW,
    NO_CARD,
    NOBODY,
    STATE,
)
from cribbage_env.engine.lone import step_lone, write_legal
from cribbage_env.engine.pegging import forfeit
from cribbage_env.engine.tables import load_book
from cribbage_env.game.beginning import (
    Beginning,
    check_pair,
    check_seat,
    check_seed,
    make_beginning,
    make_deck,
)
from cribbage_env.game.errors import IllegalActionError
from cribbage_env.game.events import Event, decode_actions, decode_events
from cribbage_env.scoring import skunk

__all__ = ["Game", "check_seed"]

PHASES = ("discard", "play", "over", "over")
"""The word for each of the engine's phases."""
NO_SEAT = 3


class Game:
    """A game of cribbage between seat 0 and seat 1, to be read and played step by step.

    The cards of a deal depend on (seed, number of the game, number of the deal) alone.

    Args:
        seed: 0 to 2**64 - 1; None draws one.
        dealer: the seat that deals first; None cuts for it (R3).
        scores: (seat 0, seat 1), each below the target.
        target: holes to reach (R2), 1 to 1000.
        deck: at least 13 cards for the first deal: the 1st, 3rd, ... 11th to pone, the 2nd, 4th,
            ... 12th to the dealer, the 13th is the starter. Later deals come from the seed.
        number: the number of the game under its seed, 0 for the first.

    Raises:
        ValueError: a value out of range, a card twice, too few cards.
        TypeError: a value of the wrong type.

    >>> game = Game(seed=1, dealer=0)
    >>> game.phase, game.turn, len(game.hand(1))
    ('discard', 1, 6)
    >>> game.step(0)
    >>> game.turn
    0
    """

    def __init__(
        self,
        seed: int | None = None,
        *,
        dealer: int | None = None,
        scores: Sequence[int] = (0, 0),
        target: int = 121,
        deck: CardsLike | None = None,
        number: int = 0,
    ) -> None:
        """Begin the game: cut if need be, and deal."""
        self._begin(make_beginning(seed, dealer, scores, target, deck, number))

    def _begin(self, beginning: Beginning) -> None:
        self.beginning = beginning
        self.state: NDArray[Any] = np.zeros(1, STATE)
        self.log: NDArray[np.int16] = np.zeros((LOG_CAPACITY, LOG_ROW), np.int16)
        self._rows: list[NDArray[np.int16]] = []
        self._events: list[Event] = []
        self._actions: list[int] = []
        dealer = NOBODY if beginning.dealer is None else beginning.dealer
        begin_game(
            self.state[0],
            np.uint64(beginning.seed),
            beginning.number,
            dealer,
            *beginning.scores,
            beginning.target,
            self.log,
        )
        self._deal()
        self.absorb_log()

    def _deal(self) -> None:
        """Deal the next deal: the given cards if there are any, else the seed's."""
        number = self.deals + 1
        for first, seed in self.beginning.reseeds:
            if first == number:
                self.state["seed"] = seed
        deck = dict(self.beginning.decks).get(number)
        if deck is None:
            begin_deal(self.state[0], self.log)
        else:
            deal_cards(self.state[0], np.array(deck, np.int16), self.log)

    @classmethod
    def from_position(
        cls,
        *,
        dealer: int,
        hands: Sequence[CardsLike],
        starter: CardLike | None = None,
        discards: Sequence[CardsLike] | None = None,
        plays: CardsLike = (),
        scores: Sequence[int] = (0, 0),
        target: int = 121,
        seed: int = 0,
    ) -> Game:
        """Set up a deal: six cards for each seat, then what was thrown, turned and laid so far.

        `scores` are those before the discards: heels and the plays given score as they would in a
        game. Without a starter one is drawn from the seed. Later deals come from the seed too.

        Raises:
            ValueError: a card twice, a hand not of six, a play that the rules forbid (named).
            TypeError: a value of the wrong type.

        >>> game = Game.from_position(
        ...     dealer=1,
        ...     hands=("5H 6C 7D JS AC 2D", "4C 9D TH KC QC 3H"),
        ...     starter="8S",
        ...     discards=("AC 2D", "QC 3H"),
        ...     plays="5H TH",
        ... )
        >>> game.scores, game.count, game.turn
        ((0, 2), 15, 0)
        """
        dealer = check_seat(dealer, "dealer")
        dealt = [
            parse_distinct_cards(hand, count=6, what=f"the hand of seat {seat}")
            for seat, hand in enumerate(check_pair(hands, "hands"))
        ]
        turned = [] if starter is None else parse_distinct_cards(starter, count=1, what="starter")
        parse_distinct_cards(dealt[0] + dealt[1] + turned, what="the position")
        if starter is None:
            unseen = [card for card in range(NUM_CARDS) if card not in dealt[0] + dealt[1]]
            turned = shuffled(unseen, check_seed(seed))[:1]
        deck = make_deck(dealt[1 - dealer], dealt[dealer], turned[0])
        game = cls(seed, dealer=dealer, scores=scores, target=target, deck=deck)
        laid = parse_distinct_cards(plays, what="the plays")
        if discards is None:
            if laid:
                raise ValueError("plays need the discards before them (R4, R5); none were given")
            return game
        thrown = check_pair(discards, "discards")
        for seat in (1 - dealer, dealer):
            game.discard(thrown[seat])
        for card in laid:
            game.play(card)
        return game

    # What the table shows -------------------------------------------------------------------

    def _number(self, field: str) -> int:
        """Return a number of the state."""
        return int(self.state[field][0])

    @property
    def seed(self) -> int:
        """The seed that the cards come from."""
        return self.beginning.seed

    @property
    def number(self) -> int:
        """The number of the game under its seed."""
        return self.beginning.number

    @property
    def target(self) -> int:
        """The holes to reach."""
        return self.beginning.target

    @property
    def phase(self) -> str:
        """``"discard"``, ``"play"`` or ``"over"``."""
        return PHASES[self._number("phase")]

    @property
    def is_over(self) -> bool:
        """Whether nobody is to act any more."""
        return self.turn is None

    @property
    def turn(self) -> int | None:
        """The seat to act, None when the game is over."""
        turn = self._number("turn")
        return None if turn == NOBODY else turn

    @property
    def dealer(self) -> int:
        """The seat of the dealer."""
        return self._number("dealer")

    @property
    def scores(self) -> tuple[int, int]:
        """Both scores, seat 0's first, capped at the target."""
        first, second = self.state["scores"][0].tolist()
        return first, second

    @property
    def pegs(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """For each seat the holes of its rear and its front peg.

        The front peg is the score; the rear one stands where the front one was before it last
        moved, at 0 in the beginning.
        """
        first, second = self.state["rear"][0].tolist()
        return (first, self.scores[0]), (second, self.scores[1])

    @property
    def deals(self) -> int:
        """The number of the deal, from 1."""
        return self._number("deals")

    @property
    def count(self) -> int:
        """The running count, 0..31."""
        return self._number("count")

    @property
    def pile(self) -> list[int]:
        """The cards laid since the last reset, in order."""
        start, end = self._number("pile_start"), self._number("plays_made")
        return _ids(self.state["plays"][0, start:end])

    @property
    def starter(self) -> int | None:
        """The starter, None before the cut."""
        # Not by the phase: a forfeit may end the game before the dealer has discarded.
        is_cut = self.state["discards"][0, self.dealer, 0] != NO_CARD
        return self._number("starter") if is_cut else None

    @property
    def crib(self) -> list[int]:
        """The cards thrown so far, sorted: none, two or four (full information)."""
        return sorted(_ids(self.state["discards"][0].ravel()))

    @property
    def winner(self) -> int | None:
        """The seat that has reached the target, None before (and where one deal ends the game)."""
        winner = self._number("winner")
        return None if winner == NOBODY else winner

    @property
    def is_forfeit(self) -> bool:
        """Whether the game ended by an illegal action."""
        return any(event.kind == "forfeit" for event in self.events[-2:])

    @property
    def skunk(self) -> int:
        """0, or 1 for a skunk and 2 for a double (R20); 0 before the end and after a forfeit."""
        if self.winner is None or self.is_forfeit:
            return 0
        return skunk(self.scores, self.target)

    def hand(self, seat: int) -> list[int]:
        """Return the cards that a seat still holds, sorted: six before it discards.

        Raises:
            ValueError: no such seat.
            TypeError: not an integer.

        >>> game = Game(dealer=0, deck="AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC")
        >>> format_cards(game.hand(0))
        '2C 4C 6C 8C TC QC'
        """
        seat = check_seat(seat)
        kept = self.state["kept"][0, seat]
        if kept[0] == NO_CARD:
            return _ids(self.state["dealt"][0, seat])
        return _ids(kept[self.state["held"][0, seat] == 1])

    def kept(self, seat: int) -> list[int]:
        """Return the four cards that a seat kept, those laid included; none before it discards.

        Raises:
            ValueError: no such seat.
            TypeError: not an integer.
        """
        return _ids(self.state["kept"][0, check_seat(seat)])

    def action_mask(self) -> NDArray[np.int8]:
        """Return which of the 19 actions are legal: int8 of shape ``(19,)``, zeros when over."""
        mask = np.zeros(action_words.NUM_ACTIONS, np.int8)
        write_legal(self.state, mask)
        return mask

    def legal_actions(self) -> list[int]:
        """Return the legal actions, none when the game is over.

        >>> Game(seed=0).legal_actions() == list(range(15))
        True
        """
        legal: list[int] = np.flatnonzero(self.action_mask()).tolist()
        return legal

    @property
    def events(self) -> tuple[Event, ...]:
        """All that has happened so far, in order."""
        self._decode()
        return tuple(self._events)

    @property
    def actions(self) -> tuple[int, ...]:
        """The actions taken so far, in order; -1 - seat where a seat forfeited."""
        self._decode()
        return tuple(self._actions)

    def _decode(self) -> None:
        """Read the rows absorbed since the last look: most games are never looked at."""
        for rows in self._rows:
            self._events += decode_events(rows)
            self._actions += decode_actions(rows)
        self._rows.clear()

    # Playing ----------------------------------------------------------------------------------

    def step(self, action: SupportsIndex) -> None:
        """Take an action 0..18 for the seat to act, and do all that is forced after it.

        Raises:
            IllegalActionError: the rules forbid it; the message names the rule.
            ValueError: outside 0..18.
            TypeError: not an integer.

        >>> game = Game(seed=0)
        >>> game.step(15)  # doctest: +IGNORE_EXCEPTION_DETAIL
        Traceback (most recent call last):
            ...
        IllegalActionError: action 15: R4: the discards come before the play
        """
        number = action_words.parse_action_number(action)
        if step_lone(self.state, number, load_book(), self.log) != DONE:
            raise IllegalActionError(self.why_not(number))
        if self._number("phase") == DEAL_OVER and not self.beginning.is_one_deal:
            self._deal()
        self.absorb_log()

    def discard(self, cards: CardsLike) -> None:
        """Discard two cards of the seat to act, in any order.

        Raises:
            IllegalActionError: this is no time to discard, or the seat was not dealt a card.
            ValueError: not two different cards.
            TypeError: not cards.

        >>> game = Game(dealer=0, deck="AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC")
        >>> game.discard("AC JC")
        >>> format_cards(game.kept(1))
        '3C 5C 7C 9C'
        """
        thrown = parse_distinct_cards(cards, count=2, what="the discard")
        if self.phase != "discard":
            raise IllegalActionError(f"discard {format_cards(thrown)}: {self._why_not(0)}")
        self._refuse_unless_held("discard", thrown, self.hand(self._number("turn")), "R4")
        self.step(action_words.discard_action(thrown, self.hand(self._number("turn"))))

    def play(self, card: CardLike) -> None:
        """Lay a card of the seat to act.

        Raises:
            IllegalActionError: the rules forbid it; the message names the rule.
            ValueError: not one card.
            TypeError: not a card.

        >>> game = Game(dealer=0, deck="AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC")
        >>> game.discard("AC JC")
        >>> game.discard("2C QC")
        >>> game.play("7C")
        >>> game.play("8C")
        >>> print(game.events[-1])
        seat 0 lays 8C: fifteen two (2-0)
        """
        laid = parse_distinct_cards(card, count=1, what="the play")
        if self.phase != "play":
            raise IllegalActionError(f"play {format_cards(laid)}: {self._why_not(15)}")
        kept = self.kept(self._number("turn"))
        self._refuse_unless_held("play", laid, kept, "R6")
        self.step(action_words.play_action(laid, kept))

    def _refuse_unless_held(self, verb: str, cards: list[int], hand: list[int], rule: str) -> None:
        for card in cards:
            if card not in hand:
                raise IllegalActionError(
                    f"{verb} {format_cards(cards)}: {rule}: {format_cards([card])} is not among "
                    f"the cards of seat {self.turn}: {format_cards(hand)}"
                )

    def forfeit(self, seat: int) -> None:
        """End the game against a seat that acted illegally; the other gets the target.

        Raises:
            IllegalActionError: the game is over.
            ValueError: no such seat.
        """
        seat = check_seat(seat)
        if self.is_over:
            raise IllegalActionError(f"forfeit: {self._why_not(0)}")
        forfeit(self.state[0], seat, self.log)
        self.absorb_log()

    def why_not(self, action: int) -> str:
        """Return why an action 0..18 is refused here: its words and the rule that forbids it."""
        return f"action {action}: {self._why_not(action)}"

    def _why_not(self, action: int) -> str:
        seat = self.turn
        if seat is None:
            ended = "the deal is over at" if self.winner is None else f"seat {self.winner} has won"
            return f"R19: the game is over, {ended} {self.scores[0]}-{self.scores[1]}"
        if self.phase == "discard":
            return "R4: the discards come before the play"
        if action < action_words.NUM_DISCARDS:
            return "R4: both have discarded, the play is on"
        card = self.kept(seat)[action - action_words.NUM_DISCARDS]
        name = format_cards([card])
        if card not in self.hand(seat):
            return f"R6: {name} has been laid already"
        reached = self.count + value_of(card)
        return f"R6: {name} would bring the count from {self.count} to {reached}, above 31"

    def absorb_log(self) -> None:
        """Take over what kernels have written to `log` (for code that runs kernels on `state`)."""
        written = int(self.log[0, 0])
        if written:
            self._rows.append(self.log[1 : written + 1].copy())
            self.log[0, 0] = 0

    # Copies and records -----------------------------------------------------------------------

    def copy(self) -> Game:
        """Return an independent copy that goes on with the same cards."""
        twin = type(self).__new__(type(self))
        twin.beginning = self.beginning
        twin.state = self.state.copy()
        twin.log = self.log.copy()
        twin._rows = list(self._rows)
        twin._events = list(self._events)
        twin._actions = list(self._actions)
        return twin

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        """Copy what changes; events and beginnings are frozen."""
        return self.copy()

    def redeal_hidden(self, seat: int, seed: int) -> Game:
        """Return a copy in which all that a seat can't know is dealt anew, as it may well be.

        The opponent's unlaid cards, its discards, the starter before the cut, and all later deals
        change; what the seat saw, the opponent's goes included, stays true.

        Raises:
            ValueError: no such seat, or a seed out of range.
            TypeError: not integers.
        """
        from cribbage_env.game.hidden import redeal_hidden

        return redeal_hidden(self, check_seat(seat), check_seed(seed))

    def to_record(self) -> str:
        """Return the game so far as text that `from_record` reads."""
        from cribbage_env.game.records import write_record

        return write_record(self)

    @classmethod
    def from_record(cls, text: str) -> Game:
        """Return the game of a record: the same events, and the same cards from there on.

        Raises:
            ValueError: not a record, cut short or edited; names the line and the reason.
            TypeError: not text.

        >>> game = Game(seed=7)
        >>> game.step(3)
        >>> Game.from_record(game.to_record()) == game
        True
        """
        from cribbage_env.game.records import read_record

        return read_record(text)

    @classmethod
    def replay(cls, beginning: Beginning, actions: Sequence[int] = ()) -> Game:
        """Return the game that began so and in which these actions were taken."""
        game = cls.__new__(cls)
        game._begin(beginning)
        for action in actions:
            if action < 0:
                game.forfeit(-1 - action)
            else:
                game.step(action)
        return game

    def __eq__(self, other: object) -> bool:
        """Tell whether another game began alike and went alike."""
        if not isinstance(other, Game):
            return NotImplemented
        return (self.beginning, self.actions) == (other.beginning, other.actions)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Return a short description."""
        turn = "over" if self.turn is None else f"seat {self.turn} to {self.phase}"
        return (
            f"<Game seed={self.seed} number={self.number} deal {self.deals}, "
            f"dealer {self.dealer}, {self.scores[0]}-{self.scores[1]}, {turn}>"
        )


def shuffled(
    cards: Sequence[int], seed: int, number: int = 0, deal: int = 0, attempt: int = 0
) -> list[int]:
    """Return cards in an order that depends on the numbers alone."""
    order = np.array(cards, np.int16)
    # Apart from the streams that deals come from, and from the keys of all players.
    stream = decision_key(np.uint64(seed), number, deal, NO_SEAT, attempt)
    shuffle(np.uint64(stream), order, len(order))
    return _ids(order)


def _ids(cards: NDArray[np.int16]) -> list[int]:
    """Return cards of the state as a list, without the places that hold none."""
    ids: list[int] = cards[cards != NO_CARD].tolist()
    return ids
