"""Damaged and hostile versions of what may come from outside: JSON, bytes, archives, texts."""

from __future__ import annotations

import copy
import io
import zipfile
from typing import Any

import numpy as np
from hypothesis import settings, strategies
from numpy.typing import NDArray

NUMBERS = (
    strategies.integers(-3, 200)
    | strategies.sampled_from((2**31, 2**63, -(2**63), 10**30, 10**400))
    | strategies.floats()
)
TEXTS = strategies.text(max_size=8) | strategies.sampled_from(
    ("../../outside", "/dev/null", "\x00", "a" * 5000, "features", "greedy", "__import__('os')")
)
JSON_VALUES = strategies.recursive(
    strategies.none() | strategies.booleans() | NUMBERS | TEXTS,
    lambda inner: (
        strategies.lists(inner, max_size=3)
        | strategies.dictionaries(strategies.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)


def fuzz_settings(examples: int) -> settings:
    """Return settings under which the same damage is done at every run."""
    return settings(derandomize=True, database=None, deadline=None, max_examples=examples)


@strategies.composite
def damaged_json(draw: Any, document: Any) -> Any:
    """Draw a document in which something is missing, too much, or another value."""
    damaged = copy.deepcopy(document)
    for _ in range(draw(strategies.integers(1, 3))):
        places = list(_places(damaged))
        if not places:
            return draw(JSON_VALUES)
        holder, key = draw(strategies.sampled_from(places))
        way = draw(strategies.sampled_from(("replace", "replace", "delete", "add")))
        if way == "replace":
            holder[key] = draw(JSON_VALUES)
        elif way == "delete":
            del holder[key]
        elif isinstance(holder, dict):
            holder[draw(TEXTS)] = draw(JSON_VALUES)
        else:
            holder.insert(key, draw(JSON_VALUES))
    return damaged


def _places(document: Any) -> Any:
    """Yield each place of a value in a document: what holds it, and under which key."""
    if isinstance(document, dict):
        entries: Any = list(document.items())
    elif isinstance(document, list):
        entries = list(enumerate(document))
    else:
        return
    for key, value in entries:
        yield document, key
        yield from _places(value)


@strategies.composite
def damaged_bytes(draw: Any, content: bytes) -> bytes:
    """Draw content that was cut, overwritten, repeated or is another altogether."""
    damaged = bytearray(content)
    for _ in range(draw(strategies.integers(1, 4))):
        place = draw(strategies.integers(0, len(damaged)))
        way = draw(strategies.sampled_from(("write", "write", "cut", "insert", "repeat")))
        if way == "write":
            new = draw(strategies.binary(min_size=1, max_size=4))
            damaged[place : place + len(new)] = new
        elif way == "cut":
            del damaged[place : place + draw(strategies.sampled_from((1, 2, 100, 10**9)))]
        elif way == "insert":
            damaged[place:place] = draw(strategies.binary(max_size=20))
        else:
            damaged[place:place] = damaged[:place][-50:]
    return bytes(damaged)


class Trap:
    """What a file is not to make Python do: unpickled, it calls `fall`."""

    has_fallen = False

    def __reduce__(self) -> Any:
        return fall, ()


def fall() -> None:
    Trap.has_fallen = True


def pickled_arrays() -> bytes:
    """Return an ``.npz`` file whose one array could only be unpickled."""
    content = io.BytesIO()
    np.savez(content, state_0_bias=np.array([Trap()], object))
    return content.getvalue()


def header_of(shape: str, dtype: str = "<f4") -> bytes:
    """Return the beginning of an ``.npy`` file that says so of what follows."""
    text = f"{{'descr': {dtype!r}, 'fortran_order': False, 'shape': {shape}, }}"
    padded = text.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(padded).to_bytes(2, "little") + padded.encode("latin1")


def archive_of(members: dict[str, bytes], *, compressed: bool = False) -> bytes:
    """Return a zip archive."""
    content = io.BytesIO()
    how = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(content, "w", how) as archive:
        for name, member in members.items():
            archive.writestr(name, member)
    return content.getvalue()


def hostile_archives() -> dict[str, bytes]:
    """Return archives that a reader could stumble over, by what is wrong with them."""
    encrypted = bytearray(archive_of({"a.npy": header_of("(1,)") + bytes(4)}))
    for mark in (b"PK\x03\x04", b"PK\x01\x02"):
        place = encrypted.index(mark) + (6 if mark[2] == 3 else 8)
        encrypted[place] |= 1
    return {
        "nothing": b"",
        "no archive": b"PK",
        "a bare pickle": b"cos\nsystem\n(S'true'\ntR.",
        "pickled objects": pickled_arrays(),
        "a shape of terabytes": archive_of({"a.npy": header_of("(1000000000000,)")}),
        "a shape that overflows": archive_of({"a.npy": header_of(f"({2**62}, {2**62})")}),
        "a negative shape": archive_of({"a.npy": header_of("(-1,)") + bytes(8)}),
        "no shape": archive_of({"a.npy": header_of("__import__('os').getcwd()")}),
        "an endless header": archive_of({"a.npy": header_of("(" * 60)}),
        "an unfinished string": archive_of({"a.npy": header_of("'''")}),
        "a bomb": archive_of(
            {"a.npy": header_of("(5000000,)") + bytes(20_000_000)}, compressed=True
        ),
        "no array": archive_of({"a.npy": b"not an array"}),
        "encrypted": bytes(encrypted),
        "a name outside": archive_of({"../../outside.npy": header_of("(1,)") + bytes(3)}),
    }


def arrays_of(**shapes: tuple[int, ...]) -> dict[str, NDArray[np.float32]]:
    """Return small random arrays by name."""
    rng = np.random.default_rng(0)
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
