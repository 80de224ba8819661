"""What a game answers to an action that the rules forbid."""

from __future__ import annotations

__all__ = ["IllegalActionError"]


class IllegalActionError(ValueError):
    """An action that the rules forbid here; the message names the rule. Nothing has changed."""
