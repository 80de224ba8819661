"""The slow referee beside a `Game`: after every action both must tell the same.

Machines, the soak and single tests share this, so that there is one list of what a game must
fulfil.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribbage_env.actions import NUM_ACTIONS
from cribbage_env.engine.layout import (
    EVENT_KINDS,
    LOG_CARDS,
    LOG_KIND,
    LOG_PLAYER,
    LOG_POINTS,
    LOG_SCORE_0,
    LOG_SCORE_1,
    LOG_SIZE,
    LOG_STARTER,
)
from cribbage_env.game import Game
from tests.referee import Event, Referee, rank

NEXT_DEAL = list(range(13))
"""Any cards: where one deal is the game, the referee's second deal is never looked at."""


def read_rows(rows: NDArray[np.int16]) -> list[Event]:
    """Read rows of a log into the referee's events; `decode_events` counts every hand anew."""
    events = []
    for row in rows.tolist():
        kind = EVENT_KINDS[row[LOG_KIND]]
        cards = row[LOG_CARDS : LOG_CARDS + row[LOG_SIZE]]
        if kind == "play":
            cards = cards[-1:]  # of the pile
        elif kind == "starter":
            cards = [row[LOG_STARTER]]
        scores = (row[LOG_SCORE_0], row[LOG_SCORE_1])
        events.append(Event(kind, row[LOG_PLAYER], tuple(cards), row[LOG_POINTS], scores))
    return events


def plain(events: Iterable[Any]) -> list[Event]:
    """Return a game's events as the referee tells them, without details."""
    return [Event(e.kind, e.player, e.cards, e.points, e.scores) for e in events]


