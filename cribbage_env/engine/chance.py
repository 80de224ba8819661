"""Counter-based random numbers: the cards of a deal depend on (seed, game, deal) alone.

The mixing function is the finaliser of SplitMix64 (Steele, Lea and Flood, "Fast splittable
pseudorandom number generators", OOPSLA 2014). A number is the mixed sum of a stream and a counter,
so that no state has to be kept and no lane depends on another.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cribbage_env.engine.compile import inlined_kernel

__all__ = ["decision_key", "draw", "shuffle", "stream_of"]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_KEYS = np.uint64(0x5851F42D4C957F2D)
_ONE = np.uint64(1)
_27, _30, _31, _32 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(32)


@inlined_kernel
def mix(value: np.uint64) -> np.uint64:
    """Scatter the 64 bits of a number; a bijection of uint64."""
    value = (value ^ (value >> _30)) * _FIRST
    value = (value ^ (value >> _27)) * _SECOND
    return value ^ (value >> _31)


@inlined_kernel
def stream_of(seed: np.uint64, game: int, deal: int) -> np.uint64:
    """Return the uint64 stream of a deal (deal 0 is the cut for the deal)."""
    stream = mix(np.uint64(seed) + _STEP)
    stream = mix(stream + (np.uint64(game) + _ONE) * _STEP)
    return mix(stream + (np.uint64(deal) + _ONE) * _STEP)


@inlined_kernel
def draw(stream: np.uint64, counter: int, below: int) -> int:
    """Return number `counter` of a stream, uniform on 0..below-1 (bias under 2**-26)."""
    # A caller in Python may hold the stream as an int, of which numba would make a signed number.
    number = mix(np.uint64(stream) + (np.uint64(counter) + _ONE) * _STEP)
    # Not int(), which leaves an unsigned number unsigned in compiled code.
    return np.int64(((number >> _32) * np.uint64(below)) >> _32)  # type: ignore[return-value]


@inlined_kernel
def decision_key(seed: np.uint64, game: int, deal: int, seat: int, decision: int) -> np.uint64:
    """Return the uint64 key of one decision of a seat: all the randomness its player may use.

    The last line adds a number to its own mix, which can't be undone: a key says nothing of the
    stream that the cards come from.
    """
    place = np.uint64(seat) * np.uint64(64) + np.uint64(decision) + _ONE
    key = mix((stream_of(seed, game, deal) ^ _KEYS) + place * _STEP)
    return mix(key ^ _KEYS) + key


@inlined_kernel
def shuffle(stream: np.uint64, deck: NDArray[np.int16], number: int) -> None:
    """Put a random choice of cards, in random order, into the first `number` places of `deck`.

    `deck` is an int16 array of the cards to draw from; it is permuted in place.
    """
    size = deck.shape[0]
    for place in range(number):
        other = place + draw(stream, place, size - place)
        card = deck[place]
        deck[place] = deck[other]
        deck[other] = card
