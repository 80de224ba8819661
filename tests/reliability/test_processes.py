"""Forked workers share nothing, and two processes that compile at once don't spoil the cache."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from tests.envs.processes import PACKAGE, run_python

FORKS = """
import hashlib, os, sys
import numpy as np
from cribbage_env import CribbageEnv, CribbageVectorEnv

def play(envs, number):
    # Goes on where the games stand, and says in a digest all that was seen.
    digest = hashlib.sha256()
    masks = envs.action_masks()
    for step in range(number):
        actions = np.where(masks, (np.arange(19) * 7 + step) % 19, -1).argmax(axis=1)
        observations, rewards, *_, infos = envs.step(actions)
        masks = infos["action_mask"]
        digest.update(observations.tobytes() + rewards.tobytes() + infos["scores"].tobytes())
    return digest.hexdigest()

envs = CribbageVectorEnv(8, opponent=["random", "club"])
envs.reset(seed=5)
play(envs, 50)
ends = []
for worker in range(3):
    reader, writer = os.pipe()
    if os.fork() == 0:
        os.write(writer, play(envs, 100 + 50 * worker).encode())
        os._exit(0)
    os.wait()
    ends.append(os.read(reader, 100).decode())
states = envs.lanes.states.tobytes()
alone = CribbageVectorEnv(8, opponent=["random", "club"])
alone.reset(seed=5)
play(alone, 50)
assert alone.lanes.states.tobytes() == states, "a worker moved its parent's games"
for worker, end in enumerate(ends):
    again = CribbageVectorEnv(8, opponent=["random", "club"])
    again.reset(seed=5)
    play(again, 50)
    assert play(again, 100 + 50 * worker) == end, f"worker {worker} saw other games"
print("the same")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no process can be forked there")
def test_forked_workers_share_no_games() -> None:
    assert run_python(FORKS).strip() == "the same"


# One small kernel, with the kernels that it calls.
SMALL = """
import numpy as np
from cribbage_env.engine.flow import is_legal
from cribbage_env.engine.layout import PLAY, STATE
lane = np.zeros(1, STATE)[0]
lane.phase, lane.count, lane.kept[:], lane.held[:] = PLAY, 21, 51, 1
print(is_legal(lane, 15), sum(is_legal.stats.cache_hits.values()))
"""


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled or cached")
def test_processes_that_compile_at_once_do_not_spoil_the_cache(tmp_path: Path) -> None:
    """All begin with an empty cache and write the same files; what is left there is sound."""
    package = tmp_path / "site" / PACKAGE.name
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    environment = os.environ | {
        "PYTHONPATH": str(package.parent),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "NUMBA_DISABLE_JIT": "0",
    }
    started = [
        subprocess.Popen(
            [sys.executable, "-c", SMALL],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    for process in started:
        out, error = process.communicate(timeout=300)
        assert process.returncode == 0, error
        assert out.split()[0] == "True"
    assert not list((tmp_path / "cache").rglob("*.tmp*"))
    out = run_python(SMALL, package, NUMBA_CACHE_DIR=str(tmp_path / "cache"), NUMBA_DISABLE_JIT="0")
    assert out.split() == ["True", "1"]  # a later one finds it compiled


# Two processes that meet the forms of one kernel in another order: of one number of dimensions, of
# two, and of small numbers.
ORDERS = """
import sys
import numpy as np
from cribbage_env.engine.compile import kernel
from cribbage_env.engine.card import card_value

@kernel
def total(cards):
    number = 0
    for card in cards.ravel():
        number += card_value(card)
    return number + 100 * cards.ndim

flat = np.arange(13)
given = {"flat": flat, "square": flat.reshape(1, 13), "small": flat.astype(np.int8)}
for name in sys.argv[1:]:
    print(name, total(given[name]))
print(sum(total.stats.cache_hits.values()))
"""


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled or cached")
def test_the_forms_of_a_kernel_are_never_mistaken(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(ORDERS)
    environment = os.environ | {
        "PYTHONPATH": str(PACKAGE.parent),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "NUMBA_DISABLE_JIT": "0",
    }
    expected = {"flat": "128", "square": "228", "small": "128"}

    def start(*names: str) -> subprocess.Popen[str]:
        line = [sys.executable, str(program), *names]
        return subprocess.Popen(line, env=environment, stdout=subprocess.PIPE, text=True)

    at_once = [start("flat"), start("square"), start("small", "flat")]
    for process in [*at_once, start("square", "small", "flat")]:
        *lines, _ = process.communicate(timeout=300)[0].splitlines()
        assert process.returncode == 0
        assert all(expected[line.split()[0]] == line.split()[1] for line in lines)
    last = start("small", "square", "flat").communicate(timeout=300)[0].splitlines()
    assert last == ["small 128", "square 228", "flat 128", "3"]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled or cached")
@pytest.mark.parametrize(
    "way", ["empty", *(pytest.param(way, marks=pytest.mark.slow) for way in ("cut", "garbage"))]
)
def test_a_damaged_cache_is_compiled_anew(tmp_path: Path, way: str) -> None:
    """As a full disk or a crash may leave it."""
    cache = tmp_path / "cache"
    given = {"NUMBA_CACHE_DIR": str(cache), "NUMBA_DISABLE_JIT": "0"}
    assert run_python(SMALL, **given).split() == ["True", "0"]
    for file in cache.rglob("*.nb*"):
        content = file.read_bytes()
        damaged = {"cut": content[: len(content) // 2], "empty": b"", "garbage": b"\x80" * 99}[way]
        file.write_bytes(damaged)
    assert run_python(SMALL, **given).split() == ["True", "0"]
    assert run_python(SMALL, **given).split() == ["True", "1"]


FULL = """
from numba.core import caching

def fail(*_):
    raise OSError(28, "No space left on device")

caching.IndexDataCacheFile._save_data = fail
"""


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled or cached")
def test_a_disk_without_space_for_the_cache_stops_nobody(tmp_path: Path) -> None:
    given = {"NUMBA_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_DISABLE_JIT": "0"}
    assert run_python(FULL + SMALL, **given).split() == ["True", "0"]
    assert run_python(SMALL, **given).split() == ["True", "0"]
