"""Running Python in a process of its own, with the package that is under test."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import cribbage_env

PACKAGE = Path(cribbage_env.__file__).resolve().parent
CHECKOUT = Path(__file__).resolve().parents[2]


def run_python(code: str, package: Path = PACKAGE, **environment: str) -> str:
    """Return what a program prints; its warnings are errors, and so is an exit that is not 0."""
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    path = os.pathsep.join([str(package.parent), str(CHECKOUT), *filter(None, given)])
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=package.parent,  # python -c looks there first
        env=os.environ | {"PYTHONPATH": path} | environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
