"""Games side by side, each seat taken by a compiled player, a policy, or the caller.

Environments and matches stand on this: they begin games, hand in the caller's actions, and find
every lane either at the caller's next decision or at its end. Compiled players move inside the
kernel; policies are called in batches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots.choose import choose_deeply, choose_lightly
from cribbage_env.bots.compiled import CompiledPolicy
from cribbage_env.bots.expert.observe import NUM_WORLDS, write_lookahead
from cribbage_env.bots.players import EXTERNAL, FIRST_DEEP, PLAYER, Players
from cribbage_env.engine.chance import decision_key
from cribbage_env.engine.compile import inlined_kernel, kernel, lean_kernel
from cribbage_env.engine.deal import begin_deal, begin_game, deal_cards
from cribbage_env.engine.flow import decision_number, step, write_mask
from cribbage_env.engine.layout import (
    DEAL_OVER,
    DISCARD,
    NO_LOG,
    PLAY,
    STATE,
    VIEW,
    Lane,
    Log,
    States,
    View,
)
from cribbage_env.engine.tables import Book, load_book
from cribbage_env.engine.view import write_view
from cribbage_env.observation import (
    FEATURES,
    LOOKAHEAD,
    kind_code,
    size,
    write_cards,
    write_features,
)
from cribbage_env.policy import Policy

__all__ = [
    "CALLER",
    "Lanes",
    "begin_next_deals",
    "observe_lanes",
    "play_forced",
    "play_on",
    "step_lanes",
    "take_tally",
]

CALLER = -1
"""Who sits in a seat that the caller moves; otherwise the index of a player."""

TALLIED_DEALS = 4
"""Points per deal are averaged over each game's first four deals, which its end doesn't bias."""


class Lanes:
    """N games in step.

    Attributes:
        states: array of shape ``(N,)`` with the dtype `STATE`; kernels may work on it directly.
        seats: int16 ``(N, 2)``: who sits where, an index into `players` or `CALLER`.
        players: the players that seats refer to.
        book: the tables of the kernels, shape ``(1,)``.
        records: the compiled players, one record each; external ones for policies.
        has_policies: whether any player is asked in batches, outside the kernels.
        has_deep: whether any player is compiled but too large for the kernels of environments.
        tally: int64 ``(N, 2, 2, 4)``: points of the tallied deals by seat, role (0 pone, 1
            dealer) and source (hand, crib, play, heels); summed over games until cleared.
    """

    def __init__(
        self,
        num_lanes: int,
        players: Sequence[Policy] = (),
        *,
        is_one_deal: bool = False,
        threads: int = 1,
    ) -> None:
        """Make lanes without games; `is_one_deal` stops each game after its first deal.

        With several threads the compiled players move in parts of the lanes at once, and so are
        observations worked out, to the same result; then nothing can be logged.
        """
        self.states: States = np.zeros(num_lanes, STATE)
        self.states["phase"] = DEAL_OVER
        self.seats: NDArray[np.int16] = np.full((num_lanes, 2), CALLER, np.int16)
        self.tally: NDArray[np.int64] = np.zeros((num_lanes, 2, 2, 4), np.int64)
        self.players = list(players)
        self.is_one_deal = is_one_deal
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None
        self.book = load_book()
        self.records: Players = np.zeros(max(1, len(self.players)), PLAYER)
        for index, player in enumerate(self.players):
            if isinstance(player, CompiledPolicy):
                self.records[index] = player.player[0]
            else:
                self.records["kind"][index] = EXTERNAL
        self.has_policies = any(not isinstance(player, CompiledPolicy) for player in self.players)
        self.has_deep = bool((self.records["kind"] >= FIRST_DEEP).any())

    def __getstate__(self) -> dict[str, Any]:
        """Copies and pickles leave out the tables and threads: every process has its own."""
        return {name: value for name, value in vars(self).items() if name not in {"book", "_pool"}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        pool = ThreadPoolExecutor(state["threads"]) if state["threads"] > 1 else None
        vars(self).update(state, book=load_book(), _pool=pool)

    def begin(
        self,
        lanes: NDArray[np.int64],
        seeds: NDArray[np.uint64],
        games: NDArray[np.int64],
        dealers: NDArray[np.int64],
        scores: NDArray[np.int64],
        target: int,
        deck: Sequence[int] | None = None,
    ) -> None:
        """Begin games in some lanes and deal; nobody has moved yet (call `play_on`).

        All arrays have a row for each of `lanes`; `dealers` -1 cuts for the deal; `scores` is
        ``(len(lanes), 2)``; `deck` gives the 13 cards of the first deal in all of them.
        """
        cards = np.array([] if deck is None else deck, np.int16)
        _begin(self.states, lanes, seeds, games, dealers, scores, target, cards, NO_LOG)

    def step(self, actions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Take the caller's action in every lane where it is not negative; return the statuses.

        A status is DONE, ILLEGAL or ALREADY_OVER; lanes that are skipped have DONE.
        """
        statuses = np.empty(len(self.states), np.int64)
        step_lanes(self.states, actions, self.book, NO_LOG, self.tally, self.is_one_deal, statuses)
        return statuses

    def play_on(self, log: Log = NO_LOG) -> None:
        """Let the players move until each lane waits for the caller or is over."""
        play_on_lanes = _play_on_deeply if self.has_deep else _play_on_lightly

        def play(states: States, seats: NDArray[np.int16], tally: NDArray[np.int64]) -> None:
            play_on_lanes(states, seats, self.records, self.book, log, tally, self.is_one_deal)

        while True:
            self._in_parts(play, self.states, self.seats, self.tally)
            if not self.has_policies or not self._ask_policies(log):
                return

    def _ask_policies(self, log: Log) -> bool:
        """Ask each policy for all the lanes that wait for it; return whether any lane did."""
        turns = self.states["turn"].astype(np.int64)
        is_waiting = turns >= 0
        seated = self.seats[np.arange(len(turns)), np.maximum(turns, 0)]
        is_waiting &= seated != CALLER
        for index in np.unique(seated[is_waiting]):
            lanes = np.flatnonzero(is_waiting & (seated == index))
            policy = self.players[index]
            observations, masks, keys = self.observe(lanes, turns[lanes], policy.observation)
            # A copy goes out, so that a policy that writes into its mask changes no rule.
            answer = policy.act(observations, masks.copy(), keys)
            chosen = _checked_actions(policy, answer, masks)
            actions = np.full(len(turns), -1, np.int64)
            actions[lanes] = chosen
            statuses = np.empty(len(turns), np.int64)
            step_lanes(self.states, actions, self.book, log, self.tally, self.is_one_deal, statuses)
        return bool(is_waiting.any())

    def observe(
        self, lanes: NDArray[np.int64], seats: NDArray[np.int64], observation: str = "cards"
    ) -> tuple[NDArray[np.float32], NDArray[np.int8], NDArray[np.uint64]]:
        """Return fresh observations ``(n, D)``, masks ``(n, 19)`` and keys ``(n,)`` of seats."""
        observations = np.empty((len(lanes), size(observation)), np.float32)
        masks = np.empty((len(lanes), 19), np.int8)
        keys = np.empty(len(lanes), np.uint64)

        def observe(
            lanes: NDArray[np.int64],
            seats: NDArray[np.int64],
            observations: NDArray[np.float32],
            masks: NDArray[np.int8],
            keys: NDArray[np.uint64],
        ) -> None:
            observe_lanes(self.states, lanes, seats, observations, masks, keys)
            self.add_numbers(lanes, seats, kind_code(observation), observations)

        self._in_parts(observe, lanes, seats, observations, masks, keys)
        return observations, masks, keys

    def _in_parts(self, work: Callable[..., None], *arrays: NDArray[Any]) -> None:
        """Do what is to be done with the rows of arrays, each thread with a part of them."""
        if self._pool is None:  # the arrays themselves: a slice of each takes its time, too
            work(*arrays)
            return
        ends = np.linspace(0, len(arrays[0]), self.threads + 1).astype(np.int64).tolist()
        parts = ([array[begin:end] for begin, end in pairwise(ends)] for array in arrays)
        for _ in self._pool.map(work, *parts):
            pass

    def add_numbers(
        self,
        lanes: NDArray[np.int64],
        seats: NDArray[np.int64],
        kind: int,
        observations: NDArray[np.float32],
    ) -> None:
        """Write what an observation of a kind holds behind the cards, in rows of that kind.

        Each kind has a kernel of its own, since they are large: who asks for cards alone need not
        wait for their compilation.
        """
        if kind >= FEATURES:
            _add_features(self.states, lanes, seats, self.book, observations)
        if kind >= LOOKAHEAD:
            _add_lookahead(self.states, lanes, seats, self.book, observations)


