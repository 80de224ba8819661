"""The libraries that pictures and windows need: loaded only when asked for."""

from __future__ import annotations

from importlib.util import find_spec

import gymnasium

__all__ = ["RenderingNotInstalledError", "require"]

PACKAGES = {"PIL": "Pillow", "pygame": "pygame-ce"}


class RenderingNotInstalledError(gymnasium.error.DependencyNotInstalled, ImportError):
    """A library that a picture or a window needs is not installed."""


def require(*modules: str) -> None:
    """Refuse if one of the modules ``PIL`` and ``pygame`` isn't there; loads none of them.

    Raises:
        RenderingNotInstalledError: names the library and the extra that brings it.
    """
    for module in modules:
        if find_spec(module) is None:
            raise RenderingNotInstalledError(
                f"{PACKAGES[module]} is not installed, which this way to render needs: "
                "pip install 'cribbage-env[render]'"
            )
