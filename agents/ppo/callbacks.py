"""What happens between two updates: evaluations, checkpoints, a clean stop, a progress bar.

An update ends with the policy changed and the next decisions not yet made: everything here happens
then, so that a checkpoint holds one consistent moment.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback
from tqdm import tqdm

from agents.ppo.clock import BESIDES, Clock
from agents.ppo.stopping import StopRequest, StopTraining

__all__ = [
    "BetweenUpdates",
    "ClockHand",
    "Every",
    "ProgressBar",
    "StopRequest",
    "StopTraining",
    "Stopper",
]


class BetweenUpdates(BaseCallback):
    """Something that may happen after each update, the last one included.

    `is_from_start`: also before the first update of a new run.
    """

    def __init__(self, *, is_from_start: bool = False) -> None:
        super().__init__()
        self._is_from_start = is_from_start
        self._done_at = -1

    def between_updates(self, *, is_last: bool) -> None:
        """Do it; ``self.num_timesteps`` decisions have been made."""
        raise NotImplementedError

    def _on_training_start(self) -> None:
        is_due = self._is_from_start and self.num_timesteps == 0
        self._done_at = -1 if is_due else self.num_timesteps

    def _on_rollout_start(self) -> None:
        self._happen(is_last=False)

    def _on_training_end(self) -> None:
        self._happen(is_last=True)

    def _on_step(self) -> bool:
        return True

    def _happen(self, *, is_last: bool) -> None:
        if self.num_timesteps > self._done_at:
            self.between_updates(is_last=is_last)
            self._done_at = self.num_timesteps


class Every(BetweenUpdates):
    """Calls a function whenever a number of decisions is passed.

    `is_at_end`: also after the last update, whether or not it is due.
    """

    def __init__(
        self,
        decisions: int,
        function: Callable[[], None],
        *,
        is_from_start: bool = False,
        is_at_end: bool = True,
    ) -> None:
        super().__init__(is_from_start=is_from_start)
        self._decisions = decisions
        self._function = function
        self._is_at_end = is_at_end

    def between_updates(self, *, is_last: bool) -> None:
        """Call the function if it is due."""
        is_due = self.num_timesteps // self._decisions > self._done_at // self._decisions
        if is_due or (is_last and self._is_at_end):
            self._function()


class Stopper(BetweenUpdates):
    """Ends the training, after a checkpoint, when that is asked for or the time is up."""

    def __init__(
        self, request: StopRequest, time_limit: float | None, save: Callable[[], None]
    ) -> None:
        super().__init__()
        self._request = request
        self._time_limit = time_limit
        self._save = save
        self._began = time.monotonic()

    def between_updates(self, *, is_last: bool) -> None:
        """Raise `StopTraining` where the training is to end before its last update."""
        if self._time_limit is not None and time.monotonic() - self._began >= self._time_limit:
            self._request.reason = self._request.reason or "the time limit is reached"
        if self._request.reason and not is_last:
            self._save()
            raise StopTraining(self._request.reason)


class ProgressBar(BaseCallback):
    """A bar of the decisions made; nothing where there is no terminal."""

    def __init__(self, total: int) -> None:
        super().__init__()
        self._total = total
        self._bar: tqdm[Any] | None = None

    def note(self, **figures: str) -> None:
        """Show figures behind the bar."""
        if self._bar is not None:
            self._bar.set_postfix(figures)

    def close(self) -> None:
        """Leave the bar as it stands."""
        if self._bar is not None:
            self._bar.close()

    def _on_training_start(self) -> None:
        self._bar = tqdm(
            total=self._total,
            initial=self.num_timesteps,
            unit=" decisions",
            unit_scale=True,
            disable=None,
            dynamic_ncols=True,
        )

    def _on_step(self) -> bool:
        if self._bar is not None:
            self._bar.update(self.num_timesteps - self._bar.n)
        return True


class ClockHand(BaseCallback):
    """Turns a clock when stable-baselines3 begins and ends to play; no name turns nothing.

    stable-baselines3 calls its callbacks in order before it plays. One hand at the beginning of
    them and one at the end tell apart what they take from the playing that follows.
    """

    def __init__(self, clock: Clock, *, before_play: str, after_play: str = "") -> None:
        super().__init__()
        self._clock = clock
        self._before_play = before_play
        self._after_play = after_play

    def _on_rollout_start(self) -> None:
        self._clock.turn_to(self._before_play)

    def _on_rollout_end(self) -> None:
        if self._after_play:
            self._clock.turn_to(self._after_play)

    def _on_training_end(self) -> None:
        self._clock.turn_to(BESIDES)

    def _on_step(self) -> bool:
        return True
