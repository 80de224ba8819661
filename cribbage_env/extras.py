"""Libraries beyond the core: one that isn't there is named, with what installs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

import gymnasium

__all__ = ["NotInstalledError", "needed", "require"]

PACKAGES = {
    "PIL": "Pillow",
    "pettingzoo": "PettingZoo",
    "pygame": "pygame-ce",
    "pyspiel": "OpenSpiel",
    "ray": "Ray",
    "sb3_contrib": "sb3-contrib",
    "stable_baselines3": "Stable-Baselines3",
    "textual": "Textual",
    "textual_serve": "textual-serve",
    "torch": "PyTorch",
}
"""What is imported, and what people call it."""


class NotInstalledError(gymnasium.error.DependencyNotInstalled, ModuleNotFoundError):
    """A library that a part of the package needs is not installed."""


def require(what: str, source: str, *modules: str) -> None:
    """Refuse if a module isn't there that something needs; loads none of them.

    `source` is what pip is to install.

    Raises:
        NotInstalledError: names the library and what installs it.

    >>> require("thinking", "no-such-package", "no_such_module")
    Traceback (most recent call last):
    cribbage_env.extras.NotInstalledError: no_such_module is not installed, which thinking needs: \
pip install 'no-such-package'
    """
    for module in modules:
        if find_spec(module) is None:
            raise _missing(what, source, module)


@contextmanager
def needed(what: str, source: str) -> Iterator[None]:
    """Say of an import that fails what needs it, and what pip is to install.

    Raises:
        NotInstalledError: names the library and what installs it.

    >>> with needed("thinking", "no-such-package"):
    ...     import no_such_module.deep
    Traceback (most recent call last):
    cribbage_env.extras.NotInstalledError: no_such_module is not installed, which thinking needs: \
pip install 'no-such-package'
    """
    try:
        yield
    except ModuleNotFoundError as error:
        raise _missing(what, source, (error.name or source).partition(".")[0]) from error


def _missing(what: str, source: str, module: str) -> NotInstalledError:
    package = PACKAGES.get(module, module)
    return NotInstalledError(
        f"{package} is not installed, which {what} needs: pip install '{source}'", name=module
    )
