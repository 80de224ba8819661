"""Where a run lives, and how one is begun or gone on with; nothing that exists is overwritten."""

from __future__ import annotations

import errno
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Final

from agents.ppo.checkpoint import Checkpoint, find_checkpoint, set_aside
from agents.ppo.config import Config, check_resumed, in_words
from agents.ppo.export import versions
from cribbage_env.bots.network import newest_first

__all__ = [
    "RUN_FACTS",
    "Plan",
    "RunInUseError",
    "held",
    "initial_checkpoint",
    "plan_new",
    "plan_resumed",
]

RUN_FACTS: Final = "config.json"
LOCK: Final = ".lock"
NETWORK: Final = ("observation", "state_layers", "action_layers", "value_layers")
"""The settings that decide which network a run has."""


@dataclass(frozen=True)
class Plan:
    """What is to be run, and where; `notes` are to be told to the user."""

    config: Config
    run_dir: Path
    resumed: Checkpoint | None = None
    notes: tuple[str, ...] = ()


def plan_new(config: Config, run_dir: Path | None, runs: Path, command: str) -> Plan:
    """Make the folder of a new run: the one given, or a new one in `runs`.

    Raises:
        ValueError: the folder given holds something already, or the run to begin with has no
            network that fits this one.
        OSError: it can't be made.
    """
    damages: list[str] = []
    if config.initial is not None:
        _, damages = initial_checkpoint(config)
    folder = _next_run_dir(runs) if run_dir is None else run_dir
    _begin_run_dir(folder, config, command)
    return Plan(config, folder, notes=tuple(damages))


def initial_checkpoint(config: Config) -> tuple[Checkpoint, list[str]]:
    """Return the checkpoint that a new run begins with, and what is wrong with newer ones.

    Raises:
        ValueError: there is none, or its network is another.
    """
    try:
        checkpoint, damages = find_checkpoint(Path(config.initial or ""))
    except ValueError as error:
        raise ValueError(f"no run to begin with: {error}") from error
    for name in NETWORK:
        theirs, own = getattr(checkpoint.config, name), getattr(config, name)
        if theirs != own:
            raise ValueError(
                f"{checkpoint.folder} has the {name} {in_words(theirs)}, this run "
                f"{in_words(own)}: no run begins with another network"
            )
    return checkpoint, damages


def plan_resumed(source: Path, given: dict[str, Any], run_dir: Path | None, command: str) -> Plan:
    """Return how a run, or one checkpoint, is gone on with.

    A run goes on in its own folder from its newest sound checkpoint; damaged ones are named and
    set aside. Another `run_dir` begins a new run there instead. `given` holds the settings that are
    to be other than they were.

    Raises:
        ValueError: there is nothing sound to go on from, a setting can't be changed, or newer
            checkpoints or another run would be in the way.
        OSError: a folder can't be made or written.
    """
    checkpoint, damages = find_checkpoint(source)
    # A time limit and a cluster are for one call; the time spent before doesn't count.
    config = check_resumed(checkpoint.config, {"time_limit": None, "address": None, **given})
    damaged = [
        folder
        for folder in newest_first(checkpoint.run_dir)
        if int(folder.name) > checkpoint.decisions
    ]
    if run_dir is not None and run_dir.resolve() != checkpoint.run_dir.resolve():
        _begin_run_dir(run_dir, config, command)
        return Plan(config, run_dir, checkpoint, tuple(damages))
    if len(damaged) > len(damages):
        raise ValueError(
            f"{checkpoint.run_dir} has newer checkpoints than {source}: resume the run, or give "
            "--run-dir for a new one that begins there"
        )
    _check_writable(checkpoint.run_dir)
    set_aside(damaged)
    notes = [f"{damage}; set aside" for damage in damages]
    return Plan(config, checkpoint.run_dir, checkpoint, tuple(notes))


class RunInUseError(ValueError):
    """Another process trains in the folder of this run."""


@contextmanager
def held(run_dir: Path) -> Iterator[None]:
    """Keep other processes from training in a run's folder.

    The system itself lets go of it when the process ends, however that comes about.

    Raises:
        RunInUseError: another process trains there.
        OSError: the folder can't be written.
    """
    with (run_dir / LOCK).open("ab") as file:
        try:
            _lock(file.fileno())
        except OSError as error:
            if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
                raise RunInUseError(f"{run_dir} is in use: another process trains there") from error
            # A file system without locks: as if nobody else were there.
        yield


def _lock(descriptor: int) -> None:
    """Take a file for this process, or fail at once."""
    if sys.platform == "win32":
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _check_writable(folder: Path) -> None:
    """Make sure that a folder can be written, before anything is learnt for it."""
    probe = folder / f".{os.getpid()}.probe"
    try:
        probe.touch(exist_ok=False)
        probe.unlink()
    except OSError as error:
        error.filename = str(folder)
        raise


def _begin_run_dir(run_dir: Path, config: Config, command: str) -> None:
    """Make the folder of a new run and note in it what is run."""
    try:
        run_dir.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = "it is a file" if run_dir.is_file() else error.strerror
        raise ValueError(f"{run_dir} can't be the folder of a run: {reason}") from error
    if any(run_dir.iterdir()):
        raise ValueError(f"{run_dir} holds files already: --resume it, or choose another folder")
    facts = {"command": command, "versions": versions(), "config": config.to_json()}
    unfinished = run_dir / f"{RUN_FACTS}.unfinished"
    try:
        unfinished.touch(exist_ok=False)  # of two runs that begin at once, one has it
    except FileExistsError:
        raise ValueError(f"{run_dir} is where another run begins: choose another folder") from None
    try:
        if (run_dir / RUN_FACTS).exists():
            raise ValueError(
                f"{run_dir} is where another run has just begun: choose another folder"
            )
        unfinished.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
        unfinished.replace(run_dir / RUN_FACTS)
    except (OSError, ValueError):
        unfinished.unlink(missing_ok=True)  # or the folder would be taken for one with a run
        raise


def _next_run_dir(runs: Path) -> Path:
    """Make a new folder for a run: the day and the first free number."""
    day = datetime.now(timezone.utc).astimezone().strftime("%Y-%m-%d")
    runs.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        try:
            (folder := runs / f"{day}-{number:03d}").mkdir()
        except FileExistsError:
            number += 1
        else:
            return folder
