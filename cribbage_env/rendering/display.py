"""How environments show their games: as text, as pictures, or in a window."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from typing import Any

from cribbage_env.game import Game
from cribbage_env.rendering.libraries import require
from cribbage_env.rendering.scene import see
from cribbage_env.rendering.window import NoDisplayError, Window, may_have_display

__all__ = ["RENDER_MODES", "Display"]

RENDER_MODES = ("human", "ansi", "rgb_array")
SHOW_FRAMES = 3
"""How many times longer than others a frame stays that shows counted hands or an end."""

_log = logging.getLogger("cribbage_env")


class Display:
    """Shows one environment's games in one render mode.

    Raises:
        NotInstalledError: for ``"human"`` where there may be a display but a library is
            missing.
    """

    def __init__(self, render_mode: str | None, scale: int = 1) -> None:
        """Open and load nothing yet."""
        if render_mode == "human" and may_have_display():
            require("PIL", "pygame")
        self._mode = render_mode
        self._scale = scale
        self._window = Window()
        self._is_text = False
        self._last: Game | None = None

    def render(self, game: Game, viewer: int | None) -> Any:
        """Return what an environment's `render` does: text, a picture, or None.

        Raises:
            NotInstalledError: for ``"rgb_array"`` without Pillow.
        """
        if self._mode == "ansi":
            return _as_text(game, viewer)
        if self._mode == "rgb_array":
            require("PIL")
            from cribbage_env.rendering.picture import render_picture

            return render_picture(game, viewer, scale=self._scale)
        self._window.pump()
        return None

    def show(self, game: Game, viewer: int | None, frames_a_second: float) -> None:
        """Show all that has happened since the last call, move by move; for ``"human"``.

        Where there is no display the table is printed as text. A window that the user has closed
        stays closed.
        """
        if not self._is_text:
            try:
                self._show_moves(game, viewer, 1 / frames_a_second)
            except NoDisplayError as error:
                _log.warning("no window (%s): the table is printed as text", error)
                self._is_text = True
        if self._is_text:
            sys.stdout.write(f"{_as_text(game, viewer)}\n")

    def _show_moves(self, game: Game, viewer: int | None, seconds: float) -> None:
        if self._window.is_closed_by_user:
            return
        if not may_have_display():
            raise NoDisplayError("neither DISPLAY nor WAYLAND_DISPLAY is set")
        require("PIL", "pygame")
        from cribbage_env.rendering.picture import draw_table

        for seen, now in _moves(self._last, game):
            news = now.events[seen:]
            is_to_read = any(event.kind in ("hand", "win") for event in news)
            image = draw_table(see(now, viewer), self._scale)
            self._window.show(image, seconds * (SHOW_FRAMES if is_to_read else 1))
        self._last = game.copy()

    def close(self) -> None:
        """Close the window if there is one."""
        self._window.close()
        self._last = None


def _as_text(game: Game, viewer: int | None) -> str:
    from cribbage_env.rendering.text import render_text

    return render_text(game, viewer)


def _moves(last: Game | None, game: Game) -> Iterator[tuple[int, Game]]:
    """Yield a game after each move since it was last seen, with the number of events before it."""
    first, seen = 0, 0
    actions = game.actions
    if (
        last is not None
        and last.beginning == game.beginning
        and last.actions == actions[: len(last.actions)]
    ):
        first, seen = len(last.actions) + 1, len(last.events)
    for number in range(first, len(actions)):
        now = Game.replay(game.beginning, actions[:number])
        yield seen, now
        seen = len(now.events)
    yield seen, game
