"""Learning habits: what is taken from deals, and that the network is the one that is played."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from agents.habits import Choices, HabitNetwork, fit, main, record
from cribbage_env.bots.expert.habits import NOTHING, choose_by_habit, write_state_inputs
from cribbage_env.bots.expert.ranks import GONE
from cribbage_env.engine.tables import load_book
from cribbage_env.lanes import Lanes
from cribbage_env.policy import make_policy

BOOK = load_book()[0]


@pytest.fixture(scope="module")
def choices() -> Choices:
    return record([make_policy("club"), make_policy("greedy")], deals=2000, seed=5)


def test_every_card_laid_where_there_was_a_choice_is_taken(choices: Choices) -> None:
    """The same deals, walked in plain Python."""
    lanes = Lanes(40, [make_policy("club"), make_policy("greedy")], is_one_deal=True)
    every = np.arange(40)
    lanes.seats[:] = np.stack([every % 4 // 2, every % 2], axis=1)
    seeds, nobody = np.full(40, 5, np.uint64), np.full(40, -1)
    lanes.begin(every, seeds, every, nobody, np.zeros((40, 2), np.int64), 121)
    lanes.play_on()
    row = 0
    for deal in range(40):
        state = lanes.states[deal]
        hands = [[int(card) // 4 for card in state.kept[seat]] for seat in (0, 1)]
        pile: list[int] = []
        owner = -1
        for seat, card in zip(state.play_seats.tolist(), state.plays.tolist(), strict=True):
            rank = card // 4
            value = [min(held + 1, 10) for held in pile]
            if sum(value) + min(rank + 1, 10) > 31 or sum(value) == 31:
                pile = []
            count = sum(min(held + 1, 10) for held in pile)
            fitting = {held for held in hands[seat] if count + min(held + 1, 10) <= 31}
            if len(fitting) > 1:
                padded = np.full(4, GONE)
                places = list(hands[seat])
                padded[: len(places)] = places
                laid = choices.laid[row]
                numbers = choices.action_rows[row, :, 0]
                assert numbers[laid] == rank
                assert set(numbers[choices.fits[row]].tolist()) == fitting
                rows = np.zeros(11, np.int64)
                table = np.array([*pile, *[0] * 10])
                write_state_inputs(
                    padded,
                    len(hands[1 - seat]),
                    table,
                    len(pile),
                    count,
                    bool(pile) and owner == seat,
                    rows,
                )
                assert rows[:7].tolist() == choices.state_rows[row, :7].tolist()
                assert sorted(rows[7:]) == sorted(choices.state_rows[row, 7:])
                assert choices.deals[row] == deal
                row += 1
            hands[seat].remove(rank)
            pile.append(rank)
            owner = seat
    assert choices.deals[row] == 40


def test_the_network_that_is_learnt_is_the_one_that_is_played(choices: Choices) -> None:
    """The highest score in torch, with the weights of the book, is the card laid by habit."""
    network = HabitNetwork()
    state = {name: torch.from_numpy(BOOK[name].copy()) for name in network.to_arrays()}
    network.load_state_dict(state)
    first = [torch.from_numpy(array[:500]) for array in choices.arrays()]
    with torch.no_grad():
        scores = network(*first[:3]).masked_fill(~first[3], -torch.inf).numpy()
    compared = 0
    for row in range(500):
        rows = choices.state_rows[row]
        hand = np.where(rows[7:] == NOTHING, GONE, rows[7:] - 72)
        count = int(rows[0])
        best = np.sort(scores[row])[::-1]
        if best[0] - best[1] < 1e-4 or rows[1] - 32 != 13:
            continue  # what lies below the last two cards isn't in the rows: leads alone
        chosen = choose_by_habit(
            hand, int(rows[4]) - 65, np.zeros(14, np.int64), 0, count, False, BOOK
        )
        assert chosen == scores[row].argmax()
        compared += 1
    assert compared > 50


def test_learning_makes_the_choices_likelier(choices: Choices) -> None:
    _, figures = fit(choices, epochs=3, seed=1, batch_size=512)
    assert figures["log_likelihood"] > figures["log_likelihood_of_any"] + 0.2
    assert figures["likeliest_laid"] > 0.6
    again, figures_again = fit(choices, epochs=3, seed=1, batch_size=512)
    assert figures == figures_again
    assert (again.to_arrays()["habit_state"][NOTHING] == 0).all()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--players nobody", "unknown player 'nobody'"),
        ("--deals 0", "--deals is 1 or more, not 0"),
        ("--epochs -1", "--epochs is 1 or more, not -1"),
        ("--seed -1", "--seed lies in 0..2^63-1, not -1"),
        ("--folder {folder}/missing", "habits.npz can't be written"),
        ("--folder {folder}", "habits.npz exists already"),
    ],
)
def test_bad_input_is_one_line_and_nothing_is_played(
    line: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "habits.npz").write_bytes(b"mine")
    with pytest.raises(SystemExit) as leaving:
        main(line.format(folder=tmp_path).split())
    assert leaving.value.code == 2
    printed = capsys.readouterr().err
    assert words in printed
    assert printed.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["habits.npz"]
    assert (tmp_path / "habits.npz").read_bytes() == b"mine"


def test_the_command_writes_what_it_has_learnt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = f"--players club greedy --deals 300 --epochs 1 --seed 3 --folder {tmp_path}"
    main(line.split())
    made = json.loads((tmp_path / "habits.json").read_text("utf-8"))
    assert made["command"].endswith("--players club greedy --deals 300 --epochs 1 --seed 3")
    assert json.dumps(made["held_out"]) in capsys.readouterr().out
    with np.load(tmp_path / "habits.npz") as arrays:
        assert {name: arrays[name].shape for name in arrays.files} == {
            name: BOOK[name].shape for name in arrays.files
        }
