"""Pictures of a game for people: what a viewer may see, and then how it looks."""

from __future__ import annotations

from cribbage_env.rendering.scene import Scene, see
from cribbage_env.rendering.text import render_text

__all__ = ["Scene", "render_text", "see"]
