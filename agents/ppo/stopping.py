"""How a training is asked to end between two updates."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["StopRequest", "StopTraining"]


class StopTraining(Exception):  # noqa: N818 (no error: somebody asked for it)
    """The training is to end now; the reason is its text."""


class StopRequest:
    """Whether, and why, the training is to end after the update that is running.

    `is_from_user` tells whether a signal asked for it, rather than the time limit.
    """

    def __init__(self) -> None:
        self.reason = ""
        self.is_from_user = False

    @contextmanager
    def from_signals(self) -> Iterator[None]:
        """Take Ctrl-C and a request to terminate for this; a second one interrupts at once."""
        signals = (signal.SIGINT, signal.SIGTERM)
        before = [signal.signal(number, self._on_signal) for number in signals]
        try:
            yield
        finally:
            for number, handler in zip(signals, before, strict=True):
                signal.signal(number, handler)

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if self.is_from_user:
            raise KeyboardInterrupt
        self.is_from_user = True
        is_interrupt = number == signal.SIGINT
        self.reason = "it was interrupted" if is_interrupt else "it was told to terminate"
