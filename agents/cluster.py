"""Ray, started on this machine or found running on several, and left again."""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import socket
from collections.abc import Iterator
from typing import Final

__all__ = ["check_address", "check_ray", "connected"]

AUTO: Final = "auto"
"""The address that stands for a cluster which runs on this machine."""
CLIENT: Final = "ray://"
"""What the address of a cluster begins with that is reached through its client server."""

ANSWER_SECONDS: Final = 5.0
"""How long a cluster may take to answer; Ray itself would try for minutes."""
OBJECT_STORE: Final = 1 << 29
"""Bytes of shared memory for what processes of one machine hand to each other."""


def check_ray(what: str) -> None:
    """Make sure that Ray is installed.

    Raises:
        ValueError: it isn't; names the extra.
    """
    if importlib.util.find_spec("ray") is None:
        raise ValueError(f"{what} needs Ray: pip install -c constraints-ray.txt -e '.[ray]'")


def check_address(address: str) -> None:
    """Make sure that a cluster can be reached.

    Raises:
        ValueError: it is no address, or nothing answers there.

    >>> check_address("here")
    Traceback (most recent call last):
    ValueError: address must be auto, HOST:PORT or ray://HOST:PORT, not 'here'
    """
    if address == AUTO:
        return
    host, _, port = address.removeprefix(CLIENT).rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError(f"address must be auto, HOST:PORT or ray://HOST:PORT, not {address!r}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), ANSWER_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise ValueError(f"no Ray cluster answers at {address}: {error}") from error


@contextlib.contextmanager
def connected(address: str | None, num_cpus: int | None = None) -> Iterator[None]:
    """Be connected to Ray: to the cluster at an address, or to one of this machine alone.

    What was started here ends with it. Where this process is connected already, it stays so.
    `num_cpus` is the number of tasks at once on this machine, by default one for each processor.

    Raises:
        ValueError: Ray isn't installed, or there is no cluster at the address.
    """
    check_ray("a cluster")
    if address is not None:
        check_address(address)
    # Ray reports its use to its makers unless told not to, and by default shows a page of its own.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    # What a later version of Ray will do anyway; without a GPU it makes no difference.
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray

    if ray.is_initialized():
        yield
        return
    try:
        if address is not None:
            ray.init(address, logging_level=logging.ERROR, log_to_driver=False)
        else:
            ray.init(
                "local",
                num_cpus=num_cpus,
                object_store_memory=OBJECT_STORE,
                include_dashboard=False,
                logging_level=logging.ERROR,
                log_to_driver=False,
            )
    except Exception as error:  # Ray raises no narrower one where a machine is too busy to start
        ray.shutdown()  # what had started already
        raise ValueError(f"no connection to Ray: {error}") from error
    try:
        yield
    finally:
        ray.shutdown()
