"""A window that shows pictures at a pace for people, and stays responsive while it waits.

Needs pygame-ce (or pygame), which the extra `render` brings; loaded when the first window opens.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cribbage_env.rendering.palette import FELT_DARK

if TYPE_CHECKING:
    from PIL import Image

__all__ = ["NoDisplayError", "Window", "may_have_display"]

TITLE = "Cribbage"
SHORT_WAIT = 0.02
"""Seconds between two looks at what the user does with the window."""
UNSEEN_DRIVERS = ("dummy", "offscreen")


class NoDisplayError(RuntimeError):
    """There is no display to open a window on."""


def may_have_display() -> bool:
    """Tell whether there may be a display; on Linux SDL makes one up that nobody sees."""
    if _is_driver_given() or sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _is_driver_given() -> bool:
    return bool(os.environ.get("SDL_VIDEODRIVER") or os.environ.get("SDL_VIDEO_DRIVER"))


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    """Set environment variables that aren't set, for as long as the block runs."""
    added = {name: value for name, value in values.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            os.environ.pop(name, None)


class Window:
    """One window; the library has one for a process, so the last that shows something has it.

    Attributes:
        is_closed_by_user: whether the user has closed it; it then stays closed.
    """

    _holder: Window | None = None

    def __init__(self) -> None:
        """Open nothing yet."""
        self.is_closed_by_user = False
        self._pygame: Any = None
        self._surface: Any = None
        self._picture: Any = None
        self._due = 0.0

    @property
    def is_open(self) -> bool:
        """Whether it is on the screen."""
        return self._surface is not None and Window._holder is self

    def show(self, image: Image.Image, seconds: float) -> None:
        """Show a picture as soon as the last one has had its time; this one gets `seconds`.

        Raises:
            NoDisplayError: there is no display.
        """
        self.wait()
        if self.is_closed_by_user:
            return
        if not self.is_open:
            self._open(image.size)
        self._picture = self._pygame.image.frombytes(image.tobytes(), image.size, "RGB")
        self.pump()
        self._paint()
        self._due = time.monotonic() + seconds

    def wait(self) -> None:
        """Wait until the last picture has had its time, answering the user meanwhile."""
        while self.is_open and (left := self._due - time.monotonic()) > 0:
            self.pump()
            time.sleep(min(left, SHORT_WAIT))

    def pump(self) -> None:
        """Answer what the user has done with the window since the last time."""
        if not self.is_open:
            return
        pygame = self._pygame
        is_to_paint = False
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                self.is_closed_by_user = True
            elif event.type in (pygame.VIDEORESIZE, pygame.VIDEOEXPOSE):
                is_to_paint = True
        if self.is_closed_by_user:
            self._release()
        elif is_to_paint:
            self._paint()

    def close(self) -> None:
        """Let the last picture have its time, then close the window; one may show again later."""
        self.wait()
        self._release()
        self._due = 0.0

    def __getstate__(self) -> dict[str, Any]:
        """A copy opens a window of its own."""
        return {"is_closed_by_user": self.is_closed_by_user}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over nothing that is on the screen."""
        Window.__init__(self)
        vars(self).update(state)

    def _open(self, size: tuple[int, int]) -> None:
        if not may_have_display():
            raise NoDisplayError("neither DISPLAY nor WAYLAND_DISPLAY is set")
        # Its greeting on import is left out, and signals stay what the program made of them.
        with _environment(PYGAME_HIDE_SUPPORT_PROMPT="1", SDL_NO_SIGNAL_HANDLERS="1"):
            import pygame

            try:
                pygame.display.init()
                if pygame.display.get_driver() in UNSEEN_DRIVERS and not _is_driver_given():
                    pygame.display.quit()
                    raise NoDisplayError("the display can't be seen")
                pygame.display.set_caption(TITLE)
                self._surface = pygame.display.set_mode(size, pygame.RESIZABLE)
            except pygame.error as error:
                raise NoDisplayError(str(error)) from error
        self._pygame = pygame
        Window._holder = self

    def _paint(self) -> None:
        """Put the picture into the window, as large as it fits."""
        if not self.is_open or self._picture is None:
            return
        pygame = self._pygame
        surface = pygame.display.get_surface()
        room, size = surface.get_size(), self._picture.get_size()
        picture = self._picture
        if room != size:
            factor = min(room[0] / size[0], room[1] / size[1])
            size = (max(1, round(size[0] * factor)), max(1, round(size[1] * factor)))
            picture = pygame.transform.smoothscale(picture, size)
            surface.fill(FELT_DARK)
        surface.blit(picture, ((room[0] - size[0]) // 2, (room[1] - size[1]) // 2))
        pygame.display.flip()

    def _release(self) -> None:
        if self.is_open:
            self._pygame.display.quit()
            Window._holder = None
        self._surface = None
