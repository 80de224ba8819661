"""Learn what strong players lay: the network of `cribbage_env.bots.expert.habits`.

``python -m agents.habits`` has players play single deals among each other, takes every card that
was laid where there was a choice, and fits the network to them by maximum likelihood. It writes
``habits.npz``, which the book of tables holds, and ``habits.json``, which says how it was made.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cribbage_env.bots.expert.habits import (
    ACTION_ROWS,
    NOTHING,
    NUM_ACTION_INPUTS,
    NUM_STATE_INPUTS,
    POINTS,
    POINTS_SCALE,
    STATE_ROWS,
    WORTH,
    write_action_inputs,
    write_state_inputs,
)
from cribbage_env.bots.expert.ranks import GONE, rank_value
from cribbage_env.command_line import OneLineParser
from cribbage_env.engine.compile import kernel
from cribbage_env.engine.layout import NOBODY
from cribbage_env.engine.tables import DATA, load_book
from cribbage_env.extras import needed
from cribbage_env.files import DataFiles, pack_arrays
from cribbage_env.lanes import Lanes
from cribbage_env.policy import Policy, make_policy

with needed("agents.habits", ".[train]"):
    import torch
    from torch import nn
    from tqdm import tqdm, trange

__all__ = ["Choices", "HabitNetwork", "fit", "main", "record"]

MOST_RANKS: Final = 4
PLAYS_A_DEAL: Final = 8
BATCH: Final = 10_000
"""Deals that are played side by side."""
HELD_OUT: Final = 5
"""One deal in so many is not learnt from, but measured on."""
FIRST_UNITS, SECOND_UNITS = load_book()["habit_second"][0].shape


@dataclass
class Choices:
    """Cards laid where there was a choice, one row of each array for each."""

    state_rows: NDArray[np.int64]
    """``(N, 11)``: rows of the weights that read the state."""
    action_rows: NDArray[np.int64]
    """``(N, 4, 3)``: rows of the weights that read a rank, by place."""
    numbers: NDArray[np.float32]
    """``(N, 4, 2)``: points and worth of the quick rule."""
    fits: NDArray[np.bool_]
    """``(N, 4)``: whether the place holds a rank that could be laid, the first of its kind."""
    laid: NDArray[np.int64]
    """``(N,)``: the place of the rank that was laid."""
    deals: NDArray[np.int64]
    """``(N,)``: which deal it was in."""

    @classmethod
    def empty(cls, number: int) -> Choices:
        """Make room for so many."""
        return cls(
            np.zeros((number, NUM_STATE_INPUTS), np.int64),
            np.zeros((number, MOST_RANKS, NUM_ACTION_INPUTS), np.int64),
            np.zeros((number, MOST_RANKS, 2), np.float32),
            np.zeros((number, MOST_RANKS), np.bool_),
            np.zeros(number, np.int64),
            np.zeros(number, np.int64),
        )

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """Return all arrays, in the order of the fields."""
        return tuple(getattr(self, name) for name in self.__dataclass_fields__)

    def first(self, number: int) -> Choices:
        """Return the first so many."""
        return Choices(*(array[:number].copy() for array in self.arrays()))

    @classmethod
    def joined(cls, parts: Sequence[Choices]) -> Choices:
        """Return the choices of all parts, one after another."""
        return cls(*map(np.concatenate, zip(*(part.arrays() for part in parts), strict=True)))


def record(players: Sequence[Policy], deals: int, seed: int) -> Choices:
    """Play single deals among the players and return their choices of cards.

    Each pair of players, in both orders, has as many deals as the others.
    """
    parts = []
    number = len(players) ** 2
    for first in trange(0, deals, BATCH, desc="deals", file=sys.stderr, disable=None):
        size = min(BATCH, deals - first)
        every = np.arange(size)
        lanes = Lanes(size, list(players), is_one_deal=True)
        pairing = every % number
        lanes.seats[:] = np.stack([pairing // len(players), pairing % len(players)], axis=1)
        lanes.begin(
            every,
            np.full(size, seed, np.uint64),
            first + every,
            np.full(size, NOBODY),
            np.zeros((size, 2), np.int64),
            121,
        )
        lanes.play_on()
        choices = Choices.empty(size * PLAYS_A_DEAL)
        found = _write_choices(lanes.states, first, load_book(), *choices.arrays())
        parts.append(choices.first(found))
    return Choices.joined(parts)


@kernel
def _write_choices(
    states: NDArray[Any],
    first_deal: int,
    book: NDArray[Any],
    state_rows: NDArray[np.int64],
    action_rows: NDArray[np.int64],
    numbers: NDArray[np.float32],
    fits: NDArray[np.bool_],
    laid: NDArray[np.int64],
    deals: NDArray[np.int64],
) -> int:
    """Write the choices of deals that are over, as `Choices` has them; return their number."""
    found = 0
    hands, pile = np.empty((2, MOST_RANKS), np.int64), np.empty(PLAYS_A_DEAL + 1, np.int64)
    for lane in range(states.shape[0]):
        for seat in range(2):
            for place in range(MOST_RANKS):
                hands[seat, place] = states[lane].kept[seat, place] // 4
        size, count = 0, 0
        for play in range(states[lane].plays_made):
            seat, rank = states[lane].play_seats[play], states[lane].plays[play] // 4
            if count + rank_value(rank) > 31 or count == 31:
                size, count = 0, 0
            is_alone = size > 0 and states[lane].play_seats[play - 1] == seat
            slot, num_fit = -1, 0
            for place in range(MOST_RANKS):
                held = hands[seat, place]
                is_first = held >= 0 and count + rank_value(held) <= 31
                for before in range(place):
                    is_first = is_first and hands[seat, before] != held
                fits[found, place] = is_first
                num_fit += 1 if is_first else 0
                if is_first:
                    points, worth = write_action_inputs(
                        hands[seat], place, pile, size, count, book[0], action_rows[found, place]
                    )
                    numbers[found, place, 0], numbers[found, place, 1] = points, worth
                if is_first and held == rank:
                    slot = place
            if num_fit > 1:
                left = (states[lane].play_seats[play:] == 1 - seat).sum()
                write_state_inputs(
                    hands[seat], left, pile, size, count, is_alone, state_rows[found]
                )
                laid[found], deals[found] = slot, first_deal + lane
                found += 1
            hands[seat, slot] = GONE
            pile[size] = rank
            size, count = size + 1, count + rank_value(rank)
    return found


class HabitNetwork(nn.Module):
    """The network as torch has it; its arrays are the fields of the book."""

    def __init__(self) -> None:
        """Make it with small random weights."""
        super().__init__()
        self.habit_state = nn.Parameter(0.1 * torch.randn(STATE_ROWS, FIRST_UNITS))
        self.habit_action = nn.Parameter(0.1 * torch.randn(ACTION_ROWS, FIRST_UNITS))
        self.habit_bias = nn.Parameter(torch.zeros(FIRST_UNITS))
        second = torch.randn(FIRST_UNITS, SECOND_UNITS) / FIRST_UNITS**0.5
        self.habit_second = nn.Parameter(second)
        self.habit_second_bias = nn.Parameter(torch.zeros(SECOND_UNITS))
        self.habit_out = nn.Parameter(torch.randn(SECOND_UNITS) / SECOND_UNITS**0.5)
        self._is_row = torch.ones(STATE_ROWS, 1)
        self._is_row[NOTHING] = 0.0

    def forward(
        self, state_rows: torch.Tensor, action_rows: torch.Tensor, numbers: torch.Tensor
    ) -> torch.Tensor:
        """Return the scores ``(N, 4)`` of the ranks in each place."""
        seen = self.habit_bias + (self.habit_state * self._is_row)[state_rows].sum(1)
        first = seen[:, None] + self.habit_action[action_rows].sum(2)
        first = first + numbers @ self.habit_action[[POINTS, WORTH]] / POINTS_SCALE
        last = torch.relu(first) @ self.habit_second + self.habit_second_bias
        return torch.relu(last) @ self.habit_out

    def to_arrays(self) -> dict[str, NDArray[np.float32]]:
        """Return the fields of the book."""
        arrays = {name: tensor.detach().numpy() for name, tensor in self.named_parameters()}
        return arrays | {"habit_state": (self.habit_state * self._is_row).detach().numpy()}


def fit(
    choices: Choices, epochs: int, seed: int, learning_rate: float = 4e-3, batch_size: int = 4096
) -> tuple[HabitNetwork, dict[str, float]]:
    """Return the network that makes the choices likely, and figures of the deals held out.

    The figures are the mean logarithm of how likely the card laid was, by the network and if all
    that fit were as likely as another, and how often the likeliest one was laid.
    """
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    network = HabitNetwork()
    tensors = [torch.from_numpy(array) for array in choices.arrays()]
    is_held_out = tensors[-1] % HELD_OUT == 0
    learnt = torch.nonzero(~is_held_out)[:, 0]
    optimiser = torch.optim.Adam(network.parameters(), learning_rate)
    steps = epochs * -(-len(learnt) // batch_size)
    schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.0, steps)
    with tqdm(total=steps, desc="fitting", file=sys.stderr, disable=None) as bar:
        for _ in range(epochs):
            order = learnt[torch.randperm(len(learnt), generator=generator)]
            for batch in torch.split(order, batch_size):
                optimiser.zero_grad()
                loss = _loss(network, [tensor[batch] for tensor in tensors]).mean()
                loss.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
                schedule.step()
                bar.update()
    with torch.no_grad():
        held_out = [tensor[is_held_out] for tensor in tensors]
        likely = -_loss(network, held_out)
        *_, fits, laid, _ = held_out
        scores = network(*held_out[:3]).masked_fill(~fits, -torch.inf)
    return network, {
        "choices": len(likely),
        "log_likelihood": round(float(likely.mean()), 4),
        "log_likelihood_of_any": round(float(-fits.sum(1).log().mean()), 4),
        "likeliest_laid": round(float((scores.argmax(1) == laid).float().mean()), 4),
    }


def _loss(network: HabitNetwork, tensors: Sequence[torch.Tensor]) -> torch.Tensor:
    state_rows, action_rows, numbers, fits, laid, _ = tensors
    scores = network(state_rows, action_rows, numbers).masked_fill(~fits, -torch.inf)
    return nn.functional.cross_entropy(scores, laid, reduction="none")


def main(argv: Sequence[str] | None = None) -> None:
    """Play, fit, and write the two files."""
    parser = OneLineParser(
        prog="python -m agents.habits",
        description="Learn which cards strong players lay and write it to a folder: habits.npz, "
        "and habits.json, which says how it was made.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--players", nargs="+", default=["expert", "expert", "club"])
    parser.add_argument("--deals", type=int, default=450_000, help="single deals to learn from")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--folder", type=Path, default=Path(str(DATA)), help="by default the package's own data"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace files that exist")
    settings = parser.parse_args(argv)
    try:
        for name in ("deals", "epochs"):
            if getattr(settings, name) < 1:
                raise ValueError(f"--{name} is 1 or more, not {getattr(settings, name)}")
        if not 0 <= settings.seed < 1 << 63:
            raise ValueError(f"--seed lies in 0..2^63-1, not {settings.seed}")
        players = [make_policy(name) for name in settings.players]
        files = DataFiles(settings.folder / "habits.npz", overwrite=settings.overwrite)
    except (TypeError, ValueError) as error:
        parser.error(str(error))
    choices = record(players, settings.deals, settings.seed)
    network, figures = fit(choices, settings.epochs, settings.seed)
    given = [
        "--players", *settings.players, "--deals", str(settings.deals),
        "--epochs", str(settings.epochs), "--seed", str(settings.seed),
    ]  # fmt: skip
    made = {"command": shlex.join(["python", "-m", "agents.habits", *given]), "held_out": figures}
    files.write(pack_arrays(network.to_arrays()), made)
    print(json.dumps(figures), files.path)  # noqa: T201 (what the command is for)


if __name__ == "__main__":
    main()
