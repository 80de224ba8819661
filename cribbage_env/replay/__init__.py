"""Recorded games to look at: step by step in the terminal, or as a page of their own.

``python -m cribbage_env.replay games.txt`` steps through the games that `Game.to_record` or
``evaluate.py --record`` wrote; with ``--html page.html`` it writes a page that needs no network.
"""

from __future__ import annotations

from cribbage_env.decisions import Choice, Decision
from cribbage_env.replay.decisions import Losses, judge
from cribbage_env.replay.frames import Frame, as_seen, make_frames
from cribbage_env.replay.page import make_page
from cribbage_env.replay.transcript import make_transcript

__all__ = [
    "Choice",
    "Decision",
    "Frame",
    "Losses",
    "as_seen",
    "judge",
    "make_frames",
    "make_page",
    "make_transcript",
]
