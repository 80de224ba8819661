"""`CribbageVectorEnv`: many games in step, each call one pass of the kernels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from cribbage_env.actions import NUM_ACTIONS
from cribbage_env.engine.layout import DEAL_OVER, GAME_OVER, NO_LOG, NOBODY
from cribbage_env.envs.settings import (
    FORFEIT,
    RAISE,
    Opponents,
    check_rendering,
    make_settings,
)
from cribbage_env.envs.single import NotBegunError, viewer_of
from cribbage_env.envs.stepping import LEGAL, SKIP, act, draw_opponents, report
from cribbage_env.envs.watched import WatchedGames
from cribbage_env.game import Beginning, IllegalActionError, new_seed
from cribbage_env.game.game import check_seed
from cribbage_env.lanes import Lanes
from cribbage_env.observation import CARDS, KINDS, size
from cribbage_env.rendering.display import Display
from cribbage_env.rewards import skunk_of

__all__ = ["CribbageVectorEnv"]

Info = dict[str, Any]
PHASES = np.array(["discard", "play", "over", "over"])
RENDER_MODES = ("ansi", "rgb_array")


class CribbageVectorEnv(VectorEnv[NDArray[np.float32], NDArray[np.int64], NDArray[Any]]):
    """N games in step; lane i seeded s+i plays what the single environment seeded s+i plays.

    Args:
        num_envs: the number of lanes.
        autoreset_mode: when a lane whose game is over begins the next: at the next step, in the
            same step (with ``final_obs`` and ``final_info``), or only by ``reset`` with the option
            ``reset_mask``.
        render_mode: None, ``"ansi"`` or ``"rgb_array"``; with one of these lanes move one by one,
            each with its log, which takes longer.

    The other arguments are those of `CribbageEnv`.

    >>> envs = CribbageVectorEnv(4, opponent="random")
    >>> observations, infos = envs.reset(seed=1)
    >>> observations.shape, infos["action_mask"].shape
    ((4, 384), (4, 19))
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (Gymnasium declares it so)
        "render_modes": list(RENDER_MODES),
        "render_fps": 2,
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        opponent: Opponents = "greedy",
        *,
        target: int = 121,
        reward: str = "score_diff",
        observation: str = "cards",
        illegal_action: str = "forfeit",
        render_mode: str | None = None,
        render_scale: int = 1,
        is_one_deal: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        """Make the lanes; nothing is dealt before `reset`."""
        if isinstance(num_envs, bool) or not isinstance(num_envs, (int, np.integer)):
            raise TypeError(f"num_envs must be an integer, not {num_envs!r}")
        if num_envs < 1:
            raise ValueError(f"num_envs must be 1 or more, not {num_envs}")
        check_rendering(render_mode, render_scale, RENDER_MODES)
        self.render_mode = render_mode
        self._display = Display(render_mode, int(render_scale))
        self.num_envs = int(num_envs)
        self.autoreset_mode = _checked_mode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self.autoreset_mode}
        self.settings = make_settings(
            opponent, target, reward, observation, illegal_action, is_one_deal
        )
        self._size = size(KINDS[self.settings.observation])
        self.single_observation_space = spaces.Box(0.0, 1.0, (self._size,), np.float32)
        self.single_action_space = spaces.Discrete(NUM_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.lanes = Lanes(self.num_envs, self.settings.opponents, is_one_deal=is_one_deal)
        self._watched = WatchedGames(self.lanes) if render_mode else None
        self._seeds = np.zeros(self.num_envs, np.uint64)
        self._games = np.full(self.num_envs, -1, np.int64)
        self._margins = np.zeros(self.num_envs, np.int64)
        self._illegal = np.full(self.num_envs, LEGAL, np.int64)

    # Resets -------------------------------------------------------------------------------------

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[NDArray[np.float32], Info]:
        """Begin a game in every lane, or in those of the option ``reset_mask`` (bool ``(N,)``).

        Seed s gives lane i the seed s+i; a list gives each lane its own. The other options are
        those of `CribbageEnv.reset` and apply to every lane that resets now.

        Raises:
            ValueError: an unknown option or a bad value; all games go on as they were.
            TypeError: a value of the wrong type.
        """
        beginning = self.settings.beginning(0, 0, options, extra=("reset_mask",))
        lanes = np.flatnonzero(self._reset_mask((options or {}).get("reset_mask")))
        seeds, games = self._next_games(lanes, seed)
        if len(lanes) < self.num_envs and self._is_any_unbegun(lanes):
            raise NotBegunError("the first reset begins every lane: leave out reset_mask")
        with self._undone_on_error():
            self._begin(lanes, seeds, games, beginning)
        self._absorb_logs()
        super().reset(seed=int(seed) if isinstance(seed, (int, np.integer)) else None)
        self._illegal[:] = LEGAL
        observations, masks, _, _ = self._report()
        return observations, self._infos(masks)

    def _is_any_unbegun(self, lanes: NDArray[np.int64]) -> bool:
        others = np.ones(self.num_envs, np.bool_)
        others[lanes] = False
        return bool((self._games[others] < 0).any())

    def _reset_mask(self, mask: Any) -> NDArray[np.bool_]:
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        mask = np.asarray(mask)
        if mask.dtype != np.bool_:
            raise TypeError(f"reset_mask must be an array of bools, not of {mask.dtype}")
        if mask.shape != (self.num_envs,):
            raise ValueError(f"reset_mask has the shape {mask.shape}, not ({self.num_envs},)")
        return np.asarray(mask)

    def _next_games(
        self, lanes: NDArray[np.int64], seed: Any
    ) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the seed and the number of the game that each of some lanes is to begin."""
        seeds, games = self._seeds[lanes], self._games[lanes] + 1
        if seed is None:
            given: list[int | None] = [None] * self.num_envs
        elif isinstance(seed, (int, np.integer)):
            first = check_seed(seed)
            given = [(first + lane) % 2**64 for lane in range(self.num_envs)]
        elif isinstance(seed, str) or not isinstance(seed, (Sequence, np.ndarray)):
            raise TypeError(f"a seed is an integer, None or a list of these, not {seed!r}")
        else:
            given = [None if one is None else check_seed(one) for one in seed]
            if len(given) != self.num_envs:
                raise ValueError(
                    f"a list of seeds has one for each of the {self.num_envs} lanes, "
                    f"not {len(given)}"
                )
        fresh = None
        for row, lane in enumerate(lanes):
            own = given[lane]
            if own is not None:
                seeds[row], games[row] = own, 0
            elif games[row] == 0:  # never seeded
                fresh = new_seed() if fresh is None else fresh
                seeds[row] = fresh + int(lane)
        return seeds, games

    def _begin(
        self,
        lanes: NDArray[np.int64],
        seeds: NDArray[np.uint64],
        games: NDArray[np.int64],
        beginning: Beginning,
    ) -> None:
        """Begin games in some lanes and play on to the learner's first decision."""
        number = len(lanes)
        self._seeds[lanes], self._games[lanes] = seeds, games
        dealer = NOBODY if beginning.dealer is None else beginning.dealer
        self.lanes.begin(
            lanes,
            seeds,
            games,
            np.full(number, dealer),
            np.tile(np.array(beginning.scores), (number, 1)),
            self.settings.target,
            dict(beginning.decks).get(1),
        )
        if self.settings.opponents:
            choices = len(self.settings.opponents)
            self.lanes.seats[lanes, 1] = draw_opponents(seeds, games, choices)
        if self._watched is None:
            self.lanes.play_on()
        else:
            self._watched.begin(lanes, seeds, games, beginning)
        scores = self.lanes.states["scores"][lanes].astype(np.int64)
        self._margins[lanes] = scores[:, 0] - scores[:, 1]
        self._illegal[lanes] = LEGAL

    def _begin_next(self, is_due: NDArray[np.bool_]) -> None:
        """Begin the next game of each lane that is due one."""
        lanes = np.flatnonzero(is_due)
        if len(lanes):
            seeds, games = self._next_games(lanes, None)
            self._begin(lanes, seeds, games, self.settings.beginning(0, 0, None))

    # Steps --------------------------------------------------------------------------------------

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[
        NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Info
    ]:
        """Take one action in every lane.

        Raises:
            NotBegunError: before the first reset; in mode DISABLED also where a game is over.
            IllegalActionError: illegal under ``illegal_action="raise"``; no lane has moved.
            ValueError: a wrong number of actions, or one outside 0..18.
            TypeError: not integers.
        """
        if self._games[0] < 0:
            raise NotBegunError("step() before reset(): call reset() to begin the games")
        chosen = self._checked(actions)
        was_over = self._is_over()
        if self.autoreset_mode == AutoresetMode.DISABLED and was_over.any():
            raise NotBegunError(
                f"step() after the end of the game in lanes {np.flatnonzero(was_over).tolist()}: "
                "reset them with the option reset_mask"
            )
        is_same_step = self.autoreset_mode == AutoresetMode.SAME_STEP
        with self._undone_on_error():
            self._act(np.where(was_over, SKIP, chosen))
            self._begin_next(was_over)
            observations, masks, rewards, terminated = self._report()
            infos = self._infos(masks, terminated)
            if is_same_step and terminated.any():
                infos = self._begin_in_step(observations, infos, terminated)
        self._absorb_logs()
        return observations, rewards, terminated, np.zeros(self.num_envs, np.bool_), infos

    def _begin_in_step(
        self, observations: NDArray[np.float32], infos: Info, is_due: NDArray[np.bool_]
    ) -> Info:
        """Begin the next game of lanes whose games ended in this step and return the new infos.

        The new first observations take the place of the last ones, which go to ``final_obs``.
        """
        final_obs = np.full(self.num_envs, None, object)
        for lane in np.flatnonzero(is_due):
            final_obs[lane] = observations[lane].copy()
        final_info = {
            name: values & is_due if name.startswith("_") else values
            for name, values in infos.items()
        }
        self._begin_next(is_due)
        _, masks, _, _ = self._report(is_due, observations, infos["action_mask"].copy())
        return self._infos(masks) | {
            "final_obs": final_obs,
            "_final_obs": is_due.copy(),
            "final_info": final_info,
            "_final_info": is_due.copy(),
        }

    @contextmanager
    def _undone_on_error(self) -> Iterator[None]:
        """Put everything back if a policy fails, so that all games stand as before the call."""
        if not self.lanes.has_policies:
            yield
            return
        arrays: tuple[NDArray[Any], ...] = (
            self.lanes.states,
            self.lanes.seats,
            self.lanes.tally,
            self._seeds,
            self._games,
            self._margins,
            self._illegal,
        )
        before = [array.copy() for array in arrays]
        games = None if self._watched is None else list(self._watched.games)
        try:
            yield
        except BaseException:
            for array, values in zip(arrays, before, strict=True):
                array[:] = values
            if self._watched is not None and games is not None:
                self._watched.undo(games)
            raise

    def _absorb_logs(self) -> None:
        if self._watched is not None:
            self._watched.absorb()

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over a copy or a pickle; lanes and watched games share their states again."""
        vars(self).update(state)
        if self._watched is not None:
            self._watched.link(self.lanes)

    def _act(self, actions: NDArray[np.int64]) -> None:
        lanes, settings = self.lanes, self.settings
        if self._watched is not None:
            if settings.illegal_action == RAISE:
                masks = self.action_masks()[np.arange(self.num_envs), np.maximum(actions, 0)]
                self._refuse_illegal(actions, (actions != SKIP) & ~masks)
            self._watched.act(settings, actions, self._illegal)
            return
        act(
            lanes.states,
            lanes.seats,
            lanes.records,
            lanes.book,
            NO_LOG,
            lanes.tally,
            settings.is_one_deal,
            settings.illegal_action,
            actions,
            self._illegal,
        )
        if settings.illegal_action == RAISE:
            is_illegal = self._illegal != LEGAL
            self._illegal[:] = LEGAL
            self._refuse_illegal(actions, is_illegal)
        if lanes.has_policies or lanes.has_deep:
            lanes.play_on()

    def _refuse_illegal(self, actions: NDArray[np.int64], is_illegal: NDArray[np.bool_]) -> None:
        if is_illegal.any():
            lane = int(np.flatnonzero(is_illegal)[0])
            legal = np.flatnonzero(self.action_masks()[lane]).tolist()
            raise IllegalActionError(
                f"action {actions[lane]} is illegal in lane {lane}; legal: {legal}"
            )

    def _checked(self, actions: Any) -> NDArray[np.int64]:
        chosen = np.asarray(actions)
        if not np.issubdtype(chosen.dtype, np.integer):
            raise TypeError(f"actions must be integers, not {chosen.dtype}")
        if chosen.shape != (self.num_envs,):
            raise ValueError(f"actions have the shape {chosen.shape}, not ({self.num_envs},)")
        if ((chosen < 0) | (chosen >= NUM_ACTIONS)).any():
            lane = int(np.flatnonzero((chosen < 0) | (chosen >= NUM_ACTIONS))[0])
            raise ValueError(
                f"action {chosen[lane]} of lane {lane} is outside 0..{NUM_ACTIONS - 1}"
            )
        return chosen.astype(np.int64)

    def _is_over(self) -> NDArray[np.bool_]:
        phases = self.lanes.states["phase"]
        return np.asarray((phases == DEAL_OVER) | (phases == GAME_OVER))

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal in each lane: bool ``(N, 19)``."""
        turns = self.lanes.states["turn"].astype(np.int64)
        every = np.arange(self.num_envs)
        _, masks, _ = self.lanes.observe(every, np.maximum(turns, 0))
        return masks.astype(np.bool_)

    # Reports ------------------------------------------------------------------------------------

    def _report(
        self,
        is_asked: NDArray[np.bool_] | None = None,
        observations: NDArray[np.float32] | None = None,
        masks: NDArray[np.int8] | None = None,
    ) -> tuple[NDArray[np.float32], NDArray[np.int8], NDArray[np.float64], NDArray[np.bool_]]:
        """Return what the learners see and get; every array is fresh but for those handed in.

        With `is_asked` only those rows are written.
        """
        lanes, settings, number = self.lanes, self.settings, self.num_envs
        if observations is None:
            observations = np.empty((number, self._size), np.float32)
        if masks is None:
            masks = np.empty((number, NUM_ACTIONS), np.int8)
        rewards = np.empty(number)
        terminated = np.empty(number, np.bool_)
        asked = np.ones(number, np.bool_) if is_asked is None else is_asked
        report(
            lanes.states,
            asked,
            lanes.seats,
            settings.reward,
            self._margins,
            self._is_forfeit(),
            observations,
            masks,
            rewards,
            terminated,
        )
        if settings.observation != CARDS:
            rows = np.flatnonzero(asked)
            turns = lanes.states["turn"][rows].astype(np.int64)
            seats = np.zeros(len(rows), np.int64) if settings.opponents else np.maximum(turns, 0)
            found = observations if is_asked is None else observations[rows]
            lanes.add_numbers(rows, seats, settings.observation, found)
            if is_asked is not None:
                observations[rows] = found
        return observations, masks, rewards, terminated

    def _is_forfeit(self) -> NDArray[np.bool_]:
        is_forfeit = self.settings.illegal_action == FORFEIT
        return np.asarray((self._illegal != LEGAL) & is_forfeit)

    def _infos(self, masks: NDArray[np.int8], terminated: NDArray[np.bool_] | None = None) -> Info:
        """Return the infos, every array fresh; `terminated` tells whose endings to add."""
        states = self.lanes.states
        every = np.ones(self.num_envs, np.bool_)
        infos: Info = {}
        _add(infos, "action_mask", masks, every)
        _add(infos, "scores", states["scores"].astype(np.int64), every)
        _add(infos, "dealer", states["dealer"].astype(np.int64), every)
        _add(infos, "phase", PHASES[states["phase"]], every)
        if not self.settings.opponents:
            turns = states["turn"].astype(np.int64)
            _add(infos, "seat", np.maximum(turns, 0), turns != NOBODY)
        was_illegal = self._illegal != LEGAL
        if was_illegal.any():
            _add(infos, "illegal_action", np.where(was_illegal, self._illegal, 0), was_illegal)
        if terminated is not None and terminated.any():
            self._add_endings(infos, terminated, self._is_forfeit())
        return infos

    def _add_endings(
        self, infos: Info, terminated: NDArray[np.bool_], is_forfeit: NDArray[np.bool_]
    ) -> None:
        states, settings = self.lanes.states, self.settings
        margins = np.where(terminated, self._margins, 0)
        winners = np.where(margins > 0, 0, 1).astype(object if settings.is_one_deal else np.int64)
        winners[margins == 0] = None if settings.is_one_deal else 0  # a tie has no winner
        skunks = np.zeros(self.num_envs, np.int64)
        for lane in np.flatnonzero(terminated & ~is_forfeit & (states["phase"] == GAME_OVER)):
            skunks[lane] = skunk_of(states[lane])
        deals = np.where(terminated, states["deals"], 0)
        _add(infos, "winner", winners, terminated)
        _add(infos, "margin", margins, terminated)
        _add(infos, "skunk", skunks, terminated)
        _add(infos, "deals", deals, terminated)
        _add(infos, "is_success", terminated & (margins > 0), terminated)
        if (terminated & is_forfeit).any():
            _add(infos, "forfeit", terminated & is_forfeit, terminated & is_forfeit)

    def render(self) -> tuple[Any, ...] | None:
        """Return every lane's table, as `CribbageEnv.render` does one; None without a mode.

        Raises:
            NotBegunError: before the first reset.
            NotInstalledError: for ``"rgb_array"`` without Pillow; names the extra.
        """
        if self._watched is None:
            return None
        frames = []
        for game in self._watched.games:
            if game is None:
                raise NotBegunError("there are no games yet: call reset() first")
            frames.append(self._display.render(game, viewer_of(game, self.settings)))
        return tuple(frames)


def _add(infos: Info, name: str, values: NDArray[Any], is_given: NDArray[np.bool_]) -> None:
    """Add an entry in Gymnasium's form: the values, and for which lanes they are given."""
    infos[name] = values
    infos[f"_{name}"] = is_given.copy()


def _checked_mode(mode: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(mode)
    except ValueError:
        allowed = ", ".join(repr(one.value) for one in AutoresetMode)
        raise ValueError(f"autoreset_mode must be one of {allowed}, not {mode!r}") from None
