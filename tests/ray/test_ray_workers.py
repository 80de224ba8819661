"""Evaluations on a real Ray cluster come out as in one process, whatever dies meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import wait
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray")

import ray
from ray.cluster_utils import Cluster

import evaluate
from agents.cluster import connected
from agents.evaluation import Evaluation
from agents.executors import PlayerError
from agents.parts import play_part
from agents.ray_workers import RayWorkers
from cribbage_env import make_policy, register_opponent
from cribbage_env.match import MatchSettings
from cribbage_env.policy import unregister_opponent
from tests.ray.players import MARK, make_dying

DYING, FAULTY = f"{make_dying.__module__}:make_dying", f"{make_dying.__module__}:make_faulty"


@pytest.fixture(scope="module")
def mark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file that says whether a worker has died already; workers inherit its name."""
    return tmp_path_factory.mktemp("mark") / "died"


@pytest.fixture(scope="module")
def cluster(mark: Path) -> Iterator[Any]:
    """A cluster of two machines, as far as Ray knows, with a worker each."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MARK, str(mark))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("PYTHONPATH", str(Path(evaluate.__file__).parent))
        machine = {"num_cpus": 1, "object_store_memory": 100 << 20}
        cluster = Cluster(
            initialize_head=True, head_node_args={**machine, "include_dashboard": False}
        )
        cluster.add_node(**machine)
        try:
            yield cluster
        finally:
            ray.shutdown()
            cluster.shutdown()


@pytest.fixture(scope="module")
def driver(cluster: Any) -> Iterator[Any]:
    """The cluster, to which this process stays connected: workers need not start for each test."""
    with connected(cluster.address):
        yield cluster


def run(capsys: pytest.CaptureFixture[str], *arguments: Any) -> tuple[int, str, list[str]]:
    try:
        status = evaluate.main([str(argument) for argument in arguments])
    except SystemExit as leaving:
        status = int(leaving.code or 0)
    out, err = capsys.readouterr()
    return status, out, err.splitlines()


def results(path: Path) -> Any:
    """Return what a file holds, but for how long it took and how it was asked for."""
    document = json.loads(path.read_text(encoding="utf-8"))
    del document["command"]
    for match in document["matches"]:
        del match["seconds"], match["games_per_second"]
    for progress in document["progress"]:
        del progress["seconds"]
    return document


def test_a_tournament_is_that_of_one_process(capsys: Any, tmp_path: Path, cluster: Any) -> None:
    asked = ("club", "greedy", "random", "--games", 400, "--seed", 3, "--batch-size", 50, "--quiet")
    for name, more in (
        ("one", []),
        ("two", ["--workers", 2]),
        ("ray", ["--workers", "ray", "--address", cluster.address]),
    ):
        assert run(capsys, *asked, *more, "--json", tmp_path / f"{name}.json") == (0, "", [])
    assert results(tmp_path / "ray.json") == results(tmp_path / "one.json")
    assert results(tmp_path / "two.json") == results(tmp_path / "one.json")


def test_nothing_is_lost_with_a_worker(
    capsys: Any, tmp_path: Path, driver: Any, mark: Path
) -> None:
    asked = (DYING, "greedy", "--games", 400, "--batch-size", 20, "--quiet")
    mark.unlink(missing_ok=True)
    there = ("--workers", "ray", "--address", driver.address)
    # Ray itself says on the standard output that a worker has died.
    assert run(capsys, *asked, *there, "--json", tmp_path / "ray.json")[0] == 0
    assert mark.exists(), "no worker has died"
    asked = ("club", *asked[1:])
    assert run(capsys, *asked, "--json", tmp_path / "one.json") == (0, "", [])
    (survived,), (expected,) = (
        results(tmp_path / f"{name}.json")["progress"] for name in ("ray", "one")
    )
    assert survived == expected


def test_nothing_is_lost_with_a_machine(driver: Any) -> None:
    settings = MatchSettings(games=800, seed=5, batch_size=40)
    evaluation = Evaluation(("club", "greedy"), settings)
    lost = driver.add_node(num_cpus=1, object_store_memory=100 << 20)
    workers = RayWorkers(evaluation.policies, address=driver.address)
    try:
        assert workers.at_once == 6
        seen = 0

        def lose_one() -> None:
            nonlocal seen
            seen += 1
            if seen == 5:
                driver.remove_node(lost, allow_graceful=False)

        evaluation.play(workers, progress=lose_one)
    finally:
        workers.close()
    alone = Evaluation(("club", "greedy"), settings)
    alone.play()
    (match,), (expected,) = evaluation.matches, alone.matches
    assert match.played.totals == expected.played.totals
    assert match.played.pair_wins == expected.played.pair_wins


def test_a_run_that_was_broken_off_goes_on(capsys: Any, tmp_path: Path, driver: Any) -> None:
    there = ("--workers", "ray", "--address", driver.address, "--quiet")
    path = tmp_path / "results.json"
    players = ("club", "greedy")
    assert run(capsys, *players, "--games", 100, "--json", path, "--quiet")[0] == 0
    asked = (*players, "--games", 300, "--batch-size", 50, "--resume", "--json", path)
    assert run(capsys, *asked, *there) == (0, "", [])
    alone = tmp_path / "alone.json"
    assert run(capsys, *players, "--games", 300, "--json", alone, "--quiet")[0] == 0
    assert results(path) == results(alone)


def test_a_players_fault_is_one_line(capsys: Any, tmp_path: Path, driver: Any) -> None:
    asked = (FAULTY, "greedy", "--games", 100, "--batch-size", 20)
    there = ("--workers", "ray", "--address", driver.address, "--quiet")
    status, out, err = run(capsys, *asked, *there)
    assert (status, out, len(err)) == (2, "", 1)
    assert "LookupError('no\\nsuch card') (players.py, line " in err[0]


def test_another_version_on_a_machine_is_refused(driver: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("agents.ray_workers.SOURCE_DIGEST", "another")
    players = {name: make_policy(name) for name in ("club", "greedy")}
    workers = RayWorkers(players, address=driver.address)
    try:
        part = workers.submit("club", "greedy", 0, 5, MatchSettings(games=10))
        wait([part])
        with pytest.raises(PlayerError, match="another version of cribbage_env"):
            part.result()
    finally:
        workers.close()


def test_a_player_that_lives_here_only_is_refused(driver: Any) -> None:
    register_opponent("local", _Here)
    try:
        with pytest.raises(ValueError, match="'local' is registered in this process only"):
            RayWorkers({"local": make_policy("local")}, address=driver.address)
    finally:
        unregister_opponent("local")


class _Here:
    observation = "cards"

    def __init__(self) -> None:
        self.act = lambda *_: None


def test_a_part_is_what_play_part_makes_of_it(driver: Any) -> None:
    players = {name: make_policy(name) for name in ("club", "greedy")}
    settings = MatchSettings(games=100, seed=9)
    workers = RayWorkers(players, address=driver.address)
    try:
        part = workers.submit("club", "greedy", 10, 30, settings).result()
    finally:
        workers.close()
    expected = play_part(players["club"], players["greedy"], 10, 30, settings)
    assert (part.totals, part.pair_wins) == (expected.totals, expected.pair_wins)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("here", "address must be auto, HOST:PORT or ray://HOST:PORT, not 'here'"),
        ("localhost:1", "no Ray cluster answers at localhost:1"),
    ],
)
def test_a_cluster_that_is_not_there_is_one_line(capsys: Any, address: str, words: str) -> None:
    status, out, err = run(capsys, "club", "greedy", "--workers", "ray", "--address", address)
    assert (status, out, len(err)) == (2, "", 1)
    assert words in err[0]
