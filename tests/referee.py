"""An independent slow referee: two-player cribbage once more, in the plainest code.

Written from the numbered rules (R1..R20) alone and sharing nothing with ``cribbage_env``, so that
an error would have to be made twice to go unnoticed. It counts by brute force, keeps its state in
plain lists and is meant to be read beside the rules. A card is ``4 * rank + suit``, a seat 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

RANKS = "A23456789TJQK"
SUITS = "CDHS"
JACK = RANKS.index("J")
DISCARD_PAIRS = list(combinations(range(6), 2))
FIRST_PLAY_ACTION = len(DISCARD_PAIRS)


# Cards: R1.


def rank(card: int) -> int:
    """Return the rank of a card, 0 for an ace to 12 for a king."""
    return card // 4


def suit(card: int) -> int:
    """Return the suit of a card: 0 clubs, 1 diamonds, 2 hearts, 3 spades."""
    return card % 4


def value(card: int) -> int:
    """Return what a card adds to a fifteen or to the count: ace 1, jack, queen and king 10."""
    return min(rank(card) + 1, 10)


def read_card(text: str) -> int:
    """Return the id of a card written as rank and suit, such as ``"5H"``."""
    return 4 * RANKS.index(text[0]) + SUITS.index(text[1])


def read_cards(text: str) -> list[int]:
    """Return the ids of cards written with blanks between them, such as ``"5H JD"``."""
    return [read_card(word) for word in text.split()]


def write_cards(cards: Iterable[int]) -> str:
    """Return cards as text, in the order given."""
    return " ".join(RANKS[rank(card)] + SUITS[suit(card)] for card in cards)


# The show: R12 to R17.


class HandPoints(NamedTuple):
    """What four cards and the starter are worth, by kind of combination."""

    fifteens: int
    pairs: int
    runs: int
    flush: int
    nobs: int

    @property
    def total(self) -> int:
        return self.fifteens + self.pairs + self.runs + self.flush + self.nobs


def subsets(cards: Sequence[int]) -> list[tuple[int, ...]]:
    """Return every way to pick one or more of the cards."""
    return [pick for size in range(1, len(cards) + 1) for pick in combinations(cards, size)]


def is_run(cards: Sequence[int]) -> bool:
    """Say whether three or more cards have consecutive ranks, no rank twice, in any order."""
    if len(cards) < 3:
        return False
    ranks = sorted(rank(card) for card in cards)
    return ranks == list(range(ranks[0], ranks[0] + len(ranks)))


def score_hand(hand: Sequence[int], starter: int | None, is_crib: bool = False) -> HandPoints:
    """Count four cards with the starter, or alone when it is None (R13 to R17)."""
    cards = list(hand) if starter is None else [*hand, starter]
    picks = subsets(cards)
    fifteens = sum(2 for pick in picks if sum(value(card) for card in pick) == 15)
    pairs = sum(2 for first, second in combinations(cards, 2) if rank(first) == rank(second))
    run_lengths = [len(pick) for pick in picks if is_run(pick)]
    runs = sum(length for length in run_lengths if length == max(run_lengths))
    flush = 0
    if len({suit(card) for card in hand}) == 1:
        if starter is not None and suit(starter) == suit(hand[0]):
            flush = 5
        elif not is_crib:
            flush = 4
    nobs = 0
    if starter is not None:
        nobs = sum(1 for card in hand if rank(card) == JACK and suit(card) == suit(starter))
    return HandPoints(fifteens, pairs, runs, flush, nobs)


# The play: R6 to R11.


class PlayPoints(NamedTuple):
    """What the card just laid is worth, by kind of combination."""

    fifteen: int
    thirty_one: int
    pairs: int
    run: int

    @property
    def total(self) -> int:
        return self.fifteen + self.thirty_one + self.pairs + self.run


def score_pile(pile: Sequence[int]) -> PlayPoints:
    """Count the last card of the cards laid since the count was last 0 (R8)."""
    count = sum(value(card) for card in pile)
    pairs = 0
    for size, points in ((2, 2), (3, 6), (4, 12)):
        if len(pile) >= size and len({rank(card) for card in pile[-size:]}) == 1:
            pairs = points
    run = 0
    for size in range(3, len(pile) + 1):
        if is_run(pile[-size:]):
            run = size
    return PlayPoints(2 if count == 15 else 0, 2 if count == 31 else 0, pairs, run)


class Play:
    """The eight cards of one deal being laid: who holds what, whose turn, what lies there."""

    def __init__(self, hands: Sequence[Iterable[int]], leader: int) -> None:
        self.held = [sorted(hand) for hand in hands]
        self.pile: list[int] = []
        self.turn: int | None = leader
        self.last_to_lay: int | None = None
        self.has_said_go = False

    def copy(self) -> Play:
        """Return an equal one that goes its own way."""
        other = Play(self.held, leader=0)
        other.turn = self.turn
        other.pile = list(self.pile)
        other.last_to_lay = self.last_to_lay
        other.has_said_go = self.has_said_go
        return other

    @property
    def count(self) -> int:
        return sum(value(card) for card in self.pile)

    def fits(self, seat: int) -> list[int]:
        """Return the cards the seat could lay now (R6, R7)."""
        return [card for card in self.held[seat] if self.count + value(card) <= 31]

    def lay(self, card: int) -> int:
        """Lay a card for the seat whose turn it is and return its points (R8)."""
        assert self.turn is not None
        assert card in self.fits(self.turn)
        self.held[self.turn].remove(card)
        self.pile.append(card)
        self.last_to_lay = self.turn
        return score_pile(self.pile).total

    @property
    def follower(self) -> int:
        """The seat that is to follow the last card laid."""
        assert self.last_to_lay is not None
        return 1 - self.last_to_lay

    def is_go(self) -> bool:
        """Say whether the follower now says go (R7), for the first time at this count."""
        is_stuck = bool(self.held[self.follower]) and not self.fits(self.follower)
        return is_stuck and self.count < 31 and not self.has_said_go

    def is_count_over(self) -> bool:
        """Say whether nobody can lay another card on this pile (R9)."""
        return not self.fits(0) and not self.fits(1)

    def next_turn(self) -> None:
        """Pass the turn while the count goes on: to the follower if a card of theirs fits (R7)."""
        self.turn = self.follower if self.fits(self.follower) else self.last_to_lay

    def new_count(self) -> None:
        """Begin again at 0; the follower leads, or the other if the follower is out (R10)."""
        follower = self.follower
        self.pile = []
        self.has_said_go = False
        if self.held[follower]:
            self.turn = follower
        elif self.held[1 - follower]:
            self.turn = 1 - follower
        else:
            self.turn = None


class PlayTree(NamedTuple):
    """All the ways to lay two hands: how many, and the points of both seats over all of them."""

    lines: int
    points: tuple[int, int]


def play_out(hands: Sequence[Sequence[int]], leader: int) -> PlayTree:
    """Count the complete lines of play of two hands, every card told apart, nobody winning.

    ``hands`` are the cards of seat 0 and seat 1, four each as a rule; fewer work too. The points
    are those of all lines added up: R8 for each card, and R9 for the last one at each count.
    """
    return _lines_from(Play(hands, leader), (0, 0))


def _lines_from(play: Play, points: tuple[int, int]) -> PlayTree:
    if play.turn is None:
        return PlayTree(1, points)
    lines, first, second = 0, 0, 0
    for card in play.fits(play.turn):
        after = play.copy()
        gained = [0, 0]
        gained[play.turn] = after.lay(card)
        if after.is_count_over():
            gained[play.turn] += 1 if after.count < 31 else 0
            after.new_count()
        else:
            after.next_turn()
        tree = _lines_from(after, (points[0] + gained[0], points[1] + gained[1]))
        lines += tree.lines
        first += tree.points[0]
        second += tree.points[1]
    return PlayTree(lines, (first, second))


# Winning and events: R19, R20.


def skunk(scores: Sequence[int], target: int = 121) -> int:
    """Return 0, 1 for a skunk or 2 for a double skunk; 0 while nobody has the target (R20)."""
    if max(scores) < target:
        return 0
    return sum(1 for mark in (target - 31, target - 61) if mark > 0 and min(scores) <= mark)


class Event(NamedTuple):
    """One thing that happened, as in the contract's event table."""

    kind: str
    player: int
    cards: tuple[int, ...]
    points: int
    scores: tuple[int, int]