def _checked_actions(policy: Policy, actions: Any, masks: NDArray[np.int8]) -> NDArray[np.int64]:
    """Return a policy's answer as int64 ``(n,)``.

    Raises:
        ValueError: a wrong shape, or an illegal action: a policy's fault is an error (R7).
        TypeError: not integers.
    """
    chosen = np.asarray(actions)
    if not np.issubdtype(chosen.dtype, np.integer):
        raise TypeError(f"policy {policy!r} returned {chosen.dtype}, not integers")
    if chosen.shape != (len(masks),):
        raise ValueError(
            f"policy {policy!r} returned the shape {chosen.shape} for {len(masks)} decisions"
        )
    chosen = chosen.astype(np.int64)
    is_inside = (chosen >= 0) & (chosen < masks.shape[1])
    is_legal = is_inside & (masks[np.arange(len(masks)), np.where(is_inside, chosen, 0)] == 1)
    if not is_legal.all():
        row = int(np.flatnonzero(~is_legal)[0])
        raise ValueError(
            f"policy {policy!r} chose the illegal action {chosen[row]}; "
            f"legal were {np.flatnonzero(masks[row]).tolist()}"
        )
    return chosen


@lean_kernel
def _begin(
    states: States,
    lanes: NDArray[np.int64],
    seeds: NDArray[np.uint64],
    games: NDArray[np.int64],
    dealers: NDArray[np.int64],
    scores: NDArray[np.int64],
    target: int,
    deck: NDArray[np.int16],
    log: Log,
) -> None:
    for row in range(lanes.shape[0]):
        lane = states[lanes[row]]
        own, other = scores[row, 0], scores[row, 1]
        begin_game(lane, seeds[row], games[row], dealers[row], own, other, target, log)
        if deck.shape[0] == 0:
            begin_deal(lane, log)
        else:
            deal_cards(lane, deck, log)


