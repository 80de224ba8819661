"""`Game`: one readable game over the engine's kernels."""

from __future__ import annotations

import copy
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from cribbage_env import actions as action_words
from cribbage_env.cards import NUM_CARDS, CardLike, CardsLike, format_cards, parse_distinct_cards
from cribbage_env.engine import layout
from cribbage_env.engine.chance import shuffle, stream_of
from cribbage_env.engine.deal import begin_deal, begin_game, deal_cards
from cribbage_env.engine.flow import step, write_mask
from cribbage_env.engine.layout import (
    DEAL_OVER,
    DISCARD,
    DONE,
    GAME_OVER,
    LOG_CAPACITY,
    LOG_ROW,
    MAX_TARGET,
    NOBODY,
    STATE,
    VIEW,
)
from cribbage_env.engine.pegging import forfeit
from cribbage_env.engine.tables import load_book
from cribbage_env.engine.view import write_view
from cribbage_env.game.errors import IllegalActionError
from cribbage_env.game.events import Event, decode_actions, decode_events
from cribbage_env.scoring import skunk

__all__ = ["Beginning", "Game"]

PHASES = {DISCARD: "discard", layout.PLAY: "play", GAME_OVER: "over"}
DECK_DEALT = 13


@dataclass(frozen=True)
class Beginning:
    """All that a game's cards and first scores follow from; with the actions it is the game."""

    seed: int
    number: int = 0
    dealer: int | None = None
    scores: tuple[int, int] = (0, 0)
    target: int = 121
    decks: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """Deals whose 13 cards are given: (number of the deal, cards)."""
    reseeds: tuple[tuple[int, int], ...] = ()
    """Deals from which on another seed gives the cards: (number of the deal, seed)."""
    is_one_deal: bool = False
    """Whether the game ends with its first deal."""


