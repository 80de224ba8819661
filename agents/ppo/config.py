"""The configuration of a training run: one frozen dataclass, which is also the command line."""

from __future__ import annotations

import argparse
import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cribbage_env.observation import KINDS, size
from cribbage_env.policy import make_policy

__all__ = ["CHANGEABLE", "Config", "add_arguments", "check_resumed", "in_words", "parse_duration"]

CHANGEABLE = frozenset(
    {
        "timesteps",
        "time_limit",
        "threads",
        "final_games",
        "final_opponents",
        "num_env_runners",
        "address",
    }
)
"""What may be given anew to a run that is resumed; all else is what it was."""

SELF = "self"
"""The opponent that is the learner itself: both seats' decisions are learnt from."""
POOL = "pool"
"""The opponent that is a past self."""
LEARNERS = frozenset({SELF, POOL})
SB3, RLLIB = ENGINES = ("sb3", "rllib")
"""Who trains: MaskablePPO of sb3-contrib in this process, or PPO of RLlib, also on a cluster."""
DECISIONS_A_DEAL = 7
"""About how many decisions with a choice both players make in a deal."""


def _option(default: Any, text: str, **settings: Any) -> Any:
    """Declare a field with its default and what ``--help`` says of it."""
    if isinstance(default, tuple):
        settings.setdefault("nargs", "+")
        settings.setdefault("type", type(default[0]))
    settings.setdefault("type", type(default))
    return field(default=default, metadata={"help": text, **settings})


def parse_duration(text: str) -> float:
    """Read a duration in seconds, or with a unit ``s``, ``m`` or ``h``.

    Raises:
        ValueError: it is no positive duration.

    >>> parse_duration("90"), parse_duration("1.5m"), parse_duration("2h")
    (90.0, 90.0, 7200.0)
    """
    units = {"s": 1.0, "m": 60.0, "h": 3600.0}
    number, unit = (text[:-1], units[text[-1]]) if text and text[-1] in units else (text, 1.0)
    try:
        seconds = float(number) * unit
    except ValueError:
        seconds = math.nan
    if not 0 < seconds < math.inf:
        raise ValueError(f"a duration is a positive number of seconds, or ends in m or h: {text!r}")
    return seconds


