"""What happens to a training when things go wrong; `docs/reliability.md` lists the other tests."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch")

from agents.ppo.callbacks import StopRequest
from agents.ppo.checkpoint import newest_sound, read_checkpoint
from agents.ppo.config import Config
from agents.ppo.runs import RunInUseError, held, plan_new
from agents.ppo.training import Run
from cribbage_env.bots.network import newest_first
from tests.checkpoints import same_arrays

pytestmark = pytest.mark.usefixtures("random_numbers_stay")

CHECKOUT = Path(__file__).resolve().parents[2]
SMALL = (
    *("--num-envs", "64", "--num-steps", "16", "--checkpoint-every", "1024"),
    *("--evaluate-every", "20000", "--evaluate-games", "20", "--evaluate-deals", "0"),
    *("--final-games", "20", "--final-opponents", "random", "--threads", "1"),
    *("--state-layers", "32", "--action-layers", "16", "--value-layers", "16"),
)
TINY = Config(
    observation="features",
    credit="rewards",
    opponent=("greedy", "club"),
    timesteps=64,
    num_envs=4,
    num_steps=8,
    batch_size=16,
    state_layers=(8,),
    action_layers=(4,),
    value_layers=(8,),
    evaluate_games=2,
    evaluate_deals=0,
    evaluate_opponents=("random",),
    checkpoint_every=1,
    threads=1,
)
KILLS = 20


def start(folder: Path, *arguments: str, before: str = "") -> subprocess.Popen[str]:
    """Start ``train.py``; `before` is Python that runs first in its process."""
    program = (
        f"{before}\nimport runpy, sys\n"
        f"sys.argv = ['train.py', *{list(arguments)!r}]\n"
        f"runpy.run_path({str(CHECKOUT / 'train.py')!r}, run_name='__main__')"
    )
    return subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def learn(run_dir: Path) -> dict[str, bytes]:
    """Train in this process; return the arrays of the last checkpoint."""
    plan = plan_new(TINY, run_dir, run_dir.parent, "test")
    Run(plan.config, plan.run_dir, "test").learn(StopRequest())
    newest, _ = newest_sound(plan.run_dir)
    return {name: array.tobytes() for name, array in newest.arrays.items()}


def test_a_clock_that_goes_back_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = learn(tmp_path / "before")
    now = time.time()
    ticks = iter(range(10**9))
    monkeypatch.setattr(time, "time", lambda: now - 1000.0 * next(ticks))
    assert learn(tmp_path / "back") == expected
    newest, _ = newest_sound(tmp_path / "back")
    assert newest.facts["seconds"] >= 0
    assert next(ticks) > 0  # somebody looked


def test_a_folder_is_held_by_one_process(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from agents.ppo.runs import held\n"
        "with held(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    line = [sys.executable, "-c", program, str(tmp_path)]
    environment = os.environ | {"PYTHONPATH": str(CHECKOUT)}
    with subprocess.Popen(
        line, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(RunInUseError, match="another process trains there"), held(tmp_path):
            pass
        other.kill()  # the system lets go of it
        other.communicate()
    for _ in range(2):
        with held(tmp_path):
            pass


@pytest.mark.parametrize("name", ["config.json.unfinished", "config.json"])
def test_of_two_runs_that_begin_at_once_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The other one writes its first file just after this one has found the folder empty."""
    run_dir = tmp_path / "run"
    look = Path.iterdir

    def look_and_be_overtaken(folder: Path) -> Iterator[Path]:
        found = list(look(folder))
        (run_dir / name).write_text("of the other")
        return iter(found)

    monkeypatch.setattr(Path, "iterdir", look_and_be_overtaken)
    with pytest.raises(ValueError, match="another run"):
        plan_new(TINY, run_dir, tmp_path, "test")
    monkeypatch.undo()
    assert [path.name for path in run_dir.iterdir()] == [name]
    assert (run_dir / name).read_text() == "of the other"


def wait_for_checkpoints(process: subprocess.Popen[str], run: Path, number: int) -> None:
    while len(newest_first(run)) < number:
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.02)