class Game:
    """A game of cribbage between seat 0 and seat 1, to be read and played step by step.

    The cards of a deal depend on (seed, number of the game, number of the deal) alone.

    Args:
        seed: 0 to 2**64 - 1; None draws one.
        dealer: the seat that deals first; None cuts for it (R3).
        scores: (seat 0, seat 1), each below the target.
        target: holes to reach (R2), 1 to 1000.
        deck: at least 13 cards for the first deal: the 1st, 3rd, ... 11th to pone, the 2nd, ... 12th
            to the dealer, the 13th is the starter. Later deals come from the seed.
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
        lane = self.state[0]
        begin_game(
            lane,
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
        lane = self._lane
        number = int(lane.deals) + 1
        for first, seed in self.beginning.reseeds:
            if first == number:
                lane.seed = seed
        deck = dict(self.beginning.decks).get(number)
        if deck is None:
            begin_deal(lane, self.log)
        else:
            deal_cards(lane, np.array(deck, np.int16), self.log)

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
        dealer = _seat(dealer, "dealer")
        if isinstance(hands, str) or len(hands) != 2:
            raise ValueError(f"a position has two hands, seat 0's and seat 1's, not {hands!r}")
        dealt = [
            parse_distinct_cards(hand, count=6, what=f"the hand of seat {seat}")
            for seat, hand in enumerate(hands)
        ]
        turned = [] if starter is None else parse_distinct_cards(starter, count=1, what="starter")
        parse_distinct_cards(dealt[0] + dealt[1] + turned, what="the position")
        if starter is None:
            unseen = [card for card in range(NUM_CARDS) if card not in dealt[0] + dealt[1]]
            turned = [int(shuffled(check_seed(seed), 0, unseen)[0])]
        deck = [card for pair in zip(dealt[1 - dealer], dealt[dealer], strict=True) for card in pair]
        game = cls(seed, dealer=dealer, scores=scores, target=target, deck=deck + turned)
        laid = parse_distinct_cards(plays, what="the plays")
        if discards is None:
            if laid:
                raise ValueError("plays need the discards before them (R4, R5); none were given")
            return game
        if isinstance(discards, str) or len(discards) != 2:
            raise ValueError(f"a position has two discards, seat 0's and seat 1's: {discards!r}")
        for seat in (1 - dealer, dealer):
            game.discard(discards[seat])
        for card in laid:
            game.play(card)
        return game

    # What the table shows -------------------------------------------------------------------

    @property
    def _lane(self) -> Any:
        return self.state[0]

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
        return PHASES.get(int(self._lane.phase), "over")

    @property
    def is_over(self) -> bool:
        """Whether nobody is to act any more."""
        return self.turn is None

    @property
    def turn(self) -> int | None:
        """The seat to act, None when the game is over."""
        turn = int(self._lane.turn)
        return None if turn == NOBODY else turn

    @property
    def dealer(self) -> int:
        """The seat of the dealer."""
        return int(self._lane.dealer)

    @property
    def scores(self) -> tuple[int, int]:
        """Both scores, seat 0's first, capped at the target."""
        return int(self._lane.scores[0]), int(self._lane.scores[1])

    @property
    def pegs(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """For each seat the holes of its rear and its front peg."""
        rear, front = self._lane.rear, self._lane.scores
        return (int(rear[0]), int(front[0])), (int(rear[1]), int(front[1]))

    @property
    def deals(self) -> int:
        """The number of the deal, from 1."""
        return int(self._lane.deals)

    @property
    def count(self) -> int:
        """The running count, 0..31."""
        return int(self._lane.count)

    @property
    def pile(self) -> list[int]:
        """The cards laid since the last reset, in order."""
        lane = self._lane
        return _ids(lane.plays[lane.pile_start : lane.plays_made])

    @property
    def starter(self) -> int | None:
        """The starter, None before the cut."""
        return None if self._lane.phase == DISCARD else int(self._lane.starter)

    @property
    def crib(self) -> list[int]:
        """The cards thrown so far, sorted: none, two or four."""
        return sorted(card for card in _ids(self._lane.discards.ravel()) if card >= 0)

    @property
    def winner(self) -> int | None:
        """The seat that has won, None before."""
        winner = int(self._lane.winner)
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
        seat = _seat(seat, "seat")
        lane = self._lane
        if lane.kept[seat, 0] < 0:
            return _ids(lane.dealt[seat])
        return _ids(lane.kept[seat][lane.held[seat] == 1])

    def kept(self, seat: int) -> list[int]:
        """Return the four cards that a seat kept, those laid included; none before it discards.

        Raises:
            ValueError: no such seat.
            TypeError: not an integer.
        """
        return [card for card in _ids(self._lane.kept[_seat(seat, "seat")]) if card >= 0]

    def action_mask(self) -> NDArray[np.int8]:
        """Return which of the 19 actions are legal: int8 of shape ``(19,)``, zeros when over."""
        mask = np.zeros(action_words.NUM_ACTIONS, np.int8)
        if self.turn is not None:
            view = np.zeros(1, VIEW)
            write_view(self._lane, self.turn, view[0])
            write_mask(view[0], mask)
        return mask

    def legal_actions(self) -> list[int]:
        """Return the legal actions, none when the game is over.

        >>> Game(seed=0).legal_actions() == list(range(15))
        True
        """
        return [int(action) for action in np.flatnonzero(self.action_mask())]

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
        >>> game.step(15)
        Traceback (most recent call last):
            ...
        cribbage_env.game.errors.IllegalActionError: action 15: R4: the discards come before the play
        """
        number = action_words.parse_action_number(action)
        status = step(self._lane, number, load_book()[0], self.log)
        if status != DONE:
            raise IllegalActionError(self.why_not(number))
        if self._lane.phase == DEAL_OVER and not self.beginning.is_one_deal:
            self._deal()
        self.absorb_log()

    def discard(self, cards: CardsLike) -> None:
        """Discard two cards of the seat to act.

        Raises:
            IllegalActionError: this is no time to discard.
            ValueError: not two different cards of the hand.
            TypeError: not cards.

        >>> game = Game(dealer=0, deck="AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC")
        >>> game.discard("AC JC")
        >>> format_cards(game.kept(1))
        '3C 5C 7C 9C'
        """
        if self.phase != "discard":
            raise IllegalActionError(f"discard {_shown(cards)}: {self._why_not(0)}")
        seat = operator.index(self._lane.turn)
        self.step(action_words.discard_action(cards, _ids(self._lane.dealt[seat])))

    def play(self, card: CardLike) -> None:
        """Lay a card of the seat to act.

        Raises:
            IllegalActionError: the rules forbid it; the message names the rule.
            ValueError: the seat did not keep that card.
            TypeError: not a card.
        """
        if self.phase != "play":
            raise IllegalActionError(f"play {_shown(card)}: {self._why_not(15)}")
        seat = operator.index(self._lane.turn)
        self.step(action_words.play_action(card, _ids(self._lane.kept[seat])))

    def forfeit(self, seat: int) -> None:
        """End the game against a seat that acted illegally; the other gets the target.

        Raises:
            IllegalActionError: the game is over.
            ValueError: no such seat.
        """
        seat = _seat(seat, "seat")
        if self.is_over:
            raise IllegalActionError(f"forfeit: {self._why_not(0)}")
        forfeit(self._lane, seat, self.log)
        self.absorb_log()

    def why_not(self, action: int) -> str:
        """Return why an action 0..18 is refused here: its words and the rule that forbids it."""
        return f"action {action}: {self._why_not(action)}"

    def _why_not(self, action: int) -> str:
        lane = self._lane
        if self.turn is None:
            ended = f"seat {self.winner} has won" if self.winner is not None else "the deal is over"
            return f"R19: {ended} at {self.scores[0]}-{self.scores[1]}; nothing follows"
        if lane.phase == DISCARD:
            return "R4: the discards come before the play"
        if action < action_words.NUM_DISCARDS:
            return "R4: both have discarded; the play is on"
        card = int(lane.kept[self.turn, action - action_words.NUM_DISCARDS])
        name = format_cards([card])
        if lane.held[self.turn, action - action_words.NUM_DISCARDS] == 0:
            return f"R6: {name} has been laid already"
        return f"R6: {name} would bring the count from {self.count} above 31"

    def absorb_log(self) -> None:
        """Take over what kernels have written to `log` (for code that runs kernels on `state`)."""
        written = int(self.log[0, 0])
        if written:
            self._rows.append(self.log[1 : written + 1].copy())
            self.log[0, 0] = 0

    # Copies and records -----------------------------------------------------------------------

    def copy(self) -> Game:
        """Return an independent copy that goes on with the same cards."""
        return copy.deepcopy(self)

    def redeal_hidden(self, seat: int, seed: int) -> Game:
        """Return a copy in which all that a seat can't know is dealt anew, as it may well be.

        The opponent's unlaid cards, its discards, the starter before the cut, and all later deals
        change; what the seat saw, the opponent's goes included, stays true.

        Raises:
            ValueError: no such seat, or a seed out of range.
            TypeError: not integers.
        """
        from cribbage_env.game.hidden import redeal_hidden

        return redeal_hidden(self, _seat(seat, "seat"), check_seed(seed))

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

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        """Copy what changes; events and beginnings are frozen."""
        twin = type(self).__new__(type(self))
        twin.beginning = self.beginning
        twin.state = self.state.copy()
        twin.log = self.log.copy()
        twin._rows = list(self._rows)
        twin._events = list(self._events)
        twin._actions = list(self._actions)
        return twin

    def __repr__(self) -> str:
        """Return a short description."""
        turn = "over" if self.turn is None else f"seat {self.turn} to {self.phase}"
        return (
            f"<Game seed={self.seed} number={self.number} deal {self.deals}, "
            f"dealer {self.dealer}, {self.scores[0]}-{self.scores[1]}, {turn}>"
        )


def make_beginning(
    seed: int | None,
    dealer: int | None,
    scores: Sequence[int],
    target: int,
    deck: CardsLike | None,
    number: int = 0,
    *,
    is_one_deal: bool = False,
) -> Beginning:
    """Return a checked beginning; a seed of None is drawn from the operating system.

    Raises:
        ValueError: a value out of range, a card twice, fewer than 13 cards.
        TypeError: a value of the wrong type.
    """
    target = _whole(target, "target")
    if not 1 <= target <= MAX_TARGET:
        raise ValueError(f"target {target} is outside 1..{MAX_TARGET}")
    decks: tuple[tuple[int, tuple[int, ...]], ...] = ()
    if deck is not None:
        cards = parse_distinct_cards(deck, what="the deck")
        if len(cards) < DECK_DEALT:
            raise ValueError(f"a deck needs at least {DECK_DEALT} cards, not {len(cards)}")
        decks = ((1, tuple(cards[:DECK_DEALT])),)
    return Beginning(
        new_seed() if seed is None else check_seed(seed),
        _number(number),
        None if dealer is None else _seat(dealer, "dealer"),
        _scores(scores, target),
        target,
        decks,
        is_one_deal=is_one_deal,
    )


def new_seed() -> int:
    """Return a seed from the operating system's entropy, 0 to 2**32 - 1."""
    return int(np.random.SeedSequence().generate_state(1)[0])


def _whole(number: Any, what: str) -> int:
    if isinstance(number, (bool, np.bool_)):
        raise TypeError(f"{what} must be an integer, not {number!r}")
    try:
        return operator.index(number)
    except TypeError:
        raise TypeError(f"{what} must be an integer, not {number!r}") from None


def check_seed(seed: Any) -> int:
    seed = _whole(seed, "seed")
    if not 0 <= seed < 2**64:
        raise ValueError(f"seed {seed} is outside 0..2**64 - 1")
    return seed


def _number(number: Any) -> int:
    number = _whole(number, "number")
    if not 0 <= number < 2**62:
        raise ValueError(f"number {number} of the game is outside 0..2**62 - 1")
    return number


def _seat(seat: Any, what: str) -> int:
    seat = _whole(seat, what)
    if seat not in (0, 1):
        raise ValueError(f"{what} {seat} is not a seat: seats are 0 and 1")
    return seat


def _scores(scores: Any, target: int) -> tuple[int, int]:
    if isinstance(scores, str) or not hasattr(scores, "__len__") or len(scores) != 2:
        raise ValueError(f"scores are a pair, seat 0's and seat 1's, not {scores!r}")
    first, second = (_whole(score, "a score") for score in scores)
    for score in (first, second):
        if not 0 <= score < target:
            raise ValueError(f"score {score} is outside 0..{target - 1} (the target is {target})")
    return first, second


def _ids(cards: Any) -> list[int]:
    return [int(card) for card in cards]


def _shown(cards: Any) -> str:
    try:
        return format_cards(cards)
    except (ValueError, TypeError):
        return repr(cards)


def shuffled(seed: int, place: int, cards: Sequence[int]) -> NDArray[np.int16]:
    """Return cards in an order that depends on a seed and a place alone."""
    order = np.array(cards, np.int16)
    shuffle(np.uint64(stream_of(np.uint64(seed), place, 0)), order, len(order))
    return order
