"""Where the parts of matches are played: in this process, or in several.

An `Executor` is all that an evaluation knows of it. It is handed names, not players, so that what
it is asked for can travel to another process or machine; a part always brings the same, whoever
plays it and in what order.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
import threading
import traceback
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from agents.parts import PlayedPart, play_part
from cribbage_env.extras import NotInstalledError
from cribbage_env.match import MatchSettings
from cribbage_env.match.play import load_kernels
from cribbage_env.policy import Policy, make_policy, opponent_names

__all__ = [
    "Executor",
    "Packed",
    "PlayerError",
    "Processes",
    "SameProcess",
    "Table",
    "describe_failure",
    "packed",
    "unpacked",
]

Packed: TypeAlias = Mapping[str, bytes | None]
"""Players by name as what travels; None for one that each process makes by its name."""


class PlayerError(RuntimeError):
    """What a player did wrong in another process, in one line."""


class Executor(Protocol):
    """Plays parts of matches."""

    @property
    def at_once(self) -> int:
        """How many parts it wants to have been asked for at any time."""
        ...

    def submit(
        self, a: str, b: str, first: int, stop: int, settings: MatchSettings
    ) -> Future[PlayedPart]:
        """Have the pairs `first` to `stop`-1 of a match of two players played."""
        ...

    def close(self) -> None:
        """End at once; parts that are under way are lost."""
        ...


class SameProcess:
    """Plays each part when it is asked for.

    >>> from cribbage_env import make_policy
    >>> executor = SameProcess({name: make_policy(name) for name in ("club", "random")})
    >>> executor.submit("club", "random", 0, 3, MatchSettings(games=6)).result().pair_wins
    '222'
    """

    at_once = 1

    def __init__(self, players: Mapping[str, Policy]) -> None:
        self._table = Table(players)

    def submit(
        self, a: str, b: str, first: int, stop: int, settings: MatchSettings
    ) -> Future[PlayedPart]:
        """Play a part; an interruption or an error is raised here."""
        future: Future[PlayedPart] = Future()
        future.set_result(self._table.play(a, b, first, stop, settings))
        return future

    def close(self) -> None:
        """Do nothing: nothing is under way."""


class Processes:
    """Plays parts in processes of their own, started afresh ("spawn") on every system.

    The players of this package are sent to them as they are here, so that all play with the same
    weights even while a training run writes new ones; ``package.module:factory`` is made in each
    of them by its name. They end with this process, however it ends.

    Use it in a program whose main module is guarded by ``if __name__ == "__main__"``.
    """

    def __init__(self, workers: int, players: Mapping[str, Policy]) -> None:
        """Start no process yet.

        Raises:
            ValueError: no worker at all, or more than the system allows; or a player that is
                registered in this process only and can't be sent to others.
        """
        if workers < 1:
            raise ValueError(f"workers must be 1 or more, not {workers}")
        sent = {name: packed(name, player) for name, player in players.items()}
        self.at_once = 2 * workers  # so that none has to wait for its next part
        self._table = Table(players)
        context = multiprocessing.get_context("spawn")
        ours, self._lifeline = context.Pipe(duplex=False)
        self._reader = ours
        try:
            self._pool = ProcessPoolExecutor(
                workers, context, initializer=_begin_worker, initargs=(ours, sent)
            )
        except (OSError, OverflowError, ValueError) as error:
            self._lifeline.close()
            ours.close()
            raise ValueError(
                f"{workers} workers are more than the system allows: {error}"
            ) from error

    def submit(
        self, a: str, b: str, first: int, stop: int, settings: MatchSettings
    ) -> Future[PlayedPart]:
        """Have a part played by whichever process is free."""
        self._table.prepare(a, b)  # compiled once here, and not by all of them at once
        with _deaf_children():
            return self._pool.submit(_play_in_worker, a, b, first, stop, settings)

    def close(self) -> None:
        """End all processes at once."""
        self._lifeline.close()
        self._reader.close()
        self._pool.shutdown(cancel_futures=True)


def describe_failure(error: BaseException) -> str:
    """Return an exception in one line; one that isn't a refusal, with the place it comes from."""
    if isinstance(error, (PlayerError, NotInstalledError, TypeError, ValueError)):
        return " ".join(str(error).split())
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if frames else ""
    return " ".join(f"{error!r}{place}".split())


class Table:
    """Where players of one process sit down together."""

    def __init__(self, players: Mapping[str, Policy]) -> None:
        self.players = players
        self._met: set[tuple[str, str]] = set()

    def prepare(self, a: str, b: str) -> None:
        """Compile or load all that a match needs, so that it isn't timed."""
        if (a, b) not in self._met:
            load_kernels(self.players[a], self.players[b])
            self._met.add((a, b))

    def play(self, a: str, b: str, first: int, stop: int, settings: MatchSettings) -> PlayedPart:
        """Play a part of a match."""
        self.prepare(a, b)
        return play_part(self.players[a], self.players[b], first, stop, settings)


# ---- what a worker does ------------------------------------------------------------------------


class _Unpacked(dict[str, Policy]):
    """The players of a worker, each made when it is first asked for."""

    def __init__(self, sent: Packed) -> None:
        super().__init__()
        self.sent = sent

    def __missing__(self, name: str) -> Policy:
        content = self.sent[name]
        self[name] = make_policy(name) if content is None else pickle.loads(content)
        return self[name]


_PLAYERS = _Unpacked({})
_TABLE = Table(_PLAYERS)


def packed(name: str, player: Policy) -> bytes | None:
    """Return a player as bytes, or None for one that each process can make by its name.

    Raises:
        ValueError: it is registered in this process only and can't be sent to others.
    """
    kind = name.partition(":")[0]
    if kind not in opponent_names() and kind != "ppo":
        return None
    try:
        return pickle.dumps(player)
    except Exception as error:
        raise ValueError(
            f"player {name!r} is registered in this process only and can't be sent to others "
            f"({describe_failure(error)}); name it package.module:factory"
        ) from error


def unpacked(sent: Packed) -> Mapping[str, Policy]:
    """Return the players that were sent, each made when it is first asked for."""
    return _Unpacked(sent)


def _begin_worker(lifeline: Connection, sent: Packed) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the first process's to handle
    _PLAYERS.sent = sent
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()


def _end_with(lifeline: Connection) -> None:
    """Leave when the other end is closed: by `Processes.close`, or because its process is gone."""
    with contextlib.suppress(EOFError, OSError):
        lifeline.recv()
    os._exit(1)


def _play_in_worker(a: str, b: str, first: int, stop: int, settings: MatchSettings) -> PlayedPart:
    try:
        return _TABLE.play(a, b, first, stop, settings)
    except Exception as error:
        # A player's own exception may not survive the way back.
        raise PlayerError(describe_failure(error)) from error


@contextlib.contextmanager
def _deaf_children() -> Iterator[None]:
    """Let processes that are started meanwhile not hear Ctrl-C, not even while they start.

    It isn't lost to this process, which hears of it right afterwards.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before: Any = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
