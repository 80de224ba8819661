"""`CribbageEnv`: one game of cribbage as a Gymnasium environment."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from cribbage_env.actions import NUM_ACTIONS, parse_action_number
from cribbage_env.engine.layout import NOBODY
from cribbage_env.envs.settings import (
    FORFEIT,
    RAISE,
    Opponents,
    Settings,
    check_rendering,
    make_settings,
)
from cribbage_env.envs.stepping import LEGAL, SKIP, act, draw_opponent, report
from cribbage_env.game import Game, IllegalActionError, new_seed
from cribbage_env.game.game import check_seed
from cribbage_env.lanes import CALLER, Lanes
from cribbage_env.observation import CARDS, KINDS, size
from cribbage_env.rendering.display import RENDER_MODES, Display
from cribbage_env.rewards import skunk_of

__all__ = ["CribbageEnv", "NotBegunError"]

Info = dict[str, Any]
PHASES = ("discard", "play", "over", "over")
_EVERY = np.ones(1, np.bool_)


class NotBegunError(gymnasium.error.ResetNeeded, ValueError):
    """A step before the first reset, or after the end of the game."""


class Seat(int):
    """A seat where None may stand as well.

    Gymnasium's vector environments gather infos in arrays: of int64 for an int, which cannot hold a
    tie's None, but of objects for this.
    """


class CribbageEnv(gymnasium.Env[NDArray[np.float32], SupportsIndex]):
    """A game against an opponent; the learner is seat 0.

    Args:
        opponent: a player's name, a list of names to draw from for each game, a `Policy`, or None:
            the caller moves both seats, rewards are seat 0's, and ``info["seat"]`` says who is to
            act.
        target: holes to reach (R2).
        reward: ``"score_diff"``, ``"win"`` or ``"skunk"``, see `cribbage_env.rewards`.
        observation: ``"cards"`` or ``"features"``, see `cribbage_env.observation`.
        illegal_action: ``"forfeit"`` ends the game, the opponent credited with the target;
            ``"random"`` plays a legal action instead and says so in ``info["illegal_action"]``;
            ``"raise"`` refuses.
        render_mode: None; ``"ansi"``: `render` returns the table as text; ``"rgb_array"``: as a
            picture; ``"human"``: every move is shown in a window, ``metadata["render_fps"]`` a
            second, or printed as text where there is no display.
        render_scale: 1 to 4, how many times 960 by 640 pixels a picture has.
        is_one_deal: one deal is the episode.

    Raises:
        ValueError: a value that is not allowed; names it and says what is.
        TypeError: a value of the wrong type.

    >>> env = CribbageEnv(opponent="random")
    >>> observation, info = env.reset(seed=1)
    >>> observation.shape, info["phase"], int(info["action_mask"].sum())
    ((384,), 'discard', 15)
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}  # noqa: RUF012

    def __init__(
        self,
        opponent: Opponents = "greedy",
        *,
        target: int = 121,
        reward: str = "score_diff",
        observation: str = "cards",
        illegal_action: str = "forfeit",
        render_mode: str | None = None,
        render_scale: int = 1,
        is_one_deal: bool = False,
    ) -> None:
        """Make the environment; nothing is dealt before `reset`."""
        check_rendering(render_mode, render_scale)
        self.render_mode = render_mode
        self._display = Display(render_mode, int(render_scale))
        self.settings = make_settings(
            opponent, target, reward, observation, illegal_action, is_one_deal
        )
        self._size = size(KINDS[self.settings.observation])
        self.observation_space = spaces.Box(0.0, 1.0, (self._size,), np.float32)
        self.action_space = spaces.Discrete(NUM_ACTIONS)
        self._lanes = Lanes(1, self.settings.opponents, is_one_deal=is_one_deal)
        self._game: Game | None = None
        self._seed: int | None = None
        self._margins = np.zeros(1, np.int64)
        self._actions = np.zeros(1, np.int64)
        self._illegal = np.full(1, LEGAL, np.int64)

    @property
    def game(self) -> Game:
        """The game that is being played: full information, for people and tools.

        Raises:
            NotBegunError: before the first reset.
        """
        if self._game is None:
            raise NotBegunError("there is no game yet: call reset() first")
        return self._game

    def action_masks(self) -> NDArray[np.bool_]:
        """Return which actions are legal, bool ``(19,)``: the method sb3-contrib looks for."""
        return self.game.action_mask().astype(np.bool_)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], Info]:
        """Begin game 0 of a seed or, without one, the next game of the last seed.

        Options: ``dealer`` (0, 1 or None to cut), ``scores`` (own, opponent), ``deck``.

        Raises:
            ValueError: an unknown option or a bad value; the game goes on as it was.
            TypeError: a value of the wrong type.
        """
        if seed is not None:
            seed = check_seed(seed)
            first, number = seed, 0
        elif self._seed is None or self._game is None:
            first, number = new_seed(), 0
        else:
            first, number = self._seed, self._game.number + 1
        game = Game.replay(self.settings.beginning(first, number, options))
        choices = len(self.settings.opponents)
        opponent = draw_opponent(np.uint64(first), number, choices) if choices else CALLER
        with self._undone_on_error():
            self._lanes.states, self._lanes.seats[0, 1] = game.state, opponent
            self._actions[0] = SKIP  # the kernel of a step: one less to compile before a game
            self._act(game)
        super().reset(seed=seed)
        self._seed, self._game = first, game
        game.absorb_log()
        self._margins[0] = game.scores[0] - game.scores[1]
        self._illegal[0] = LEGAL
        observation, _, _, info = self._report()
        self._show()
        return observation, info

    def step(self, action: SupportsIndex) -> tuple[NDArray[np.float32], float, bool, bool, Info]:
        """Take an action 0..18 and play on to the learner's next decision or the end.

        Raises:
            NotBegunError: before reset or after the end.
            IllegalActionError: illegal under ``illegal_action="raise"``; names the rule.
            ValueError: outside 0..18.
            TypeError: not an integer.
        """
        game = self._game
        if game is None:
            raise NotBegunError("step() before reset(): call reset() to begin a game")
        if game.state["turn"][0] == NOBODY:
            raise NotBegunError("step() after the end of the game: call reset() to begin another")
        self._actions[0] = parse_action_number(action)
        if self._lanes.has_policies:
            with self._undone_on_error():
                self._act(game)
        else:  # kernels refuse before they change anything; to keep a copy is half of a step's time
            self._act(game)
        game.absorb_log()
        observation, reward, terminated, info = self._report()
        self._show()
        return observation, reward, terminated, False, info

    def _act(self, game: Game) -> None:
        lanes, settings = self._lanes, self.settings
        act(
            game.state,
            lanes.seats,
            lanes.records,
            lanes.book,
            game.log,
            lanes.tally,
            settings.is_one_deal,
            settings.illegal_action,
            self._actions,
            self._illegal,
        )
        if self._illegal[0] != LEGAL and settings.illegal_action == RAISE:
            raise IllegalActionError(game.why_not(int(self._illegal[0])))
        if lanes.has_policies or lanes.has_deep:
            lanes.play_on(game.log)

    @contextmanager
    def _undone_on_error(self) -> Iterator[None]:
        """Put everything back if a policy fails, so that the game stands as before the call."""
        lanes, game = self._lanes, self._game
        before = lanes.states.copy(), int(lanes.seats[0, 1])
        try:
            yield
        except BaseException:
            lanes.states, lanes.seats[0, 1] = before
            if game is not None:
                game.state[:] = before[0]
                game.log[0, 0] = 0
                lanes.states = game.state
            raise

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over a copy or a pickle; the lane and the game share one state again."""
        vars(self).update(state)
        if self._game is not None:
            self._lanes.states = self._game.state

    def _report(self) -> tuple[NDArray[np.float32], float, bool, Info]:
        """Return what the learner sees and gets, every array fresh."""
        game, lanes, settings = self.game, self._lanes, self.settings
        observations = np.empty((1, self._size), np.float32)
        masks = np.empty((1, NUM_ACTIONS), np.int8)
        rewards = np.empty(1)
        terminated = np.empty(1, np.bool_)
        was_illegal = int(self._illegal[0])
        is_forfeit = was_illegal != LEGAL and settings.illegal_action == FORFEIT
        report(
            game.state,
            _EVERY,
            lanes.seats,
            settings.reward,
            self._margins,
            np.array([is_forfeit]),
            observations,
            masks,
            rewards,
            terminated,
        )
        if settings.observation != CARDS:
            turn = 0 if settings.opponents else max(game.turn or 0, 0)
            lanes.add_numbers(
                np.zeros(1, np.int64), np.array([turn]), settings.observation, observations
            )
        is_over = bool(terminated[0])
        info: Info = {
            "action_mask": masks[0],
            "scores": game.state["scores"][0].astype(np.int64),
            "dealer": int(game.state["dealer"][0]),
            "phase": PHASES[game.state["phase"][0]],
        }
        if lanes.seats[0, 1] == CALLER and not is_over:
            info["seat"] = game.turn
        if was_illegal != LEGAL:
            info["illegal_action"] = was_illegal
        if is_over:
            if is_forfeit:
                info["forfeit"] = True
            info |= ending_of(game, is_forfeit)
        return observations[0], float(rewards[0]), is_over, info

    def _show(self) -> None:
        if self.render_mode == "human":
            self._display.show(self.game, self._viewer(), self.metadata["render_fps"])

    def _viewer(self) -> int | None:
        return viewer_of(self.game, self.settings)

    def render(self) -> Any:
        """Return the table, seen from the learner's seat or from that of the seat to act.

        ``"ansi"``: text; ``"rgb_array"``: uint8 ``(640, 960, 3)`` times the scale; ``"human"``:
        None, as every move is shown by itself.

        Raises:
            NotBegunError: before the first reset.
            NotInstalledError: for ``"rgb_array"`` without Pillow; names the extra.
        """
        return self._display.render(self.game, self._viewer()) if self.render_mode else None

    def close(self) -> None:
        """Close the window if there is one."""
        self._display.close()


def viewer_of(game: Game, settings: Settings) -> int | None:
    """Return who looks on: the learner or, where the caller moves both seats, the seat to act."""
    return 0 if settings.opponents else game.turn


def ending_of(game: Game, is_forfeit: bool) -> Info:
    """Return what `info` says of a game that is over."""
    margin = game.scores[0] - game.scores[1]
    is_won = game.winner is not None
    winner = game.winner
    if game.beginning.is_one_deal:  # won by whoever is ahead after it
        winner = None if margin == 0 else Seat(margin < 0)
    return {
        "winner": winner,
        "margin": margin,
        "skunk": int(skunk_of(game.state[0])) if is_won and not is_forfeit else 0,
        "deals": game.deals,
        "is_success": winner == 0,
    }