class Referee:
    """One game, from the first deal to the target, refereed move by move.

    ``deck_for_deal(k)`` gives 13 or more cards for deal k, counted from 1: the 1st, 3rd, ... 11th
    go to pone, the 2nd, 4th, ... 12th to the dealer, the 13th is the starter. A game that is over
    stays exactly as it lay when the target was reached.
    """

    def __init__(
        self,
        *,
        dealer: int,
        deck_for_deal: Callable[[int], Sequence[int]],
        scores: Sequence[int] = (0, 0),
        target: int = 121,
    ) -> None:
        if dealer not in (0, 1):
            raise ValueError(f"dealer {dealer!r} is not 0 or 1")
        if len(scores) != 2 or not all(0 <= score < target for score in scores):
            raise ValueError(f"scores {scores!r} are not two numbers from 0 to {target - 1}")
        self.deck_for_deal = deck_for_deal
        self.dealer = dealer
        self.scores = list(scores)
        self.target = target
        self.deals = 0
        self.winner: int | None = None
        self.events: list[Event] = []
        self._deal()

    # What can be seen

    @property
    def pone(self) -> int:
        return 1 - self.dealer

    @property
    def turn(self) -> int | None:
        """The seat to act; None when the game is over."""
        if self.phase == "discard":
            return self.dealer if self.kept[self.pone] else self.pone
        if self.phase == "play":
            assert self.play is not None
            return self.play.turn
        return None

    @property
    def count(self) -> int:
        return self.play.count if self.play else 0

    @property
    def pile(self) -> list[int]:
        return list(self.play.pile) if self.play else []

    @property
    def held(self) -> list[list[int]]:
        """For each seat the cards still in hand: six, then four, then fewer."""
        if self.play:
            return [list(cards) for cards in self.play.held]
        return [self.kept[seat] or self.hands[seat] for seat in (0, 1)]

    def legal_actions(self) -> list[int]:
        """Return the legal actions of the seat to act, none when the game is over."""
        if self.phase == "discard":
            return list(range(FIRST_PLAY_ACTION))
        seat = self.turn
        if seat is None:
            return []
        assert self.play is not None
        fits = self.play.fits(seat)
        slots = [slot for slot, card in enumerate(self.kept[seat]) if card in fits]
        return [FIRST_PLAY_ACTION + slot for slot in slots]

    # What happens

    def step(self, action: int) -> None:
        """Do what the seat to act chose, and all that is forced after it.

        Raises:
            ValueError: The action is not one of ``legal_actions()``; nothing has changed.
        """
        legal = self.legal_actions()
        if action not in legal:
            raise ValueError(f"action {action!r} is not legal; legal now: {legal}")
        seat = self.turn
        assert seat is not None
        if self.phase == "discard":
            self._discard(seat, DISCARD_PAIRS[action])
        else:
            self._lay(seat, self.kept[seat][action - FIRST_PLAY_ACTION])

    def _deal(self) -> None:
        self.deals += 1
        deck = list(self.deck_for_deal(self.deals))
        if len(deck) < 13 or len(set(deck)) < len(deck) or not set(deck) <= set(range(52)):
            raise ValueError(f"deck {deck} is not 13 or more different cards from 0 to 51")
        self.phase = "discard"
        self.hands: list[list[int]] = [[], []]
        self.hands[self.pone] = sorted(deck[0:12:2])  # R4: one at a time, pone first.
        self.hands[self.dealer] = sorted(deck[1:12:2])
        self.kept: list[list[int]] = [[], []]
        self.crib: list[int] = []
        self.starter: int | None = None
        self._next_starter = deck[12]
        self.play: Play | None = None
        self._record("deal", self.dealer)

    def _discard(self, seat: int, pair: tuple[int, int]) -> None:
        thrown = [self.hands[seat][place] for place in pair]
        self.kept[seat] = [card for card in self.hands[seat] if card not in thrown]
        self.crib = sorted(self.crib + thrown)
        self._record("discard", seat, thrown)
        if seat == self.dealer:
            self._turn_starter()

    def _turn_starter(self) -> None:
        self.starter = self._next_starter
        heels = 2 if rank(self.starter) == JACK else 0  # R5
        if self._record("starter", self.dealer, [self.starter], heels):
            return
        self.phase = "play"
        self.play = Play(self.kept, leader=self.pone)

    def _lay(self, seat: int, card: int) -> None:
        play = self.play
        assert play is not None
        points = play.lay(card)
        if self._record("play", seat, [card], points):
            return
        if play.is_go():
            play.has_said_go = True
            self._record("go", play.follower)
        if not play.is_count_over():
            play.next_turn()
            return
        if play.count < 31 and self._record("last", seat, play.pile, 1):  # R9
            return
        play.new_count()
        if play.turn is None:
            self._show()

    def _show(self) -> None:
        shown = [
            ("hand", self.pone, self.kept[self.pone]),
            ("hand", self.dealer, self.kept[self.dealer]),
            ("crib", self.dealer, self.crib),
        ]
        for kind, seat, cards in shown:  # R12
            points = score_hand(cards, self.starter, is_crib=kind == "crib").total
            if self._record(kind, seat, cards, points):
                return
        self.dealer = self.pone  # R3
        self._deal()

    def _record(self, kind: str, player: int, cards: Iterable[int] = (), points: int = 0) -> bool:
        """Score and write down one event, and say whether that has ended the game (R19)."""
        self.scores[player] = min(self.scores[player] + points, self.target)
        scores = (self.scores[0], self.scores[1])
        self.events.append(Event(kind, player, tuple(cards), points, scores))
        if self.scores[player] < self.target:
            return False
        self.winner = player
        self.phase = "over"
        self.events.append(Event("win", player, (), 0, scores))
        return True