@lean_kernel
def step_lanes(
    states: States,
    actions: NDArray[np.int64],
    book: NDArray[Any],
    log: Log,
    tally: NDArray[np.int64],
    is_one_deal: bool,
    statuses: NDArray[np.int64],
) -> None:
    """Take one action in every lane whose action is not negative; deal on where it ends a deal."""
    for i in range(states.shape[0]):
        statuses[i] = 0
        if actions[i] >= 0:
            statuses[i] = step(states[i], actions[i], book[0], log)
            if statuses[i] == 0:
                deal_on(states[i], log, tally[i], is_one_deal)


@lean_kernel
def deal_on(lane: Lane, log: Log, tally: NDArray[np.int64], is_one_deal: bool) -> None:
    """Where an action ended the deal or the game, take its tally and deal the next."""
    if lane.phase == DISCARD or lane.phase == PLAY:
        return
    take_tally(lane, tally)
    if lane.phase == DEAL_OVER and not is_one_deal:
        begin_deal(lane, log)


@inlined_kernel
def take_tally(lane: Lane, tally: NDArray[np.int64]) -> None:
    """Add the points of a deal that has ended to an int64 array ``(2, 2, 4)``."""
    if lane.deals > TALLIED_DEALS:
        return
    for seat in range(2):
        role = 1 if seat == lane.dealer else 0
        for source in range(4):
            tally[seat, role, source] += lane.points[seat, source]


@kernel
def _play_on_lightly(
    states: States,
    seats: NDArray[np.int16],
    players: Players,
    book: NDArray[Any],
    log: Log,
    tally: NDArray[np.int64],
    is_one_deal: bool,
) -> None:
    views = np.zeros(1, VIEW)
    for i in range(states.shape[0]):
        play_on(states[i], seats[i], players, book[0], log, tally[i], is_one_deal, views[0])


