"""Who plays: the `Policy` protocol, and the names under which players are asked for."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from cribbage_env.observation import KINDS

__all__ = [
    "Policy",
    "PolicyFactory",
    "PolicyLike",
    "make_policy",
    "opponent_names",
    "register_opponent",
]


@runtime_checkable
class Policy(Protocol):
    """A player that chooses for many games at once and knows only what its observations say.

    `observation` names the observation it reads, ``"cards"``, ``"features"`` or
    ``"lookahead"``.
    """

    observation: str

    def act(
        self,
        observations: NDArray[np.float32],
        action_masks: NDArray[np.int8],
        keys: NDArray[np.uint64],
    ) -> NDArray[np.int64]:
        """Return one legal action for each row.

        `observations` has the shape ``(N, D)``, `action_masks` ``(N, 19)`` and `keys` ``(N,)``.
        A key depends on (seed, game, deal, seat, decision) alone and is the only randomness that a
        policy may use: a result then never depends on how games are batched.
        """
        ...


PolicyFactory: TypeAlias = Callable[..., Policy]
"""``factory(**options)`` makes a player; options come from the text behind a name's colon."""

PolicyLike: TypeAlias = str | Policy

_FACTORIES: dict[str, PolicyFactory] = {}


def register_opponent(name: str, factory: PolicyFactory) -> None:
    """Make a player known by a name in this process, for every place that takes a player.

    Raises:
        ValueError: the name is taken, empty, or holds a colon, a comma or a blank.
        TypeError: `factory` can't be called.

    >>> from cribbage_env.bots import CompiledPolicy
    >>> register_opponent("my-greedy", lambda: CompiledPolicy("greedy"))
    >>> make_policy("my-greedy")
    CompiledPolicy('greedy')
    >>> unregister_opponent("my-greedy")
    """
    if not isinstance(name, str):
        raise TypeError(f"an opponent's name is text, not {name!r}")
    if not name or any(sign in name for sign in ":, \t\n"):
        raise ValueError(
            f"an opponent's name has no colon, comma or blank and isn't empty: {name!r}"
        )
    if not callable(factory):
        raise TypeError(f"an opponent's factory is called to make it; {factory!r} can't be")
    if name in _FACTORIES or name == "ppo":
        raise ValueError(f"the opponent name {name!r} is taken; taken are {opponent_names()}")
    _FACTORIES[name] = factory


def unregister_opponent(name: str) -> None:
    """Forget a registered name.

    Raises:
        ValueError: no player is registered under it.
    """
    if name not in _FACTORIES:
        raise ValueError(f"no opponent {name!r}; known are {opponent_names()}")
    del _FACTORIES[name]


def opponent_names() -> list[str]:
    """Return the registered names in the order of registration, weakest scripted player first.

    >>> opponent_names()[:2]
    ['random', 'greedy']
    """
    return list(_FACTORIES)


def make_policy(player: PolicyLike) -> Policy:
    """Make the player that a text names, or return the `Policy` given.

    The text is a registered name with options (``"greedy"``, ``"expert:lookahead=2"``),
    ``"ppo:PATH"`` (a run or a checkpoint) or ``"package.module:factory"`` (a user's own).

    Raises:
        ValueError: the name, an option or the path isn't known; says what is.
        TypeError: neither text nor a policy, or a factory that returns no policy.

    >>> make_policy("greedy")
    CompiledPolicy('greedy')
    >>> make_policy("greedi")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: unknown player 'greedi'; known are random, greedy, ...
    """
    if not isinstance(player, str):
        return _checked(player, repr(player))
    name, _, rest = player.partition(":")
    if name in _FACTORIES:
        return _checked(_call(_FACTORIES[name], player, rest), player)
    if name == "ppo" and rest:
        from cribbage_env.bots.network import load_policy

        return load_policy(rest)
    if rest and all(part.isidentifier() for part in name.split(".")):
        return _checked(_call(_import_factory(player, name, rest), player, ""), player)
    raise ValueError(_unknown(player))


def _unknown(player: str) -> str:
    known = ", ".join(opponent_names())
    return f"unknown player {player!r}; known are {known}, ppo:PATH and package.module:factory"


def _import_factory(player: str, module: str, attribute: str) -> PolicyFactory:
    try:
        factory = getattr(importlib.import_module(module), attribute, None)
    except ModuleNotFoundError as error:
        raise ValueError(f"{_unknown(player)} ({error})") from error
    if not callable(factory):
        raise ValueError(f"player {player!r}: module {module!r} has no function {attribute!r}")
    return factory


def _call(factory: PolicyFactory, player: str, text: str) -> Policy:
    options = parse_options(player, text)
    try:
        inspect.signature(factory).bind(**options)
    except TypeError as error:
        allowed = ", ".join(inspect.signature(factory).parameters) or "none"
        raise ValueError(f"player {player!r}: {error}; its options are: {allowed}") from error
    return factory(**options)


def parse_options(player: str, text: str) -> dict[str, Any]:
    """Read ``"lookahead=2,score_aware=false"`` into a dictionary of bools, numbers and texts.

    Raises:
        ValueError: a part isn't ``name=value``, or a name comes twice.

    >>> parse_options("expert", "lookahead=2,score_aware=false")
    {'lookahead': 2, 'score_aware': False}
    """
    options: dict[str, Any] = {}
    for part in text.split(",") if text else []:
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not name.isidentifier() or not value:
            raise ValueError(f"player {player!r}: option {part!r} is not of the form name=value")
        if name in options:
            raise ValueError(f"player {player!r}: option {name!r} is given twice")
        options[name] = _parse_value(value)
    return options


def _parse_value(text: str) -> bool | int | float | str:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _checked(policy: Any, origin: str) -> Policy:
    if not isinstance(policy, Policy) or isinstance(policy, type):
        raise TypeError(
            f"{origin} is no player: a player is a name or a Policy, an object with "
            "`observation` and `act(observations, action_masks, keys)`"
        )
    if policy.observation not in KINDS:
        raise ValueError(
            f"{origin} reads the observation {policy.observation!r}; "
            f"there are {', '.join(map(repr, KINDS))}"
        )
    return policy
