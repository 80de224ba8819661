"""What is drawn for games, wherever Hypothesis plays them."""

from __future__ import annotations

from typing import Any

from hypothesis import settings, strategies

SEEDS = strategies.integers(0, 2**64 - 1)
SEATS = strategies.sampled_from((0, 1))
TARGETS = strategies.sampled_from((121, 121, 61, 31, 9, 2, 1, 1000))
LUCK = strategies.integers(0, 2**16)
DECKS = strategies.none() | strategies.permutations(range(52)).map(lambda deck: deck[:13])


@strategies.composite
def scores_below(draw: Any, target: int) -> tuple[int, int]:
    """Draw scores, often near the end of the game."""
    least = draw(strategies.sampled_from((0, max(0, target - 12))))
    score = strategies.just(0) | strategies.integers(least, target - 1)
    return draw(score), draw(score)


def machine_settings(*, max_examples: int, steps: int) -> settings:
    """Return settings under which a machine does the same at every run."""
    return settings(
        derandomize=True,
        database=None,
        deadline=None,
        max_examples=max_examples,
        stateful_step_count=steps,
    )