def check_cuts(cuts: Sequence[Event]) -> int:
    """Check that both seats cut, again while the ranks are equal (R3); return who deals."""
    assert len(cuts) >= 2
    assert [cut.player for cut in cuts] == [0, 1] * (len(cuts) // 2)
    for first, second in zip(cuts[::2], cuts[1::2], strict=True):
        assert first.cards != second.cards
        assert (rank(first.cards[0]) == rank(second.cards[0])) == (second is not cuts[-1])
    return 0 if rank(cuts[-2].cards[0]) < rank(cuts[-1].cards[0]) else 1


class Umpire:
    """Lets a referee see what happens in a game, and compares the two.

    A game may be at any action; those before are played again beside the referee.
    """

    def __init__(self, game: Game) -> None:
        start = Game.replay(game.beginning)
        self.cuts = [event for event in plain(start.events) if event.kind == "cut"]
        dealer = start.beginning.dealer
        self.first_dealer = check_cuts(self.cuts) if dealer is None else dealer
        assert bool(self.cuts) == (dealer is None)
        self.game = start
        self.is_forfeit = False
        self.followed = 0
        self.referee = Referee(
            dealer=self.first_dealer,
            deck_for_deal=self._deck,
            scores=start.beginning.scores,
            target=start.beginning.target,
        )
        self.check()
        for action in game.actions:
            if action < 0:
                start.forfeit(-1 - action)
            else:
                start.step(action)
            self.follow(start)

    def _deck(self, deal: int) -> list[int]:
        """Return the cards of a deal as the game has dealt them (R4)."""
        if self.game.beginning.is_one_deal and deal == 2:
            return NEXT_DEAL
        assert self.game.deals == deal
        dealt = self.game.state["dealt"][0].tolist()
        dealer = (self.first_dealer + deal - 1) % 2
        assert self.game.dealer == dealer
        pairs = zip(dealt[1 - dealer], dealt[dealer], strict=True)
        return [card for pair in pairs for card in pair] + [int(self.game.state["starter"][0])]

    def follow(self, game: Game) -> None:
        """Let the referee see the actions since the last look, and compare everything.

        At most one deal may have begun since.
        """
        self.game = game
        for action in game.actions[self.followed :]:
            if action < 0:
                self.is_forfeit = True
                self._check_forfeit(-1 - action)
            else:
                self.referee.step(action)
        self.followed = len(game.actions)
        if not self.is_forfeit:
            self.check()

    @property
    def events(self) -> list[Event]:
        """What the game must tell."""
        told = [*self.cuts, *self.referee.events]
        return told[:-1] if self._is_past_one_deal else told

    @property
    def _is_past_one_deal(self) -> bool:
        return self.game.beginning.is_one_deal and self.referee.deals == 2

    def legal_actions(self) -> list[int]:
        """Return what the referee allows."""
        is_over = self.is_forfeit or self._is_past_one_deal
        return [] if is_over else self.referee.legal_actions()

    def check(self) -> None:
        """Compare all that the game says with the referee, and check what holds by itself."""
        game, referee = self.game, self.referee
        check_by_itself(game)
        assert game.legal_actions() == self.legal_actions()
        assert game.scores == tuple(referee.scores)
        assert plain(game.events) == self.events
        assert game.winner == referee.winner
        if self._is_past_one_deal:
            assert (game.turn, game.phase) == (None, "over")
            return
        assert (game.turn, game.phase, game.dealer) == (
            referee.turn,
            referee.phase,
            referee.dealer,
        )
        assert (game.deals, game.count, game.pile) == (referee.deals, referee.count, referee.pile)
        assert (game.starter, game.crib) == (referee.starter, referee.crib)
        assert [game.hand(seat) for seat in (0, 1)] == referee.held
        assert [game.kept(seat) for seat in (0, 1)] == referee.kept

    def _check_forfeit(self, seat: int) -> None:
        """Check the end by forfeit, of which the rules and so the referee know nothing."""
        game = self.game
        check_by_itself(game)
        scores = list(self.referee.scores)
        scores[1 - seat] = game.target
        assert game.scores == tuple(scores)
        assert game.winner == 1 - seat
        *before, forfeit, win = plain(game.events)
        assert before == self.events
        assert (forfeit.kind, forfeit.player, forfeit.points) == ("forfeit", seat, 0)
        assert win == Event("win", 1 - seat, (), 0, game.scores)


def check_by_itself(game: Game) -> None:
    """Check what every game must fulfil at every moment, whoever plays it."""
    check_cards(game)
    mask = game.action_mask()
    assert mask.dtype == np.int8
    assert mask.shape == (NUM_ACTIONS,)
    assert mask.any() == (game.turn is not None)
    assert (game.phase == "over") == (game.turn is None) == game.is_over
    assert game.turn in (0, 1, None)
    assert 0 <= game.count <= 31
    check_scores(game)


def check_cards(game: Game) -> None:
    """Check that no card is twice or lost: 13 of 52 are dealt, and each lies in one place."""
    dealt = game.state["dealt"][0].tolist()
    starter = int(game.state["starter"][0])
    assert len({*dealt[0], *dealt[1], starter}) == 13
    assert all(0 <= card < 52 for card in (*dealt[0], *dealt[1], starter))
    laid = [card for card in game.state["plays"][0].tolist() if card >= 0]
    places = [*game.hand(0), *game.hand(1), *game.crib, *laid]
    assert sorted(places) == sorted(dealt[0] + dealt[1])
    for seat in (0, 1):
        assert game.hand(seat) == sorted(game.hand(seat))
        assert not set(game.kept(seat)) - set(dealt[seat])


def check_scores(game: Game) -> None:
    """Check that scores never fall, stay at the target, and that nothing is scored after it."""
    before = game.beginning.scores
    for place, event in enumerate(game.events):
        assert event.scores[0] >= before[0]
        assert event.scores[1] >= before[1]
        assert max(event.scores) <= game.target
        if max(before) == game.target:
            assert (event.kind, place) == ("win", len(game.events) - 1)
        before = event.scores
    assert game.scores == before
    assert (game.winner is not None) == (max(game.scores) == game.target)
    for (rear, front), score in zip(game.pegs, game.scores, strict=True):
        assert 0 <= rear <= front == score
