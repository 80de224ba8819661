"""What is kept of a run to go on from: each checkpoint a folder, written as a whole or not at all.

``RUN/checkpoints/000300000/`` holds ``policy.npz`` and ``policy.json`` (what ``ppo:PATH`` plays),
``training.npz`` (weights, optimiser, random states, the games in progress) and ``training.json``
(counters, configuration, the digests of the other files). Arrays are read with
``allow_pickle=False``: nothing in a file is ever executed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from agents.ppo.config import Config
from agents.ppo.export import packed
from cribbage_env.bots.network import (
    CHECKPOINTS,
    POLICY_ARRAYS,
    POLICY_FACTS,
    newest_first,
)
from cribbage_env.files import parse_arrays, parse_json
from cribbage_env.observation import VERSION

__all__ = [
    "TRAINING_FACTS",
    "Checkpoint",
    "DamagedCheckpointError",
    "find_checkpoint",
    "newest_sound",
    "read_checkpoint",
    "write_checkpoint",
]

TRAINING_ARRAYS = "training.npz"
TRAINING_FACTS = "training.json"
CHECKPOINT_FORMAT = 1


class DamagedCheckpointError(ValueError):
    """A checkpoint can't be read, or isn't what was written."""


@dataclass(frozen=True)
class Checkpoint:
    """What was read: the counters and random states in `facts`, all arrays by name."""

    folder: Path
    config: Config
    facts: Mapping[str, Any]
    arrays: Mapping[str, NDArray[Any]]

    @property
    def decisions(self) -> int:
        """Decisions of the learner until then."""
        return int(self.facts["decisions"])

    @property
    def run_dir(self) -> Path:
        """The run that it belongs to."""
        return self.folder.parent.parent


def write_checkpoint(
    run_dir: Path,
    config: Config,
    facts: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    policy: Mapping[str, bytes],
) -> Path:
    """Write a checkpoint and return its folder, which appears only when all of it is on the disk.

    `facts` must hold ``decisions``; `policy` holds the files of the exported policy. A checkpoint
    that exists is left as it is.

    Raises:
        OSError: the disk is full or the folder can't be written; nothing is left behind.
    """
    folder = run_dir / CHECKPOINTS / f"{facts['decisions']:09d}"
    if folder.exists():
        return folder
    files = {**policy, TRAINING_ARRAYS: packed(arrays)}
    described = {
        "format": CHECKPOINT_FORMAT,
        **facts,
        "config": config.to_json(),
        "sha256": {name: hashlib.sha256(content).hexdigest() for name, content in files.items()},
    }
    files[TRAINING_FACTS] = (json.dumps(described, indent=1) + "\n").encode()
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        unfinished.mkdir(parents=True)
        for name, content in files.items():
            _write_through(unfinished / name, content)
        _sync_folder(unfinished)
        unfinished.replace(folder)
        _sync_folder(folder.parent)
    except OSError as error:
        shutil.rmtree(unfinished, ignore_errors=True)
        error.filename = error.filename or str(unfinished)  # a full disk is said without a name
        raise
    return folder


def read_checkpoint(folder: Path) -> Checkpoint:
    """Read a checkpoint and check every file of it.

    Raises:
        DamagedCheckpointError: a file is missing, damaged or of another format; it is named.
        ValueError: the configuration can't be used here (an opponent that is gone, say), or the
            observation had another layout then.
    """
    facts = _read_facts(folder / TRAINING_FACTS)
    contents = {}
    for name in (POLICY_ARRAYS, POLICY_FACTS, TRAINING_ARRAYS):
        contents[name] = _read(folder / name)
        if hashlib.sha256(contents[name]).hexdigest() != facts["sha256"].get(name):
            raise DamagedCheckpointError(
                f"{folder / name} is damaged: its digest isn't the one on record"
            )
    try:
        arrays = parse_arrays(contents[TRAINING_ARRAYS])
    except ValueError as error:
        raise DamagedCheckpointError(f"{folder / TRAINING_ARRAYS} is damaged: {error}") from error
    layout = _parse(folder / POLICY_FACTS, contents[POLICY_FACTS]).get("layout_version")
    if layout != VERSION:
        raise ValueError(
            f"{folder} was made for version {layout!r} of the observation's layout; this is "
            f"version {VERSION}"
        )
    try:
        config = Config.from_json(facts["config"])
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{folder / TRAINING_FACTS} can't be used: {error}") from error
    return Checkpoint(folder, config, facts, arrays)


def newest_sound(run_dir: Path) -> tuple[Checkpoint, list[str]]:
    """Return the newest checkpoint of a run that is sound, and what is wrong with newer ones.

    Raises:
        ValueError: there is no checkpoint, or none is sound; all that is wrong is named.
    """
    damages: list[str] = []
    for folder in newest_first(run_dir):
        try:
            return read_checkpoint(folder), damages
        except DamagedCheckpointError as error:
            damages.append(str(error))
    if damages:
        raise ValueError(f"{run_dir} has no sound checkpoint: {'; '.join(damages)}")
    raise ValueError(f"{run_dir} has no checkpoint to go on from")


def find_checkpoint(source: Path) -> tuple[Checkpoint, list[str]]:
    """Return the checkpoint at a path, or the newest sound one of the run there.

    With it comes what is wrong with newer ones.

    Raises:
        ValueError: there is neither, or none that is sound.
    """
    if (source / TRAINING_FACTS).exists() or source.parent.name == CHECKPOINTS:
        return read_checkpoint(source), []
    if not source.is_dir():
        raise ValueError(f"{source} is no run and no checkpoint")
    return newest_sound(source)


def set_aside(folders: Iterable[Path]) -> None:
    """Rename damaged checkpoints, so that a new one may take the place and nothing is lost."""
    for folder in folders:
        number = 1
        while (aside := folder.with_name(f"{folder.name}.damaged-{number}")).exists():
            number += 1
        folder.replace(aside)


def _write_through(file: Path, content: bytes) -> None:
    """Write a file and wait until it is on the disk."""
    with file.open("wb") as stream:
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _sync_folder(folder: Path) -> None:
    """Wait until the names in a folder are on the disk, where the system can tell."""
    if os.name == "posix":
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise DamagedCheckpointError(f"{file} can't be read: {error.strerror}") from error


def _read_facts(file: Path) -> dict[str, Any]:
    facts = _parse(file, _read(file))
    if not isinstance(facts.get("sha256"), dict):
        raise DamagedCheckpointError(f"{file} is damaged: it describes no checkpoint")
    if facts.get("format") != CHECKPOINT_FORMAT:
        raise DamagedCheckpointError(
            f"{file} has the format {facts.get('format')!r}; this version reads {CHECKPOINT_FORMAT}"
        )
    decisions = facts.get("decisions")
    if type(decisions) is not int or decisions < 0 or not isinstance(facts.get("config"), dict):
        raise DamagedCheckpointError(f"{file} is damaged: its decisions or its configuration")
    return facts


def _parse(file: Path, content: bytes) -> dict[str, Any]:
    """Return the description that a file holds."""
    try:
        facts = parse_json(content)
    except ValueError as error:
        raise DamagedCheckpointError(f"{file} is damaged: {error}") from error
    if not isinstance(facts, dict):
        raise DamagedCheckpointError(f"{file} is damaged: it describes no checkpoint")
    return facts
