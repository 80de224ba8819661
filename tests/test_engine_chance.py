"""The random numbers of deals against SplitMix64 in whole numbers of Python."""

from __future__ import annotations

import numpy as np
import pytest

from cribbage_env.engine.chance import decision_key, draw, shuffle, stream_of

pytestmark = pytest.mark.kernels

ALL_BITS = 2**64 - 1
STEP = 0x9E3779B97F4A7C15
KEYS = 0x5851F42D4C957F2D
SEEDS = (0, 1, 12_345, 2**32, 2**63 + 5, ALL_BITS)


def mix(number: int) -> int:
    """The finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    number = ((number ^ number >> 30) * 0xBF58476D1CE4E5B9) & ALL_BITS
    number = ((number ^ number >> 27) * 0x94D049BB133111EB) & ALL_BITS
    return number ^ number >> 31


def number_of(stream: int, counter: int) -> int:
    return mix((stream + (counter + 1) * STEP) & ALL_BITS)


def stream(seed: int, game: int, deal: int) -> int:
    return number_of(number_of(mix((seed + STEP) & ALL_BITS), game), deal)


def drawn(of: int, counter: int, below: int) -> int:
    return (number_of(of, counter) >> 32) * below >> 32


@pytest.mark.parametrize("seed", SEEDS)
def test_streams_and_numbers(seed: int) -> None:
    for game, deal in ((0, 0), (0, 1), (1, 0), (7, 30)):
        found = np.uint64(stream_of(np.uint64(seed), game, deal))
        assert int(found) == stream(seed, game, deal)
        for counter, below in ((0, 52), (1, 51), (2, 52), (12, 40), (63, 2), (5, 1000)):
            assert draw(found, counter, below) == drawn(int(found), counter, below)


def test_the_first_number_of_splitmix64_is_the_published_one() -> None:
    # The generator that starts from 0 adds the step once before it mixes.
    assert mix(STEP) == 0xE220A8397B1DCDAF


@pytest.mark.parametrize("seed", SEEDS)
def test_keys_of_decisions(seed: int) -> None:
    for game, deal, seat, decision in ((0, 1, 0, 0), (0, 1, 1, 0), (2, 3, 0, 4), (2, 3, 1, 4)):
        place = 64 * seat + decision + 1
        key = mix(((stream(seed, game, deal) ^ KEYS) + place * STEP) & ALL_BITS)
        expected = (mix(key ^ KEYS) + key) & ALL_BITS
        assert int(decision_key(np.uint64(seed), game, deal, seat, decision)) == expected


@pytest.mark.parametrize("number", [0, 1, 13, 51, 52])
def test_a_shuffle_draws_one_place_after_the_other(number: int) -> None:
    of = stream(3, 4, 5)
    deck = np.arange(52, dtype=np.int16)
    shuffle(np.uint64(of), deck, number)
    expected = list(range(52))
    for place in range(number):
        other = place + drawn(of, place, 52 - place)
        expected[place], expected[other] = expected[other], expected[place]
    assert deck.tolist() == expected