def _duration(text: str) -> float:
    """Read a duration for argparse, which keeps the words of its own exception alone."""
    try:
        return parse_duration(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


@dataclass(frozen=True)
class Config:
    """All that decides how a run learns.

    >>> Config(timesteps=1000).num_updates
    1
    >>> Config(gamma=2.0)
    Traceback (most recent call last):
    ValueError: gamma must lie in 0..1, not 2.0
    """

    timesteps: int = _option(
        1_500_000,
        "decisions of the learner to train for, rounded up to whole updates: num-deals of each of "
        "num-envs, or num-envs × num-steps with --credit rewards",
    )
    seed: int = _option(0, "decides everything: the same seed on the same machine, the same curve")
    opponent: tuple[str, ...] = _option(
        (SELF, SELF, "expert", POOL),
        "who to train against; one of several is drawn for each game; 'self' is the learner in "
        "both seats and 'pool' a past self, both with --credit points or win or --engine rllib",
    )
    initial: str | None = _option(
        None,
        "a run or checkpoint whose network is the first one of this run",
        type=str,
        metavar="RUN",
    )
    num_envs: int = _option(1024, "games played side by side")
    engine: str = _option(
        SB3,
        "sb3: MaskablePPO in this process; rllib: PPO of RLlib on Ray, on this machine or a "
        "cluster",
        choices=ENGINES,
    )
    num_env_runners: int = _option(
        0, "processes that play for --engine rllib, which share num-envs; 0: the one that learns"
    )
    address: str | None = _option(
        None,
        "the Ray cluster of --engine rllib, as HOST:6379, or auto for one that runs here; without "
        "it this machine is the cluster",
        type=str,
    )
    time_limit: float | None = _option(
        None,
        "stop training after this time, as 300, 5m or 2h (the final table comes on top)",
        type=_duration,
        metavar="DURATION",
    )

    # The network.
    observation: str = _option("lookahead", "what the policy reads", choices=KINDS)
    state_layers: tuple[int, ...] = _option((256, 256), "units of the layers that read the state")
    action_layers: tuple[int, ...] = _option(
        (64, 64),
        "units of the layers that score each candidate action; none without a number",
        nargs="*",
    )
    value_layers: tuple[int, ...] = _option((256,), "units of the layers of the value network")

    # What a decision is credited with.
    credit: str | None = _option(
        None,
        "rewards: all that follows in the game; points, win: what the decision can cause in its "
        "deal, in points or in chances of winning",
        type=str,
        choices=("rewards", "points", "win"),
        shown="win; rewards with --engine rllib, which has no other",
    )
    num_deals: int = _option(3, "deals of each game between two updates, but for --credit rewards")
    pool_every: int = _option(500_000, "decisions between two past selves of the pool")

    # PPO.
    num_steps: int = _option(32, "decisions of each game between two updates")
    batch_size: int = _option(4096, "decisions in a minibatch")
    epochs: int = _option(2, "passes over the decisions of an update")
    learning_rate: float = _option(8e-4, "at the beginning; falls in a line to 0")
    gamma: float = _option(1.0, "discount of the points of later decisions")
    gae_lambda: float = _option(0.95, "weight of later decisions in the advantage")
    clip_range: float = _option(0.2, "how far an update may move the policy")
    entropy: float = _option(0.002, "weight of the entropy in the loss")
    value_weight: float = _option(0.5, "weight of the value's error in the loss")
    max_grad_norm: float = _option(0.5, "longest gradient of a step")
    reward: str = _option("score_diff", "what a game pays", choices=("score_diff", "win", "skunk"))
    reward_scale: float = _option(0.1, "rewards are multiplied by it")

    # What happens besides.
    evaluate_every: int = _option(300_000, "decisions between two evaluations")
    evaluate_games: int = _option(600, "games of an evaluation against each opponent")
    evaluate_opponents: tuple[str, ...] = _option(
        ("club", "expert"), "who to evaluate against during the training"
    )
    evaluate_deals: int = _option(
        600,
        "single deals of an evaluation against each opponent, for the points lost against the best "
        "choices; 0 leaves them out",
    )
    final_games: int = _option(4000, "games of the final table against each opponent")
    final_opponents: tuple[str, ...] = _option(
        ("random", "greedy", "club", "expert"), "who the final table is against"
    )
    checkpoint_every: int = _option(300_000, "decisions between two checkpoints")
    threads: int = _option(2, "threads of torch; another number may change the last bits")

    def __post_init__(self) -> None:
        """Check every value.

        Raises:
            ValueError: a value that is out of range, or no such opponent.
            TypeError: a value of another type.
        """
        if self.credit is None:  # the one default that depends on another option
            object.__setattr__(self, "credit", "rewards" if self.engine == RLLIB else "win")
        for option in dataclasses.fields(self):
            _check_type(option, getattr(self, option.name))
        positive = (
            "timesteps num_envs num_steps batch_size epochs learning_rate clip_range max_grad_norm "
            "reward_scale num_deals pool_every evaluate_every evaluate_games final_games "
            "checkpoint_every threads"
        )
        for name in positive.split():
            value = getattr(self, name)
            if not 0 < value < math.inf:
                raise ValueError(f"{name} must be positive, not {value}")
        for name in ("gamma", "gae_lambda"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must lie in 0..1, not {getattr(self, name)}")
        for name in ("entropy", "value_weight", "evaluate_deals"):
            if not 0 <= getattr(self, name) < math.inf:
                raise ValueError(f"{name} must be 0 or more, not {getattr(self, name)}")
        if not 0 <= self.seed < 2**32:
            raise ValueError(f"seed must lie in 0..{2**32 - 1}, not {self.seed}")
        for name in ("evaluate_games", "evaluate_deals", "final_games"):
            if getattr(self, name) % 2:
                odd = getattr(self, name)
                raise ValueError(f"{name} must be even, as they come in pairs, not {odd}")
        self._check_engine()
        self._check_opponents()
        self._check_network()

    def _check_engine(self) -> None:
        if self.engine not in ENGINES:
            raise ValueError(f"engine must be one of {', '.join(ENGINES)}, not {self.engine!r}")
        if self.num_env_runners < 0:
            raise ValueError(f"num_env_runners must be 0 or more, not {self.num_env_runners}")
        if self.engine == RLLIB and self.credit != "rewards":
            raise ValueError(f"--credit {self.credit} needs --engine {SB3}")
        if self.engine == SB3 and (self.num_env_runners or self.address is not None):
            raise ValueError(f"--num-env-runners and --address need --engine {RLLIB}")

    def _check_opponents(self) -> None:
        for name in ("opponent", "evaluate_opponents", "final_opponents"):
            for player in getattr(self, name):
                if name == "opponent" and player in LEARNERS:
                    continue
                read = make_policy(player).observation
                is_seated = name == "opponent" and self.engine == RLLIB
                if is_seated and size(read) > size(self.observation):
                    raise ValueError(
                        f"the opponent {player!r} reads {read!r} observations, more than the "
                        f"{self.observation!r} of the learner: give --observation {read}"
                    )
        if self.observation == "cards" and self.credit != "rewards":
            raise ValueError(
                f"--credit {self.credit} needs more than 'cards': give --credit rewards "
                "--opponent PLAYER --action-layers without a number"
            )
        is_single = self.engine == SB3 and self.credit == "rewards"
        if is_single and LEARNERS.intersection(self.opponent):
            raise ValueError(
                "the opponents 'self' and 'pool' need --credit points or win, or --engine rllib: "
                "with --credit rewards give --opponent PLAYER"
            )

    def _check_network(self) -> None:
        for name in ("state_layers", "action_layers", "value_layers"):
            widths = getattr(self, name)
            if not all(width > 0 for width in widths):
                raise ValueError(f"{name} must be positive, not {' '.join(map(str, widths))}")
        if not self.state_layers or not self.value_layers:
            raise ValueError("state_layers and value_layers need one layer or more")
        if self.observation == "cards" and self.action_layers:
            raise ValueError(
                "the 'cards' observation has no numbers for each action: give --action-layers "
                "without a number"
            )
        if self.num_envs * self.num_steps < 2:
            raise ValueError("an update needs two decisions or more: num_envs × num_steps is 1")

    @property
    def update_size(self) -> int:
        """Decisions between two updates; for whole deals about so many."""
        if self.credit != "rewards":
            return self.num_envs * self.num_deals * DECISIONS_A_DEAL
        return self.num_envs * self.num_steps

    @property
    def num_updates(self) -> int:
        """Updates of the whole run."""
        return math.ceil(self.timesteps / self.update_size)

    def to_json(self) -> dict[str, Any]:
        """Return the values as what JSON holds."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in dataclasses.asdict(self).items()
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Config:
        """Return the configuration that `to_json` described.

        Raises:
            ValueError: an unknown field, or a bad value.

        >>> Config.from_json(Config(seed=3).to_json()).seed
        3
        """
        names = {option.name for option in dataclasses.fields(cls)}
        if unknown := sorted(set(values) - names):
            raise ValueError(f"unknown settings: {', '.join(unknown)}")
        given: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in values.items()
        }
        return cls(**given)


def _check_type(option: dataclasses.Field[Any], value: Any) -> None:
    """Refuse a value of another type than that of the option: from a file it may be anything."""
    if value is None and option.default is None:
        return
    many = value if isinstance(option.default, tuple) else (value,)
    one = option.default[0] if isinstance(option.default, tuple) else option.default
    kinds = {int: (int,), float: (int, float), str: (str,)}.get(type(one))
    if kinds is None:  # an option without a default
        kinds = (str,) if option.metadata["type"] is str else (int, float)
    if not isinstance(many, tuple) or not all(type(value) in kinds for value in many):
        words = " or ".join(kind.__name__ for kind in kinds)
        several = "several of " if isinstance(option.default, tuple) else ""
        raise TypeError(f"{option.name} must be {several}{words}, not {value!r}")
    choices = option.metadata.get("choices")
    if choices is not None and value not in choices:
        raise ValueError(f"{option.name} must be one of {', '.join(choices)}, not {value}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add an option for each field; only what is given appears in the parsed namespace."""
    for option in dataclasses.fields(Config):
        settings = dict(option.metadata)
        shown = settings.pop("shown", option.default)
        if isinstance(shown, tuple):
            shown = " ".join(map(str, shown))
        settings["help"] = f"{settings['help']} (default: {'none' if shown is None else shown})"
        if "choices" not in settings:
            settings.setdefault("metavar", "X" if option.name != "opponent" else "PLAYER")
        parser.add_argument(
            f"--{option.name.replace('_', '-')}", default=argparse.SUPPRESS, **settings
        )


def from_arguments(given: argparse.Namespace) -> dict[str, Any]:
    """Return the fields that a command line gave, as keyword arguments of `Config`."""
    names = {option.name for option in dataclasses.fields(Config)}
    return {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in vars(given).items()
        if name in names
    }


def check_resumed(config: Config, given: Mapping[str, Any]) -> Config:
    """Return the configuration of a run that goes on, with what was given anew.

    Raises:
        ValueError: something was given that a run can't change, and differs.

    >>> check_resumed(Config(), {"timesteps": 5_000_000}).timesteps
    5000000
    >>> check_resumed(Config(), {"seed": 7})
    Traceback (most recent call last):
    ValueError: a resumed run keeps its seed 0; given was 7
    """
    for name, value in given.items():
        if name not in CHANGEABLE and value != getattr(config, name):
            raise ValueError(
                f"a resumed run keeps its {name} {in_words(getattr(config, name))}; "
                f"given was {in_words(value)}"
            )
    return dataclasses.replace(config, **given)


def in_words(value: Any) -> str:
    """Return a setting as the command line has it; an empty list is none."""
    return (" ".join(map(str, value)) or "none") if isinstance(value, tuple) else str(value)
