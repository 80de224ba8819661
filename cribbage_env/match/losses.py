"""Points lost per deal: every choice of a player against the best one by the analysis.

Wins tell two players apart only over many games, since the cards decide most of each. Here each
choice is compared with what the analysis takes for the best one, so that luck in the cards hardly
counts. The player plays single deals from 0 to 0, where points are what matters, each deal from
both seats. Three numbers come out, in points a deal:

- `discard`: the hand over all unseen starters, with the crib added or taken off; exact but for the
  crib, for which the other's throw is that of a strong player (`bots.expert.crib`);
- `discard_with_pegging`: the same with what the four kept peg on average, net, by the expert's
  table;
- `play`: net points to the end of the deal's play by the expert's look-ahead (`bots.expert.play`),
  over all hands that the opponent may hold or a sample of them.

A loss is measured against the analysis, so it is zero for a player that chooses by it, and a choice
that is better than the analysis knows counts as a loss as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots import expert_policy
from cribbage_env.bots.expert.discard import PEGS, TOTAL, write_discard_worths
from cribbage_env.bots.expert.play import write_play_worths
from cribbage_env.bots.expert.worlds import MOST_WORLDS
from cribbage_env.bots.players import Players
from cribbage_env.engine.card import card_rank, card_value
from cribbage_env.engine.chance import decision_key
from cribbage_env.engine.compile import kernel, lean_kernel
from cribbage_env.engine.deal import begin_deal, begin_game
from cribbage_env.engine.flow import FIRST_PLAY, decision_number, step
from cribbage_env.engine.layout import DISCARD, NO_LOG, PLAY, STATE, VIEW, Lane, Log, States, View
from cribbage_env.engine.play import FULL_COUNT
from cribbage_env.engine.tables import Book
from cribbage_env.engine.view import write_view
from cribbage_env.match.intervals import Interval, mean_interval
from cribbage_env.match.play import BATCH_SIZE, MatchSettings, begin_pairs
from cribbage_env.match.totals import add_nested, as_tuples
from cribbage_env.policy import Policy, PolicyLike, make_policy

__all__ = ["MEASURES", "Losses", "measure_losses"]

MEASURES = ("discard", "discard_with_pegging", "play")
"""What is measured, the first index of every count."""
ROLES = ("pone", "dealer")

UNITS = 10_000
"""Losses are counted in whole ten-thousandths of a point, so that parts add up exactly."""
ALL_DISCARDS = 100.0
"""A margin in points that leaves no discard out."""

Counts: TypeAlias = tuple[tuple[int, int], ...]
"""Whole numbers by measure and role (0 pone, 1 dealer)."""

_NONE: Counts = ((0, 0),) * len(MEASURES)


@dataclass(frozen=True)
class Losses:
    """What a player lost in some pairs of deals; `+` adds those of other pairs.

    >>> losses = measure_losses("greedy", deals=400, worlds=0)
    >>> 0.4 < losses.per_deal("discard") < 0.7  # points
    True
    """

    pairs: int = 0
    """Deals that the player played from both seats."""
    lost: Counts = _NONE
    """Ten-thousandths of a point."""
    squares: Counts = _NONE
    """Squares of what a deal lost, summed over deals."""
    pair_squares: tuple[int, ...] = (0,) * len(MEASURES)
    """Squares of what both deals of a pair lost together, by measure."""
    choices: Counts = _NONE
    """Decisions with more than one choice; equal ranks are one choice in the play."""
    best: Counts = _NONE
    """Those in which the choice was the best, or as good."""

    @property
    def deals(self) -> int:
        """Deals played, half of them as dealer."""
        return 2 * self.pairs

    def per_deal(self, measure: str, role: str | None = None) -> float:
        """Return the mean points that a deal lost, in one role or (None) over both.

        Raises:
            ValueError: no such measure or role, or no deal was played.
        """
        lost, _, number = self._terms(measure, role)
        return lost / number

    def interval(self, measure: str, role: str | None = None) -> Interval | None:
        """Return its 95 % interval, over both roles from the pairs; None with a single pair.

        Raises:
            ValueError: no such measure or role, or no deal was played.
        """
        return mean_interval(*self._terms(measure, role))

    def best_share(self, measure: str, role: str | None = None) -> float | None:
        """Return the share of choices that were the best; None where there was none.

        Raises:
            ValueError: no such measure or role.
        """
        index, roles = _measure_index(measure), _role_indices(role)
        choices = sum(self.choices[index][one] for one in roles)
        return sum(self.best[index][one] for one in roles) / choices if choices else None

    def __add__(self, other: Losses) -> Losses:
        """Return the losses in the deals of both."""
        return Losses(
            *(
                add_nested(own, more)
                for own, more in zip(astuple(self), astuple(other), strict=True)
            )
        )

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON holds: points a deal by measure and role; what wasn't asked is missing.

        Every measure has `dealer`, `pone` and `both`, each with `lost`, `interval`, `choices` (a
        count) and `best_share`.
        """
        measured = [name for name in MEASURES if any(self.choices[MEASURES.index(name)])]
        return {"deals": self.deals, **{name: self._report(name) for name in measured}}

    def _report(self, measure: str) -> dict[str, Any]:
        found = {}
        for name, role in (("dealer", "dealer"), ("pone", "pone"), ("both", None)):
            interval = self.interval(measure, role)
            index = _measure_index(measure)
            found[name] = {
                "lost": self.per_deal(measure, role),
                "interval": None if interval is None else list(interval),
                "choices": sum(self.choices[index][one] for one in _role_indices(role)),
                "best_share": self.best_share(measure, role),
            }
        return found

    def _terms(self, measure: str, role: str | None) -> tuple[float, float, int]:
        """Return the sum in points of the terms of a mean, that of their squares, their number."""
        index, roles = _measure_index(measure), _role_indices(role)
        if self.pairs == 0:
            raise ValueError("no deal was played, so there is no mean")
        lost = sum(self.lost[index][one] for one in roles)
        # A deal is a term in one role; over both it is a pair, whose two deals share their cards.
        squares = self.pair_squares[index] if role is None else self.squares[index][roles[0]]
        deals = len(roles)
        return lost / UNITS / deals, squares / UNITS**2 / deals**2, self.pairs