@pytest.mark.slow
def test_two_processes_told_to_go_on_with_one_run(tmp_path: Path) -> None:
    first = start(tmp_path, *SMALL, "--timesteps", "10000000", "--run-dir", "run")
    wait_for_checkpoints(first, tmp_path / "run", 2)
    second = start(tmp_path, "--resume", "run")
    out, error = second.communicate(timeout=300)
    assert (second.returncode, out) == (2, "")
    assert error == "train.py: run is in use: another process trains there\n"
    wait_for_checkpoints(first, tmp_path / "run", len(newest_first(tmp_path / "run")) + 1)
    first.kill()
    first.communicate()
    assert newest_sound(tmp_path / "run")[1] == []


FULL = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, ({0}, {0}))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="no limits on the size of files there")
def test_a_disk_that_is_full_ends_a_run_with_a_line(tmp_path: Path) -> None:
    """No file may grow beyond a size between that of small ones and that of a checkpoint."""
    done = start(tmp_path, *SMALL, "--timesteps", "5000", "--run-dir", "whole")
    _, error = done.communicate(timeout=300)
    assert done.returncode == 0, error
    size = max(path.stat().st_size for path in (tmp_path / "whole").rglob("training.npz"))
    limit = FULL.format(size - 1)
    full = start(tmp_path, *SMALL, "--timesteps", "5000", "--run-dir", "full", before=limit)
    _, error = full.communicate(timeout=300)
    assert full.returncode == 1, error
    assert error.splitlines()[-1].startswith("train.py: ")
    assert "File too large" in error.splitlines()[-1]
    assert "Traceback" not in error
    for folder in newest_first(tmp_path / "full"):
        read_checkpoint(folder)  # all that is there is whole
    assert not list((tmp_path / "full").rglob("*.unfinished"))


@pytest.mark.slow
def test_twenty_kills_at_random_moments_lose_nothing(tmp_path: Path) -> None:
    """``kill -9`` from the first import to the last update; each time the run goes on.

    Whatever moment it was, what was kept stays byte for byte, and the end is that of a run that
    was left alone.
    """
    options = [*SMALL, "--timesteps", "40000"]
    whole = start(tmp_path, *options, "--run-dir", "whole")
    began = time.monotonic()
    _, error = whole.communicate()
    assert whole.returncode == 0, error
    lasted = time.monotonic() - began
    rng = random.Random(9)
    kept: dict[Path, bytes] = {}
    kills, runs = 0, 0
    run = tmp_path / "killed-0"
    while kills < KILLS:
        goes_on = bool(newest_first(run))
        if run.exists() and not goes_on:  # killed before there was anything to go on from
            runs += 1
            run = tmp_path / f"killed-{runs}"
        line = ["--resume", run.name] if goes_on else [*options, "--run-dir", run.name]
        process = start(tmp_path, *line)
        try:
            process.wait(timeout=rng.uniform(0.2, 1.0) * lasted)
        except subprocess.TimeoutExpired:
            process.kill()
            kills += 1
        _, error = process.communicate()
        assert process.returncode in (0, -9), error
        found = {
            path: path.read_bytes() for folder in newest_first(run) for path in folder.iterdir()
        }
        assert {path: found.get(path) for path in kept if run in path.parents} == {
            path: content for path, content in kept.items() if run in path.parents
        }
        kept |= found
        if process.returncode == 0:
            check_same_end(run, tmp_path / "whole")
            runs += 1
            run = tmp_path / f"killed-{runs}"
    if newest_first(run):
        last = start(tmp_path, "--resume", run.name)
        _, error = last.communicate()
        assert last.returncode == 0, error
        check_same_end(run, tmp_path / "whole")


def check_same_end(run: Path, whole: Path) -> None:
    """Check that every checkpoint of a run is the other run's."""
    assert [path.name for path in newest_first(run)] == [path.name for path in newest_first(whole)]
    for ours, theirs in zip(newest_first(run), newest_first(whole), strict=True):
        assert same_arrays(ours, theirs), ours
