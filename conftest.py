"""What pytest looks for where Ray is installed, and where it isn't."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

HAS_RAY = find_spec("ray") is not None

# They need Ray, which lives in an environment of its own; `.ci/run` runs their examples there.
collect_ignore = [] if HAS_RAY else ["agents/rllib", "cribbage_env/rllib.py"]


def pytest_configure(config: Any) -> None:
    """Let Ray forget the processes that it has ended or left to end."""
    if HAS_RAY:
        config.addinivalue_line(
            "filterwarnings", r"ignore:subprocess \d+ is still running:ResourceWarning"
        )
