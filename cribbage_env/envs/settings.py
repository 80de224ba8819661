"""What an environment can be asked for, checked once for all environments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from cribbage_env.game import Beginning, make_beginning
from cribbage_env.observation import kind_code
from cribbage_env.policy import Policy, PolicyLike, make_policy
from cribbage_env.rendering.display import RENDER_MODES
from cribbage_env.rendering.size import check_scale
from cribbage_env.rewards import reward_code

__all__ = [
    "FORFEIT",
    "ILLEGAL_ACTIONS",
    "RAISE",
    "RANDOM",
    "RENDER_MODES",
    "Opponents",
    "Settings",
    "check_rendering",
    "make_settings",
]

Opponents: TypeAlias = PolicyLike | Sequence[PolicyLike] | None

ILLEGAL_ACTIONS = ("forfeit", "random", "raise")
"""What may follow an illegal action; the index is the code that kernels take."""
FORFEIT, RANDOM, RAISE = range(3)

RESET_OPTIONS = ("dealer", "scores", "deck")


@dataclass(frozen=True)
class Settings:
    """The checked settings of an environment."""

    opponents: tuple[Policy, ...]
    """Whom seat 1 is drawn from for each game; none: the caller moves both seats."""
    target: int
    reward: int
    observation: int
    illegal_action: int
    is_one_deal: bool

    def beginning(
        self, seed: int, number: int, options: Any, extra: Sequence[str] = ()
    ) -> Beginning:
        """Return the beginning of a game under the options of a reset.

        Raises:
            ValueError: an unknown option (`extra` ones are for the caller), or a bad value.
            TypeError: a value of the wrong type.
        """
        if options is not None and not isinstance(options, Mapping):
            raise TypeError(f"options are a dictionary or None, not {options!r}")
        given = dict(options or {})
        for name in given:
            if name not in RESET_OPTIONS and name not in extra:
                allowed = ", ".join((*RESET_OPTIONS, *extra))
                raise ValueError(f"unknown reset option {name!r}; there are {allowed}")
        return make_beginning(
            seed,
            given.get("dealer"),
            given.get("scores", (0, 0)),
            self.target,
            given.get("deck"),
            number,
            is_one_deal=self.is_one_deal,
        )


def make_settings(
    opponent: Opponents,
    target: int,
    reward: str,
    observation: str,
    illegal_action: str,
    is_one_deal: bool,
) -> Settings:
    """Return checked settings.

    Raises:
        ValueError: a value that is not allowed; names it and says what is.
        TypeError: a value of the wrong type.
    """
    if illegal_action not in ILLEGAL_ACTIONS:
        allowed = ", ".join(map(repr, ILLEGAL_ACTIONS))
        raise ValueError(f"illegal_action must be one of {allowed}, not {illegal_action!r}")
    make_beginning(0, None, (0, 0), target, None)  # refuses a target outside 1..MAX_TARGET
    return Settings(
        _make_opponents(opponent),
        int(target),
        reward_code(reward),
        kind_code(observation),
        ILLEGAL_ACTIONS.index(illegal_action),
        bool(is_one_deal),
    )


def _make_opponents(opponent: Opponents) -> tuple[Policy, ...]:
    if opponent is None:
        return ()
    if isinstance(opponent, (list, tuple)):
        if not opponent:
            raise ValueError("an empty list of opponents; None lets the caller move both seats")
        return tuple(make_policy(player) for player in opponent)
    return (make_policy(opponent),)  # type: ignore[arg-type]


def check_rendering(
    render_mode: str | None, scale: int, modes: Sequence[str] = RENDER_MODES
) -> None:
    """Refuse a way to render that doesn't exist, or a scale that pictures don't have.

    Raises:
        ValueError: names it and says what there is.
        TypeError: a scale that isn't an integer.
    """
    if render_mode is not None and render_mode not in modes:
        allowed = ", ".join(map(repr, modes))
        raise ValueError(f"render_mode must be None or one of {allowed}, not {render_mode!r}")
    check_scale(scale, "render_scale")
