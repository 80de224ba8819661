"""Where the parts of matches are played: on the machines of a Ray cluster."""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Mapping
from concurrent.futures import BrokenExecutor, Future
from typing import Any, Final

from agents.cluster import connected
from agents.executors import Packed, PlayerError, Table, describe_failure, packed, unpacked
from agents.parts import PlayedPart
from cribbage_env.engine.compile import SOURCE_DIGEST
from cribbage_env.match import MatchSettings
from cribbage_env.policy import Policy

__all__ = ["RayWorkers"]

RETRIES: Final = 20
"""How often a part is played again when its worker, or the machine of it, is gone."""


class RayWorkers:
    """Plays parts as tasks of Ray, on this machine or on a cluster.

    Each task takes one processor. A part whose worker dies, or loses its machine, is played again
    elsewhere. The players are sent as `agents.executors.Processes` sends them, so every machine
    needs this checkout, importable, with its requirements.
    """

    def __init__(
        self,
        players: Mapping[str, Policy],
        *,
        address: str | None = None,
        num_cpus: int | None = None,
    ) -> None:
        """Connect to the cluster at an address, or start one of this machine alone.

        `num_cpus` is the number of parts at once on this machine, by default one for each
        processor; a cluster knows its own.

        Raises:
            ValueError: Ray isn't installed, no cluster answers there, or a player is registered in
                this process only and can't be sent to others.
        """
        sent = {name: packed(name, player) for name, player in players.items()}
        with contextlib.ExitStack() as stack:
            stack.enter_context(connected(address, num_cpus))
            self._connection = stack.pop_all()
        import ray

        self._ray = ray
        self._table = Table(players)
        self._key = uuid.uuid4().hex
        self._sent = ray.put(sent)
        self._play = ray.remote(num_cpus=1, max_retries=RETRIES)(_play)
        self._tasks: dict[Future[PlayedPart], Any] = {}

    @property
    def at_once(self) -> int:
        """Twice the processors that the cluster has now, so that none waits for its next part."""
        return 2 * max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(
        self, a: str, b: str, first: int, stop: int, settings: MatchSettings
    ) -> Future[PlayedPart]:
        """Have a part played by whichever worker is free."""
        self._table.prepare(a, b)  # compiled once here, and not by all of them at once
        task = self._play.remote(self._key, self._sent, SOURCE_DIGEST, a, b, first, stop, settings)
        part: Future[PlayedPart] = Future()
        self._tasks[part] = task
        task.future().add_done_callback(lambda answer: self._hand_over(answer, part))
        return part

    def _hand_over(self, answer: Future[Any], part: Future[PlayedPart]) -> None:
        """Settle a part as its task has ended; called in a thread of Ray's."""
        self._tasks.pop(part, None)
        if not part.set_running_or_notify_cancel():  # nobody waits for it any more
            return
        error = answer.exception()
        if error is not None:
            part.set_exception(BrokenExecutor(describe_failure(error)))
        elif isinstance(answer.result(), str):
            part.set_exception(PlayerError(answer.result()))
        else:
            part.set_result(answer.result())

    def close(self) -> None:
        """Leave the cluster; what is under way ends at once."""
        for task in list(self._tasks.values()):
            with contextlib.suppress(Exception):  # it may have ended, or Ray may be gone
                self._ray.cancel(task, force=True)
        self._connection.close()


# ---- what a worker does ------------------------------------------------------------------------

_tables: dict[str, Table] = {}
"""The players of this process, by the key of the evaluation that sent them; one at a time."""


def _play(
    key: str,
    sent: Packed,
    digest: str,
    a: str,
    b: str,
    first: int,
    stop: int,
    settings: MatchSettings,
) -> PlayedPart | str:
    """Return a part, or in one line why there is none: an exception may not survive the way."""
    if digest != SOURCE_DIGEST:
        return "a machine of the cluster has another version of cribbage_env than this one"
    try:
        if key not in _tables:
            _tables.clear()
            _tables[key] = Table(unpacked(sent))
        return _tables[key].play(a, b, first, stop, settings)
    except Exception as error:  # noqa: BLE001 (a user's own player may raise anything)
        return describe_failure(error)
