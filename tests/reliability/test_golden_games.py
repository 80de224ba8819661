"""Twenty whole games come out as they are on file: in any batch, process and way of running."""

from __future__ import annotations

import numpy as np
import pytest

from cribbage_env.engine.layout import NOBODY
from cribbage_env.game import read_records, write_records
from cribbage_env.lanes import Lanes
from cribbage_env.policy import make_policy
from tests.envs.processes import run_python
from tests.golden_games import FILE, PLAYERS, TARGET, plan, play
from tests.players import Asked
from tests.umpire import Umpire

TEXT = FILE.read_text(encoding="utf-8")
GAMES = read_records(TEXT)
PLAN = plan()


def test_the_file_holds_the_games_that_are_planned() -> None:
    assert len(GAMES) == 20
    found = [(*(game.beginning.names or ()), game.seed, game.number) for game in GAMES]
    assert found == PLAN
    assert all(game.target == TARGET and game.winner is not None for game in GAMES)
    assert write_records(GAMES) == TEXT


@pytest.mark.parametrize("planned", PLAN, ids=str)
def test_a_game_comes_out_as_it_is_on_file(planned: tuple[str, str, int, int]) -> None:
    assert play(planned).to_record() == GAMES[PLAN.index(planned)].to_record()


@pytest.mark.kernels
@pytest.mark.parametrize("number", [1, 2, 5, 8])
def test_some_games_compiled_or_not(number: int) -> None:
    assert play(PLAN[number]).to_record() == GAMES[number].to_record()


@pytest.mark.parametrize("batch", [1, 7, 20])
@pytest.mark.parametrize("is_asked", [False, True])
def test_all_games_side_by_side(batch: int, is_asked: bool) -> None:
    """Whether players move in the kernels or are asked in batches of any size."""
    players = [Asked(name) if is_asked else make_policy(name) for name in PLAYERS]
    for first in range(0, len(PLAN), batch):
        part = PLAN[first : first + batch]
        lanes = Lanes(len(part), players)
        lanes.seats[:] = [[PLAYERS.index(name) for name in planned[:2]] for planned in part]
        lanes.begin(
            np.arange(len(part)),
            np.array([planned[2] for planned in part], np.uint64),
            np.array([planned[3] for planned in part]),
            np.full(len(part), NOBODY),
            np.zeros((len(part), 2), np.int64),
            TARGET,
        )
        lanes.play_on()
        for lane, game in enumerate(GAMES[first : first + batch]):
            assert lanes.states[lane].tobytes() == game.state.tobytes()


def test_another_process_writes_the_same_file() -> None:
    program = (
        "import sys; from cribbage_env.game import write_records; "
        "from tests.golden_games import plan, play; "
        "sys.stdout.write(write_records(map(play, plan())))"
    )
    for seed in ("0", "12345"):
        assert run_python(program, PYTHONHASHSEED=seed) == TEXT


@pytest.mark.parametrize("number", range(20))
def test_the_referee_sees_the_same_games(number: int) -> None:
    Umpire(GAMES[number])
