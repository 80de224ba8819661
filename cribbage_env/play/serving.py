"""The game in a browser: textual-serve runs the app and draws it on a page.

Every page that is opened resumes the same file, so that a page loaded anew goes on with the game.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

__all__ = ["command", "serve"]


def command(path: Path, coach_mode: str, pace: float) -> str:
    """Return the command line that plays the game of a file, for the system's shell.

    >>> command(Path("my game.txt"), "off", 0.5).endswith("--coach off --pace 0.5")
    True
    """
    words = [sys.executable, "-m", "cribbage_env.play", "--resume", str(path)]
    words += ["--coach", coach_mode, "--pace", str(pace)]
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def serve(path: Path, coach_mode: str, pace: float, port: int) -> None:
    """Serve the game of a file on a port of this machine until interrupted.

    Raises:
        OSError: the port can't be had.
    """
    from textual_serve.server import Server

    Server(command(path, coach_mode, pace), port=port, title="Cribbage").serve()