@lean_kernel
def play_on(
    lane: Lane,
    seats: NDArray[np.int16],
    players: Players,
    book: Book,
    log: Log,
    tally: NDArray[np.int64],
    is_one_deal: bool,
    view: View,
) -> None:
    """Let light players move until somebody else is to act, or the lane is over."""
    while lane.phase == DISCARD or lane.phase == PLAY:
        seat = lane.turn
        index = seats[seat]
        if index == CALLER:
            return
        if players[index].kind == EXTERNAL or players[index].kind >= FIRST_DEEP:
            return
        write_view(lane, seat, view)
        key = decision_key(lane.seed, lane.game, lane.deals, seat, decision_number(lane, seat))
        step(lane, choose_lightly(players[index], view, key, book), book, log)
        deal_on(lane, log, tally, is_one_deal)


@kernel
def _play_on_deeply(
    states: States,
    seats: NDArray[np.int16],
    players: Players,
    book: NDArray[Any],
    log: Log,
    tally: NDArray[np.int64],
    is_one_deal: bool,
) -> None:
    """Let all compiled players move: the light ones in between, the deep ones here."""
    views = np.zeros(1, VIEW)
    for i in range(states.shape[0]):
        play_on(states[i], seats[i], players, book[0], log, tally[i], is_one_deal, views[0])
        while _awaits_deep(states[i], seats[i], players):
            seat = states[i].turn
            write_view(states[i], seat, views[0])
            number = decision_number(states[i], seat)
            key = decision_key(states[i].seed, states[i].game, states[i].deals, seat, number)
            player = players[seats[i, seat]]
            step(states[i], choose_deeply(player, views[0], key, book[0]), book[0], log)
            deal_on(states[i], log, tally[i], is_one_deal)
            play_on(states[i], seats[i], players, book[0], log, tally[i], is_one_deal, views[0])


@lean_kernel
def _awaits_deep(lane: Lane, seats: NDArray[np.int16], players: Players) -> bool:
    """Tell whether a deep player is to act."""
    if lane.phase != DISCARD and lane.phase != PLAY:
        return False
    index = seats[lane.turn]
    return index != CALLER and players[index].kind >= FIRST_DEEP


@kernel
def observe_lanes(
    states: States,
    lanes: NDArray[np.int64],
    seats: NDArray[np.int64],
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
    keys: NDArray[np.uint64],
) -> None:
    """Write what seats observe of lanes, one row each: cards, mask and key."""
    views = np.zeros(1, VIEW)
    for row in range(lanes.shape[0]):
        lane, seat = states[lanes[row]], seats[row]
        write_view(lane, seat, views[0])
        write_cards(views[0], observations[row])
        write_mask(views[0], masks[row])
        keys[row] = decision_key(
            lane.seed, lane.game, lane.deals, seat, decision_number(lane, seat)
        )


@kernel
def _add_features(
    states: States,
    lanes: NDArray[np.int64],
    seats: NDArray[np.int64],
    book: NDArray[Any],
    observations: NDArray[np.float32],
) -> None:
    views = np.zeros(1, VIEW)
    for row in range(lanes.shape[0]):
        write_view(states[lanes[row]], seats[row], views[0])
        write_features(views[0], book[0], observations[row])


@kernel
def _add_lookahead(
    states: States,
    lanes: NDArray[np.int64],
    seats: NDArray[np.int64],
    book: NDArray[Any],
    observations: NDArray[np.float32],
) -> None:
    views = np.zeros(1, VIEW)
    for row in range(lanes.shape[0]):
        write_view(states[lanes[row]], seats[row], views[0])
        write_lookahead(views[0], NUM_WORLDS, False, book[0], observations[row])


@kernel
def play_forced(
    states: States,
    seats: NDArray[np.int16],
    book: NDArray[Any],
    log: Log,
    tally: NDArray[np.int64],
    is_one_deal: bool,
) -> int:
    """Lay the caller's card wherever only one is legal; return the number of cards laid."""
    number = 0
    views, mask = np.zeros(1, VIEW), np.zeros(19, np.int8)
    for i in range(states.shape[0]):
        while states[i].phase == PLAY and seats[i, states[i].turn] == CALLER:
            write_view(states[i], states[i].turn, views[0])
            write_mask(views[0], mask)
            if mask.sum() != 1:
                break
            step(states[i], int(mask.argmax()), book[0], log)
            deal_on(states[i], log, tally[i], is_one_deal)
            number += 1
    return number


@lean_kernel
def begin_next_deals(states: States, log: Log) -> None:
    """Deal in every lane whose deal is over and whose game isn't."""
    for i in range(states.shape[0]):
        if states[i].phase == DEAL_OVER:
            begin_deal(states[i], log)
