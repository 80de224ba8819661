"""Fixtures of tests in several folders."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest


@pytest.fixture
def random_numbers_stay() -> Iterator[None]:
    """Put the global random numbers back, which making a run seeds; other tests don't notice."""
    import torch

    threads, state = torch.get_num_threads(), np.random.get_state()  # noqa: NPY002
    with torch.random.fork_rng():
        yield
    torch.set_num_threads(threads)
    np.random.set_state(state)  # noqa: NPY002
