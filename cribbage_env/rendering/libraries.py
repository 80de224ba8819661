"""The libraries that pictures and windows need: loaded only when asked for."""

from __future__ import annotations

from cribbage_env import extras

__all__ = ["require"]


def require(*modules: str) -> None:
    """Refuse if one of the modules ``PIL`` and ``pygame`` isn't there; loads none of them.

    Raises:
        NotInstalledError: names the library and the extra that brings it.
    """
    extras.require("this way to render", "cribbage-env[render]", *modules)