def _measure_index(measure: str) -> int:
    if measure not in MEASURES:
        raise ValueError(f"there is no measure {measure!r}, only {', '.join(MEASURES)}")
    return MEASURES.index(measure)


def _role_indices(role: str | None) -> tuple[int, ...]:
    if role is None:
        return 0, 1
    if role not in ROLES:
        raise ValueError(f"there is no role {role!r}, only {', '.join(ROLES)}, or None for both")
    return (ROLES.index(role),)


def measure_losses(
    player: PolicyLike,
    *,
    deals: int,
    seed: int = 0,
    opponent: PolicyLike = "club",
    worlds: int = MOST_WORLDS,
    batch_size: int = BATCH_SIZE,
    progress: Callable[[Losses], None] | None = None,
) -> Losses:
    """Let a player play single deals and return what its choices lost by the analysis.

    `deals` counts both of each pair. `worlds` is over how many hands of the opponent a play is
    compared at most: 1,820 are all that there are, fewer a sample, which adds noise and so counts a
    little too much; 0 leaves the plays out, which is much faster. What comes out doesn't depend on
    `batch_size`; `progress` is called after every batch with the losses so far.

    Raises:
        ValueError: an unknown player or a bad value; or a player chose an illegal action.
        TypeError: a value of the wrong type.

    >>> measure_losses("expert", deals=20, worlds=0).best_share("discard")
    1.0
    """
    for number, name in ((deals, "deals"), (worlds, "worlds")):
        if isinstance(number, bool) or not isinstance(number, (int, np.integer)):
            raise TypeError(f"{name} must be an integer, not {number!r}")
    if deals < 2 or deals % 2:
        raise ValueError(f"deals must be even and 2 or more, as they come in pairs, not {deals}")
    if worlds < 0:
        raise ValueError(f"worlds must be 0 or more, not {worlds}")
    settings = MatchSettings(deals, seed, batch_size=batch_size)
    policies = [make_policy(player), make_policy(opponent)]
    analyst = expert_policy(worlds=max(1, int(worlds)), pegging=1.0).player
    total = Losses()
    for first in range(0, deals // 2, batch_size // 2):
        stop = min(deals // 2, first + batch_size // 2)
        total += _measure_batch(policies, analyst, worlds > 0, first, stop, settings)
        if progress is not None:
            progress(total)
    return total


def _measure_batch(
    policies: list[Policy],
    analyst: Players,
    with_plays: bool,
    first: int,
    stop: int,
    settings: MatchSettings,
) -> Losses:
    """Play some pairs of deals: the player deals in the first half of the lanes."""
    pairs = stop - first
    lanes = begin_pairs(
        policies,
        (0, 1),
        first,
        stop,
        seed=settings.seed,
        target=settings.target,
        dealer=0,
        is_one_deal=True,
    )
    lanes.play_on()
    seats = np.repeat([0, 1], pairs)
    lost = np.zeros((2 * pairs, len(MEASURES)), np.int64)
    choices, best = np.zeros_like(lost), np.zeros_like(lost)
    _write_losses(lanes.states, seats, analyst, with_plays, lanes.book, NO_LOG, lost, choices, best)
    # By role and pair; seat 0 deals.
    by_role = lost.reshape(2, pairs, -1)[::-1]
    return Losses(
        pairs=pairs,
        lost=as_tuples(by_role.sum(axis=1).T),
        squares=as_tuples((by_role**2).sum(axis=1).T),
        pair_squares=as_tuples((by_role.sum(axis=0) ** 2).sum(axis=0)),
        choices=as_tuples(choices.reshape(2, pairs, -1)[::-1].sum(axis=1).T),
        best=as_tuples(best.reshape(2, pairs, -1)[::-1].sum(axis=1).T),
    )


@kernel
def _write_losses(
    states: States,
    seats: NDArray[np.int64],
    analysts: Players,
    with_plays: bool,
    book: NDArray[Any],
    log: Log,
    lost: NDArray[np.int64],
    choices: NDArray[np.int64],
    best: NDArray[np.int64],
) -> None:
    """Go through finished deals again and add up what a seat's choices lost, by lane and measure.

    The last three arrays have the shape ``(N, 3)``.
    """
    replay, views = np.zeros(1, STATE), np.zeros(1, VIEW)
    discards, plays = np.empty((FIRST_PLAY, 5)), np.empty(4)
    worths = np.empty(FIRST_PLAY)
    for i in range(states.shape[0]):
        _begin_again(replay[0], states[i], log)
        while replay[0].phase == DISCARD or replay[0].phase == PLAY:
            seat = replay[0].turn
            action = _action_taken(replay[0], states[i], book[0])
            write_view(replay[0], seat, views[0])
            if seat == seats[i] and replay[0].phase == DISCARD:
                write_discard_worths(analysts[0], views[0], False, ALL_DISCARDS, book[0], discards)
                worths[:] = discards[:, TOTAL] - discards[:, PEGS]
                _add_loss(worths, action, 0, lost[i], choices[i], best[i])
                worths[:] = discards[:, TOTAL]
                _add_loss(worths, action, 1, lost[i], choices[i], best[i])
            elif seat == seats[i] and with_plays and _has_choice(views[0]):
                key = _sample_key(replay[0], seat)
                write_play_worths(analysts[0], views[0], False, key, book[0], plays)
                _add_loss(plays, action - FIRST_PLAY, 2, lost[i], choices[i], best[i])
            step(replay[0], action, book[0], log)


@lean_kernel
def _begin_again(lane: Lane, done: Lane, log: Log) -> None:
    """Deal what was dealt in a single deal from 0 to 0 that is over."""
    begin_game(lane, done.seed, done.game, done.first_dealer, 0, 0, done.target, log)
    begin_deal(lane, log)


@lean_kernel
def _sample_key(lane: Lane, seat: int) -> np.uint64:
    """Return the key of a decision for the analysis: of a seat that there isn't.

    So the analysis never draws the same sample of hands as the player itself.
    """
    number = decision_number(lane, seat)
    return decision_key(lane.seed, lane.game, lane.deals, seat + 2, number)


@lean_kernel
def _action_taken(now: Lane, done: Lane, book: Book) -> int:
    """Return what the seat to act did in a deal that is over."""
    seat = now.turn
    if now.phase == DISCARD:
        for action in range(FIRST_PLAY):
            first, second = book.discard_slots[action, 0], book.discard_slots[action, 1]
            if (
                now.dealt[seat, first] == done.discards[seat, 0]
                and now.dealt[seat, second] == done.discards[seat, 1]
            ):
                return action
    for slot in range(4):
        if now.kept[seat, slot] == done.plays[now.plays_made]:
            return FIRST_PLAY + slot
    return -1  # never: a deal that is over holds every action


@lean_kernel
def _has_choice(view: View) -> bool:
    """Tell whether cards of different ranks can be laid."""
    only = -1
    for slot in range(4):
        card = view.kept[slot]
        if view.held[slot] == 1 and view.count + card_value(card) <= FULL_COUNT:
            if only >= 0 and card_rank(card) != only:
                return True
            only = card_rank(card)
    return False


@lean_kernel
def _add_loss(
    worths: NDArray[np.float64],
    chosen: int,
    measure: int,
    lost: NDArray[np.int64],
    choices: NDArray[np.int64],
    best: NDArray[np.int64],
) -> None:
    """Add what a choice lost, by what each was worth; what can't be chosen is worth very little."""
    most = worths[0]
    for worth in worths:
        most = max(most, worth)
    loss = int(UNITS * (most - worths[chosen]) + 0.5)
    lost[measure] += loss
    choices[measure] += 1
    best[measure] += 1 if loss == 0 else 0
