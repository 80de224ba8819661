"""One readable game over the engine: `Game`, its events, its records."""

from __future__ import annotations

from cribbage_env.game.beginning import Beginning, check_seed, make_beginning, new_seed
from cribbage_env.game.errors import IllegalActionError
from cribbage_env.game.events import Event
from cribbage_env.game.game import Game
from cribbage_env.game.records import read_records, write_records

__all__ = [
    "Beginning",
    "Event",
    "Game",
    "IllegalActionError",
    "check_seed",
    "make_beginning",
    "new_seed",
    "read_records",
    "write_records",
]
