"""The decorator that every kernel of the package carries: compiled by numba, cached on disk, typed.

Numba's own disk cache looks only at the file that a function is written in. A kernel that calls a
kernel of another file would then go on running the old callee after an edit. Here the stamp of
every cached kernel is the digest of *all* kernel sources, so that any edit recompiles them all.

With ``NUMBA_DISABLE_JIT=1`` a kernel is the plain Python function, slow and easy to step through.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import caching

__all__ = ["KERNEL_FOLDERS", "inlined_kernel", "kernel", "kernel_source_digest", "lean_kernel"]

logger = logging.getLogger("cribbage_env")

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = Path(__file__).resolve().parent.parent
KERNEL_FOLDERS = (
    "engine",
    "observation",
    "bots",
    "lanes",
    "rewards",
    "credit",
    "envs",
    "match",
    "analysis",
)
"""The folders (or single modules) of the package in which kernels live."""


def kernel_source_digest(package: Path = PACKAGE) -> str:
    """Return the digest of every source file that may hold a kernel, in hexadecimal."""
    digest = hashlib.sha256()
    sources = [
        source
        for name in KERNEL_FOLDERS
        for source in (package / f"{name}.py", *sorted((package / name).rglob("*.py")))
        if source.is_file()
    ]
    for source in sources:
        digest.update(source.relative_to(package).as_posix().encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()


SOURCE_DIGEST = kernel_source_digest()


def _stamp_of(function: Callable[..., Any]) -> str:
    """Return what a cached kernel is good for: these sources, and its own file if it is no such."""
    source = Path(inspect.getfile(function)).resolve()
    if source.is_relative_to(PACKAGE) or not source.is_file():
        return SOURCE_DIGEST
    return hashlib.sha256(SOURCE_DIGEST.encode() + source.read_bytes()).hexdigest()


class _KernelFiles(caching.IndexDataCacheFile):  # type: ignore[misc]
    """Numba's files of a kernel, made safe for processes that compile at once and for crashes.

    Numba numbers the compiled forms of a function in the order in which a process meets them, and
    names them in the index before they are written: two processes may take one number for two
    signatures, and one that is killed in between leaves an index of old code. Here a file is named
    by its signature, and is whole before the index tells of it.
    """

    def save(self, key: Any, data: Any) -> None:
        number = int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:6], "big")
        name = self._data_name(number)
        self._save_data(name, data)
        self._save_index({**self._load_index(), key: name})

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except Exception:  # noqa: BLE001 (a crash may have left anything there)
            return {}


class _KernelCache(caching.FunctionCache):  # type: ignore[misc]
    """Numba's function cache, stamped by all sources; says once that a compilation has begun.

    Numba itself chooses the folder: NUMBA_CACHE_DIR, the package's own ``__pycache__`` or, for a
    read-only install, the user's cache folder.
    """

    _cache_file: Any
    _has_announced = False

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        name = self._cache_file._index_name.removesuffix(".nbi")
        self._cache_file = _KernelFiles(self._cache_path, name, _stamp_of(function))

    def load_overload(self, signature: Any, target_context: Any) -> Any:
        try:
            found = super().load_overload(signature, target_context)
        except Exception:  # noqa: BLE001 (a crash may have left anything there)
            found = None
        if found is None and not _KernelCache._has_announced:
            _KernelCache._has_announced = True
            logger.warning(
                "cribbage_env: compiling the engine for this machine "
                "(once, about a minute with the strongest players; later starts are fast)"
            )
        return found

    def save_overload(self, signature: Any, data: Any) -> None:
        try:
            super().save_overload(signature, data)
        except OSError as error:  # a full disk, say: the next process compiles anew
            logger.debug("a compiled kernel can't be kept: %s", error)


def kernel(function: Function) -> Function:
    """Compile a function with numba in nopython mode, without the GIL, cached on disk.

    Where no folder can hold a cache the kernel is compiled anew in each process. Without
    compilation the 64-bit mixing of `chance` overflows on purpose, which NumPy would report.
    """
    # Said, though it is the default: what isn't said is inherited from whoever calls first.
    return _compile(function, _nrt=True, forceinline=False)


def lean_kernel(function: Function) -> Function:
    """Compile a kernel that makes no array, and calls none that returns one; the usual kind.

    It only borrows its caller's arrays, so it is compiled without numba's counting of references,
    two atomic operations for every array that is handed on. `docs/performance.md` has the numbers.
    """
    return _compile(function, _nrt=False, forceinline=False)


def inlined_kernel(function: Function) -> Function:
    """Compile as `lean_kernel` does, and copy the code into every kernel that calls it.

    For what is small, or large but called in one place: an array is handed over as seven numbers
    and more, but every copy has to be compiled anew.
    """
    return _compile(function, _nrt=False, forceinline=True)


def _compile(function: Function, **options: bool) -> Function:
    if numba.config.DISABLE_JIT:

        @functools.wraps(function)
        def uncompiled(*arguments: Any) -> Any:
            with np.errstate(over="ignore"):
                return function(*arguments)

        return uncompiled  # type: ignore[return-value]
    dispatcher = numba.njit(nogil=True, error_model="numpy", **options)(function)
    try:
        dispatcher._cache = _KernelCache(function)
    except RuntimeError:  # numba's word for: no folder is writable
        logger.debug("no folder for numba's cache; %s is compiled in this process", function)
    return dispatcher
