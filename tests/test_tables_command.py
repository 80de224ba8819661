"""The command that writes tables: nothing else does, and none of the package is imported before."""

from __future__ import annotations

import importlib
import runpy
import warnings
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

NAME = "cribbage_env.engine.tables"


@pytest.mark.kernels
def test_tables_are_written_by_the_command_alone() -> None:
    saved: list[str] = []

    def save(path: Path, _: Any) -> None:
        saved.append(path.name)

    with patch.object(np, "save", save), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the module may be imported already
        importlib.import_module(NAME)
        runpy.run_module(NAME, run_name=NAME)
        assert saved == []
        with patch("itertools.combinations_with_replacement", lambda *_: [(0, 1, 2, 3)]):
            runpy.run_module(NAME, run_name="__main__")
    assert saved == ["show_points.npy", "alone_points.npy"]
