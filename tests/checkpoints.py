"""Comparing checkpoints of runs."""

from __future__ import annotations

from pathlib import Path

from agents.ppo.checkpoint import read_checkpoint


def same_arrays(one: Path, other: Path) -> bool:
    """Tell whether two checkpoints hold the same, to the last bit."""
    first, second = (read_checkpoint(folder).arrays for folder in (one, other))
    return first.keys() == second.keys() and all(
        array.tobytes() == second[name].tobytes() for name, array in first.items()
    )
